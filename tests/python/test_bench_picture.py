# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Rooflines: what stands where, and that they say what they cannot draw."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest
from mathwright.bench import selected
from mathwright.bench.measure import Case
from mathwright.bench.roofline import Axis, picture_of
from mathwright.bench.svg import spread

SVG = "{http://www.w3.org/2000/svg}"


def case(title: str, flops: float, moved: float, seconds: dict[str, float], **more: Any) -> Any:
    contestants = [{"name": name, "median": s, "min": s} for name, s in seconds.items()]
    facts = {"case": f"fuse/{title}", "title": title, "threads": 1, "place": "host"}
    return (
        facts
        | {"flops": flops, "bytes": moved, "precision": "float32", "contestants": contestants}
        | more
    )


def report(*cases: Any, **more: Any) -> dict[str, Any]:
    roof = {"place": "host", "threads": 1, "bandwidth": 2e10, "peaks": {"float32": 1e11}}
    machine = {"processor": "a processor", "devices": ["a device"]}
    return {"machine": machine, "roofs": [roof], "results": list(cases)} | more


def drawn(facts: dict[str, Any]) -> ET.Element:
    return ET.fromstring(picture_of(facts))


def words(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def markers(root: ET.Element) -> dict[str, tuple[float, float]]:
    """Where the points with a tip are, by what the tip begins with."""
    found = {}
    for element in root.iter():
        tip = element.find(f"{SVG}title")
        if tip is None:
            continue
        if element.tag == f"{SVG}circle":
            place = float(element.attrib["cx"]), float(element.attrib["cy"])
        else:
            corners = [p.split(",") for p in element.attrib["points"].split()]
            place = tuple(sum(float(c[i]) for c in corners) / len(corners) for i in (0, 1))
        found[(tip.text or "").rpartition(":")[0]] = place
    return found


def test_points_stand_at_intensity_and_rate():
    root = drawn(
        report(
            case("light", 1e9, 1e10, {"mathwright": 0.5, "NumPy": 5.0}),
            case("heavy", 1e12, 1e9, {"mathwright": 10.0, "NumPy": 100.0}),
        )
    )
    at = markers(root)

    assert at["light, mathwright"][0] == pytest.approx(at["light, NumPy"][0], abs=0.1)
    assert at["light, NumPy"][0] < at["heavy, NumPy"][0]
    # Ten times the rate is the same step upwards everywhere.
    step = [at[f"{name}, NumPy"][1] - at[f"{name}, mathwright"][1] for name in ("light", "heavy")]
    assert step[0] == pytest.approx(step[1], abs=0.3) and step[0] > 0
    # light reaches the bandwidth, 2e9 flop/s at 0.1 flop/byte; heavy the peak: both are on the roof.
    roofs = [
        e.attrib["d"]
        for e in root.iter(f"{SVG}path")
        if 'stroke-width="2.4"' in ET.tostring(e).decode()
    ]
    corners = [tuple(map(float, p.split())) for p in roofs[0].removeprefix("M").split(" L")]
    (x0, y0), (x1, y1), (x2, y2) = corners
    x, y = at["light, mathwright"]
    assert y == pytest.approx(y0 + (x - x0) * (y1 - y0) / (x1 - x0), abs=0.5)
    assert at["heavy, mathwright"][1] == pytest.approx(y1, abs=0.2) and y1 == y2 and x2 > x1


def test_everything_stays_on_the_paper_whatever_the_figures():
    names = {f"rival {i}" * 3: 10.0**i for i in range(-4, 7)} | {"copy of as many bytes": 1.0}
    titles = [f"a rather long title of case <{i}> & more" for i in range(30)]
    root = drawn(report(*[case(t, 1e9, 1e9 * (1 + i // 10), names) for i, t in enumerate(titles)]))
    _, _, width, height = map(float, root.attrib["viewBox"].split())

    for x, y in markers(root).values():
        assert 0 < x < width and 0 < y < height
    for element in root.iter(f"{SVG}text"):
        assert -1 < float(element.attrib["x"]) < width and 0 < float(element.attrib["y"]) < height
    assert set(titles) <= set(words(root))
    assert len({round(place[0]) for place in markers(root).values()}) == 30  # none hides another


def test_a_device_and_each_number_of_threads_have_their_own_roof():
    roofs = [
        {"place": "host", "threads": n, "bandwidth": 1e10, "peaks": {"float32": 1e11}}
        for n in (1, 2)
    ]
    roofs.append({"place": "device", "threads": 1, "bandwidth": 4e12, "peaks": {"float64": 6e13}})
    cases = [case(f"t{n}", 1e9, 1e9, {"mathwright": 1.0}, threads=n) for n in (1, 2)]
    on_device = {"place": "device", "precision": "float64"}
    cases.append(case("gpu", 1e12, 1e9, {"mathwright": 1.0}, **on_device))

    said = words(drawn(report(*cases, roofs=roofs)))

    assert {"a processor, 1 thread", "a processor, 2 threads", "a device"} <= set(said)
    assert said.count("copy 10 GB/s") == 2 and said.count("float64 peak 60 Tflop/s") == 1


def test_both_schemes_are_in_the_file_and_shapes_differ():
    text = picture_of(
        report(case("one", 1e9, 1e9, {"mathwright": 1.0, "NumPy": 2.0, "numba": 3.0}))
    )

    assert "prefers-color-scheme:dark" in text
    assert text.count("<circle") == 2  # ours: in the legend and in the plot
    assert text.count("<polygon") == 4


def test_nothing_to_draw_says_what_there_would_be():
    with pytest.raises(ValueError, match="gemm, fused, fuse, fft and gpu-time"):
        picture_of(report(case("call cost", 0.0, 0.0, {"mathwright": 1e-6})))


@pytest.mark.parametrize("gap", [0.0, 1.0, 7.0, 100.0])
def test_spread_keeps_order_gap_and_bounds(gap):
    wanted = [0.0, 0.0, 0.5, 10.0, 10.0, 10.0, 99.0, 120.0]

    places = spread(wanted, gap, 0.0, 100.0)

    step = min(gap, 100 / 7)
    assert all(b - a >= step - 1e-9 for a, b in pairwise(places))
    assert places[0] >= 0 and places[-1] <= 100 + 1e-9
    if gap == 1.0:
        assert places[3:6] == pytest.approx([9.0, 10.0, 11.0])  # about where they would be
    assert spread([], 1.0, 0.0, 1.0) == []


def test_axis_is_logarithmic_with_round_ticks():
    axis = Axis(0.1, 1000.0, 0.0, 400.0)

    assert [axis(v) for v in (0.1, 1.0, 10.0, 1000.0)] == pytest.approx([0, 100, 200, 400])
    assert axis.ticks() == pytest.approx([0.1, 1.0, 10.0, 100.0, 1000.0])
    assert Axis(1.5, 60.0, 0, 1).ticks() == pytest.approx([2, 5, 10, 20, 50])


def test_a_group_is_meant_where_its_name_is_given():
    cases = [Case(n, n, list, "x") for n in ("fuse/axpy", "fused/8x8", "fuse/axle")]

    assert [c.name for c in selected(cases, ["fuse"])] == ["fuse/axpy", "fuse/axle"]
    assert [c.name for c in selected(cases, ["fuse/axp", "fused"])] == ["fuse/axpy", "fused/8x8"]
    assert len(selected(cases, ["f"])) == 3


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mathwright.cli", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_measured_once_drawn_again(tmp_path):
    first, again = tmp_path / "first.svg", tmp_path / "again.svg"

    done = run("--quick", "--json", "--picture", str(first), "fft/2^6-complex64-t1")

    assert done.returncode == 0, done.stderr
    (roof,) = json.loads(done.stdout)["roofs"]
    assert roof["bandwidth"] > 1e8 and roof["peaks"]["float32"] > 1e8
    assert math.isfinite(roof["bandwidth"])
    saved = tmp_path / "report.json"
    saved.write_text(done.stdout, encoding="utf-8")
    assert run("--from", str(saved), "--picture", str(again)).returncode == 0
    assert again.read_bytes() == first.read_bytes()


def test_drawing_again_wants_a_picture(tmp_path):
    done = run("--from", str(tmp_path / "report.json"))

    assert done.returncode == 1 and "--picture" in done.stderr
