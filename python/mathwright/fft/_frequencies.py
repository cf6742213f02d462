# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What goes with transforms: frequencies, shifts, lengths that are quick."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from mathwright.errors import InvalidArgumentError
from mathwright.fft._arguments import axes_and_lengths

__all__ = ["fftfreq", "fftshift", "ifftshift", "next_fast_len", "rfftfreq"]


def _whole(n: Any, what: str) -> int:
    if not hasattr(n, "__index__"):
        raise InvalidArgumentError(f"fft: {what} is {n!r}; a whole number is wanted")
    return operator.index(n)


def _counted(count: int, xp: Any, device: Any) -> Any:
    if xp is None:
        import numpy as xp
    return xp.arange(count) if device is None else xp.arange(count, device=device)


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """The frequency of each element of a transform of n samples: 0, 1, …, −2, −1 over n·d.

    Args:
        n: number of samples.
        d: time between two of them.
        xp: the package whose array is wanted. None: NumPy.
        device: where its arrays are made. None: its default.

    Raises:
        InvalidArgumentError: n is no whole number. (``ValueError``)
        ZeroDivisionError: n or d is 0.

    >>> from mathwright.fft import fftfreq
    >>> fftfreq(5, d=0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    n = _whole(n, "n")
    step = 1.0 / (n * d)
    return ((_counted(n, xp, device) + n // 2) % n - n // 2) * step


def rfftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """The frequency of each element of a transform of n real samples: 0, 1, …, n//2 over n·d.

    Arguments and errors are those of :func:`fftfreq`.

    >>> from mathwright.fft import rfftfreq
    >>> rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    n = _whole(n, "n")
    step = 1.0 / (n * d)
    return _counted(n // 2 + 1, xp, device) * step


def _rolled(x: Any, axes: Any, sign: int) -> Any:
    if not hasattr(x, "dtype"):
        import numpy as np

        x = np.asarray(x)
    chosen, _ = axes_and_lengths(x, None, axes)
    shape = x.shape
    # fftshift moves element 0 to n//2, ifftshift the element at n//2 to 0.
    shifts = tuple(sign * (shape[axis] // 2) for axis in chosen)
    if not chosen:
        return x.clone() if hasattr(x, "clone") else x.copy()
    if hasattr(x, "roll"):  # PyTorch
        return x.roll(shifts, chosen)
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__().roll(x, shifts, axis=chosen)
    import numpy as np

    return np.roll(x, shifts, chosen)


def fftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """Frequency 0 in the middle, at n//2: the halves of the axes change places.

    Cost: a copy. A transform of even lengths gives a shifted result for free, if each element of the operand
    is multiplied by (−1)^(sum of its indices) in a prolog:
    ``prolog=lambda x, i: mw.where((i[0] + i[1]) % 2 == 0, x, -x)``.

    Args:
        x: an array of any dtype and package.
        axes: which axes. None: all.

    Raises:
        AxisError: an axis that x does not have. (``ValueError``, ``IndexError``)

    >>> from mathwright.fft import fftfreq, fftshift
    >>> fftshift(fftfreq(5, d=0.2))
    array([-2., -1.,  0.,  1.,  2.])
    """
    return _rolled(x, axes, 1)


def ifftshift(x: Any, axes: int | Sequence[int] | None = None) -> Any:
    """Inverse of :func:`fftshift`, the same for even lengths.

    >>> from mathwright.fft import ifftshift
    >>> ifftshift([-2, -1, 0, 1, 2])
    array([ 0,  1,  2, -2, -1])
    """
    return _rolled(x, axes, -1)


@functools.lru_cache(256)
def next_fast_len(target: int, real: bool = False) -> int:
    """The smallest length of at least `target` whose transform is quick: a product of 2, 3, 5, 7 and 11, or
    of 2, 3 and 5 for transforms of real data.

    Args:
        target: the least length.
        real: for real data.

    Raises:
        InvalidArgumentError: a negative target, or one that is no whole number. (``ValueError``)

    >>> from mathwright.fft import next_fast_len
    >>> next_fast_len(13), next_fast_len(1021, real=True)
    (14, 1024)
    """
    target = _whole(target, "target")
    if target < 0:
        raise InvalidArgumentError(f"fft: target is {target}; 0 or more is wanted")
    if target < 2:
        return target
    best = 1 << (target - 1).bit_length()
    odd = [1]
    for prime in (3, 5) if real else (3, 5, 7, 11):
        powers = []
        for product in odd:
            while product < best:
                powers.append(product)
                product *= prime  # noqa: PLW2901
        odd = powers
    for product in odd:  # with as many factors of 2 as it takes
        best = min(best, product << (-(-target // product) - 1).bit_length())
    return best
