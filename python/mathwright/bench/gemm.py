# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Large products: nothing may be lost on top of the vendor's library."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import blas_of, host_threads, limited, optional

# BLAS name, NumPy's dtype, flops of a multiply-add.
KINDS = (("sgemm", np.float32, 2), ("dgemm", np.float64, 2), ("cgemm", np.complex64, 8))


def square(dtype: type, n: int, threads: int) -> list[Contestant]:
    rng = np.random.default_rng(3)
    a: Any = rng.standard_normal((n, n)).astype(dtype)
    b: Any = rng.standard_normal((n, n)).astype(dtype)
    out = np.empty_like(a)
    planned = mw.linalg.Matmul(a, b, out=out, execution=mw.linalg.ExecutionCPU(num_threads=threads))
    planned.plan()
    contestants = [
        Contestant("mathwright", "execute()", {"execute": planned.execute}),
        Contestant(
            "np.matmul(out=)", "m(a, b, out=out)", {"m": np.matmul, "a": a, "b": b, "out": out}
        ),
    ]
    if vendor := blas_of(planned):
        vendor.set_threads(threads)
        other = np.empty_like(a)
        function, arguments = vendor.gemm(a, b, other)
        # The arguments are addresses: the arrays must be kept.
        names = {"gemm": function, "arguments": arguments, "arrays": (a, b, other)}
        contestants.append(Contestant("the same library, direct", "gemm(*arguments)", names))
    if torch := optional("torch"):
        names = {"mm": torch.mm, "a": torch.from_numpy(a), "b": torch.from_numpy(b)}
        names["out"] = torch.from_numpy(np.empty_like(a))
        contestants.append(Contestant("torch.mm(out=)", "mm(a, b, out=out)", names))
    return contestants


def cases(quick: bool) -> list[Case]:
    sizes = (256, 512) if quick else (256, 512, 1024, 2048)
    return [
        Case(
            f"gemm/{kind}-{n}-t{threads}",
            f"{kind} {n}",
            partial(square, dtype, n, threads),
            "np.matmul(out=)",
            threads=threads,
            flops=flops * float(n) ** 3,
            bytes=3.0 * np.dtype(dtype).itemsize * n * n,
            precision="float64" if dtype is np.float64 else "float32",
            block_seconds=20e-3,
            context=partial(limited, threads),
        )
        for kind, dtype, flops in KINDS
        for n in sizes
        for threads in host_threads()
    ]
