# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""A tall and skinny product: one layer of a classifier over every pixel of a photograph.

A sample is a pixel x described by its 3×3 neighbourhood (27 numbers) and −|x|²/2. The layer's weights
are sixteen prototypes µ_k, found by k-means on some of the pixels:

    score_k = x·µ_k − |x|²/2 + (T² − |µ_k|²)/2 = (T² − |x − µ_k|²)/2

which is a product, 273 280×28 by 28×16, plus a bias, and relu keeps the prototypes within reach T.
The bias is the C of α·A·B + β·C, one row repeated without a copy (stride 0); relu runs in place on the
result. Fusing both into the product is what a later version will do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import mathwright as mw
from mathwright.demo.show import OURS, compare, explain, save

TITLE = "A classifier's layer on a photograph: relu(A·B + bias)"
PROTOTYPES = 16


def photograph() -> Any:
    """A real photograph that scikit-learn ships, as float32 in [0, 1]."""
    from sklearn.datasets import load_sample_image  # type: ignore[import-untyped]

    return load_sample_image("flower.jpg").astype(np.float32) / 255


def samples_of(picture: Any) -> Any:
    """(pixels, 27): the colours of each pixel and of the eight around it."""
    padded = np.pad(picture, ((1, 1), (1, 1), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(0, 1))
    return np.ascontiguousarray(windows.reshape(-1, 27))


def nearest(samples: Any, prototypes: Any) -> Any:
    return np.argmax(samples @ prototypes.T - 0.5 * (prototypes**2).sum(1), axis=1)


def learn_prototypes(samples: Any, rng: np.random.Generator) -> Any:
    """k-means: starts spread out (each new one far from the others), then twelve steps of Lloyd's."""
    prototypes = samples[:1]
    distance = np.full(len(samples), np.inf)
    while len(prototypes) < PROTOTYPES:
        distance = np.minimum(distance, ((samples - prototypes[-1]) ** 2).sum(1))
        pick = rng.choice(len(samples), p=distance / distance.sum())
        prototypes = np.concatenate([prototypes, samples[pick : pick + 1]])
    for _ in range(12):
        labels = nearest(samples, prototypes)
        prototypes = np.stack(
            [
                samples[labels == k].mean(0) if (labels == k).any() else prototypes[k]
                for k in range(PROTOTYPES)
            ]
        )
    return prototypes


def layer_of(samples: Any) -> tuple[Any, Any, Any]:
    """Weights, bias and prototypes."""
    rng = np.random.default_rng(0)
    some = samples[rng.choice(len(samples), 10_000, replace=False)]
    prototypes = learn_prototypes(some, rng)
    away = ((some - prototypes[nearest(some, prototypes)]) ** 2).sum(1)
    reach = np.quantile(away, 0.995)  # T²
    weights = np.concatenate([prototypes.T, np.ones((1, PROTOTYPES), np.float32)])
    bias = (0.5 * (reach - (prototypes**2).sum(1))).astype(np.float32)
    return weights, bias, prototypes


def check(activations: Any, a: Any, weights: Any, bias: Any) -> None:
    exact = np.maximum(a.astype(np.float64) @ weights.astype(np.float64) + bias, 0)
    error = np.abs(activations - exact).max()
    terms = (np.abs(a).astype(np.float64) @ np.abs(weights) + np.abs(bias)).max()
    bound = (a.shape[1] + 1) * np.finfo(np.float32).eps * terms
    print(f"largest error against float64: {error:.2e} (rounding allows {bound:.2e})")
    if not error <= bound:
        raise RuntimeError("the product's error is larger than rounding allows")


def show(folder: Path, execution: str | None) -> list[Path]:
    picture = photograph()
    samples = samples_of(picture)
    weights, bias, prototypes = layer_of(samples)
    a = np.concatenate([samples, -0.5 * (samples**2).sum(1, keepdims=True)], axis=1)
    c = np.broadcast_to(bias, (len(a), PROTOTYPES))
    out = np.empty((len(a), PROTOTYPES), np.float32)
    product = mw.linalg.Matmul(a, weights, c, alpha=1, beta=1, out=out, execution=execution)
    product.plan()

    def layer() -> Any:
        return np.maximum(product.execute(), 0, out=out)

    print(
        f"{len(a)} pixels of a real photograph (from scikit-learn), {a.shape[1]} features each, "
        f"{PROTOTYPES} prototypes"
    )
    explain("α·A·B + β·C", product)
    check(layer(), a, weights, bias)
    other = np.empty_like(out)
    compare(
        {
            "NumPy": lambda: np.maximum(a @ weights + bias, 0),
            "NumPy, no new arrays": lambda: np.maximum(
                np.add(np.matmul(a, weights, out=other), bias, out=other), 0, out=other
            ),
            OURS: layer,
        },
        "NumPy",
    )
    activations = layer()
    found = activations.max(1) > 0
    labels = activations.argmax(1)
    print(
        f"{found.mean():.2%} of the pixels have a prototype within reach, "
        f"{(activations > 0).sum(1).mean():.1f} on average"
    )
    colours = prototypes.reshape(PROTOTYPES, 3, 3, 3)[:, :, 1, 1]  # of the middle pixel
    painted = np.where(found[:, None], colours[labels], picture.reshape(-1, 3)).reshape(
        picture.shape
    )
    return [
        save(folder / "photograph_before.png", picture, "the photograph"),
        save(
            folder / "photograph_after.png",
            painted.clip(0, 1),
            f"every pixel in the colour of its strongest prototype ({PROTOTYPES} of them)",
        ),
    ]
