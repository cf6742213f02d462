# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Device memory from the user's own allocator, and a look at the pool of host blocks.

An operation takes its scratch memory on a device from the options' ``allocator``, an object with
``memalloc`` or ``memalloc_async``; without one, from the device's stream-ordered pool.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from mathwright import _core

__all__ = [
    "BaseCUDAMemoryManager",
    "BaseCUDAMemoryManagerAsync",
    "MemoryPointer",
    "StreamRef",
    "host_pool_statistics",
]


class MemoryPointer:
    """A block of device memory that is freed with its last reference.

    Args:
        device_ptr: its address.
        size: its bytes.
        finalizer: called without arguments to free it; None if nobody has to.

    >>> block = MemoryPointer(4096, 16, lambda: print("freed"))
    >>> block.device_ptr, block.size
    (4096, 16)
    >>> block.free()
    freed
    """

    def __init__(self, device_ptr: int, size: int, finalizer: Callable[[], object] | None) -> None:
        self.device_ptr = device_ptr
        self.size = size
        self._finalizer = None if finalizer is None else weakref.finalize(self, finalizer)

    def free(self) -> None:
        """Frees the block now.

        Raises:
            RuntimeError: it has been freed before.
        """
        if self._finalizer is None:
            return
        if not self._finalizer.alive:
            raise RuntimeError(
                f"MemoryPointer: the block at {self.device_ptr:#x} has been freed before"
            )
        self._finalizer()


@runtime_checkable
class BaseCUDAMemoryManager(Protocol):
    """What an allocator of device memory must offer."""

    def __init__(self, device_id: int, logger: Any) -> None: ...

    def memalloc(self, size: int) -> Any:
        """A block of ``size`` bytes, as an object with its address as ``device_ptr``,
        ``device_pointer``, ``ptr`` or ``pointer``; freed with the object's last reference."""
        ...


@runtime_checkable
class BaseCUDAMemoryManagerAsync(Protocol):
    """What a stream-ordered allocator of device memory must offer."""

    def __init__(self, device_id: int, logger: Any) -> None: ...

    def memalloc_async(self, size: int, stream: Any) -> Any:
        """As ``memalloc``, usable in the order of ``stream`` (a :class:`StreamRef`)."""
        ...


class StreamRef:
    """A device stream by its handle; speaks the CUDA stream protocol.

    >>> StreamRef(16).__cuda_stream__()
    (0, 16)
    """

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle = handle

    @property
    def ptr(self) -> int:
        """The handle, as CuPy names it."""
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __int__(self) -> int:
        return self.handle


def host_pool_statistics() -> dict[str, int]:
    """The pool that large host results come from.

    Returns:
        ``live_bytes`` handed out now, ``cached_bytes`` freed and kept for reuse, ``peak_bytes`` the most
        handed out at once, and the counts ``allocations`` and ``reuses``.

    >>> sorted(host_pool_statistics())
    ['allocations', 'cached_bytes', 'live_bytes', 'peak_bytes', 'reuses']
    """
    return dict(_core.host_pool_statistics())
