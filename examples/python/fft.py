# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms. No direction is scaled: ifft(fft(x)) is n·x."""

import mathwright as mw
import numpy as np

rng = np.random.default_rng(0)

# Complex to complex, along the last axis of a batch of 5 lines.
x = rng.standard_normal((5, 64)) + 1j * rng.standard_normal((5, 64))
y = mw.fft.fft(x, axes=(1,))
np.testing.assert_allclose(y, np.fft.fft(x), rtol=1e-12, atol=1e-12)
np.testing.assert_allclose(mw.fft.ifft(y, axes=(1,)) / 64, x, rtol=1e-12, atol=1e-12)

# Real data have a Hermitian spectrum: n/2 + 1 numbers tell all.
t = np.arange(1000) / 1000  # a second
signal = np.sin(2 * np.pi * 50 * t) + 0.5 * np.sin(2 * np.pi * 120 * t)
spectrum = mw.fft.rfft(signal)
peaks = np.argsort(np.abs(spectrum))[-2:]
print("the two strongest frequencies:", sorted(peaks.tolist()), "Hz")

# A filter: take the 120 Hz away and go back. 1000 is even, which is what irfft takes by default.
spectrum[100:] = 0
smooth = mw.fft.irfft(spectrum) / 1000
np.testing.assert_allclose(smooth, np.sin(2 * np.pi * 50 * t), atol=1e-12)

# Any axes in any order, any lengths (241 is a prime), any strides.
volume = rng.standard_normal((241, 6, 10)).astype(np.complex64)
np.testing.assert_allclose(
    mw.fft.fft(volume[:, ::2], axes=(0, 2)), np.fft.fftn(volume[:, ::2], axes=(0, 2)), atol=2e-3
)
print("all right")
