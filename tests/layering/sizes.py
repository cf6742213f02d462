# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The sizes we keep an eye on: files, functions, classes, repetition. Fails beyond hard limits."""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from pathlib import Path

import cpp_shape
import tree

FILE_GOAL, FILE_LIMIT = 400, 600
FUNCTION_LIMIT = 60
MEMBER_GOAL = 15
REPEAT_RUN, REPEAT_LIMIT = 6, 0.02

FOLDERS = ("include", "src", "python", "tests", "bench", "tools", "examples")
SUFFIXES = {".cpp", ".hpp", ".inl", ".py", ".pyi", ".sh"}
GENERATED = {"_core.pyi"}

Sized = tuple[int, str]


def all_files(root: Path) -> list[Path]:
    found = tree.files(root, *FOLDERS, suffixes=SUFFIXES)
    return [path for path in found if path.name not in GENERATED]


def functions_of(path: Path, text: str) -> list[tuple[str, int, int]]:
    """(name, line, lines) of each function; a Python docstring does not count."""
    if path.suffix in {".cpp", ".hpp", ".inl"}:
        return cpp_shape.read(text).functions
    if path.suffix != ".py":
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            head = node.body[0].lineno - node.lineno
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 + head
            found.append((node.name, node.lineno, lines))
    return found


def code_lines(text: str) -> list[str]:
    """Lines that say something: no blank, comment, include or lone bracket."""
    kept = []
    for raw in text.splitlines():
        line = raw.strip()
        if len(line) > 3 and not line.startswith(("//", "#", "import ", "from ")):
            kept.append(line)
    return kept


def repeated_share(texts: list[str]) -> tuple[float, Counter[tuple[str, ...]]]:
    """Share of code lines that lie in a run of REPEAT_RUN lines which stands elsewhere too."""
    windows: Counter[tuple[str, ...]] = Counter()
    files = [code_lines(text) for text in texts]
    for lines in files:
        for start in range(len(lines) - REPEAT_RUN + 1):
            windows[tuple(lines[start : start + REPEAT_RUN])] += 1
    covered = total = 0
    for lines in files:
        marks = [False] * len(lines)
        for start in range(len(lines) - REPEAT_RUN + 1):
            if windows[tuple(lines[start : start + REPEAT_RUN])] > 1:
                marks[start : start + REPEAT_RUN] = [True] * REPEAT_RUN
        covered += sum(marks)
        total += len(lines)
    return covered / max(total, 1), windows


def self_check() -> None:
    body = "  step();\n" * 70
    shape = cpp_shape.read(
        "namespace mw {\nclass A {\n public:\n  int f() const { return 1; }\n\n private:\n"
        f"  int x_ = 0;\n  std::map<int, F(int)> y_{{}};\n}};\nvoid g(int a) {{\n{body}}}\n}}\n"
    )
    if shape.members != {"A": 2} or [f[2] for f in shape.functions] != [1, 72]:
        sys.exit(f"cpp_shape.py misreads its own example: {shape}")


def report(root: Path) -> list[str]:
    """Prints the numbers; returns what is beyond a hard limit."""
    paths = all_files(root)
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    name = {path: str(path.relative_to(root)) for path in paths}
    sizes: list[Sized] = sorted((texts[p].count("\n"), name[p]) for p in paths)
    functions: list[Sized] = sorted(
        (lines, f"{name[p]}:{line} {what}")
        for p in paths
        for what, line, lines in functions_of(p, texts[p])
    )
    members: list[Sized] = sorted(
        (count, f"{name[p]} {what}")
        for p in paths
        if p.suffix in {".cpp", ".hpp"}
        for what, count in cpp_shape.read(texts[p]).members.items()
    )
    share, _ = repeated_share([texts[p] for p in paths])
    lengths = [size for size, _ in sizes]
    middle, ninth = statistics.median(lengths), lengths[len(lengths) * 9 // 10]
    (longest, where), (most, what) = functions[-1], members[-1]
    print(f"{len(paths)} hand-written files, {sum(lengths)} lines")
    print(f"largest file: {sizes[-1][0]} lines, {sizes[-1][1]} (goal {FILE_GOAL})")
    print(f"median file: {middle:.0f} lines; 90th percentile: {ninth}")
    print(f"longest function: {longest} lines, {where} (limit {FUNCTION_LIMIT})")
    print(f"most data members: {most}, {what} (goal {MEMBER_GOAL})")
    print(
        f"code lines standing twice in runs of {REPEAT_RUN}: {share:.1%} (limit {REPEAT_LIMIT:.0%})"
    )
    over = [f"{n}: {size} lines" for size, n in sizes if size > FILE_LIMIT]
    over += [f"{n}: {size} lines" for size, n in functions if size > FUNCTION_LIMIT]
    if share > REPEAT_LIMIT:
        over.append(f"repetition: {share:.1%}")
    return over


def main() -> None:
    self_check()
    over = report(tree.arguments(__doc__ or "").root.resolve())
    for line in over:
        print(f"beyond the limit: {line}")
    sys.exit(bool(over))


if __name__ == "__main__":
    main()
