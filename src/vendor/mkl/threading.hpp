// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The threading layer of oneMKL's single library (libmkl_rt).
//
// libmkl_rt picks the OpenMP runtime of its parallel code from whatever happens to be loaded at its
// first call: after any user of libgomp it runs on GNU OpenMP, and with a runtime missing it ends
// the process with a message. So the layer is set explicitly, before the first call, to one whose
// runtime was seen to open.
#pragma once

#include "dl/library.hpp"

namespace mw::mkl {

enum class Layer : int { intel = 0, sequential = 1, gnu = 3 };

/// Whether the library is libmkl_rt (under any name).
[[nodiscard]] bool is_mkl(const dl::Library& library);

/// Chooses and sets the layer, once per process: Intel OpenMP if it opens, else GNU OpenMP, else
/// none. Must precede every other call into the library; both its users (BLAS, FFT) call it.
void prepare(const dl::Library& library);

/// "intel", "gnu", "sequential", or "set elsewhere" when another package chose it before.
[[nodiscard]] const char* layer_name();

}  // namespace mw::mkl
