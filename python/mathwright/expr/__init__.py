# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of your own, fused into operations.

A fused function is an ordinary Python function of one element of a result, run once to record what it
computes. All names are in :mod:`mathwright` itself: ``mw.relu``, ``mw.where``, ``mw.sum``, …

* :func:`trace` records a function, :class:`Expr` is what was recorded
* docs/expressions.md has the types and every operation

>>> import mathwright as mw
>>> f = mw.trace(lambda x, bias: mw.relu(x + bias), x="float32", bias="float32")
>>> print(f.grad("x"))
where(x + bias > 0, 1, 0)
"""

from mathwright.expr._functions import (
    ceil,
    clamp,
    conj,
    cos,
    erf,
    exp,
    expm1,
    floor,
    gelu,
    imag,
    index,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    maximum,
    minimum,
    real,
    relu,
    rsqrt,
    sigmoid,
    sign,
    silu,
    sin,
    sqrt,
    square,
    tanh,
    trunc,
    where,
)
from mathwright.expr._shadowing import (
    abs,  # noqa: A004
    argmax,
    argmin,
    max,  # noqa: A004
    min,  # noqa: A004
    prod,
    round,  # noqa: A004
    sum,  # noqa: A004
)
from mathwright.expr._trace import Expr, Parameter, expr_from_bytes, trace

__all__ = [
    "Expr",
    "Parameter",
    "abs",
    "argmax",
    "argmin",
    "ceil",
    "clamp",
    "conj",
    "cos",
    "erf",
    "exp",
    "expm1",
    "expr_from_bytes",
    "floor",
    "gelu",
    "imag",
    "index",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "max",
    "maximum",
    "min",
    "minimum",
    "prod",
    "real",
    "relu",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sqrt",
    "square",
    "sum",
    "tanh",
    "trace",
    "trunc",
    "where",
]
