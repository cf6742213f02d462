# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The named epilogs of matrix products: ``mathwright.epilog.RELU_BIAS`` and so on.

>>> import mathwright.epilog
>>> mathwright.epilog.RELU_BIAS
<MatmulEpilog.RELU_BIAS: 6>
"""

from mathwright.linalg.advanced._enums import MatmulEpilog

__all__ = list(MatmulEpilog.__members__)

globals().update(MatmulEpilog.__members__)
