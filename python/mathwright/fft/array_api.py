# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The ``fft`` extension of the Python array API standard.

Functions, parameters and normalisation are the standard's; arrays are of any package, and results are of the
package of the operand.

>>> import numpy as np
>>> import mathwright.fft.array_api as fft
>>> fft.ifft(fft.fft(np.ones(2, "complex64"))).real
array([1., 1.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from mathwright.fft import _frequencies
from mathwright.fft._arguments import transform_1d, transform_nd

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

Norm: TypeAlias = Literal["backward", "ortho", "forward"]


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Forward transform along one axis.

    >>> fft([1.0, 0.0])
    array([1.+0.j, 1.+0.j])
    """
    return transform_1d("fft", x, n, axis, norm, None, {})


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Inverse of :func:`fft`.

    >>> ifft([2.0, 0.0]).real
    array([1., 1.])
    """
    return transform_1d("ifft", x, n, axis, norm, None, {})


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Forward transform of real data along one axis, which becomes n//2 + 1.

    >>> rfft([1.0, 0.0])
    array([1.+0.j, 1.+0.j])
    """
    return transform_1d("rfft", x, n, axis, norm, None, {})


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Inverse of :func:`rfft`: n real numbers, by default 2(m−1).

    >>> irfft([2.0, 0.0])
    array([1., 1.])
    """
    return transform_1d("irfft", x, n, axis, norm, None, {})


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Forward transform of a Hermitian signal along one axis: n real numbers, by default 2(m−1).

    >>> hfft([1.0, 0.0])
    array([1., 1.])
    """
    return transform_1d("hfft", x, n, axis, norm, None, {})


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Inverse of :func:`hfft`.

    >>> ihfft([1.0, 1.0]).real
    array([1., 0.])
    """
    return transform_1d("ihfft", x, n, axis, norm, None, {})


def fftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Forward transform along several axes; None: all, or as many last ones as s has.

    >>> fftn([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    """
    return transform_nd("fft", x, s, axes, norm, None, {})


def ifftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Inverse of :func:`fftn`.

    >>> ifftn([[2.0, 0.0]]).real
    array([[1., 1.]])
    """
    return transform_nd("ifft", x, s, axes, norm, None, {})


def rfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Forward transform of real data along several axes; the last listed one becomes n//2 + 1.

    >>> rfftn([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    """
    return transform_nd("rfft", x, s, axes, norm, None, {})


def irfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Inverse of :func:`rfftn`.

    >>> irfftn([[2.0, 0.0]])
    array([[1., 1.]])
    """
    return transform_nd("irfft", x, s, axes, norm, None, {})


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of :func:`fft`, by default in float64, as a NumPy array.

    >>> fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    made = _frequencies.fftfreq(n, d, device=device)
    return made if dtype is None else made.astype(dtype)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of :func:`rfft`, by default in float64, as a NumPy array.

    >>> rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    made = _frequencies.rfftfreq(n, d, device=device)
    return made if dtype is None else made.astype(dtype)


def fftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Frequency 0 in the middle.

    >>> fftshift(fftfreq(4))
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _frequencies.fftshift(x, axes)


def ifftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Inverse of :func:`fftshift`.

    >>> ifftshift(fftshift(fftfreq(4)))
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _frequencies.ifftshift(x, axes)
