# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library: one class for each kind of failure.

Each class also derives from what users of similar libraries catch (``ValueError``, ``RuntimeError``, …).
A message names the operation, the operand, the value seen, the value wanted and the remedy.

>>> import numpy as np, mathwright as mw
>>> try:
...     mw.linalg.matmul(np.ones((2, 3)), np.ones((2, 3)))
... except ValueError as error:
...     print(type(error).__name__, error.kind)
InvalidArgumentError invalid_argument
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "CompileError",
    "ComplexOperandError",
    "InvalidArgumentError",
    "InvalidStateError",
    "MathwrightError",
    "MathwrightTimeoutError",
    "NotFoundError",
    "OperandTypeError",
    "OutOfMemoryError",
    "SingularError",
    "TypeMismatchError",
    "UnsupportedError",
    "UnsupportedLayoutError",
    "VendorError",
]


class MathwrightError(Exception):
    """The base of all exceptions of the library.

    Attributes:
        kind: the kind of failure as the C++ library names it.
    """

    kind: ClassVar[str] = "error"


class InvalidArgumentError(MathwrightError, ValueError):
    """The request can never be right: a shape, dtype, option or layout."""

    kind = "invalid_argument"


class ComplexOperandError(InvalidArgumentError, RuntimeError):
    """A complex operand where only a real one has a meaning (``rfft``)."""


class UnsupportedError(MathwrightError, NotImplementedError, ValueError):
    """The request is sensible, but nothing on this machine can do it; the reasons are listed."""

    kind = "unsupported"


class UnsupportedLayoutError(UnsupportedError):
    """An operand's layout cannot be taken as it is, but a transposed copy of it could be.

    Attributes:
        permutation: order of axes for the copy: ``a.transpose(permutation).copy()``.
        axes: the axes to pass with that copy.
    """

    def __init__(
        self, message: str, permutation: tuple[int, ...] = (), axes: tuple[int, ...] = ()
    ) -> None:
        super().__init__(message, permutation, axes)
        self.permutation = permutation
        self.axes = axes

    def __str__(self) -> str:
        return str(self.args[0])


class NotFoundError(MathwrightError, RuntimeError):
    """A library, a symbol or a device is missing; the places looked in are listed."""

    kind = "not_found"


class OutOfMemoryError(MathwrightError, MemoryError):
    """Host or device memory ran out."""

    kind = "out_of_memory"


class InvalidStateError(MathwrightError, RuntimeError, ValueError):
    """The object is in the wrong phase of its life: freed, released, not planned."""

    kind = "invalid_state"


class TypeMismatchError(MathwrightError, TypeError):
    """An object of the wrong type, or operands of different array packages."""

    kind = "type_mismatch"


class OperandTypeError(TypeMismatchError, ValueError):
    """An operand that is no array, or an array that cannot be read."""


class SingularError(MathwrightError, RuntimeError):
    """A matrix has no inverse."""

    kind = "singular"


class VendorError(MathwrightError, RuntimeError):
    """A vendor library reported a failure; its function and status are named."""

    kind = "vendor"


class CompileError(MathwrightError, RuntimeError):
    """Generated code did not compile."""

    kind = "compile"


class MathwrightTimeoutError(MathwrightError, TimeoutError):
    """A wait took longer than it may."""

    kind = "timeout"
