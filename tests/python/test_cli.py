# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The command `mathwright`, run as users run it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mathwright.cli", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
        check=False,
    )


def needs(*modules: str) -> pytest.MarkDecorator:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def test_info_names_what_was_found_and_what_would_run():
    done = run("info")

    assert done.returncode == 0, done.stderr
    for section in ("host", "devices", "libraries found", "libraries not found", "what would run"):
        assert f"\n{section}" in done.stdout
    assert "matmul 8×8×8 float32 on cpu" in done.stdout
    assert "numpy " in done.stdout


def test_info_as_json_tells_the_same_to_programs():
    done = run("info", "--json")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["host"]["threads"] >= 1
    assert all(row["looked"] for row in report["libraries"] if not row["found"])
    assert all(row["path"] for row in report["libraries"] if row["found"])
    on_cpu = [row for row in report["operations"] if row["device"] == "cpu"]
    assert {row["problem"].split()[0] for row in on_cpu} == {"matmul", "fft"}
    for row in on_cpu:
        accepted = {c["name"] for c in row["candidates"] if c["accepted"]}
        assert row["chosen"] in accepted
    assert report["python"]["packages"]["numpy"]


def test_a_text_with_quotes_survives_json():
    wanted = 'a "quoted" \\ path\twith a tab'

    done = run("info", "--json", "--env", MATHWRIGHT_FFT_LIBRARY=wanted)

    values = {row["name"]: row["value"] for row in json.loads(done.stdout)}
    assert values["MATHWRIGHT_FFT_LIBRARY"] == wanted


def test_info_env_shows_values_and_defaults():
    done = run("info", "--env", MATHWRIGHT_NUM_THREADS="1")

    assert done.returncode == 0, done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line[0] != " ")
    assert lines["MATHWRIGHT_NUM_THREADS"] == "1"
    assert lines["MATHWRIGHT_PLAN_CACHE_COUNT"] == "(unset; 256)"


def test_threads_are_explained_by_the_variable_that_decided():
    done = run("info", "--json", MATHWRIGHT_NUM_THREADS="1")

    host = json.loads(done.stdout)["host"]
    assert host["threads"] == 1
    assert "by MATHWRIGHT_NUM_THREADS" in host["threads_reason"]


def test_a_malformed_variable_fails_with_its_name():
    done = run("info", MATHWRIGHT_NUM_THREADS="many")

    assert done.returncode == 1
    assert "MATHWRIGHT_NUM_THREADS" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("info", "--nonsense")])
def test_a_wrong_command_line_exits_with_2(arguments):
    done = run(*arguments)

    assert done.returncode == 2
    assert "usage:" in done.stderr


def test_the_version_is_the_package_s():
    import mathwright

    done = run("--version")

    assert done.returncode == 0
    assert done.stdout.split() == ["mathwright", mathwright.__version__]


def test_bench_lists_unique_cases():
    done = run("bench", "--list")

    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert len(names) == len(set(names)) > 40


def test_bench_fails_for_a_case_that_is_not_there():
    done = run("bench", "no-such-case")

    assert done.returncode == 1
    assert "no-such-case" in done.stderr


def test_bench_json_holds_figures_of_every_contestant():
    done = run("bench", "--quick", "--json", "overhead/matmul")

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["machine"]["processor"]
    (case,) = report["results"]
    assert not case["failures"]
    names = [row["name"] for row in case["contestants"]]
    assert {"Matmul.execute, out=", "mathwright matmul", "np.matmul(out=)"} <= set(names)
    for row in case["contestants"]:
        assert 0 < row["min"] <= row["median"]


def test_bench_markdown_has_the_machine_and_tables():
    done = run("bench", "--quick", "--markdown", "overhead/fft", "fft/2^6-complex64")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "- processor: " in done.stdout
    assert "| numpy.fft.fft |" in done.stdout
    assert "| mathwright native |" in done.stdout


@needs("matplotlib", "sklearn")
def test_demo_writes_pictures_and_checks_itself(tmp_path):
    folder = tmp_path / "pictures"

    done = run("demo", "--out", str(folder))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("largest error against float64") == 2
    pictures = sorted(path.name for path in folder.iterdir())
    assert pictures == [
        "photograph_after.png",
        "photograph_before.png",
        "terrain_after.png",
        "terrain_before.png",
        "terrain_spectrum.png",
    ]
    for path in folder.iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")
        assert str(path) in done.stdout
