# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""``mathwright bench``: side by side with what a user would pick instead.

Cases are data: each group's module has ``cases(quick)``, a list of :class:`~.measure.Case`, and a case
makes its contestants when its turn comes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from mathwright.bench import fft, filters, fuse, fused, gemm, gpu, overhead, process
from mathwright.bench.machine import SETTINGS, machine, machine_lines
from mathwright.bench.measure import Case, Result, measure
from mathwright.bench.report import markdown_of, text_of
from mathwright.bench.roof import roofs_for
from mathwright.bench.roofline import picture_of

GROUPS = (overhead, gemm, fused, fuse, fft, filters, process, gpu)
ROUNDS, QUICK_ROUNDS = 15, 5


def all_cases(quick: bool) -> list[Case]:
    return [case for group in GROUPS for case in group.cases(quick)]


def selected(cases: list[Case], wanted: list[str]) -> list[Case]:
    """Those of the wanted groups, and those whose names begin with another of the wanted words.

    Errors: ValueError for a word that fits none.
    """
    groups = {case.group for case in cases}

    def fits(case: Case, word: str) -> bool:  # "fuse" is not "fused"
        return case.group == word if word in groups else case.name.startswith(word)

    for prefix in wanted:
        if not any(fits(case, prefix) for case in cases):
            raise ValueError(
                f"no case begins with {prefix!r}; `mathwright bench --list` names them"
            )
    return [c for c in cases if not wanted or any(fits(c, w) for w in wanted)]


def run(arguments: argparse.Namespace) -> int:
    if arguments.report:
        return draw_again(arguments)
    cases = selected(all_cases(arguments.quick), arguments.cases)
    if arguments.list:
        print("\n".join(f"{case.name:<40}{case.title}" for case in cases))
        return 0
    if not arguments.worker:
        run_apart(arguments)
    return run_here(cases, arguments)


def run_apart(arguments: argparse.Namespace) -> NoReturn:
    """In a process of its own: the libraries read some settings only while they are loaded."""
    flags = [f"--{name}" for name in ("quick", "json", "markdown") if getattr(arguments, name)]
    python = [sys.executable, "-X", "faulthandler", "-m", "mathwright.cli"]
    if arguments.picture:
        flags += ["--picture", arguments.picture]
    command = [*python, "bench", "--worker", *flags, *arguments.cases]
    sys.stdout.flush()
    os.execve(sys.executable, command, SETTINGS | dict(os.environ))


def draw_again(arguments: argparse.Namespace) -> int:
    """The picture of a report of --json, measured at any time on any machine."""
    if not arguments.picture:
        raise ValueError("--from draws a report again and wants --picture FILE.svg")
    draw(json.loads(Path(arguments.report).read_text(encoding="utf-8")), arguments.picture)
    return 0


def draw(report: dict[str, Any], file: str) -> None:
    Path(file).write_text(picture_of(report), encoding="utf-8")


@dataclass
class Findings:
    """What has been measured so far."""

    machine: dict[str, Any]
    rounds: int
    results: list[Result] = field(default_factory=list)
    roofs: list[dict[str, Any]] = field(default_factory=list)  # of the cases measured, for pictures
    resident: dict[str, float] = field(default_factory=dict)  # bytes, by program of the import case

    def take(self, case: Case) -> Result:
        if case is process.CASE:
            result, self.resident = process.measure_imports(QUICK_ROUNDS)  # a round takes seconds
        else:
            result = measure(case, self.rounds)
        self.results.append(result)
        return result

    def report(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "rounds": self.rounds,
            "roofs": self.roofs,
            "results": [result.as_json() for result in self.results],
            "resident_bytes": self.resident,
        }

    def markdown(self) -> str:
        facts = "\n".join(f"- {line}" for line in machine_lines(self.machine))
        return f"{facts}\n\n{markdown_of(self.results, self.resident)}"


def run_here(cases: list[Case], arguments: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    findings = Findings(machine(), QUICK_ROUNDS if arguments.quick else ROUNDS)
    as_text = not (arguments.json or arguments.markdown)
    if as_text:
        print("\n".join(machine_lines(findings.machine)) + "\n")
    complete = True
    try:
        for case in cases:
            if not as_text:
                print(case.name, file=sys.stderr)
            result = findings.take(case)
            if as_text:
                held = findings.resident if case is process.CASE else None
                print(text_of(result, held), flush=True)
    except KeyboardInterrupt:  # what has been measured is worth showing
        complete = False
        print("interrupted: the other cases are missing", file=sys.stderr)
    if arguments.picture or arguments.json:
        findings.roofs = roofs_for(result.case for result in findings.results)
    if arguments.picture:
        draw(findings.report(), arguments.picture)
    if arguments.json:
        print(json.dumps(findings.report(), indent=2))
    elif arguments.markdown:
        print(findings.markdown(), end="")
    failed = any(result.failures for result in findings.results)
    return 0 if complete and not failed else 1
