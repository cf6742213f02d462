# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone; those named *.inc.hpp and *.inl are parts of another file.

A header that is the first include of some .cpp file is proved by the build itself. The others are
compiled here, which costs one or two seconds of a core each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tree

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-"]


def headers(root: Path) -> list[Path]:
    found = tree.files(root, "include", "src", suffixes={".hpp"})
    return [path for path in found if not path.name.endswith(".inc.hpp")]


def proved_by_build(root: Path) -> set[Path]:
    proved = set()
    for source in tree.files(root, "src", suffixes={".cpp"}):
        first = next(tree.includes(source), None)
        if first:
            _, angled, what = first
            proved.add(root / ("include" if angled else "src") / what)
    return proved


def errors_of(compiler: str, root: Path, header: Path) -> str:
    run = subprocess.run(
        [compiler, f"-I{root / 'include'}", f"-I{root / 'src'}", *FLAGS],
        input=f'#include "{header}"\n',
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{header.relative_to(root)}:\n{run.stderr}" if run.returncode else ""


def main() -> None:
    options = tree.arguments(__doc__ or "")
    root = options.root.resolve()
    found = headers(root)
    proved = proved_by_build(root)
    rest = [header for header in found if header not in proved]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(lambda h: errors_of(options.compiler, root, h), rest) if e]
    print("\n".join(errors))
    print(f"{len(found)} headers, {len(rest)} compiled here, {len(errors)} do not compile alone")
    sys.exit(bool(errors) or not found)


if __name__ == "__main__":
    main()
