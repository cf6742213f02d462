# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""How far a correct result may be from the exact one, and assertions that use it.

Products. A sum of k products, formed in any order in arithmetic of precision ε, is within (k + 2)·ε/2
times Σ|a||b| of the exact one, scaling by alpha and adding beta·c included (N. J. Higham, Accuracy and
Stability of Numerical Algorithms, section 3.1). A complex product is within 2√2 of that of a real one
and its parts are sums of two: a factor of 4. The oracle rounds too, so ε stands instead of ε/2.

Transforms. A fast transform of n points errs by at most η·log2(n)·‖y‖₂ in the 2-norm, with η below 7
roundings per stage for twiddle factors that are good to one rounding (the same book, theorem 24.2):
3.5·ε. Lengths with large prime factors go through a convolution, three transforms of up to 4n points
(Bluestein's method); that covers the others too, so no implementation is presumed.

On top of that no result may be further off, in the relative maximum norm, than LOOSEST.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Relative maximum norm that no bound exceeds, by the dtype of one real part.
LOOSEST = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 16e-3}


def _real_name(array: np.ndarray) -> str:
    return np.empty(0, array.dtype).real.dtype.name


def epsilon(array: np.ndarray) -> float:
    """Distance from 1 to the next number of the array's real dtype."""
    return float(np.finfo(array.dtype).eps)


def widened(array: Any) -> np.ndarray:
    """The same numbers in double precision."""
    array = np.asarray(array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def product_oracle(
    a: Any, b: Any, c: Any = None, alpha: complex = 1, beta: complex = 0
) -> np.ndarray:
    """alpha·a@b + beta·c in double precision; c is not read when beta is 0."""
    wanted = alpha * np.matmul(widened(a), widened(b)) if alpha != 0 else None
    if wanted is None:
        wanted = np.zeros_like(np.matmul(np.zeros_like(widened(a)), np.zeros_like(widened(b))))
    return np.asarray(wanted if c is None or beta == 0 else wanted + beta * widened(c))


def product_bound(
    a: Any, b: Any, c: Any, alpha: complex, beta: complex, result: np.ndarray
) -> np.ndarray:
    """For each element of the result, how far it may be off."""
    a, b = np.abs(widened(a)), np.abs(widened(b))
    k = a.shape[-1]
    size = abs(alpha) * np.matmul(a, b)
    if c is not None and beta != 0:
        size = size + abs(beta) * np.abs(widened(c))
    factor = 4 if result.dtype.kind == "c" else 1
    narrow = epsilon(result) if result.dtype.itemsize < 4 else 0.0
    # Narrow types are multiplied and added in single precision and rounded once at the end.
    sums = min(epsilon(result), float(np.finfo(np.float32).eps))
    return np.asarray(factor * (k + 2) * sums * size + narrow * np.abs(size))


def assert_product(
    seen: Any,
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: complex = 1,
    beta: complex = 0,
) -> None:
    """seen = alpha·a@b + beta·c, of the operands' dtype, within the bound of each element."""
    seen = np.asarray(seen)
    wanted = product_oracle(a, b, c, alpha, beta)
    assert seen.dtype == np.asarray(a).dtype, (seen.dtype, np.asarray(a).dtype)
    assert seen.shape == wanted.shape, (seen.shape, wanted.shape)
    if wanted.size == 0:
        return
    bound = product_bound(a, b, c, alpha, beta, seen)
    error = np.abs(widened(seen) - wanted)
    assert np.isfinite(widened(seen)).all(), "not finite"
    worst = np.unravel_index(np.argmax(error - bound), error.shape)
    assert (error <= bound).all(), (
        f"element {worst} differs by {error[worst]}, bound {bound[worst]}"
    )


def transform_bound(points: int, result: np.ndarray) -> float:
    """Bound of ‖error‖₂ / ‖result‖₂ for transforms of so many points each."""
    stages = 3 * (math.log2(max(points, 1)) + 2)
    return 2 * 3.5 * epsilon(result) * max(stages, 1.0)


def assert_transform(seen: Any, wanted: Any, points: int) -> None:
    """seen = wanted (the oracle's, in double precision), transforms of `points` points each."""
    seen, wanted = np.asarray(seen), np.asarray(wanted)
    assert seen.shape == wanted.shape, (seen.shape, wanted.shape)
    if wanted.size == 0:
        return
    assert np.isfinite(widened(seen)).all(), "not finite"
    error = np.abs(widened(seen) - wanted)
    norm = float(np.linalg.norm(wanted.ravel()))
    bound = transform_bound(points, seen) * norm
    assert float(np.linalg.norm(error.ravel())) <= bound, (
        f"the error's norm is {np.linalg.norm(error.ravel())}, {bound} is allowed"
    )
    largest = LOOSEST[_real_name(seen)] * float(np.abs(wanted).max())
    assert float(error.max()) <= largest, f"an element is off by {error.max()}, of {largest}"
