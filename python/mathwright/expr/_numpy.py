# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on values of a recorded function: each becomes one of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mathwright import _core
from mathwright.errors import InvalidArgumentError
from mathwright.expr import _functions, _shadowing

_apply = _core.expr_apply
_OP = _core.expr_ops

# NumPy's name of a ufunc: the operation that it is.
_UFUNCS = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "true_divide": "divide",
    "floor_divide": "floor_divide",
    "remainder": "remainder",
    "mod": "remainder",
    "power": "power",
    "negative": "negate",
    "minimum": "minimum",
    "maximum": "maximum",
    "absolute": "absolute",
    "fabs": "absolute",
    "sign": "sign",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "round",
    "square": "square",
    "sqrt": "sqrt",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tanh": "tanh",
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
    "bitwise_and": "bit_and",
    "bitwise_or": "bit_or",
    "bitwise_xor": "bit_xor",
    "invert": "bit_not",
    "bitwise_not": "bit_not",
    "left_shift": "shift_left",
    "right_shift": "shift_right",
    "conjugate": "conj",
}


def _truth(x: Any) -> Any:
    return x if isinstance(x, bool) or getattr(x, "dtype", None) == "bool" else x != 0


# What takes more than one operation.
_COMPOSED: dict[str, Callable[..., Any]] = {
    "positive": lambda x: +x,
    "reciprocal": lambda x: 1 / x,
    "logical_and": lambda a, b: _truth(a) & _truth(b),
    "logical_or": lambda a, b: _truth(a) | _truth(b),
    "logical_xor": lambda a, b: _truth(a) ^ _truth(b),
    "logical_not": lambda a: ~_truth(a),
    "clip": _functions.clamp,
}

_LIKELY = {
    "exp2": "mathwright.exp(x * 0.6931471805599453)",
    "log2": "mathwright.log(x) * 1.4426950408889634",
    "log10": "mathwright.log(x) * 0.4342944819032518",
    "fmax": "mathwright.maximum, which gives NaN if either is",
    "fmin": "mathwright.minimum, which gives NaN if either is",
    "tan": "mathwright.sin(x) / mathwright.cos(x)",
    "hypot": "mathwright.sqrt(a * a + b * b)",
}


def _refuse(name: str) -> InvalidArgumentError:
    ours = sorted({*_functions.__dict__, *_shadowing.__dict__} & set(_PUBLIC))
    instead = f"write {_LIKELY[name]}" if name in _LIKELY else f"there are {', '.join(ours)}"
    return InvalidArgumentError(
        f"numpy.{name} of a value of a recorded function is not known; {instead}"
    )


def apply_ufunc(
    ufunc: Any, method: str, inputs: tuple[Any, ...], options: Mapping[str, Any]
) -> Any:
    """``Value.__array_ufunc__``."""
    name = ufunc.__name__
    if method != "__call__":
        raise InvalidArgumentError(
            f"numpy.{name}.{method} of a value of a recorded function; reductions are "
            "mathwright.sum, prod, max, min, argmax and argmin"
        )
    if options:
        raise InvalidArgumentError(
            f"numpy.{name} with {', '.join(options)} of a value of a recorded function; for "
            "another dtype write x.astype(dtype), for a choice mathwright.where"
        )
    operation = _UFUNCS.get(name)
    if operation is not None:
        return _apply(_OP[operation], *inputs)
    composed = _COMPOSED.get(name)
    if composed is None:
        raise _refuse(name)
    return composed(*inputs)


def _clip(x: Any, a_min: Any = None, a_max: Any = None, **bounds: Any) -> Any:
    low, high = bounds.get("min", a_min), bounds.get("max", a_max)
    if low is None:
        return x if high is None else _functions.minimum(x, high)
    return _functions.maximum(x, low) if high is None else _functions.clamp(x, low, high)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": _functions.where,
    "clip": _clip,
    "real": _functions.real,
    "imag": _functions.imag,
    "round": _shadowing.round,
    "around": _shadowing.round,
    "sum": _shadowing.sum,
    "prod": _shadowing.prod,
    "max": _shadowing.max,
    "min": _shadowing.min,
    "amax": _shadowing.max,
    "amin": _shadowing.min,
    "argmax": _shadowing.argmax,
    "argmin": _shadowing.argmin,
}

_PUBLIC = [
    name
    for module in (_functions, _shadowing)
    for name, value in vars(module).items()
    if callable(value) and getattr(value, "__module__", None) == module.__name__
]


def apply_function(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """``Value.__array_function__``."""
    name = function.__name__
    ours = _FUNCTIONS.get(name)
    if ours is None:
        raise _refuse(name)
    try:
        return ours(*args, **kwargs)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise InvalidArgumentError(
            f"numpy.{name} with these arguments inside a recorded function: {error}"
        ) from None
