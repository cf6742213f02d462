# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``mathwright``: what is on this machine, a demonstration, benchmarks.

It exits with 0 if all went well, 1 if what was asked for failed, 2 if the command line is wrong.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import textwrap
from typing import Any

from mathwright import _core

OK, FAILED = 0, 1

# Array packages whose arrays are taken as they are, and those that make the pictures and tables.
COMPANIONS = ("numpy", "cupy", "torch", "jax", "scipy", "ml_dtypes", "matplotlib", "scikit-learn")


def companions() -> dict[str, str | None]:
    """The versions of other packages, found without importing them."""
    found: dict[str, str | None] = {}
    for package in COMPANIONS:
        # CuPy's wheels have the CUDA release in their names.
        names = ("cupy", "cupy-cuda12x", "cupy-cuda13x") if package == "cupy" else (package,)
        found[package] = next((v for v in map(version_of, names) if v), None)
    return found


def version_of(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def python_facts() -> dict[str, Any]:
    """What the C++ library cannot know."""
    return {
        "version": sys.version.split()[0],
        "executable": sys.executable,
        "extension": _core.__file__,
        "packages": companions(),
    }


def python_text(facts: dict[str, Any]) -> str:
    packages = facts["packages"].items()
    present = ", ".join(f"{name} {version}" for name, version in packages if version)
    absent = ", ".join(name for name, version in packages if not version)
    rows = [
        ("interpreter", f"{facts['version']}, {facts['executable']}"),
        ("extension", facts["extension"]),
        ("packages", present),
        ("absent", absent or "none"),
    ]
    return "\npython\n" + "".join(f"  {label:<14}{words}\n" for label, words in rows)


def environment_text(rows: list[dict[str, Any]]) -> str:
    """Every variable with its value, or what holds without it."""
    lines = []
    for row in rows:
        value = row["value"]
        shown = value if value is not None else f"(unset; {row['default'] or 'nothing'})"
        lines.append(f"{row['name']:<28}{shown}")
        lines.append(textwrap.indent(textwrap.fill(row["meaning"], 72), " " * 28))
    return "\n".join(lines) + "\n"


def run_info(arguments: argparse.Namespace) -> int:
    if arguments.json or arguments.env:
        report = json.loads(_core.info_json())
        report["python"] = python_facts()
        if arguments.json:
            print(json.dumps(report["environment"] if arguments.env else report, indent=2))
        else:
            print(environment_text(report["environment"]), end="")
    else:
        print(_core.info() + python_text(python_facts()), end="")
    return OK


def run_demo(arguments: argparse.Namespace) -> int:
    from mathwright import demo

    return demo.run(arguments)


def run_bench(arguments: argparse.Namespace) -> int:
    from mathwright import bench

    return bench.run(arguments)


def run_tune(arguments: argparse.Namespace) -> int:
    from mathwright import tune

    return tune.run(arguments)


def positive_seconds(word: str) -> float:
    seconds = float(word)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{word}; a number of seconds above 0 is wanted")
    return seconds


def add_bench(commands: Any) -> None:
    bench = commands.add_parser(
        "bench", help="side by side with what you would use instead (extra: bench)"
    )
    bench.add_argument(
        "cases", nargs="*", metavar="CASE", help="names or beginnings of names; none: all"
    )
    bench.add_argument("--list", action="store_true", help="the names of the cases, and go")
    bench.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    form = bench.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="results as JSON")
    form.add_argument("--markdown", action="store_true", help="results as tables of Markdown")
    bench.add_argument(
        "--picture", metavar="FILE.svg", help="also draw the cases under the roof of the machine"
    )
    bench.add_argument(
        "--from",
        dest="report",
        metavar="FILE.json",
        help="measure nothing: draw what --json printed",
    )
    bench.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    bench.set_defaults(run=run_bench)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mathwright", description="Planned and tuned mathematics on CPUs and GPUs."
    )
    parser.add_argument("--version", action="version", version=f"mathwright {_core.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="what was found on this machine, and what would run")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.add_argument("--env", action="store_true", help="the environment variables instead")
    info.set_defaults(run=run_info)

    demo = commands.add_parser(
        "demo", help="a product and a transform on real data, with pictures (extra: demo)"
    )
    demo.add_argument(
        "--out", default="mathwright-demo", metavar="DIR", help="folder for the pictures"
    )
    demo.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="cpu",
        help="auto: a GPU if there is one",
    )
    demo.set_defaults(run=run_demo)

    add_bench(commands)

    tune = commands.add_parser(
        "tune",
        help="time the ways to run each problem of a list, and remember the fastest",
        description="Files hold a problem a line, as tests/conformance writes them "
        "(float32 a=1000000x16 b=16x16 beta=1), or are logs that MATHWRIGHT_PLAN_LOG made.",
    )
    tune.add_argument("files", nargs="+", metavar="FILE", help="- for standard input")
    tune.add_argument(
        "--seconds", type=positive_seconds, metavar="S", help="the most that a problem may take"
    )
    tune.add_argument("--dry-run", action="store_true", help="plan, and tell what would be timed")
    tune.set_defaults(run=run_tune)
    return parser


def main(argv: list[str] | None = None) -> int:
    arguments = make_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return OK
    except ModuleNotFoundError as missing:
        extra = arguments.command
        print(
            f"mathwright {extra}: the package {missing.name} is not installed; "
            f"`pip install mathwright[{extra}]` brings it",
            file=sys.stderr,
        )
        return FAILED
    except Exception as error:
        print(f"mathwright {arguments.command}: {error}", file=sys.stderr)
        return FAILED
    return code


if __name__ == "__main__":
    sys.exit(main())
