# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Products and transforms with functions of the user's on one device, beside the bare operation.

Needs PyTorch with CUDA. The H200 tables of docs/benchmarks.md on fused work are of this kind.

    python bench/cuda_fused.py              # products, transforms, autotuning
    python bench/cuda_fused.py transforms   # one of them

Method: CUDA events around one planned execution, L2 flushed by writing a large buffer before each, host
cost hidden behind a spinning kernel, median and least of 15. Every result is compared with PyTorch's first.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mathwright as mw
import torch
from mathwright import _core
from mathwright.linalg import advanced

SAMPLES = 15
FLUSH = torch.empty(160 << 20, dtype=torch.int8, device="cuda")


@contextmanager
def only(candidate: str | None) -> Iterator[None]:
    _core.set_candidates([candidate] if candidate else [])
    try:
        yield
    finally:
        _core.set_candidates([])


def device_ms(work: Callable[[], Any]) -> tuple[float, float]:
    """Median and least time of a call."""
    for _ in range(3):
        work()
    times = []
    for _ in range(SAMPLES):
        FLUSH.zero_()
        torch.cuda._sleep(200_000)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop))
    times.sort()
    return times[len(times) // 2], times[0]


def line(name: str, result: Any, wanted: Any, seconds: float, work: Callable[[], Any]) -> None:
    error = ((result - wanted).abs().max() / wanted.abs().max()).item()
    median, least = device_ms(work)
    print(
        f"  {name:<34} {median:8.4f} ms ({least:.4f})  error {error:.0e}  planned in {seconds * 1e3:.0f} ms"
    )


def silu(x: Any) -> Any:
    return mw.silu(x)


def products() -> None:
    for n, dtype in ((8192, torch.bfloat16), (4096, torch.bfloat16), (4096, torch.float16)):
        a, b = (torch.randn(n, n, device="cuda", dtype=dtype) / 8 for _ in range(2))
        bias = torch.randn(n, device="cuda", dtype=dtype)
        exact = a.float() @ b.float()
        print(f"{dtype} {n}³")
        median, least = device_ms(lambda a=a, b=b: torch.mm(a, b))
        print(f"  {'torch.mm':<34} {median:8.4f} ms ({least:.4f})")
        kinds = {
            "RELU_BIAS": (
                mw.epilog.RELU_BIAS,
                {"bias": bias},
                torch.relu(exact + bias[:, None].float()),
            ),
            "relu(x + bias)": (
                lambda x, bias: mw.relu(x + bias),
                {"bias": bias},
                torch.relu(exact + bias.float()),
            ),
            "silu(x)": (silu, None, torch.nn.functional.silu(exact)),
        }
        for name, (epilog, inputs, wanted) in kinds.items():
            started = time.perf_counter()
            with advanced.Matmul(a, b) as product:
                product.plan(epilog=epilog, epilog_inputs=inputs)
                seconds = time.perf_counter() - started
                line(name, product.execute().float(), wanted, seconds, product.execute)


def transforms() -> None:
    def power(z: Any) -> Any:
        return z.real**2 + z.imag**2

    for n in (256, 1024, 4096, 8192):
        x = torch.randn((1 << 24) // n, n, dtype=torch.complex64, device="cuda")
        w = torch.hann_window(n, device="cuda")
        window = {"prolog": lambda x, w: x * w, "prolog_inputs": {"w": w}}
        kinds: dict[str, tuple[dict[str, Any], Any]] = {
            "2·fft(x)": ({"epilog": lambda z: 2.0 * z}, 2 * torch.fft.fft(x)),
            "fft(w·x)": (window, torch.fft.fft(w * x)),
            "|fft(w·x)|²": (window | {"epilog": power}, power(torch.fft.fft(w * x))),
        }
        print(f"complex64, 2^24 points in lines of {n}")
        with mw.fft.FFT(x, axes=(1,)) as bare:
            bare.plan()
            line("fft(x)", bare.execute(), torch.fft.fft(x), 0, bare.execute)
        for name, (functions, wanted) in kinds.items():
            for candidate in ("cufft_callbacks", None):
                with only(candidate):
                    started = time.perf_counter()
                    with mw.fft.FFT(x, axes=(1,), **functions) as transform:
                        transform.plan()
                        seconds = time.perf_counter() - started
                        label = f"{name}, {candidate or 'own choice'}"
                        line(label, transform.execute(), wanted, seconds, transform.execute)


def autotuning() -> None:
    cases = (
        (1 << 20, 16, 16, torch.float32),
        (2048, 2048, 2048, torch.bfloat16),
        (4096, 4096, 4096, torch.float32),
        (1000, 1000, 64, torch.float32),
    )
    for m, n, k, dtype in cases:
        a = torch.randn(m, k, device="cuda", dtype=dtype)
        b = torch.randn(k, n, device="cuda", dtype=dtype)
        with advanced.Matmul(a, b) as product:
            product.plan()
            before, _ = device_ms(product.execute)
            started = time.perf_counter()
            product.autotune()
            torch.cuda.synchronize()
            seconds = time.perf_counter() - started
            after, _ = device_ms(product.execute)
            print(
                f"autotune {dtype} {m}×{n}×{k}: {seconds * 1e3:.1f} ms, {before:.4f} → {after:.4f} ms"
            )


PARTS = {"products": products, "transforms": transforms, "autotuning": autotuning}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
