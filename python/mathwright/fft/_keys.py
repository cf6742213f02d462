# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What a transform's plan depends on, as a hashable value."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

from mathwright import _core

__all__ = ["estimate_workspace_size"]


def estimate_workspace_size(
    key: Hashable, *, technique: Literal["default", "refined"] = "default", handle: Any = None
) -> int:
    """Bytes of scratch memory a transform would take where it runs.

    Args:
        key: of FFT.create_key(), FFT.create_key_from_metadata() or FFT.get_key().
        technique: accepted for compatibility; the plan itself is asked either way.
        handle: accepted for compatibility.

    Returns:
        The bytes.

    Raises:
        InvalidArgumentError: a bad key or technique.

    >>> import numpy as np
    >>> from mathwright.fft import FFT, estimate_workspace_size
    >>> estimate_workspace_size(FFT.create_key(np.ones(64, "complex64"))) >= 0
    True
    """
    if technique not in ("default", "refined"):
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(
            f"estimate_workspace_size: technique is {technique!r}; 'default' or 'refined' is wanted"
        )
    return _core.fft_workspace_of_key(key)
