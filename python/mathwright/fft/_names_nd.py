# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The Fourier transforms of several axes with SciPy's names and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from mathwright.fft._arguments import Extras, transform_nd
from mathwright.fft._transform import Norm

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "fft2",
    "fftn",
    "hfft2",
    "hfftn",
    "ifft2",
    "ifftn",
    "ihfft2",
    "ihfftn",
    "irfft2",
    "irfftn",
    "rfft2",
    "rfftn",
]

Lengths: TypeAlias = Sequence[int] | int | None
Axes: TypeAlias = Sequence[int] | int | None


def fftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward complex transform along several axes.

    Args:
        x: an array of any dtype and any package, or what NumPy makes one of. Floats of at most 16 bits are
            transformed in single precision, integers in double, real numbers as complex ones; that is done
            as they are read.
        s: the length along each of the axes: x is cropped to it or padded with zeros; −1: as x has it.
            Alone it is for the last axes.
        axes: which axes, a number or several. None: all, or as many as s has.
        norm: where the factor 1/N for N points is: in the inverse (None, "backward"), in the forward
            transform ("forward"), or 1/√N in both ("ortho").
        overwrite_x: accepted; x is never written.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        more: ``prolog``, ``epilog``, ``prolog_inputs``, ``epilog_inputs``, ``out``, ``execution``,
            ``stream``, ``options`` as for :func:`mathwright.fft.fft`; ``plan``, which must be None.

    Returns:
        An array of the package of x; x itself if there are no axes.

    Raises:
        InvalidArgumentError: s, axes, norm, workers, a length of 0 and as :func:`mathwright.fft.fft`.
            (``ValueError``)

    >>> from mathwright.fft import fftn
    >>> fftn([[1, 2], [3, 4]])
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]])
    """
    return transform_nd("fft", x, s, axes, norm, workers, more)


def ifftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse complex transform along several axes, divided by the number of points.

    Arguments, result and errors are those of :func:`fftn`.

    >>> from mathwright.fft import fftn, ifftn
    >>> ifftn(fftn([[1, 2], [3, 4]])).real
    array([[1., 2.],
           [3., 4.]])
    """
    return transform_nd("ifft", x, s, axes, norm, workers, more)


def rfftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward transform of real data along several axes; the last listed one, of n, becomes n//2 + 1.

    Arguments, result and errors are those of :func:`fftn`; at least one axis is wanted.

    Raises:
        TypeMismatchError: complex data. (``TypeError``)

    >>> from mathwright.fft import rfftn
    >>> rfftn([[1.0, 2.0, 3.0, 4.0]]).shape
    (1, 3)
    """
    return transform_nd("rfft", x, s, axes, norm, workers, more)


def irfftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`rfftn`: the last listed axis, of m, becomes 2(m−1), or what s says.

    Arguments, result and errors are those of :func:`fftn`; at least one axis is wanted.

    >>> from mathwright.fft import irfftn, rfftn
    >>> irfftn(rfftn([[1.0, 2.0, 3.0]]), s=(1, 3))
    array([[1., 2., 3.]])
    """
    return transform_nd("irfft", x, s, axes, norm, workers, more)


def hfftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward transform of a Hermitian signal along several axes: real numbers.

    The last listed axis, of m, becomes 2(m−1), or what s says. Other arguments, result and errors are those of
    :func:`fftn`; at least one axis is wanted.

    >>> from mathwright.fft import hfftn
    >>> hfftn([[1, 2j, 3]])
    array([[ 4.,  2.,  4., -6.]])
    """
    return transform_nd("hfft", x, s, axes, norm, workers, more)


def ihfftn(
    x: Any,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`hfftn`; the last listed axis, of n, becomes n//2 + 1.

    Arguments, result and errors are those of :func:`fftn`; at least one axis is wanted.

    Raises:
        TypeMismatchError: complex data. (``TypeError``)

    >>> from mathwright.fft import ihfftn
    >>> ihfftn([[4.0, 2.0, 4.0, -6.0]]) + 0.0
    array([[1.+0.j, 0.+2.j, 3.+0.j]])
    """
    return transform_nd("ihfft", x, s, axes, norm, workers, more)


def fft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`fftn`, by default along the last two axes.

    >>> from mathwright.fft import fft2
    >>> fft2([[1, 2], [3, 4]])[0, 0]
    np.complex128(10+0j)
    """
    return transform_nd("fft", x, s, axes, norm, workers, more)


def ifft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`ifftn`, by default along the last two axes.

    >>> from mathwright.fft import ifft2
    >>> ifft2([[4, 0], [0, 0]]).real
    array([[1., 1.],
           [1., 1.]])
    """
    return transform_nd("ifft", x, s, axes, norm, workers, more)


def rfft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`rfftn`, by default along the last two axes.

    >>> from mathwright.fft import rfft2
    >>> rfft2([[1.0, 2.0], [3.0, 4.0]])
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]])
    """
    return transform_nd("rfft", x, s, axes, norm, workers, more)


def irfft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`irfftn`, by default along the last two axes.

    >>> from mathwright.fft import irfft2
    >>> irfft2([[4, 0], [0, 0]])
    array([[1., 1.],
           [1., 1.]])
    """
    return transform_nd("irfft", x, s, axes, norm, workers, more)


def hfft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`hfftn`, by default along the last two axes.

    >>> from mathwright.fft import hfft2
    >>> hfft2([[1, 0], [0, 0]])
    array([[1., 1.],
           [1., 1.]])
    """
    return transform_nd("hfft", x, s, axes, norm, workers, more)


def ihfft2(
    x: Any,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """The same as :func:`ihfftn`, by default along the last two axes.

    >>> from mathwright.fft import ihfft2
    >>> ihfft2([[1.0, 1.0], [1.0, 1.0]]).real
    array([[1., 0.],
           [0., 0.]])
    """
    return transform_nd("ihfft", x, s, axes, norm, workers, more)
