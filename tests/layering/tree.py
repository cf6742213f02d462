# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The source tree as the checks of this folder see it: files, includes, the order of layers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

# Lowest first; a layer may include itself and those of lower rank. Equal ranks may not include each
# other. A folder that is not here is an error, so a new layer is a decision made in this table.
RANK = {
    "include": 0,
    "base": 1,
    "dl": 2,
    "vendor": 3,
    "runtime": 4,
    "expr": 5,
    "kernels": 5,
    "codegen": 6,
    "plan": 7,
    "ops": 8,
    "python": 9,
}
# The vendor libraries that a layer above may touch; no entry means any. `runtime` knows devices and
# communication only, `plan` knows no vendor at all.
VENDORS_OF = {"runtime": {"cuda", "nvrtc", "mpi", "nccl", "nvshmem"}, "plan": set[str]()}
# A vendor folder that builds on another: (who, whom).
# MKL speaks both BLAS and FFTW's interface, and its threads are set one way for both.
VENDOR_EDGES = {("blas_lapack", "mkl"), ("fftw", "mkl"), ("cublaslt", "cublas")}
# What every vendor library rests on: the driver's types, streams say.
VENDOR_COMMON = {"cuda"}
# An operation that uses another through its problem or session: (who, whom).
OPERATION_EDGES = {
    ("contraction", "matmul"),
    ("fft", "fuse"),
    ("fft", "reshape"),
    ("matmul", "reshape"),
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
SOURCES = {".cpp", ".hpp", ".inl", ".def", ".h"}


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", type=Path, help="root of the checkout")
    parser.add_argument(
        "--compiler", default="c++", help="C++ compiler for the checks that need one"
    )
    return parser.parse_args()


def files(root: Path, *folders: str, suffixes: set[str] = SOURCES) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes and "build" not in path.parts:
                yield path


def unit(root: Path, path: Path) -> tuple[str, str]:
    """(layer, folder inside it) of a source file; "" for files of the layer itself."""
    parts = path.relative_to(root).parts
    if parts[0] == "include":
        return "include", ""
    if parts[0] == "python":
        return "python", ""
    return _unit(parts[1:])


def _unit(parts: tuple[str, ...]) -> tuple[str, str]:
    return parts[0], parts[1] if len(parts) > 2 else ""


def includes(path: Path) -> Iterator[tuple[int, bool, str]]:
    """(line number, whether in angle brackets, what) of each include line of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _INCLUDE.match(line)
        if found:
            yield number, found[1] == "<", found[2]


def target(root: Path, angled: bool, what: str) -> tuple[str, str] | None:
    """(layer, folder) of an included file of ours; None for the world's. "?" is a stray path."""
    if angled:
        return ("include", "") if what.startswith("mathwright/") else None
    if (root / "src" / what).is_file():
        return _unit(Path(what).parts)
    if (root / "python" / "src" / what).is_file():
        return "python", ""
    return "?", ""
