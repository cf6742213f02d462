# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms over any axes of arrays of any rank and layout.

::

    forward   X[k] = Σ_j x[j] exp(−2πi jk/n)        inverse   x[j] = Σ_k X[k] exp(+2πi jk/n)

per transformed axis. ``fft``, ``ifft``, ``rfft`` and ``irfft`` take any ``axes`` and are by default unnormalised in
both directions: ``ifft(fft(x)) == n·x``. The other functions bear SciPy's names and take SciPy's parameters with
SciPy's defaults: ``ifftn(fftn(x)) == x``. All of SciPy's, these four too, are in :mod:`mathwright.scipy_backend`.
"""

from mathwright._execution import ExecutionCPU, ExecutionCUDA
from mathwright.errors import InvalidStateError as InvalidFFTState
from mathwright.errors import UnsupportedLayoutError
from mathwright.fft._arguments import AxisError
from mathwright.fft._convolve import fftconvolve, oaconvolve
from mathwright.fft._frequencies import fftfreq, fftshift, ifftshift, next_fast_len, rfftfreq
from mathwright.fft._keys import estimate_workspace_size
from mathwright.fft._names_1d import hfft, ihfft
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
from mathwright.fft._options import FFTDirection, FFTOptions
from mathwright.fft._real_to_real import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from mathwright.fft._transform import FFT, fft, ifft, irfft, rfft

__all__ = [
    "FFT",
    "AxisError",
    "ExecutionCPU",
    "ExecutionCUDA",
    "FFTDirection",
    "FFTOptions",
    "InvalidFFTState",
    "UnsupportedLayoutError",
    "dct",
    "dctn",
    "dst",
    "dstn",
    "estimate_workspace_size",
    "fft",
    "fft2",
    "fftconvolve",
    "fftfreq",
    "fftn",
    "fftshift",
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
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "oaconvolve",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
