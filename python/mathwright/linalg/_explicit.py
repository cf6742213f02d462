# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Explicit batches: sequences of operands, each item a problem of its own.

Every argument that may be a sequence is one, or has one item for all problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mathwright.errors import InvalidArgumentError, TypeMismatchError
from mathwright.linalg._matmul import Matmul, matmul
from mathwright.linalg._options import coerce_options

__all__ = ["ExplicitMatmul", "matmul_each"]

_SEQUENCES = (list, tuple)


def _package(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def _check_items(name: str, items: Sequence[Any]) -> None:
    if len(items) == 0:
        raise InvalidArgumentError(
            f"matmul: the sequence {name} is empty; at least one item is wanted"
        )
    if any(isinstance(item, _SEQUENCES) for item in items):
        raise InvalidArgumentError(
            f"matmul: the sequence {name} contains a sequence; arrays are wanted as its items"
        )


def _check_alike(operands: dict[str, Sequence[Any]]) -> None:
    first = operands["a"][0]
    for name, items in operands.items():
        for i, item in enumerate(items):
            if _package(item) != _package(first):
                raise TypeMismatchError(
                    f"matmul: {name}[{i}] is of package {_package(item)} and a[0] of {_package(first)}; "
                    "one package is wanted for all items"
                )
            if str(getattr(item, "dtype", "")) != str(getattr(first, "dtype", "")):
                raise InvalidArgumentError(
                    f"matmul: {name}[{i}] has dtype {item.dtype} and a[0] has {first.dtype}; one dtype "
                    "is wanted for all items"
                )
            if str(getattr(item, "device", "cpu")) != str(getattr(first, "device", "cpu")):
                raise TypeMismatchError(
                    f"matmul: {name}[{i}] is on {item.device} and a[0] on {first.device}; one device is "
                    "wanted for all items"
                )


def _common_length(sequences: dict[str, Sequence[Any]]) -> int:
    lengths = {name: len(items) for name, items in sequences.items()}
    count = max(lengths.values())
    if any(length not in (1, count) for length in lengths.values()):
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InvalidArgumentError(
            f"matmul: the sequences have the lengths {listed}; equal lengths, or 1, are wanted"
        )
    return count


def _as_sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, _SEQUENCES) else (value,)


def _split(
    a: Any, b: Any, c: Any, alpha: Any, beta: Any, qualifiers: Any, single: dict[str, Any], out: Any
) -> list[dict[str, Any]]:
    """The arguments of each problem."""
    arrays = {"a": a, "b": b, "c": c, "out": out}
    arrays = {name: items for name, items in arrays.items() if items is not None}
    for name, items in {**arrays, "qualifiers": qualifiers}.items():
        if items is not None and not isinstance(items, _SEQUENCES):
            raise InvalidArgumentError(
                f"matmul: a is a sequence and {name} of type {type(items).__name__}; in an explicit batch "
                "a, b, c, out and qualifiers are all sequences"
            )
    for name, value in single.items():
        if isinstance(value, _SEQUENCES):
            raise TypeMismatchError(
                f"matmul: {name} is a sequence; one value for all problems is wanted"
            )
    for name, items in arrays.items():
        _check_items(name, items)
    _check_alike(arrays)
    varying: dict[str, Sequence[Any]] = dict(arrays)
    for name, value in (("alpha", alpha), ("beta", beta), ("qualifiers", qualifiers)):
        if value is not None:
            varying[name] = _as_sequence(value)
            if len(varying[name]) == 0:
                raise InvalidArgumentError(
                    f"matmul: the sequence {name} is empty; at least one item is wanted"
                )
    count = _common_length(varying)
    if count > 1 and c is not None and len(c) == 1 and coerce_options(single["options"]).inplace:
        raise InvalidArgumentError(
            f"matmul: option inplace with one c for {count} problems; a c of its own is wanted for each"
        )
    if count > 1 and out is not None and len(out) == 1:
        raise InvalidArgumentError(
            f"matmul: one out for {count} problems; an out of its own is wanted for each"
        )
    return [
        {name: items[i if len(items) > 1 else 0] for name, items in varying.items()}
        for i in range(count)
    ]


def matmul_each(
    a: Any,
    b: Any,
    c: Any,
    alpha: Any,
    beta: Any,
    qualifiers: Any,
    options: Any,
    execution: Any,
    stream: Any,
    out: Any,
) -> list[Any]:
    """matmul() of each problem; see there."""
    single = {"options": options, "execution": execution, "stream": stream}
    problems = _split(a, b, c, alpha, beta, qualifiers, single, out)
    return [matmul(one.pop("a"), one.pop("b"), **one, **single) for one in problems]


class ExplicitMatmul(Matmul):
    """Matmul for an explicit batch: an object for each problem, behind the same methods.

    Made by ``Matmul([…], […])``.
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        /,
        c: Any = None,
        *,
        alpha: Any = None,
        beta: Any = None,
        qualifiers: Any = None,
        options: Any = None,
        execution: Any = None,
        stream: Any = None,
        out: Any = None,
    ) -> None:
        single = {"options": options, "execution": execution, "stream": stream}
        problems = _split(a, b, c, alpha, beta, qualifiers, single, out)
        # The base is a problem of its own, the first of the batch, and otherwise unused.
        super().__init__(a[0], b[0])
        self._options = options
        self._given = {"a": a, "b": b, "c": c, "out": out}
        self._single = {name for name, items in self._given.items() if items and len(items) == 1}
        self._products = [Matmul(one.pop("a"), one.pop("b"), **one, **single) for one in problems]

    @property
    def planned(self) -> bool:
        return all(product.planned for product in self._products)

    @property
    def valid_state(self) -> bool:
        return all(product.valid_state for product in self._products)

    @property
    def workspace_bytes(self) -> int:
        return max(product.workspace_bytes for product in self._products)

    def plan(self, *, stream: Any = None) -> None:
        for product in self._products:
            product.plan(stream=stream)

    def execute(self, *, stream: Any = None, release_workspace: bool = False) -> list[Any]:
        return [
            product.execute(stream=stream, release_workspace=release_workspace)
            for product in self._products
        ]

    execute_unchecked = execute

    def reset_operands(self, *, stream: Any = None, **given: Any) -> None:
        """As for Matmul, with sequences of the lengths given at construction."""
        count = len(self._products)
        present = {name: value for name, value in given.items() if value is not None}
        if not present:
            raise InvalidArgumentError(
                "matmul: reset requires at least one operand, and none is given"
            )
        for name, items in present.items():
            made = self._given.get(name, items)
            if name in self._given and made is None:
                raise InvalidArgumentError(
                    f"matmul: reset of {name}, but the object was made without {name}"
                )
            if name in self._given and (
                not isinstance(items, _SEQUENCES)
                or len(items) != (1 if name in self._single else count)
            ):
                raise InvalidArgumentError(
                    f"matmul: reset of {name} with another form or length than at construction; a sequence "
                    f"of {1 if name in self._single else count} arrays is wanted"
                )
        spread = {name: _as_sequence(value) for name, value in present.items()}
        if _common_length({**spread, "a": spread.get("a", [None] * count)}) != count:
            raise InvalidArgumentError(
                f"matmul: reset with another number of problems than {count}"
            )
        for i, product in enumerate(self._products):
            own = {name: items[i if len(items) > 1 else 0] for name, items in spread.items()}
            product.reset_operands(**own, stream=stream)

    def reset_operands_unchecked(self, *, stream: Any = None, **given: Any) -> None:
        for i, product in enumerate(self._products):
            own = {
                name: value[i if len(value) > 1 else 0] if isinstance(value, _SEQUENCES) else value
                for name, value in given.items()
            }
            product.reset_operands_unchecked(**own, stream=stream)

    def release_operands(self) -> None:
        for product in self._products:
            product.release_operands()

    def release_workspace(self) -> None:
        for product in self._products:
            product.release_workspace()

    def free(self) -> None:
        super().free()
        for product in self._products:
            product.free()

    def explain(self) -> str:
        return "\n\n".join(
            f"problem {i}\n{product.explain()}" for i, product in enumerate(self._products)
        )

    def __exit__(self, *error: object) -> None:
        self.free()
