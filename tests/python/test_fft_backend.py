# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""scipy.fft through our backend, the array API's fft extension, frequencies and lengths, the examples."""

from __future__ import annotations

import doctest
import importlib
import inspect
import subprocess
import sys

import mathwright as mw
import numpy as np
import pytest
from conftest import DEVICE, random_array
from mathwright.fft import array_api

scipy_fft = pytest.importorskip("scipy.fft")

MODULES = [
    "_convolve",
    "_names_1d",
    "_names_nd",
    "_real_to_real",
    "_frequencies",
    "array_api",
    "_transform",
]


@pytest.fixture
def calls(monkeypatch):
    """The names of the functions that came to us."""
    seen = []
    known = mw.scipy_backend.__ua_function__

    def watched(method, args, kwargs):
        result = known(method, args, kwargs)
        if result is not NotImplemented:
            seen.append(method.__name__)
        return result

    monkeypatch.setattr(mw.scipy_backend, "__ua_function__", watched)
    return seen


@pytest.mark.parametrize("name", mw.scipy_backend.__all__)
def test_backend(name, rng, calls):
    x = random_array(rng, (6, 8), "float64")
    function = getattr(scipy_fft, name)
    wanted = function(x)
    with scipy_fft.set_backend(mw.scipy_backend):
        seen = function(x)
    with scipy_fft.set_backend(mw.scipy_backend, only=True):
        again = function(x, norm="ortho", workers=2)
    assert calls == [name, name]
    assert np.allclose(seen, wanted) and np.allclose(again, function(x, norm="ortho"))
    assert seen.dtype == wanted.dtype


def test_backend_leaves_the_rest_to_scipy(calls):
    with scipy_fft.set_backend(mw.scipy_backend):
        assert scipy_fft.fft(np.ones(4, np.longdouble)).dtype == np.clongdouble
        with pytest.raises(ValueError, match="norm"):
            scipy_fft.fft(np.ones(4), norm="none")
        assert calls == []
        scipy_fft.fht(np.ones(4), 0.1, 0.0)  # made of transforms, which come here
        assert "fht" not in calls


def test_backend_serves_the_rest_of_scipy(rng, calls):
    signal = pytest.importorskip("scipy.signal")
    a, b = random_array(rng, (40, 30), "float64"), random_array(rng, (5, 6), "float64")
    wanted = signal.fftconvolve(a, b)
    with scipy_fft.set_backend(mw.scipy_backend):
        seen = signal.fftconvolve(a, b)
    assert np.allclose(seen, wanted)
    assert "rfftn" in calls and "irfftn" in calls


@pytest.mark.parametrize("name", mw.scipy_backend.__all__)
def test_parameters_are_scipys(name):
    """Everything that SciPy takes by position we take, with the same names and defaults."""
    theirs = inspect.signature(getattr(scipy_fft, name)).parameters
    own = inspect.signature(getattr(mw.scipy_backend, name)).parameters
    for parameter in theirs.values():
        if parameter.name == "plan":
            continue
        assert own[parameter.name].default == parameter.default, parameter.name
    listed = [name for name in theirs if name != "plan"]
    assert list(own)[: len(listed)] == listed


@pytest.mark.skipif(DEVICE != "cpu", reason="the same on a device")
@pytest.mark.parametrize("name", array_api.__all__)
def test_array_api(name, rng):
    function, wanted = getattr(array_api, name), getattr(np.fft, name)
    if name.endswith("freq"):
        for n in (1, 4, 5):
            assert np.array_equal(function(n, d=0.3), wanted(n, 0.3))
            assert function(n, dtype=np.float32).dtype == np.float32
        return
    x = random_array(rng, (5, 6), "float64" if name in ("rfft", "rfftn", "ihfft") else "complex128")
    cases = [{}, {"axes": (0,)}] if name.endswith(("n", "shift")) else [{}, {"axis": 0}, {"n": 4}]
    for named in cases:
        assert np.allclose(function(x, **named), wanted(x, **named))
    if not name.endswith("shift"):
        for norm in ("backward", "ortho", "forward"):
            assert np.allclose(function(x, norm=norm), wanted(x, norm=norm))
    with pytest.raises(TypeError):
        function(x=x)


def test_frequencies():
    for n in (1, 2, 3, 8, 9, 1000):
        for d in (1.0, 0.3, 2):
            assert np.array_equal(mw.fft.fftfreq(n, d), scipy_fft.fftfreq(n, d))
            assert np.array_equal(mw.fft.rfftfreq(n, d, xp=np), scipy_fft.rfftfreq(n, d))
    for function in (mw.fft.fftfreq, mw.fft.rfftfreq):
        with pytest.raises(ValueError):
            function(2.5)
        with pytest.raises(ZeroDivisionError):
            function(0)


def test_shifts(rng):
    for shape in ((0,), (1,), (5,), (4, 3), (2, 3, 4)):
        x = random_array(rng, shape, "float32")
        for axes in (None, *range(-len(shape), len(shape)), tuple(range(len(shape)))):
            for name in ("fftshift", "ifftshift"):
                seen = getattr(mw.fft, name)(x, axes)
                assert np.array_equal(seen, getattr(scipy_fft, name)(x, axes))
                assert not np.shares_memory(seen, x) or x.size == 0
    assert mw.fft.fftshift(3.0) == 3 and np.array_equal(mw.fft.ifftshift(x, ()), x)
    with pytest.raises(IndexError):
        mw.fft.fftshift(np.ones(3), 1)


def test_quick_lengths():
    for real in (False, True):
        for target in (*range(600), 4097, 65537, 10**6 + 3, 123456789):
            assert mw.fft.next_fast_len(target, real) == scipy_fft.next_fast_len(target, real)
    for wrong in (-1, 2.5, None):
        with pytest.raises(ValueError):
            mw.fft.next_fast_len(wrong)


@pytest.mark.skipif(DEVICE != "cpu", reason="the same on a device")
@pytest.mark.parametrize("name", ["scipy_backend", *(f"fft.{module}" for module in MODULES)])
def test_examples(name):
    seen = doctest.testmod(importlib.import_module(f"mathwright.{name}"))
    assert seen.attempted > 0 and seen.failed == 0


def test_every_function_has_an_example():
    for name in mw.fft.__all__:
        value = getattr(mw.fft, name)
        if inspect.isfunction(value) and name != "estimate_workspace_size":
            assert ">>>" in (value.__doc__ or ""), name


def test_scipy_is_not_imported():
    code = (
        "import sys, mathwright as mw; mw.scipy_backend.fft([1.0]); print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
