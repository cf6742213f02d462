# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution by transforms, with SciPy's names, parameters and shapes.

Two transforms forward and one back. Padding is a part of the forward ones, the product of the spectra a part
of the second: memory sees the operands, the spectra and the result once each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from mathwright.errors import InvalidArgumentError
from mathwright.fft._arguments import (
    WAYS,
    as_operand,
    axes_and_lengths,
    dtype_name,
    transform,
)
from mathwright.fft._frequencies import next_fast_len

__all__ = ["fftconvolve", "oaconvolve"]

Mode: TypeAlias = Literal["full", "valid", "same"]
Shape: TypeAlias = tuple[int, ...]

# A block of 16 filters' length is nearly all new points, and one of 4 lengths is still 3/4; between the two it is
# as long as stays in cache, and never so short that the cost of a block shows. Measured for 3 to 16384 taps.
_MOST, _LEAST = 16, 4  # filters' lengths
_CACHED_BLOCK, _LEAST_BLOCK = 16384, 2048


def _product(z: Any, h: Any) -> Any:
    return z * h


class _Convolution:
    """Operands by SciPy's rules, and the transforms of them."""

    def __init__(self, in1: Any, in2: Any, mode: Any, axes: Any, more: Mapping[str, Any]) -> None:
        if mode not in ("full", "valid", "same"):
            raise InvalidArgumentError(
                f"fft: mode is {mode!r}; 'full', 'valid' or 'same' is wanted"
            )
        self.a, self.b = as_operand(in1), as_operand(in2)
        self.mode, self.more = mode, more
        s1, s2 = tuple(self.a.shape), tuple(self.b.shape)
        if len(s1) != len(s2):
            raise InvalidArgumentError(
                f"fft: in1 has shape {s1} and in2 {s2}; the same number of axes is wanted"
            )
        self.is_empty = 0 in s1 or 0 in s2
        chosen, _ = axes_and_lengths(self.a, None, axes)
        if s1 and not chosen:
            raise InvalidArgumentError("fft: axes are empty; at least one is wanted, or None")
        # Where one of them has one point, the product broadcasts.
        self.axes = tuple(axis for axis in chosen if s1[axis] != 1 and s2[axis] != 1)
        self._check(s1, s2)
        self.full = tuple(
            n + m - 1 if axis in self.axes else max(n, m)
            for axis, (n, m) in enumerate(zip(s1, s2, strict=True))
        )
        kinds = [dtype_name(x).startswith("complex") for x in (self.a, self.b)]
        self.is_real = not any(kinds)
        self.forward, self.inverse = ("rfft", "irfft") if self.is_real else ("fft", "ifft")

    def _check(self, s1: Shape, s2: Shape) -> None:
        for axis, (n, m) in enumerate(zip(s1, s2, strict=True)):
            if axis not in self.axes and n != m and 1 not in (n, m) and not self.is_empty:
                raise InvalidArgumentError(
                    f"fft: in1 has shape {s1} and in2 {s2}, which differ along axis {axis}, one that is not "
                    "convolved; equal extents, or 1, are wanted"
                )
        if self.mode != "valid" or self.is_empty:
            return
        if not all(s1[axis] >= s2[axis] for axis in self.axes):
            if not all(s2[axis] >= s1[axis] for axis in self.axes):
                raise InvalidArgumentError(
                    f"fft: mode is 'valid', in1 has shape {s1} and in2 {s2}; one as large as the other along "
                    "every axis is wanted"
                )
            self.a, self.b = self.b, self.a

    def run(self, way: str, x: Any, axes: Shape, lengths: Shape, **functions: Any) -> Any:
        workers = self.more.get("workers")
        more = {**self.more, **functions}
        more.pop("workers", None)
        return transform(WAYS[way], x, axes, lengths, None, workers, more)

    def spectrum(self, x: Any, axes: Shape, lengths: Shape, other: Any = None) -> Any:
        """Of x; times another one."""
        if other is None:
            return self.run(self.forward, x, axes, lengths)
        inputs = {"h": other}
        return self.run(self.forward, x, axes, lengths, epilog=_product, epilog_inputs=inputs)

    def product(self, x: Any, y: Any, axes: Shape, lengths: Shape) -> Any:
        """x ⊛ y, circular in these lengths. Quicker if x is the longer one."""
        if not broadcasts(y, x, axes):
            x, y = y, x
        if broadcasts(y, x, axes):
            z = self.spectrum(x, axes, lengths, self.spectrum(y, axes, lengths))
        else:  # each has axes that the other has not
            z = self.spectrum(x, axes, lengths) * self.spectrum(y, axes, lengths)
        return self.run(self.inverse, z, axes, lengths)

    def cropped(self, full: Any) -> Any:
        """The mode's part of the full convolution, or of more than that."""
        sizes, starts = list(self.full), [0] * len(self.full)
        for axis, (size, n, m) in enumerate(
            zip(self.full, self.a.shape, self.b.shape, strict=True)
        ):
            if self.mode == "same":
                sizes[axis] = n
            elif self.mode == "valid" and axis in self.axes:
                sizes[axis] = n - m + 1
            starts[axis] = (size - sizes[axis]) // 2
        return full[tuple(slice(at, at + size) for at, size in zip(starts, sizes, strict=True))]

    def without_transform(self) -> Any:
        """The result where there is nothing to transform; None elsewhere."""
        if self.is_empty:
            flat = self.a.reshape(-1)[:0]
            return flat.astype("float64") if hasattr(flat, "astype") else flat
        if not self.full:
            return self.a * self.b
        return None if self.axes else self.cropped(self.a * self.b)


def broadcasts(y: Any, x: Any, axes: Shape) -> bool:
    """Whether the spectrum of y along these axes broadcasts to that of x."""
    return all(
        axis in axes or m in (1, n)
        for axis, (n, m) in enumerate(zip(x.shape, y.shape, strict=True))
    )


def _fft_convolve(c: _Convolution) -> Any:
    lengths = tuple(next_fast_len(c.full[axis], c.is_real) for axis in c.axes)
    return c.cropped(c.product(c.a, c.b, c.axes, lengths))


def fftconvolve(
    in1: Any,
    in2: Any,
    mode: Mode = "full",
    axes: int | Sequence[int] | None = None,
    *,
    workers: int | None = None,
    execution: Any = None,
    stream: Any = None,
) -> Any:
    """The convolution of two arrays, (a ⊛ b)[k] = Σ_j a[j] b[k−j] along the axes, by transforms.

    Args:
        in1, in2: arrays of any dtype of one package and rank, or what NumPy makes arrays of.
        mode: "full": everything that is not 0, n + m − 1 elements an axis; "same": as many as in1, the middle
            ones; "valid": those that are made of whole overlaps, |n − m| + 1.
        axes: which axes. None: all. Along the others, and where one of the arrays has one element, the arrays
            broadcast.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        execution, stream: as for :func:`mathwright.fft.fft`.

    Returns:
        An array of the package, real if both are; integers are computed in float64. It may be a view of a
        larger one.

    Raises:
        InvalidArgumentError: mode, axes, shapes that do not fit. (``ValueError``)

    Cost: three transforms of the least quick length that holds the full convolution; :func:`oaconvolve` is
    quicker where one array is much longer than the other.

    >>> from mathwright.fft import fftconvolve
    >>> fftconvolve([1, 2, 3], [0, 1, 0.5]).round(12) + 0.0
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    more = {"workers": workers, "execution": execution, "stream": stream}
    c = _Convolution(in1, in2, mode, axes, more)
    known = c.without_transform()
    return _fft_convolve(c) if known is None else known


def _block_length(taps: int) -> int:
    wanted = max(_LEAST * taps, min(_MOST * taps, _CACHED_BLOCK))
    return max(_LEAST_BLOCK, 1 << (wanted - 1).bit_length())


def _blocked_axis(long: Any, short: Any, axes: Shape) -> int | None:
    """The axis along which blocks pay best: that with the most of them."""
    counts = {axis: long.shape[axis] / _block_length(short.shape[axis]) for axis in axes}
    best = max(counts, key=lambda axis: counts[axis])
    return best if counts[best] >= 2 else None


def _at(axis: int, *place: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + place


def _empty(like: Any, shape: Shape) -> Any:
    if hasattr(like, "new_empty"):  # PyTorch
        return like.new_empty(shape)
    import numpy as np

    return np.empty_like(like, shape=shape)  # CuPy's too


def _overlap_add(c: _Convolution, long: Any, short: Any, axis: int) -> Any:
    """The full convolution: blocks of `step` new points along an axis, each longer by `tail` afterwards.

    The blocks are an axis of their own, before theirs: a batch. The last, shorter one goes alone.
    """
    extent, tail = long.shape[axis], short.shape[axis] - 1
    size = _block_length(tail + 1)
    step = size - tail
    blocks = extent // step
    whole = blocks * step
    shape = tuple(long.shape)
    split = long[_at(axis, slice(0, whole))].reshape(
        *shape[:axis], blocks, step, *shape[axis + 1 :]
    )
    lengths = {a: size if a == axis else next_fast_len(c.full[a], c.is_real) for a in c.axes}
    # The axis of blocks is a new one, which moves those behind it.
    h = c.spectrum(short, c.axes, tuple(lengths.values()))
    h_shape = tuple(h.shape)
    h_split = h.reshape(*h_shape[:axis], 1, *h_shape[axis:])
    moved = tuple(a + (a >= axis) for a in c.axes)
    z = c.spectrum(split, moved, tuple(lengths.values()), h_split)
    y = c.run(c.inverse, z, moved, tuple(lengths.values()))

    # Other axes stay as long as their transforms until the end.
    y_shape = tuple(y.shape)
    full = _empty(y, (*y_shape[:axis], extent + tail, *y_shape[axis + 2 :]))
    rows = full[_at(axis, slice(0, whole))].reshape(
        *y_shape[:axis], blocks, step, *y_shape[axis + 2 :]
    )
    rows[...] = y[_at(axis, slice(None), slice(0, step))]
    if tail:
        rows[_at(axis, slice(1, None), slice(0, tail))] += y[
            _at(axis, slice(0, blocks - 1), slice(step, None))
        ]
    last = y[_at(axis, blocks - 1, slice(step, None))]
    if whole == extent:
        full[_at(axis, slice(whole, None))] = last
        return full
    z = c.spectrum(long[_at(axis, slice(whole, None))], c.axes, tuple(lengths.values()), h)
    rest = c.run(c.inverse, z, c.axes, tuple(lengths.values()))
    full[_at(axis, slice(whole, None))] = rest[_at(axis, slice(0, extent - whole + tail))]
    full[_at(axis, slice(whole, whole + tail))] += last
    return full


def oaconvolve(
    in1: Any,
    in2: Any,
    mode: Mode = "full",
    axes: int | Sequence[int] | None = None,
    *,
    workers: int | None = None,
    execution: Any = None,
    stream: Any = None,
) -> Any:
    """The convolution of a long and a short array: that of :func:`fftconvolve`, block by block.

    Arguments, result and errors are those of :func:`fftconvolve`. Blocks of 4 to 16 times the shorter array's length go
    through transforms that stay in cache; what overlaps is added. Where that does not pay, it is
    :func:`fftconvolve`.

    Cost: for n points and m taps about n·log2(16m) instead of n·log2(n) flops, each block once through memory.

    >>> import numpy as np
    >>> from mathwright.fft import oaconvolve
    >>> x = np.arange(10000.0)
    >>> bool(np.allclose(oaconvolve(x, [0.25, 0.5, 0.25], mode="valid"), x[1:-1]))
    True
    """
    more = {"workers": workers, "execution": execution, "stream": stream}
    c = _Convolution(in1, in2, mode, axes, more)
    known = c.without_transform()
    if known is not None:
        return known
    sizes = [math.prod(x.shape[axis] for axis in c.axes) for x in (c.a, c.b)]
    long, short = (c.a, c.b) if sizes[0] >= sizes[1] else (c.b, c.a)
    axis = _blocked_axis(long, short, c.axes) if broadcasts(short, long, c.axes) else None
    if axis is None or hasattr(long, "at"):  # JAX: arrays that cannot be written
        return _fft_convolve(c)
    return c.cropped(_overlap_add(c, long, short, axis))
