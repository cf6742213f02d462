# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products. Operands are ordinary NumPy arrays, and so is the result."""

import mathwright as mw
import numpy as np

rng = np.random.default_rng(0)
a = rng.standard_normal((300, 40))
b = rng.standard_normal((40, 20))

# D = A·B
d = mw.linalg.matmul(a, b)
np.testing.assert_allclose(d, a @ b, rtol=1e-12, atol=1e-12)

# D = α·A·B + β·C. C has the shape of D; a row repeated by broadcast_to is not copied.
bias = np.broadcast_to(rng.standard_normal(20), (300, 20))
d = mw.linalg.matmul(a, b, bias, alpha=0.5, beta=1)
np.testing.assert_allclose(d, 0.5 * (a @ b) + bias, rtol=1e-12, atol=1e-12)

# Leading axes are batches and broadcast as NumPy's do: 8 products with one B.
many = rng.standard_normal((8, 30, 40))
print("batches:", mw.linalg.matmul(many, b).shape)

# Any strides do: a transposed view, every other row backwards. Nothing is copied behind your back;
# explain() of a planned product would say so.
d = mw.linalg.matmul(b.T, a[::-2].T)
np.testing.assert_allclose(d, b.T @ a[::-2].T, rtol=1e-12, atol=1e-12)

# Into memory of your own.
out = np.empty((300, 20))
assert mw.linalg.matmul(a, b, out=out) is out
print("all right")
