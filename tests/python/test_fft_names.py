# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The Fourier transforms that bear SciPy's names, side by side with scipy.fft: values, dtypes, errors."""

from __future__ import annotations

import math
from typing import Any

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_transform, widened
from conftest import DEVICE, random_array
from layouts import memory_for, misaligned, strided
from mathwright import scipy_backend as ours

scipy_fft = pytest.importorskip("scipy.fft")

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"]
READS_REALS = ("rfft", "ihfft")
NORMS = [None, "backward", "ortho", "forward"]
EXECUTION: dict[str, Any] = {"execution": "cuda"} if DEVICE == "cuda" else {}


def operand_for(name, rng, shape, single=False):
    real = name.startswith(READS_REALS)
    double = "float64" if real else "complex128"
    return random_array(
        rng, shape, {"float64": "float32", "complex128": "complex64"}[double] if single else double
    )


def check(name, x, *args, **named):
    """Our value against SciPy's of the same numbers in double precision; the dtype is SciPy's."""
    seen = getattr(ours, name)(x, *args, **named, **EXECUTION)
    wanted = getattr(scipy_fft, name)(widened(x), *args, **named)
    assert seen.dtype == getattr(scipy_fft, name)(x, *args, **named).dtype
    assert_transform(seen, wanted, max(math.prod(wanted.shape), math.prod(np.shape(x))))
    return seen


@pytest.mark.parametrize("single", [False, True], ids=["double", "single"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE)
def test_one_axis(name, norm, single, rng):
    for shape, axis in (
        ((8,), -1),
        ((7,), 0),
        ((3, 10), -1),
        ((10, 3), 0),
        ((4, 9, 3), 1),
        ((2, 1009), 1),
    ):
        x = operand_for(name, rng, shape, single)
        extent = shape[axis]
        for n in (None, 1, 2, extent, extent - 2, extent + 1, 3 * extent + 2):
            check(name, x, n=n, axis=axis, norm=norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name, norm, rng):
    cases = [
        ((6, 5), None, None),
        ((6, 5), (4, 8), None),
        ((6, 5), (7,), None),
        ((6, 5), (3, -1), (1, 0)),
        ((4, 3, 6), None, (0, 2)),
        ((4, 3, 6), None, (2, 0)),
        ((4, 3, 6), (9, 2), (0, 2)),
        ((4, 3, 6), (5, 5, 5), (2, 0, 1)),
        ((4, 3, 6), 4, 1),
        ((2, 3, 4, 5), None, (-1, 1)),
        ((2, 3, 4, 5), None, None),
    ]
    for shape, s, axes in cases:
        check(name, operand_for(name, rng, shape), s=s, axes=axes, norm=norm)


@pytest.mark.parametrize("name", TWO)
def test_two_axes(name, rng):
    x = operand_for(name, rng, (3, 6, 4))
    for norm in NORMS:
        check(name, x, norm=norm)
        check(name, x, s=(5, 5), norm=norm)
        check(name, x, axes=(0, 1), norm=norm)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_dtypes(name, rng):
    real = (100 * rng.standard_normal((6, 8))).round()
    for dtype in (
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "int64",
        "uint64",
        "float16",
    ):
        check(name, real.astype(dtype) if dtype != "uint64" else np.abs(real).astype(dtype))
    for dtype in ("float32", "float64", ">f4", ">f8"):
        check(name, real.astype(dtype))
    if not name.startswith(READS_REALS):
        check(name, (real + 1j * real[::-1]).astype(">c8"))
    check(name, real.tolist())


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_layouts(name, rng):
    dtype = operand_for(name, rng, (1,)).dtype
    for strides in ((8, 1), (1, 6), (-8, 1), (8, -1), (-1, 7), (20, 2), (0, 1), (1, 0), (0, 0)):
        x = strided(memory_for(rng, (6, 8), strides, dtype), (6, 8), strides)
        check(name, x)
    check(name, misaligned(operand_for(name, rng, (6, 8)), 4))
    check(name, operand_for(name, rng, (4, 3, 5)).transpose(2, 0, 1))
    check(name, operand_for(name, rng, (4, 3, 5))[:, ::2, ::-1])
    read_only = operand_for(name, rng, (6, 8))
    read_only.flags.writeable = False
    check(name, read_only)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_small_and_empty(name, rng):
    check(name, operand_for(name, rng, (1, 1)), (3,) if name.endswith("n") else 3)
    several = name.endswith("n")
    one_axis = {"axes": (1,)} if several else {"axis": 1}
    check(name, operand_for(name, rng, (0, 4)), **one_axis)
    check(name, operand_for(name, rng, (0, 1)), *((2,),) if several else (2,), **one_axis)
    # Nothing at all, padded with zeros.
    seen = getattr(ours, name)(operand_for(name, rng, (2, 0)), (4,) if several else 4, **EXECUTION)
    assert seen.shape == (2, 3 if name.startswith(READS_REALS) else 4) and not seen.any()


def test_no_axes_is_the_operand(rng):
    x = random_array(rng, (3, 2), "complex64")
    assert mw.fft.fftn(x, axes=()) is x and mw.fft.ifftn(x, axes=()) is x
    assert mw.fft.fftn(3.0) == scipy_fft.fftn(3.0)


@pytest.mark.parametrize(
    "name, x, args, error",
    [
        ("fft", np.ones(3), {"n": 0}, ValueError),
        ("fft", np.ones(3), {"n": -3}, ValueError),
        ("fft", np.ones(3), {"n": 2.5}, TypeError),
        ("fft", np.ones(3), {"axis": 1}, IndexError),
        ("fft", np.ones(3), {"axis": -2}, IndexError),
        ("fft", 5.0, {}, IndexError),
        ("fft", np.ones(0), {}, ValueError),
        ("fft", np.ones(3), {"norm": "none"}, ValueError),
        ("fft", np.ones(3), {"workers": 0}, ValueError),
        ("fft", np.ones(3), {"workers": -10000}, ValueError),
        ("fft", np.ones(3), {"plan": 1}, NotImplementedError),
        ("fft", np.ones(3), {"lengths": 1}, TypeError),
        ("fftn", np.ones(3), {"lengths": 1}, TypeError),
        ("rfft", np.ones(3, "complex64"), {}, TypeError),
        ("ihfft", np.ones(3, "complex64"), {}, TypeError),
        ("rfftn", np.ones((2, 2), "complex64"), {}, TypeError),
        ("irfft", np.ones(1), {}, ValueError),
        ("hfft", np.ones(1), {}, ValueError),
        ("rfftn", np.ones((2, 2)), {"axes": ()}, ValueError),
        ("irfftn", np.ones((2, 2)), {"axes": ()}, ValueError),
        ("fftn", np.ones((2, 2)), {"axes": (0, 0)}, ValueError),
        ("fftn", np.ones((2, 2)), {"axes": (0, -2)}, ValueError),
        ("fftn", np.ones((2, 2)), {"axes": (2,)}, ValueError),
        ("fftn", np.ones((2, 2)), {"axes": (0.5,)}, ValueError),
        ("fftn", np.ones((2, 2)), {"s": (2,), "axes": (0, 1)}, ValueError),
        ("fftn", np.ones((2, 2)), {"s": (2, 0)}, ValueError),
        ("fftn", np.ones((2, 2)), {"s": (2, 2, 2)}, ValueError),
        ("fftn", np.ones((2, 2)), {"s": "ab"}, ValueError),
        ("fft2", np.ones(2), {}, ValueError),
    ],
)
def test_errors_are_of_scipys_classes(name, x, args, error):
    for module in (scipy_fft, ours):
        with pytest.raises(error):
            getattr(module, name)(x, **args)


def test_workers(rng):
    x = random_array(rng, (64, 64), "complex64")
    wanted = scipy_fft.fft(x)
    for workers in (1, 2, -1):
        assert_transform(mw.fft.fftn(x, axes=1, workers=workers), wanted, 64)
    with pytest.raises(ValueError, match="workers"):
        mw.fft.fftn(x, workers=1, execution="cpu")


def test_functions_at_the_ends(rng):
    x, window = random_array(rng, (5, 12), "float32"), random_array(rng, (12,), "float32")
    power = mw.fft.rfftn(
        x, axes=1, norm="ortho", **EXECUTION,
        prolog=lambda x, w: x * w, prolog_inputs={"w": window},
        epilog=lambda z: z.real**2 + z.imag**2,
    )  # fmt: skip
    wanted = np.abs(scipy_fft.rfft(widened(x) * window, norm="ortho")) ** 2
    assert_transform(power, wanted, 12)


def test_functions_at_the_conjugated_ends(rng):
    z, x = random_array(rng, (3, 7), "complex128"), random_array(rng, (3, 7), "float64")
    seen = mw.fft.hfft(
        z, prolog=lambda z, a, i: z * a * (i[1] + 1), prolog_inputs={"a": 2 + 1j}, **EXECUTION
    )
    assert_transform(seen, scipy_fft.hfft(z * (2 + 1j) * np.arange(1, 8)), 12)
    outputs = mw.fft.ihfftn(
        x,
        epilog=lambda z, a: {"result": z * a, "size": mw.sum(z.real)},
        epilog_inputs={"a": 2j},
        **EXECUTION,
    )
    wanted = scipy_fft.ihfftn(x)
    assert_transform(outputs[0], wanted * 2j, 21)
    assert np.isclose(outputs[1]["size"], wanted.real.sum())
    with pytest.raises(TypeError, match="Expr"):
        mw.fft.hfft(z, prolog=mw.trace(lambda z: z * 2, z="complex128"))


def test_out(rng):
    x = random_array(rng, (6, 8), "float64")
    out = np.empty((8, 6), np.complex128).T
    assert mw.fft.fft2(x, out=out, **EXECUTION) is out
    assert_transform(out, scipy_fft.fft2(x), 48)


def test_any_package(xp, rng):
    x = random_array(rng, (6, 8), "float32")
    seen = mw.fft.fftn(xp.asarray(x), s=(8, 8), **xp.execution)
    assert isinstance(seen, xp.array_type)
    assert_transform(xp.to_numpy(seen), scipy_fft.fftn(widened(x), s=(8, 8)), 64)
    for shift in ("fftshift", "ifftshift"):
        moved = getattr(mw.fft, shift)(xp.asarray(x))
        assert np.array_equal(xp.to_numpy(moved), getattr(scipy_fft, shift)(x))
