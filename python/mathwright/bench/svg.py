# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""A few shapes of SVG, and where things stand that must not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

# The palette of Okabe and Ito, which people with any colour vision can tell apart; those of the second
# column are lighter, for a dark ground. No two markers share a shape either.
COLOURS = (
    ("#0072b2", "#56b4e9"),  # blue: ours
    ("#3a9bd4", "#a6dcff"),  # lighter blue: other ways of ours
    ("#d55e00", "#ff8a3d"),  # vermilion
    ("#009e73", "#2fd3a5"),  # green
    ("#b8860b", "#f0c442"),  # ochre
    ("#a6478a", "#e29ccb"),  # purple
    ("#6b6b6b", "#b9b9b9"),  # grey
    ("#7a4a21", "#c9986b"),  # brown
)
PAPER, INK, FAINT, ROOF = (
    ("#ffffff", "#0d1117"),
    ("#24292f", "#d7dde4"),
    ("#d9dee4", "#2b323b"),
    ("#4b535d", "#aab4bf"),
)


def style() -> str:
    """Classes in both schemes; the viewer's decides."""

    def rules(scheme: int) -> str:
        lines = [
            f".paper{{fill:{PAPER[scheme]}}}",
            f".ink{{fill:{INK[scheme]}}}",
            f".soft{{fill:{ROOF[scheme]}}}",
            f".faint{{stroke:{FAINT[scheme]}}}",
            f".roof{{stroke:{ROOF[scheme]}}}",
        ]
        lines += [f".k{i}{{fill:{c[scheme]};stroke:{c[scheme]}}}" for i, c in enumerate(COLOURS)]
        lines += [
            f".h{i}{{fill:{PAPER[scheme]};stroke:{c[scheme]}}}" for i, c in enumerate(COLOURS)
        ]
        return "".join(lines)

    common = 'text{font-family:"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}.line{fill:none}'
    return f"<style>{common}{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>"


def text(
    x: float,
    y: float,
    words: str,
    size: float = 12,
    anchor: str = "start",
    turn: float = 0,
    kind: str = "ink",
    bold: bool = False,
) -> str:
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
        f"{turned}{weight}>{escape(words)}</text>"
    )


def path(points: Sequence[tuple[float, float]], kind: str, width: float = 1, dash: str = "") -> str:
    along = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="line {kind}" d="M{along}" stroke-width="{width:g}"{dashed}/>'


def polygon(
    x: float, y: float, radius: float, corners: int, turn: float
) -> list[tuple[float, float]]:
    angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
    return [(x + radius * math.sin(a), y - radius * math.cos(a)) for a in angles]


# Corners (0: a circle), turn, and radius, which makes the areas look alike.
SHAPES = (
    (0, 0.0, 4.6),
    (4, 0.0, 5.0),
    (3, 0.0, 5.4),
    (4, math.pi / 4, 5.2),
    (3, math.pi, 5.4),
    (5, 0.0, 5.2),
    (6, 0.0, 4.8),
    (3, math.pi / 2, 5.4),
)


def marker(x: float, y: float, shape: int, colour: int, title: str = "") -> str:
    """The first shape is filled, so that it leads."""
    corners, turn, radius = SHAPES[shape % len(SHAPES)]
    kind = f"{'h' if shape else 'k'}{colour % len(COLOURS)}"
    tip = f"<title>{escape(title)}</title>" if title else ""
    if corners == 0:
        return (
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}" '
            f'stroke-width="1.8">{tip}</circle>'
        )
    around = " ".join(f"{px:.1f},{py:.1f}" for px, py in polygon(x, y, radius, corners, turn))
    return f'<polygon class="{kind}" points="{around}" stroke-width="1.8">{tip}</polygon>'


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as can be to the ascending `wanted` ones, `gap` apart, within [low, high].

    Least squares: neighbours that are too close become a block, which stands at the mean of what its
    members want. Cost: linear.
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(1, len(wanted) - 1))
    blocks: list[tuple[float, int]] = []  # the sum of (wanted - offset), members
    for index, place in enumerate(wanted):
        total, count = place - index * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            before, members = blocks.pop()
            total, count = total + before, count + members
        blocks.append((total, count))
    places = [total / count for total, count in blocks for _ in range(count)]
    room = high - low - gap * (len(wanted) - 1)
    return [low + min(max(p - low, 0), room) + i * gap for i, p in enumerate(places)]
