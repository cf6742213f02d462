# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The advanced product: life cycle, algorithms, resets."""

from __future__ import annotations

import copy
import logging
import pickle

import numpy as np
import pytest
from mathwright.linalg.advanced import (
    Algorithm,
    Matmul,
    MatmulEpilog,
    matmul,
    matrix_qualifiers_dtype,
)

RNG = np.random.default_rng(3)
A = RNG.standard_normal((5, 3)).astype(np.float32)
B = RNG.standard_normal((3, 4)).astype(np.float32)
C = RNG.standard_normal((5, 4)).astype(np.float32)


def test_plan_returns_algorithms_best_first():
    with Matmul(A, B) as product:
        algorithms = product.plan(preferences={"limit": 2})

        assert 1 <= len(algorithms) <= 2
        assert all(isinstance(one, Algorithm) for one in algorithms)
        assert product.algorithms == algorithms
        assert algorithms[0].name in product.explain()


def test_ids_are_known_before_planning():
    product = Matmul(A, B)

    ids = product.applicable_algorithm_ids()

    assert ids and all(isinstance(one, int) for one in ids)
    assert len(product.applicable_algorithm_ids(limit=1)) == 1
    assert not product.planned or product.execute() is not None


def test_execute_takes_algorithms_of_its_plan_only():
    with Matmul(A, B) as product, Matmul(A.astype("c8"), B.astype("c8")) as other:
        for algorithm in product.plan():
            np.testing.assert_allclose(
                product.execute(algorithm=algorithm), A @ B, rtol=1e-5, atol=1e-6
            )
        stranger = Algorithm({"candidate": "nobody", "variant": "", "algorithm_id": 99})
        with pytest.raises(ValueError, match="nobody"):
            product.execute(algorithm=stranger)
        with pytest.raises(TypeError, match="algorithm"):
            product.execute(algorithm=3)
        other.plan()


def test_algorithms_may_be_saved_and_given_again(tmp_path):
    with Matmul(A, B) as product:
        best = product.plan()[0]
        np.save(tmp_path / "best.npy", best.as_numpy())
    loaded = Algorithm.from_numpy(np.load(tmp_path / "best.npy"))

    assert loaded == best and pickle.loads(pickle.dumps(best)) == best
    with Matmul(A, B) as product:
        assert product.plan(algorithms=[loaded]) == (best,)
        product.execute()
    np.testing.assert_allclose(matmul(A, B, algorithm=loaded), A @ B, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "algorithms, error",
    [(3, TypeError), ([], TypeError), (["cublas"], TypeError)],
)
def test_what_is_no_algorithm_is_a_type_error(algorithms, error):
    with Matmul(A, B) as product, pytest.raises(error, match="algorithm"):
        product.plan(algorithms=algorithms)


def test_an_algorithm_that_does_not_fit_is_refused_by_name():
    with Matmul(A, B) as product, pytest.raises(ValueError, match="nobody"):
        product.plan(
            algorithms=[Algorithm({"candidate": "nobody", "variant": "", "algorithm_id": 99})]
        )


def test_arrays_that_are_no_algorithm_are_refused():
    with pytest.raises(ValueError, match="as_numpy"):
        Algorithm.from_numpy(np.zeros(1))
    with Matmul(A, B) as product:
        array = product.plan()[0].as_numpy()
    array["format"] = 99
    with pytest.raises(ValueError, match="format"):
        Algorithm.from_numpy(array)


def test_settings_that_do_not_exist_are_none_and_cannot_be_set():
    algorithm = Algorithm({"candidate": "direct", "variant": "", "algorithm_id": 1000})

    assert algorithm.tile is None and algorithm.split_k is None
    assert algorithm.capabilities.tile_ids is None
    with pytest.raises(NotImplementedError, match="split_k"):
        algorithm.split_k = 2


def test_autotune_keeps_the_result_and_prunes():
    with Matmul(A, B, C, beta=2) as product:
        product.plan()
        product.autotune(iterations=2, prune=1)

        assert len(product.algorithms) == 1
        np.testing.assert_allclose(product.execute(), A @ B + 2 * C, rtol=1e-5, atol=1e-5)


def test_autotune_in_place_leaves_c_alone():
    c = C.copy()
    with Matmul(A, B, c, beta=2, options={"inplace": True}) as product:
        product.plan()
        product.autotune(iterations=2)
        np.testing.assert_array_equal(c, C)

        product.execute()

    np.testing.assert_allclose(c, A @ B + 2 * C, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("arguments", [{"iterations": 0}, {"prune": 0}, {"iterations": 1.5}])
def test_autotune_checks_its_numbers(arguments):
    with Matmul(A, B) as product:
        product.plan()
        with pytest.raises(ValueError, match=next(iter(arguments))):
            product.autotune(**arguments)


def test_the_phases_in_the_wrong_order_are_runtime_errors():
    product = Matmul(A, B)
    with pytest.raises(RuntimeError, match="plan"):
        product.execute()
    with pytest.raises(RuntimeError, match="plan"):
        product.autotune()
    product.plan()
    product.release_operands()
    product.release_operands()
    with pytest.raises(RuntimeError, match="released"):
        product.execute()
    with pytest.raises(ValueError, match="operand"):
        product.reset_operands(a=A)
    product.reset_operands(a=A, b=2 * B)
    np.testing.assert_allclose(product.execute(), 2 * A @ B, rtol=1e-5, atol=1e-6)
    product.free()
    product.free()
    with pytest.raises(RuntimeError, match="freed"):
        product.plan()


def test_reset_checks_and_keeps_the_object_as_it_was():
    with Matmul(A, B) as product:
        product.plan()
        for bad, error in (
            ({}, ValueError),
            ({"a": A[:4]}, ValueError),
            ({"a": A.astype("f8")}, ValueError),
            ({"c": C}, ValueError),
            ({"beta": 1}, ValueError),
            ({"a": [[1.0]]}, TypeError),
            ({"epilog_inputs": {"bias": C}}, ValueError),
            ({"epilog_inputs": 3}, TypeError),
        ):
            with pytest.raises(error):
                product.reset_operands(**bad)
        np.testing.assert_allclose(product.execute(), A @ B, rtol=1e-5, atol=1e-6)


def test_resets_change_factors_and_operands():
    with Matmul(A, B, C, alpha=2, beta=3) as product:
        product.plan()
        product.reset_operands(alpha=-1)
        np.testing.assert_allclose(product.execute(), -A @ B + 3 * C, rtol=1e-4, atol=1e-5)
        product.reset_operands(beta=0, a=2 * A)
        np.testing.assert_allclose(product.execute(), -2 * A @ B, rtol=1e-4, atol=1e-5)
        product.reset_operands_unchecked(c=2 * C, beta=1, alpha=1)
        np.testing.assert_allclose(product.execute(), 2 * A @ B + 2 * C, rtol=1e-4, atol=1e-5)


def test_a_plan_without_an_epilog_forgets_the_one_before():
    with Matmul(A, B) as product:
        product.plan(epilog=MatmulEpilog.RELU_AUX)
        assert isinstance(product.execute(), tuple)

        product.plan()

        np.testing.assert_allclose(product.execute(), A @ B, rtol=1e-5, atol=1e-6)


def test_a_plan_after_a_reset_has_the_new_factors():
    with Matmul(A, B, C, alpha=1, beta=1) as product:
        product.plan()
        product.reset_operands(alpha=3, beta=5)
        product.plan(epilog=MatmulEpilog.RELU)

        wanted = np.maximum(3 * A @ B + 5 * C, 0)
        np.testing.assert_allclose(product.execute(), wanted, rtol=1e-4, atol=1e-5)


def test_a_memory_limit_is_kept():
    with Matmul(A, B, options={"memory_limit": 0}) as product:
        needs = Matmul(A, B)
        needs.plan()
        if needs.workspace_bytes == 0:
            product.plan()
            return
        with pytest.raises(NotImplementedError, match="memory_limit"):
            product.plan()


def test_records_go_to_the_options_logger():
    seen: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())

    logger = logging.getLogger("advanced-test")
    logger.setLevel(logging.WARNING)
    logger.addHandler(Handler())

    matmul(A, B, quantization_scales={"a": 2}, options={"logger": logger})

    assert any("quantization_scales" in line for line in seen)


def test_callers_objects_are_left_alone():
    options, scales = {"compute_type": "32F"}, {"a": 1.0}
    qualifiers = np.zeros(3, matrix_qualifiers_dtype)
    before = copy.deepcopy((options, scales, qualifiers))

    matmul(A, B, options=options, quantization_scales=scales, qualifiers=qualifiers)

    assert (options, scales) == before[:2]
    assert (qualifiers == before[2]).all()
