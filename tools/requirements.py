# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Print the Python packages that the named groups need, one a line.

A group is "build" (what a build without isolation needs), "run" (the library's own needs) or an
extra of pyproject.toml, which stays the only list.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as toml
else:
    # Python 3.10 has no reader of its own; pip brings one along.
    from pip._vendor import tomli as toml

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def load() -> dict[str, Any]:
    tables: dict[str, Any] = toml.loads(PYPROJECT.read_text(encoding="utf-8"))
    return tables


def requirements(group: str, tables: dict[str, Any]) -> list[str]:
    if group == "build":
        # A system CMake may be too old (Ubuntu 22.04 has 3.22).
        return [*tables["build-system"]["requires"], "cmake>=3.25", "ninja"]
    project = tables["project"]
    if group == "run":
        return list(project["dependencies"])
    return list(project["optional-dependencies"][group])


def main() -> None:
    tables = load()
    for group in sys.argv[1:]:
        print("\n".join(requirements(group, tables)))


if __name__ == "__main__":
    main()
