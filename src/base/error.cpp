// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/error.hpp>

namespace mw {

Error::~Error() = default;  // the vtable's home

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::out_of_memory: return "out_of_memory";
    case ErrorKind::invalid_state: return "invalid_state";
    case ErrorKind::type_mismatch: return "type_mismatch";
    case ErrorKind::singular: return "singular";
    case ErrorKind::vendor: return "vendor";
    case ErrorKind::compile: return "compile";
    case ErrorKind::timeout: return "timeout";
  }
  return "unknown";
}

}  // namespace mw
