# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What is taken as an operand, and what comes back."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap

import mathwright as mw
import numpy as np
import pytest
from conftest import assert_close, random_array
from mathwright import errors
from mathwright.fft import FFT, fft, ifft, rfft
from mathwright.linalg import Matmul, matmul

FOUR = ["float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", FOUR)
def test_numpy_operands_of_every_host_dtype_give_a_numpy_result(dtype, rng, on_device):
    a, b = random_array(rng, (3, 5), dtype), random_array(rng, (5, 4), dtype)

    d = matmul(a, b, **on_device)

    assert (
        type(d) is np.ndarray and d.dtype == a.dtype and d.flags.c_contiguous and d.flags.writeable
    )
    assert_close(d, a @ b, 5)


@pytest.mark.parametrize(
    "dtype", ["int32", "uint8", "bool", "longdouble", "object", "U3", "datetime64[s]"]
)
def test_other_numpy_dtypes_are_refused_with_a_message_naming_the_dtype(dtype):
    a = np.zeros((2, 2), dtype)

    with pytest.raises(ValueError, match=str(a.dtype.name)[:4]):
        matmul(a, a)


def layouts(rng):
    base = random_array(rng, (6, 8), "float64")
    yield "C order", base
    yield "F order", np.asfortranarray(base)
    yield "transposed", random_array(rng, (8, 6), "float64").T
    yield "every second", random_array(rng, (12, 16), "float64")[::2, ::2]
    yield "reversed", base[::-1, ::-1]
    yield "broadcast rows", np.broadcast_to(base[:1], (6, 8))
    yield "broadcast columns", np.broadcast_to(base[:, :1], (6, 8))
    yield "padded", random_array(rng, (6, 11), "float64")[:, 2:10]
    misaligned = (
        np.frombuffer(b"\0" * 3 + base.tobytes(), dtype=np.uint8)[3:].view("float64").reshape(6, 8)
    )
    yield "misaligned and read-only", misaligned
    read_only = base.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only


def test_every_numpy_layout_is_read_as_it_is(rng, on_device):
    b = random_array(rng, (8, 3), "float64")
    for name, a in layouts(rng):
        before = a.copy()

        d = matmul(a, b, **on_device)
        y = rfft(a, axes=(1,), **on_device)

        assert_close(d, before @ b, 8)
        assert_close(y, np.fft.rfft(before, axis=1), 16)
        assert np.array_equal(a, before), name


def test_byte_swapped_operand_is_refused_with_the_remedy():
    a = np.ones((2, 2), ">f8")

    with pytest.raises(ValueError, match=r"operand b .*newbyteorder\('='\)"):
        matmul(np.ones((2, 2)), a)


def test_strides_that_are_no_multiple_of_the_item_size_are_refused_with_the_remedy():
    packed = np.zeros((3, 3), np.dtype([("x", "i1"), ("value", "f8")]))["value"]

    with pytest.raises(ValueError, match=r"stride of 27 bytes along axis 0.*\.copy\(\)"):
        matmul(packed, packed)


def test_subclasses_count_as_plain_arrays(tmp_path):
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    mapped = np.memmap(tmp_path / "values", dtype="float64", mode="w+", shape=(2, 2))
    mapped[:] = matrix

    for operand in (matrix, mapped):
        d = matmul(operand, operand)

        assert type(d) is np.ndarray
        assert np.array_equal(d, [[7, 10], [15, 22]])


def test_a_masked_array_is_refused_only_if_something_is_masked():
    values = np.ones((2, 2))

    assert np.array_equal(matmul(np.ma.array(values), values), values @ values)
    with pytest.raises(ValueError, match="masked"):
        matmul(np.ma.array(values, mask=[[True, False], [False, False]]), values)


@pytest.mark.parametrize(
    "operand", [[[1.0, 2.0]], 3.0, None, "text", {"a": 1}, np.float64(2), range(3)]
)
def test_what_is_no_array_is_refused_as_type_and_value_error(operand):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="operand b"):
            matmul(np.ones((2, 2)), operand)


def test_extent_one_axes_with_odd_strides_give_the_same_key():
    plain = np.ones((1, 77), "complex64")
    odd = np.lib.stride_tricks.as_strided(plain, strides=(12345 * 8, 8))

    assert FFT.create_key(odd) == FFT.create_key(plain)
    assert_close(fft(odd), np.fft.fft2(plain), 77 * 7)


def test_results_come_in_kind(xp, rng):
    a = random_array(rng, (4, 6), "complex64")
    array = xp.asarray(a)

    d = matmul(array, array.T, **xp.execution)
    y = fft(array, axes=(1,), **xp.execution)

    assert isinstance(d, xp.array_type) and isinstance(y, xp.array_type)
    assert_close(xp.to_numpy(d), a @ a.T, 12)
    assert_close(xp.to_numpy(y), np.fft.fft(a, axis=1), 6 * 3)


def test_out_is_filled_and_returned(xp, rng):
    a = random_array(rng, (4, 4), "float64")
    out = xp.asarray(np.zeros((4, 4)))

    d = matmul(xp.asarray(a), xp.asarray(a), out=out, **xp.execution)

    assert d is out
    assert_close(xp.to_numpy(out), a @ a, 4)


def test_out_may_have_any_one_to_one_layout(rng):
    a = random_array(rng, (4, 6), "complex128")
    out = np.zeros((12, 8), "complex128")[::2, ::2].T[:, ::-1]

    assert fft(a, out=out) is out

    assert_close(out, np.fft.fft2(a), 24 * 5)


@pytest.mark.parametrize(
    "out, message",
    [
        (np.broadcast_to(np.zeros(2), (2, 2)), "read-only|share one element"),
        (np.zeros((2, 3)), "shape"),
        (np.zeros((2, 2), "float32"), "dtype"),
    ],
)
def test_an_unfit_out_is_refused(out, message):
    with pytest.raises(ValueError, match=message):
        matmul(np.ones((2, 2)), np.ones((2, 2)), out=out)


def test_out_overlapping_an_operand_is_refused():
    memory = np.ones((3, 2))

    with pytest.raises(ValueError, match="overlaps operand a"):
        matmul(memory[:2], np.ones((2, 2)), out=memory[1:])


@pytest.mark.parametrize(
    "given, taken",
    [
        ((slice(0, None, 2), slice(None)), (slice(1, None, 2), slice(None))),
        ((slice(None), slice(0, None, 2)), (slice(None), slice(1, None, 2))),
        ((slice(None), slice(None, 6)), (slice(None), slice(6, None))),
    ],
    ids=["rows", "columns", "halves"],
)
def test_out_may_lie_between_the_elements_of_an_operand(rng, given, taken):
    x = random_array(rng, (12, 12), "float64")
    before = x.copy()
    n = before[given].shape[1]

    matmul(x[given], np.eye(n), out=x[taken])

    np.testing.assert_array_equal(x[taken], before[given])
    np.testing.assert_array_equal(x[given], before[given])


def test_optimized_result_layout_follows_the_operand(xp, rng):
    x = random_array(rng, (6, 4), "complex64")

    y = fft(xp.asarray(x).T, options={"result_layout": "optimized"}, **xp.execution)

    assert y.T.is_contiguous() if xp.name == "torch" else y.flags.f_contiguous
    assert_close(xp.to_numpy(y), np.fft.fft2(x.T), 24 * 5)


def test_large_results_reuse_the_pool(rng):
    mw.plan_cache.clear()
    a = random_array(rng, (512, 512), "float64")
    first = matmul(a, a)
    address = first.ctypes.data
    assert mw.memory.host_pool_statistics()["live_bytes"] >= first.nbytes

    del first
    second = matmul(a, a)

    assert second.ctypes.data == address
    assert second.flags.writeable and second.flags.aligned
    view = second[1:]
    del second
    assert_close(view, (a @ a)[1:], 512)


# ------------------------------------------------------------------ DLPack

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class HandMade:
    """An old-style producer: a capsule without version, without strides, that counts its deletions."""

    def __init__(self, array, *, device_type=1, code=2, byte_offset=0):
        self.array = array
        self.deleted = 0
        self.asked = None
        shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        data = (array.ctypes.data or 0) - byte_offset
        tensor = _DLTensor(
            data, device_type, 0, array.ndim, code, array.itemsize * 8, 1, shape, None, byte_offset
        )
        self._deleter = _Deleter(self._delete)
        self._managed = _Managed(tensor, None, ctypes.cast(self._deleter, ctypes.c_void_p).value)
        self._keep = shape

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return (self._managed.tensor.device_type, 0)

    def __dlpack__(self, stream=None):
        self.asked = stream
        return _new(ctypes.addressof(self._managed), b"dltensor", None)


@pytest.fixture
def from_dlpack(monkeypatch):
    """HandMade's module has a from_dlpack, so its results come back in kind."""
    monkeypatch.setattr(sys.modules[__name__], "from_dlpack", np.from_dlpack, raising=False)


def test_a_capsule_with_null_strides_is_c_order(from_dlpack, rng):
    a = random_array(rng, (3, 4), "float64")
    operand, other = HandMade(a), HandMade(a.T.copy(), byte_offset=16)

    d = matmul(operand, other, execution="cpu")

    assert_close(d, a @ a.T, 4)
    assert operand.deleted == 1 and other.deleted == 1
    assert operand.asked is None


def test_null_strides_of_empty_and_scalar_capsules_are_read(from_dlpack):
    empty = matmul(HandMade(np.zeros((0, 3))), HandMade(np.zeros((3, 2))))
    assert np.asarray(empty).shape == (0, 2)

    with pytest.raises(ValueError, match="no axes"):
        matmul(HandMade(np.zeros(())), HandMade(np.zeros((3, 2))))


def test_a_stateful_object_keeps_a_capsule_until_it_is_released(from_dlpack, rng):
    operand = HandMade(random_array(rng, (3, 3), "float64"))
    product = Matmul(operand, operand)
    product.plan()

    assert operand.deleted == 0
    product.execute()
    product.release_operands()

    assert operand.deleted == 2


def test_an_unknown_device_or_dtype_of_a_capsule_is_named():
    with pytest.raises(ValueError, match="DLPack type 8"):
        matmul(HandMade(np.ones((2, 2)), device_type=8), np.ones((2, 2)))
    with pytest.raises(ValueError, match="code 99"):
        matmul(HandMade(np.ones((2, 2)), code=99), np.ones((2, 2)))


def test_a_failing_export_names_the_operand():
    class Broken:
        def __dlpack__(self, **_):
            raise RuntimeError("the data moved")

    with pytest.raises(ValueError, match="operand a .*the data moved"):
        matmul(Broken(), np.ones((2, 2)))


class _Header(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
    ]


_View = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_DLTensor))


class _Table(ctypes.Structure):
    _fields_ = [
        ("header", _Header),
        ("allocate", ctypes.c_void_p),
        ("managed_from_object", ctypes.c_void_p),
        ("object_from_managed", ctypes.c_void_p),
        ("view_of_object", _View),
        ("current_stream", ctypes.c_void_p),
    ]


def test_the_function_table_of_a_type_is_used_instead_of_a_python_call(from_dlpack, rng):
    def view(operand, out):
        operand.viewed += 1
        out[0] = operand._managed.tensor
        return 0

    old = _Table(_Header(1, 3, None), None, None, None, _View(view), None)
    new = _Table(_Header(2, 0, ctypes.addressof(old)), None, None, None, _View(), None)

    class Fast(HandMade):
        viewed = 0
        __module__ = "fast_arrays"  # a package of its own
        __dlpack_c_exchange_api__ = _new(ctypes.addressof(new), b"dlpack_exchange_api", None)

        def __dlpack__(self, **_):
            raise AssertionError("the table was to be used")

    a = random_array(rng, (3, 3), "float32")
    operand = Fast(a)
    module = type(sys)("fast_arrays")
    module.from_dlpack = np.from_dlpack
    sys.modules["fast_arrays"] = module
    try:
        d = matmul(operand, operand)
    finally:
        del sys.modules["fast_arrays"]

    assert operand.viewed == 2 and operand.deleted == 0
    assert_close(d, a @ a, 3)


def test_operands_of_two_packages_are_refused(from_dlpack):
    with pytest.raises(TypeError, match="operand b is of package .*numpy is wanted"):
        matmul(np.ones((2, 2)), HandMade(np.ones((2, 2))))


def test_jax_arrays_are_read_and_results_are_jax_arrays(rng):
    jax = pytest.importorskip("jax")
    a = random_array(rng, (4, 5), "float32")
    operand = jax.numpy.asarray(a)

    d = matmul(operand, operand.T)
    y = rfft(operand, axes=(1,))

    assert isinstance(d, jax.Array) and isinstance(y, jax.Array)
    assert_close(d, a @ a.T, 5)
    assert_close(y, np.fft.rfft(a, axis=1), 15)
    with pytest.raises(ValueError, match="read-only"):
        matmul(operand, operand.T, out=jax.numpy.zeros((4, 4), "float32"))


def test_ml_dtypes_arrays_are_read_from_their_own_structure():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.ones((2, 2), ml_dtypes.bfloat16)

    with pytest.raises(errors.MathwrightError, match="bfloat16"):
        matmul(a, np.ones((2, 2), "float32"))


def test_lazy_conjugation_of_torch_is_honoured(xp, rng):
    if xp.name != "torch":
        pytest.skip("only PyTorch has lazily conjugated tensors")
    a, b = random_array(rng, (3, 4), "complex64"), random_array(rng, (4, 2), "complex64")
    conjugated = xp.asarray(a).conj()
    assert conjugated.is_conj()

    assert_close(xp.to_numpy(matmul(conjugated, xp.asarray(b))), a.conj() @ b, 8)
    assert_close(xp.to_numpy(fft(conjugated)), np.fft.fft2(a.conj()), 12 * 4)
    product = Matmul(conjugated, xp.asarray(b))
    with pytest.raises(ValueError, match="conjugate"):
        product.reset_operands(a=xp.asarray(a))


def test_values_of_a_torch_tensor_that_requires_grad_are_taken(xp, rng):
    if xp.name != "torch":
        pytest.skip("only PyTorch records gradients")
    a = random_array(rng, (3, 3), "float32")

    d = matmul(xp.asarray(a).requires_grad_(), xp.asarray(a))

    assert not d.requires_grad
    assert_close(xp.to_numpy(d), a @ a, 3)


def test_repeated_calls_see_new_values_layouts_and_factors(rng, on_device):
    a, b, c = (random_array(rng, (5, 5), "float64") for _ in range(3))
    misaligned = np.frombuffer(b"\0" * 8 + a.tobytes(), np.uint8)[8:]
    calls = [
        ((a, b), {}, a @ b),
        ((b, a), {}, b @ a),
        ((a.T, b), {}, a.T @ b),
        ((misaligned.view("float64").reshape(5, 5), b), {"alpha": 2}, 2 * a @ b),
        ((a, b, c), {"beta": 3}, a @ b + 3 * c),
        ((a, b, c.T), {"beta": -1, "alpha": 0}, -c.T),
        ((a, b), {"out": np.zeros((5, 5))}, a @ b),
        ((a, c), {"out": np.zeros((5, 5)).T}, a @ c),
        ((a + 1j, b + 0j), {"alpha": 1j}, 1j * ((a + 1j) @ b)),
    ]

    for _ in range(2):
        for operands, more, wanted in calls:
            for _ in range(2):
                assert_close(matmul(*operands, **more, **on_device), wanted, 12)
        with pytest.raises(ValueError, match="alpha"):
            matmul(a, b, alpha=1j, **on_device)


def test_repeated_transforms_see_new_values_layouts_and_directions(rng, on_device):
    x = random_array(rng, (4, 6), "complex128")
    target = np.zeros((4, 6), "complex128")
    for _ in range(2):
        for scale in (1, 2):
            y = scale * x
            assert_close(fft(y, **on_device), np.fft.fft2(y), 24 * 5)
            assert_close(fft(y, axes=(1,), **on_device), np.fft.fft(y), 6 * 3)
            assert_close(ifft(y, **on_device), 24 * np.fft.ifft2(y), 24 * 5)
            assert_close(fft(y.T, out=target.T, **on_device), np.fft.fft2(y.T), 24 * 5)
            assert_close(
                fft(y.copy(), options={"inplace": True}, **on_device), np.fft.fft2(y), 24 * 5
            )
            assert_close(rfft(y.real, **on_device), np.fft.rfft2(y.real), 24 * 5)


def test_a_call_inside_a_call_of_the_same_function_works(monkeypatch, rng):
    a = random_array(rng, (3, 3), "float64")
    inner = []

    def from_dlpack(exported):
        inner.append(matmul(np.ones((2, 7)), np.ones((7, 2))))
        return np.from_dlpack(exported)

    class Inner(HandMade):
        __module__ = "inner_arrays"

    module = type(sys)("inner_arrays")
    module.from_dlpack = from_dlpack
    monkeypatch.setitem(sys.modules, "inner_arrays", module)

    d = matmul(Inner(a), Inner(a))

    assert_close(d, a @ a, 3)
    assert inner[0].shape == (2, 2) and (inner[0] == 7).all()


# ------------------------------------------------------------------ imports


def run_fresh(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_imports_a_package_that_the_user_has_not():
    seen = run_fresh(
        """
        import sys
        import numpy as np
        import mathwright as mw
        mw.linalg.matmul(np.ones((2, 2)), np.ones((2, 2)))
        mw.fft.rfft(np.ones(4))
        watched = {"torch", "cupy", "jax", "scipy", "ml_dtypes", "logging", "dataclasses"}
        print(sorted(watched & set(sys.modules)))
        """
    )

    assert seen == "[]"


def test_importing_imports_no_submodule():
    seen = run_fresh(
        """
        import sys
        import mathwright
        mine = sorted(name for name in sys.modules if name.startswith("mathwright"))
        print(mine)
        """
    )

    assert seen == "['mathwright', 'mathwright._core']"
