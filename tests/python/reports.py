# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The operands of the user reports, and the checks that every report goes through."""

from __future__ import annotations

import numpy as np
import pytest
from bounds import assert_product, assert_transform
from conftest import DEVICE
from layouts import place
from mathwright.fft import fft, irfft, rfft
from mathwright.linalg import Matmul, matmul

needs_device = pytest.mark.skipif(DEVICE == "cpu", reason="MATHWRIGHT_TEST_DEVICE is cpu")


def R(*shape, dtype="float64"):  # noqa: N802 (as the reports write it)
    return np.random.default_rng(0).random(shape).astype(dtype)


def Z(*shape, dtype="complex128"):  # noqa: N802
    rng = np.random.default_rng(0)
    return (rng.random(shape) + 1j * rng.random(shape)).astype(dtype)


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def check_fft(xp, x, axes=None):
    """Forward transform of a real or complex array against NumPy; the operand's bits stay."""
    before = x.copy()
    chosen = tuple(range(x.ndim)) if axes is None else axes
    real = x.dtype.kind != "c"
    seen = (rfft if real else fft)(place(xp, x), axes=axes, **xp.execution)
    wanted = (np.fft.rfftn if real else np.fft.fftn)(wide(x), axes=chosen)
    assert_transform(xp.to_numpy(seen), wanted, x.size)
    assert np.array_equal(x, before)
    return seen


def check_irfft(xp, z, axes=None, odd=False):
    before = z.copy()
    chosen = tuple(range(z.ndim)) if axes is None else axes
    extents = [z.shape[a] for a in chosen]
    extents[-1] = 2 * extents[-1] - 1 if odd else 2 * (extents[-1] - 1)
    options = {"last_axis_parity": "odd" if odd else "even"}
    operand = place(xp, z)
    seen = xp.to_numpy(irfft(operand, axes=axes, options=options, **xp.execution))
    wanted = np.fft.irfftn(wide(z), s=extents, axes=chosen, norm="forward")
    assert_transform(seen, wanted, 2 * z.size)
    assert np.array_equal(z, before)
    assert np.array_equal(xp.to_numpy(operand), before)
    return seen


def check_product(xp, a, b, c=None, **scalars):
    """One shot, and planned, executed, reset, executed again."""
    before = a.copy(), b.copy()
    operands = [place(xp, x) for x in (a, b, c) if x is not None]
    seen = matmul(*operands, **scalars, **xp.execution)
    product = Matmul(*operands, **scalars, **xp.execution)
    product.plan()
    planned = product.execute()
    product.reset_operands(b=operands[1])
    again = product.execute()
    for result in (seen, planned, again):
        assert_product(xp.to_numpy(result), a, b, c, **scalars)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])
    return seen
