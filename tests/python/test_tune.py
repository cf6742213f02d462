# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Autotuning, its file, and `mathwright tune`."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading

import mathwright as mw
import numpy as np
import pytest
from mathwright import _cases, tune


@pytest.fixture(autouse=True)
def own_file(tmp_path, monkeypatch):
    monkeypatch.setenv("MATHWRIGHT_TUNING", str(tmp_path / "tuning.json"))
    tune.clear()
    yield tmp_path / "tuning.json"
    tune.clear()


def random(*shape, dtype=np.float32):
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


def test_autotune_keeps_results_right(xp):
    a, b = random(300, 40), random(40, 60)
    with mw.linalg.Matmul(xp.asarray(a), xp.asarray(b), **xp.execution) as product:
        product.plan()
        report = product.autotune(seconds=0.1)
        assert report["timed"] <= report["alternatives"]
        # Never slower than before, by the measurement itself.
        assert report["after"] <= report["before"]
        np.testing.assert_allclose(xp.to_numpy(product.execute()), a @ b, rtol=1e-4, atol=1e-4)
        if report["timed"] > 1:
            assert "measured" in product.explain()


def test_autotune_leaves_operands_and_results_alone(xp):
    a, b, c = random(64, 64), random(64, 64), random(64, 64)
    given = [xp.asarray(array.copy()) for array in (a, b, c)]
    options = {"inplace": True}
    with mw.linalg.Matmul(*given, beta=2.0, options=options, **xp.execution) as product:
        product.plan()
        product.autotune(iterations=3)
        for array, held in zip((a, b, c), given, strict=True):
            np.testing.assert_array_equal(xp.to_numpy(held), array)
        product.execute()
    np.testing.assert_allclose(xp.to_numpy(given[2]), a @ b + 2 * c, rtol=1e-4, atol=1e-4)


def test_fft_in_place(xp):
    x = random(32, 32) + 1j * random(32, 32)
    operand = xp.asarray(x.copy())
    with mw.fft.FFT(operand, options={"inplace": True}, **xp.execution) as transform:
        transform.plan()
        transform.autotune(seconds=0.05)
        np.testing.assert_array_equal(xp.to_numpy(operand), x)
        transform.execute()
    np.testing.assert_allclose(xp.to_numpy(operand), np.fft.fft2(x), rtol=1e-3, atol=1e-3)


def test_explicit_batches_are_tuned_one_by_one():
    a, b = [random(8, 8), random(9, 9)], [random(8, 4), random(9, 5)]
    with mw.linalg.Matmul(a, b) as products:
        products.plan()
        reports = products.autotune(seconds=0.02)
        assert len(reports) == 2
        for d, x, y in zip(products.execute(), a, b, strict=True):
            np.testing.assert_allclose(d, x @ y, rtol=1e-4, atol=1e-4)


def test_states_and_arguments():
    product = mw.linalg.Matmul(random(4, 4), random(4, 4))
    with pytest.raises(mw.errors.InvalidStateError, match="plan"):
        product.autotune()
    product.plan()
    with pytest.raises(mw.errors.InvalidArgumentError, match="iterations"):
        product.autotune(iterations=-1)
    with pytest.raises(mw.errors.InvalidArgumentError, match="seconds"):
        product.autotune(seconds=-1.0)
    product.free()
    with pytest.raises(mw.errors.InvalidStateError):
        product.autotune()


def test_empty_product():
    with mw.linalg.Matmul(random(0, 4), random(4, 4)) as product:
        product.plan()
        assert product.autotune()["timed"] == 0


def test_the_winner_is_remembered(own_file):
    a, b = random(200, 200), random(200, 200)
    with mw.linalg.Matmul(a, b) as product:
        product.plan()
        report = product.autotune(iterations=5)
    if report["timed"] < 2:
        pytest.skip("one implementation here")
    assert tune.path() == str(own_file)
    (record,) = tune.records()
    assert record["operation"] == "matmul"
    assert record["candidate"] == report["candidate"]
    assert record["seconds"] == pytest.approx(report["after"])
    assert json.loads(own_file.read_text())["version"] == 1
    # Another process plans by it.
    script = (
        "import numpy as np, mathwright as mw\n"
        "a = np.ones((200, 200), np.float32)\n"
        "m = mw.linalg.Matmul(a, a); m.plan(); print(m.explain())"
    )
    environment = os.environ | {"MATHWRIGHT_PLAN_LOG": str(own_file.parent / "log.txt")}
    said = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "tuned: measured fastest earlier" in said
    logged = (own_file.parent / "log.txt").read_text()
    assert logged == "float32 a=200x200 b=200x200\n"


def test_export_merge_clear(tmp_path, own_file):
    with mw.linalg.Matmul(random(100, 100), random(100, 100)) as product:
        product.plan()
        product.autotune(seconds=0.1)
    before = tune.records()
    tune.export(tmp_path / "shipped.json")
    tune.clear()
    assert tune.records() == []
    assert not own_file.exists()
    assert tune.merge(tmp_path / "shipped.json") == len(before)
    assert tune.records() == before
    (tmp_path / "bad.json").write_text("[1, 2")
    with pytest.raises(mw.errors.InvalidArgumentError, match=r"bad\.json"):
        tune.merge(tmp_path / "bad.json")
    with pytest.raises(mw.errors.NotFoundError):
        tune.merge(tmp_path / "absent.json")


def test_selection_by_hand():
    with mw.linalg.Matmul(random(50, 50), random(50, 50)) as product:
        product.plan()
        rows = product._algorithms()
        assert sum(row["chosen"] for row in rows) == 1
        for place in range(len(rows)):
            product._select(place)
            assert product._algorithms()[0]["chosen"]
            assert product.execute().shape == (50, 50)
        last = product._algorithms()[-1]
        product._select_named(last["candidate"], last["variant"])
        with pytest.raises(mw.errors.InvalidArgumentError):
            product._select(len(rows))
        with pytest.raises(mw.errors.UnsupportedError):
            product._select_named("nobody", "")


def test_other_threads_run_meanwhile():
    count, stop = 0, threading.Event()

    def work():
        nonlocal count
        while not stop.is_set():
            count += 1

    with mw.linalg.Matmul(random(400, 400), random(400, 400)) as product:
        product.plan()
        thread = threading.Thread(target=work)
        thread.start()
        before = count
        product.autotune(seconds=0.2)
        seen = count - before
        stop.set()
        thread.join()
    assert seen > 100


def test_the_log_tells_what_was_tried(caplog):
    caplog.set_level(logging.INFO, logger="mathwright")
    with mw.linalg.Matmul(random(60, 60), random(60, 60)) as product:
        product.plan()
        product.autotune(seconds=0.05)
    assert any("tuned" in message or "nothing to tune" in message for message in caplog.messages)


# ---- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "float32 a=30x4 b=4x5",
        "float64 a=2x3x4 b=4x5 beta=0.5 in_place d_strides=padded",
        "float64 a=5 b=5x3 beta=1",
        "complex64 a=6x7 b=7x8 a_strides=F b_strides=reversed conj_a alpha=1.5,-2",
        "float32 a=6x7 b=7x8 a_strides=20,-2 d_strides=1,6 shift=4,0,0,8",
        "float32 a=3x2x4 b=3x4x6 b_strides=0,6,1",
        "float32 a=0x4 b=4x3",
        "c2c complex64 shape=8x6 axes=1 dir=inverse",
        "r2c float32 shape=8x6 order=1,0",
        "c2r complex128 shape=5x4 axes=0,1 parity=odd",
        "c2c complex128 shape=4x4 strides=-8,1 inplace",
        "float32 a=30x4 b=4x5 threads=1",
    ],
)
def test_lines_make_problems(line, tmp_path, monkeypatch):
    monkeypatch.setenv("MATHWRIGHT_PLAN_LOG", str(tmp_path / "log.txt"))
    mw.plan_cache.clear()
    with _cases.make_problem(_cases.Line(line)) as problem:
        problem.plan()
        problem.execute()
    # What the log says of it is the same problem.
    (logged,) = (tmp_path / "log.txt").read_text().splitlines()
    with _cases.make_problem(_cases.Line(logged)) as again:
        again.plan()
    assert len((tmp_path / "log.txt").read_text().splitlines()) == 1, logged


@pytest.mark.parametrize(
    "line",
    [
        "float32",
        "float32 a=2x2",
        "float32 a=2x2 b=2x2 colour=3",
        "float32 a=2x2 b=2x2 fast",
        "float32 a=2x2 a=2x2 b=2x2",
        "float32 a=2xy b=2x2",
        "float99 a=2x2 b=2x2",
        "float32 a=2x2 b=3x2",
        "float32 a=2x2 b=2x2 a_strides=1",
        "c2c complex64",
        "c2c",
        "float32 a=-2x2 b=2x2",
    ],
)
def test_wrong_lines_are_told(line):
    with pytest.raises((mw.errors.MathwrightError, ValueError)):
        _cases.make_problem(_cases.Line(line)).plan()


# ---- the command -----------------------------------------------------------------------------------


def command(*arguments, stdin=""):
    return subprocess.run(
        [sys.executable, "-m", "mathwright.cli", "tune", *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        timeout=300,
        check=False,
    )


def test_command(tmp_path, own_file):
    problems = tmp_path / "problems.txt"
    problems.write_text("# a comment\nfloat32 a=100x40 b=40x60\n\nc2c complex64 shape=64x64\n" * 2)
    dry = command("--dry-run", str(problems))
    assert dry.returncode == 0, dry.stderr
    assert "alternatives" in dry.stdout
    assert not own_file.exists()
    done = command("--seconds", "0.1", str(problems))
    assert done.returncode == 0, done.stderr
    assert "2 of 2 problems" in done.stdout  # each once
    assert "\x1b" not in done.stdout + done.stderr  # no bar where there is no terminal
    assert own_file.exists()


def test_command_reports_failures():
    done = command("-", "--seconds", "0.05", stdin="float32 a=2x2 b=2x2\nfloat32 a=2x2 b=3x3\n")
    assert done.returncode == 1
    assert "FAILED" in done.stdout
    assert "1 of 2 problems" in done.stdout
    assert command("-", stdin="# nothing\n").returncode == 1
    assert command("/no/such/file").returncode == 1
    assert command().returncode == 2
    assert command("--seconds", "-1", "-").returncode == 2
