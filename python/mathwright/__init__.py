# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Planned, tuned and fused mathematics on CPUs and GPUs.

Operands are whatever the user has: NumPy arrays, PyTorch and CuPy tensors, JAX arrays, anything with
``__dlpack__``. Results come back in kind.

* :mod:`mathwright.linalg`: matrix products (``matmul``, ``Matmul``)
* :mod:`mathwright.fft`: Fourier transforms (``fft``, ``ifft``, ``rfft``, ``irfft``, ``FFT``)
* :mod:`mathwright.plan_cache`: a look at the plans kept behind every call
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
    from mathwright import errors as errors
    from mathwright import fft as fft
    from mathwright import linalg as linalg
    from mathwright import memory as memory
    from mathwright import plan_cache as plan_cache
    from mathwright._enums import ComputeType as ComputeType
    from mathwright._enums import CudaDataType as CudaDataType
    from mathwright._enums import LibraryPropertyType as LibraryPropertyType
    from mathwright.errors import MathwrightError as MathwrightError
    from mathwright.memory import BaseCUDAMemoryManager as BaseCUDAMemoryManager
    from mathwright.memory import BaseCUDAMemoryManagerAsync as BaseCUDAMemoryManagerAsync
    from mathwright.memory import MemoryPointer as MemoryPointer

__version__: str = _core.__version__

# Where a name is: the submodule to import; the name is then its attribute, or the submodule itself.
_LAZY = {
    "errors": "errors",
    "fft": "fft",
    "linalg": "linalg",
    "memory": "memory",
    "plan_cache": "plan_cache",
    "ComputeType": "_enums",
    "CudaDataType": "_enums",
    "LibraryPropertyType": "_enums",
    "MathwrightError": "errors",
    "BaseCUDAMemoryManager": "memory",
    "BaseCUDAMemoryManagerAsync": "memory",
    "MemoryPointer": "memory",
}

__all__ = ["__version__", "info", *_LAZY]


def __getattr__(name: str) -> object:
    place = _LAZY.get(name)
    if place is None:
        raise AttributeError(f"module 'mathwright' has no attribute {name!r}")
    __import__(f"mathwright.{place}")
    module = sys.modules[f"mathwright.{place}"]
    value: object = module if name == place else getattr(module, name)
    globals()[name] = value
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
