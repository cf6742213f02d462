// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dlpack.hpp"
#include "package.hpp"

namespace mw::py {

/// A view of what a DLPack tensor describes. Errors: invalid_argument (device, dtype).
[[nodiscard]] TensorRef view_of_dlpack(const dlpack::Tensor& tensor, const Who& who);

/// Reads an array by its __dlpack__; `stream` is passed on as it is.
[[nodiscard]] Adopted adopt_dlpack(nb::handle array, const Who& who, const nb::object& stream,
                                   bool writes);

/// The function table on an array type, if it has one of version 1 that can read arrays.
[[nodiscard]] const dlpack::ExchangeApi* exchange_api(nb::handle array_type);
/// Reads an array by the table of its type: no Python call, and no ordering of streams.
[[nodiscard]] Adopted adopt_by_api(const dlpack::ExchangeApi& api, nb::handle array,
                                   const Who& who);
[[nodiscard]] Stream current_stream_by_api(const dlpack::ExchangeApi& api, Device device);

class DlpackPackage final : public Package {
 public:
  DlpackPackage(std::string package_name, nb::handle array_type);

  Adopted adopt(nb::handle array, const Who& who, Stream consumer, bool writes) const override;
  Produced empty(const ResultSpec& spec, const Queue& queue) const override;
  nb::object finish(Produced& produced, const ResultSpec& spec, const Queue& queue) const override;
  Stream current_stream(Device device) const override;
  bool any_strides() const override { return false; }

 private:
  const dlpack::ExchangeApi* api_;
  nb::object api_type_;  ///< whose table it is
  nb::object from_dlpack_;
};

}  // namespace mw::py
