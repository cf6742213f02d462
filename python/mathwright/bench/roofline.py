# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""``mathwright bench --picture FILE.svg``: the measured cases under the roof of their machine.

The picture is made from the report that ``--json`` prints, so that one measured elsewhere, on a GPU for
instance, can be drawn here: ``mathwright bench --from report.json --picture FILE.svg``.

Across: arithmetic intensity, flops of a case over the bytes that it must move. Upwards: flops over the
median time. Both logarithmic. The roof is min(bandwidth · intensity, peak). Cases of nearly equal
intensity are drawn side by side; the stem of each ends where the roof is for its true intensity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mathwright.bench.measure import is_floor, is_ours
from mathwright.bench.svg import marker, path, spread, style, text

WIDTH, MARGIN_LEFT, MARGIN_RIGHT = 980.0, 74.0, 24.0
HEIGHT, FOOT, HEAD = 380.0, 62.0, 48.0
COLUMN_GAP = 13.0
LABEL_SIZE, LABEL_GAP, LABEL_TURN = 11.5, 19.0, -42.0
LEGEND_SIZE, LEGEND_ROW = 12.5, 21.0
GLYPH = 0.57  # mean width of a character of these fonts over its size

Report = dict[str, Any]


def picture_of(report: Report) -> str:
    """The SVG. Errors: ValueError where no case of the report tells its flops and bytes."""
    panels = [
        (roof, cases) for roof in report.get("roofs", []) if (cases := cases_under(roof, report))
    ]
    if not panels:
        raise ValueError(
            "none of the cases tells its flops and bytes, so there is nothing to draw; "
            "gemm, fused, fuse, fft and gpu-time do"
        )
    names = contestants_of(case for _, cases in panels for case in cases)
    legend, below = legend_of(names)
    parts, top = [legend], below
    for roof, cases in panels:
        parts.append(Panel(roof, cases, names, top, report["machine"]).drawn())
        top += HEAD + rail_of(cases) + HEIGHT + FOOT
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {top:g}" '
        f'width="{WIDTH:g}" height="{top:g}" role="img" aria-label="Roofline of measured cases">'
    )
    ground = f'<rect class="paper" width="{WIDTH:g}" height="{top:g}"/>'
    return "\n".join([opening, style(), ground, *parts, "</svg>\n"])


def cases_under(roof: dict[str, Any], report: Report) -> list[dict[str, Any]]:
    """Those that ran where the roof was measured, by ascending intensity."""
    found = [
        case
        for case in report["results"]
        if case.get("flops")
        and case.get("bytes")
        and case["contestants"]
        and case["place"] == roof["place"]
        and (roof["place"] == "device" or case["threads"] == roof["threads"])
    ]
    return sorted(found, key=intensity)


def longest_label(cases: list[dict[str, Any]]) -> float:
    return max(len(case["title"]) for case in cases) * GLYPH * LABEL_SIZE


def rail_of(cases: list[dict[str, Any]]) -> float:
    """Room above a panel for the names of its cases."""
    return 24 + longest_label(cases) * math.sin(math.radians(-LABEL_TURN))


def intensity(case: dict[str, Any]) -> float:
    return float(case["flops"] / case["bytes"])


def contestants_of(cases: Any) -> list[str]:
    """Ours first, then the others as they come, then the floor."""
    seen = dict.fromkeys(one["name"] for case in cases for one in case["contestants"])
    return sorted(seen, key=lambda name: (is_floor(name), not is_ours(name)))


def looks_of(names: list[str]) -> dict[str, tuple[int, int]]:
    """Shape and colour of a contestant: a shape for each, blues for ours."""
    looks: dict[str, tuple[int, int]] = {}
    rivals = 2
    for shape, name in enumerate(n for n in names if not is_floor(n)):
        if is_ours(name):
            looks[name] = shape, min(shape, 1)
        else:
            looks[name], rivals = (shape, rivals), rivals + 1
    return looks


def legend_of(names: list[str]) -> tuple[str, float]:
    """The markers and what they mean, in as many rows as it takes; and where it ends."""
    looks = looks_of(names)
    x, y, parts = MARGIN_LEFT, 26.0, []
    for name in names:
        words = f"{name} (floor at this size)" if is_floor(name) else name
        wide = 42 + GLYPH * LEGEND_SIZE * len(words) * (1.08 if is_ours(name) else 1)
        if x + wide > WIDTH - MARGIN_RIGHT and x > MARGIN_LEFT:
            x, y = MARGIN_LEFT, y + LEGEND_ROW
        parts.append(floor_mark(x, y - 4) if is_floor(name) else marker(x, y - 4, *looks[name]))
        parts.append(text(x + 14, y, words, LEGEND_SIZE, bold=is_ours(name)))
        x += wide
    return "\n".join(parts), y + 8


def floor_mark(x: float, y: float) -> str:
    return path([(x - 6, y), (x + 6, y)], "roof", 2.6)


def si(value: float, unit: str) -> str:
    """Three digits with a prefix."""
    for prefix, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


@dataclass
class Axis:
    """A logarithmic scale from values to places on paper."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """1, 2, 5 of each decade; only the decades of a long axis."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps = (1, 2, 5) if self.high / self.low < 2000 else (1,)
        marks = [step * 10.0**d for d in decades for step in steps]
        return [mark for mark in marks if self.low <= mark <= self.high]


class Panel:
    """One roof with its cases."""

    def __init__(
        self,
        roof: dict[str, Any],
        cases: list[dict[str, Any]],
        names: list[str],
        top: float,
        machine: dict[str, Any],
    ) -> None:
        self.roof, self.cases, self.machine = roof, cases, machine
        self.looks = looks_of(names)
        self.bandwidth, self.peaks = roof["bandwidth"], roof["peaks"]
        self.peak = max(self.peaks.values())
        self.top = top
        self.ceiling = top + HEAD + rail_of(cases)
        self.floor = self.ceiling + HEIGHT
        intensities = [intensity(case) for case in cases]
        ridge = self.peak / self.bandwidth
        rates = [self.rate(case, one) for case in cases for one in case["contestants"]]
        self.x = Axis(
            min(*intensities, ridge) / 1.6,
            max(*intensities, ridge) * 2.2,
            MARGIN_LEFT,
            WIDTH - MARGIN_RIGHT,
        )
        least = min(*rates, self.reach(min(intensities)))
        self.y = Axis(least / 1.5, max(*rates, self.peak) * 1.5, self.floor, self.ceiling)

    @staticmethod
    def rate(case: dict[str, Any], contestant: dict[str, Any]) -> float:
        return float(case["flops"] / contestant["median"])

    def reach(self, at: float, precision: str | None = None) -> float:
        """The roof at an intensity."""
        peak = self.peaks[precision] if precision else self.peak
        return float(min(self.bandwidth * at, peak))

    def drawn(self) -> str:
        return "\n".join([self.title(), *self.grid(), *self.roofs(), *self.columns()])

    def title(self) -> str:
        if self.roof["place"] == "device":
            where = ", ".join(self.machine["devices"])
        else:
            many = self.roof["threads"]
            where = f"{self.machine['processor']}, {many} thread{'s' if many > 1 else ''}"
        return text(MARGIN_LEFT, self.top + 32, where, 16, bold=True)

    def grid(self) -> list[str]:
        parts = []
        for mark in self.x.ticks():
            x = self.x(mark)
            parts.append(path([(x, self.floor), (x, self.ceiling)], "faint", 0.8))
            parts.append(text(x, self.floor + 18, f"{mark:g}", 12, "middle"))
        for mark in self.y.ticks():
            y = self.y(mark)
            parts.append(path([(self.x.start, y), (self.x.end, y)], "faint", 0.8))
            parts.append(text(self.x.start - 8, y + 4, si(mark, ""), 12, "end"))
        middle = (self.x.start + self.x.end) / 2
        parts.append(
            text(
                middle,
                self.floor + 40,
                "arithmetic intensity, flop/byte",
                13,
                "middle",
                kind="soft",
            )
        )
        height = (self.floor + self.ceiling) / 2
        parts.append(text(16, height, "flop/s", 13, "middle", -90, kind="soft"))
        return parts

    def roofs(self) -> list[str]:
        """The slope of the bandwidth and a ceiling for each precision."""
        ridge = self.peak / self.bandwidth
        low = max(self.x.low, self.y.low / self.bandwidth)
        corners = [(low, self.bandwidth * low), (ridge, self.peak), (self.x.high, self.peak)]
        parts = [path([(self.x(x), self.y(y)) for x, y in corners], "roof", 2.4)]
        for name, peak in self.peaks.items():
            y = self.y(peak)
            if peak < self.peak:
                begin = self.x(peak / self.bandwidth)
                parts.append(path([(begin, y), (self.x.end, y)], "roof", 1.6, "6 4"))
            words = f"{name} peak {si(peak, 'flop/s')}"
            parts.append(text(self.x.end - 4, y - 7, words, 12, "end", kind="soft"))
        rise = self.y(self.bandwidth) - self.y(self.bandwidth * math.e)
        run = self.x(math.e) - self.x(1)
        turn = -math.degrees(math.atan2(rise, run))
        along = math.exp(0.38 * math.log(low) + 0.62 * math.log(ridge))
        words = f"copy {si(self.bandwidth, 'B/s')}"
        x, y = self.x(along), self.y(self.bandwidth * along)
        back = math.radians(turn)
        parts.append(
            text(x + 9 * math.sin(back), y - 9 * math.cos(back), words, 12, "middle", turn, "soft")
        )
        return parts

    def columns(self) -> list[str]:
        """A stem for each case with its contestants on it, and its name above."""
        true = [self.x(intensity(case)) for case in self.cases]
        places = spread(true, COLUMN_GAP, self.x.start + 8, self.x.end - 8)
        across = longest_label(self.cases) * math.cos(math.radians(LABEL_TURN))
        rightmost = min(self.x.end - 8, WIDTH - 4 - across)
        labels = spread(places, LABEL_GAP, self.x.start + 8, rightmost)
        parts, points = [], []
        for case, x, label in zip(self.cases, places, labels, strict=True):
            highest = min(
                [self.y(self.rate(case, one)) for one in case["contestants"]]
                + [self.y(self.reach(intensity(case), case["precision"]))]
            )
            rail = self.ceiling - 12
            parts.append(path([(label, rail), (x, self.ceiling + 8), (x, highest)], "faint", 1.1))
            parts.append(self.stem(case, x))
            parts.append(text(label + 3, rail - 4, case["title"], LABEL_SIZE, turn=LABEL_TURN))
            for one in reversed(case["contestants"]):
                points.append(self.point(case, one, x))
        return parts + points

    def stem(self, case: dict[str, Any], x: float) -> str:
        roof = self.y(self.reach(intensity(case), case["precision"]))
        lowest = max(self.y(self.rate(case, one)) for one in case["contestants"])
        return path([(x, roof), (x, max(lowest, roof))], "roof", 0.9) + path(
            [(x - 4, roof), (x + 4, roof)], "roof", 1.2
        )

    def point(self, case: dict[str, Any], one: dict[str, Any], x: float) -> str:
        rate = self.rate(case, one)
        y = self.y(rate)
        if is_floor(one["name"]):
            return floor_mark(x, y)
        tip = f"{case['title']}, {one['name']}: {si(rate, 'flop/s')}"
        return marker(x, y, *self.looks[one["name"]], tip)
