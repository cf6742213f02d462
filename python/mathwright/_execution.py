# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Where the work runs."""

from __future__ import annotations

from typing import Any, ClassVar

from mathwright._frozen import Frozen

__all__ = ["ExecutionCPU", "ExecutionCUDA", "coerce_execution"]


class ExecutionCUDA(Frozen):
    """Run on a CUDA device.

    Args:
        device_id: which one, for operands in host memory; operands on a device keep their own.

    >>> ExecutionCUDA()
    ExecutionCUDA(device_id=0)
    """

    __slots__ = ("device_id",)
    _fields = ("device_id",)
    name: ClassVar[str] = "cuda"
    device_id: int

    def __init__(self, *, device_id: int = 0) -> None:
        self._fill(device_id=_whole("ExecutionCUDA", "device_id", device_id, 0))


class ExecutionCPU(Frozen):
    """Run on the host.

    Args:
        num_threads: how many threads; None means every CPU this process may use.

    >>> ExecutionCPU(num_threads=2)
    ExecutionCPU(num_threads=2)
    """

    __slots__ = ("num_threads",)
    _fields = ("num_threads",)
    name: ClassVar[str] = "cpu"
    num_threads: int | None

    def __init__(self, *, num_threads: int | None = None) -> None:
        if num_threads is not None:
            num_threads = _whole("ExecutionCPU", "num_threads", num_threads, 1)
        self._fill(num_threads=num_threads)


def _whole(owner: str, name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        from mathwright.errors import InvalidArgumentError

        raise InvalidArgumentError(
            f"{owner}: {name} is {value!r}; a whole number of at least {least} is wanted"
        )
    return int(value)


def coerce_execution(execution: Any) -> ExecutionCPU | ExecutionCUDA | None:
    """The object that a name, a dict or an object stands for; None stays None.

    Raises:
        InvalidArgumentError: a name or an entry that is not known.
    """
    if execution is None or isinstance(execution, (ExecutionCPU, ExecutionCUDA)):
        return execution
    values = {"name": execution} if isinstance(execution, str) else execution
    if isinstance(values, dict):
        entries = {key: value for key, value in values.items() if key != "name"}
        for kind in (ExecutionCPU, ExecutionCUDA):
            if str(values.get("name")).lower() == kind.name and set(entries) <= set(kind._fields):
                return kind(**entries)
    from mathwright.errors import InvalidArgumentError

    raise InvalidArgumentError(
        f"execution is {execution!r}; None, 'cpu', 'cuda', a dict with name and num_threads (cpu) or "
        "device_id (cuda), ExecutionCPU() or ExecutionCUDA() is wanted"
    )
