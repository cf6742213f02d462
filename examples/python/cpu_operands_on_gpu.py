# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays in, NumPy arrays out, and the work on a GPU.

By default work runs where its operands are. `execution="cuda"` sends host operands to the GPU and brings
the result back; explain() lists those copies and counts them in.
"""

import sys

import mathwright as mw
import numpy as np

rng = np.random.default_rng(0)
a = rng.standard_normal((2048, 2048), dtype=np.float32)
b = rng.standard_normal((2048, 2048), dtype=np.float32)

try:
    product = mw.linalg.Matmul(a, b, execution="cuda")
except mw.MathwrightError as error:
    print(f"No GPU here, says the library:\n{error}\n")
    print("The same on the CPU:")
    product = mw.linalg.Matmul(a, b, execution="cpu")

with product:
    product.plan()
    print(product.explain())
    d = product.execute()

assert isinstance(d, np.ndarray)
np.testing.assert_allclose(d, a @ b, rtol=1e-3, atol=1e-2)
print("all right")
sys.exit(0)
