# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""A two-dimensional band filter on real terrain: transform, keep some wavelengths, transform back.

The elevations are of the Jacksboro fault in Tennessee, 344×403 points 3 arc seconds apart. Mirrored at
two sides the terrain becomes periodic without a jump, which is what a Fourier transform wants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.bench.peers import optional
from mathwright.demo.show import OURS, compare, explain, save

TITLE = "A band filter on terrain: irfft2(mask · rfft2(elevation))"
BAND = (0.7, 7.0)  # kilometres of wavelength that are kept
METRES_PER_DEGREE = 111_320.0


class Terrain:
    """Elevations in metres and the distance of their points in kilometres, from matplotlib."""

    def __init__(self) -> None:
        from matplotlib import cbook

        file: Any = cbook.get_sample_data("jacksboro_fault_dem.npz")
        with file as data:
            self.elevation = data["elevation"].astype(np.float32)
            middle = np.deg2rad((float(data["ymin"]) + float(data["ymax"])) / 2)
            self.dy = float(data["dy"]) * METRES_PER_DEGREE / 1000
            self.dx = float(data["dx"]) * METRES_PER_DEGREE / 1000 * np.cos(middle)

    def shaded(self, elevation: Any, exaggeration: float) -> Any:
        """Coloured by height and lit from the north-west."""
        from matplotlib import colormaps
        from matplotlib.colors import LightSource

        light = LightSource(azdeg=315, altdeg=40)
        return light.shade(
            elevation,
            cmap=colormaps["gist_earth"],
            blend_mode="soft",
            vert_exag=exaggeration,
            dx=self.dx * 1000,
            dy=self.dy * 1000,
        )


def mirrored(elevation: Any) -> Any:
    rows = np.concatenate([elevation, elevation[::-1]])
    return np.ascontiguousarray(np.concatenate([rows, rows[:, ::-1]], axis=1))


def frequency(shape: tuple[int, int], terrain: Terrain) -> Any:
    """Waves per kilometre of each entry of the half spectrum."""
    fy = np.fft.fftfreq(shape[0], terrain.dy)[:, None]
    fx = np.fft.rfftfreq(shape[1], terrain.dx)[None, :]
    return np.hypot(fy, fx)


def band_mask(waves: Any) -> Any:
    """Butterworth edges of order 3: a hard edge would ring."""
    longest, shortest = 1 / BAND[1], 1 / BAND[0]
    with np.errstate(divide="ignore"):
        above = 1 / (1 + (longest / waves) ** 6)
    below = 1 / (1 + (waves / shortest) ** 6)
    return above * below


def spectrum_picture(spectrum: Any, terrain: Terrain, path: Path) -> Path:
    """log10 of the power, zero in the middle, with the band's edges."""
    half = np.fft.fftshift(np.log10(np.abs(spectrum) ** 2 + 1), axes=0)
    # The missing half is the kept one seen through the origin.
    full = np.concatenate([np.roll(half[::-1], 1, axis=0)[:, :0:-1], half], axis=1)
    edge_y, edge_x = 0.5 / terrain.dy, 0.5 / terrain.dx
    angle = np.linspace(0, 2 * np.pi, 361)

    def draw(axes: Any) -> None:
        for wavelength in BAND:
            axes.plot(np.cos(angle) / wavelength, np.sin(angle) / wavelength, color="white", lw=1.2)
        axes.set_xlim(-4, 4)
        axes.set_ylim(-4, 4)

    low, high = np.percentile(full, (2, 99.99))
    return save(
        path,
        full,
        f"power spectrum; kept: waves of {BAND[0]} to {BAND[1]:.0f} km, between the circles",
        cmap="magma",
        vmin=low,
        vmax=high,
        extent=(-edge_x, edge_x, -edge_y, edge_y),
        draw=draw,
    )


def check(result: Any, surface: Any, mask: Any) -> None:
    exact = np.fft.irfft2(np.fft.rfft2(surface.astype(np.float64)) * mask, s=surface.shape)
    error = np.abs(result - exact).max()
    # Each transform loses up to about log2(N) roundings.
    bound = 2 * np.log2(surface.size) * np.finfo(surface.dtype).eps * np.abs(surface).max()
    print(f"largest error against float64: {error:.2e} m (rounding allows {bound:.2e})")
    if not error <= bound:
        raise RuntimeError("the filter's error is larger than rounding allows")


def show(folder: Path, execution: str | None) -> list[Path]:
    terrain = Terrain()
    surface = mirrored(terrain.elevation)
    rows, columns = terrain.elevation.shape
    mask = band_mask(frequency(surface.shape, terrain))
    scaled = (mask / surface.size).astype(np.float32)  # our transforms do not normalise
    spectrum = np.empty((surface.shape[0], surface.shape[1] // 2 + 1), np.complex64)
    filtered = np.empty_like(spectrum)
    result = np.empty_like(surface)
    forward = mw.fft.FFT(surface, axes=(0, 1), out=spectrum, execution=execution)
    inverse = mw.fft.FFT(
        filtered, axes=(0, 1), options={"fft_type": "C2R"}, out=result, execution=execution
    )
    forward.plan()
    inverse.plan()

    def band() -> Any:
        np.multiply(forward.execute(), scaled, out=filtered)
        return inverse.execute()

    print(
        f"{rows}×{columns} real elevations (from matplotlib), mirrored to "
        f"{surface.shape[0]}×{surface.shape[1]}, {surface.dtype}"
    )
    explain("the forward transform", forward)
    explain("the inverse transform", inverse)
    check(band(), surface, mask)
    mask = mask.astype(np.float32)
    ways = {"NumPy": lambda: np.fft.irfft2(np.fft.rfft2(surface) * mask, s=surface.shape)}
    if fft := optional("scipy.fft"):
        ways["SciPy"] = lambda: fft.irfft2(fft.rfft2(surface) * mask, s=surface.shape)
    compare(ways | {OURS: band}, "NumPy")
    kept = band()[:rows, :columns]
    print(
        f"elevation {terrain.elevation.min():.0f} to {terrain.elevation.max():.0f} m; "
        f"the kept band {kept.min():.0f} to {kept.max():.0f} m"
    )
    return [
        save(
            folder / "terrain_before.png",
            terrain.shaded(terrain.elevation, 3),
            "the Jacksboro fault: elevation",
        ),
        save(
            folder / "terrain_after.png",
            terrain.shaded(kept, 3),
            f"only the waves of {BAND[0]} to {BAND[1]:.0f} km: ridges and valleys, without the slope",
        ),
        spectrum_picture(spectrum, terrain, folder / "terrain_spectrum.png"),
    ]
