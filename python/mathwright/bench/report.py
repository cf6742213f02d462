# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Results as text and as tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from mathwright.bench.measure import Figures, Result

TITLES = {
    "overhead": "What a call costs",
    "gemm": "Large products",
    "fft": "Transforms on the host",
    "import": "Import",
    "gpu": "What a call costs on a GPU",
    "gpu-time": "Large work on a GPU",
}


def seconds(value: float) -> str:
    """Three digits with their unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def cell(figures: Figures, flops: float) -> str:
    rate = f" [{flops / figures.median / 1e9:.3g} GF/s]" if flops else ""
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
        lines.append(f"  {figures.name:<{width}}{times}  {cell(figures, case.flops)}{held}")
    lines += [f"  {name}: failed: {why}" for name, why in result.failures.items()]
    return "\n".join(lines) + "\n"


def markdown_of(results: Iterable[Result], memory: dict[str, float]) -> str:
    """A table per group; groups whose cases share their contestants get a row per case."""
    parts = []
    for group, members in groupby(results, key=lambda result: result.case.group):
        listed = list(members)
        parts.append(f"## {TITLES.get(group, group)}\n")
        wide = group in ("gemm", "fft", "gpu-time")
        parts += [wide_table(listed)] if wide else [tall_table(r, memory) for r in listed]
    return "\n".join(parts)


def tall_table(result: Result, memory: dict[str, float]) -> str:
    """A row per contestant."""
    held = result.case.group == "import"
    head = f"| {result.case.title} | median (min) | × {result.case.baseline} |"
    lines = [head + (" resident |" if held else ""), "|---|---|---|" + ("---|" if held else "")]
    for figures in result.figures:
        ratio = result.ratio(figures)
        row = f"| {figures.name} | {cell(figures, 0)} | {'' if ratio is None else f'{ratio:.2f}'} |"
        lines.append(row + (f" {memory[figures.name] / 2**20:.0f} MiB |" if held else ""))
    return "\n".join(lines) + "\n"


def wide_table(results: list[Result]) -> str:
    """A row per case, a column per contestant, and how our best compares with the best of the rest."""
    names = list(dict.fromkeys(f.name for result in results for f in result.figures))
    lines = [
        "| case | threads | " + " | ".join(names) + " | best other / ours |",
        "|---|---|" + "---|" * len(names) + "---|",
    ]
    for result in results:
        found = {f.name: f for f in result.figures}
        cells = [cell(found[n], result.case.flops) if n in found else "–" for n in names]
        ours = [f.median for f in result.figures if f.name.startswith("mathwright")]
        others = [f.median for f in result.figures if not f.name.startswith("mathwright")]
        ratio = f"{min(others) / min(ours):.2f}×" if ours and others else "–"
        case = result.case
        lines.append(f"| {case.title} | {case.threads} | " + " | ".join(cells) + f" | {ratio} |")
    return "\n".join(lines) + "\n"
