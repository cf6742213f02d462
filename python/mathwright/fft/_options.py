# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Options of Fourier transforms."""

from __future__ import annotations

import enum
from typing import Any, Literal, TypeAlias, get_args

from mathwright._frozen import Frozen, check_allocator, check_blocking, check_bool, check_logger

__all__ = ["FFTDirection", "FFTOptions"]


FFTTypeName: TypeAlias = Literal[
    "C2C", "C2R", "R2C", "DCT1", "DCT2", "DCT3", "DCT4", "DST1", "DST2", "DST3", "DST4"
]


class FFTDirection(enum.IntEnum):
    """The sign of the exponent."""

    FORWARD = -1
    INVERSE = 1


_WORDS = {
    "fft_type": (*get_args(FFTTypeName), None),
    "last_axis_parity": ("even", "odd"),
    "result_layout": ("natural", "optimized"),
}


def _word(name: str, value: Any) -> Any:
    """The value as the table spells it, whatever its case."""
    for known in _WORDS[name]:
        if value == known or (isinstance(value, str) and known and value.lower() == known.lower()):
            return known
    from mathwright.errors import InvalidArgumentError

    wanted = ", ".join(map(repr, _WORDS[name]))
    raise InvalidArgumentError(f"FFTOptions: {name} is {value!r}; one of {wanted} is wanted")


class FFTOptions(Frozen):
    """How a transform is made. Immutable; every field has a keyword.

    Args:
        fft_type: "C2C", "R2C" or "C2R"; "DCT1" … "DCT4" and "DST1" … "DST4", the cosine and sine transforms,
            real to real; None: by dtype, R2C for real operands and C2C for complex ones.
        inplace: the result takes the operand's place (not R2C and C2R).
        last_axis_parity: whether a C2R result's last axis has an "even" (2(m−1)) or "odd" (2m−1) extent.
        result_layout: "natural" is C order, "optimized" the order of the operand's strides.
        allocator: where scratch memory on a device comes from: an object with ``memalloc(size)`` or
            ``memalloc_async(size, stream)``. None: the device's pool.
        blocking: "auto" returns as soon as the work is queued if operand and execution are on a device;
            True always waits until it is done.
        logger: a ``logging.Logger`` for the records of the calls and objects made with these options.
            None: the logger "mathwright".

    Raises:
        InvalidArgumentError: a word that is not known.
        TypeMismatchError: an ``allocator`` or ``logger`` of the wrong type.

    >>> FFTOptions(fft_type="c2r", last_axis_parity="odd").fft_type
    'C2R'
    """

    __slots__ = (
        "allocator",
        "blocking",
        "fft_type",
        "inplace",
        "last_axis_parity",
        "logger",
        "result_layout",
    )
    _fields = (
        "fft_type",
        "inplace",
        "last_axis_parity",
        "result_layout",
        "allocator",
        "blocking",
        "logger",
    )
    allocator: Any
    blocking: Literal[True, "auto"]
    fft_type: FFTTypeName | None
    inplace: bool
    last_axis_parity: Literal["even", "odd"]
    logger: Any
    result_layout: Literal["natural", "optimized"]

    def __init__(
        self,
        *,
        fft_type: FFTTypeName | None = None,
        inplace: bool = False,
        last_axis_parity: Literal["even", "odd"] = "even",
        result_layout: Literal["natural", "optimized"] = "natural",
        allocator: Any = None,
        blocking: Literal[True, "auto"] = "auto",
        logger: Any = None,
    ) -> None:
        check_bool("FFTOptions", "inplace", inplace)
        check_allocator("FFTOptions", allocator)
        check_blocking("FFTOptions", blocking)
        check_logger("FFTOptions", logger)
        self._fill(
            fft_type=_word("fft_type", fft_type),
            inplace=inplace,
            last_axis_parity=_word("last_axis_parity", last_axis_parity),
            result_layout=_word("result_layout", result_layout),
            allocator=allocator,
            blocking=blocking,
            logger=logger,
        )


def coerce_options(options: Any) -> FFTOptions:
    """The options as an object: a dict's entries are the fields, None means the defaults."""
    if isinstance(options, FFTOptions):
        return options
    return FFTOptions(**(options or {}))
