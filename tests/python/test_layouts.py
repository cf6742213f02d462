# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Random layouts: whatever NumPy computes, we compute the same, or say clearly what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bounds import assert_product, assert_transform
from conftest import DEVICE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import memory_for, strided
from mathwright import errors
from mathwright.fft import fft, irfft, rfft
from mathwright.linalg import matmul

EXECUTION = {"execution": "cuda"} if DEVICE == "cuda" else {}
many = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def layouts(draw, shape, one_to_one=False):
    """Strides, in elements: axes in any order, gaps, any sign; repeats and windows unless one_to_one."""
    order = draw(st.permutations(range(len(shape))))
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        step += draw(st.integers(0, 2))
        strides[axis] = draw(st.sampled_from([1, 1, 1, -1])) * step
        step *= max(shape[axis], 1)
        if shape[axis] == 1:
            strides[axis] = draw(st.integers(-9, 9))
        elif not one_to_one:
            strides[axis] = draw(st.sampled_from([strides[axis]] * 6 + [0, 1]))
    return tuple(strides)


@st.composite
def arrays(draw, shape, dtype, one_to_one=False):
    """An array of any layout, at times off its alignment; contents from the layout alone."""
    strides = draw(layouts(shape, one_to_one))
    memory = memory_for(np.random.default_rng(7), shape, strides, dtype)
    if draw(st.integers(0, 4)) == 0:
        raw = np.zeros(memory.nbytes + 8, np.uint8)
        off = draw(st.integers(1, 7))
        moved = raw[off : off + memory.nbytes].view(memory.dtype)
        moved[...] = memory
        memory = moved
    return strided(memory, shape, strides, writeable=one_to_one)


def shapes(least, most, largest=5):
    return st.lists(st.integers(1, largest), min_size=least, max_size=most).map(tuple)


@st.composite
def products(draw):
    """Operands whose shapes fit: batches of rank 0 to 6, extents dropped or 1 where they broadcast."""
    dtype = draw(st.sampled_from(["float32", "float64", "complex64", "complex128"]))
    m, n, k = (draw(st.integers(0, 9)) for _ in range(3))
    batch = draw(shapes(0, 6, largest=3))
    made = []
    for tail in ((m, k), (k, n)):
        own = batch[draw(st.integers(0, len(batch))) :]
        own = tuple(draw(st.sampled_from([extent, 1])) for extent in own)
        shape = draw(st.sampled_from([own + tail] * 5 + [(k,)]))
        made.append(draw(arrays(shape, dtype)))
    return tuple(made)


@many
@given(operands=products(), data=st.data())
def test_products_of_any_layout(operands, data):
    a, b = operands
    before = a.copy(), b.copy()
    shape = np.matmul(a, b).shape
    c = out = None
    beta = 0
    if data.draw(st.booleans()):
        c, beta = data.draw(arrays(shape, a.dtype)), data.draw(st.sampled_from([0, 1, -0.5]))
    if data.draw(st.booleans()):
        out = data.draw(arrays(shape, a.dtype, one_to_one=True))

    d = matmul(a, b, c, alpha=2, beta=beta if c is not None else None, out=out, **EXECUTION)

    assert out is None or d is out
    assert_product(d, a, b, c, alpha=2, beta=beta)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])


@st.composite
def transforms(draw, dtypes):
    shape = draw(shapes(1, 8, largest=4))
    if draw(st.booleans()):
        axis = draw(st.integers(0, len(shape) - 1))
        longer = draw(st.integers(1, 60 if math.prod(shape) < 300 else 6))
        shape = (*shape[:axis], longer, *shape[axis + 1 :])
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=3, unique=True))
    return draw(arrays(shape, draw(st.sampled_from(dtypes)))), tuple(axes)


def points(x, axes):
    return 2 * math.prod(x.shape[axis] for axis in axes)


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@many
@given(problem=transforms(["complex64", "complex128"]), data=st.data())
def test_complex_transforms_of_any_layout(problem, data):
    x, axes = problem
    before = x.copy()
    out = data.draw(st.none() | arrays(x.shape, x.dtype, one_to_one=True))

    y = fft(x, axes=axes, out=out, **EXECUTION)

    assert_transform(y, np.fft.fftn(wide(x), axes=axes), points(x, axes))
    assert np.array_equal(x, before)


@many
@given(problem=transforms(["float32", "float64"]))
def test_real_transforms_of_any_layout(problem):
    x, axes = problem

    y = rfft(x, axes=axes, **EXECUTION)

    assert_transform(y, np.fft.rfftn(wide(x), axes=axes), points(x, axes))


@many
@given(problem=transforms(["complex64", "complex128"]), odd=st.booleans())
def test_inverse_real_transforms_of_any_layout(problem, odd):
    x, axes = problem
    before = x.copy()
    extents = [x.shape[axis] for axis in axes]
    extents[-1] = 2 * extents[-1] - 1 if odd else 2 * (extents[-1] - 1)
    options = {"last_axis_parity": "odd" if odd else "even"}
    if extents[-1] == 0:
        with pytest.raises(errors.InvalidArgumentError, match="odd"):
            irfft(x, axes=axes, options=options, **EXECUTION)
        return

    y = irfft(x, axes=axes, options=options, **EXECUTION)

    wanted = np.fft.irfftn(wide(x), s=extents, axes=axes, norm="forward")
    assert_transform(y, wanted, points(x, axes))
    assert np.array_equal(x, before)


@many
@given(data=st.data())
def test_in_place_transforms_of_any_layout(data):
    shape = data.draw(shapes(1, 5, largest=6))
    x = data.draw(arrays(shape, "complex128", one_to_one=True))
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=3, unique=True))
    wanted = np.fft.fftn(x, axes=axes)

    y = fft(x, axes=axes, options={"inplace": True}, **EXECUTION)

    assert y is x
    assert_transform(x, wanted, points(x, axes))


@pytest.mark.parametrize("rank", range(9))
def test_every_rank_from_nought_to_eight(rng, rank):
    shape = (2,) * rank
    x = np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape))

    if rank == 0:
        for call in (lambda: fft(x, **EXECUTION), lambda: matmul(x, x, **EXECUTION)):
            with pytest.raises(errors.InvalidArgumentError):
                call()
        return
    assert_transform(fft(x, **EXECUTION), np.fft.fftn(x), x.size)
    assert_product(matmul(x, x, **EXECUTION), x, x)


def test_strides_that_are_no_multiple_of_the_item_size_are_named():
    packed = np.zeros(4, dtype=np.dtype([("tag", "u1"), ("value", "f8")], align=False))
    field = packed["value"]

    with pytest.raises((errors.MathwrightError, BufferError), match=r"stride|copy|contiguous"):
        matmul(field, field)


def test_foreign_byte_order_is_named():
    swapped = np.ones((2, 2), ">f8")

    with pytest.raises(errors.MathwrightError, match=r"byte|dtype"):
        matmul(swapped, swapped)
