# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Recording a function, and the function recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mathwright import _core


class Parameter(NamedTuple):
    """An input of an expression: dtype in memory, and whether it is a number given at run time."""

    name: str
    dtype: str
    scalar: bool


class Expr:
    """A recorded function: immutable, hashable, comparable by value, picklable.

    Made by :func:`trace`. Wherever an operation takes a function, it takes an Expr of the same dtypes.

    >>> import mathwright as mw
    >>> f = mw.trace(lambda x, bias: mw.relu(0.45 * x + bias), x="float32", bias="float32")
    >>> print(f)
    relu(0.45*x + bias)
    >>> f == mw.trace(lambda x, bias: mw.relu(0.45 * x + bias), x="float32", bias="float32")
    True
    """

    __slots__ = ("_function", "_hash")
    _function: _core.RecordedFunction
    _hash: int

    def __init__(self, recorded: _core.RecordedFunction) -> None:
        if not isinstance(recorded, _core.RecordedFunction):
            from mathwright.errors import TypeMismatchError

            raise TypeMismatchError(
                f"Expr: {type(recorded).__name__} is given; expressions are made by "
                "mathwright.trace(function, name=dtype, …)"
            )
        object.__setattr__(self, "_function", recorded)
        object.__setattr__(self, "_hash", recorded.hash())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Expr is immutable; its {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Expr is immutable; its {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr):
            return NotImplemented
        return self._hash == other._hash and self._function.same(other._function)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Callable[[bytes], Expr], tuple[bytes]]:
        return expr_from_bytes, (self.to_bytes(),)

    def __str__(self) -> str:
        return self._function.text()

    def __repr__(self) -> str:
        inputs = ", ".join(f"{p.name}: {p.dtype}" for p in self.parameters)
        outputs = ", ".join(f"{name}: {dtype}" for name, dtype in self.outputs.items())
        return f"<Expr ({inputs}) -> ({outputs})>"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The inputs: arrays in the order of the function's parameters, then run-time numbers.

        >>> import mathwright as mw
        >>> mw.trace(lambda x, s: x * s, x="float16", s=float).parameters[1]
        Parameter(name='s', dtype='float64', scalar=True)
        """
        return tuple(Parameter(*row) for row in self._function.parameters())

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs and the dtypes they are stored in.

        >>> import mathwright as mw
        >>> mw.trace(lambda x: {"result": x + 1, "mask": x > 0}, x="float16").outputs
        {'result': 'float16', 'mask': 'bool'}
        """
        return dict(self._function.outputs())

    @property
    def dtype(self) -> str:
        """The dtype of ``result``, or of the only output.

        >>> import mathwright as mw
        >>> mw.trace(lambda x: abs(x), x="complex64").dtype
        'float32'
        """
        outputs = self.outputs
        if "result" in outputs:
            return outputs["result"]
        if len(outputs) == 1:
            return next(iter(outputs.values()))
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(
            f"Expr.dtype: none of the outputs {list(outputs)} is named 'result'; read .outputs"
        )

    def grad(self, name: str, /, output: str = "result") -> Expr:
        """The derivative of an output by an input, at each point.

        Args:
            name: the input.
            output: the output; of a sum, its term is derived.

        Comparisons, rounding and integers have derivative 0; at a kink it is that of one side.

        Raises:
            InvalidArgumentError: an unknown name, integer dtypes, a reduction other than a sum, or,
                by a complex input, what has no complex derivative.

        >>> import mathwright as mw
        >>> print(mw.trace(lambda x, y: x * mw.exp(y), x="float32", y="float32").grad("y"))
        x*exp(y)
        """
        return Expr(self._function.grad(output, name))

    def to_bytes(self) -> bytes:
        """The expression as bytes, for :func:`expr_from_bytes`.

        >>> import mathwright as mw
        >>> mw.trace(lambda x: x + 1, x="float32").to_bytes()[:5]
        b'MWEX1'
        """
        return self._function.to_bytes()

    def to_dot(self) -> str:
        """The graph for Graphviz's ``dot``.

        >>> import mathwright as mw
        >>> mw.trace(lambda x: x + 1, x="float32").to_dot().split()[0]
        'digraph'
        """
        return self._function.dot()

    def to_svg(self) -> str:
        """The graph as a picture; notebooks show it by themselves.

        >>> import mathwright as mw
        >>> mw.trace(lambda x: x + 1, x="float32").to_svg()[:4]
        '<svg'
        """
        return self._function.svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()


def expr_from_bytes(data: bytes, /) -> Expr:
    """The expression that :meth:`Expr.to_bytes` wrote.

    Raises:
        InvalidArgumentError: bytes that are damaged, or no expression.

    >>> import mathwright as mw
    >>> f = mw.trace(lambda x: x + 1, x="float32")
    >>> mw.expr.expr_from_bytes(f.to_bytes()) == f
    True
    """
    return Expr(_core.RecordedFunction.from_bytes(data))


def trace(function: Callable[..., Any], /, *, ndim: int | None = None, **inputs: Any) -> Expr:
    """Records what a function computes.

    The function is called once, with a value in place of each parameter; what it does with them is
    written down. It may use arithmetic, comparisons, the functions of this package or NumPy's of the
    same names, and whatever Python does not depend on a value. It returns a value, or a dict of names
    and values (``"result"`` is the main one).

    Args:
        function: a callable whose parameters are named in ``inputs``. One more parameter named ``i`` or
            ``index`` gets the place in the result: ``i[-1]`` is the index along the last axis.
        ndim: the number of axes, if they shall be counted from the front too.
        inputs: the dtype of each parameter (a name, a NumPy dtype, or an array that has it), or
            ``float``, ``int``, ``complex``, ``bool`` for a number that is given at run time.

    Returns:
        The expression. Its dtypes follow docs/expressions.md: narrow floats are computed in float32,
        numbers in the code take the dtype of what they meet.

    Raises:
        InvalidArgumentError: parameters and inputs that do not match, by name, or operations that have no
            meaning, with what to write instead. (``ValueError``)
        TypeMismatchError: a branch or loop on a value, an array inside the function. (``TypeError``)

    >>> import mathwright as mw
    >>> f = mw.trace(lambda x, bias, s: mw.gelu(s * x + bias), x="bfloat16", bias="float32", s=float)
    >>> print(f, f.dtype)
    gelu(s*x + bias) float32
    """
    return Expr(_core.expr_trace(function, inputs, ndim))
