# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products with everything: D = F(α·op(A)·op(B) + β·C), any epilog F, narrow dtypes with scales.

* :func:`matmul` for one product, :class:`Matmul` for the same product many times
* :class:`MatmulEpilog`: the named epilogs; any function of the expression language is one too
* :class:`MatmulOptions`, :class:`MatmulPlanPreferences`, :class:`MatmulQuantizationScales`
* :class:`Algorithm`: one way of computing a planned product
* :mod:`mathwright.linalg.advanced.helpers`: block scales and packed float4
"""

from mathwright.linalg.advanced import helpers
from mathwright.linalg.advanced._algorithm import Algorithm
from mathwright.linalg.advanced._arguments import matrix_qualifiers_dtype
from mathwright.linalg.advanced._enums import (
    MatmulComputeType,
    MatmulEpilog,
    MatmulInnerShape,
    MatmulNumericalImplFlags,
    MatmulReductionScheme,
)
from mathwright.linalg.advanced._matmul import Matmul, matmul
from mathwright.linalg.advanced._options import (
    MatmulEpilogPreferences,
    MatmulOptions,
    MatmulPlanPreferences,
    MatmulQuantizationScales,
)

__all__ = [
    "Algorithm",
    "Matmul",
    "MatmulComputeType",
    "MatmulEpilog",
    "MatmulEpilogPreferences",
    "MatmulInnerShape",
    "MatmulNumericalImplFlags",
    "MatmulOptions",
    "MatmulPlanPreferences",
    "MatmulQuantizationScales",
    "MatmulReductionScheme",
    "helpers",
    "matmul",
    "matrix_qualifiers_dtype",
]
