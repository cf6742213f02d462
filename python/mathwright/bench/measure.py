# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Timing contestants side by side.

All contestants of a case run in one process, in turns: each round runs every contestant once, and each
round starts with another one, so that a slow spell of the machine hits all alike. A turn is a block of
calls that lasts long enough to be timed; the figures are the median and the least time per call over
the rounds.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Contestant:
    """A name and a statement. A statement costs one call less than a function, which counts at 1 µs."""

    name: str
    statement: str
    names: dict[str, Any]  # what the statement refers to
    finish: Callable[[], Any] | None = None  # after a block, untimed: waits for a device
    clock: Callable[[Callable[[], Any]], float] | None = None  # seconds of a block, by a device


FLOOR = "copy"


def is_floor(name: str) -> bool:
    """A copy of as many bytes, which no contestant that starts from memory can beat."""
    return name.startswith(FLOOR)


def is_ours(name: str) -> bool:
    return name.startswith("mathwright")


@dataclass(frozen=True)
class Case:
    """Something to compare. `build` makes the contestants, those whose packages are there."""

    name: str  # "group/what", unique
    title: str
    build: Callable[[], list[Contestant]]
    baseline: str  # the contestant that ratios refer to
    threads: int = 1
    flops: float = 0.0  # per call, for rates and rooflines; 0: not told
    bytes: float = 0.0  # that a call must move: operands once, results once
    precision: str = "float32"  # of the arithmetic: float16, bfloat16, float32, float64
    on_device: bool = False
    block_seconds: float = 2e-3
    calls: int = 0  # per block; 0: as many as block_seconds asks for
    context: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext

    @property
    def group(self) -> str:
        return self.name.partition("/")[0]


@dataclass
class Figures:
    """Seconds per call."""

    name: str
    calls: int
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        return min(self.samples)


@dataclass(frozen=True)
class Result:
    case: Case
    figures: list[Figures]
    failures: dict[str, str]  # contestants that raised, and what

    def ratio(self, figures: Figures) -> float | None:
        """How many times the baseline's time."""
        for other in self.figures:
            if other.name == self.case.baseline:
                return figures.median / other.median
        return None

    def as_json(self) -> dict[str, Any]:
        return {
            "case": self.case.name,
            "title": self.case.title,
            "threads": self.case.threads,
            "baseline": self.case.baseline,
            "flops": self.case.flops,
            "bytes": self.case.bytes,
            "precision": self.case.precision,
            "place": "device" if self.case.on_device else "host",
            "contestants": [
                {
                    "name": f.name,
                    "median": f.median,
                    "min": f.least,
                    "rounds": len(f.samples),
                    "calls": f.calls,
                    "ratio": self.ratio(f),
                }
                for f in self.figures
            ],
            "failures": self.failures,
        }


def measure(case: Case, rounds: int) -> Result:
    with case.context(), quiet_collector():
        runners, failures = prepare(case)
        figures = [Figures(c.name, calls) for c, _, calls in runners]
        for turn in range(rounds):
            for step in range(len(runners)):
                at = (turn + step) % len(runners)
                contestant, timer, calls = runners[at]
                figures[at].samples.append(block(contestant, timer, calls) / calls)
                settle(contestant)
    return Result(case, figures, failures)


def prepare(
    case: Case,
) -> tuple[list[tuple[Contestant, timeit.Timer, int]], dict[str, str]]:
    """Warms every contestant up and finds how many of its calls make a block."""
    runners: list[tuple[Contestant, timeit.Timer, int]] = []
    failures: dict[str, str] = {}
    try:
        contestants = case.build()
    except Exception as error:
        return [], {"preparation": reason(error)}
    for contestant in contestants:
        timer = timeit.Timer(contestant.statement, globals=contestant.names)
        try:
            timer.timeit(2)
            settle(contestant)
            calls = case.calls or calls_in(timer, case.block_seconds)
            settle(contestant)
        except Exception as error:
            failures[contestant.name] = reason(error)
        else:
            runners.append((contestant, timer, calls))
    return runners, failures


def reason(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def calls_in(timer: timeit.Timer, seconds: float) -> int:
    calls = 1
    while True:
        took = timer.timeit(calls)
        if took >= seconds / 2 or calls >= 1_000_000:
            return max(1, round(calls * seconds / max(took, 1e-9)))
        calls *= 4


def block(contestant: Contestant, timer: timeit.Timer, calls: int) -> float:
    """Seconds of one turn."""
    if contestant.clock is None:
        return timer.timeit(calls)
    return contestant.clock(lambda: timer.timeit(calls))


def settle(contestant: Contestant) -> None:
    if contestant.finish is not None:
        contestant.finish()


@contextlib.contextmanager
def quiet_collector() -> Iterator[None]:
    """No garbage collection inside timed blocks."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
