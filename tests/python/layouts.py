# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of awkward layouts, in any package, and their contents as NumPy sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """Lowest and highest element offset of a layout, strides in elements."""
    if 0 in shape:
        return 0, 0
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)


def strided(
    memory: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], writeable: bool = False
) -> np.ndarray:
    """A view of 1-D memory whose lowest element is memory[0]; strides in elements."""
    low, _ = reach(shape, strides)
    size = memory.itemsize
    return as_strided(
        memory[-low:],
        shape,
        tuple(size * s for s in strides),
        writeable=writeable or memory.size == 0,
    )


def memory_for(
    rng: np.random.Generator, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any
) -> np.ndarray:
    """Random 1-D memory that a layout fits into."""
    low, high = reach(shape, strides)
    dtype = np.dtype(dtype)
    values = rng.standard_normal(high - low + 1)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(high - low + 1)
    return np.asarray(values).astype(dtype)


def place(xp: Any, array: np.ndarray) -> Any:
    """The array with its very strides in the package; only PyTorch, which has no negative ones, gets a
    copy where there are some."""
    strides = tuple(s // array.itemsize for s in array.strides)
    if xp.name == "numpy":
        return array
    if xp.name == "torch" and any(s < 0 for s in strides):
        return xp.asarray(np.ascontiguousarray(array))
    low, high = reach(array.shape, strides)
    memory = np.zeros(high - low + 1, array.dtype)
    strided(memory, array.shape, strides, writeable=True)[...] = array
    if xp.name == "torch":
        return xp.asarray(memory).as_strided(array.shape, strides)
    import cupy

    there = cupy.asarray(memory)
    return cupy.lib.stride_tricks.as_strided(
        there[-low:], array.shape, tuple(s * array.itemsize for s in strides)
    )


def misaligned(array: np.ndarray, by: int = 1) -> np.ndarray:
    """A copy in C order that starts `by` bytes past an aligned address."""
    raw = np.empty(array.nbytes + 64 + by, np.uint8)
    start = -raw.ctypes.data % 64 + by
    made = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def element_strides(array: Any) -> tuple[int, ...]:
    """Strides in elements, of any package's array."""
    if hasattr(array, "stride"):
        return tuple(array.stride())
    return tuple(s // array.itemsize for s in array.strides)


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of the C order, in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def assert_c_order(array: Any) -> None:
    """The strides are those of the C order, axes of extent 1 and empty arrays aside."""
    shape = tuple(array.shape)
    if 0 in shape:
        return
    for extent, seen, wanted in zip(shape, element_strides(array), c_strides(shape), strict=True):
        assert extent == 1 or seen == wanted, (shape, element_strides(array))
