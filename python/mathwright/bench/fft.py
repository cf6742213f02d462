# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Transforms on the host, by the native kernels and by MKL, beside SciPy and NumPy."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import host_threads, limited, only, optional


@dataclass(frozen=True)
class Shape:
    """One transform: of `axes` of an array of this shape."""

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    dtype: str
    quick: bool = False  # one of the few of --quick

    @property
    def real(self) -> bool:
        return self.dtype.startswith("float")

    @property
    def flops(self) -> float:
        """5·N·log2(N) for the points of one transform, half of it for real data."""
        points = math.prod(self.shape[a] for a in self.axes)
        return (2.5 if self.real else 5.0) * math.prod(self.shape) * math.log2(points)

    @property
    def bytes(self) -> float:
        """Read once and written once; the spectrum of real data is half as long and twice as wide."""
        return 2.0 * math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def precision(self) -> str:
        return "float64" if self.dtype in ("float64", "complex128") else "float32"


def line(n: int, dtype: str = "complex64", quick: bool = False) -> Shape:
    power = n.bit_length() - 1
    name = f"2^{power}" if n == 1 << power else str(n)
    return Shape(name, (n,), (0,), dtype, quick)


BOTH = ("complex64", "complex128")
REALS = ("float32", "float64")


def square(n: int, rank: int, dtype: str, quick: bool = False) -> Shape:
    kind = "real " if dtype.startswith("float") else ""
    return Shape(f"{kind}{rank}-D {n}", (n,) * rank, tuple(range(rank)), dtype, quick)


def rows(count: int, n: int, dtype: str, quick: bool = False) -> Shape:
    kind = "real " if dtype.startswith("float") else ""
    return Shape(f"{kind}{count} rows of {n}", (count, n), (1,), dtype, quick)


# The grid that docs/benchmarks.md has in full.
SHAPES = (
    *(line(2**p, dtype, p in (6, 10, 16)) for p in range(4, 25, 2) for dtype in BOTH),
    # 3^a 5^b 7^c and other products of small primes
    *(
        line(n, dtype, n == 1000 and dtype == "complex128")
        for n in (243, 1000, 1125, 10125, 15120, 59049, 100_000, 275_625, 1_000_000, 4_782_969)
        for dtype in BOTH
    ),
    # primes
    *(
        line(n, dtype, n == 1009 and dtype == "complex128")
        for n in (17, 101, 1009, 10007, 65537, 1_000_003)
        for dtype in BOTH
    ),
    *(
        square(n, 2, dtype, n == 512 and dtype == "complex64")
        for n in (256, 512, 1000, 2048, 4096)
        for dtype in BOTH
    ),
    *(square(n, 3, dtype) for n in (64, 100, 128, 256) for dtype in BOTH),
    *(
        rows(count, n, dtype, n == 16 and dtype == "complex64")
        for count, n in ((10_000, 16), (4096, 15), (2048, 2048), (64, 10007))
        for dtype in BOTH
    ),
    *(
        Shape(f"axis 0 of {n}", (n, n), (0,), dtype)
        for n in (256, 1000, 2048, 4096)
        for dtype in BOTH
    ),
    *(
        Shape(f"real {n}", (n,), (0,), dtype, n == 1 << 10 and dtype == "float32")
        for n in (1 << 10, 1 << 16, 1 << 20, 1000, 1009, 59049)
        for dtype in REALS
    ),
    *(square(n, 2, dtype) for n in (1024, 2048) for dtype in REALS),
    *(square(128, 3, dtype) for dtype in REALS),
    *(rows(2048, 2048, dtype) for dtype in REALS),
)


def random(shape: Shape) -> Any:
    rng = np.random.default_rng(4)
    values = rng.standard_normal(shape.shape)
    if not shape.real:
        values = values + 1j * rng.standard_normal(shape.shape)
    return values.astype(shape.dtype)


def planned_by(candidate: str, shape: Shape, x: Any, threads: int) -> Contestant | None:
    """Planned once, executed into the same memory; None where the candidate declines, or may not be
    chosen for MATHWRIGHT_CANDIDATES.
    """
    allowed = os.environ.get("MATHWRIGHT_CANDIDATES")
    if allowed and candidate not in allowed.split(","):
        return None
    with only(candidate):
        try:
            shape_out = list(x.shape)
            if shape.real:
                shape_out[shape.axes[-1]] = shape_out[shape.axes[-1]] // 2 + 1
            out = np.empty(shape_out, np.result_type(x.dtype, np.complex64))
            planned = mw.fft.FFT(
                x, axes=shape.axes, out=out, execution=mw.fft.ExecutionCPU(num_threads=threads)
            )
            planned.plan(direction="forward")
        except mw.MathwrightError:
            return None
    return Contestant(f"mathwright {candidate}", "execute()", {"execute": planned.execute})


def transform(shape: Shape, threads: int) -> list[Contestant]:
    x = random(shape)
    names: dict[str, Any] = {"x": x, "axes": shape.axes, "threads": threads}
    ours = (
        planned_by(candidate, shape, x, threads) for candidate in ("native", "mkl", "nvpl", "fftw")
    )
    contestants = [c for c in ours if c is not None]
    function = "rfftn" if shape.real else "fftn"
    if scipy_fft := optional("scipy.fft"):
        names["scipy_fft"] = getattr(scipy_fft, function)
        contestants.append(
            Contestant("scipy.fft", "scipy_fft(x, axes=axes, workers=threads)", names)
        )
    if threads == 1:
        names["numpy_fft"] = getattr(np.fft, function)
        contestants.append(Contestant("numpy.fft", "numpy_fft(x, axes=axes)", names))
    if mkl_fft := optional("mkl_fft"):
        names["mkl_fft"] = getattr(mkl_fft, function)
        contestants.append(Contestant("mkl_fft", "mkl_fft(x, axes=axes)", names))
    if torch := optional("torch"):
        names |= {"t": torch.from_numpy(x), "torch_fft": getattr(torch.fft, function)}
        contestants.append(Contestant("torch.fft", "torch_fft(t, dim=axes)", names))
    return contestants


def cases(quick: bool) -> list[Case]:
    return [
        Case(
            f"fft/{shape.name.replace(' ', '-')}-{shape.dtype}-t{threads}",
            f"{shape.name} {shape.dtype}",
            partial(transform, shape, threads),
            "scipy.fft",
            threads=threads,
            flops=shape.flops,
            bytes=shape.bytes,
            precision=shape.precision,
            context=partial(limited, threads),
        )
        for shape in SHAPES
        if shape.quick or not quick
        for threads in host_threads()
        # A short transform is not worth waking a second thread: one row says all.
        if threads == 1 or math.prod(shape.shape) >= 1 << 14
    ]
