# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The life of stateful objects: made, planned, executed, reset, released, freed."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from conftest import assert_close, random_array
from mathwright import errors
from mathwright.fft import FFT, InvalidFFTState
from mathwright.linalg import InvalidMatmulState, Matmul


class Product:
    """Matmul behind the names that both operations share here."""

    kind = Matmul
    invalid_state = InvalidMatmulState

    @staticmethod
    def make(xp, rng, **more):
        operands = [xp.asarray(random_array(rng, (4, 4), "complex64")) for _ in range(2)]
        return Matmul(*operands, **more, **xp.execution), operands

    @staticmethod
    def wanted(xp, operands):
        return xp.to_numpy(operands[0]) @ xp.to_numpy(operands[1])

    @staticmethod
    def reset(target, operands, unchecked=False):
        method = target.reset_operands_unchecked if unchecked else target.reset_operands
        method(a=operands[0], b=operands[1])

    @staticmethod
    def release(target):
        target.release_operands()


class Transform:
    """FFT behind the same names."""

    kind = FFT
    invalid_state = InvalidFFTState

    @staticmethod
    def make(xp, rng, **more):
        operands = [xp.asarray(random_array(rng, (4, 4), "complex64"))]
        return FFT(*operands, **more, **xp.execution), operands

    @staticmethod
    def wanted(xp, operands):
        return np.fft.fft2(xp.to_numpy(operands[0]))

    @staticmethod
    def reset(target, operands, unchecked=False):
        method = target.reset_operand_unchecked if unchecked else target.reset_operand
        method(operands[0])

    @staticmethod
    def release(target):
        target.release_operand()


@pytest.fixture(params=[Product, Transform], ids=["matmul", "fft"])
def operation(request):
    return request.param


def test_execute_before_plan_is_refused(operation, xp, rng):
    target, _ = operation.make(xp, rng)

    with pytest.raises(RuntimeError, match=r"plan\(\)"):
        target.execute()
    for question in (target.explain, lambda: target.workspace_bytes):
        with pytest.raises(errors.InvalidStateError):
            question()


def test_a_second_plan_does_nothing(operation, xp, rng):
    target, operands = operation.make(xp, rng)

    target.plan()
    target.plan()

    assert target.planned
    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, operands), 40)


def test_execute_may_be_repeated_and_gives_new_memory_each_time(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()

    first, second = target.execute(), target.execute()

    assert first is not second
    first[0, 0] = 77
    assert_close(xp.to_numpy(second), operation.wanted(xp, operands), 40)


def test_values_changed_in_place_are_seen_by_the_next_execution(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()
    target.execute()

    operands[0][...] = 2

    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, operands), 40)


@pytest.mark.parametrize("unchecked", [False, True])
@pytest.mark.parametrize("released", [False, True])
def test_reset_operands_are_used_by_the_next_execution(operation, xp, rng, unchecked, released):
    target, _ = operation.make(xp, rng)
    target.plan()
    target.execute()
    _, others = operation.make(xp, rng)
    if released:
        operation.release(target)

    operation.reset(target, others, unchecked)

    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, others), 40)


def test_reset_may_come_before_plan(operation, xp, rng):
    target, _ = operation.make(xp, rng)
    _, others = operation.make(xp, rng)

    operation.reset(target, others)
    target.plan()

    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, others), 40)


def test_a_mismatched_reset_is_refused_and_changes_nothing(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()
    unfit = [
        [xp.asarray(random_array(rng, (4, 5), "complex64"))] * 2,
        [xp.asarray(random_array(rng, (4, 4), "complex128"))] * 2,
        [xp.asarray(random_array(rng, (4, 4), "complex64").T)] * 2,
    ]

    for others in unfit:
        with pytest.raises(ValueError, match="reset of operand"):
            operation.reset(target, others)

    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, operands), 40)


def test_reset_of_nothing_is_refused(xp, rng):
    product, _ = Product.make(xp, rng)
    transform, _ = Transform.make(xp, rng)

    with pytest.raises(ValueError, match="requires at least one operand"):
        product.reset_operands()
    with pytest.raises(ValueError, match="requires at least one operand"):
        transform.reset_operand()


def test_reset_with_another_package_is_a_type_error(operation, rng):
    torch = pytest.importorskip("torch")
    target = operation.kind(*[np.ones((2, 2), "complex64")] * (2 if operation is Product else 1))

    with pytest.raises(TypeError, match="package torch"):
        operation.reset(target, [torch.ones(2, 2, dtype=torch.complex64)] * 2)


def test_execute_after_release_is_refused_until_all_operands_are_given(xp, rng):
    product, operands = Product.make(xp, rng)
    product.plan()
    product.release_operands()
    product.release_operands()

    with pytest.raises((RuntimeError, ValueError), match="released"):
        product.execute()
    with pytest.raises(ValueError, match="only 1 of 2"):
        product.reset_operands(a=operands[0])
    product.reset_operands(a=operands[0], b=operands[1])

    assert_close(xp.to_numpy(product.execute()), Product.wanted(xp, operands), 40)


def test_release_drops_the_reference_to_the_operand(operation, rng):
    class Subclass(np.ndarray):
        pass

    operands = [random_array(rng, (4, 4), "complex64").view(Subclass) for _ in range(2)]
    target = operation.kind(*operands[: 2 if operation is Product else 1])
    seen = weakref.ref(operands[0])
    del operands
    gc.collect()
    assert seen() is not None

    operation.release(target)

    assert seen() is None


def test_everything_after_free_is_refused_and_free_may_be_repeated(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()
    target.execute()

    target.free()
    target.free()

    assert not target.valid_state
    for use in (
        target.plan,
        target.execute,
        target.explain,
        lambda: operation.release(target),
        lambda: operation.reset(target, operands),
    ):
        with pytest.raises(operation.invalid_state, match="freed"):
            use()


def test_the_context_manager_frees_and_lets_errors_pass(operation, xp, rng):
    target, _ = operation.make(xp, rng)
    with pytest.raises(ZeroDivisionError), target as inside:
        assert inside is target
        target.plan()
        target.execute()
        raise ZeroDivisionError

    assert not target.valid_state


def test_results_outlive_the_object(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()
    result = target.execute()
    target.free()
    del target
    gc.collect()

    assert_close(xp.to_numpy(result), operation.wanted(xp, operands), 40)


def test_release_workspace_keeps_the_object_usable(operation, xp, rng):
    target, operands = operation.make(xp, rng)
    target.plan()

    target.execute(release_workspace=True)
    target.release_workspace()

    assert_close(xp.to_numpy(target.execute()), operation.wanted(xp, operands), 40)


def test_explain_names_the_chosen_implementation(operation, xp, rng):
    target, _ = operation.make(xp, rng)
    target.plan()

    text = target.explain()

    assert operation.kind.__name__.lower() in text.lower()
    assert target.workspace_bytes >= 0


def test_the_object_is_collected_though_its_operand_refers_to_it(rng):
    class Holder(np.ndarray):
        target = None

    a = random_array(rng, (2, 2), "float32").view(Holder)
    a.target = Matmul(a, a)
    seen = weakref.ref(a)

    del a
    gc.collect()

    assert seen() is None


def test_execute_unchecked_gives_the_same(xp, rng):
    product, operands = Product.make(xp, rng)
    product.plan()

    assert_close(xp.to_numpy(product.execute_unchecked()), Product.wanted(xp, operands), 40)
    product.free()
    with pytest.raises(InvalidMatmulState):
        product.execute_unchecked()


def test_in_place_product_returns_c_and_follows_a_reset_of_it(xp, rng):
    a, b, c, other = (random_array(rng, (3, 3), "float64") for _ in range(4))
    target, second = xp.asarray(c.copy()), xp.asarray(other.copy())
    product = Matmul(
        xp.asarray(a), xp.asarray(b), target, beta=2, options={"inplace": True}, **xp.execution
    )
    product.plan()

    assert product.execute() is target
    product.reset_operands(c=second)
    assert product.execute() is second

    assert_close(xp.to_numpy(target), a @ b + 2 * c, 5)
    assert_close(xp.to_numpy(second), a @ b + 2 * other, 5)


def test_in_place_transform_returns_the_operand(xp, rng):
    x = random_array(rng, (4, 4), "complex64")
    operand = xp.asarray(x.copy())
    transform = FFT(operand, options={"inplace": True}, **xp.execution)
    transform.plan()

    assert transform.execute() is operand
    assert transform.execute("inverse") is operand

    assert_close(xp.to_numpy(operand), 16 * x, 64)


def test_out_of_an_object_is_filled_by_every_execution_and_may_be_reset(xp, rng):
    a = random_array(rng, (3, 3), "float32")
    out, other = xp.asarray(np.zeros((3, 3), "float32")), xp.asarray(np.zeros((3, 3), "float32"))
    product = Matmul(xp.asarray(a), xp.asarray(a), out=out, **xp.execution)
    product.plan()

    assert product.execute() is out
    product.reset_operands(out=other)
    assert product.execute() is other

    assert_close(xp.to_numpy(other), a @ a, 3)


def test_alpha_and_beta_may_be_reset_alone(xp, rng):
    a, c = random_array(rng, (3, 3), "float64"), random_array(rng, (3, 3), "float64")
    product = Matmul(xp.asarray(a), xp.asarray(a), xp.asarray(c), beta=1, **xp.execution)
    product.plan()

    product.reset_operands(alpha=3, beta=-2)

    assert_close(xp.to_numpy(product.execute()), 3 * (a @ a) - 2 * c, 5)


def test_irfft_leaves_its_operand_and_may_be_executed_twice(xp, rng):
    x = random_array(rng, (2, 9), "float64")
    spectrum = np.fft.rfft(x)
    operand = xp.asarray(spectrum.copy())
    transform = FFT(
        operand, axes=(1,), options={"fft_type": "C2R", "last_axis_parity": "odd"}, **xp.execution
    )
    transform.plan()

    first, second = transform.execute(), transform.execute()

    assert_close(xp.to_numpy(first), 9 * x, 9 * 4)
    assert np.array_equal(xp.to_numpy(first), xp.to_numpy(second))
    assert np.array_equal(xp.to_numpy(operand), spectrum)


def test_a_direction_planned_alone_refuses_the_other(xp, rng):
    transform, operands = Transform.make(xp, rng)
    transform.plan(direction="inverse")

    with pytest.raises(errors.InvalidStateError, match="direction"):
        transform.execute("forward")

    wanted = np.fft.ifft2(xp.to_numpy(operands[0])) * 16
    assert_close(xp.to_numpy(transform.execute("inverse")), wanted, 64)


# ------------------------------------------------------------------ explicit batches


def test_explicit_batches_of_different_shapes_give_a_list(xp, rng):
    shapes = [((2, 3), (3, 4)), ((5, 1), (1, 2)), ((2, 3, 4), (2, 4, 3))]
    pairs = [tuple(random_array(rng, shape, "float64") for shape in two) for two in shapes]
    a, b = ([xp.asarray(pair[i]) for pair in pairs] for i in range(2))

    product = Matmul(a, b, alpha=[1, 2, 3], **xp.execution)
    product.plan()
    results = product.execute()

    assert isinstance(product, Matmul) and isinstance(results, list)
    for alpha, result, (left, right) in zip([1, 2, 3], results, pairs):
        assert_close(xp.to_numpy(result), alpha * (left @ right), 6)
    product.reset_operands(a=[2 * one for one in a])
    assert_close(xp.to_numpy(product.execute()[0]), 2 * pairs[0][0] @ pairs[0][1], 6)
    product.free()
    with pytest.raises(InvalidMatmulState):
        product.execute()


def test_a_sequence_of_one_serves_every_problem(rng):
    a, b = random_array(rng, (2, 2), "float32"), random_array(rng, (2, 2), "float32")

    product = Matmul([a], [b, a, b])
    product.plan()

    assert len(product.execute()) == 3


@pytest.mark.parametrize(
    "a, b, more, kind, message",
    [
        ([1, 1], 1, {}, ValueError, "all sequences"),
        (1, [1], {}, ValueError, "operand b"),
        ([], [], {}, ValueError, "empty"),
        ([[1]], [[1]], {}, ValueError, "contains a sequence"),
        ([1, 1], [1, 1, 1], {}, ValueError, "a 2, b 3"),
        ([1], [1], {"stream": [0]}, TypeError, "stream is a sequence"),
        ([1], [1], {"options": []}, TypeError, "options is a sequence"),
        ([1], ["float32"], {}, ValueError, r"b\[0\] has dtype"),
        (
            [1, 1],
            [1],
            {"c": [1], "beta": 1, "options": {"inplace": True}},
            ValueError,
            "one c for 2",
        ),
    ],
)
def test_explicit_batches_that_do_not_fit_are_refused(a, b, more, kind, message):
    def arrays(form):
        if isinstance(form, list):
            return [arrays(one) for one in form]
        return np.ones((2, 2), "float64" if form == 1 else form)

    more = {name: arrays(value) if name == "c" else value for name, value in more.items()}

    with pytest.raises(kind, match=message):
        Matmul(arrays(a), arrays(b), **more)
