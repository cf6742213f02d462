# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The same product many times: plan once, execute often.

A planned execution checks nothing that the plan has settled, so small products are quick too.
"""

import mathwright as mw
import numpy as np

rng = np.random.default_rng(0)
weights = rng.standard_normal((64, 64), dtype=np.float32)
state = rng.standard_normal((64, 64), dtype=np.float32)
result = np.empty((64, 64), np.float32)

with mw.linalg.Matmul(weights, state, out=result) as product:
    product.plan()
    print(product.explain())

    # 1. The operands' memory may be written between executions: the product reads what is there now.
    for _ in range(100):
        product.execute()
        np.tanh(result, out=state)

    # 2. Or the operands may be replaced by others of the same shape, dtype and layout.
    for _ in range(10):
        batch = rng.standard_normal((64, 64), dtype=np.float32)
        product.reset_operands(b=batch)
        product.execute()
        np.testing.assert_allclose(result, weights @ batch, rtol=1e-3, atol=1e-3)

# Plans are kept behind the scenes as well, so calling mw.linalg.matmul() in a loop plans only once.
print("plans kept:", mw.plan_cache.statistics())
