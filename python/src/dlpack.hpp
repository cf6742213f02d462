// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// DLPack's binary interface, in our own declarations: how arrays travel between packages without a
// copy.
//
//   capsule "dltensor"             ManagedTensor           before version 1.0
//   capsule "dltensor_versioned"   ManagedTensorVersioned  1.0 and later; says "read-only"
//   capsule "dlpack_exchange_api"  ExchangeApi             on the array's type; function pointers
//   that do
//                                                          the same without any Python call
//
// The consumer renames a capsule to "used_…" and then owns its content.
#pragma once

#include <cstdint>

namespace mw::py::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
  std::int32_t type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null means C order
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

inline constexpr std::uint64_t kReadOnly = 1;

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

struct ExchangeApiHeader {
  Version version;
  ExchangeApiHeader* previous;
};

/// Every function returns 0, or −1 with the Python error set. None of them orders streams.
struct ExchangeApi {
  ExchangeApiHeader header;
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*managed_from_object)(void* object, ManagedTensorVersioned** out);
  int (*object_from_managed)(ManagedTensorVersioned* tensor, void** out);
  int (*view_of_object)(void* object, Tensor* out);  ///< may be null; borrows from the object
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** out);
};

inline constexpr const char* kCapsule = "dltensor";
inline constexpr const char* kUsedCapsule = "used_dltensor";
inline constexpr const char* kVersionedCapsule = "dltensor_versioned";
inline constexpr const char* kUsedVersionedCapsule = "used_dltensor_versioned";
inline constexpr const char* kExchangeApiCapsule = "dlpack_exchange_api";

}  // namespace mw::py::dlpack
