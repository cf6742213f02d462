// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The tuning file: what autotune() found out, kept between runs. A process reads it once, when it
// first plans; looking something up costs a search in memory. A write reads the file again under a
// lock, adds its own, and puts a whole new file in its place, so that no process's measurements are
// lost and no reader sees half of a file.
//
// Never an error to a caller who plans: a file that cannot be read or written is said once.
#pragma once

#include <optional>
#include <string>

#include <mathwright/tuning.hpp>

#include "plan/select.hpp"
#include "plan/tuning_format.hpp"

namespace mw {

/// What a measurement of this problem with this selection's candidates is filed under.
[[nodiscard]] TuningKey tuning_key(const AnyProblem& problem, const Selection& selection);

[[nodiscard]] std::optional<TuningEntry> find_tuned(const TuningKey& key);

/// Keeps the entry, whose time is set to now, in memory and in the file.
void remember_tuned(TuningEntry entry);

/// Changes whenever entries came or went other than by remember_tuned(): a part of the plan cache's
/// keys.
[[nodiscard]] unsigned tuning_generation();

/// Forgets what was read, so that the next look reads the file again, wherever it now is. For
/// tests.
void reread_tuning();

/// The same selection with what was found fastest for it earlier, if there is such and it still can
/// be had.
[[nodiscard]] Selection with_tuned_choice(const AnyProblem& problem, Selection selection);

}  // namespace mw
