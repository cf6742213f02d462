# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The functions that share a name with one of Python's own, which this file therefore never uses.

``axis`` of a reduction is None (the whole result), an int, or a tuple of them, counted from the end (-1
is the last axis), or from the front where the number of axes is known. A reduction is an output:
nothing can be computed with it inside the function.
"""

from __future__ import annotations

from typing import Any

from mathwright import _core

_OP = _core.expr_ops


def abs(x: Any, /) -> Any:  # noqa: A001
    """The absolute value, of a complex one the magnitude.

    >>> import mathwright as mw
    >>> mw.abs(3 + 4j)
    5.0
    """
    return _core.expr_apply(_OP["absolute"], x)


def round(x: Any, /) -> Any:  # noqa: A001
    """The nearest whole number, of halves the even one; of an integer itself.

    >>> import mathwright as mw
    >>> mw.round(2.5)
    2.0
    """
    return _core.expr_apply(_OP["round"], x)


def sum(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:  # noqa: A001
    """The sum over axes of the result; of integers and bool as int64 (uint64).

    >>> import mathwright as mw
    >>> f = mw.trace(lambda x: {"result": x * x, "norms": mw.sum(x * x, axis=-1)}, x="float32")
    >>> print(f)
    result = x*x
    norms = sum(x*x, axis=-1)
    """
    return _core.expr_reduce(_OP["sum"], x, axis)


def prod(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:
    """The product over axes of the result; of integers and bool as int64 (uint64).

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.prod(x), x="float32"))
    prod(x)
    """
    return _core.expr_reduce(_OP["prod"], x, axis)


def max(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:  # noqa: A001
    """The largest over axes of the result; NaN if there is one.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.max(mw.abs(x)), x="float32"))
    max(abs(x))
    """
    return _core.expr_reduce(_OP["max"], x, axis)


def min(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:  # noqa: A001
    """The smallest over axes of the result; NaN if there is one.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.min(x, axis=(-2, -1)), x="float32"))
    min(x, axis=(-2, -1))
    """
    return _core.expr_reduce(_OP["min"], x, axis)


def argmax(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:
    """Where the largest is: its index along the axis, in C order over several. Of equals the first.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.argmax(x, axis=-1), x="float32"))
    argmax(x, axis=-1)
    """
    return _core.expr_reduce(_OP["argmax"], x, axis)


def argmin(x: Any, /, axis: int | tuple[int, ...] | None = None) -> Any:
    """Where the smallest is: its index along the axis, in C order over several. Of equals the first.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.argmin(x, axis=-1), x="float32"))
    argmin(x, axis=-1)
    """
    return _core.expr_reduce(_OP["argmin"], x, axis)
