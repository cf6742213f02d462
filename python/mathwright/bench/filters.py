# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Transforms with functions at their ends beside the bare transform and separate passes; convolutions."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.fft import Shape, random, rows, square
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import host_threads, limited, optional

BARE = "mathwright, the transform alone"
SHAPES = (
    rows(4096, 4096, "complex64", quick=True),
    rows(65536, 256, "complex64"),
    rows(64, 65536, "complex64"),
    rows(4096, 4096, "float32", quick=True),
    rows(65536, 256, "float32"),
    Shape("axis 0 of 4096", (4096, 4096), (0,), "complex64"),
    Shape("2^22", (1 << 22,), (0,), "complex64"),
    square(2048, 2, "complex64"),
    square(128, 3, "complex128"),
)


def window(x: Any, w: Any) -> Any:
    return x * w


def power(z: Any) -> Any:
    return z.real**2 + z.imag**2


def planned(shape: Shape, x: Any, out: Any, threads: int, **functions: Any) -> Any:
    transform = mw.fft.FFT(
        x, axes=shape.axes, out=out, execution=mw.fft.ExecutionCPU(num_threads=threads), **functions
    )
    transform.plan(direction="forward")
    return transform.execute


def power_spectrum(shape: Shape, threads: int) -> list[Contestant]:
    """|FFT(w·x)|², planned once, into the same memory."""
    x = random(shape)
    w = np.hanning(shape.shape[-1]).astype(shape.precision)
    shape_out = list(shape.shape)
    if shape.real:
        shape_out[shape.axes[-1]] = shape_out[shape.axes[-1]] // 2 + 1
    spectrum = np.empty(shape_out, np.result_type(x.dtype, np.complex64))
    result = np.empty(shape_out, shape.precision)
    ends = {"prolog": window, "prolog_inputs": {"w": w}, "epilog": power}
    windowed = np.empty_like(x)
    names = {
        "fused": planned(shape, x, result, threads, **ends),
        "bare": planned(shape, x, spectrum, threads),
        "before": partial(mw.fuse(window), x, w, out=windowed, execution=_on(threads)),
        "transform": planned(shape, windowed, spectrum, threads),
        "after": partial(mw.fuse(power), spectrum, out=result, execution=_on(threads)),
    }
    contestants = [
        Contestant("mathwright", "fused()", names),
        Contestant(BARE, "bare()", names),
        Contestant("mathwright in three passes", "before(); transform(); after()", names),
    ]
    if scipy_fft := optional("scipy.fft"):
        function = getattr(scipy_fft, "rfftn" if shape.real else "fftn")
        axes = shape.axes
        contestants.append(
            Contestant(
                "scipy in three passes",
                "z = f(x * w, axes=axes, workers=threads); z.real**2 + z.imag**2",
                {"f": function, "x": x, "w": w, "axes": axes, "threads": threads},
            )
        )
    return contestants


def _on(threads: int) -> dict[str, Any]:
    return {"name": "cpu", "num_threads": threads}


def convolution(signal: int, taps: int, threads: int) -> list[Contestant]:
    rng = np.random.default_rng(5)
    x = rng.standard_normal(signal).astype(np.float32)
    h = rng.standard_normal(taps).astype(np.float32)
    names: dict[str, Any] = {"fft": mw.fft, "x": x, "h": h, "execution": _on(threads)}
    contestants = [
        Contestant("mathwright oaconvolve", "fft.oaconvolve(x, h, execution=execution)", names),
        Contestant("mathwright fftconvolve", "fft.fftconvolve(x, h, execution=execution)", names),
    ]
    if signals := optional("scipy.signal"):
        names = {"signal": signals, "x": x, "h": h}
        contestants.append(Contestant("scipy.signal.oaconvolve", "signal.oaconvolve(x, h)", names))
        contestants.append(
            Contestant("scipy.signal.fftconvolve", "signal.fftconvolve(x, h)", names)
        )
    return contestants


def cases(quick: bool) -> list[Case]:
    spectra = [
        Case(
            f"filter/{shape.name.replace(' ', '-')}-{shape.dtype}-t{threads}",
            f"power spectrum, {shape.name} {shape.dtype}",
            partial(power_spectrum, shape, threads),
            BARE,
            threads=threads,
            flops=shape.flops,
            bytes=math.prod(shape.shape) * np.dtype(shape.dtype).itemsize * 1.5,
            precision=shape.precision,
            context=partial(limited, threads),
        )
        for shape in SHAPES
        if shape.quick or not quick
        for threads in host_threads()
    ]
    convolutions = [
        Case(
            f"filter/convolve-{signal}-{taps}-t{threads}",
            f"{signal} samples, {taps} taps, float32",
            partial(convolution, signal, taps, threads),
            "scipy.signal.oaconvolve",
            threads=threads,
            context=partial(limited, threads),
        )
        for signal, taps in ((1_000_000, 4096), (100_000, 511))
        if taps == 4096 or not quick
        for threads in host_threads()
    ]
    return spectra + convolutions
