# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""mw.fuse against NumPy."""

from __future__ import annotations

import mathwright as mw
import numpy as np
import pytest
from mathwright.errors import InvalidArgumentError, InvalidStateError, TypeMismatchError


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def test_one_pass_gives_what_numpy_gives(xp):
    x, y = arrays((5, 40), (40,))
    f = mw.fuse(lambda x, y: mw.relu(x) * 2 + y)

    result = f(xp.asarray(x), xp.asarray(y), **xp.execution)

    assert isinstance(result, xp.array_type)
    np.testing.assert_allclose(xp.to_numpy(result), np.maximum(x, 0) * 2 + y, rtol=1e-6)


@pytest.mark.parametrize("candidate", ["generated", "interpreted", "reference"])
def test_every_candidate_agrees(candidate):
    from mathwright.bench.peers import only

    if candidate == "generated" and "LLVM" not in mw.fuse(lambda x: x).explain(np.ones(3)):
        pytest.skip("libmathwright_llvm, which makes the generated kernels, was not built or found")
    x, y = arrays((33, 7), (33, 1))
    f = mw.fuse(lambda x, y: {"result": mw.exp(-abs(x)) / (1 + y * y), "rows": mw.sum(x, axis=-1)})

    with only(candidate):
        out = f(x, y)

    np.testing.assert_allclose(out["result"], np.exp(-np.abs(x)) / (1 + y * y), rtol=2e-6)
    np.testing.assert_allclose(out["rows"], x.sum(-1), rtol=1e-5, atol=1e-6)


def test_reductions_of_several_axes_in_one_call(xp):
    (x,) = arrays((30, 50))

    @mw.fuse
    def look(x):
        return {
            "all": mw.sum(x * x),
            "columns": mw.sum(x, axis=0),
            "most": mw.max(x, axis=-1),
            "where": mw.argmax(x, axis=-1),
        }

    out = {k: xp.to_numpy(v) for k, v in look(xp.asarray(x), **xp.execution).items()}

    np.testing.assert_allclose(out["all"], (x.astype(np.float64) ** 2).sum(), rtol=1e-6)
    np.testing.assert_allclose(out["columns"], x.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(out["most"], x.max(-1))
    np.testing.assert_array_equal(out["where"], x.argmax(-1))
    assert out["all"].shape == () and out["where"].dtype == np.int64


def test_numbers_change_without_a_new_plan():
    (x,) = arrays((10,))
    f = mw.fuse(lambda x, s: x * s)
    f(x, 1.0)
    misses = mw.plan_cache.statistics()["misses"]

    for s in (0.5, -3.0, 1e30):
        np.testing.assert_array_equal(f(x, s), x * np.float32(s))

    assert mw.plan_cache.statistics()["misses"] == misses


def test_operands_by_name_and_in_any_order():
    x, y = arrays((4,), (4,))
    f = mw.fuse(lambda x, y, s: x - s * y)

    np.testing.assert_allclose(f(s=2.0, y=y, x=x), x - 2 * y, rtol=1e-6)
    np.testing.assert_allclose(f(x, s=2.0, y=y), x - 2 * y, rtol=1e-6)


def test_out_takes_the_result_in_its_dtype_and_in_place():
    x, y = arrays((6, 6), (6, 6))
    f = mw.fuse(lambda x, y: x + y)
    wide = np.empty((6, 6))
    expected = x + y

    assert f(x, y, out=wide) is wide
    assert f(x, y, out=x) is x

    np.testing.assert_array_equal(wide, expected)
    np.testing.assert_array_equal(x, expected)


def test_out_that_overlaps_an_operand_is_refused():
    x = np.zeros(10, np.float32)
    with pytest.raises(InvalidArgumentError, match="overlaps operand x"):
        mw.fuse(lambda x: x + 1)(x[:-1], out=x[1:])


def test_any_layout(xp):
    base = arrays((8, 9, 10))[0]
    f = mw.fuse(lambda x, y: x - y)
    for view in (
        base[::2, ::-1],
        base.transpose(2, 0, 1),
        np.broadcast_to(base[:, :1], base.shape),
    ):
        other = np.ones(view.shape, np.float32)
        got = f(xp.asarray(view), xp.asarray(other), **xp.execution)
        np.testing.assert_array_equal(xp.to_numpy(got), view - other)


def test_indices_are_those_of_the_point():
    (x,) = arrays((3, 4))
    got = mw.fuse(lambda x, i: x + 10 * i[0] + i[1])(x)
    rows, columns = np.indices((3, 4))
    np.testing.assert_allclose(got, x + 10 * rows + columns, rtol=1e-6)


def test_one_element_none_and_no_axes():
    f = mw.fuse(lambda x: {"result": x + 1, "sum": mw.sum(x)})
    assert f(np.float32(1).reshape(1))["result"].tolist() == [2]
    assert f(np.zeros((0, 3), np.float32))["result"].shape == (0, 3)
    assert float(f(np.zeros((0, 3), np.float32))["sum"]) == 0
    assert f(np.array(1.5))["result"].shape == ()


def test_what_is_wrong_is_named():
    x, y = arrays((3,), (4,))
    add = mw.fuse(lambda x, y: x + y)
    with pytest.raises(InvalidArgumentError, match=r"operand y has shape \(4,\)"):
        add(x, y)
    with pytest.raises(TypeMismatchError, match="no parameter 'z'"):
        add(x, z=y)
    with pytest.raises(TypeMismatchError, match="no operand is an array"):
        add(1.0, 2.0)
    with pytest.raises(InvalidArgumentError, match="no elements"):
        mw.fuse(mw.max)(x[:0])
    with pytest.raises(TypeMismatchError, match="branch"):
        mw.fuse(lambda x: x if x > 0 else -x)(x)
    with pytest.raises(TypeMismatchError, match="another name"):
        mw.fuse(lambda x, out: x)


def test_expr_and_explain():
    (x,) = arrays((3,))
    f = mw.fuse(lambda x, s: mw.relu(x) * s)
    with pytest.raises(InvalidStateError):
        _ = f.expr
    f(x, 2.0)

    assert str(f.expr) == "relu(x)*s"
    assert "interpreted" in f.explain(x, 2.0)


def test_special_numbers_pass_through():
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3e38], np.float32)
    f = mw.fuse(lambda x: {"result": x * 1, "max": mw.max(x), "least": mw.min(abs(x))})
    out = f(x)
    np.testing.assert_array_equal(out["result"], x)
    assert np.isnan(out["max"]) and np.isnan(out["least"])


def test_conjugated_tensors_of_torch():
    torch = pytest.importorskip("torch")
    z = torch.tensor([1 + 2j, 3 - 4j])
    got = mw.fuse(lambda z: z * 1)(z.conj())
    assert torch.equal(got, z.conj().resolve_conj())
