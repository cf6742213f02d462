# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Products with a function of the user's on the host: relu(αAB + bias), with and without βC.

The floor is a copy of as many bytes on as many threads, measured beside them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import host_threads, limited, optional

# m, n, k: the tall ones are bound by memory, the last by arithmetic.
SHAPES = ((1_000_000, 8, 8), (1_000_000, 16, 16), (200_000, 64, 64), (2048, 2048, 2048))


def relu_bias(x: Any, bias: Any) -> Any:
    return mw.relu(x + bias)


def chain(a: Any, b: Any, c: Any, bias: Any) -> np.ndarray:
    x = 0.5 * (a @ b)
    if c is not None:
        x = x + 2.0 * c
    result: np.ndarray = np.maximum(x + bias, 0)
    return result


def chain_into(a: Any, b: Any, c: Any, bias: Any, out: Any, scratch: Any) -> None:
    np.matmul(a, b, out=out)
    np.multiply(out, 0.5, out=out)
    if c is not None:
        np.multiply(c, 2.0, out=scratch)
        np.add(out, scratch, out=out)
    np.add(out, bias, out=out)
    np.maximum(out, 0, out=out)


def copier(arrays: list[Any], out: Any, threads: int) -> Contestant:
    """As many bytes read and written by plain copies, on as many threads."""
    read = sum(array.nbytes for array in arrays)
    source = np.ones((read + out.nbytes) // 2 // 4, np.float32)
    target = np.ones_like(source)
    copy = mw.fuse(lambda x: x)
    where = mw.linalg.ExecutionCPU(num_threads=threads)
    return Contestant(
        "copy of as many bytes",
        "copy(source, out=target, execution=where)",
        {"copy": copy, "source": source, "target": target, "where": where},
    )


def product(shape: tuple[int, int, int], with_c: bool, threads: int) -> list[Contestant]:
    m, n, k = shape
    rng = np.random.default_rng(4)

    def numbers(*extents: int) -> Any:
        return rng.standard_normal(extents).astype(np.float32)

    a, b, bias, c = numbers(m, k), numbers(k, n), numbers(n), numbers(m, n) if with_c else None
    out, scratch = np.ones((m, n), np.float32), np.ones((m, n), np.float32)
    where = mw.linalg.ExecutionCPU(num_threads=threads)
    planned = mw.linalg.Matmul(
        a, b, c, alpha=0.5, beta=2.0 if with_c else None, out=out, execution=where
    )
    planned.plan(epilog=relu_bias, epilog_inputs={"bias": bias})
    bare = mw.linalg.Matmul(a, b, out=np.empty_like(out), execution=where)
    bare.plan()
    names = {"f": chain, "a": a, "b": b, "c": c, "bias": bias}
    into = names | {"f": chain_into, "out": np.empty_like(out), "scratch": scratch}
    contestants = [
        Contestant("mathwright", "execute()", {"execute": planned.execute}),
        Contestant("mathwright, A·B alone", "execute()", {"execute": bare.execute}),
        copier([a, b] + ([c] if with_c else []), out, threads),
        Contestant("NumPy chain", "f(a, b, c, bias)", names),
        Contestant("NumPy chain, out=", "f(a, b, c, bias, out, scratch)", into),
    ]
    if torch := optional("torch"):
        tensors = {
            name: torch.from_numpy(v) for name, v in names.items() if isinstance(v, np.ndarray)
        }
        statement = (
            "relu(torch.addmm(bias, a, b, alpha=0.5) + 2 * c)"
            if with_c
            else "relu(torch.addmm(bias, a, b, alpha=0.5))"
        )
        contestants.append(
            Contestant("PyTorch", statement, tensors | {"torch": torch, "relu": torch.relu_})
        )
    return contestants


def batch(threads: int) -> list[Contestant]:
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((10_000, 16, 16)).astype(np.float32) for _ in range(2))
    out = np.empty_like(a)
    where = mw.linalg.ExecutionCPU(num_threads=threads)
    planned = mw.linalg.Matmul(a, b, out=out, execution=where)
    planned.plan()
    return [
        Contestant("mathwright", "execute()", {"execute": planned.execute}),
        Contestant(
            "np.matmul(out=)", "m(a, b, out=out)", {"m": np.matmul, "a": a, "b": b, "out": out}
        ),
    ]


def cases(quick: bool) -> list[Case]:
    shapes = SHAPES[:3] if quick else SHAPES
    fused = [
        Case(
            f"fused/{'c-' if with_c else ''}{m}x{n}x{k}-t{threads}",
            f"relu(αAB {'+ βC ' if with_c else ''}+ bias), float32 {m}×{n}×{k}",
            partial(product, (m, n, k), with_c, threads),
            "copy of as many bytes",
            threads=threads,
            flops=m * n * (2.0 * k + (5 if with_c else 3)),
            bytes=4.0 * (m * k + k * n + n + m * n * (2 if with_c else 1)),
            block_seconds=20e-3,
            context=partial(limited, threads),
        )
        for m, n, k in shapes
        for with_c in (False, True)
        for threads in host_threads()
    ]
    small = [
        Case(
            f"fused/batch-10000x16-t{threads}",
            "10 000 products 16³, float32",
            partial(batch, threads),
            "np.matmul(out=)",
            threads=threads,
            flops=10_000 * 2.0 * 16**3,
            bytes=10_000 * 3.0 * 4 * 16**2,
            block_seconds=20e-3,
            context=partial(limited, threads),
        )
        for threads in host_threads()
    ]
    return fused + small
