# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution by transforms, side by side with scipy.signal in double precision and with np.convolve."""

from __future__ import annotations

import itertools

import mathwright as mw
import numpy as np
import pytest
from bounds import widened
from conftest import DEVICE, random_array
from layouts import memory_for, strided
from mathwright.fft import _convolve, fftconvolve, oaconvolve

signal = pytest.importorskip("scipy.signal")

FUNCTIONS = {"fftconvolve": fftconvolve, "oaconvolve": oaconvolve}
MODES = ["full", "same", "valid"]
EXECUTION = {"execution": "cuda"} if DEVICE == "cuda" else {}


@pytest.fixture
def small_blocks(monkeypatch):
    """So that overlap-add has several blocks of little arrays."""
    monkeypatch.setattr(_convolve, "_LEAST_BLOCK", 8)
    monkeypatch.setattr(_convolve, "_CACHED_BLOCK", 8)
    monkeypatch.setattr(_convolve, "_LEAST", 2)


def check(name, a, b, *args, **named):
    seen = FUNCTIONS[name](a, b, *args, **named, **EXECUTION)
    wanted = signal.fftconvolve(widened(a), widened(b), *args, **named)
    assert seen.dtype == signal.fftconvolve(a, b, *args, **named).dtype
    assert seen.shape == wanted.shape
    size = np.abs(widened(a)).max() * np.abs(widened(b)).sum()
    # Each operand is transformed in its own precision.
    epsilon = max(np.finfo(x.dtype).eps for x in (a, b, seen) if x.dtype.kind in "fc")
    assert np.abs(seen - wanted).max() <= 30 * epsilon * size
    return seen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_axis(name, mode, rng, small_blocks):
    for n, m in itertools.product((1, 2, 3, 7, 16, 17, 64, 100, 333), (1, 2, 3, 5, 16, 40)):
        a, b = random_array(rng, (n,), "float64"), random_array(rng, (m,), "float64")
        check(name, a, b, mode)
        check(name, b, a, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_several_axes(name, mode, rng, small_blocks):
    for s1, s2, axes in (
        ((20, 30), (3, 4), None),
        ((20, 30), (3, 4), (1, 0)),
        ((3, 4), (20, 30), None),
        ((5, 100), (5, 6), 1),
        ((5, 100), (1, 6), 1),
        ((1, 100), (5, 6), 1),
        ((1, 100), (5, 6), -1),
        ((100, 5), (7, 5), (0,)),
        ((100, 1, 4), (7, 3, 1), 0),
        ((4, 50, 6), (2, 3, 2), None),
        ((4, 50, 6), (4, 3, 2), (1, 2)),
        ((60, 2, 50), (3, 2, 20), (0, 2)),
        ((1, 40), (1, 3), None),
    ):
        a, b = random_array(rng, s1, "float64"), random_array(rng, s2, "float64")
        if mode == "same" and 1 in s1:
            continue  # the shape of in1, which SciPy broadcasts and then crops
        check(name, a, b, mode, axes=axes)


def test_same_is_the_shape_of_in1(rng):
    a, b = random_array(rng, (1, 40), "float64"), random_array(rng, (3, 5), "float64")
    for name in FUNCTIONS:
        check(name, a, b, "same", axes=1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dtypes(name, rng, small_blocks):
    values = (10 * rng.standard_normal(64)).round()
    few = (10 * rng.standard_normal(5)).round()
    dtypes = ["bool", "int8", "int16", "int64", "float32", "float64", "complex64", "complex128"]
    for one, other in itertools.product(dtypes, dtypes):
        check(name, values.astype(one), few.astype(other))
    seen = FUNCTIONS[name](values.astype("float16"), few.astype("float16"), **EXECUTION)
    assert seen.dtype == np.float32
    assert np.allclose(seen, np.convolve(values, few), atol=1e-2)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts(name, rng, small_blocks):
    for strides in ((1, 60), (-40, 1), (40, -1), (100, 2), (0, 1), (1, 0)):
        a = strided(memory_for(rng, (60, 40), strides, "float64"), (60, 40), strides)
        b = strided(memory_for(rng, (4, 3), (-3, 1), "float64"), (4, 3), (-3, 1))
        for axes in (None, 0, 1):
            check(name, a, b if axes is None else (b[:, :1] if axes == 0 else b[:1]), axes=axes)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_long_and_workers(name, rng):
    a, b = random_array(rng, (30000,), "float32"), random_array(rng, (200,), "float32")
    wanted = np.convolve(widened(a), widened(b))
    for workers in (None, 1, 2):
        seen = FUNCTIONS[name](a, b, workers=workers)
        assert np.abs(seen - wanted).max() < 1e-4
    assert (
        np.abs(
            FUNCTIONS[name](b, a, "same") - signal.fftconvolve(widened(b), widened(a), "same")
        ).max()
        < 1e-4
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_and_numbers(name):
    function = FUNCTIONS[name]
    assert function(2.0, 3.0) == 6
    assert function(np.ones(0), np.ones(3)).shape == (0,)
    assert function(np.ones((0, 2)), np.ones((3, 2))).shape == (0,)
    assert np.array_equal(function([2.0], [3.0, 4.0]), [6.0, 8.0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors(name):
    for args in (
        (np.ones(3), np.ones((2, 2))),
        (np.ones((2, 5)), np.ones((3, 2)), "full", 1),
        (np.ones((2, 5)), np.ones((3, 2)), "valid"),
        (np.ones(3), np.ones(2), "all"),
        (np.ones((2, 3)), np.ones((2, 2)), "full", ()),
        (np.ones((2, 3)), np.ones((2, 2)), "full", (0, 0)),
        (np.ones((2, 3)), np.ones((2, 2)), "full", 2),
    ):
        for function in (FUNCTIONS[name], getattr(signal, name)):
            with pytest.raises(ValueError):
                function(*args)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_package(name, xp, rng, small_blocks):
    a, b = random_array(rng, (4, 50), "float32"), random_array(rng, (4, 6), "float32")
    seen = FUNCTIONS[name](xp.asarray(a), xp.asarray(b), axes=1, **xp.execution)
    assert isinstance(seen, xp.array_type)
    wanted = signal.fftconvolve(widened(a), widened(b), axes=1)
    assert np.abs(xp.to_numpy(seen) - wanted).max() < 1e-4


def test_blocks_are_used(monkeypatch, rng):
    counted = []
    known = _convolve.transform
    monkeypatch.setattr(
        _convolve, "transform", lambda *args: counted.append(args[1].shape) or known(*args)
    )
    oaconvolve(np.ones(100000, "float32"), np.ones(100, "float32"), **EXECUTION)
    assert any(len(shape) == 2 and shape[0] > 1 for shape in counted)
    counted.clear()
    oaconvolve(np.ones(1000, "float32"), np.ones(900, "float32"), **EXECUTION)
    assert counted and all(len(shape) == 1 for shape in counted)
    assert mw.fft.oaconvolve is oaconvolve
