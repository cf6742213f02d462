# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Algorithm: one way of computing a planned product."""

from __future__ import annotations

from typing import Any

import numpy as np

from mathwright._frozen import Frozen
from mathwright.errors import InvalidArgumentError, UnsupportedError

__all__ = ["Algorithm", "AlgorithmCapabilities"]

_FORMAT = 1  # of the serialised form
_SETTINGS = (
    "tile",
    "stages",
    "split_k",
    "reduction_scheme",
    "cta_swizzling",
    "custom_option",
    "inner_shape",
    "cluster_shape",
)
_UNSET = -1

algorithm_dtype = np.dtype(
    [
        ("format", "<i4"),
        ("algorithm_id", "<i4"),
        ("candidate", "S64"),
        ("variant", "S512"),
        *[(field, "<i8") for field in _SETTINGS],
    ]
)


class AlgorithmCapabilities(Frozen):
    """What an algorithm can be set to. A field that does not apply to it is None."""

    _fields = (
        "splitk_support",
        "reduction_scheme_mask",
        "cta_swizzling_support",
        "strided_batch_support",
        "out_of_place_result_support",
        "uplo_support",
        "tile_ids",
        "custom_option_max",
        "custom_memory_order",
        "pointer_mode_mask",
        "epilogue_mask",
        "stages_ids",
        "ld_negative",
        "numerical_impl_flags",
        "min_alignment_a_bytes",
        "min_alignment_b_bytes",
        "min_alignment_c_bytes",
        "min_alignment_d_bytes",
        "pointer_array_batch_support",
        "floating_point_emulation_support",
    )
    __slots__ = _fields

    def __init__(self, **known: Any) -> None:
        self._fill(**{name: known.get(name) for name in self._fields})


class Algorithm:
    """One way of computing a planned product: an implementation, and its settings if it has any.

    Made by :meth:`Matmul.plan`, or by :meth:`from_numpy` from what :meth:`as_numpy` gave. An algorithm
    that came from one problem may be given to ``plan(algorithms=…)`` of another, which takes it if it
    fits. Settings are numbers as the vendor has them, tiles and clusters too; those that the implementation
    does not have are None and cannot be set.

    >>> import numpy as np
    >>> from mathwright.linalg.advanced import Algorithm, Matmul
    >>> with Matmul(np.ones((4, 4)), np.ones((4, 4))) as product:
    ...     best = product.plan()[0]
    ...     again = Algorithm.from_numpy(best.as_numpy())
    ...     product.plan(algorithms=[again])[0] == best
    True
    """

    __slots__ = ("_capabilities", "_changes", "_record")

    def __init__(self, record: dict[str, Any], capabilities: Any = None) -> None:
        self._record = record
        self._capabilities = capabilities  # a function, asked when somebody wants to know
        self._changes: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The implementation, as explain() and MATHWRIGHT_CANDIDATES name it."""
        return str(self._record["candidate"])

    @property
    def variant(self) -> str:
        """Which of the implementation's ways this is; empty for its own choice."""
        return str(self._record["variant"])

    @property
    def algorithm_id(self) -> int:
        """Its number among those of ``Matmul.applicable_algorithm_ids()``: the vendor's, or from 1000 on."""
        return int(self._record["algorithm_id"])

    @property
    def estimate(self) -> float | None:
        """Seconds an execution should take; None if not known."""
        return self._record.get("estimate")

    @property
    def seconds(self) -> float | None:
        """What autotune() measured; None before."""
        return self._record.get("measured")

    @property
    def capabilities(self) -> AlgorithmCapabilities:
        """What it can be set to, as the vendor numbers it."""
        known = self._capabilities() if self._capabilities else {}
        known = {name: values for name, values in known.items() if values is not None}
        return AlgorithmCapabilities(
            **{
                name: tuple(values) if name.endswith("_ids") else values[0]
                for name, values in known.items()
                if values and name in AlgorithmCapabilities._fields
            }
        )

    def _setting(self, field: str) -> int | None:
        value = self._changes.get(field, self._record.get("settings", {}).get(field))
        return None if value is None else int(value)

    def as_numpy(self) -> np.ndarray:
        """An array of one element with all of it, for ``np.save`` without pickle."""
        array = np.zeros(1, algorithm_dtype)
        array["format"] = _FORMAT
        array["algorithm_id"] = self.algorithm_id
        for field, text in (("candidate", self.name), ("variant", self.variant)):
            if len(text.encode()) > array.dtype[field].itemsize:
                raise UnsupportedError(f"Algorithm: its {field} is too long to be written: {text}")
            array[field] = text.encode()
        for field in _SETTINGS:
            value = self._setting(field)
            array[field] = _UNSET if value is None else value
        return array

    @classmethod
    def from_numpy(cls, array: np.ndarray) -> Algorithm:
        """The algorithm that :meth:`as_numpy` wrote.

        Raises:
            InvalidArgumentError: an array of another dtype or shape, or of another version.
        """
        array = np.asarray(array)
        if array.dtype != algorithm_dtype or array.shape not in ((1,), ()):
            raise InvalidArgumentError(
                f"Algorithm.from_numpy: an array of dtype {array.dtype} and shape {array.shape}; what "
                "as_numpy() gave is wanted, one element"
            )
        row = array.reshape(1)[0]
        if row["format"] != _FORMAT:
            raise InvalidArgumentError(
                f"Algorithm.from_numpy: format {row['format']}; {_FORMAT} is wanted. Plan again."
            )
        settings = {field: int(row[field]) for field in _SETTINGS if row[field] != _UNSET}
        return cls(
            {
                "candidate": bytes(row["candidate"]).decode(),
                "variant": bytes(row["variant"]).decode(),
                "algorithm_id": int(row["algorithm_id"]),
                "settings": settings,
            }
        )

    def _identity(self) -> tuple[Any, ...]:
        return self.name, self.variant, *(self._setting(field) for field in _SETTINGS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algorithm) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.name, self.variant))

    def __repr__(self) -> str:
        settings = "".join(
            f", {field}={self._setting(field)}"
            for field in _SETTINGS
            if self._setting(field) is not None
        )
        variant = "" if settings or not self.variant else f", {self.variant!r}"
        return f"Algorithm({self.name!r}, algorithm_id={self.algorithm_id}{variant}{settings})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Algorithm.from_numpy, (self.as_numpy(),)


def _property(field: str, doc: str) -> property:
    def write(self: Algorithm, value: Any) -> None:
        if field not in self._record.get("settings", {}):
            raise UnsupportedError(
                f"Algorithm: {field} cannot be set, the implementation {self.name} has no such setting"
            )
        if not hasattr(value, "__index__"):
            raise InvalidArgumentError(f"Algorithm: {field} is {value!r}; a whole number is wanted")
        self._changes[field] = int(value)

    return property(lambda self: self._setting(field), write, doc=doc)


for _field, _doc in {
    "tile": "Rows and columns of a block's tile, one of ``capabilities.tile_ids``.",
    "stages": "Depth of the pipeline, one of ``capabilities.stages_ids``.",
    "split_k": "In how many parts the sum over k is split.",
    "reduction_scheme": "How they are added: :class:`MatmulReductionScheme`.",
    "cta_swizzling": "Whether blocks are dealt out in another order.",
    "custom_option": "The library's own switch, up to ``capabilities.custom_option_max``.",
    "inner_shape": "Shape of an instruction: :class:`MatmulInnerShape`.",
    "cluster_shape": "Blocks in a cluster.",
}.items():
    setattr(Algorithm, _field, _property(_field, _doc))
