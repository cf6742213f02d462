# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The named epilogs: values, formats of auxiliary results, what they take, what they refuse."""

from __future__ import annotations

import mathwright as mw
import numpy as np
import pytest
from mathwright.linalg.advanced import Matmul, MatmulEpilog, matmul

RNG = np.random.default_rng(5)
M, N, K = 11, 6, 7
E = MatmulEpilog


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_gradient(x: np.ndarray) -> np.ndarray:
    step = 1e-6
    return (gelu(x + step) - gelu(x - step)) / (2 * step)


def mask_of(kept: np.ndarray) -> np.ndarray:
    """The bit mask of RELU_AUX: bytes of eight rows, padded to 16 bytes, by columns."""
    bits = np.packbits(kept, axis=-2, bitorder="little")
    rows = (bits.shape[-2] + 15) // 16 * 16
    padded = np.zeros((*kept.shape[:-2], rows, kept.shape[-1]), np.uint8)
    padded[..., : bits.shape[-2], :] = bits
    return padded


def by_columns(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)


class Case:
    """Operands, and x = αAB + βC in float64."""

    def __init__(
        self, dtype: str, batch: tuple[int, ...] = (), order: str = "C", with_c: bool = True
    ):
        make = lambda *shape: RNG.standard_normal((*batch, *shape)).astype(dtype)  # noqa: E731
        self.a, self.b, self.c = make(M, K), make(K, N), make(M, N)
        if order == "F":
            self.a, self.b, self.c = (by_columns(x) for x in (self.a, self.b, self.c))
        self.alpha, self.beta = 0.75, -0.5 if with_c else None
        self.x = 0.75 * self.a.astype("f8") @ self.b.astype("f8")
        if with_c:
            self.x = self.x - 0.5 * self.c.astype("f8")
        else:
            self.c = None
        self.bias = RNG.standard_normal(M).astype(dtype)
        self.tolerance = 3e-2 if dtype == "float16" else 1e-4 if dtype == "float32" else 1e-7

    def run(self, epilog, **inputs):
        return matmul(
            self.a,
            self.b,
            self.c,
            alpha=self.alpha,
            beta=self.beta,
            epilog=epilog,
            epilog_inputs=inputs or None,
        )

    def close(self, seen, wanted):
        np.testing.assert_allclose(seen, wanted, rtol=self.tolerance, atol=self.tolerance)


CASES = [
    ("float32", (), "C", True),
    ("float32", (), "F", False),
    ("float64", (3,), "C", True),
    ("float16", (), "F", True),
    ("float32", (2, 2), "F", True),
]


@pytest.fixture(params=CASES, ids=lambda p: f"{p[0]}-{p[1]}-{p[2]}-{p[3]}")
def case(request):
    return Case(*request.param)


@pytest.mark.parametrize(
    "epilog, function",
    [(E.RELU, lambda x: np.maximum(x, 0)), (E.GELU, gelu)],
)
def test_activations(case, epilog, function):
    case.close(case.run(epilog), function(case.x))


@pytest.mark.parametrize(
    "epilog, function",
    [(E.BIAS, lambda x: x), (E.RELU_BIAS, lambda x: np.maximum(x, 0)), (E.GELU_BIAS, gelu)],
)
@pytest.mark.parametrize("shape", ["vector", "column"])
def test_a_bias_runs_along_the_rows(case, epilog, function, shape):
    bias = case.bias if shape == "vector" else case.bias[:, None]

    d = case.run(epilog, bias=bias)

    case.close(d, function(case.x + case.bias[:, None].astype("f8")))


def test_a_bias_may_differ_between_products(case):
    batch = case.a.shape[:-2]
    bias = RNG.standard_normal((*batch, M, 1)).astype(case.a.dtype)

    case.close(case.run(E.BIAS, bias=bias), case.x + bias.astype("f8"))


@pytest.mark.parametrize("epilog", [E.RELU_AUX, E.RELU_AUX_BIAS])
def test_the_mask_of_relu(case, epilog):
    inputs = {"bias": case.bias} if epilog == E.RELU_AUX_BIAS else {}
    x = case.x + (case.bias[:, None].astype("f8") if inputs else 0)

    d, aux = case.run(epilog, **inputs)

    case.close(d, np.maximum(x, 0))
    assert set(aux) == {"relu_aux"}
    assert aux["relu_aux"].dtype == np.uint8
    assert aux["relu_aux"].strides[-2] == 1
    np.testing.assert_array_equal(aux["relu_aux"], mask_of(x >= 0))


@pytest.mark.parametrize("epilog", [E.GELU_AUX, E.GELU_AUX_BIAS])
def test_the_argument_of_gelu(case, epilog):
    inputs = {"bias": case.bias} if epilog == E.GELU_AUX_BIAS else {}
    x = case.x + (case.bias[:, None].astype("f8") if inputs else 0)

    d, aux = case.run(epilog, **inputs)

    case.close(d, gelu(x))
    assert aux["gelu_aux"].shape == (*case.x.shape[:-2], 16, N)
    assert aux["gelu_aux"].strides[-2] == aux["gelu_aux"].itemsize
    assert aux["gelu_aux"].dtype == d.dtype
    case.close(aux["gelu_aux"][..., :M, :], x)


@pytest.mark.parametrize("epilog", [E.DRELU, E.DRELU_BGRAD])
def test_backwards_through_relu(case, epilog):
    kept = RNG.standard_normal(case.x.shape) > 0
    mask = by_columns(mask_of(kept))

    result = case.run(epilog, relu_aux=mask)

    d = result[0] if epilog == E.DRELU_BGRAD else result
    wanted = np.where(kept, case.x, 0)
    case.close(d, wanted)
    if epilog == E.DRELU_BGRAD:
        check_gradient(case, result[1]["drelu_bgrad"], wanted.sum(-1))


@pytest.mark.parametrize("epilog", [E.DGELU, E.DGELU_BGRAD])
def test_backwards_through_gelu(case, epilog):
    argument = RNG.standard_normal(case.x.shape)
    aux = np.zeros((*case.x.shape[:-2], 16, N))
    aux[..., :M, :] = argument
    stored = by_columns(aux.astype(case.a.dtype))

    result = case.run(epilog, gelu_aux=stored)

    d = result[0] if epilog == E.DGELU_BGRAD else result
    wanted = case.x * gelu_gradient(stored[..., :M, :].astype("f8"))
    case.close(d, wanted)
    if epilog == E.DGELU_BGRAD:
        check_gradient(case, result[1]["dgelu_bgrad"], wanted.sum(-1))


@pytest.mark.parametrize("epilog, name", [(E.BGRADA, "bgrada"), (E.BGRADB, "bgradb")])
def test_sums_of_the_operands(case, epilog, name):
    d, aux = case.run(epilog)

    case.close(d, case.x)
    of_a = epilog == E.BGRADA
    wanted = case.a.astype("f8").sum(-1) if of_a else case.b.astype("f8").sum(-2)
    check_gradient(case, aux[name], wanted)


def check_gradient(case, seen, wanted):
    batch = case.x.shape[:-2]
    length = wanted.shape[-1]
    assert seen.shape == ((*batch, length, 1) if batch else (length,))
    tolerance = 0.2 if case.a.dtype == np.float16 else case.tolerance * 10
    np.testing.assert_allclose(seen.reshape(wanted.shape), wanted, rtol=tolerance, atol=tolerance)


def test_default_is_no_epilog():
    case = Case("float32")

    case.close(case.run(E.DEFAULT), case.x)


def test_one_column_of_k_goes_backwards_too():
    a, b = np.ones((4, 1), np.float32), np.ones((1, 3), np.float32)
    _, aux = matmul(a, b, epilog=E.RELU_AUX)

    d, _ = matmul(a, b, epilog=E.DRELU_BGRAD, epilog_inputs={"relu_aux": aux["relu_aux"]})

    np.testing.assert_array_equal(d, np.ones((4, 3)))


def test_the_mask_has_a_bit_where_a_value_is_zero():
    a = np.array([[1.0], [0.0], [-1.0]], "float32")

    _, aux = matmul(a, np.ones((1, 1), "float32"), epilog=E.RELU_AUX)

    assert aux["relu_aux"][0, 0] == 0b011  # as the vendor's library has it


def test_forward_and_backward_fit_each_other():
    case = Case("float32", with_c=False)
    d, aux = case.run(E.RELU_AUX_BIAS, bias=case.bias)

    gradient, sums = matmul(
        case.a, case.b, epilog=E.DRELU_BGRAD, epilog_inputs={"relu_aux": aux["relu_aux"]}
    )

    wanted = np.where(d > 0, case.a @ case.b, 0)
    case.close(gradient, wanted)
    case.close(sums["drelu_bgrad"], wanted.sum(1))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e-45])
def test_awkward_numbers_go_through_relu(value):
    a, b = np.array([[value]], np.float32), np.ones((1, 1), np.float32)

    d = matmul(a, b, epilog=E.RELU)

    np.testing.assert_array_equal(d, np.maximum(a, np.float32(0)))


@pytest.mark.parametrize("shape", [(0, 3, 2), (4, 0, 2), (4, 3, 0)])
def test_empty_products_have_epilogs(shape):
    m, n, k = shape
    a, b, bias = np.ones((m, k)), np.ones((k, n)), np.arange(m, dtype=float)

    d = matmul(a, b, epilog=E.RELU_BIAS, epilog_inputs={"bias": bias})

    np.testing.assert_array_equal(d, np.broadcast_to(k + bias[:, None], (m, n)))


# ---- mistakes ---------------------------------------------------------------------------------------

A32, B32 = np.ones((M, K), np.float32), np.ones((K, N), np.float32)
BIAS = np.ones(M, np.float32)
MASK = by_columns(np.zeros((16, N), np.uint8))


@pytest.mark.parametrize(
    "epilog, inputs, words",
    [
        (E.BIAS, None, "bias"),
        (E.BIAS, {}, "bias is missing"),
        (E.BIAS, {"bais": BIAS}, "bias is missing"),
        (E.BIAS, {"bias": BIAS, "scale": BIAS}, "scale"),
        (E.RELU, {"bias": BIAS}, "does not take"),
        (None, {"bias": BIAS}, "without an epilog"),
        (E.DEFAULT, {"bias": BIAS}, "without an epilog"),
        (E.BIAS, {"bias": BIAS[:-1]}, "bias has shape"),
        (E.BIAS, {"bias": np.ones(N, np.float32)}, "bias has shape"),
        (E.BIAS, {"bias": np.ones((1, M), np.float32)}, "bias has shape"),
        (E.BIAS, {"bias": np.ones((2, M, 1), np.float32)}, "bias"),
        (E.BIAS, {"bias": np.ones(M, complex)}, "complex"),
        (E.DRELU, {"relu_aux": np.ascontiguousarray(MASK)}, "column order"),
        (E.DRELU, {"relu_aux": MASK[:, :-1]}, "relu_aux has shape"),
        (E.DRELU, {"relu_aux": by_columns(np.zeros((16, N), np.float32))}, "uint8"),
        (E.DRELU_BGRAD, {"gelu_aux": MASK}, "relu_aux is missing"),
        (E.DGELU, {"gelu_aux": by_columns(np.zeros((M, N), np.float32))}, "gelu_aux has shape"),
        (77, None, "member of MatmulEpilog"),
    ],
)
def test_wrong_inputs_are_value_errors_that_name_them(epilog, inputs, words):
    with pytest.raises(ValueError, match=words):
        matmul(A32, B32, epilog=epilog, epilog_inputs=inputs)
    with Matmul(A32, B32) as product, pytest.raises(ValueError, match=words):
        product.plan(epilog=epilog, epilog_inputs=inputs)


@pytest.mark.parametrize(
    "epilog, inputs",
    [
        (E.BIAS, [BIAS]),
        (E.BIAS, {"bias": [1.0] * M}),
        (E.BIAS, {1: BIAS}),
        ("RELU", None),
        (3.5, None),
    ],
)
def test_objects_of_the_wrong_type_are_type_errors(epilog, inputs):
    with pytest.raises(TypeError):
        matmul(A32, B32, epilog=epilog, epilog_inputs=inputs)


@pytest.mark.parametrize("epilog", [E.RELU, E.GELU, E.RELU_AUX])
def test_complex_operands_have_no_activation(epilog):
    with pytest.raises(ValueError, match="complex"):
        matmul(A32.astype("c8"), B32.astype("c8"), epilog=epilog)


@pytest.mark.parametrize(
    "epilog, preferences, words",
    [
        (E.RELU_AUX, {"aux_type": "CUDA_R_16F"}, "aux_type"),
        (E.BIAS, {"aux_type": "CUDA_R_16F"}, "aux_type"),
        (E.GELU_AUX, {"aux_amax": True}, "aux_amax"),
        (E.GELU_AUX, {"aux_type": "CUDA_R_16F", "aux_amax": True}, "aux_amax"),
        (E.GELU_AUX, {"aux_type": "CUDA_R_8F_E4M3"}, "aux_quantization_scale"),
    ],
)
def test_wishes_that_do_not_fit_the_epilog_are_value_errors(epilog, preferences, words):
    inputs = {"bias": BIAS} if epilog == E.BIAS else None
    with pytest.raises(ValueError, match=words):
        matmul(A32, B32, epilog=epilog, epilog_inputs=inputs, preferences={"epilog": preferences})


def test_the_argument_of_gelu_may_be_narrower():
    case = Case("float32", with_c=False)

    _, aux = matmul(
        case.a,
        case.b,
        alpha=0.75,
        epilog=E.GELU_AUX,
        preferences={"epilog": {"aux_type": "CUDA_R_16F"}},
    )

    assert aux["gelu_aux"].dtype == np.float16
    np.testing.assert_allclose(aux["gelu_aux"][:M], case.x, rtol=1e-2, atol=1e-2)


# ---- stateful ---------------------------------------------------------------------------------------


def test_inputs_may_be_replaced():
    with Matmul(A32, B32) as product:
        product.plan(epilog=E.BIAS, epilog_inputs={"bias": BIAS})
        np.testing.assert_array_equal(product.execute(), K + 1)
        product.reset_operands(epilog_inputs={"bias": 2 * BIAS})
        np.testing.assert_array_equal(product.execute(), K + 2)
        product.reset_operands_unchecked(a=2 * A32, epilog_inputs={"bias": 3 * BIAS})
        np.testing.assert_array_equal(product.execute(), 2 * K + 3)
        for bad in ({"bias": BIAS[:3]}, {"bias": BIAS.astype("f8")}, {"bais": BIAS}):
            with pytest.raises(ValueError):
                product.reset_operands(epilog_inputs=bad)
        np.testing.assert_array_equal(product.execute(), 2 * K + 3)


def test_after_release_every_input_is_wanted_again():
    with Matmul(A32, B32) as product:
        product.plan(epilog=E.BIAS, epilog_inputs={"bias": BIAS})
        product.release_operands()
        with pytest.raises(ValueError, match="2 of 3"):
            product.reset_operands(a=A32, b=B32)
        product.reset_operands(a=A32, b=B32, epilog_inputs={"bias": BIAS})
        np.testing.assert_array_equal(product.execute(), K + 1)


def test_functions_give_the_same_as_names():
    case = Case("float32")

    named = case.run(E.RELU_BIAS, bias=case.bias)
    own = case.run(lambda x, bias: mw.relu(x + bias), bias=case.bias[:, None])

    np.testing.assert_allclose(named, own, rtol=1e-6, atol=1e-6)


def test_results_are_new_each_time():
    with Matmul(A32, B32) as product:
        product.plan(epilog=E.RELU_AUX)
        first, second = product.execute(), product.execute()

    assert not np.shares_memory(first[0], second[0])
    assert not np.shares_memory(first[1]["relu_aux"], second[1]["relu_aux"])
