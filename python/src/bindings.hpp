// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The parts of the module, each in the file of its name.
#pragma once

#include <nanobind/nanobind.h>

namespace mw::py {

namespace nb = nanobind;

void init_errors(nb::module_& m);
void init_exporter(nb::module_& m);
void init_expr(nb::module_& m);
void init_logging(nb::module_& m);
void init_session(nb::module_& m);
void init_matmul(nb::module_& m);
void init_fft(nb::module_& m);
void init_fuse(nb::module_& m);
void init_library(nb::module_& m);

}  // namespace mw::py
