# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What this machine can do at most, measured: the roof over the figures of other cases.

Bandwidth is that of a copy much larger than any cache, bytes read plus bytes written; peak is the rate of
a large product. The best of several counts: a roof is no average.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench import gpu
from mathwright.bench.measure import Case
from mathwright.bench.peers import limited

COPY_BYTES = 1 << 28
PRODUCT, DEVICE_PRODUCT = 1536, 8192  # extents of a square product
TURNS = 5


def roofs_for(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """A roof for each number of threads, and for the device, that these cases use."""
    needed: dict[tuple[str, int], set[str]] = {}
    for case in cases:
        if case.flops and case.bytes:
            key = ("device", 1) if case.on_device else ("host", case.threads)
            needed.setdefault(key, set()).add(case.precision)
    return [
        device_roof(sorted(types)) if place == "device" else host_roof(threads, sorted(types))
        for (place, threads), types in sorted(needed.items())
    ]


def best(work: Callable[[], Any], clock: Callable[[Callable[[], Any]], float]) -> float:
    work()
    return min(clock(work) for _ in range(TURNS))


def wall(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def host_roof(threads: int, precisions: list[str]) -> dict[str, Any]:
    where = mw.linalg.ExecutionCPU(num_threads=threads)
    with limited(threads):
        source = np.ones(COPY_BYTES // 8, np.float32)  # half is read, half written
        target = np.ones_like(source)
        copy = mw.fuse(lambda x: x)
        took = best(lambda: copy(source, out=target, execution=where), wall)
        if threads == 1:
            took = min(took, best(lambda: np.copyto(target, source), wall))
        peaks = {}
        for name in precisions:
            a = np.ones((PRODUCT, PRODUCT), name)
            with mw.linalg.Matmul(a, a, out=np.empty_like(a), execution=where) as product:
                product.plan()
                peaks[name] = 2.0 * PRODUCT**3 / best(product.execute, wall)
    return roof("host", threads, COPY_BYTES / took, peaks)


def device_roof(precisions: list[str]) -> dict[str, Any]:
    package = next(p for p in (gpu.Torch(), gpu.CuPy()) if p.available)

    def clock(work: Callable[[], Any]) -> float:
        package.wait()
        return package.clock(work)

    source = package.random((4 * COPY_BYTES // 8,), "float32")
    target = package.empty_like(source)
    copy = mw.fuse(lambda x: x)
    took = best(lambda: copy(source, out=target), clock)
    peaks = {}
    for name in precisions:
        a = package.random((DEVICE_PRODUCT, DEVICE_PRODUCT), name)
        with mw.linalg.Matmul(a, a, out=package.empty_like(a)) as product:
            product.plan()
            peaks[name] = 2.0 * DEVICE_PRODUCT**3 / best(product.execute, clock)
    return roof("device", 1, 4 * COPY_BYTES / took, peaks)


def roof(place: str, threads: int, bandwidth: float, peaks: dict[str, float]) -> dict[str, Any]:
    return {"place": place, "threads": threads, "bandwidth": bandwidth, "peaks": peaks}
