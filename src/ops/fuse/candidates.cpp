// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every implementation of a fused expression. The lowest estimate wins; the order breaks ties.
#include <array>

#include "ops/fuse/implementations.hpp"

namespace mw {

namespace {

constexpr std::array kCandidates{
    Candidate<FuseProblem>{"generated", fuse_impl::try_generated},
    Candidate<FuseProblem>{"interpreted", fuse_impl::try_interpreted},
    Candidate<FuseProblem>{"generated_cuda", fuse_impl::try_generated_cuda},
    Candidate<FuseProblem>{"reference", fuse_impl::try_reference},
};

}  // namespace

std::span<const Candidate<FuseProblem>> FuseProblem::candidates() { return kCandidates; }

}  // namespace mw
