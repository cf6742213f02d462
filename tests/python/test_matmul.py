# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Products against NumPy: shapes, batches, scalars, C, out, conjugation, and the object form."""

from __future__ import annotations

import itertools

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_product
from conftest import random_array
from layouts import assert_c_order, memory_for, place, strided
from mathwright.linalg import (
    GeneralMatrixQualifier,
    Matmul,
    MatmulOptions,
    matmul,
    matrix_qualifiers_dtype,
)

DTYPES = ["float32", "float64", "complex64", "complex128"]
EXTENTS = [
    (1, 1, 1),
    (2, 3, 4),
    (7, 1, 5),
    (1, 64, 1),
    (33, 17, 65),
    (128, 130, 127),
    (5, 0, 3),
    (0, 4, 2),
]
BATCHES = [
    ((4, 2, 3), (4, 3, 5)),
    ((4, 2, 3), (3, 5)),
    ((2, 3), (4, 3, 5)),
    ((4, 1, 2, 3), (5, 3, 2)),
    ((2, 1, 3, 4), (1, 3, 4, 5)),
    ((1, 2, 3), (0, 3, 4)),
    ((2, 1, 1, 2, 1, 1, 2, 3, 4), (2, 1, 1, 1, 1, 4, 2)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((3,), (3,)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
]


def conjugates(a=False, b=False, c=False):
    """Qualifiers of general matrices."""
    made = np.empty(3, matrix_qualifiers_dtype)
    for i, flag in enumerate((a, b, c)):
        made[i] = GeneralMatrixQualifier.create(conjugate=flag)
    return made


def shape_of_result(a, b):
    return np.matmul(np.empty(a), np.empty(b)).shape


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extents", EXTENTS, ids=str)
def test_matrices_of_any_extents(xp, rng, dtype, extents):
    m, k, n = extents
    a, b = random_array(rng, (m, k), dtype), random_array(rng, (k, n), dtype)
    before = a.copy(), b.copy()

    d = matmul(xp.asarray(a), xp.asarray(b), **xp.execution)

    assert isinstance(d, xp.array_type)
    assert_product(xp.to_numpy(d), a, b)
    assert_c_order(d)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])


@pytest.mark.parametrize(("a_shape", "b_shape"), BATCHES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_batches_broadcast_and_vectors_drop_their_axis(xp, rng, dtype, a_shape, b_shape):
    a, b = random_array(rng, a_shape, dtype), random_array(rng, b_shape, dtype)

    d = matmul(xp.asarray(a), xp.asarray(b), **xp.execution)

    assert_product(xp.to_numpy(d), a, b)
    assert_c_order(d)


@pytest.mark.parametrize(("a_shape", "b_shape"), BATCHES, ids=str)
def test_c_has_the_shape_of_the_result(xp, rng, a_shape, b_shape):
    a, b = random_array(rng, a_shape, "float64"), random_array(rng, b_shape, "float64")
    c = random_array(rng, shape_of_result(a_shape, b_shape), "float64")

    d = matmul(xp.asarray(a), xp.asarray(b), xp.asarray(c), alpha=-2, beta=0.5, **xp.execution)

    assert_product(xp.to_numpy(d), a, b, c, alpha=-2, beta=0.5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("alpha", "beta"), [(0, 1), (0, 0), (1, 0), (1.5, -2), (1e-3, 1e3)])
def test_scalars(xp, rng, dtype, alpha, beta):
    a, b = random_array(rng, (9, 11), dtype), random_array(rng, (11, 6), dtype)
    c = random_array(rng, (9, 6), dtype)

    d = matmul(xp.asarray(a), xp.asarray(b), xp.asarray(c), alpha=alpha, beta=beta, **xp.execution)

    assert_product(xp.to_numpy(d), a, b, c, alpha=alpha, beta=beta)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_scalars(xp, rng, dtype):
    a, b, c = (random_array(rng, (5, 5), dtype) for _ in range(3))

    d = matmul(*map(xp.asarray, (a, b, c)), alpha=1 - 2j, beta=0.5j, **xp.execution)

    assert_product(xp.to_numpy(d), a, b, c, alpha=1 - 2j, beta=0.5j)


@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=2)), ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("size", [3, 40])
def test_conjugating_qualifiers(xp, rng, flags, order, size):
    a = np.asarray(random_array(rng, (size, size + 1), "complex64"), order=order)
    b = np.asarray(random_array(rng, (size + 1, size), "complex64"), order=order)

    d = matmul(place(xp, a), place(xp, b), qualifiers=conjugates(*flags), **xp.execution)

    assert_product(xp.to_numpy(d), a.conj() if flags[0] else a, b.conj() if flags[1] else b)


def test_lazily_conjugated_tensors_meet_qualifiers_by_exclusive_or(xp, rng):
    if xp.name != "torch":
        pytest.skip("only PyTorch conjugates lazily")
    a, b = random_array(rng, (4, 5), "complex128"), random_array(rng, (5, 3), "complex128")
    lazy = xp.asarray(a).conj()
    assert lazy.is_conj()

    once = matmul(lazy, xp.asarray(b))
    twice = matmul(lazy, xp.asarray(b), qualifiers=conjugates(True))
    adjoint = matmul(xp.asarray(b).mH, lazy.mT)

    assert_product(xp.to_numpy(once), a.conj(), b)
    assert_product(xp.to_numpy(twice), a, b)
    assert_product(xp.to_numpy(adjoint), b.conj().T, a.conj().T)


@pytest.mark.parametrize(
    "strides", [(7, 1), (1, 9), (20, 2), (3, 40), (-7, 1), (7, -1), (-1, -9)], ids=str
)
@pytest.mark.parametrize("with_c", [False, True])
def test_out_of_any_one_to_one_layout(xp, rng, strides, with_c):
    if xp.name == "torch" and min(strides) < 0:
        pytest.skip("PyTorch has no negative strides")
    a, b = random_array(rng, (9, 5), "float64"), random_array(rng, (5, 7), "float64")
    c = random_array(rng, (9, 7), "float64") if with_c else None
    scalars = {"beta": 0.5} if with_c else {}
    memory = memory_for(rng, (9, 7), strides, "float64")
    out = place(xp, strided(memory, (9, 7), strides, writeable=True))

    d = matmul(
        xp.asarray(a),
        xp.asarray(b),
        xp.asarray(c) if with_c else None,
        out=out,
        **scalars,
        **xp.execution,
    )

    assert d is out
    assert_product(xp.to_numpy(out), a, b, c, beta=scalars.get("beta", 0))


def test_out_leaves_the_gaps_between_its_elements_alone(rng, on_device):
    memory = np.full(100, 7.0)
    out = strided(memory, (3, 4), (30, 5), writeable=True)
    a, b = random_array(rng, (3, 3), "float64"), random_array(rng, (3, 4), "float64")

    matmul(a, b, out=out, **on_device)

    touched = np.zeros(100, bool)
    strided(touched, (3, 4), (30, 5), writeable=True)[...] = True
    assert (memory[~touched] == 7.0).all()
    assert_product(out, a, b)


def test_out_may_be_c(xp, rng):
    a, b, c = (random_array(rng, (20, 20), "float64") for _ in range(3))
    inout = xp.asarray(c.copy())

    d = matmul(xp.asarray(a), xp.asarray(b), inout, beta=-1, out=inout, **xp.execution)

    assert d is inout
    assert_product(xp.to_numpy(inout), a, b, c, beta=-1)


def test_inplace_writes_over_c(xp, rng):
    a, b, c = (random_array(rng, (20, 20), "complex64") for _ in range(3))
    inout = xp.asarray(c.copy())

    d = matmul(
        xp.asarray(a),
        xp.asarray(b),
        inout,
        beta=2,
        options=MatmulOptions(inplace=True),
        **xp.execution,
    )

    assert d is inout
    assert_product(xp.to_numpy(inout), a, b, c, beta=2)


def test_operands_may_be_one_array(xp, rng):
    a = random_array(rng, (16, 16), "float32")
    x = xp.asarray(a)

    assert_product(xp.to_numpy(matmul(x, x, x, beta=1, **xp.execution)), a, a, a, beta=1)
    assert_product(xp.to_numpy(matmul(x, x.T, **xp.execution)), a, a.T)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(rng, threads):
    a, b = random_array(rng, (30, 40, 50), "float64"), random_array(rng, (30, 50, 20), "float64")

    d = matmul(a, b, execution={"name": "cpu", "num_threads": threads})

    assert_product(d, a, b)


def test_explicit_batch_of_different_shapes(xp, rng):
    shapes = [((2, 3), (3, 4)), ((5, 1), (1, 7)), ((3, 2, 2), (2, 2))]
    a = [random_array(rng, s, "float32") for s, _ in shapes]
    b = [random_array(rng, s, "float32") for _, s in shapes]

    d = matmul(list(map(xp.asarray, a)), list(map(xp.asarray, b)), **xp.execution)

    assert isinstance(d, list)
    for seen, x, y in zip(d, a, b, strict=True):
        assert_product(xp.to_numpy(seen), x, y)


def test_explicit_batches_take_an_epilog(xp, rng):
    a = [random_array(rng, shape, "float32") for shape in ((2, 3), (5, 3))]
    b = [random_array(rng, (3, 4), "float32")]
    given = list(map(xp.asarray, a)), list(map(xp.asarray, b))
    fused = {"epilog": lambda x, s: mw.where(x > 0, s * x, 0.0), "epilog_inputs": {"s": 2.0}}

    once = matmul(*given, **fused, **xp.execution)
    with Matmul(*given, **xp.execution) as product:
        product.plan(**fused)
        planned = product.execute()

    for results in (once, planned):
        for seen, x in zip(results, a, strict=True):
            wanted = 2 * np.maximum(x.astype("float64") @ b[0], 0)
            np.testing.assert_allclose(xp.to_numpy(seen), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_object_repeats_with_other_operands_and_scalars(xp, rng, dtype):
    a, b, c = (random_array(rng, (12, 12), dtype) for _ in range(3))
    other = random_array(rng, (12, 12), dtype)

    with Matmul(*map(xp.asarray, (a, b, c)), alpha=2, beta=3, **xp.execution) as product:
        product.plan()
        first = product.execute()
        product.reset_operands(a=xp.asarray(other), alpha=-1, beta=0.5)
        second = product.execute()
        product.reset_operands_unchecked(b=xp.asarray(other))
        third = product.execute()

        assert_product(xp.to_numpy(first), a, b, c, alpha=2, beta=3)
        assert_product(xp.to_numpy(second), other, b, c, alpha=-1, beta=0.5)
        assert_product(xp.to_numpy(third), other, other, c, alpha=-1, beta=0.5)


def test_a_result_is_not_written_by_the_next_execution(xp, rng):
    a, b = random_array(rng, (8, 8), "float64"), random_array(rng, (8, 8), "float64")
    product = Matmul(xp.asarray(a), xp.asarray(b), **xp.execution)
    product.plan()

    first = product.execute()
    product.reset_operands(a=xp.asarray(np.zeros_like(a)))
    product.execute()

    assert_product(xp.to_numpy(first), a, b)


def test_host_memory_changed_between_executions_is_seen(rng, on_device):
    a, b = random_array(rng, (8, 8), "float64"), random_array(rng, (8, 8), "float64")
    product = Matmul(a, b, **on_device)
    product.plan()
    product.execute()

    a[...] = random_array(rng, (8, 8), "float64")
    second = product.execute()

    assert_product(second, a, b)


def test_explain_names_the_choice_the_refusals_and_the_floor(xp, rng):
    product = Matmul(
        *(xp.asarray(random_array(rng, (8, 8), "float64")) for _ in range(2)), **xp.execution
    )
    product.plan()

    page = product.explain()

    for word in ("matmul", "m=8 n=8 k=8", "float64", "* ", "refused", "workspace", "floor"):
        assert word in page
    assert product.workspace_bytes >= 0


@pytest.mark.parametrize("extents", [(7, 9, 5), (64, 64, 64), (33, 130, 17), (8, 1, 16)], ids=str)
def test_half_precision(xp, rng, extents):
    m, k, n = extents
    a, b = random_array(rng, (m, k), "float16"), random_array(rng, (k, n), "float16")

    d = matmul(xp.asarray(a), xp.asarray(b), **xp.execution)

    assert_product(xp.to_numpy(d), a, b)
