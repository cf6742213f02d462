# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions with reductions, fused into one pass over memory."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from mathwright import _core
from mathwright.errors import InvalidStateError, TypeMismatchError


class Fused(_core.FuseFunction):
    """A function of numbers, applied to arrays. Made by :func:`fuse`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, _parameters(function))
        self._function = function
        if not isinstance(function, functools.partial) and hasattr(function, "__name__"):
            functools.update_wrapper(self, function)

    @property
    def expr(self) -> Any:
        """What the last call computed, as an :class:`~mathwright.Expr`.

        Raises:
            InvalidStateError: before the first call.

        >>> import numpy as np, mathwright as mw
        >>> f = mw.fuse(lambda x, s: mw.relu(x) * s)
        >>> f(np.ones(2, np.float32), 2.0)
        array([2., 2.], dtype=float32)
        >>> print(f.expr)
        relu(x)*s
        """
        import mathwright

        inputs = self._last_inputs()
        if not inputs:
            raise InvalidStateError(
                "fuse: the function was not called yet, so the dtypes of its operands are not known; "
                "call it, or use mathwright.trace(function, name=dtype, …)"
            )
        if isinstance(self._function, mathwright.Expr):
            return self._function
        scalars: dict[str, Any] = {"bool": bool, "int64": int, "float64": float}
        dtypes: dict[str, Any] = {
            name: scalars.get(dtype, complex) if scalar else dtype for name, dtype, scalar in inputs
        }
        return mathwright.trace(self._function, **dtypes)

    def explain(self, *arrays: Any, **named: Any) -> str:
        """What a call with these arguments does, and why: the implementation, the others with their
        reasons, and the least time the hardware allows. Nothing is computed.

        Args:
            arrays, named: as for a call.

        >>> import numpy as np, mathwright as mw
        >>> "fuse" in mw.fuse(lambda x: x + 1).explain(np.ones(3))
        True
        """
        return self._explain(*arrays, **named)


def fuse(function: Callable[..., Any], /) -> Fused:
    """An elementwise function of your own, with reductions, in one pass over memory.

    Args:
        function: an ordinary function of numbers, or an :class:`~mathwright.Expr`. It is run once for
            every combination of dtypes it is called with, to record what it computes; it must not
            branch on values (write :func:`~mathwright.where`). It returns a value or a dict of them; a
            value may be a reduction: ``mw.sum(x * y)``, ``mw.max(x, axis=-1)``. A parameter named ``i`` or
            ``index`` that gets no operand is the tuple of the point's indices.

    Returns:
        A callable ``f(*operands, out=None, stream=None, execution=None, **operands)``. Operands are
        given in order or by name: arrays of one package on one device, of any layout, which broadcast
        by NumPy's rules, and Python numbers, which may change from call to call at no cost. The result
        is an array of the same package, or a dict of them; ``out`` takes the result (``"result"``, or
        the first), converted to its dtype, and may be one of the operands. ``stream`` and ``execution``
        are as for :func:`mathwright.linalg.matmul`. The types are those of docs/expressions.md.

    Raises:
        InvalidArgumentError: shapes that do not broadcast, dtypes, ``out``, the function. (``ValueError``)
        TypeMismatchError: a branch on a value, an operand of another package or unknown name.
            (``TypeError``)
        UnsupportedError: nothing can do it; all reasons are listed. (``NotImplementedError``)

    Sums of floats are accumulated in float64; a NaN wins in ``max`` and ``min``. Results are the same from
    run to run for a number of threads.

    >>> import numpy as np, mathwright as mw
    >>> x, y = np.array([-1.0, 2.0]), np.array([10.0, 20.0])
    >>> f = mw.fuse(lambda x, y: mw.relu(x) + y)
    >>> f(x, y)
    array([10., 22.])
    >>> @mw.fuse
    ... def moments(x):
    ...     return {"sum": mw.sum(x), "squares": mw.sum(x * x)}
    >>> {name: float(value) for name, value in moments(x).items()}
    {'sum': 1.0, 'squares': 5.0}
    """
    return Fused(function)


def _parameters(function: Any) -> list[str]:
    """The names of a function's parameters, or of an expression's inputs."""
    from mathwright.expr import Expr

    if isinstance(function, Expr):
        return [parameter.name for parameter in function.parameters]
    if not callable(function):
        raise TypeMismatchError(
            f"fuse: {function!r} is given; a function of numbers is wanted, for example "
            "lambda x: mathwright.relu(x)"
        )
    kinds = inspect.Parameter
    names = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            raise TypeMismatchError(
                f"fuse: the function has a parameter {parameter}; parameters with names of their own "
                "are wanted"
            )
        names.append(parameter.name)
    reserved = {"out", "stream", "execution"}.intersection(names)
    if reserved:
        raise TypeMismatchError(
            f"fuse: the function has a parameter {sorted(reserved)[0]!r}, which means something else "
            "in a call; give it another name"
        )
    return names
