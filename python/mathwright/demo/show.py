# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What both parts of the demonstration share: timing side by side, and pictures without a frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mathwright._words import seconds
from mathwright.bench.measure import Case, Contestant, measure

OURS = "Mathwright, planned"


def compare(ways: dict[str, Callable[[], Any]], baseline: str) -> None:
    """Prints the times of several ways to do the same, taken in turns."""
    contestants = [Contestant(name, "work()", {"work": work}) for name, work in ways.items()]
    result = measure(
        Case("demo/demo", "demo", lambda: contestants, baseline, block_seconds=20e-3), rounds=11
    )
    width = max(map(len, ways)) + 2
    print("time, median of 11 rounds in turns (least)")
    for figures in result.figures:
        times = f"{seconds(figures.median):>9} ({seconds(figures.least)})"
        print(f"  {figures.name:<{width}}{times:<24}{result.ratio(figures):.2f} × {baseline}")


def explain(title: str, planned: Any) -> None:
    print(f"what was planned for {title}")
    print("".join(f"  {line}\n" for line in planned.explain().splitlines()), end="")


def save(path: Path, image: Any, title: str, **options: Any) -> Path:
    """One picture with a title, as large as it is wide."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    draw = options.pop("draw", None)
    height, width = image.shape[:2]
    figure, axes = plt.subplots(figsize=(8, 8 * height / width + 0.5), layout="constrained")
    axes.imshow(image, **options)
    axes.set_title(title, fontsize=11)
    axes.axis("off")
    if draw is not None:
        draw(axes)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
