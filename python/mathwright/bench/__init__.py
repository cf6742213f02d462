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
import subprocess
import sys

from mathwright.bench import fft, gemm, gpu, overhead, process
from mathwright.bench.machine import SETTINGS, machine, machine_lines
from mathwright.bench.measure import Case, Result, measure
from mathwright.bench.report import markdown_of, text_of

GROUPS = (overhead, gemm, fft, process, gpu)
ROUNDS, QUICK_ROUNDS = 15, 5


def all_cases(quick: bool) -> list[Case]:
    return [case for group in GROUPS for case in group.cases(quick)]


def selected(cases: list[Case], wanted: list[str]) -> list[Case]:
    """Those whose names begin with one of the wanted. Errors: ValueError for one that none has."""
    for prefix in wanted:
        if not any(case.name.startswith(prefix) for case in cases):
            raise ValueError(
                f"no case begins with {prefix!r}; `mathwright bench --list` names them"
            )
    return [c for c in cases if not wanted or any(c.name.startswith(w) for w in wanted)]


def run(arguments: argparse.Namespace) -> int:
    cases = selected(all_cases(arguments.quick), arguments.cases)
    if arguments.list:
        print("\n".join(f"{case.name:<40}{case.title}" for case in cases))
        return 0
    if not arguments.worker:
        return run_apart(arguments)
    return run_here(cases, arguments)


def run_apart(arguments: argparse.Namespace) -> int:
    """In a process of its own: the libraries read some settings only while they are loaded."""
    names = ("quick", "json", "markdown")
    flags = [f"--{name}" for name in names if getattr(arguments, name)]
    command = [
        sys.executable,
        "-m",
        "mathwright.cli",
        "bench",
        "--worker",
        *flags,
        *arguments.cases,
    ]
    return subprocess.run(command, env=SETTINGS | dict(os.environ), check=False).returncode


def run_here(cases: list[Case], arguments: argparse.Namespace) -> int:
    rounds = QUICK_ROUNDS if arguments.quick else ROUNDS
    facts = machine()
    quiet = arguments.json or arguments.markdown
    if not quiet:
        print("\n".join(machine_lines(facts)) + "\n")
    results: list[Result] = []
    memory: dict[str, float] = {}
    for case in cases:
        if quiet:
            print(case.name, file=sys.stderr)
        if case is process.CASE:
            result, memory = process.measure_imports(rounds)
        else:
            result = measure(case, rounds)
        results.append(result)
        if not quiet:
            print(text_of(result, memory if case is process.CASE else None), flush=True)
    if arguments.json:
        report = {
            "machine": facts,
            "rounds": rounds,
            "results": [result.as_json() for result in results],
            "resident_bytes": memory,
        }
        print(json.dumps(report, indent=2))
    elif arguments.markdown:
        facts_list = "\n".join(f"- {line}" for line in machine_lines(facts))
        print(f"{facts_list}\n\n{markdown_of(results, memory)}", end="")
    return 1 if any(result.failures for result in results) else 0
