# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Planned, tuned and fused mathematics on CPUs and GPUs.

Operands are whatever the user has: NumPy arrays, PyTorch and CuPy tensors, JAX arrays, anything with
``__dlpack__``. Results come back in kind.

* :mod:`mathwright.linalg`: matrix products (``matmul``, ``Matmul``)
* :mod:`mathwright.fft`: Fourier transforms (``fft``, ``ifft``, ``rfft``, ``irfft``, ``FFT``), and all of
  SciPy's by their names (``fftn``, ``dct``, ``fftconvolve``, …)
* :mod:`mathwright.scipy_backend`: ``scipy.fft.set_backend(mathwright.scipy_backend)``
* :mod:`mathwright.expr`: functions of your own to fuse (``relu``, ``where``, ``trace``, …)
* :mod:`mathwright.plan_cache`: a look at the plans kept behind every call
* :mod:`mathwright.tune`: what autotuning found out, kept between runs
* :mod:`mathwright.memory`: memory managers
* :mod:`mathwright.errors`: the exceptions

Submodules are imported when they are first used.

>>> import numpy as np, mathwright as mw
>>> mw.linalg.matmul(np.ones((2, 3)), np.ones((3, 2)))
array([[3., 3.],
       [3., 3.]])
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mathwright import _core as _core

if TYPE_CHECKING:
    from mathwright import epilog as epilog
    from mathwright import errors as errors
    from mathwright import expr as expr
    from mathwright import fft as fft
    from mathwright import linalg as linalg
    from mathwright import memory as memory
    from mathwright import plan_cache as plan_cache
    from mathwright import scipy_backend as scipy_backend
    from mathwright import tune as tune
    from mathwright._enums import ComputeType as ComputeType
    from mathwright._enums import CudaDataType as CudaDataType
    from mathwright._enums import LibraryPropertyType as LibraryPropertyType
    from mathwright._fuse import fuse as fuse
    from mathwright.errors import MathwrightError as MathwrightError
    from mathwright.expr import Expr as Expr
    from mathwright.expr import abs as abs  # noqa: A004
    from mathwright.expr import argmax as argmax
    from mathwright.expr import argmin as argmin
    from mathwright.expr import ceil as ceil
    from mathwright.expr import clamp as clamp
    from mathwright.expr import conj as conj
    from mathwright.expr import cos as cos
    from mathwright.expr import erf as erf
    from mathwright.expr import exp as exp
    from mathwright.expr import expm1 as expm1
    from mathwright.expr import floor as floor
    from mathwright.expr import gelu as gelu
    from mathwright.expr import imag as imag
    from mathwright.expr import index as index
    from mathwright.expr import isfinite as isfinite
    from mathwright.expr import isinf as isinf
    from mathwright.expr import isnan as isnan
    from mathwright.expr import log as log
    from mathwright.expr import log1p as log1p
    from mathwright.expr import max as max  # noqa: A004
    from mathwright.expr import maximum as maximum
    from mathwright.expr import min as min  # noqa: A004
    from mathwright.expr import minimum as minimum
    from mathwright.expr import prod as prod
    from mathwright.expr import real as real
    from mathwright.expr import relu as relu
    from mathwright.expr import round as round  # noqa: A004
    from mathwright.expr import rsqrt as rsqrt
    from mathwright.expr import sigmoid as sigmoid
    from mathwright.expr import sign as sign
    from mathwright.expr import silu as silu
    from mathwright.expr import sin as sin
    from mathwright.expr import sqrt as sqrt
    from mathwright.expr import square as square
    from mathwright.expr import sum as sum  # noqa: A004
    from mathwright.expr import tanh as tanh
    from mathwright.expr import trace as trace
    from mathwright.expr import trunc as trunc
    from mathwright.expr import where as where
    from mathwright.memory import BaseCUDAMemoryManager as BaseCUDAMemoryManager
    from mathwright.memory import BaseCUDAMemoryManagerAsync as BaseCUDAMemoryManagerAsync
    from mathwright.memory import MemoryPointer as MemoryPointer

__version__: str = _core.__version__

# What fused functions are written with.
_EXPR = (
    "Expr",
    "argmax",
    "argmin",
    "ceil",
    "clamp",
    "conj",
    "cos",
    "erf",
    "exp",
    "expm1",
    "floor",
    "gelu",
    "imag",
    "index",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "maximum",
    "minimum",
    "prod",
    "real",
    "relu",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sqrt",
    "square",
    "tanh",
    "trace",
    "trunc",
    "where",
)
# These share a name with Python's own: mathwright.sum, but never by `from mathwright import *`.
_SHADOWING = ("abs", "max", "min", "round", "sum")

# Where a name is: the submodule to import; the name is then its attribute, or the submodule itself.
_LAZY = {
    "epilog": "epilog",
    "errors": "errors",
    "expr": "expr",
    "fft": "fft",
    "fuse": "_fuse",
    "linalg": "linalg",
    "memory": "memory",
    "plan_cache": "plan_cache",
    "scipy_backend": "scipy_backend",
    "tune": "tune",
    "ComputeType": "_enums",
    "CudaDataType": "_enums",
    "LibraryPropertyType": "_enums",
    "MathwrightError": "errors",
    "BaseCUDAMemoryManager": "memory",
    "BaseCUDAMemoryManagerAsync": "memory",
    "MemoryPointer": "memory",
    **dict.fromkeys(_EXPR, "expr"),
}

__all__ = ["__version__", "info", *_LAZY]


def __getattr__(name: str) -> object:
    place = "expr" if name in _SHADOWING else _LAZY.get(name)
    if place is None:
        raise AttributeError(f"module 'mathwright' has no attribute {name!r}")
    __import__(f"mathwright.{place}")
    module = sys.modules[f"mathwright.{place}"]
    value: object = module if name == place else getattr(module, name)
    globals()[name] = value  # for names in _SHADOWING too: this module uses none of Python's
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def info() -> str:
    """What this machine offers, as a page of text.

    Version, host, devices, every library found or not found with the places looked in, and which
    implementation a small and a large problem of each operation would take. Takes a second or so,
    because every library is looked for.

    Returns:
        The text.

    >>> "mathwright" in mathwright.info().lower()
    True
    """
    return _core.info()


def _wheel_roots() -> list[str]:
    """The folders with other packages' wheels, where vendor libraries may be."""
    import numpy

    beside_numpy = numpy.__path__[0].rpartition("/")[0]
    known = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
    return list(dict.fromkeys([beside_numpy, *known]))


_core.set_wheel_roots(_wheel_roots())
