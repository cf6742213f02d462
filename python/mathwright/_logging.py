# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the C++ library's level in step with the logger ``mathwright``.

Imported by the library itself as soon as the program has imported ``logging``. A logger forgets its cached
levels whenever any level changes anywhere (``Logger.setLevel``, ``logging.disable``, ``basicConfig``), so
a cache whose ``clear`` also tells the library costs nothing in between.
"""

from __future__ import annotations

import logging
from typing import Any

from mathwright import _core

_LOGGER = logging.getLogger("mathwright")


class _LevelCache(dict[Any, Any]):
    def clear(self) -> None:
        super().clear()
        update()


def update() -> None:
    """Tells the library which level is wanted now."""
    _core._set_log_level(max(_LOGGER.getEffectiveLevel(), _LOGGER.manager.disable + 1))


def follow() -> None:
    """From now on the library's level is the logger's."""
    # Without such a cache (another logger class) the level is what it is now.
    if type(getattr(_LOGGER, "_cache", None)) is dict:
        _LOGGER._cache = _LevelCache()  # type: ignore[attr-defined]
    update()
