# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What kind of matrix an operand is, as entries of a NumPy structure.

Two or three entries, for a, b and c, make the argument ``qualifiers``:

>>> import numpy as np
>>> general = GeneralMatrixQualifier.create()
>>> conjugated = GeneralMatrixQualifier.create(conjugate=True)
>>> both = np.array([general, conjugated], dtype=matrix_qualifiers_dtype)
>>> conjugate_bits(both)
2
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar

import numpy as np

__all__ = [
    "DiagType",
    "DiagonalMatrixQualifier",
    "FillMode",
    "GeneralMatrixQualifier",
    "HermitianMatrixQualifier",
    "MatrixQualifier",
    "SideMode",
    "SymmetricMatrixQualifier",
    "TriangularMatrixQualifier",
    "matrix_qualifiers_dtype",
]


class SideMode(enum.IntEnum):
    """On which side of the product the structured matrix is."""

    LEFT = 0
    RIGHT = 1


class FillMode(enum.IntEnum):
    """Which triangle of a structured matrix is stored."""

    LOWER = 0
    UPPER = 1
    FULL = 2


class DiagType(enum.IntEnum):
    """Whether a triangular matrix has ones on its diagonal, which are then not read."""

    NON_UNIT = 0
    UNIT = 1


matrix_qualifiers_dtype: np.dtype[np.void] = np.dtype(
    [
        ("abbreviation", "<U2"),
        ("conjugate", "?"),
        ("uplo", "<i4"),
        ("diag", "<i4"),
        ("incx", "<i4"),
    ]
)

#: One entry of ``qualifiers``.
MatrixQualifier = np.void


class _Qualifier:
    """The common part: a class is the maker of entries of its kind, not a type of objects."""

    abbreviation: ClassVar[str]
    described: ClassVar[str]

    def __init__(self) -> None:
        raise RuntimeError(f"{type(self).__name__} makes no objects; call its create()")

    @classmethod
    def _entry(cls, conjugate: bool, uplo: int = 0, diag: int = 0, incx: int = 0) -> Any:
        entry = (cls.abbreviation, bool(conjugate), uplo, diag, incx)
        return np.array(entry, dtype=matrix_qualifiers_dtype)[()]

    @classmethod
    def is_valid(cls, entry: Any) -> bool:
        """Whether an entry is of this kind."""
        dtype = getattr(entry, "dtype", None)
        return dtype == matrix_qualifiers_dtype and str(entry["abbreviation"]) == cls.abbreviation

    @classmethod
    def to_string(cls, entry: Any) -> str:
        """The entry in words."""
        return cls.described + (", conjugated" if entry["conjugate"] else "")


def _checked(kind: type[enum.IntEnum], value: Any, name: str) -> int:
    try:
        return int(kind(value))
    except ValueError:
        from mathwright.errors import InvalidArgumentError

        wanted = " or ".join(f"{kind.__name__}.{member.name}" for member in kind)
        raise InvalidArgumentError(f"qualifier: {name} is {value!r}; {wanted} is wanted") from None


class GeneralMatrixQualifier(_Qualifier):
    """A matrix without known structure.

    >>> GeneralMatrixQualifier.to_string(GeneralMatrixQualifier.create(conjugate=True))
    'general, conjugated'
    """

    abbreviation = "ge"
    described = "general"

    @classmethod
    def create(cls, conjugate: bool = False) -> Any:
        """An entry; ``conjugate`` uses the operand's complex conjugate."""
        return cls._entry(conjugate)


class HermitianMatrixQualifier(_Qualifier):
    """A Hermitian matrix of which one triangle is read."""

    abbreviation = "he"
    described = "Hermitian"

    @classmethod
    def create(cls, conjugate: bool = False, uplo: FillMode = FillMode.LOWER) -> Any:
        """An entry; ``uplo`` is the triangle that is stored."""
        return cls._entry(conjugate, uplo=_triangle(uplo))


class SymmetricMatrixQualifier(_Qualifier):
    """A symmetric matrix of which one triangle is read."""

    abbreviation = "sy"
    described = "symmetric"

    @classmethod
    def create(cls, conjugate: bool = False, uplo: FillMode = FillMode.LOWER) -> Any:
        """An entry; ``uplo`` is the triangle that is stored."""
        return cls._entry(conjugate, uplo=_triangle(uplo))


class TriangularMatrixQualifier(_Qualifier):
    """A triangular matrix."""

    abbreviation = "tr"
    described = "triangular"

    @classmethod
    def create(
        cls,
        conjugate: bool = False,
        uplo: FillMode = FillMode.LOWER,
        diag: DiagType = DiagType.NON_UNIT,
    ) -> Any:
        """An entry; ``uplo`` is the triangle, ``diag`` says whether its diagonal is all ones."""
        return cls._entry(conjugate, uplo=_triangle(uplo), diag=_checked(DiagType, diag, "diag"))


class DiagonalMatrixQualifier(_Qualifier):
    """A diagonal matrix, given as the vector of its diagonal."""

    abbreviation = "dg"
    described = "diagonal"

    @classmethod
    def create(cls, conjugate: bool = False, incx: int = 1) -> Any:
        """An entry; ``incx`` is 1, or -1 to read the vector backwards."""
        if incx not in (1, -1):
            from mathwright.errors import InvalidArgumentError

            raise InvalidArgumentError(f"qualifier: incx is {incx!r}; 1 or -1 is wanted")
        return cls._entry(conjugate, incx=incx)


def _triangle(uplo: Any) -> int:
    if uplo not in (FillMode.LOWER, FillMode.UPPER):
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(
            f"qualifier: uplo is {uplo!r}; FillMode.LOWER or FillMode.UPPER is wanted"
        )
    return int(uplo)


_KINDS: dict[str, type[_Qualifier]] = {
    kind.abbreviation: kind
    for kind in (
        GeneralMatrixQualifier,
        HermitianMatrixQualifier,
        SymmetricMatrixQualifier,
        TriangularMatrixQualifier,
        DiagonalMatrixQualifier,
    )
}


def conjugate_bits(qualifiers: Any) -> int:
    """Bit 0 if a is to be conjugated, bit 1 for b.

    Raises:
        InvalidArgumentError: not a sequence of two or three entries, or a conjugated c.
        UnsupportedError: a kind of matrix other than general.
    """
    from mathwright.errors import InvalidArgumentError, UnsupportedError

    entries = np.asarray(qualifiers)
    if entries.dtype != matrix_qualifiers_dtype or entries.ndim != 1 or len(entries) not in (2, 3):
        raise InvalidArgumentError(
            f"matmul: qualifiers have dtype {entries.dtype} and shape {entries.shape}; an array of two or "
            "three entries of matrix_qualifiers_dtype is wanted, for a, b and c"
        )
    for name, entry in zip("abc", entries, strict=False):
        kind = _KINDS.get(str(entry["abbreviation"]))
        if kind is None:
            raise InvalidArgumentError(
                f"matmul: the qualifier of {name} has the abbreviation {entry['abbreviation']!s}; one of "
                f"{', '.join(_KINDS)} is wanted"
            )
        if kind is not GeneralMatrixQualifier:
            raise UnsupportedError(
                f"matmul: the qualifier of {name} is {kind.to_string(entry)}; only general matrices are "
                "multiplied so far. Fill in the whole matrix and leave the qualifier away."
            )
    if len(entries) == 3 and entries[2]["conjugate"]:
        raise InvalidArgumentError(
            "matmul: the qualifier of c conjugates it; conjugate c before the call"
        )
    return int(entries[0]["conjugate"]) | int(entries[1]["conjugate"]) << 1
