# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What a figure must be read with: hardware, versions, the kernels each BLAS picked, the load."""

from __future__ import annotations

import os
import platform
import re
from typing import Any

from mathwright import _core
from mathwright.bench.peers import loaded_blas, report
from mathwright.cli import companions

# Idle workers of one library's threads spin and steal the CPU from the next contestant: let them
# sleep soon. Their defaults are 27 ms (OpenBLAS, 2^26 cycles) and 200 ms (Intel's OpenMP).
SETTINGS = {"OPENBLAS_THREAD_TIMEOUT": "18", "KMP_BLOCKTIME": "1", "GOMP_SPINCOUNT": "10000"}


def machine() -> dict[str, Any]:
    facts = report()
    return {
        "processor": facts["host"]["processor"],
        "instructions": facts["host"]["instructions"],
        "threads": facts["host"]["threads"],
        "devices": [device["name"] for device in facts["cuda"]["devices"]],
        "cuda_driver": facts["cuda"]["driver_version"],
        "system": platform.platform(),
        "python": platform.python_version(),
        "mathwright": _core.__version__,
        "candidates": os.environ.get("MATHWRIGHT_CANDIDATES", ""),
        "packages": {name: version for name, version in companions().items() if version},
        "libraries": {row["name"]: row["version"] for row in facts["libraries"] if row["found"]},
        "blas": loaded_blas(),
        "settings": {name: os.environ.get(name, "") for name in SETTINGS},
        "load": os.getloadavg()[0],
    }


def short(version: str) -> str:
    """The number in a library's own words about its version."""
    number = re.search(r"\d+(\.\d+)+", version)
    return number[0] if number else version


def machine_lines(facts: dict[str, Any]) -> list[str]:
    """The same for people, one fact a line."""
    kernels = ", ".join(
        f"{row['internal_api']} {row.get('version') or ''} ({row.get('architecture', 'unknown')} kernels)"
        for row in facts["blas"]
    )
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    libraries = ", ".join(f"{n} {short(v)}".strip() for n, v in facts["libraries"].items())
    lines = [
        f"processor: {facts['processor']}, {facts['threads']} threads usable",
        f"instructions: {facts['instructions']}",
        f"system: {facts['system']}, Python {facts['python']}",
        f"packages: mathwright {facts['mathwright']}, {versions}",
        f"libraries: {libraries}",
        f"BLAS in the process: {kernels or 'unknown (threadpoolctl is not installed)'}",
        f"load average at the start: {facts['load']:.2f}",
    ]
    if facts["devices"]:
        lines.insert(2, f"devices: {', '.join(facts['devices'])}")
    if facts["candidates"]:
        lines.append(f"only these candidates: {facts['candidates']}")
    return lines
