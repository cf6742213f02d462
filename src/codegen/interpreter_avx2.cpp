// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#define MW_LOOPS_ISA avx2
#define MW_LOOPS_ALL false
#include "codegen/interpreter_loops.inc.hpp"
#include "codegen/interpreter_memory.inc.hpp"

namespace mw::codegen::interpreter {

Loop avx2_loop(const LoopKey& key) { return avx2::find(key); }

}  // namespace mw::codegen::interpreter
