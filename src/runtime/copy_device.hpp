// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Copies that touch device memory.
//
// Within a device: a dense run or a pitched rectangle is the driver's own copy; everything else is
// a kernel compiled on first need. Between host and device: the device side is made dense (through
// a temporary if it is not), and the elements go through page-locked staging blocks in the order of
// the dense side, the host doing whatever permuting there is while the copy engine works.
#pragma once

#include <string>

#include "base/outcome.hpp"
#include "runtime/copy_host.hpp"

namespace mw {

#define MW_DEVICE_TEXT(...) __VA_ARGS__
#include "runtime/copy_nest.inl"
#undef MW_DEVICE_TEXT

/// How a copy within a device is done.
struct DeviceCopyPlan {
  enum class Way : unsigned char { dense, pitched, any, turned };
  Way way = Way::dense;
  std::size_t itemsize =
      1;  ///< of the elements as moved: may be wider or narrower than the dtype's
  bool conjugates = false;
  bool pairs = false;  ///< conjugated elements that are aligned only like their parts
  Dims outer;          ///< axes beyond the eight a kernel takes; the host loops over them
  Dims outer_target, outer_source;
  CopyNest nest{};
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
};
/// Pure: looks at addresses, touches no memory. `kernels` says whether they are to be had: narrow
/// rectangles do without if they must.
[[nodiscard]] DeviceCopyPlan plan_device_copy(const TensorRef& source, const TensorRef& target,
                                              bool conjugates, bool kernels = true);

/// The text of the plan's kernel (ways any and turned), and its name.
struct CopyProgram {
  std::string source;
  std::string name;
};
[[nodiscard]] CopyProgram copy_program(const DeviceCopyPlan& plan);

void copy_within_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                        Stream stream);
void copy_to_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                    Stream stream, int threads);
void copy_from_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                      Stream stream, int threads);
void fill_zero_device(const TensorRef& target, Stream stream);

/// Whether the device side of a copy can be done here.
[[nodiscard]] Outcome<bool> can_copy_within_device(const TensorRef& source, const TensorRef& target,
                                                   bool conjugates);

}  // namespace mw
