# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The functions that a fused function is written with.

Each takes values of the function being recorded, or numbers; of numbers alone the result is a number.
``abs``, ``round`` and the reductions, which share names with Python's own, are in :mod:`._shadowing`.
"""

from __future__ import annotations

from typing import Any, Literal

from mathwright import _core

_apply = _core.expr_apply
_OP = _core.expr_ops


def relu(x: Any, /) -> Any:
    """max(x, 0); NaN stays.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x, bias: mw.relu(x + bias), x="float32", bias="float32"))
    relu(x + bias)
    """
    return _apply(_OP["relu"], x)


def gelu(x: Any, /, approximate: Literal["none", "tanh"] = "none") -> Any:
    """x/2·(1 + erf(x/√2)), or its tanh form x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).

    Args:
        x: a real value. NaN at -inf.
        approximate: ``"none"`` or ``"tanh"``, as PyTorch has it. The tanh form is that of cuBLASLt.

    >>> import mathwright as mw
    >>> round(mw.gelu(1.0), 4), round(mw.gelu(1.0, approximate="tanh"), 4)
    (0.8413, 0.8412)
    """
    if approximate == "none":
        return _apply(_OP["gelu"], x)
    if approximate == "tanh":
        return _apply(_OP["gelu_tanh"], x)
    from mathwright.errors import InvalidArgumentError

    raise InvalidArgumentError(f"gelu: approximate is {approximate!r}; 'none' or 'tanh' is wanted")


def silu(x: Any, /) -> Any:
    """x·sigmoid(x), also called swish.

    >>> import mathwright as mw
    >>> round(mw.silu(1.0), 4)
    0.7311
    """
    return _apply(_OP["silu"], x)


def sigmoid(x: Any, /) -> Any:
    """1/(1 + exp(-x)).

    >>> import mathwright as mw
    >>> mw.sigmoid(0.0)
    0.5
    """
    return _apply(_OP["sigmoid"], x)


def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent.

    >>> import mathwright as mw
    >>> mw.tanh(0.0)
    0.0
    """
    return _apply(_OP["tanh"], x)


def erf(x: Any, /) -> Any:
    """2/√π · ∫₀ˣ exp(-t²) dt.

    >>> import mathwright as mw
    >>> round(mw.erf(1.0), 4)
    0.8427
    """
    return _apply(_OP["erf"], x)


def exp(x: Any, /) -> Any:
    """e to the power x, real or complex.

    >>> import mathwright as mw
    >>> mw.exp(0.0)
    1.0
    """
    return _apply(_OP["exp"], x)


def expm1(x: Any, /) -> Any:
    """exp(x) - 1, exact near 0.

    >>> import mathwright as mw
    >>> mw.expm1(1e-20)
    1e-20
    """
    return _apply(_OP["expm1"], x)


def log(x: Any, /) -> Any:
    """The natural logarithm; NaN of what is negative.

    >>> import mathwright as mw
    >>> mw.log(1.0)
    0.0
    """
    return _apply(_OP["log"], x)


def log1p(x: Any, /) -> Any:
    """log(1 + x), exact near 0.

    >>> import mathwright as mw
    >>> mw.log1p(1e-20)
    1e-20
    """
    return _apply(_OP["log1p"], x)


def sqrt(x: Any, /) -> Any:
    """The square root, correctly rounded; NaN of what is negative.

    >>> import mathwright as mw
    >>> mw.sqrt(2.25)
    1.5
    """
    return _apply(_OP["sqrt"], x)


def rsqrt(x: Any, /) -> Any:
    """1/√x.

    >>> import mathwright as mw
    >>> mw.rsqrt(4.0)
    0.5
    """
    return _apply(_OP["rsqrt"], x)


def sin(x: Any, /) -> Any:
    """The sine of an angle in radians.

    >>> import mathwright as mw
    >>> mw.sin(0.0)
    0.0
    """
    return _apply(_OP["sin"], x)


def cos(x: Any, /) -> Any:
    """The cosine of an angle in radians.

    >>> import mathwright as mw
    >>> mw.cos(0.0)
    1.0
    """
    return _apply(_OP["cos"], x)


def minimum(a: Any, b: Any, /) -> Any:
    """The smaller of two; NaN if either is.

    >>> import mathwright as mw
    >>> mw.minimum(1, 2.5)
    1.0
    """
    return _apply(_OP["minimum"], a, b)


def maximum(a: Any, b: Any, /) -> Any:
    """The larger of two; NaN if either is.

    >>> import mathwright as mw
    >>> mw.maximum(1, 2.5)
    2.5
    """
    return _apply(_OP["maximum"], a, b)


def where(condition: Any, a: Any, b: Any, /) -> Any:
    """a where the condition holds, else b: what a branch becomes.

    Both are computed at every point. The condition is a bool value, a comparison for one.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.where(x > 0, x, 0.01 * x), x="float32"))
    where(x > 0, x, 0.01*x)
    """
    return _apply(_OP["where"], condition, a, b)


def clamp(x: Any, /, low: Any, high: Any) -> Any:
    """minimum(maximum(x, low), high); NaN if one of them is.

    >>> import mathwright as mw
    >>> mw.clamp(7, 0, 5)
    5
    """
    return _apply(_OP["clamp"], x, low, high)


def floor(x: Any, /) -> Any:
    """The largest whole number that is not larger; of an integer itself.

    >>> import mathwright as mw
    >>> mw.floor(-0.5)
    -1.0
    """
    return _apply(_OP["floor"], x)


def ceil(x: Any, /) -> Any:
    """The smallest whole number that is not smaller; of an integer itself.

    >>> import mathwright as mw
    >>> mw.ceil(1.2)
    2.0
    """
    return _apply(_OP["ceil"], x)


def trunc(x: Any, /) -> Any:
    """The whole number next to x towards 0; of an integer itself.

    >>> import mathwright as mw
    >>> mw.trunc(-1.7)
    -1.0
    """
    return _apply(_OP["trunc"], x)


def sign(x: Any, /) -> Any:
    """-1, 0 or 1; NaN of NaN.

    >>> import mathwright as mw
    >>> mw.sign(-2.0)
    -1.0
    """
    return _apply(_OP["sign"], x)


def square(x: Any, /) -> Any:
    """x·x, of real, complex and integer values.

    >>> import mathwright as mw
    >>> mw.square(3)
    9
    """
    return _apply(_OP["square"], x)


def isnan(x: Any, /) -> Any:
    """Whether x, or a part of it if it is complex, is not a number.

    >>> import mathwright as mw
    >>> mw.isnan(float("nan"))
    True
    """
    return _apply(_OP["isnan"], x)


def isinf(x: Any, /) -> Any:
    """Whether x, or a part of it if it is complex, is infinite.

    >>> import mathwright as mw
    >>> mw.isinf(1.0)
    False
    """
    return _apply(_OP["isinf"], x)


def isfinite(x: Any, /) -> Any:
    """Whether x, and each part of it if it is complex, is neither infinite nor NaN.

    >>> import mathwright as mw
    >>> mw.isfinite(1.0)
    True
    """
    return _apply(_OP["isfinite"], x)


def real(z: Any, /) -> Any:
    """The real part; of a real value itself.

    >>> import mathwright as mw
    >>> mw.real(1 + 2j)
    1.0
    """
    return _apply(_OP["real"], z)


def imag(z: Any, /) -> Any:
    """The imaginary part; of a real value 0.

    >>> import mathwright as mw
    >>> mw.imag(1 + 2j)
    2.0
    """
    return _apply(_OP["imag"], z)


def conj(z: Any, /) -> Any:
    """The complex conjugate; of a real value itself.

    >>> import mathwright as mw
    >>> mw.conj(1 + 2j)
    (1-2j)
    """
    return _apply(_OP["conj"], z)


def index(axis: int, /) -> Any:
    """The place in the result along an axis, as int64: what ``i[axis]`` is of a parameter ``i``.

    Args:
        axis: counted from the end (-1 is the last), or from the front where the number of axes is
            known.

    >>> import mathwright as mw
    >>> print(mw.trace(lambda x: mw.where(mw.index(-1) > mw.index(-2), 0.0, x), x="float32"))
    where(index(-1) > index(-2), 0, x)
    """
    return _core.expr_index(axis)
