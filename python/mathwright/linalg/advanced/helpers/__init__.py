# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of advanced products."""

from mathwright.linalg.advanced.helpers import matmul

__all__ = ["matmul"]
