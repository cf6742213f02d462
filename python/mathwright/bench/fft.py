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


def line(n: int, dtype: str = "complex64", quick: bool = False) -> Shape:
    power = n.bit_length() - 1
    name = f"2^{power}" if n == 1 << power else str(n)
    return Shape(name, (n,), (0,), dtype, quick)


SHAPES = (
    *(
        line(2**p, dtype, p in (6, 10, 16))
        for p in range(4, 21, 2)
        for dtype in ("complex64", "complex128")
    ),
    # primes, and products of small primes
    *(line(n, "complex128", n == 1009) for n in (101, 1009, 10007, 65537)),
    *(line(n, "complex128", n == 1000) for n in (1000, 15120, 100_000, 1_000_000)),
    Shape("2-D 512", (512, 512), (0, 1), "complex64", quick=True),
    Shape("2-D 1000", (1000, 1000), (0, 1), "complex128"),
    Shape("2-D 2048", (2048, 2048), (0, 1), "complex64"),
    Shape("3-D 128", (128, 128, 128), (0, 1, 2), "complex64"),
    Shape("rows of 2048", (2048, 2048), (1,), "complex64"),
    Shape("columns of 2048", (2048, 2048), (0,), "complex64"),
    Shape("64 rows of 10007", (64, 10007), (1,), "complex64"),
    Shape("10000 rows of 16", (10_000, 16), (1,), "complex64", quick=True),
    Shape("real 2^10", (1 << 10,), (0,), "float32", quick=True),
    Shape("real 2^20", (1 << 20,), (0,), "float32"),
    Shape("real 2-D 1024", (1024, 1024), (0, 1), "float64"),
    Shape("real rows of 2048", (2048, 2048), (1,), "float32"),
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
            context=partial(limited, threads),
        )
        for shape in SHAPES
        if shape.quick or not quick
        for threads in host_threads()
        # A short transform is not worth waking a second thread: one row says all.
        if threads == 1 or math.prod(shape.shape) >= 1 << 14
    ]
