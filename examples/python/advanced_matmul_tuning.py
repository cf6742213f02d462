# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Algorithms: what a plan chose from, timing them, and keeping the best for later."""

import os
import tempfile

import mathwright as nvmath
import numpy as np

rng = np.random.default_rng(0)
advanced = nvmath.linalg.advanced
a = rng.standard_normal((2000, 64)).astype(np.float32)
b = rng.standard_normal((64, 48)).astype(np.float32)
bias = rng.standard_normal(2000).astype(np.float32)
saved = os.path.join(tempfile.mkdtemp(), "algorithm.npy")

with advanced.Matmul(a, b) as mm:
    print("ids:", mm.applicable_algorithm_ids(limit=4))
    algorithms = mm.plan(
        preferences=advanced.MatmulPlanPreferences(limit=4),
        epilog=advanced.MatmulEpilog.RELU_BIAS,
        epilog_inputs={"bias": bias},
    )
    for algorithm in algorithms:
        print(algorithm, algorithm.capabilities.splitk_support)
    mm.autotune(iterations=5, prune=2)
    best = mm.algorithms[0]
    print("fastest:", best)
    np.testing.assert_allclose(
        mm.execute(algorithm=best), np.maximum(a @ b + bias[:, None], 0), rtol=1e-3, atol=1e-3
    )
    np.save(saved, best.as_numpy())

# Later, or elsewhere: no choice is made again.
again = advanced.Algorithm.from_numpy(np.load(saved))
with advanced.Matmul(a, b) as mm:
    mm.plan(
        algorithms=[again],
        epilog=advanced.MatmulEpilog.RELU_BIAS,
        epilog_inputs={"bias": bias},
    )
    mm.execute()
