# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever else is installed, and how many threads they use."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from mathwright import _core


@cache
def optional(name: str) -> Any:
    """The module, or None where it is not installed or does not load."""
    try:
        return importlib.import_module(name)
    except Exception:
        return None


@cache
def report() -> dict[str, Any]:
    """What `mathwright info --json` says."""
    facts: dict[str, Any] = json.loads(_core.info_json())
    return facts


def host_threads() -> list[int]:
    """One thread, and all that this process may use."""
    return sorted({1, int(report()["host"]["threads"])})


@contextlib.contextmanager
def limited(threads: int) -> Iterator[None]:
    """Holds the BLAS and OpenMP libraries of the other packages to a number of threads."""
    torch = optional("torch")
    before = torch.get_num_threads() if torch else 0
    pools = optional("threadpoolctl")
    with pools.threadpool_limits(threads) if pools else contextlib.nullcontext():
        if torch:
            torch.set_num_threads(threads)
        try:
            yield
        finally:
            if torch:
                torch.set_num_threads(before)


def loaded_blas() -> list[dict[str, Any]]:
    """The BLAS libraries in this process, with the kernels they picked."""
    pools = optional("threadpoolctl")
    if not pools:
        return []
    kept = ("internal_api", "version", "architecture", "threading_layer", "num_threads", "filepath")
    return [
        {key: row[key] for key in kept if key in row}
        for row in pools.threadpool_info()
        if row.get("user_api") == "blas"
    ]


# How a BLAS decorates cblas_?gemm, the integer that goes with it, and who sets its threads.
DECORATIONS = (
    ("scipy_cblas_{}gemm64_", ctypes.c_int64, "scipy_openblas_set_num_threads64_"),
    ("cblas_{}gemm_64", ctypes.c_int64, "MKL_Set_Num_Threads"),
    ("cblas_{}gemm64_", ctypes.c_int64, "openblas_set_num_threads64_"),
    ("cblas_{}gemm", ctypes.c_int32, "openblas_set_num_threads"),
)


class Blas:
    """A vendor's library called directly, without us: the floor of a large product."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        for pattern, integer, threads in DECORATIONS:
            if hasattr(self.library, pattern.format("d")):
                self.pattern, self.integer, self.threads = pattern, integer, threads
                return
        raise OSError(f"{path} has no cblas_dgemm under any known name")

    def set_threads(self, count: int) -> None:
        with contextlib.suppress(AttributeError):
            getattr(self.library, self.threads)(count)

    def gemm(self, a: Any, b: Any, out: Any) -> tuple[Any, tuple[Any, ...]]:
        """The function and the arguments of out = a·b for C-ordered square matrices."""
        letter = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}[a.dtype.str[1:]]
        function = getattr(self.library, self.pattern.format(letter))
        function.restype = None
        n = self.integer(a.shape[0])
        row_major, not_transposed = ctypes.c_int(101), ctypes.c_int(111)
        one, zero = (self.scalar(letter, value) for value in (1.0, 0.0))
        addresses = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)]
        arguments = (
            row_major,
            not_transposed,
            not_transposed,
            n,
            n,
            n,
            one,
            addresses[0],
            n,
            addresses[1],
            n,
            zero,
            addresses[2],
            n,
        )
        return function, arguments

    @staticmethod
    def scalar(letter: str, value: float) -> Any:
        """By value if real, by address if complex."""
        if letter in "sd":
            return ctypes.c_float(value) if letter == "s" else ctypes.c_double(value)
        kind = ctypes.c_float if letter == "c" else ctypes.c_double
        return ctypes.pointer((kind * 2)(value, 0.0))


def chosen_line(planned: Any) -> str:
    """The line of a planned object's explanation about the implementation that it takes."""
    lines = planned.explain().splitlines()
    return next((line.strip() for line in lines if line.lstrip().startswith("* ")), "")


def blas_of(planned: Any) -> Blas | None:
    """The library behind a planned product; None where it is no library."""
    path = re.search(r"(/[^,]*\.so[^,\s]*)", chosen_line(planned))
    if path is None:
        return None
    with contextlib.suppress(OSError):
        return Blas(path[1])
    return None


@contextlib.contextmanager
def only(*candidates: str) -> Iterator[None]:
    """Plans made inside take one of these implementations."""
    _core.set_candidates(list(candidates))
    try:
        yield
    finally:
        _core.set_candidates([])
