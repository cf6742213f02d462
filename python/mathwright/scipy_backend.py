# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What ``scipy.fft`` takes as a backend, and SciPy's functions by SciPy's rules.

::

    with scipy.fft.set_backend(mathwright.scipy_backend):
        scipy.fft.fft(x)                        # and everything of SciPy that calls it

What this library has not (``fht``, ``ifht``, extended precision) goes to SciPy. SciPy itself is not imported.

>>> import numpy as np
>>> import mathwright.scipy_backend as backend
>>> backend.fft(np.ones(2))
array([2.+0.j, 0.+0.j])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mathwright.fft._names_1d import fft, hfft, ifft, ihfft, irfft, rfft
from mathwright.fft._names_nd import (
    fft2,
    fftn,
    hfft2,
    hfftn,
    ifft2,
    ifftn,
    ihfft2,
    ihfftn,
    irfft2,
    irfftn,
    rfft2,
    rfftn,
)
from mathwright.fft._real_to_real import dct, dctn, dst, dstn, idct, idctn, idst, idstn

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftn",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

_FUNCTIONS = {name: globals()[name] for name in __all__}
__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(  # noqa: N807
    method: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """A call of one of ``scipy.fft``'s functions; NotImplemented for what is SciPy's own."""
    function: Any = _FUNCTIONS.get(method.__name__)
    x = args[0] if args else kwargs.get("x")
    if function is None or getattr(getattr(x, "dtype", None), "char", "") in ("g", "G"):
        return NotImplemented
    return function(*args, **kwargs)
