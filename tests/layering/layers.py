# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Dependencies point downward only: reads every include line and fails on any other edge."""

from __future__ import annotations

import sys
from pathlib import Path

import tree


def complaint(source: tuple[str, str], aim: tuple[str, str]) -> str | None:
    """Why `source` may not include `aim`, or None where it may."""
    (layer, folder), (aim_layer, aim_folder) = source, aim
    if aim_layer == "?":
        return "no such file from the root of src (or it is a path relative to this file)"
    for name in (layer, aim_layer):
        if name not in tree.RANK:
            return f"{name} is no layer: give it a rank in tests/layering/tree.py"
    if layer == aim_layer:
        return sideways(layer, folder, aim_folder)
    if tree.RANK[aim_layer] >= tree.RANK[layer]:
        return f"{layer} lies below or beside {aim_layer}"
    allowed = tree.VENDORS_OF.get(layer)
    if aim_layer == "vendor" and allowed is not None and aim_folder not in allowed:
        return f"{layer} knows no vendor library but {', '.join(sorted(allowed)) or 'none'}"
    return None


def sideways(layer: str, folder: str, aim_folder: str) -> str | None:
    """The rule inside a layer: folders of vendor and ops do not know each other.

    The files of vendor itself lie below its folders, those of ops (which report on every operation)
    above them.
    """
    if layer not in {"vendor", "ops"} or folder == aim_folder:
        return None
    if "" in {folder, aim_folder}:
        downward = aim_folder == "" if layer == "vendor" else folder == ""
        return None if downward else f"an upward edge inside {layer}"
    edges = tree.VENDOR_EDGES if layer == "vendor" else tree.OPERATION_EDGES
    if (folder, aim_folder) in edges or (layer == "vendor" and aim_folder in tree.VENDOR_COMMON):
        return None
    return f"{layer}/{folder} -> {layer}/{aim_folder} is no listed edge"


def python_outside(layer: str, what: str) -> str | None:
    if layer != "python" and (what == "Python.h" or what.startswith(("nanobind/", "numpy/"))):
        return "only python/src knows Python"
    return None


def broken_edges(root: Path) -> tuple[list[str], int]:
    broken: list[str] = []
    count = 0
    for path in tree.files(root, "include", "src", "python/src"):
        source = tree.unit(root, path)
        for line, angled, what in tree.includes(path):
            aim = tree.target(root, angled, what)
            reason = complaint(source, aim) if aim else python_outside(source[0], what)
            count += aim is not None
            if reason:
                broken.append(f"{path.relative_to(root)}:{line}: includes {what}: {reason}")
    return broken, count


def self_check() -> None:
    """The rules on edges whose answer is known: a checker that passes everything is no check."""
    bad = [
        (("base", ""), ("dl", "")),
        (("plan", ""), ("ops", "fft")),
        (("plan", ""), ("vendor", "cuda")),
        (("runtime", ""), ("vendor", "cufft")),
        (("vendor", "cufft"), ("vendor", "nvrtc")),
        (("vendor", ""), ("vendor", "cuda")),
        (("ops", "fft"), ("ops", "matmul")),
        (("ops", "fft"), ("ops", "")),
        (("include", ""), ("base", "")),
        (("kernels", ""), ("codegen", "")),
        (("new", ""), ("base", "")),
        (("ops", "fft"), ("?", "")),
    ]
    good = [
        (("dl", ""), ("base", "")),
        (("ops", "fft"), ("vendor", "cufft")),
        (("ops", "fft"), ("ops", "fft")),
        (("ops", ""), ("ops", "fft")),
        (("vendor", "cufft"), ("vendor", "")),
        (("runtime", ""), ("vendor", "cuda")),
        (("vendor", "cufft"), ("vendor", "cuda")),
        (("base", ""), ("include", "")),
        (("python", ""), ("ops", "fft")),
    ]
    wrong = [edge for edge in bad if not complaint(*edge)] + [e for e in good if complaint(*e)]
    if wrong or not python_outside("ops", "Python.h") or python_outside("python", "Python.h"):
        sys.exit(f"the rules of layers.py answer wrongly for {wrong}")


def main() -> None:
    self_check()
    root = tree.arguments(__doc__ or "").root.resolve()
    broken, count = broken_edges(root)
    print("\n".join(broken))
    print(f"{count} include edges between our files, {len(broken)} against the rules")
    sys.exit(bool(broken) or count == 0)


if __name__ == "__main__":
    main()
