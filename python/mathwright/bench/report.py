# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Results as text and as tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from statistics import geometric_mean

from mathwright._words import seconds
from mathwright.bench.measure import FLOOR, Case, Figures, Result, is_floor, is_ours

TITLES = {
    "overhead": "What a call costs",
    "gemm": "Large products",
    "fft": "Transforms on the host",
    "fused": "Products with a function of the user's",
    "fuse": "Elementwise expressions, fused",
    "import": "Import",
    "gpu": "What a call costs on a GPU",
    "gpu-time": "Large work on a GPU",
}
# Where rates say more than times.
RATED = ("gemm", "fft", "gpu-time")


def cell(figures: Figures, case: Case) -> str:
    rated = case.flops and case.group in RATED
    rate = f" [{case.flops / figures.median / 1e9:.3g} GF/s]" if rated else ""
    return f"{seconds(figures.median)} ({seconds(figures.least)}){rate}"


def text_of(result: Result, memory: dict[str, float] | None = None) -> str:
    """A case as a block of lines: median, (least), times the baseline."""
    case = result.case
    lines = [f"{case.name}  {case.title}, {case.threads} thread{'s' if case.threads > 1 else ''}"]
    width = max((len(f.name) for f in result.figures), default=0) + 2
    for figures in result.figures:
        ratio = result.ratio(figures)
        times = f"{ratio:6.2f}×" if ratio is not None else " " * 7
        held = f"  {memory[figures.name] / 2**20:.0f} MiB" if memory else ""
        lines.append(f"  {figures.name:<{width}}{times}  {cell(figures, case)}{held}")
    lines += [f"  {name}: failed: {why}" for name, why in result.failures.items()]
    return "\n".join(lines) + "\n"


def markdown_of(results: Iterable[Result], memory: dict[str, float]) -> str:
    """A table per group; groups whose cases share their contestants get a row per case."""
    parts = []
    for group, members in groupby(results, key=lambda result: result.case.group):
        listed = list(members)
        parts.append(f"## {TITLES.get(group, group)}\n")
        wide = group in ("gemm", "fft", "fuse", "gpu-time")
        parts += [wide_table(listed)] if wide else [tall_table(r, memory) for r in listed]
    return "\n".join(parts)


def tall_table(result: Result, memory: dict[str, float]) -> str:
    """A row per contestant."""
    held = result.case.group == "import"
    head = f"| {result.case.title} | median (min) | × {result.case.baseline} |"
    lines = [head + (" resident |" if held else ""), "|---|---|---|" + ("---|" if held else "")]
    for figures in result.figures:
        ratio = result.ratio(figures)
        row = f"| {figures.name} | {cell(figures, result.case)} | {'' if ratio is None else f'{ratio:.2f}'} |"
        lines.append(row + (f" {memory[figures.name] / 2**20:.0f} MiB |" if held else ""))
    return "\n".join(lines) + "\n"


def wide_table(results: list[Result]) -> str:
    """A row per case, a column per contestant, and how our best compares with the best of the rest.

    Where a copy of as many bytes is among them, a column says how much of its speed we have.
    """
    names = list(dict.fromkeys(f.name for result in results for f in result.figures))
    floors = [name for name in names if is_floor(name)]
    head = [*names, *([f"{FLOOR} / ours"] if floors else []), "best other / ours"]
    lines = ["| case | threads | " + " | ".join(head) + " |", "|---|---|" + "---|" * len(head)]
    for result in results:
        found = {f.name: f for f in result.figures}
        cells = [cell(found[n], result.case) if n in found else "–" for n in names]
        ours = [f.median for n, f in found.items() if is_ours(n)]
        if floors:
            cells.append(times(ours, [f.median for n, f in found.items() if n in floors]))
        others = [f.median for n, f in found.items() if not is_floor(n) and not is_ours(n)]
        case = result.case
        row = [case.title, str(case.threads), *cells, times(ours, others)]
        lines.append("| " + " | ".join(row) + " |")
    if len(results) > 1:
        means = [mean_ratio(results, name, names[0]) for name in names]
        rest = [""] * (len(head) - len(names))
        row = [f"geometric mean, × {names[0]}", "", *means, *rest]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def times(ours: list[float], others: list[float]) -> str:
    return f"{min(others) / min(ours):.2f}×" if ours and others else "–"


def mean_ratio(results: list[Result], name: str, to: str) -> str:
    """Geometric mean of one contestant's times over another's, where both ran, and the least."""
    ratios = []
    for result in results:
        found = {f.name: f.median for f in result.figures}
        if name in found and to in found:
            ratios.append(found[name] / found[to])
    if not ratios:
        return "–"
    return f"{geometric_mean(ratios):.2f}× (least {min(ratios):.2f}×)"
