# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""float8 with scales and largest magnitudes, MXFP8 and NVFP4 with block scales; needs ml_dtypes.

With PyTorch tensors it is the same; NumPy has no packed float4, so bytes stand for it.
"""

import sys

import mathwright as nvmath
import numpy as np

try:
    from ml_dtypes import float8_e4m3fn
except ImportError:
    sys.exit("pip install ml_dtypes: NumPy's float8")

from mathwright.linalg.advanced.helpers.matmul import (
    apply_mxfp8_scale,
    create_mxfp8_scale,
    expand_block_scale,
    quantize_to_fp4,
    to_block_scale,
    unpack_fp4,
)

rng = np.random.default_rng(0)
matmul = nvmath.linalg.advanced.matmul
Type = nvmath.CudaDataType
m, n, k = 128, 256, 128
x = rng.standard_normal((m, k)).astype(np.float32)
w = rng.standard_normal((k, n)).astype(np.float32)

# float8: what is stored times its scale is meant. A result in float8 has a scale of its own.
a, b = x.astype(float8_e4m3fn), w.astype(float8_e4m3fn)
wide = matmul(
    a, b, quantization_scales={"a": 1.0, "b": 1.0}, options={"result_type": Type.CUDA_R_32F}
)
d, aux = matmul(
    a, b, quantization_scales={"a": 1.0, "b": 1.0, "d": 1.0}, options={"result_amax": True}
)
np.testing.assert_allclose(aux["result_amax"], np.abs(wide).max(), rtol=1e-5)

# The largest magnitude gives the scale of the next step.
with nvmath.linalg.advanced.Matmul(
    a, b, quantization_scales={"a": 1.0, "b": 1.0, "d": 1.0}, options={"result_amax": True}
) as mm:
    mm.plan()
    _, aux = mm.execute()
    mm.reset_operands(quantization_scales={"d": 448 / float(aux["result_amax"][0])})
    d, aux = mm.execute()
print("largest stored:", np.abs(d.astype(np.float32)).max())

# MXFP8: a power of two for every 32 elements. The result comes with its own.
scales = {"a": create_mxfp8_scale(a, -2), "b": create_mxfp8_scale(b, 1)}
d, aux = matmul(a, b, quantization_scales=scales, options={"block_scaling": True})
seen = apply_mxfp8_scale(d, aux["d_out_scale"])
print("MXFP8, largest error:", np.abs(seen - wide / 2).max(), "of", np.abs(wide / 2).max())

# NVFP4: a float8 for every 16 elements.
scale_a = np.abs(x).reshape(m, k // 16, 16).max(-1) / 6
scale_b = np.abs(w).reshape(k // 16, 16, n).max(1) / 6
scale_a, scale_b = scale_a.astype(float8_e4m3fn), scale_b.astype(float8_e4m3fn)
packed_a = quantize_to_fp4(x / np.repeat(scale_a.astype(np.float32), 16, axis=1), axis=-1)
packed_b = quantize_to_fp4(w / np.repeat(scale_b.astype(np.float32), 16, axis=0), axis=-2)
scales = {
    "a": to_block_scale(scale_a, packed_a, "NVFP4"),
    "b": to_block_scale(scale_b, packed_b, "NVFP4"),
}
options = {"block_scaling": True, "result_type": Type.CUDA_R_32F}
d = matmul(packed_a, packed_b, quantization_scales=scales, options=options)
print("NVFP4, error:", np.linalg.norm(d - x @ w) / np.linalg.norm(x @ w))
options = {"block_scaling": True, "result_type": Type.CUDA_R_4F_E2M1}
d4, aux = matmul(packed_a, packed_b, quantization_scales=scales, options=options)
seen = unpack_fp4(d4, axis=-1) * expand_block_scale(
    aux["d_out_scale"], d4, "NVFP4", output_dtype=np.float32
)
print("and stored in NVFP4:", np.linalg.norm(seen - d) / np.linalg.norm(d))
