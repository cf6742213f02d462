# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Fused elementwise expressions against NumPy, numexpr and numba, and against a plain copy.

Each expression is written once for every contestant. All of them write to memory that is there already,
except the NumPy chain, which is what one writes without thinking. The baseline is a copy of as many bytes
as the expression must move, by all threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import host_threads, limited, only, optional


@dataclass(frozen=True)
class Expression:
    name: str
    ours: Any  # traced; `s` is a run-time number
    chain: str  # in NumPy, new memory for every step
    steps: str  # in NumPy, `out` and `t` as memory; statements
    numexpr: str
    numba: str  # one element; `o` its result, or `o +=` for a sum
    flops: int  # of an element, real ones; transcendental functions count 10
    arrays: int = 1
    kind: str = "float32"
    result: str = "float32"
    total: bool = False  # a sum of all


EXPRESSIONS = (
    Expression(
        "axpy",
        lambda x, y, s: s * x + y,
        "s*x + y",
        "np.multiply(x, s, out=out); np.add(out, y, out=out)",
        "s*x + y",
        "o = s*x + y",
        2,
        arrays=2,
    ),
    Expression(
        "relu(s*x + b)",
        lambda x, y, s: mw.relu(s * x + y),
        "np.maximum(s*x + y, np.float32(0))",
        "np.multiply(x, s, out=out); np.add(out, y, out=out); np.maximum(out, zero, out=out)",
        "where(s*x + y > 0, s*x + y, zero)",
        "o = max(s*x + y, np.float32(0))",
        3,
        arrays=2,
    ),
    Expression(
        "gelu",
        lambda x, s: mw.gelu(x, approximate="tanh"),
        "half*x*(one + np.tanh(c0*(x + c1*x*x*x)))",
        "np.multiply(x, x, out=out); np.multiply(out, x, out=out); np.multiply(out, c1, out=out);"
        "np.add(out, x, out=out); np.multiply(out, c0, out=out); np.tanh(out, out=out);"
        "np.add(out, one, out=out); np.multiply(out, x, out=out); np.multiply(out, half, out=out)",
        "half*x*(one + tanh(c0*(x + c1*x*x*x)))",
        "o = half*x*(one + math.tanh(c0*(x + c1*x*x*x)))",
        18,
    ),
    Expression(
        "sigmoid",
        lambda x, s: mw.sigmoid(x),
        "one/(one + np.exp(-x))",
        "np.negative(x, out=out); np.exp(out, out=out); np.add(out, one, out=out);"
        "np.reciprocal(out, out=out)",
        "one/(one + exp(-x))",
        "o = one/(one + math.exp(-x))",
        13,
    ),
    Expression(
        "log1p(exp(-|x|))",
        lambda x, s: mw.log1p(mw.exp(-abs(x))),
        "np.log1p(np.exp(-np.abs(x)))",
        "np.abs(x, out=out); np.negative(out, out=out); np.exp(out, out=out); np.log1p(out, out=out)",
        "log1p(exp(-abs(x)))",
        "o = math.log1p(math.exp(-abs(x)))",
        22,
    ),
    Expression(
        "polynomial of degree 5",
        lambda x, s: ((((x * 0.5 + 0.25) * x - 1.5) * x + 2) * x - 0.125) * x + 1,
        "((((x*half + p4)*x - p3)*x + p2)*x - p1)*x + one",
        "np.multiply(x, half, out=out); np.add(out, p4, out=out); np.multiply(out, x, out=out);"
        "np.subtract(out, p3, out=out); np.multiply(out, x, out=out); np.add(out, p2, out=out);"
        "np.multiply(out, x, out=out); np.subtract(out, p1, out=out); np.multiply(out, x, out=out);"
        "np.add(out, one, out=out)",
        "((((x*half + p4)*x - p3)*x + p2)*x - p1)*x + one",
        "o = ((((x*half + p4)*x - p3)*x + p2)*x - p1)*x + one",
        10,
    ),
    Expression(
        "distance",
        lambda x, y, z, s: mw.sqrt(x * x + y * y + z * z),
        "np.sqrt(x*x + y*y + z*z)",
        "np.multiply(x, x, out=out); np.multiply(y, y, out=t); np.add(out, t, out=out);"
        "np.multiply(z, z, out=t); np.add(out, t, out=out); np.sqrt(out, out=out)",
        "sqrt(x*x + y*y + z*z)",
        "o = math.sqrt(x*x + y*y + z*z)",
        6,
        arrays=3,
    ),
    Expression(
        "where and clamp",
        lambda x, y, s: mw.where(x > y, mw.clamp(x, -1.0, 1.0), s * y),
        "np.where(x > y, np.clip(x, -one, one), s*y)",
        "np.multiply(y, s, out=out); np.clip(x, -one, one, out=t); np.copyto(out, t, where=x > y)",
        "where(x > y, where(x < -one, -one, where(x > one, one, x)), s*y)",
        "o = min(max(x, -one), one) if x > y else s*y",
        5,
        arrays=2,
    ),
    Expression(
        "abs2 of a complex product",
        lambda x, y, s: mw.square((x * y).real) + mw.square((x * y).imag),
        "(x*y).real**2 + (x*y).imag**2",
        "np.multiply(x, y, out=t); np.multiply(t.real, t.real, out=out);"
        "np.multiply(t.imag, t.imag, out=t.real); np.add(out, t.real, out=out)",
        "real(x*y)*real(x*y) + imag(x*y)*imag(x*y)",
        "p = x*y; o = p.real*p.real + p.imag*p.imag",
        9,
        arrays=2,
        kind="complex64",
    ),
    Expression(
        "weighted sum",
        lambda x, y, s: mw.sum(x * y),
        "(x*y).sum()",
        "np.multiply(x, y, out=t).sum()",
        "sum(x*y)",
        "o += x*y",
        2,
        arrays=2,
        total=True,
    ),
)

NUMBERS = {
    "s": 1.25,
    "half": 0.5,
    "one": 1.0,
    "zero": 0.0,
    "c0": 0.7978845608028654,
    "c1": 0.044715,
    "p1": 0.125,
    "p2": 2.0,
    "p3": 1.5,
    "p4": 0.25,
}
NAMES = ("x", "y", "z")


def operands(expression: Expression, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    arrays: dict[str, Any] = {}
    for name in NAMES[: expression.arrays]:
        values = rng.standard_normal(2 * n if expression.kind == "complex64" else n, np.float32)
        arrays[name] = values.view(expression.kind)
    return arrays


def bytes_of(expression: Expression, n: int) -> int:
    read = expression.arrays * np.dtype(expression.kind).itemsize
    return n * (read + (0 if expression.total else np.dtype(expression.result).itemsize))


def copier(count: int, threads: int) -> Contestant:
    """Moves `count` bytes, half read, half written."""
    source = np.ones(count // 2, np.uint8)
    target = np.ones_like(source)
    cut = len(source) // 2 // 64 * 64
    halves = [slice(0, cut), slice(cut, None)] if threads > 1 else [slice(None)]
    pairs = [(target[half], source[half]) for half in halves]
    pool = ThreadPoolExecutor(threads)

    def copy() -> None:
        list(pool.map(lambda pair: np.copyto(*pair), pairs))

    return Contestant("copy", "copy()", {"copy": copy})


@cache
def numba_function(expression: Expression) -> Any:
    """A parallel loop with the expression in it."""
    numba = optional("numba")
    names = NAMES[: expression.arrays]
    reads = "\n".join(f"        {name} = {name}s[i]" for name in names)
    lists = ", ".join(f"{name}s" for name in names)
    begin, end = ("    o = np.float64(0)\n", "    return o\n") if expression.total else ("", "")
    store = "" if expression.total else "        out[i] = o\n"
    body = expression.numba.replace("; ", "\n        ")
    source = (
        f"def loop({lists}, out):\n{begin}    for i in numba.prange(len(xs)):\n"
        f"{reads}\n        {body}\n{store}{end}"
    )
    import math

    scope = {"numba": numba, "np": np, "math": math}
    scope |= {name: np.float32(value) for name, value in NUMBERS.items()}
    exec(source, scope)  # the text is the table above
    return numba.njit(parallel=True, fastmath=True)(scope["loop"])


def contestants(expression: Expression, n: int, threads: int) -> list[Contestant]:
    arrays = operands(expression, n)
    numbers = {name: np.float32(value) for name, value in NUMBERS.items()}
    out = np.empty(n, expression.result)
    temporary = np.empty(n, expression.kind)
    names = {"np": np, "out": out, "t": temporary, **arrays, **numbers}
    found = [copier(bytes_of(expression, n), threads)]
    listed = ", ".join(arrays)
    execution = mw.linalg.ExecutionCPU(num_threads=threads)
    for title, candidates in (("mathwright", ()), ("mathwright, interpreter", ("interpreted",))):
        function = mw.fuse(expression.ours)
        fixed = {"f": function, "s": NUMBERS["s"], "execution": execution, "result": out}
        into = "" if expression.total else ", out=result"
        call = f"f({listed}, s=s{into}, execution=execution)"
        if candidates:  # planned here, so that the choice holds
            fixed["only"] = only
            call = f"with only('interpreted'): {call}"
        found.append(Contestant(title, call, {**arrays, **fixed}))
    found.append(Contestant("NumPy", expression.chain, names))
    found.append(Contestant("NumPy, out=", expression.steps, names))
    if numexpr := optional("numexpr"):
        numexpr.set_num_threads(threads)
        local = {**arrays, **numbers}
        keywords = "" if expression.total else ", out=out"
        found.append(
            Contestant(
                "numexpr",
                f"evaluate({expression.numexpr!r}, local_dict=local{keywords})",
                {"evaluate": numexpr.evaluate, "local": local, "out": out},
            )
        )
    if numba := optional("numba"):
        numba.set_num_threads(threads)
        found.append(
            Contestant(
                "numba", f"loop({listed}, out)", names | {"loop": numba_function(expression)}
            )
        )
    return found


def cases(quick: bool) -> list[Case]:
    sizes = (1_000_000,) if quick else (1_000_000, 10_000_000)
    return [
        Case(
            f"fuse/{expression.name.split('(')[0].replace(' ', '-')}-{n:.0e}-t{threads}".replace(
                "+0", ""
            ),
            f"{expression.name}, {n:.0e}".replace("e+0", "e"),
            partial(contestants, expression, n, threads),
            "copy",
            threads=threads,
            flops=float(expression.flops * n),
            bytes=float(bytes_of(expression, n)),
            block_seconds=20e-3,
            context=partial(limited, threads),
        )
        for expression in EXPRESSIONS
        for n in sizes
        for threads in host_threads()
    ]
