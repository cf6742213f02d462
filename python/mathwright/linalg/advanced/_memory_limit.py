# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""``memory_limit``: bytes, a share of the device's memory, or a string that says either."""

from __future__ import annotations

import re
from typing import Any

from mathwright.errors import InvalidArgumentError

__all__ = ["check_memory_limit", "memory_limit_bytes"]

_GRAMMAR = re.compile(
    r"\s*(?P<number>\d+(\.\d*)?|\.\d+)\s*((?P<percent>%)|(?P<prefix>[kmg]?)(?P<binary>i?)b?)\s*",
    re.IGNORECASE,
)
_POWER = {"": 0, "k": 1, "m": 2, "g": 3}


def memory_limit_bytes(limit: Any, total: float) -> float:
    """The limit in bytes, of a device with so many.

    Raises:
        InvalidArgumentError: none of the forms.

    >>> memory_limit_bytes("50%", 1000), memory_limit_bytes("1.5 KiB", 0), memory_limit_bytes(0.5, 1000)
    (500.0, 1536.0, 500.0)
    """
    if isinstance(limit, str):
        match = _GRAMMAR.fullmatch(limit)
        if match and match["percent"] and 0 < float(match["number"]) <= 100:
            return float(match["number"]) / 100 * total
        if match and not match["percent"] and not (match["binary"] and not match["prefix"]):
            base = 1024 if match["binary"] else 1000
            return float(float(match["number"]) * base ** _POWER[match["prefix"].lower()])
    elif isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit >= 0:
        is_share = isinstance(limit, float) and limit <= 1
        return float(limit) * (total if is_share else 1)
    raise InvalidArgumentError(
        f"memory_limit is {limit!r}; bytes, a share of at most 1.0, or a string such as '80%', '512 MiB' "
        "or '0.5 GB' is wanted"
    )


def check_memory_limit(owner: str, limit: Any) -> None:
    """Raises unless the limit has one of the forms."""
    try:
        memory_limit_bytes(limit, 0)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{owner}: {error}") from None
