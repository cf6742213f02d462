// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

NB_MODULE(_core, m) {
  // Objects of a script's own globals outlive the module at exit, which is nobody's mistake.
  nanobind::set_leak_warnings(false);
  using namespace mw::py;
  init_errors(m);
  init_logging(m);
  init_exporter(m);
  init_session(m);
  init_matmul(m);
  init_fft(m);
  init_fuse(m);
  init_library(m);
  init_expr(m);
}
