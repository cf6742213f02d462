# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Explicit batches of advanced products: sequences of operands, each item a problem of its own."""

from __future__ import annotations

from typing import Any

from mathwright.linalg._explicit import Batch
from mathwright.linalg.advanced._matmul import Matmul

__all__ = ["ExplicitMatmul"]


class ExplicitMatmul(Batch, Matmul):  # type: ignore[misc]
    """The advanced Matmul for an explicit batch. Made by ``Matmul([…], […])``."""

    _one = Matmul

    @property
    def algorithms(self) -> Any:
        """A tuple of algorithms for each problem."""
        return [product.algorithms for product in self._products]
