# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What a call costs where there is next to nothing to compute."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import mathwright as mw
from mathwright import _core
from mathwright.bench.measure import Case, Contestant
from mathwright.bench.peers import limited, optional


def small_product() -> list[Contestant]:
    rng = np.random.default_rng(1)
    a, b, a2, b2 = (rng.standard_normal((8, 8), dtype=np.float32) for _ in range(4))
    out = np.empty((8, 8), np.float32)
    planned = mw.linalg.Matmul(a, b, out=out)
    planned.plan()
    fresh = mw.linalg.Matmul(a, b)
    fresh.plan()
    names: dict[str, Any] = {
        "a": a,
        "b": b,
        "a2": a2,
        "b2": b2,
        "out": out,
        "np": np,
        "empty": _core._empty_call,
        "matmul": mw.linalg.matmul,
        "execute": planned.execute,
        "execute_new": fresh.execute,
        "reset": planned.reset_operands,
        "reset_unchecked": planned.reset_operands_unchecked,
        "execute_unchecked": planned.execute_unchecked,
    }
    statements = {
        "empty binding call": "empty()",
        "Matmul.execute, out=": "execute()",
        "Matmul.execute, new result": "execute_new()",
        "reset_operands + execute": "reset(a=a2, b=b2); execute()",
        "reset, execute unchecked": "reset_unchecked(a=a, b=b); execute_unchecked()",
        "mathwright matmul": "matmul(a, b)",
        "np.matmul(out=)": "np.matmul(a, b, out=out)",
        "np.dot(out=)": "np.dot(a, b, out=out)",
        "numpy a @ b": "a @ b",
    }
    if blas := optional("scipy.linalg.blas"):
        statements["scipy blas.sgemm"] = "sgemm(1.0, a, b)"
        names["sgemm"] = blas.sgemm
        names["a"], names["b"] = a, b
    if torch := optional("torch"):
        names |= {"ta": torch.from_numpy(a), "tb": torch.from_numpy(b), "mm": torch.mm}
        names["tout"] = torch.empty(8, 8)
        statements["torch.mm(out=)"] = "mm(ta, tb, out=tout)"
    return [Contestant(name, line, names) for name, line in statements.items()] + peer_product(a, b)


def peer_product(a: Any, b: Any) -> list[Contestant]:
    """nvmath-python with its host execution."""
    if not (peer := optional("nvmath")):
        return []
    planned = peer.linalg.Matmul(a, b, execution=peer.linalg.ExecutionCPU())
    planned.plan()
    names = {"a": a, "b": b, "execute": planned.execute, "reset": planned.reset_operands}
    names["matmul"] = peer.linalg.matmul
    return [
        Contestant("nvmath Matmul.execute", "execute()", names),
        Contestant("nvmath reset_operands + execute", "reset(a=a, b=b); execute()", names),
        Contestant("nvmath matmul", "matmul(a, b)", names),
    ]


def small_transform() -> list[Contestant]:
    rng = np.random.default_rng(2)
    x, x2 = (rng.standard_normal(64) + 1j * rng.standard_normal(64) for _ in range(2))
    out = np.empty_like(x)
    planned = mw.fft.FFT(x, out=out)
    planned.plan()
    fresh = mw.fft.FFT(x)
    fresh.plan()
    names: dict[str, Any] = {
        "x": x,
        "x2": x2,
        "out": out,
        "empty": _core._empty_call,
        "numpy_fft": np.fft.fft,
        "fft": mw.fft.fft,
        "execute": planned.execute,
        "execute_new": fresh.execute,
        "reset": planned.reset_operand,
        "reset_unchecked": planned.reset_operand_unchecked,
    }
    statements = {
        "empty binding call": "empty()",
        "FFT.execute, out=": "execute()",
        "FFT.execute, new result": "execute_new()",
        "reset_operand + execute": "reset(x2); execute()",
        "reset unchecked + execute": "reset_unchecked(x); execute()",
        "mathwright fft": "fft(x)",
        "numpy.fft.fft": "numpy_fft(x)",
    }
    if scipy_fft := optional("scipy.fft"):
        names["scipy_fft"] = scipy_fft.fft
        statements["scipy.fft.fft"] = "scipy_fft(x)"
    if mkl_fft := optional("mkl_fft"):
        names["mkl_fft"] = mkl_fft.fft
        statements["mkl_fft.fft"] = "mkl_fft(x)"
    if torch := optional("torch"):
        names |= {"tx": torch.from_numpy(x), "torch_fft": torch.fft.fft}
        statements["torch.fft.fft"] = "torch_fft(tx)"
    return [Contestant(name, line, names) for name, line in statements.items()] + peer_transform(x)


def peer_transform(x: Any) -> list[Contestant]:
    if not (peer := optional("nvmath")):
        return []
    planned = peer.fft.FFT(x, execution="cpu")
    planned.plan()
    names = {"x": x, "execute": planned.execute, "reset": planned.reset_operand}
    names["fft"] = peer.fft.fft
    return [
        Contestant("nvmath FFT.execute", "execute()", names),
        Contestant("nvmath reset_operand + execute", "reset(x); execute()", names),
        Contestant("nvmath fft", "fft(x)", names),
    ]


def cases(quick: bool) -> list[Case]:
    rows = (
        ("overhead/matmul", "8×8 float32 product", small_product, "np.matmul(out=)"),
        ("overhead/fft", "length-64 complex128 transform", small_transform, "numpy.fft.fft"),
    )
    seconds = 2e-3 if quick else 5e-3
    return [Case(*row, block_seconds=seconds, context=partial(limited, 1)) for row in rows]
