# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The Fourier transforms of one axis with SciPy's parameters.

:mod:`mathwright.fft` exports ``hfft`` and ``ihfft``; its own ``fft``, ``ifft``, ``rfft`` and ``irfft`` take
``axes`` and are unnormalised. All are in :mod:`mathwright.scipy_backend`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathwright.fft._arguments import Extras, transform_1d
from mathwright.fft._transform import Norm

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


def fft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward complex transform along one axis.

    X[k] = Σ_j x[j] exp(−2πi jk/n), by SciPy's rules.

    Args:
        x: an array of any dtype and any package, or what NumPy makes one of. Floats of at most 16 bits are
            transformed in single precision, integers in double, real numbers as complex ones; that is done
            as they are read.
        n: the length of the transform: x is cropped to it or padded with zeros. None: that of x.
        axis: which axis.
        norm: where the factor 1/n is: in the inverse (None, "backward"), in the forward transform
            ("forward"), or 1/√n in both ("ortho").
        overwrite_x: accepted; x is never written.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        more: ``prolog``, ``epilog``, ``prolog_inputs``, ``epilog_inputs``, ``out``, ``execution``,
            ``stream``, ``options`` as for :func:`mathwright.fft.fft`; ``plan``, which must be None.

    Returns:
        An array of the package of x.

    Raises:
        InvalidArgumentError: n, norm, workers, a length of 0 and as :func:`mathwright.fft.fft`.
            (``ValueError``)
        AxisError: an axis that x does not have. (``ValueError``, ``IndexError``)

    >>> from mathwright.fft._names_1d import fft
    >>> fft([1, 0, 0], n=2)
    array([1.+0.j, 1.+0.j])
    """
    return transform_1d("fft", x, n, axis, norm, workers, more)


def ifft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse complex transform along one axis, divided by n.

    Arguments, result and errors are those of :func:`fft`.

    >>> from mathwright.fft._names_1d import fft, ifft
    >>> ifft(fft([1.0, 2.0, 3.0])).real.round(12)
    array([1., 2., 3.])
    """
    return transform_1d("ifft", x, n, axis, norm, workers, more)


def rfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward transform of real data along one axis, which becomes n//2 + 1.

    Arguments, result and errors are those of :func:`fft`.

    Raises:
        TypeMismatchError: complex data. (``TypeError``)

    >>> from mathwright.fft._names_1d import rfft
    >>> rfft([1, 0, 0, 0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return transform_1d("rfft", x, n, axis, norm, workers, more)


def irfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`rfft`: n real numbers, by default 2(m−1), of m complex ones.

    Arguments, result and errors are those of :func:`fft`.

    >>> from mathwright.fft._names_1d import irfft, rfft
    >>> irfft(rfft([1.0, 2.0, 3.0]), n=3)
    array([1., 2., 3.])
    """
    return transform_1d("irfft", x, n, axis, norm, workers, more)


def hfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Forward transform of a Hermitian signal along one axis: n real numbers, by default 2(m−1).

    x holds the first m = n//2 + 1 elements. y[k] = Σ_j x[j] exp(−2πi jk/n), with x[n−j] = conj x[j].

    Args:
        x: complex numbers, or real ones.
        n: the length of the result. None: 2(m−1).
        axis: which axis.
        norm: where the factor 1/n is: in the inverse (None, "backward"), in the forward transform
            ("forward"), or 1/√n in both ("ortho").
        overwrite_x: accepted; x is never written.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        more: ``prolog``, ``epilog``, ``prolog_inputs``, ``epilog_inputs``, ``out``, ``execution``,
            ``stream``, ``options`` as for :func:`mathwright.fft.fft`; ``plan``, which must be None.

    Returns:
        A real array of the package of x.

    Raises:
        InvalidArgumentError: n, norm, workers, a length of 0 and as :func:`mathwright.fft.fft`.
            (``ValueError``)
        AxisError: an axis that x does not have. (``ValueError``, ``IndexError``)

    >>> from mathwright.fft import hfft
    >>> hfft([1, 2j, 3])
    array([ 4.,  2.,  4., -6.])
    """
    return transform_1d("hfft", x, n, axis, norm, workers, more)


def ihfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`hfft`: the first n//2 + 1 elements of the Hermitian signal, divided by n.

    Arguments, result and errors are those of :func:`hfft`, but x is real and n its length.

    Raises:
        TypeMismatchError: complex data. (``TypeError``)

    >>> from mathwright.fft import ihfft
    >>> ihfft([4.0, 2.0, 4.0, -6.0]) + 0.0
    array([1.+0.j, 0.+2.j, 3.+0.j])
    """
    return transform_1d("ihfft", x, n, axis, norm, workers, more)
