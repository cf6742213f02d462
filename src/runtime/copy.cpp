// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy.hpp"

#include <algorithm>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "runtime/copy_device.hpp"
#include "runtime/copy_host.hpp"

namespace mw {

namespace {

void check_pair(const TensorRef& source, const TensorRef& target) {
  require(source.dtype == target.dtype, ErrorKind::invalid_argument, "copy: the source is ",
          name(source.dtype), ", the target ", name(target.dtype),
          "; equal dtypes are wanted. Convert one.");
  require(source.shape == target.shape, ErrorKind::invalid_argument, "copy: the source has shape ",
          source.shape, ", the target ", target.shape, "; equal shapes are wanted.");
  require(!target.readonly, ErrorKind::invalid_argument,
          "copy: the target is read-only; a writable one is wanted.");
}

// Nothing if one call can do it.
std::string why_apart(const TensorRef& source, const TensorRef& target) {
  if (source.device.is_cpu() || target.device.is_cpu() || source.device == target.device) return {};
  return text("the source is on ", source.device, ", the target on ", target.device,
              "; one device is wanted. Copy by way of the host.");
}

// Two marks cancel, and a real number is its own conjugate.
bool conjugation(const TensorRef& source, const TensorRef& target) {
  return source.conjugate != target.conjugate && is_complex(target.dtype);
}

bool is_empty(const TensorRef& tensor) {
  return std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
}

}  // namespace

void copy(const TensorRef& source, const TensorRef& target, Stream stream, int threads) {
  check_pair(source, target);
  const std::string apart = why_apart(source, target);
  require(apart.empty(), ErrorKind::invalid_argument, "copy: ", apart);
  if (is_empty(target)) return;
  const bool conjugates = conjugation(source, target);
  if (!conjugates && same_view(source, target)) return;
  if (source.device.is_cpu() && target.device.is_cpu()) {
    copy_host(source, target, conjugates, threads);
  } else if (source.device.is_cpu()) {
    copy_to_device(source, target, conjugates, stream, threads);
  } else if (target.device.is_cpu()) {
    copy_from_device(source, target, conjugates, stream, threads);
  } else {
    copy_within_device(source, target, conjugates, stream);
  }
}

void fill_zero(const TensorRef& target, Stream stream) {
  require(!target.readonly, ErrorKind::invalid_argument,
          "fill_zero: the target is read-only; a writable one is wanted.");
  if (is_empty(target)) return;
  if (target.device.is_cpu()) {
    fill_zero_host(target, 0);
  } else {
    fill_zero_device(target, stream);
  }
}

Outcome<bool> can_copy(const TensorRef& source, const TensorRef& target) {
  check_pair(source, target);
  if (auto apart = why_apart(source, target); !apart.empty()) {
    return Refusal{"copy", std::move(apart)};
  }
  const bool host_source = source.device.is_cpu();
  const bool host_target = target.device.is_cpu();
  if (is_empty(target) || (host_source && host_target)) return true;
  if (!host_source && !host_target) {
    return can_copy_within_device(source, target, conjugation(source, target));
  }
  // Staging asks the device side to be dense, or to be made so.
  const TensorRef& device_side = host_source ? target : source;
  TensorRef dense = device_side;
  dense.strides = dense_strides(dense.shape, stride_order(dense.shape, dense.strides));
  return can_copy_within_device(host_source ? dense : device_side,
                                host_source ? device_side : dense, false);
}

}  // namespace mw
