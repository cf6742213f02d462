# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What autotuning found out, kept between runs; and tuning from a list of problems.

``autotune()`` of an object times the ways there are to run its problem and changes to the fastest. The
winner is written to a file (:func:`path`), which every process reads when it first plans.

>>> from mathwright import tune
>>> tune.records()  # doctest: +SKIP
[{'operation': 'matmul', 'title': ..., 'candidate': 'scipy-openblas', 'variant': 'threads=1', ...}]
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, TextIO

from mathwright import _core
from mathwright._cases import Line, make_problem, read_lines
from mathwright._words import seconds
from mathwright.errors import MathwrightError

__all__ = ["clear", "export", "merge", "path", "records"]


# ---- the file --------------------------------------------------------------------------------------


def path() -> str:
    """The tuning file: ``tuning.json`` in the cache folder, or what MATHWRIGHT_TUNING names.

    Returns:
        Its path, whether it exists or not; empty if there is none (MATHWRIGHT_TUNING=off).
    """
    return str(_core.tuning_path())


def records() -> list[dict[str, Any]]:
    """What is remembered, newest first.

    Returns:
        For each: ``operation``, ``title`` (the problem), ``device`` and ``libraries`` (what it holds for),
        ``candidate`` and ``variant`` (what was fastest), ``seconds``, ``when`` (since 1970).
    """
    return [dict(row) for row in _core.tuning_records()]


def export(path: str | os.PathLike[str]) -> None:
    """Writes what is remembered to a file of its own, to be shipped to machines of the same kind.

    Raises:
        InvalidArgumentError: it cannot be written.
    """
    _core.tuning_export(os.fspath(path))


def merge(path: str | os.PathLike[str]) -> int:
    """Adds what such a file holds; of two measurements of one problem the newer counts.

    Plans made from now on heed it. Entries for other devices or library versions do no harm.

    Returns:
        How many entries were new.

    Raises:
        NotFoundError: there is no such file.
        InvalidArgumentError: it is no such file, or a later release wrote it.
    """
    return int(_core.tuning_merge(os.fspath(path)))


def clear() -> None:
    """Forgets everything and removes the file. Plans made from now on are chosen by estimate."""
    _core.tuning_clear()


def autotune(
    session: Any,
    iterations: int | None,
    prune: int | None,
    seconds: float | None,
    release_workspace: bool,
    stream: Any,
) -> dict[str, Any]:
    """What the methods of that name do."""
    return dict(
        session._autotune(
            iterations=iterations or 0,
            prune=prune or 0,
            seconds=seconds,
            limit=8,
            remember=True,
            release_workspace=release_workspace,
            stream=stream,
        )
    )


# ---- the command -----------------------------------------------------------------------------------


class Progress:
    """A bar at the foot of a terminal; nothing where the output is no terminal."""

    WIDTH = 24

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream = total, stream
        self.shown = stream.isatty()

    def show(self, done: int, what: str) -> None:
        if not self.shown:
            return
        full = self.WIDTH * done // max(self.total, 1)
        bar = "█" * full + "·" * (self.WIDTH - full)
        self.stream.write(f"\r\x1b[2K{bar} {done}/{self.total} {what[:50]}")
        self.stream.flush()

    def hide(self) -> None:
        if self.shown:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()


def tune_line(line: Line, limit: float | None, dry: bool) -> str:
    """Tunes one problem; what came of it, in a line."""
    with make_problem(line) as problem:
        direction = getattr(problem, "_tune_direction", None)
        problem.plan(**({"direction": direction} if direction else {}))
        if dry:
            rows = problem._algorithms()
            first = rows[0]
            return f"{len(rows)} alternatives, {first['candidate']} first, {seconds(first['estimate'])} estimated"
        report = autotune(problem, None, None, limit, True, None)
    if report["timed"] < 2:
        return f"{report['candidate']}, nothing to compare it with"
    change = (
        f"{seconds(report['before'])} → {seconds(report['after'])}" if report["changed"] else "kept"
    )
    return (
        f"{report['candidate']}, {change}, {report['timed']} of {report['alternatives']} "
        f"alternatives timed in {seconds(report['spent'])}"
    )


def run(arguments: Any) -> int:
    """The command ``mathwright tune``: 0, or 1 if a problem could not be tuned."""
    streams: list[TextIO] = []
    for name in arguments.files:
        # The file is closed with the process; what it holds is read at once.
        streams.append(sys.stdin if name == "-" else open(name, encoding="utf-8"))  # noqa: SIM115
    lines = read_lines(streams)
    if not lines:
        print("mathwright tune: no problems in the files given", file=sys.stderr)
        return 1
    progress = Progress(len(lines), sys.stderr)
    start, failures = time.monotonic(), 0
    for done, line in enumerate(lines):
        progress.show(done, line.text)
        try:
            outcome = tune_line(line, arguments.seconds, arguments.dry_run)
        except (MathwrightError, ValueError, TypeError, MemoryError) as error:
            failures += 1
            outcome = (
                f"FAILED: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            )
        progress.hide()
        print(f"{line.text}\n    {outcome}", flush=True)
    spent = seconds(time.monotonic() - start)
    kept = "" if arguments.dry_run else f"; kept in {path() or 'no file'}"
    print(f"{len(lines) - failures} of {len(lines)} problems in {spent}{kept}")
    return 1 if failures else 0
