# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Cosine and sine transforms, side by side with scipy.fft and with their definitions."""

from __future__ import annotations

import itertools
import math

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_transform, widened
from conftest import DEVICE, random_array
from layouts import memory_for, strided

scipy_fft = pytest.importorskip("scipy.fft")

pytestmark = pytest.mark.skipif(DEVICE != "cpu", reason="on the CPU only")

ONE = ["dct", "idct", "dst", "idst"]
SEVERAL = ["dctn", "idctn", "dstn", "idstn"]
TYPES = [1, 2, 3, 4]
NORMS = [None, "backward", "ortho", "forward"]


def check(name, x, *args, **named):
    """Our value against SciPy's of the same numbers in double precision; the dtype is SciPy's."""
    seen = getattr(mw.fft, name)(x, *args, **named)
    wanted = getattr(scipy_fft, name)(widened(x), *args, **named)
    assert seen.dtype == getattr(scipy_fft, name)(x, *args, **named).dtype
    assert_transform(seen, wanted, 4 * max(math.prod(wanted.shape), math.prod(np.shape(x))))
    return seen


@pytest.mark.parametrize("orthogonalize", [None, False, True])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", ONE)
def test_one_axis(name, type, norm, orthogonalize, rng):
    named = {"type": type, "norm": norm, "orthogonalize": orthogonalize}
    for shape, axis in (
        ((8,), -1),
        ((7,), 0),
        ((3, 10), -1),
        ((10, 3), 0),
        ((4, 9, 3), 1),
        ((2, 509), 1),
    ):
        x = random_array(rng, shape, "float64")
        extent = shape[axis]
        for n in (None, 2, extent, extent - 2, extent + 1, 3 * extent + 2):
            check(name, x, n=n, axis=axis, **named)
        check(name, x.astype("float32"), axis=axis, **named)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name, type, norm, rng):
    for shape, s, axes in (
        ((6, 5), None, None),
        ((6, 5), (4, 8), None),
        ((6, 5), (7,), None),
        ((4, 3, 6), None, (2, 0)),
        ((4, 3, 6), (9, -1), (0, 2)),
        ((4, 3, 6), 4, 1),
        ((2, 3, 4, 5), None, None),
        ((200, 300), None, None),
    ):
        x = random_array(rng, shape, "float64")
        for orthogonalize in (None, True):
            check(name, x, type=type, s=s, axes=axes, norm=norm, orthogonalize=orthogonalize)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idstn"])
def test_dtypes_and_layouts(name, type, norm, rng):
    named = {"type": type, "norm": norm}
    real = (100 * rng.standard_normal((6, 8))).round()
    for dtype in ("bool", "int8", "int16", "uint16", "int64", "float16", ">f4", ">f8"):
        check(name, real.astype(dtype), **named)
    check(name, real.tolist(), **named)
    for dtype in ("complex64", "complex128"):
        check(name, random_array(rng, (6, 8), dtype), **named)
    for strides in ((1, 6), (-8, 1), (8, -1), (20, 2), (0, 1), (1, 0), (0, 0)):
        check(name, strided(memory_for(rng, (6, 8), strides, "float64"), (6, 8), strides), **named)
    check(name, random_array(rng, (4, 3, 5), "float32").transpose(2, 0, 1)[:, ::-1], **named)
    check(name, np.zeros((0, 8)), **({"axes": (1,)} if name.endswith("n") else {}), **named)


@pytest.mark.parametrize("name", ONE)
def test_one_point(name, rng):
    x = random_array(rng, (3, 1), "float64")
    for kind, norm in itertools.product(TYPES, NORMS):
        if kind != 1 or "dst" in name:
            check(name, x, type=kind, norm=norm)


@pytest.mark.parametrize("which", ["dct", "dst"])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("n", [2, 3, 8, 15, 64, 101])
def test_orthogonal_and_inverse(which, type, n):
    matrix = getattr(mw.fft, which)(np.eye(n), type=type, axis=0, norm="ortho")
    assert np.abs(matrix @ matrix.T - np.eye(n)).max() < 1e-13 * n
    for norm in NORMS:
        there = getattr(mw.fft, which)(np.eye(n), type=type, norm=norm)
        back = getattr(mw.fft, "i" + which)(there, type=type, norm=norm)
        assert np.abs(back - np.eye(n)).max() < 1e-14 * n


def test_errors():
    for name, x, named, error in (
        ("dct", np.ones(3), {"type": 5}, ValueError),
        ("dst", np.ones(3), {"type": 0}, ValueError),
        ("dct", np.ones(0), {}, ValueError),
        ("dct", np.ones(3), {"n": 0}, ValueError),
        ("dct", np.ones(3), {"axis": 1}, IndexError),
        ("dct", np.ones(3), {"norm": "x"}, ValueError),
        ("dctn", np.ones((3, 3)), {"axes": (0, 0)}, ValueError),
        ("dctn", np.ones((3, 3)), {"s": (1, 2, 3)}, ValueError),
    ):
        for module in (scipy_fft, mw.fft):
            with pytest.raises(error):
                getattr(module, name)(x, **named)
    with pytest.raises(ValueError, match="dct1 transform of 1 point"):
        mw.fft.dct([1.0], type=1)
    with pytest.raises(TypeError, match="epilog"):
        mw.fft.dct(np.ones(3, "complex64"), epilog=lambda x: x)
    with pytest.raises(ValueError, match="complex"):
        mw.fft.dct(np.ones(3), prolog=lambda x: x + 1j)


def test_functions_at_the_ends(rng):
    x = random_array(rng, (5, 12), "float32")
    for orthogonalize in (False, True):
        seen, others = mw.fft.dct(
            x, norm="ortho", type=3, orthogonalize=orthogonalize,
            prolog=lambda x, i: x * i[1],
            epilog=lambda y, a: {"result": y * y, "sum": mw.sum(y * a)}, epilog_inputs={"a": 2.0},
        )  # fmt: skip
        wanted = scipy_fft.dct(
            widened(x) * np.arange(12), type=3, norm="ortho", orthogonalize=orthogonalize
        )
        assert_transform(seen, wanted**2, 12)
        assert abs(others["sum"] - 2 * wanted.sum()) < 1e-5 * np.abs(wanted).sum()


def test_no_axes_and_out(rng):
    x = random_array(rng, (4, 6), "float64")
    assert mw.fft.dctn(x, axes=()) is x
    out = np.empty((6, 4)).T
    assert mw.fft.dstn(x, out=out, workers=2) is out
    assert_transform(out, scipy_fft.dstn(x), 96)
    z = random_array(rng, (4, 6), "complex64")
    out = np.empty((4, 6), "complex128")
    assert mw.fft.dct(z, out=out) is out
    assert np.allclose(out, scipy_fft.dct(z), rtol=1e-5)


@pytest.mark.parametrize("type", ["DCT1", "DCT2", "DCT3", "DCT4", "DST1", "DST2", "DST3", "DST4"])
def test_object(type, rng):
    x = random_array(rng, (4, 6), "float32")
    wanted = getattr(scipy_fft, type[:3].lower() + "n")(widened(x), type=int(type[3]))
    with mw.fft.FFT(x, options={"fft_type": type.lower()}) as transform:
        transform.plan()
        assert_transform(transform.execute(), wanted, 96)
        assert transform.get_output_layout() == ((4, 6), (6, 1))
        assert transform.get_key() == mw.fft.FFT.create_key(x, options={"fft_type": type})
        assert mw.fft.estimate_workspace_size(transform.get_key()) is not None
        with pytest.raises(ValueError, match="forward is wanted"):
            transform.execute("inverse")
    matrix = np.eye(6)
    named = {"axes": (0,), "options": {"fft_type": type}, "norm": "ortho", "orthogonalize": True}
    with mw.fft.FFT(matrix, **named) as transform:
        transform.plan()
        made = transform.execute()
        assert np.abs(made @ made.T - matrix).max() < 1e-14
        assert transform.get_key() == mw.fft.FFT.create_key(matrix, **named)
        plain = mw.fft.FFT.create_key(matrix, **{**named, "orthogonalize": False})
        assert (transform.get_key() == plain) == (type in ("DCT4", "DST1", "DST4"))
    with pytest.raises(ValueError, match="orthogonalize"):
        mw.fft.FFT(matrix, orthogonalize=True)
    with mw.fft.FFT(x, options={"fft_type": type, "inplace": True}) as transform:
        transform.plan()
        assert transform.execute() is x
    assert_transform(x, wanted, 96)
    with pytest.raises(ValueError, match="complex64"):
        mw.fft.FFT(np.ones(3, "complex64"), options={"fft_type": type})
