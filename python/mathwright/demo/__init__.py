# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""``mathwright demo``: a product and a transform on real data, with pictures to look at.

Each part prints what was planned and why, the largest error against float64, and its time beside the
plain NumPy or SciPy way.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from mathwright import _core


def execution_of(device: str) -> str | None:
    """Where to run: None is where the operands are, which is the CPU. Errors: RuntimeError if a GPU is
    asked for and there is none.
    """
    if device == "cpu":
        return None
    cuda = json.loads(_core.info_json())["cuda"]
    if cuda["devices"]:
        return "cuda"
    if device == "cuda":
        raise RuntimeError(f"no CUDA device: {cuda['reason'].splitlines()[0]}")
    return None


def run(arguments: argparse.Namespace) -> int:
    from mathwright.demo import photograph, terrain

    start = time.perf_counter()
    execution = execution_of(arguments.device)
    if execution == "cuda":
        print("The operands stay in host memory, so every time below includes copies to and fro.\n")
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for part in (photograph, terrain):
        print(part.TITLE + "\n" + "─" * len(part.TITLE))
        pictures += part.show(folder, execution)
        print()
    print("pictures")
    for picture in pictures:
        print(f"  {picture.resolve()}")
    print(f"all of it took {time.perf_counter() - start:.1f} s")
    return 0
