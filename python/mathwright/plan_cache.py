# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The plans kept behind every call: same problem, same place, same plan.

The cache is bounded by the number of plans and by the bytes they hold, least recently used first out.

>>> from mathwright import plan_cache
>>> plan_cache.clear()
>>> plan_cache.statistics()["count"]
0
"""

from __future__ import annotations

from mathwright import _core

__all__ = ["clear", "entries", "limit", "statistics"]


def statistics() -> dict[str, int]:
    """Numbers about the cache.

    Returns:
        ``count`` and ``bytes`` of the plans kept, ``count_limit`` and ``bytes_limit``, and how many
        ``hits``, ``misses`` and ``evictions`` there were.

    >>> statistics()["count_limit"] > 0
    True
    """
    return dict(_core.plan_cache_statistics())


def entries() -> list[dict[str, str | int]]:
    """The plans, most recently used first.

    Returns:
        For each: ``title`` (operation and formula), ``candidate`` (the implementation), ``bytes``, ``hits``.

    >>> clear()
    >>> entries()
    []
    """
    return [dict(row) for row in _core.plan_cache_entries()]


def clear() -> None:
    """Forgets every plan and returns the cached blocks of the host memory pool to the system.

    Objects keep the plans they use.
    """
    _core.plan_cache_clear()


def limit(count: int, bytes: int) -> None:
    """Changes the bounds now; plans beyond them go.

    Args:
        count: number of plans; 0 turns the cache off. Default MATHWRIGHT_PLAN_CACHE_COUNT or 256.
        bytes: what they may hold. Default MATHWRIGHT_PLAN_CACHE_BYTES or 256 MiB.

    >>> before = statistics()
    >>> limit(10, 1 << 20)
    >>> statistics()["count_limit"]
    10
    >>> limit(before["count_limit"], before["bytes_limit"])
    """
    _core.plan_cache_limit(count, bytes)
