# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Keyword-only, immutable records, without the import of ``dataclasses`` (4 ms, mostly ``inspect``)."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, TypeVar

Self = TypeVar("Self", bound="Frozen")


class Frozen:
    """Equal by value, hashable, picklable; a subclass lists its fields and fills them with ``_fill``."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def _fill(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__}: field {name!r} cannot be set, the object is immutable; make a new one"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: field {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), *self._values().values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._values())

    def __replace__(self: Self, **changes: Any) -> Self:
        return type(self)(**{**self._values(), **changes})


def _rebuild(cls: type[Frozen], values: dict[str, Any]) -> Frozen:
    return cls(**values)


def check_blocking(owner: str, value: object) -> None:
    """Raises unless the value is "auto" or True."""
    if value != "auto" and value is not True:
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(f"{owner}: blocking is {value!r}; 'auto' or True is wanted")


def check_bool(owner: str, name: str, value: object) -> None:
    """Raises unless the value is a bool."""
    if not isinstance(value, bool):
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(f"{owner}: {name} is {value!r}; True or False is wanted")


def check_allocator(owner: str, value: object) -> None:
    """Raises unless the value is None or a memory manager."""
    if value is None or hasattr(value, "memalloc") or hasattr(value, "memalloc_async"):
        return
    from mathwright.errors import TypeMismatchError

    raise TypeMismatchError(
        f"{owner}: allocator is of type {type(value).__name__}; an object with memalloc(size) or "
        "memalloc_async(size, stream) is wanted"
    )


def check_logger(owner: str, value: object) -> None:
    """Raises unless the value is None or can log."""
    if value is None or (hasattr(value, "log") and hasattr(value, "getEffectiveLevel")):
        return
    from mathwright.errors import TypeMismatchError

    raise TypeMismatchError(
        f"{owner}: logger is of type {type(value).__name__}; a logging.Logger or None is wanted"
    )
