# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Explicit batches: sequences of operands, each item a problem of its own.

Every argument that may be a sequence is one, or has one item for all problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mathwright.errors import InvalidArgumentError, TypeMismatchError
from mathwright.linalg._matmul import Matmul

__all__ = ["Batch", "ExplicitMatmul", "each"]

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


def _works_in_place(options: Any) -> bool:
    given = options.get("inplace") if isinstance(options, dict) else getattr(options, "inplace", 0)
    return bool(given)


def split(varying: dict[str, Any], common: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of each problem.

    Args:
        varying: what may differ: "a", "b", "c", "out" and "qualifiers", sequences or None; "alpha" and
            "beta", sequences, numbers or None.
        common: the other arguments.
    """
    arrays = {name: varying[name] for name in ("a", "b", "c", "out") if varying[name] is not None}
    for name, items in {**arrays, "qualifiers": varying["qualifiers"]}.items():
        if items is not None and not isinstance(items, _SEQUENCES):
            raise InvalidArgumentError(
                f"matmul: a is a sequence and {name} of type {type(items).__name__}; in an explicit batch "
                "a, b, c, out and qualifiers are all sequences"
            )
    for name, value in common.items():
        if isinstance(value, _SEQUENCES):
            raise TypeMismatchError(
                f"matmul: {name} is a sequence; one value for all problems is wanted"
            )
    for name, items in arrays.items():
        _check_items(name, items)
    _check_alike(arrays)
    sequences: dict[str, Sequence[Any]] = dict(arrays)
    for name in ("alpha", "beta", "qualifiers"):
        if varying[name] is not None:
            sequences[name] = _as_sequence(varying[name])
            if len(sequences[name]) == 0:
                raise InvalidArgumentError(
                    f"matmul: the sequence {name} is empty; at least one item is wanted"
                )
    count = _common_length(sequences)
    _check_places(count, arrays, _works_in_place(common.get("options")))
    return [
        {name: items[i if len(items) > 1 else 0] for name, items in sequences.items()}
        for i in range(count)
    ]


def _check_places(count: int, arrays: dict[str, Sequence[Any]], in_place: bool) -> None:
    """Each result needs a place of its own."""
    if count > 1 and in_place and len(arrays.get("c", ())) == 1:
        raise InvalidArgumentError(
            f"matmul: option inplace with one c for {count} problems; a c of its own is wanted for each"
        )
    if count > 1 and len(arrays.get("out", ())) == 1:
        raise InvalidArgumentError(
            f"matmul: one out for {count} problems; an out of its own is wanted for each"
        )


def each(function: Any, varying: dict[str, Any], common: dict[str, Any]) -> list[Any]:
    """function(a, b, …) of each problem."""
    problems = split(varying, common)
    return [function(one.pop("a"), one.pop("b"), **one, **common) for one in problems]


class Batch:
    """An object for each problem of an explicit batch, behind the methods of one.

    A mix-in beside the class of the objects, whose own state stays that of the first problem, unused.
    """

    _one: Any  # the class of the objects

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
        out: Any = None,
        **common: Any,
    ) -> None:
        given = {"a": a, "b": b, "c": c, "out": out}
        varying = {**given, "alpha": alpha, "beta": beta, "qualifiers": qualifiers}
        first = split(varying, common)[0]
        own = first.pop("a"), first.pop("b")
        super().__init__(*own, **first, **common)  # type: ignore[call-arg]
        self._products = each(self._one, varying, common)
        self._given = given
        self._single = {name for name, items in given.items() if items and len(items) == 1}

    @property
    def planned(self) -> bool:
        return all(product.planned for product in self._products)

    @property
    def valid_state(self) -> bool:
        return all(product.valid_state for product in self._products)

    @property
    def workspace_bytes(self) -> int:
        return max(int(product.workspace_bytes) for product in self._products)

    def plan(self, **given: Any) -> list[Any]:
        """Plans each problem alike; what each gives."""
        return [product.plan(**given) for product in self._products]

    def autotune(self, *args: Any, **given: Any) -> list[Any]:
        """Tunes each problem of the batch; what each gives."""
        return [product.autotune(*args, **given) for product in self._products]

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
        super().free()  # type: ignore[misc]
        for product in self._products:
            product.free()

    def explain(self) -> str:
        return "\n\n".join(
            f"problem {i}\n{product.explain()}" for i, product in enumerate(self._products)
        )

    def __exit__(self, *error: object) -> None:
        self.free()


class ExplicitMatmul(Batch, Matmul):  # type: ignore[misc]
    """Matmul for an explicit batch. Made by ``Matmul([…], […])``."""

    _one = Matmul
