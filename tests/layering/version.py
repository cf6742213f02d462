# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The version stands in version.hpp alone: its macros agree, and CMake and pip read it from there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import tree


def disagreements(root: Path, header: str) -> list[str]:
    numbers = re.findall(r"#define MW_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    pyproject = (root / "pyproject.toml").read_text(encoding="utf-8")
    cmake = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    pattern = re.search(r"^regex = '(.*)'$", pyproject, re.MULTILINE)
    found = re.search(pattern[1], header) if pattern else None
    wrong = []
    if not found or found["value"] != ".".join(numbers):
        wrong.append(f"pip reads {found and found['value']}, the macros say {'.'.join(numbers)}")
    if 'dynamic = ["version"]' not in pyproject:
        wrong.append("pyproject.toml has a version of its own")
    if "project(mathwright VERSION ${mw_version}" not in cmake:
        wrong.append("CMakeLists.txt has a version of its own")
    return wrong


def main() -> None:
    root = tree.arguments(__doc__ or "").root.resolve()
    header = (root / "include/mathwright/version.hpp").read_text(encoding="utf-8")
    wrong = disagreements(root, header)
    spoilt = header.replace("_MAJOR ", "_MAJOR 9")
    if not disagreements(root, spoilt):
        sys.exit("this check does not see a version that disagrees")
    print("\n".join(wrong) or "one version")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
