# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The advanced product: D = F(α·A·B + β·C), once and many times.

A program written for nvmath-python does the same after `import nvmath` for the first import.
"""

import mathwright as nvmath
import numpy as np

rng = np.random.default_rng(0)
advanced = nvmath.linalg.advanced
m, n, k = 64, 96, 128
a = rng.standard_normal((m, k)).astype(np.float32)
b = rng.standard_normal((k, n)).astype(np.float32)
c = rng.standard_normal((m, n)).astype(np.float32)


def check(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-3, atol=1e-3)


# One call.
check(advanced.matmul(a, b), a @ b)
check(advanced.matmul(a, b, c, alpha=0.45, beta=0.67), 0.45 * a @ b + 0.67 * c)

# Options: an object, or a dict of its fields.
options = advanced.MatmulOptions(
    compute_type=advanced.MatmulComputeType.COMPUTE_32F, scale_type=nvmath.CudaDataType.CUDA_R_32F
)
check(advanced.matmul(a, b, options=options), a @ b)
check(advanced.matmul(a, b, options={"compute_type": 68}), a @ b)

# A batch of A under one B; C without batch axes is repeated, and so is a C of one column.
stack = rng.standard_normal((4, m, k)).astype(np.float32)
check(advanced.matmul(stack, b, c, beta=1.0), stack @ b + c)
check(advanced.matmul(stack, b, c[:, :1].copy(), beta=1.0), stack @ b + c[:, :1])

# Complex operands may be conjugated.
qualifiers = np.zeros(3, dtype=advanced.matrix_qualifiers_dtype)
qualifiers[0]["is_conjugate"] = True
z = (a + 1j * a[::-1]).astype(np.complex64)
check(advanced.matmul(z, b.astype(np.complex64), qualifiers=qualifiers), z.conj() @ b)

# Plan once, execute often. Operands may change in place, or be reset.
with advanced.Matmul(a, b, c, alpha=2.0, beta=0.5) as mm:
    mm.plan()
    check(mm.execute(), 2 * a @ b + 0.5 * c)
    a2 = rng.standard_normal((m, k)).astype(np.float32)
    mm.reset_operands(a=a2, alpha=3.0)
    check(mm.execute(), 3 * a2 @ b + 0.5 * c)
    b[:] = rng.standard_normal((k, n))
    check(mm.execute(), 3 * a2 @ b + 0.5 * c)

# In place: the result takes the place of C.
before = c.copy()
result = advanced.matmul(a, b, c, beta=1.0, options={"inplace": True})
assert result is c
check(c, a @ b + before)
print("all as NumPy computes it")
