// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What memory.cpp needs of each pool.
#pragma once

namespace mw {

void clear_host_pool();
void clear_pinned_pool();

}  // namespace mw
