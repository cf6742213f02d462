// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A tensor of the library's own, as an object that any package's from_dlpack takes.
#pragma once

#include <nanobind/nanobind.h>

#include <mathwright/tensor.hpp>

namespace mw::py {

namespace nb = nanobind;

/// An object with __dlpack__ and __dlpack_device__ for memory whose last write was queued on
/// `written`.
[[nodiscard]] nb::object export_tensor(Tensor tensor, Stream written);

}  // namespace mw::py
