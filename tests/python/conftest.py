# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for running one suite on a CPU or on a GPU.

MATHWRIGHT_TEST_DEVICE=cpu (default): NumPy operands, and PyTorch's if it is installed.
MATHWRIGHT_TEST_DEVICE=cuda: CuPy and PyTorch operands on the device, and NumPy operands with
execution="cuda" (mirrored there and back).

A test that takes `xp` runs once for each:

    def test_product(xp):
        a = xp.asarray(np.ones((2, 3)))
        d = mw.linalg.matmul(a, a.T, **xp.execution)
        assert_close(xp.to_numpy(d), ...)
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

DEVICE = os.environ.get("MATHWRIGHT_TEST_DEVICE", "cpu")
if DEVICE not in ("cpu", "cuda"):
    raise pytest.UsageError(f"MATHWRIGHT_TEST_DEVICE is {DEVICE!r}; cpu or cuda is wanted")


@dataclass(frozen=True)
class Operands:
    """A package, and where its arrays and the work are."""

    name: str
    device: str  # of the arrays

    @property
    def execution(self) -> dict[str, str]:
        """Keyword arguments for every call."""
        return {"execution": "cuda"} if DEVICE == "cuda" and self.device == "cpu" else {}

    @property
    def array_type(self) -> type:
        if self.name == "torch":
            import torch

            return torch.Tensor
        return __import__(self.name).ndarray

    def asarray(self, array: np.ndarray) -> Any:
        """The same numbers, in the same layout where the package has it, as an array of the package."""
        if self.name == "torch":
            import torch

            negative = any(stride < 0 for stride in array.strides)
            return torch.from_numpy(array.copy() if negative else array).to(self.device)
        if self.name == "cupy":
            import cupy

            return cupy.asarray(array)
        return array

    def to_numpy(self, array: Any) -> np.ndarray:
        if self.name == "torch":
            return array.detach().resolve_conj().cpu().numpy()
        return array.get() if self.name == "cupy" else np.asarray(array)

    def synchronize(self) -> None:
        if self.device == "cuda":
            module = __import__(self.name)
            (
                module.cuda.synchronize
                if self.name == "torch"
                else module.cuda.Device().synchronize
            )()


def _operands() -> list[Operands]:
    found = [Operands("numpy", "cpu")]
    if importlib.util.find_spec("torch"):
        found.append(Operands("torch", DEVICE))
    if DEVICE == "cuda" and importlib.util.find_spec("cupy"):
        found.append(Operands("cupy", "cuda"))
    return found


@pytest.fixture(params=_operands(), ids=lambda operands: f"{operands.name}-{operands.device}")
def xp(request: pytest.FixtureRequest) -> Operands:
    """Each package in turn, with its arrays where the suite's device wants them."""
    return request.param


@pytest.fixture
def device() -> str:
    """Where the work runs: cpu or cuda."""
    return DEVICE


@pytest.fixture
def on_device() -> dict[str, str]:
    """Keyword arguments that make NumPy operands run on the suite's device."""
    return {"execution": "cuda"} if DEVICE == "cuda" else {}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1234)


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Normally distributed numbers of a real or complex dtype."""
    dtype = np.dtype(dtype)
    values = rng.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def assert_close(seen: Any, wanted: Any, operations: int) -> None:
    """|seen − wanted| ≤ 4·ε·operations·max|wanted|: the bound of a sum of so many products."""
    seen, wanted = np.asarray(seen), np.asarray(wanted)
    assert seen.shape == wanted.shape, (seen.shape, wanted.shape)
    if wanted.size == 0:
        return
    epsilon = float(np.finfo(seen.dtype).eps)
    bound = 4 * epsilon * max(operations, 1) * max(float(np.abs(wanted).max()), 1.0)
    worst = float(np.abs(seen - wanted).max())
    assert worst <= bound, f"differs by {worst:.3g}, {bound:.3g} is allowed"
