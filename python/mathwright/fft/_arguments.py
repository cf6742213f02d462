# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What the arguments of SciPy's functions mean: operands, axes, lengths, norms, workers, functions."""

from __future__ import annotations

import functools
import inspect
import operator
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict

import numpy as np

from mathwright import _core
from mathwright.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError


class AxisError(InvalidArgumentError, IndexError):
    """An axis that the operand does not have. (``ValueError``, ``IndexError``)"""


class Extras(TypedDict, total=False):
    """What every function takes beyond SciPy's parameters, by keyword; see :func:`mathwright.fft.fft`."""

    plan: None  # SciPy has it, for None only
    prolog: Callable[..., Any] | None
    epilog: Callable[..., Any] | None
    prolog_inputs: Mapping[str, Any] | None
    epilog_inputs: Mapping[str, Any] | None
    out: Any
    execution: Any
    stream: Any
    options: Any


_EXTRAS = frozenset(Extras.__annotations__)


class Way(NamedTuple):
    """How a function of SciPy's is made of a transform of ours."""

    row: int  # of _core.fft()
    inverse: bool  # whether norm="backward" puts the factor on it
    reads: str  # "real", "complex"
    conjugate: bool = False  # the complex side


WAYS = {
    "fft": Way(0, False, "complex"),
    "ifft": Way(1, True, "complex"),
    "rfft": Way(2, False, "real"),
    "irfft": Way(3, True, "complex"),
    "hfft": Way(3, False, "complex", True),
    "ihfft": Way(2, True, "real", True),
}


@functools.lru_cache(64)
def _name(dtype: Any) -> str:
    return str(getattr(dtype, "name", None) or str(dtype).removeprefix("torch."))


def dtype_name(x: Any) -> str:
    """The name that NumPy and most others give a dtype."""
    return _name(x.dtype)


@functools.lru_cache(64)
def _readable(dtype: np.dtype[Any]) -> Any:
    """The dtype as which NumPy's arrays of this one are read."""
    if dtype.kind not in "biufc" and dtype.name != "bfloat16":
        return np.dtype(np.float64)
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def as_operand(x: Any) -> Any:
    """Arrays of any package as they are; what NumPy makes arrays of, and its arrays of other dtypes or byte
    order, as NumPy's arrays of ours."""
    if not hasattr(x, "dtype"):
        x = np.asarray(x)
    if not isinstance(x, np.ndarray):
        return np.asarray(x) if isinstance(x, np.generic) else x
    wanted = _readable(x.dtype)
    return x if wanted is x.dtype else x.astype(wanted, copy=False)


# ---- functions at the ends


def _as_it_is(x: Any) -> Any:
    return x


def _in_double(x: Any) -> Any:
    return x.astype("float64")


def _conj(z: Any) -> Any:
    return z.conj()


class _Around:
    """A function with another one before it or after it; it has the parameters of the function."""

    def __init__(self, function: Callable[..., Any], first: Any, last: Any) -> None:
        from mathwright.expr import Expr

        if isinstance(function, Expr) or not callable(function):
            raise TypeMismatchError(
                f"fft: {function!r} is given at the conjugated end of a Hermitian transform; a function of "
                "values is wanted, for example lambda x: x * 2"
            )
        self.function, self.first, self.last = function, first, last
        self.__signature__ = inspect.signature(function)

    def __call__(self, x: Any, *rest: Any, **named: Any) -> Any:
        result = self.function(self.first(x), *rest, **named)
        if isinstance(result, dict):
            return {**result, "result": self.last(result["result"])}
        return self.last(result)


@functools.lru_cache(64)  # a function that is known is not traced again
def _around(function: Callable[..., Any], first: Any, last: Any) -> _Around:
    return _Around(function, first, last)


_NARROW = frozenset(("float16", "bfloat16", "complex32"))
_OWN = {
    "real": frozenset(("float32", "float64")),
    "complex": frozenset(("complex64", "complex128")),
}


def prolog_of(way: Way, x: Any, given: Any) -> Any:
    """The function that makes of the operand what SciPy transforms: narrow floats in single precision,
    integers in double, reals as complex numbers. It is a part of the transform, not a pass."""
    name = dtype_name(x)
    conjugate = way.conjugate and way.reads == "complex"
    if given is not None:
        return _around(given, _as_it_is, _conj) if conjugate else given
    if conjugate and name.startswith("complex"):
        return _conj
    if name in _OWN[way.reads]:
        return None
    if way.reads == "real" and name.startswith("complex"):
        raise TypeMismatchError(
            f"fft: operand has dtype {name}; a real one is wanted. Use a complex transform, or pass x.real."
        )
    is_float = name in _NARROW or name in _OWN["real"]
    return _as_it_is if is_float or name.startswith("complex") else _in_double


def epilog_of(way: Way, given: Any) -> Any:
    if not way.conjugate or way.reads == "complex":
        return given
    return _conj if given is None else _around(given, _conj, _as_it_is)


# ---- numbers


def norm_of(norm: Any, inverse: bool, word: str) -> str | None:
    """Our word for SciPy's: `word` where the factor is on this transform, None where there is none."""
    if norm == "ortho":
        return "ortho"
    if norm in (None, "backward", "forward"):
        return word if (norm == "forward") != inverse else None
    raise InvalidArgumentError(
        f"fft: norm is {norm!r}; None, 'backward', 'ortho' or 'forward' is wanted"
    )


@functools.lru_cache(64)
def _threads(workers: int) -> Any:
    from mathwright._execution import ExecutionCPU

    most = os.cpu_count() or 1
    if workers == 0 or workers < -most:
        raise InvalidArgumentError(
            f"fft: workers is {workers}; at least 1 is wanted, or -1 to {-most}, counted from the end"
        )
    return ExecutionCPU(num_threads=workers if workers > 0 else workers + 1 + most)


def execution_of(workers: Any, execution: Any, x: Any) -> Any:
    """workers as an execution; of no meaning to operands on a device."""
    if workers is None:
        return execution
    made: Any = _threads(operator.index(workers))
    if execution is not None:
        raise InvalidArgumentError(
            f"fft: workers is {workers} and execution is {execution!r}; one of them is wanted"
        )
    on_host = not hasattr(x, "__dlpack_device__") or x.__dlpack_device__()[0] == 1
    return made if on_host else None


def axis_and_length(x: Any, n: Any, axis: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    rank = len(x.shape)
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise AxisError(
            f"fft: axis is {axis} for shape {tuple(x.shape)}; {-rank} to {rank - 1} is wanted"
            if rank
            else "fft: operand has no axes; at least one is wanted"
        )
    return (axis,), None if n is None else (operator.index(n),)


def _whole_numbers(values: Any, what: str) -> list[int]:
    try:
        return [operator.index(v) for v in (values if hasattr(values, "__iter__") else (values,))]
    except TypeError:
        raise InvalidArgumentError(
            f"fft: {what} is {values!r}; a whole number, or a sequence of them, is wanted"
        ) from None


def axes_and_lengths(x: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """By SciPy's rules: s alone is for the last axes, and -1 in it leaves an axis as it is."""
    shape = tuple(x.shape)
    rank = len(shape)
    lengths = None if s is None else _whole_numbers(s, "s")
    if axes is None:
        count = rank if lengths is None else len(lengths)
        if count > rank:
            raise InvalidArgumentError(
                f"fft: s is {s!r} for an operand of {rank} axes; not more lengths than axes are wanted"
            )
        chosen = list(range(rank - count, rank))
    else:
        chosen = _whole_numbers(axes, "axes")
        for axis in chosen:
            if not -rank <= axis < rank:
                raise AxisError(
                    f"fft: axis {axis} of axes {axes!r} is out of range for shape {shape}; {-rank} to "
                    f"{rank - 1} is wanted"
                )
        chosen = [axis % rank for axis in chosen]
    if lengths is None:
        return tuple(chosen), None
    if len(lengths) != len(chosen):
        raise InvalidArgumentError(
            f"fft: s is {s!r} for axes {axes!r}; one length for each axis is wanted"
        )
    return tuple(chosen), tuple(
        shape[a] if n == -1 else n for n, a in zip(lengths, chosen, strict=True)
    )


# ---- calls


def check_extras(who: str, more: Mapping[str, Any]) -> None:
    unknown = more.keys() - _EXTRAS
    if unknown:
        raise TypeError(f"{who}() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    if more.get("plan") is not None:
        raise UnsupportedError(
            f"fft: {who}() with a plan; None is wanted. Keep an FFT object instead."
        )


def transform(
    way: Way,
    x: Any,
    axes: tuple[int, ...],
    lengths: tuple[int, ...] | None,
    norm: Any,
    workers: Any,
    more: Mapping[str, Any],
    orthogonalize: bool = False,
) -> Any:
    """One crossing into C++. `x` is an operand, `axes` is not empty."""
    get = more.get
    word = norm_of(norm, way.inverse, "backward" if way.row in (1, 3) else "forward")
    prolog = prolog_of(way, x, get("prolog"))
    epilog = epilog_of(way, get("epilog"))
    rest: tuple[Any, ...] | None = None
    if lengths or word or prolog or epilog or orthogonalize or more:
        inputs = get("prolog_inputs"), get("epilog_inputs")
        rest = (None, lengths, word, 1.0, prolog, epilog, *inputs, orthogonalize)
    execution = execution_of(workers, get("execution"), x)
    options, stream, out = get("options"), get("stream"), get("out")
    return _core.fft(x, axes, options, execution, stream, out, way.row, rest)


def transform_1d(
    who: str, x: Any, n: Any, axis: Any, norm: Any, workers: Any, more: Mapping[str, Any]
) -> Any:
    if more:
        check_extras(who, more)
    x = as_operand(x)
    return transform(WAYS[who], x, *axis_and_length(x, n, axis), norm, workers, more)


def transform_nd(
    who: str, x: Any, s: Any, axes: Any, norm: Any, workers: Any, more: Mapping[str, Any]
) -> Any:
    """`who` is the name of the transform of one axis."""
    if more:
        check_extras(who + "n", more)
    x = as_operand(x)
    chosen, lengths = axes_and_lengths(x, s, axes)
    way = WAYS[who]
    if not chosen:
        if way.row in (0, 1):  # as SciPy has it
            return x
        raise InvalidArgumentError(f"fft: {who}n() along no axes; at least one is wanted")
    return transform(way, x, chosen, lengths, norm, workers, more)
