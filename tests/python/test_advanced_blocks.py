# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""MXFP8 and NVFP4 on the CPU, and the helpers for them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mathwright.linalg.advanced import Matmul, MatmulEpilog, matmul
from mathwright.linalg.advanced.helpers.matmul import (
    BlockScalingFormat,
    apply_mxfp8_scale,
    create_mxfp8_scale,
    expand_block_scale,
    get_block_scale_offset,
    invert_mxfp8_scale,
    quantize_to_fp4,
    to_block_scale,
    unpack_fp4,
)

ml_dtypes = pytest.importorskip("ml_dtypes")

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
RNG = np.random.default_rng(13)
M, N, K = 128, 256, 256
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


# ---- helpers ----------------------------------------------------------------------------------------


def test_offsets_are_those_of_the_tiles():
    """The layout by its definition: 128 × 4 tiles, columns of 32 rows interleaved."""
    rows, blocks = 256, 8
    wanted, place = np.empty((rows, blocks), int), 0
    for tile_row, tile_block in itertools.product(range(rows // 128), range(blocks // 4)):
        for row, column, block in itertools.product(range(32), range(4), range(4)):
            wanted[tile_row * 128 + column * 32 + row, tile_block * 4 + block] = place
            place += 1

    index = np.ix_(np.arange(rows), np.arange(blocks))
    seen = get_block_scale_offset(index, (rows, blocks * 16), "NVFP4", axis=-1)
    np.testing.assert_array_equal(seen, wanted)
    seen = get_block_scale_offset(
        index[::-1], (blocks * 32, rows), BlockScalingFormat.MXFP8, axis=-2
    )
    np.testing.assert_array_equal(seen, wanted)


def test_batches_follow_each_other():
    assert get_block_scale_offset((1, 0, 0), (2, 128, 128), "MXFP8", axis=-1) == 512
    assert get_block_scale_offset((1, 2, 0, 0), (2, 3, 128, 128), "MXFP8", axis=-1) == 5 * 512


@pytest.mark.parametrize("fmt, axis", itertools.product(["NVFP4", "MXFP8"], [-1, -2]))
def test_scales_go_there_and_back(fmt, axis):
    block = 16 if fmt == "NVFP4" else 32
    shape = (2, 256, 256)
    inner = list(shape)
    inner[axis] //= block
    scale = RNG.integers(1, 100, inner).astype(np.uint8)
    if fmt == "NVFP4":
        scale = scale.view(E4M3)

    flat = to_block_scale(scale, shape, fmt, axis=axis)
    out = np.empty_like(flat)

    assert flat.ndim == 1 and flat.dtype == scale.dtype
    assert to_block_scale(scale, shape, fmt, axis=axis, out=out) is out
    np.testing.assert_array_equal(out.view(np.uint8), flat.view(np.uint8))
    expanded = expand_block_scale(flat, shape, fmt, axis=axis)
    wanted = np.repeat(scale.view(np.uint8), block, axis=axis)
    np.testing.assert_array_equal(expanded.view(np.uint8), wanted)
    numbers = expand_block_scale(flat, shape, fmt, axis=axis, output_dtype="float32")
    assert numbers.dtype == np.float32


def test_the_axis_follows_from_an_operand():
    packed = quantize_to_fp4(np.zeros((128, 128), np.float32), axis=-2)
    scale = RNG.integers(1, 100, (8, 128)).astype(np.uint8).view(E4M3)

    flat = to_block_scale(scale, packed, "NVFP4")

    wanted = to_block_scale(scale, (128, 128), "NVFP4", axis=-2)
    np.testing.assert_array_equal(flat.view(np.uint8), wanted.view(np.uint8))


def test_float4_rounds_to_nearest_even():
    values = np.array(
        [
            0,
            -0.0,
            0.25,
            0.26,
            0.75,
            1.25,
            1.75,
            2.5,
            2.51,
            3.5,
            5,
            5.01,
            99,
            -99,
            np.inf,
            1e-45,
            -1,
            np.nan,
        ],
        np.float32,
    )
    wanted = [0, -0.0, 0, 0.5, 1, 1, 2, 2, 3, 4, 4, 6, 6, -6, 6, 0, -1, 6]

    seen = unpack_fp4(quantize_to_fp4(values[None, :], axis=-1), axis=-1)

    np.testing.assert_array_equal(seen[0], wanted)
    np.testing.assert_array_equal(np.signbit(seen[0]), np.signbit(wanted))


@pytest.mark.parametrize("axis", [-1, -2])
def test_float4_packs_the_first_of_a_pair_low(axis):
    values = RNG.choice(np.concatenate([FP4, -FP4]), (2, 6, 4)).astype(np.float32)

    packed = quantize_to_fp4(values, axis)

    assert packed.shape == ((2, 6, 2) if axis == -1 else (2, 3, 4))
    assert packed.strides[axis] == 1
    np.testing.assert_array_equal(unpack_fp4(packed, axis), values)
    first = packed[0, 0, 0]
    assert FP4[first & 7] * (-1 if first & 8 else 1) == values[0, 0, 0]


def test_mxfp8_scales():
    x = RNG.standard_normal((128, 256)).astype(E4M3)
    scale = create_mxfp8_scale(x, 3)

    assert scale.shape == (x.size // 32,)
    np.testing.assert_array_equal(apply_mxfp8_scale(x, scale), 8 * x.astype("f4"))
    np.testing.assert_array_equal(
        apply_mxfp8_scale(x, invert_mxfp8_scale(scale)), x.astype("f4") / 8
    )
    huge = apply_mxfp8_scale(x, create_mxfp8_scale(x, 128))
    assert huge.dtype == np.float64 and np.isfinite(huge).all()
    kept = np.array([0, 127, 254, 255], np.uint8)
    np.testing.assert_array_equal(invert_mxfp8_scale(kept), [254, 127, 0, 0])
    np.testing.assert_array_equal(kept, [0, 127, 254, 255])


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: create_mxfp8_scale(np.zeros((128, 128)), 129), ValueError),
        (lambda: create_mxfp8_scale(np.zeros((128, 128)), 1.5), ValueError),
        (lambda: create_mxfp8_scale([1.0], 0), TypeError),
        (lambda: invert_mxfp8_scale(np.zeros(3)), ValueError),
        (lambda: quantize_to_fp4(np.zeros((2, 2)), -1), ValueError),
        (lambda: quantize_to_fp4(np.zeros((2, 3), "f4"), -1), ValueError),
        (lambda: quantize_to_fp4(np.zeros((2, 2), "f4"), 0), ValueError),
        (lambda: unpack_fp4(np.zeros((2, 2)), -1), ValueError),
        (lambda: get_block_scale_offset((0, 0), (128, 128), "FP9", axis=-1), ValueError),
        (lambda: get_block_scale_offset((0, 0), (128, 128), "MXFP8"), ValueError),
        (lambda: get_block_scale_offset((0,), (128, 128), "MXFP8", axis=-1), ValueError),
        (lambda: get_block_scale_offset((0, 0), (100, 128), "MXFP8", axis=-1), ValueError),
        (
            lambda: to_block_scale(np.zeros((128, 5), np.uint8), (128, 128), "MXFP8", axis=-1),
            ValueError,
        ),
        (
            lambda: to_block_scale(np.zeros((128, 4)), (128, 128), "MXFP8", axis=-1),
            ValueError,
        ),
        (
            lambda: expand_block_scale(np.zeros(5, np.uint8), (128, 128), "MXFP8", axis=-1),
            ValueError,
        ),
    ],
)
def test_helpers_refuse_by_class(call, error):
    with pytest.raises(error):
        call()


# ---- MXFP8 ------------------------------------------------------------------------------------------


def mxfp8(shape, axis, dtype=E4M3):
    x = RNG.standard_normal(shape).astype(dtype)
    inner = list(shape)
    inner[axis] //= 32
    scale = RNG.integers(122, 133, inner).astype(np.uint8)
    flat = to_block_scale(scale, shape, "MXFP8", axis=axis)
    return x, flat, x.astype("f8") * np.repeat(2.0 ** (scale.astype("f8") - 127), 32, axis=axis)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("dtypes", [(E4M3, E4M3), (E5M2, E4M3)])
def test_mxfp8_products(batch, dtypes):
    a, sa, wide_a = mxfp8((*batch, M, K), -1, dtypes[0])
    b, sb, wide_b = mxfp8((*batch, K, N), -2, dtypes[1])

    d = matmul(
        a,
        np.asfortranarray(b) if not batch else b,
        alpha=0.5,
        quantization_scales={"a": sa, "b": sb},
        options={"block_scaling": True, "result_type": "CUDA_R_32F"},
    )

    np.testing.assert_allclose(d, 0.5 * wide_a @ wide_b, rtol=1e-4, atol=1e-3)


def test_mxfp8_results_come_with_their_scales():
    a, sa, wide_a = mxfp8((M, K), -1)
    b, sb, wide_b = mxfp8((K, N), -2)
    a[0] = 0

    d, aux = matmul(a, b, quantization_scales={"a": sa, "b": sb}, options={"block_scaling": True})

    assert d.dtype == E4M3
    assert aux["d_out_scale"].dtype == np.uint8 and aux["d_out_scale"].shape == (M * N // 32,)
    wanted = wide_a @ wide_b
    largest = np.abs(wanted[1:].reshape(M - 1, N // 32, 32)).max(-1)
    error = np.abs(apply_mxfp8_scale(d, aux["d_out_scale"]) - wanted)[1:].reshape(
        M - 1, N // 32, 32
    )
    wanted[0] = 0
    assert (error.max(-1) <= largest * 2.0**-3).all()
    assert (d[0].astype("f4") == 0).all()
    # They go straight into another product.
    c, sc, wide_c = mxfp8((N, M), -2)
    chained = matmul(
        d,
        c,
        quantization_scales={"a": aux["d_out_scale"], "b": sc},
        options={"block_scaling": True, "result_type": "CUDA_R_32F"},
    )
    np.testing.assert_allclose(
        chained, apply_mxfp8_scale(d, aux["d_out_scale"]).astype("f8") @ wide_c, rtol=1e-3, atol=0.5
    )


# ---- NVFP4 ------------------------------------------------------------------------------------------


def nvfp4(shape, axis):
    values = RNG.choice(np.concatenate([FP4, -FP4]), shape)
    inner = list(shape)
    inner[axis] //= 16
    scale = RNG.choice([0.25, 0.5, 1, 1.5, 3], inner).astype(E4M3)
    flat = to_block_scale(scale, shape, "NVFP4", axis=axis)
    packed = quantize_to_fp4(values.astype(np.float32), axis)
    return packed, flat, values * np.repeat(scale.astype("f8"), 16, axis=axis)


@pytest.mark.parametrize("batch", [(), (2, 2)])
@pytest.mark.parametrize("result, dtype", [("CUDA_R_32F", "float32"), ("CUDA_R_16F", "float16")])
def test_nvfp4_products(batch, result, dtype):
    a, sa, wide_a = nvfp4((*batch, M, K), -1)
    b, sb, wide_b = nvfp4((*batch, K, N), -2)
    bias = RNG.standard_normal(M).astype(dtype)

    d = matmul(
        a,
        b,
        epilog=MatmulEpilog.RELU_BIAS,
        epilog_inputs={"bias": bias},
        quantization_scales={"a": sa, "b": sb},
        options={"block_scaling": True, "result_type": result},
    )

    assert d.dtype == dtype
    wanted = np.maximum(wide_a @ wide_b + bias.astype("f8")[:, None], 0)
    np.testing.assert_allclose(d, wanted, rtol=2e-3 if dtype == "float16" else 1e-5, atol=1e-3)


def test_nvfp4_with_c_and_resets():
    a, sa, wide_a = nvfp4((M, K), -1)
    b, sb, wide_b = nvfp4((K, N), -2)
    c = RNG.standard_normal((M, N)).astype(np.float32)
    with Matmul(
        a,
        b,
        c,
        beta=2,
        quantization_scales={"a": sa, "b": sb},
        options={"block_scaling": True, "result_type": "CUDA_R_32F"},
    ) as product:
        product.plan()
        np.testing.assert_allclose(product.execute(), wide_a @ wide_b + 2 * c, rtol=1e-4, atol=1e-3)
        other, so, wide_o = nvfp4((M, K), -1)
        product.reset_operands(a=other, alpha=-1, quantization_scales={"a": so})
        np.testing.assert_allclose(
            product.execute(), -wide_o @ wide_b + 2 * c, rtol=1e-4, atol=1e-3
        )


@pytest.mark.parametrize("epilog", [None, MatmulEpilog.BIAS])
def test_nvfp4_results_come_with_their_scales(epilog):
    a, sa, wide_a = nvfp4((M, K), -1)
    b, sb, wide_b = nvfp4((K, N), -2)
    inputs = {"bias": np.zeros(M, np.float16)} if epilog else None

    d, aux = matmul(
        a,
        b,
        epilog=epilog,
        epilog_inputs=inputs,
        quantization_scales={"a": sa, "b": sb},
        options={"block_scaling": True, "result_type": "CUDA_R_4F_E2M1"},
    )

    axis = -2 if epilog else -1  # a bias makes the result one of columns
    assert d.shape == ((M // 2, N) if epilog else (M, N // 2))
    assert aux["d_out_scale"].dtype == E4M3
    factors = expand_block_scale(aux["d_out_scale"], d, "NVFP4", output_dtype="float64")
    seen = unpack_fp4(d, axis) * factors
    # Half a step of float4 at its top, plus the rounding of the scale.
    assert (np.abs(seen - wide_a @ wide_b) <= factors * (1 + 6 / 16)).all()


# ---- mistakes ---------------------------------------------------------------------------------------

OPTIONS = {"block_scaling": True, "result_type": "CUDA_R_32F"}


def test_block_scaling_mistakes_are_value_errors():
    a, sa, _ = mxfp8((M, K), -1)
    b, sb, _ = mxfp8((K, N), -2)
    f4, s4, _ = nvfp4((M, K), -1)
    g4, t4, _ = nvfp4((K, N), -2)
    both = {"a": sa, "b": sb}
    for arguments, words in (
        ((a, b, {"a": 1.0, "b": sb}, OPTIONS), "scale of a"),
        ((a, b, {"a": sa}, OPTIONS), "lacks b"),
        ((a, b, {**both, "d": sa}, {"block_scaling": True}), "d with block scaling"),
        ((a, b, {"a": sa[:-1], "b": sb}, OPTIONS), "scale of a has"),
        ((a, b, {"a": sa.view(E4M3), "b": sb}, OPTIONS), "scale of a"),
        ((a[:100], b, both, OPTIONS), "multiples of 128"),
        ((a[:, :64], b[:64], both, OPTIONS), "multiples of 128"),
        ((a[0], b, both, OPTIONS), "matrix"),
        ((np.stack([a, a]), b, both, OPTIONS), "batch"),
        ((f4, b, {"a": s4, "b": sb}, OPTIONS), ""),
        ((f4, g4, {"a": s4, "b": t4}, {}), ""),
        ((f4, g4, {"a": s4.view(np.uint8), "b": t4}, OPTIONS), "scale of a"),
        ((f4, g4, {"a": s4, "b": t4}, {"block_scaling": True, "result_type": 28}), ""),
        ((a, b, both, {**OPTIONS, "result_amax": True}), "result_amax"),
    ):
        first, second, scales, options = arguments
        with pytest.raises(ValueError, match=words):
            matmul(first, second, quantization_scales=scales, options=options)
