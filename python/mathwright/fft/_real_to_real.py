# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Cosine and sine transforms, with SciPy's names and parameters."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mathwright import _core
from mathwright.errors import InvalidArgumentError, TypeMismatchError
from mathwright.fft._arguments import (
    Extras,
    Way,
    as_operand,
    axes_and_lengths,
    axis_and_length,
    check_extras,
    dtype_name,
    transform,
)
from mathwright.fft._names_nd import Axes, Lengths
from mathwright.fft._transform import Norm

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

Type: TypeAlias = Literal[1, 2, 3, 4]

_FIRST_ROWS = {"dct": 4, "dst": 8}  # of _core.fft()
_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


@functools.lru_cache(64)
def _way(who: str, type: Any) -> Way:
    if type not in _INVERSES:
        raise InvalidArgumentError(f"fft: {who}() of type {type!r}; 1, 2, 3 or 4 is wanted")
    inverse = who.startswith("i")
    row = _FIRST_ROWS[who.strip("in")] + (_INVERSES[type] if inverse else type) - 1
    return Way(row, inverse, "real")


def _complex(x: Any, re: Any) -> Any:
    return _core.expr_apply(_core.expr_ops["complex"], re, x)


def _real_part(z: Any) -> Any:
    return z.real


def _imaginary_part(z: Any) -> Any:
    return z.imag


def _run(
    who: str,
    x: Any,
    type: Any,
    axes: tuple[int, ...],
    lengths: tuple[int, ...] | None,
    norm: Any,
    workers: Any,
    orthogonalize: bool | None,
    more: Mapping[str, Any],
) -> Any:
    way = _way(who, type)
    weighted = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if not dtype_name(x).startswith("complex") or more.get("prolog") is not None:
        return transform(way, x, axes, lengths, norm, workers, more, weighted)
    # Real and imaginary parts one after the other; the second pass puts them together.
    if more.get("epilog") is not None:
        raise TypeMismatchError(
            f"fft: {who}() of complex numbers with an epilog; a prolog that makes them real is wanted too"
        )
    first: dict[str, Any] = {**more, "prolog": _real_part, "out": None}
    re = transform(way, x, axes, lengths, norm, workers, first, weighted)
    second = {**more, "prolog": _imaginary_part, "epilog": _complex, "epilog_inputs": {"re": re}}
    return transform(way, x, axes, lengths, norm, workers, second, weighted)


def _run_1d(
    who: str,
    x: Any,
    type: Any,
    n: Any,
    axis: Any,
    norm: Any,
    workers: Any,
    orthogonalize: Any,
    more: Any,
) -> Any:
    if more:
        check_extras(who, more)
    x = as_operand(x)
    return _run(who, x, type, *axis_and_length(x, n, axis), norm, workers, orthogonalize, more)


def _run_nd(
    who: str,
    x: Any,
    type: Any,
    s: Any,
    axes: Any,
    norm: Any,
    workers: Any,
    orthogonalize: Any,
    more: Any,
) -> Any:
    if more:
        check_extras(who, more)
    x = as_operand(x)
    chosen, lengths = axes_and_lengths(x, s, axes)
    if not chosen:  # as SciPy has it
        return x
    return _run(who, x, type, chosen, lengths, norm, workers, orthogonalize, more)


def dct(
    x: Any,
    type: Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Discrete cosine transform along one axis.

    ::

        type 1   y[k] = x[0] + (−1)^k x[n−1] + 2 Σ_(0<j<n−1) x[j] cos(π·jk/(n−1))     n ≥ 2
        type 2   y[k] = 2 Σ_j x[j] cos(π·k(2j+1)/2n)
        type 3   y[k] = x[0] + 2 Σ_(j>0) x[j] cos(π·j(2k+1)/2n)
        type 4   y[k] = 2 Σ_j x[j] cos(π(2j+1)(2k+1)/4n)

    Args:
        x: real numbers of any package, or what NumPy makes an array of. Floats of at most 16 bits are
            transformed in single precision, integers in double; of complex numbers the parts are.
        type: 1, 2, 3 or 4.
        n: the length of the transform: x is cropped to it or padded with zeros. None: that of x.
        axis: which axis.
        norm: where the factor 1/N, N = 2n, of type 1 2(n−1), is: in the inverse (None, "backward"), in the
            forward transform ("forward"), or 1/√N in both ("ortho").
        overwrite_x: accepted; x is never written.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        orthogonalize: type 2 divides y[0] by √2, type 3 multiplies x[0] by it, and type 1 does both at
            both ends;
            with norm "ortho" the matrix is then orthogonal. None: if norm is "ortho".
        more: ``prolog``, ``epilog``, ``prolog_inputs``, ``epilog_inputs``, ``out``, ``execution``,
            ``stream``, ``options`` as for :func:`mathwright.fft.fft`.

    Returns:
        An array of the shape of x, or of n along the axis, in float32 or float64, or complex if x is.

    Raises:
        InvalidArgumentError: type, n, norm, workers, a length of 0 and as :func:`mathwright.fft.fft`.
            (``ValueError``)
        AxisError: an axis that x does not have. (``ValueError``, ``IndexError``)
        UnsupportedError: work on a device. (``NotImplementedError``)

    >>> from mathwright.fft import dct
    >>> dct([1.0, 1.0], norm="ortho").round(12)
    array([1.41421356, 0.        ])
    """
    return _run_1d("dct", x, type, n, axis, norm, workers, orthogonalize, more)


def idct(
    x: Any,
    type: Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`dct` of the same type: the same transform, of type 2 that of type 3 and the reverse.

    Arguments, result and errors are those of :func:`dct`.

    >>> from mathwright.fft import dct, idct
    >>> idct(dct([1.0, 2.0, 3.0])).round(12)
    array([1., 2., 3.])
    """
    return _run_1d("idct", x, type, n, axis, norm, workers, orthogonalize, more)


def dctn(
    x: Any,
    type: Type = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Discrete cosine transform along several axes.

    Arguments, result and errors are those of :func:`dct`; ``s`` and ``axes`` those of :func:`fftn`.

    >>> from mathwright.fft import dctn
    >>> dctn([[1.0, 1.0], [1.0, 1.0]], norm="ortho").round(12) + 0.0
    array([[2., 0.],
           [0., 0.]])
    """
    return _run_nd("dctn", x, type, s, axes, norm, workers, orthogonalize, more)


def idctn(
    x: Any,
    type: Type = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`dctn` of the same type.

    Arguments, result and errors are those of :func:`dctn`.

    >>> from mathwright.fft import idctn
    >>> idctn([[2.0, 0.0], [0.0, 0.0]], norm="ortho").round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    return _run_nd("idctn", x, type, s, axes, norm, workers, orthogonalize, more)


def dst(
    x: Any,
    type: Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Discrete sine transform along one axis.

    ::

        type 1   y[k] = 2 Σ_j x[j] sin(π(j+1)(k+1)/(n+1))
        type 2   y[k] = 2 Σ_j x[j] sin(π(k+1)(2j+1)/2n)
        type 3   y[k] = (−1)^k x[n−1] + 2 Σ_(j<n−1) x[j] sin(π(j+1)(2k+1)/2n)
        type 4   y[k] = 2 Σ_j x[j] sin(π(2j+1)(2k+1)/4n)

    Args:
        x: real numbers of any package, or what NumPy makes an array of. Floats of at most 16 bits are
            transformed in single precision, integers in double; of complex numbers the parts are.
        type: 1, 2, 3 or 4.
        n: the length of the transform: x is cropped to it or padded with zeros. None: that of x.
        axis: which axis.
        norm: where the factor 1/N, N = 2n, of type 1 2(n+1), is: in the inverse (None, "backward"), in the
            forward transform ("forward"), or 1/√N in both ("ortho").
        overwrite_x: accepted; x is never written.
        workers: the number of threads; −1: one for each CPU. None: as the execution has it.
        orthogonalize: type 2 divides y[n−1] by √2 and type 3 multiplies x[n−1] by it;
            with norm "ortho" the matrix is then orthogonal. None: if norm is "ortho".
        more: ``prolog``, ``epilog``, ``prolog_inputs``, ``epilog_inputs``, ``out``, ``execution``,
            ``stream``, ``options`` as for :func:`mathwright.fft.fft`.

    Returns:
        An array of the shape of x, or of n along the axis, in float32 or float64, or complex if x is.

    Raises:
        InvalidArgumentError: type, n, norm, workers, a length of 0 and as :func:`mathwright.fft.fft`.
            (``ValueError``)
        AxisError: an axis that x does not have. (``ValueError``, ``IndexError``)
        UnsupportedError: work on a device. (``NotImplementedError``)

    >>> from mathwright.fft import dst
    >>> dst([1.0, 0.0], type=1).round(12)
    array([1.73205081, 1.73205081])
    """
    return _run_1d("dst", x, type, n, axis, norm, workers, orthogonalize, more)


def idst(
    x: Any,
    type: Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`dst` of the same type: the same transform, of type 2 that of type 3 and the reverse.

    Arguments, result and errors are those of :func:`dst`.

    >>> from mathwright.fft import dst, idst
    >>> idst(dst([1.0, 2.0, 3.0])).round(12)
    array([1., 2., 3.])
    """
    return _run_1d("idst", x, type, n, axis, norm, workers, orthogonalize, more)


def dstn(
    x: Any,
    type: Type = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Discrete sine transform along several axes.

    Arguments, result and errors are those of :func:`dst`; ``s`` and ``axes`` those of :func:`fftn`.

    >>> from mathwright.fft import dstn, idstn
    >>> idstn(dstn([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[1., 2.],
           [3., 4.]])
    """
    return _run_nd("dstn", x, type, s, axes, norm, workers, orthogonalize, more)


def idstn(
    x: Any,
    type: Type = 2,
    s: Lengths = None,
    axes: Axes = None,
    norm: Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    **more: Unpack[Extras],
) -> Any:
    """Inverse of :func:`dstn` of the same type.

    Arguments, result and errors are those of :func:`dstn`.

    >>> from mathwright.fft import dstn, idstn
    >>> dstn(idstn([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[1., 2.],
           [3., 4.]])
    """
    return _run_nd("idstn", x, type, s, axes, norm, workers, orthogonalize, more)
