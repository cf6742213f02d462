# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy and PyTorch as NumPy arrays, and back. Types that NumPy lacks travel as bytes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from mathwright.errors import OperandTypeError

__all__ = ["as_numpy", "decode", "dtype_name", "from_numpy", "is_array"]

_BYTES = ("float8_e4m3fn", "float8_e5m2", "float4_e2m1fn_x2", "float8_e8m0fnu")


def is_array(value: Any) -> bool:
    """Whether the value is an array of a package known here."""
    return type(value).__module__.partition(".")[0] in ("numpy", "torch") and hasattr(
        value, "dtype"
    )


def dtype_name(array: Any) -> str:
    """The name of the dtype, the same for every package."""
    return str(array.dtype).rpartition(".")[2]


def as_numpy(array: Any, what: str) -> np.ndarray:
    """The array in NumPy, in host memory; float8 and float4 as uint8.

    Raises:
        OperandTypeError: an object of another package.
    """
    package = type(array).__module__.partition(".")[0]
    if package == "numpy" and isinstance(array, np.ndarray):
        return array.view(np.uint8) if dtype_name(array) in _BYTES else array
    if package == "torch":
        torch = import_module("torch")
        host = array.detach().cpu()
        numbers: np.ndarray = (
            host.view(torch.uint8) if dtype_name(array) in _BYTES else host
        ).numpy()
        return numbers
    raise OperandTypeError(
        f"{what} is of type {type(array).__name__}; an array of NumPy or PyTorch is wanted"
    )


def from_numpy(array: np.ndarray, like: Any, dtype: str | None = None) -> Any:
    """The array in the package, and on the device, of another; bytes as the dtype of that name."""
    if isinstance(like, np.ndarray):
        if dtype in (None, "float4_e2m1fn_x2"):
            return array  # NumPy has no packed float4: bytes stand for it
        if dtype in _BYTES:
            return array.view(getattr(import_module("ml_dtypes"), str(dtype)))
        return array.astype(dtype)
    torch = import_module("torch")
    tensor = torch.from_numpy(array)
    if dtype in _BYTES:
        tensor = tensor.view(getattr(torch, dtype))
    elif dtype is not None:
        tensor = tensor.to(getattr(torch, dtype))
    return tensor.to(like.device)


def _float8(exponent_bits: int, bias: int, finite: bool) -> np.ndarray:
    """The values of all 256 bytes of a float8."""
    bits = np.arange(256)
    mantissa_bits = 7 - exponent_bits
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = (bits & (1 << mantissa_bits) - 1) / (1 << mantissa_bits)
    value = np.where(
        exponent > 0, (1 + mantissa) * 2.0 ** (exponent - bias), mantissa * 2.0 ** (1 - bias)
    )
    if finite:
        value[bits & 0x7F == 0x7F] = np.nan
    else:
        value[(exponent == 31) & (mantissa == 0)] = np.inf
        value[(exponent == 31) & (mantissa > 0)] = np.nan
    return np.where(bits & 0x80, -value, value)


_TABLES = {"float8_e4m3fn": _float8(4, 7, True), "float8_e5m2": _float8(5, 15, False)}


def decode(array: Any, what: str) -> np.ndarray:
    """The numbers of an array, float8 included, in float64."""
    host = as_numpy(array, what)
    table = _TABLES.get(dtype_name(array))
    return host.astype(np.float64) if table is None else table[host]
