# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The same questions on a CUDA device: what a call costs the host, and what large work costs the device.

Host cost is the wall time of calls that are not waited for. A block holds few enough calls that the
device's queue never fills, for then the host would wait; the device is waited for between blocks.
Device time is taken with CUDA events around a block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mathwright as mw
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import optional, report

HOST_CALLS = 200


class Torch:
    """Operands, waiting and clocks by PyTorch."""

    name = "torch"

    def __init__(self) -> None:
        self.package = optional("torch")
        self.available = self.package is not None and self.package.cuda.is_available()

    def random(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.package.randn(shape, dtype=getattr(self.package, dtype), device="cuda")

    def empty_like(self, array: Any) -> Any:
        return self.package.empty_like(array)

    def wait(self) -> None:
        self.package.cuda.synchronize()

    def clock(self, work: Callable[[], Any]) -> float:
        start, stop = (self.package.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return float(start.elapsed_time(stop)) * 1e-3

    def rivals(self, operation: str) -> dict[str, str]:
        if operation == "matmul":
            return {"torch.mm(out=)": "t.mm(a, b, out=out)", "torch a @ b": "a @ b"}
        return {"torch.fft.fft": "t.fft.fft(a)", "torch.fft.fft(out=)": "t.fft.fft(a, out=out)"}


class CuPy:
    """The same by CuPy."""

    name = "cupy"

    def __init__(self) -> None:
        self.package = optional("cupy")
        self.available = self.package is not None and self.package.cuda.is_available()

    def random(self, shape: tuple[int, ...], dtype: str) -> Any:
        cp = self.package
        values = cp.random.standard_normal(shape)
        if dtype.startswith("complex"):
            values = values + 1j * cp.random.standard_normal(shape)
        return values.astype(dtype)

    def empty_like(self, array: Any) -> Any:
        return self.package.empty_like(array)

    def wait(self) -> None:
        self.package.cuda.get_current_stream().synchronize()

    def clock(self, work: Callable[[], Any]) -> float:
        cuda = self.package.cuda
        start, stop = cuda.Event(), cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return float(cuda.get_elapsed_time(start, stop)) * 1e-3

    def rivals(self, operation: str) -> dict[str, str]:
        if operation == "matmul":
            return {"cupy.matmul(out=)": "t.matmul(a, b, out=out)", "cupy a @ b": "a @ b"}
        return {"cupy.fft.fft": "t.fft.fft(a)"}


Package = Torch | CuPy


def product(package: Package, n: int, dtype: str) -> dict[str, Any]:
    """The names that statements about a product use."""
    a, b, a2, b2 = (package.random((n, n), dtype) for _ in range(4))
    out = package.empty_like(a)
    planned = mw.linalg.Matmul(a, b, out=out)
    planned.plan()
    fresh = mw.linalg.Matmul(a, b)
    fresh.plan()
    return {
        "t": package.package,
        "a": a,
        "b": b,
        "a2": a2,
        "b2": b2,
        "out": out,
        "execute": planned.execute,
        "execute_new": fresh.execute,
        "reset": planned.reset_operands,
        "reset_unchecked": planned.reset_operands_unchecked,
        "once": mw.linalg.matmul,
    }


def transform(package: Package, shape: tuple[int, ...], dtype: str) -> dict[str, Any]:
    a, a2 = (package.random(shape, dtype) for _ in range(2))
    out = package.empty_like(a)
    planned = mw.fft.FFT(a, axes=(len(shape) - 1,), out=out)
    planned.plan()
    fresh = mw.fft.FFT(a, axes=(len(shape) - 1,))
    fresh.plan()
    return {
        "t": package.package,
        "a": a,
        "a2": a2,
        "out": out,
        "axes": (len(shape) - 1,),
        "execute": planned.execute,
        "execute_new": fresh.execute,
        "reset": planned.reset_operand,
        "reset_unchecked": planned.reset_operand_unchecked,
        "once": mw.fft.fft,
    }


HOST_STATEMENTS = {
    "matmul": {
        "execute, out=": "execute()",
        "execute, new result": "execute_new()",
        "reset_operands + execute": "reset(a=a2, b=b2); execute()",
        "unchecked reset + execute": "reset_unchecked(a=a, b=b); execute()",
        "mathwright matmul": "once(a, b)",
    },
    "fft": {
        "execute, out=": "execute()",
        "execute, new result": "execute_new()",
        "reset_operand + execute": "reset(a2); execute()",
        "unchecked reset + execute": "reset_unchecked(a); execute()",
        "mathwright fft": "once(a, axes=axes)",
    },
}


def host_cost(package: Package, operation: str) -> list[Contestant]:
    if operation == "matmul":
        names = product(package, 64, "float32")
    else:
        names = transform(package, (64, 64), "complex64")
    lines = HOST_STATEMENTS[operation] | package.rivals(operation)
    return [Contestant(name, line, names, finish=package.wait) for name, line in lines.items()]


def device_time(package: Package, operation: str, size: int, dtype: str) -> list[Contestant]:
    if operation == "matmul":
        names = product(package, size, dtype)
    else:
        names = transform(package, (4096, size), dtype)
    lines = {"mathwright": "execute()"} | package.rivals(operation)
    return [
        Contestant(name, line, names, finish=package.wait, clock=package.clock)
        for name, line in lines.items()
    ]


# Operation, size of a product or of each of 4096 transforms, dtype, flops of a call, bytes it moves.
LARGE = (
    ("matmul", 2048, "float32", 2 * 2048.0**3, 3 * 4 * 2048.0**2),
    ("matmul", 4096, "float32", 2 * 4096.0**3, 3 * 4 * 4096.0**2),
    ("matmul", 4096, "float64", 2 * 4096.0**3, 3 * 8 * 4096.0**2),
    ("fft", 4096, "complex64", 5 * 4096.0**2 * 12, 2 * 8 * 4096.0**2),
    ("fft", 4096, "complex128", 5 * 4096.0**2 * 12, 2 * 16 * 4096.0**2),
)


def cases(quick: bool) -> list[Case]:
    if not report()["cuda"]["devices"]:
        return []
    packages = [p for p in (Torch(), CuPy()) if p.available]
    small = [
        Case(
            f"gpu/host-{operation}-{package.name}",
            f"host cost, 64×64 {operation}, {package.name}",
            partial(host_cost, package, operation),
            next(iter(package.rivals(operation))),
            calls=HOST_CALLS,
        )
        for operation in ("matmul", "fft")
        for package in packages
    ]
    large = [
        Case(
            f"gpu-time/{operation}-{size}-{dtype}-{package.name}",
            f"device time, {operation} {size} {dtype}, {package.name}",
            partial(device_time, package, operation, size, dtype),
            next(iter(package.rivals(operation))),
            flops=flops,
            bytes=moved,
            precision="float64" if dtype in ("float64", "complex128") else "float32",
            on_device=True,
            block_seconds=10e-3,
        )
        for operation, size, dtype, flops, moved in LARGE
        for package in packages
    ]
    return small if quick else small + large
