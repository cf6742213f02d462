# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""float8 operands and results: scales, largest magnitudes, saturation, resets."""

from __future__ import annotations

import logging

import mathwright as mw
import numpy as np
import pytest
from mathwright.linalg.advanced import Matmul, MatmulEpilog, MatmulQuantizationScales, matmul

ml_dtypes = pytest.importorskip("ml_dtypes")

E4M3, E5M2, BF16 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.bfloat16
RNG = np.random.default_rng(11)
M, N, K = 16, 32, 48
A = RNG.standard_normal((M, K)).astype(E4M3)
B = RNG.standard_normal((K, N)).astype(E4M3)
X = A.astype("f8") @ B.astype("f8")
F32 = {"result_type": "CUDA_R_32F"}


def array(value: float) -> np.ndarray:
    return np.array([value], np.float32)


KINDS = {
    "numbers": float,
    "arrays": array,
    "0-d": lambda value: np.float32(value) * np.ones((), np.float32),
    "ints": lambda value: int(value) if value == int(value) else value,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair", [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3)])
def test_scales_multiply_the_product(kind, pair):
    a, b = A.astype(pair[0]), B.astype(pair[1])
    scale = KINDS[kind]

    d = matmul(a, b, quantization_scales={"a": scale(0.5), "b": scale(4)}, options=F32)

    assert d.dtype == np.float32
    np.testing.assert_allclose(d, 2 * a.astype("f8") @ b.astype("f8"), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "mixed", [("numbers", "numbers"), ("arrays", "numbers"), ("arrays", "arrays")]
)
def test_c_is_scaled_on_its_own(mixed):
    product, addend = (KINDS[kind] for kind in mixed)
    c = RNG.standard_normal((M, N)).astype(E4M3)
    scales = {"a": product(2), "b": product(3), "c": addend(0.25), "d": addend(0.125)}

    d = matmul(A, B, c, alpha=0.5, beta=-2, quantization_scales=scales)

    wanted = 0.125 * (6 * 0.5 * X + 0.25 * -2 * c.astype("f8"))
    assert d.dtype == E4M3
    check_rounded(d, wanted)


def check_rounded(seen, wanted):
    """Within a unit of the last place of float8, saturated."""
    most = float(ml_dtypes.finfo(seen.dtype).max)
    step = 2.0 ** -(3 if seen.dtype == E4M3 else 2)
    wanted = np.clip(wanted, -most, most)
    np.testing.assert_allclose(seen.astype("f8"), wanted, rtol=step, atol=2e-3)


@pytest.mark.parametrize("c_dtype", ["float16", "float32", BF16])
def test_a_wide_c_goes_unscaled(c_dtype):
    c = RNG.standard_normal((M, 1)).astype(c_dtype)

    d = matmul(A, B, c, beta=2, quantization_scales={"a": array(2), "b": 1})

    assert d.dtype == c_dtype
    np.testing.assert_allclose(d.astype("f8"), 2 * X + 2 * c.astype("f8"), rtol=2e-2, atol=5e-2)


@pytest.mark.parametrize("dtype, code", [(E4M3, "CUDA_R_8F_E4M3"), (E5M2, "CUDA_R_8F_E5M2")])
def test_narrow_results_saturate(dtype, code):
    most = float(ml_dtypes.finfo(dtype).max)

    d = matmul(A, B, quantization_scales={"a": 1, "b": 1, "d": 1e9}, options={"result_type": code})

    assert d.dtype == dtype
    np.testing.assert_array_equal(d.astype("f8"), np.where(X > 0, most, -most))


def test_nan_and_infinity_of_a_narrow_result():
    a = np.array([[np.nan], [1.0]]).astype(E5M2)
    b = np.array([[np.inf, 1.0]]).astype(E5M2).astype(np.float32)
    b = np.array([[448.0, 1.0]]).astype(E4M3)
    inf = np.array([[np.inf], [1.0]]).astype(E5M2)

    d = matmul(a, b, quantization_scales={"a": 1, "b": 1, "d": 1})
    saturated = matmul(inf, b, quantization_scales={"a": 1, "b": 1, "d": 1})

    assert np.isnan(d[0].astype("f8")).all() and not np.isnan(d[1].astype("f8")).any()
    np.testing.assert_array_equal(saturated[0].astype("f8"), [57344, 57344])


@pytest.mark.parametrize("kind", ["numbers", "arrays"])
def test_the_largest_magnitude_comes_before_the_scale(kind):
    scale = KINDS[kind]
    d, aux = matmul(
        A,
        B,
        alpha=2,
        epilog=MatmulEpilog.RELU,
        quantization_scales={"a": scale(1), "b": scale(3), "d": scale(0.01)},
        options={"result_amax": True},
    )

    assert aux["result_amax"].shape == (1,) and aux["result_amax"].dtype == np.float32
    np.testing.assert_allclose(aux["result_amax"][0], (6 * X).max(), rtol=1e-5)
    check_rounded(d, 0.01 * np.maximum(6 * X, 0))


def test_delayed_scaling_converges():
    with Matmul(
        A, B, quantization_scales={"a": 1, "b": 1, "d": 1}, options={"result_amax": True}
    ) as product:
        product.plan()
        _, aux = product.execute()
        product.reset_operands(quantization_scales={"d": 448 / float(aux["result_amax"][0])})
        d, _ = product.execute()

    assert np.abs(d.astype("f8")).max() == 448


@pytest.mark.parametrize("kind", ["numbers", "arrays"])
def test_the_argument_of_gelu_in_float8(kind):
    scale = KINDS[kind]
    bias = RNG.standard_normal(M).astype(BF16)
    d, aux = matmul(
        A,
        B,
        epilog=MatmulEpilog.GELU_AUX_BIAS,
        epilog_inputs={"bias": bias, "aux_quantization_scale": scale(0.5)},
        quantization_scales={"a": scale(1), "b": scale(1)},
        preferences={"epilog": {"aux_type": "CUDA_R_8F_E4M3", "aux_amax": True}},
        options={"result_type": "CUDA_R_16BF"},
    )

    x = X + bias.astype("f8")[:, None]
    assert set(aux) == {"gelu_aux", "gelu_aux_amax"}
    assert d.dtype == BF16 and aux["gelu_aux"].dtype == E4M3
    check_rounded(aux["gelu_aux"][:M], 0.5 * x)
    np.testing.assert_allclose(aux["gelu_aux_amax"], [np.abs(x).max()], rtol=1e-5)


def test_the_mask_of_relu_with_a_scaled_result():
    c = RNG.standard_normal((M, N)).astype(BF16)
    d, aux = matmul(
        A,
        B,
        c,
        beta=1,
        epilog=MatmulEpilog.RELU_AUX,
        quantization_scales={"a": array(1), "b": array(1), "d": array(0.1)},
        options={"result_type": "CUDA_R_8F_E4M3"},
    )

    x = X + c.astype("f8")
    clear = np.abs(x) > 1e-3
    bits = np.unpackbits(aux["relu_aux"], axis=0, bitorder="little", count=M).astype(bool)
    np.testing.assert_array_equal(bits[clear], (x > 0)[clear])
    check_rounded(d, 0.1 * np.maximum(x, 0))

    back = matmul(
        A,
        B,
        c,
        beta=1,
        epilog=MatmulEpilog.DRELU,
        epilog_inputs={"relu_aux": aux["relu_aux"]},
        quantization_scales={"a": array(1), "b": 1, "d": 0.1},
        options={"result_type": "CUDA_R_8F_E4M3"},
    )
    check_rounded(back, 0.1 * np.where(bits, x, 0))


def test_functions_of_the_users_are_scaled_too():
    d, aux = matmul(
        A,
        B,
        epilog=lambda x, s: {"result": abs(x) * s, "big": mw.max(x)},
        epilog_inputs={"s": 2.0},
        quantization_scales={"a": array(0.5), "b": 1, "d": 0.25},
    )

    check_rounded(d, 0.25 * np.abs(0.5 * X) * 2)
    np.testing.assert_allclose(aux["big"], (0.5 * X).max(), rtol=1e-5)


def test_results_without_a_type_of_their_own_are_the_operands():
    d = matmul(A, B, quantization_scales={"a": 1, "b": 1, "d": 1})

    assert d.dtype == E4M3
    check_rounded(d, X)


def test_in_place_with_scales_in_memory():
    c = np.full((M, N), 2.0).astype(E4M3)
    d = matmul(
        A,
        B,
        c,
        beta=1,
        quantization_scales={name: array(0.5) for name in "abcd"},
        options={"inplace": True},
    )

    assert d is c
    check_rounded(c, 0.5 * (0.25 * X + 1))


# ---- resets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numbers", "arrays"])
@pytest.mark.parametrize("unchecked", [False, True])
def test_scales_may_be_replaced(kind, unchecked):
    scale = KINDS[kind]
    c = np.ones((M, N)).astype(E4M3)
    names = {"a": 1, "b": 2, "c": 3, "d": 0.125}
    with Matmul(
        A, B, c, alpha=1, beta=1, quantization_scales={n: scale(v) for n, v in names.items()}
    ) as product:
        product.plan()
        check_rounded(product.execute(), 0.125 * (2 * X + 3))
        reset = product.reset_operands_unchecked if unchecked else product.reset_operands
        reset(quantization_scales={"a": scale(0.5), "c": scale(-1)})
        check_rounded(product.execute(), 0.125 * (X - 1))
        reset(quantization_scales=MatmulQuantizationScales(d=scale(0.25)), beta=4)
        check_rounded(product.execute(), 0.25 * (X - 4))
        product.plan(epilog=MatmulEpilog.RELU)
        check_rounded(product.execute(), 0.25 * np.maximum(X - 4, 0))


def test_scales_in_memory_may_change_in_place():
    scale = array(1)
    with Matmul(A, B, quantization_scales={"a": scale, "b": 1}, options=F32) as product:
        product.plan()
        product.execute()
        scale[0] = 8

        np.testing.assert_allclose(product.execute(), 8 * X, rtol=1e-5, atol=1e-4)


def test_resets_of_the_wrong_kind_are_value_errors():
    with Matmul(A, B, quantization_scales={"a": 1, "b": array(1)}, options=F32) as product:
        product.plan()
        for bad in (
            {"a": array(2)},
            {"b": 2},
            {"d": 1},
            {"b": np.ones(2, "f4")},
            {"b": np.ones(1)},
        ):
            with pytest.raises(ValueError, match="scale of"):
                product.reset_operands(quantization_scales=bad)
        np.testing.assert_allclose(product.execute(), X, rtol=1e-5, atol=1e-4)


# ---- mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scales, options, words",
    [
        (None, F32, "lacks a"),
        ({"a": 1}, F32, "lacks b"),
        ({"a": 1, "b": 1}, {}, "lacks d"),
        ({"a": 1, "b": np.ones(2, "f4")}, F32, "scale of b has shape"),
        ({"a": 1, "b": np.ones(1, "f8")}, F32, "float32"),
        ({"a": np.ones((1, 1), "f4"), "b": 1}, F32, "scale of a has shape"),
    ],
)
def test_scales_that_are_missing_or_wrong_are_value_errors(scales, options, words):
    with pytest.raises(ValueError, match=words):
        matmul(A, B, quantization_scales=scales, options=options)
    with pytest.raises(ValueError, match=words):
        Matmul(A, B, quantization_scales=scales, options=options)


def test_a_scale_that_is_no_array_is_a_type_error():
    with pytest.raises(TypeError, match="scale of a"):
        matmul(A, B, quantization_scales={"a": "1", "b": 1}, options=F32)


def test_a_narrow_c_wants_a_scale():
    c = np.ones((M, N)).astype(E4M3)
    with pytest.raises(ValueError, match="lacks c"):
        matmul(A, B, c, beta=1, quantization_scales={"a": 1, "b": 1, "d": 1})


def test_two_e5m2_operands_are_a_value_error():
    with pytest.raises(ValueError, match="e5m2"):
        matmul(A.astype(E5M2), B.astype(E5M2), quantization_scales={"a": 1, "b": 1}, options=F32)


def test_useless_scales_are_a_warning(caplog):
    with caplog.at_level(logging.WARNING, logger="mathwright"):
        matmul(A, B, quantization_scales={"a": 1, "b": 1, "d": 2}, options=F32)
        matmul(np.ones((2, 2)), np.ones((2, 2)), quantization_scales={"a": 1})

    assert "scale of d has no effect" in caplog.text
    assert "no effect on operands of dtype float64" in caplog.text
