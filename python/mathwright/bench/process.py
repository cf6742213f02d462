# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What importing costs: seconds and resident memory of fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

from mathwright.bench.measure import Case, Figures, Result

# The child tells how long the line took and how much memory it holds afterwards.
CHILD = """
import time, os
start = time.perf_counter()
{line}
took = time.perf_counter() - start
pages = int(open("/proc/self/statm").read().split()[1])
print(took, pages * os.sysconf("SC_PAGE_SIZE"))
"""

# Name, what must be installed, what is run.
PROGRAMS = (
    ("bare Python", "sys", "pass"),
    ("numpy", "numpy", "import numpy"),
    ("mathwright", "mathwright", "import mathwright"),
    (
        "mathwright, linalg + fft",
        "mathwright",
        "import mathwright; mathwright.linalg, mathwright.fft",
    ),
    (
        "mathwright, first matmul",
        "mathwright",
        "import mathwright as mw, numpy as np; a = np.ones((64, 64)); mw.linalg.matmul(a, a)",
    ),
    (
        "mathwright, first fft",
        "mathwright",
        "import mathwright as mw, numpy as np; mw.fft.fft(np.ones(64, complex))",
    ),
    ("scipy.linalg + scipy.fft", "scipy", "import scipy.linalg, scipy.fft"),
    ("mkl_fft", "mkl_fft", "import mkl_fft"),
    ("nvmath", "nvmath", "import nvmath"),
    ("cupy", "cupy", "import cupy"),
    ("torch", "torch", "import torch"),
    ("jax.numpy", "jax", "import jax.numpy"),
)

CASE = Case("import/import", "import in a fresh process", lambda: [], "numpy")


def run_child(line: str) -> tuple[float, float]:
    code = CHILD.format(line=line)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    took, resident = done.stdout.split()
    return float(took), float(resident)


def measure_imports(rounds: int) -> tuple[Result, dict[str, float]]:
    """Times, and the resident bytes of each program (the median of the rounds)."""
    present = [p for p in PROGRAMS if p[1] in sys.modules or find_spec(p[1])]
    figures = [Figures(name, 1) for name, _, _ in present]
    memory: dict[str, list[float]] = {name: [] for name, _, _ in present}
    for turn in range(rounds):
        for step in range(len(present)):
            at = (turn + step) % len(present)
            took, resident = run_child(present[at][2])
            figures[at].samples.append(took)
            memory[present[at][0]].append(resident)
    middle = {name: sorted(values)[len(values) // 2] for name, values in memory.items()}
    return Result(CASE, figures, {}), middle


def cases(quick: bool) -> list[Case]:
    return [CASE]
