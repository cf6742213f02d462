# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of mathwright.expr, and those of docs/expressions.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import mathwright.expr
import pytest
from mathwright.expr import _functions, _shadowing, _trace

PAGE = Path(__file__).parents[2] / "docs" / "expressions.md"


@pytest.mark.parametrize(
    "module", [mathwright.expr, _functions, _shadowing, _trace], ids=lambda module: module.__name__
)
def test_examples(module):
    seen = doctest.testmod(module)
    assert seen.attempted > 0 and seen.failed == 0


def test_every_function_has_an_example():
    for name in mathwright.expr.__all__:
        value = getattr(mathwright.expr, name)
        assert ">>>" in (value.__doc__ or "") or name == "Parameter", name


def test_page():
    seen = doctest.testfile(str(PAGE), module_relative=False)
    assert seen.attempted > 0 and seen.failed == 0
