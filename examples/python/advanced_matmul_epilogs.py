# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Epilogs: the named ones with their auxiliary results, and functions of your own."""

import mathwright as nvmath
import numpy as np

rng = np.random.default_rng(0)
advanced = nvmath.linalg.advanced
Epilog = advanced.MatmulEpilog
m, n, k = 64, 128, 256
a = rng.standard_normal((m, k)).astype(np.float32)
b = rng.standard_normal((k, n)).astype(np.float32)
bias = rng.standard_normal((m, 1)).astype(np.float32)


def check(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-3, atol=1e-3)


# A bias runs along the rows of D.
check(advanced.matmul(a, b, epilog=Epilog.BIAS, epilog_inputs={"bias": bias}), a @ b + bias)

# Forward through ReLU, with the mask that the way back needs.
y, aux = advanced.matmul(a, b, epilog=Epilog.RELU_AUX_BIAS, epilog_inputs={"bias": bias})
check(y, np.maximum(a @ b + bias, 0))
print("mask:", aux["relu_aux"].dtype, aux["relu_aux"].shape)

# Backward through it, with the gradient of the bias.
g = rng.standard_normal((m, k)).astype(np.float32)
h = rng.standard_normal((k, n)).astype(np.float32)
with advanced.Matmul(g, h) as mm:
    mm.plan(epilog=Epilog.DRELU_BGRAD, epilog_inputs={"relu_aux": aux["relu_aux"]})
    gradient, sums = mm.execute()
check(gradient, np.where(y > 0, g @ h, 0))
check(sums["drelu_bgrad"], gradient.sum(1))

# The same through GELU.
y, aux = advanced.matmul(a, b, epilog=Epilog.GELU_AUX)
advanced.matmul(g, h, epilog=Epilog.DGELU, epilog_inputs={"gelu_aux": aux["gelu_aux"]})

# Sums of the operands.
_, aux = advanced.matmul(a, b, epilog=Epilog.BGRADA)
check(aux["bgrada"], a.sum(1))
_, aux = advanced.matmul(a, b, epilog=Epilog.BGRADB)
check(aux["bgradb"], b.sum(0))

# Another epilog for the same operands, other inputs for the same plan.
with advanced.Matmul(a, b) as mm:
    mm.plan(epilog=Epilog.RELU_BIAS, epilog_inputs={"bias": bias})
    check(mm.execute(), np.maximum(a @ b + bias, 0))
    mm.reset_operands(epilog_inputs={"bias": 2 * bias})
    check(mm.execute(), np.maximum(a @ b + 2 * bias, 0))
    mm.plan()
    check(mm.execute(), a @ b)

# What only Mathwright has: any function, with any inputs and several results.
import mathwright as mw  # noqa: E402


def epilog(x, row, scale):
    y = mw.silu(x * scale + row)
    return {"result": y, "pre": x, "largest": mw.max(abs(y), axis=-1)}


row = rng.standard_normal(n).astype(np.float32)
d, aux = advanced.matmul(a, b, epilog=epilog, epilog_inputs={"row": row, "scale": 0.1})
x = a @ b
silu = (0.1 * x + row) / (1 + np.exp(-(0.1 * x + row)))
check(d, silu)
check(aux["largest"], np.abs(silu).max(-1))
print("all as NumPy computes it")
