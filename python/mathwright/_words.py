# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them, for what the commands print."""

from __future__ import annotations

__all__ = ["seconds"]


def seconds(value: float) -> str:
    """Three digits with their unit.

    >>> seconds(0.00123)
    '1.23 ms'
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
