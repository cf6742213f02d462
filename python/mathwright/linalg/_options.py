# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Options of matrix products."""

from __future__ import annotations

from typing import Any, Literal

from mathwright._frozen import Frozen, check_allocator, check_blocking, check_bool, check_logger

__all__ = ["MatmulOptions"]


class MatmulOptions(Frozen):
    """How a product is made. Immutable; every field has a keyword.

    Args:
        allocator: where scratch memory on a device comes from: an object with ``memalloc(size)`` or
            ``memalloc_async(size, stream)``. None: the device's pool.
        blocking: "auto" returns as soon as the work is queued if operands and execution are on a device;
            True always waits until it is done.
        inplace: the result takes the place of ``c``.
        logger: a ``logging.Logger`` for the records of the calls and objects made with these options.
            None: the logger "mathwright".

    Raises:
        InvalidArgumentError: another value for ``blocking`` or ``inplace``.
        TypeMismatchError: an ``allocator`` or ``logger`` of the wrong type.

    >>> MatmulOptions(inplace=True)
    MatmulOptions(allocator=None, blocking='auto', inplace=True, logger=None)
    """

    __slots__ = ("allocator", "blocking", "inplace", "logger")
    _fields = ("allocator", "blocking", "inplace", "logger")
    allocator: Any
    blocking: Literal[True, "auto"]
    inplace: bool
    logger: Any

    def __init__(
        self,
        *,
        allocator: Any = None,
        blocking: Literal[True, "auto"] = "auto",
        inplace: bool = False,
        logger: Any = None,
    ) -> None:
        check_allocator("MatmulOptions", allocator)
        check_blocking("MatmulOptions", blocking)
        check_bool("MatmulOptions", "inplace", inplace)
        check_logger("MatmulOptions", logger)
        self._fill(allocator=allocator, blocking=blocking, inplace=inplace, logger=logger)


def coerce_options(options: Any) -> MatmulOptions:
    """The options as an object: a dict's entries are the fields, None means the defaults."""
    if isinstance(options, MatmulOptions):
        return options
    return MatmulOptions(**(options or {}))
