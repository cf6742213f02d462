# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products: α·op(A)·op(B) + β·C, over batches, planned once and run often.

* :func:`matmul` for one product, :class:`Matmul` for the same product many times
* :class:`MatmulOptions`, :class:`ExecutionCPU`, :class:`ExecutionCUDA`: how and where
* ``…Qualifier``: what kind of matrix an operand is
* :mod:`mathwright.linalg.advanced`: narrow dtypes with scales, named epilogs, algorithms
"""

from typing import TYPE_CHECKING

from mathwright._enums import ComputeType
from mathwright._execution import ExecutionCPU, ExecutionCUDA
from mathwright.errors import InvalidStateError as InvalidMatmulState
from mathwright.linalg._matmul import Matmul, matmul
from mathwright.linalg._options import MatmulOptions
from mathwright.linalg._qualifiers import (
    DiagonalMatrixQualifier,
    DiagType,
    FillMode,
    GeneralMatrixQualifier,
    HermitianMatrixQualifier,
    MatrixQualifier,
    SideMode,
    SymmetricMatrixQualifier,
    TriangularMatrixQualifier,
    matrix_qualifiers_dtype,
)

if TYPE_CHECKING:
    from mathwright.linalg import advanced as advanced

__all__ = [
    "ComputeType",
    "DiagType",
    "DiagonalMatrixQualifier",
    "ExecutionCPU",
    "ExecutionCUDA",
    "FillMode",
    "GeneralMatrixQualifier",
    "HermitianMatrixQualifier",
    "InvalidMatmulState",
    "Matmul",
    "MatmulOptions",
    "MatrixQualifier",
    "SideMode",
    "SymmetricMatrixQualifier",
    "TriangularMatrixQualifier",
    "advanced",
    "matmul",
    "matrix_qualifiers_dtype",
]


def __getattr__(name: str) -> object:
    if name != "advanced":
        raise AttributeError(f"module 'mathwright.linalg' has no attribute {name!r}")
    from importlib import import_module

    return import_module("mathwright.linalg.advanced")
