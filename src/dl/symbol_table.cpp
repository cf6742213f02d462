// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/symbol_table.hpp"

namespace mw::dl {

void fail_absent(std::string_view function) {
  fail(ErrorKind::not_found, function,
       ": the library that was loaded has no such function, or was not loaded. Check for it before "
       "the "
       "call, or install a newer version; `mathwright info` shows what was found where.");
}

}  // namespace mw::dl
