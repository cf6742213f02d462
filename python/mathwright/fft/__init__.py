# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms over any axes of arrays of any rank and layout.

::

    forward   X[k] = Σ_j x[j] exp(−2πi jk/n)        inverse   x[j] = Σ_k X[k] exp(+2πi jk/n)

per transformed axis, unnormalised in both directions: ``ifft(fft(x)) == n·x``.
"""

from mathwright._execution import ExecutionCPU, ExecutionCUDA
from mathwright.errors import InvalidStateError as InvalidFFTState
from mathwright.errors import UnsupportedLayoutError
from mathwright.fft._keys import estimate_workspace_size
from mathwright.fft._options import FFTDirection, FFTOptions
from mathwright.fft._transform import FFT, fft, ifft, irfft, rfft

__all__ = [
    "FFT",
    "ExecutionCPU",
    "ExecutionCUDA",
    "FFTDirection",
    "FFTOptions",
    "InvalidFFTState",
    "UnsupportedLayoutError",
    "estimate_workspace_size",
    "fft",
    "ifft",
    "irfft",
    "rfft",
]
