# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What users of such libraries ran into, one test per report; F transforms, M products, D interchange,
U use. Each guards against the fault that its comment names."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import weakref

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_product, assert_transform
from conftest import DEVICE
from layouts import assert_c_order, element_strides, misaligned, place
from mathwright import errors
from mathwright.fft import FFT, fft, ifft, irfft, rfft
from mathwright.linalg import Matmul, matmul
from numpy.lib.stride_tricks import as_strided

needs_device = pytest.mark.skipif(DEVICE == "cpu", reason="MATHWRIGHT_TEST_DEVICE is cpu")


def R(*shape, dtype="float64"):
    return np.random.default_rng(0).random(shape).astype(dtype)


def Z(*shape, dtype="complex128"):
    rng = np.random.default_rng(0)
    return (rng.random(shape) + 1j * rng.random(shape)).astype(dtype)


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def check_fft(xp, x, axes=None):
    """Forward transform of a real or complex array against NumPy; the operand's bits stay."""
    before = x.copy()
    chosen = tuple(range(x.ndim)) if axes is None else axes
    real = x.dtype.kind != "c"
    seen = (rfft if real else fft)(place(xp, x), axes=axes, **xp.execution)
    wanted = (np.fft.rfftn if real else np.fft.fftn)(wide(x), axes=chosen)
    assert_transform(xp.to_numpy(seen), wanted, x.size)
    assert np.array_equal(x, before)
    return seen


def check_irfft(xp, z, axes=None, odd=False):
    before = z.copy()
    chosen = tuple(range(z.ndim)) if axes is None else axes
    extents = [z.shape[a] for a in chosen]
    extents[-1] = 2 * extents[-1] - 1 if odd else 2 * (extents[-1] - 1)
    options = {"last_axis_parity": "odd" if odd else "even"}
    operand = place(xp, z)
    seen = xp.to_numpy(irfft(operand, axes=axes, options=options, **xp.execution))
    wanted = np.fft.irfftn(wide(z), s=extents, axes=chosen, norm="forward")
    assert_transform(seen, wanted, 2 * z.size)
    assert np.array_equal(z, before)
    assert np.array_equal(xp.to_numpy(operand), before)
    return seen


def check_product(xp, a, b, c=None, **scalars):
    """One shot, and planned, executed, reset, executed again."""
    before = a.copy(), b.copy()
    operands = [place(xp, x) for x in (a, b, c) if x is not None]
    seen = matmul(*operands, **scalars, **xp.execution)
    product = Matmul(*operands, **scalars, **xp.execution)
    product.plan()
    planned = product.execute()
    product.reset_operands(b=operands[1])
    again = product.execute()
    for result in (seen, planned, again):
        assert_product(xp.to_numpy(result), a, b, c, **scalars)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])
    return seen


# ---- transforms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_f01_single_axes_of_an_f_ordered_array(xp, axis):
    check_fft(xp, np.asfortranarray(R(3, 4, 5)), (axis,))


@pytest.mark.parametrize("axes", [(1, 2), (0, 2), None], ids=str)
@pytest.mark.parametrize("view", [lambda z: z[::2], lambda z: z[:, ::-1]], ids=["step", "reversed"])
def test_f02_non_contiguous_views(xp, axes, view):
    check_fft(xp, view(Z(8, 6, 4)), axes)


@pytest.mark.parametrize("shape", [(16, 9), (4, 5, 6), (2, 3, 4, 5)], ids=str)
def test_f03_the_inverse_of_real_keeps_its_input(xp, shape):
    check_irfft(xp, Z(*shape, dtype="complex64"), (len(shape) - 1,))
    check_irfft(xp, Z(*shape, dtype="complex64"))


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_f04_the_inverse_of_real_keeps_its_input_in_any_rank(xp, rank):
    check_irfft(xp, np.fft.rfftn(R(*(4,) * rank)))


def test_f05_in_place_inverse_of_real_is_refused(rng):
    # The object never writes its operand, so there is no second execution to go wrong.
    with pytest.raises(errors.InvalidArgumentError, match="in_place|inplace"):
        irfft(Z(8, 5), options={"inplace": True})


@pytest.mark.parametrize("odd", [False, True])
def test_f06_sliced_inverse_of_real(xp, odd):
    check_irfft(xp, Z(8, 10, dtype="complex64")[:, ::2], (-1,), odd)


def test_f08_trailing_unit_axis_in_f_order(xp):
    check_fft(xp, np.asfortranarray(Z(16, 16, 1)), (0, 1))


@pytest.mark.parametrize("stride", [None, 0, 3, -5])
def test_f09_strides_of_unit_axes_do_not_matter(xp, stride):
    z = Z(8)
    x = z[None] if stride is None else as_strided(z, (1, 8), (stride * 16, 16))
    check_fft(xp, x, (-1,))


def test_f10_a_repeated_batch(xp):
    check_fft(xp, np.broadcast_to(R(1, 8, dtype="float32"), (4, 8)), (1,))


@pytest.mark.parametrize("shape", [(2, 1), (5, 1), (2, 3, 1), (1,), (1, 1)], ids=str)
def test_f11_last_extent_one(xp, shape):
    check_fft(xp, Z(*shape, dtype="complex64"))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_f12_reversed_complex(xp, dtype):
    check_fft(xp, np.arange(10).astype(dtype)[::-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_f12_reversed_real(xp, dtype):
    check_fft(xp, np.arange(10).astype(dtype)[::-1])


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64"])
def test_f12_integers_are_refused_by_name(dtype):
    with pytest.raises(errors.MathwrightError, match=dtype):
        rfft(np.arange(10, dtype=dtype)[::-1])


def test_f13_every_run_of_one_plan_gives_the_same_bits(xp):
    x = np.random.default_rng(0).standard_normal((256, 256)).astype("float32")
    spectrum = place(xp, np.fft.rfftn(x).astype("complex64"))
    transform = FFT(spectrum, options={"fft_type": "C2R"}, **xp.execution)
    transform.plan()

    results = [xp.to_numpy(transform.execute()).copy() for _ in range(5)]

    for result in results[1:]:
        assert np.array_equal(results[0], result)
    assert_transform(results[0], wide(x) * x.size, x.size)


def test_f15_one_plan_cache_for_two_alignments(on_device):
    x = R(64)
    mw.plan_cache.clear()

    for operand in (misaligned(x, 0), misaligned(x, 8), misaligned(x, 1), misaligned(x, 0)):
        seen = rfft(operand, **on_device)
        assert_transform(seen, np.fft.rfft(x), 64)
        assert np.array_equal(operand, x)


def test_f16_read_only_operands(on_device, tmp_path):
    x = Z(8, 6)
    frozen = x.copy()
    frozen.flags.writeable = False
    x.tofile(tmp_path / "z")
    mapped = np.memmap(tmp_path / "z", "complex128", "r", shape=(8, 6))

    for operand in (frozen, mapped, np.broadcast_to(x[:1], (8, 6))):
        before = np.array(operand)
        assert_transform(fft(operand, **on_device), np.fft.fft2(before), 48)
        assert_product(matmul(operand, before.T, **on_device), before, before.T)
        assert np.array_equal(operand, before)


@pytest.mark.parametrize("n", [450001, 1030703])
def test_f17_large_primes_are_exact(on_device, n):
    z = Z(n)

    seen = fft(z, **on_device)

    assert_transform(seen, np.fft.fft(z), n)


def test_f18_a_strided_real_transform_longer_than_two_to_the_24(on_device):
    n = 2**24 + 1
    x = np.zeros((n, 2), "float32")
    x[0, 0] = x[n - 1, 1] = 1  # spectra: ones, and exp(−2πik(n−1)/n) = exp(2πik/n)

    seen = rfft(x, axes=(0,), **on_device)

    k = np.arange(seen.shape[0])
    assert np.abs(seen[:, 0] - 1).max() <= 1e-5
    assert np.abs(seen[:, 1] - np.exp(2j * np.pi * k / n)).max() <= 1e-5


@pytest.mark.parametrize("n", [131, 137, 149, 257, 263])
def test_f19_prime_lengths(xp, n):
    check_fft(xp, Z(n))
    check_fft(xp, np.ones(n))


def test_f27_padded_inner_axis(xp):
    check_fft(xp, Z(8192, 20)[:, :16], (0,))


@pytest.mark.parametrize("n", [2, 3, 64, 262, 263, 264, 521])
def test_f28_real_transforms_into_and_out_of_padded_rows(on_device, n):
    # The rows of the spectrum, seen as reals, are padded to 2(n//2+1).
    x = R(n, n, dtype="float32")
    memory = np.zeros((n, 2 * (n // 2 + 1)), "float32")
    padded = memory[:, :n]
    padded[...] = x
    options = {"last_axis_parity": "odd" if n % 2 else "even"}

    spectrum = rfft(padded, **on_device)
    irfft(spectrum, options=options, out=padded, **on_device)

    assert_transform(spectrum, np.fft.rfft2(wide(x)), n * n)
    assert_transform(padded, wide(x) * n * n, n * n)


def test_f30_result_strides_follow_one_rule(xp):
    z = Z(5, 6, 7, dtype="complex64")

    for operand in (z, np.asfortranarray(z), z.transpose(1, 2, 0).copy().transpose(2, 0, 1)):
        assert_c_order(fft(place(xp, operand), axes=(0,), **xp.execution))


def test_f33_keys_agree_between_operand_and_object(xp):
    bases = [Z(4, 6), Z(4, 6, dtype="complex64"), np.asfortranarray(Z(4, 6)), Z(8, 6)[::2], Z(4, 12)[:, ::2]]
    keys = []
    for base in bases:
        for axes in ((0,), (1,), (0, 1), (1, 0)):
            operand = place(xp, base)
            transform = FFT(operand, axes=axes, **xp.execution)
            transform.plan()
            keys.append(FFT.create_key(operand, axes=axes, **xp.execution))
            assert transform.get_key() == keys[-1]

    assert len(set(keys)) == len(keys)


def test_f35_many_threads_many_lengths(on_device):
    rng = np.random.default_rng(0)
    arrays = [rng.random(int(n)) for n in rng.integers(100, 5000, 25)]
    wanted = [np.fft.rfft(x) for x in arrays]
    wrong = []

    def work(start):
        for i in range(50):
            which = (start * 7 + i) % len(arrays)
            seen = rfft(arrays[which], **on_device)
            if np.linalg.norm(seen - wanted[which]) > 1e-12 * np.linalg.norm(wanted[which]):
                wrong.append(which)

    threads = [threading.Thread(target=work, args=(t,)) for t in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong


def test_f36_the_plan_cache_is_bounded_and_can_be_cleared(on_device):
    mw.plan_cache.clear()
    room = mw.plan_cache.statistics()["count_limit"]

    for n in range(1, room + 60):
        fft(np.ones(n, "complex64"), **on_device)

    full = mw.plan_cache.statistics()
    assert full["count"] <= full["count_limit"]
    assert full["bytes"] <= full["bytes_limit"]
    assert full["evictions"] >= 59
    mw.plan_cache.clear()
    cleared = mw.plan_cache.statistics()
    assert cleared["count"] == cleared["bytes"] == 0


@pytest.mark.parametrize("odd", [False, True])
def test_f37_spectra_that_are_not_hermitian_follow_numpy(xp, odd):
    z = Z(5, 8)
    wanted = np.fft.irfft(z, 15 if odd else 14, axis=1, norm="forward")

    seen = irfft(
        xp.asarray(z), axes=(1,), options={"last_axis_parity": "odd" if odd else "even"}, **xp.execution
    )

    assert_transform(xp.to_numpy(seen), wanted, 15)


# ---- products -----------------------------------------------------------------------------------


def test_m01_odd_stride_of_a_unit_batch(xp):
    memory = R(12, dtype="float32")
    check_product(xp, as_strided(memory, (1, 3, 4), (28, 16, 4)), R(5, 4, 2, dtype="float32"))


def test_m02_a_repeated_batch_of_b(xp):
    b = np.broadcast_to(R(4, 6, dtype="float32"), (3, 4, 6))
    check_product(xp, R(3, 2, 4, dtype="float32"), b)


def test_m03_a_repeated_batch_of_a(xp):
    ones = np.ones((32, 32, 32), "float32")
    d = check_product(xp, np.broadcast_to(ones[:1], ones.shape), ones)
    assert (xp.to_numpy(d) == 32).all()


def test_m04_every_batch_is_computed(xp):
    check_product(xp, np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5))
    check_product(xp, np.arange(24.0).reshape(2, 1, 3, 4), np.arange(60.0).reshape(1, 3, 4, 5))


def test_m06_leading_unit_axes(xp):
    check_product(xp, R(1, 5, 8), R(8, 16), R(1, 5, 16), beta=1)


def test_m07_a_slice_of_a_transposed_matrix(xp):
    m1 = R(128, 24, dtype="float32").T
    m2 = R(2048, 252, dtype="float32").T[219:243]
    check_product(xp, m2.T, m1)


def test_m08_tall_and_skinny(on_device):
    a, b = R(655360, 10, dtype="float32"), R(10, 10, dtype="float32")
    assert_product(matmul(a, b, **on_device), a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shifts", [(1, 0, 0, 0), (0, 3, 0, 0), (0, 0, 7, 0), (0, 0, 0, 1), (1, 3, 7, 5)])
def test_m09_operands_off_their_alignment(on_device, dtype, shifts):
    make = Z if dtype.startswith("complex") else R
    a, b, c, out = (misaligned(make(9, 9, dtype=dtype), shift) for shift in shifts)

    matmul(a, b, c, beta=0.5, out=out, **on_device)

    assert_product(out, a, b, c, beta=0.5)


@needs_device
@pytest.mark.parametrize("offsets", [(1, 0, 0), (0, 3, 0), (0, 0, 7), (1, 3, 7)])
def test_m09_half_precision_at_odd_offsets(xp, offsets):
    rng = np.random.default_rng(0)
    hosts = [rng.random((24, 24)).astype("float16") for _ in range(3)]
    views = []
    for host, offset in zip(hosts, offsets, strict=True):
        memory = xp.asarray(np.concatenate([np.zeros(offset, "float16"), host.ravel()]))
        views.append(memory[offset:].reshape(24, 24))

    d = matmul(*views, beta=1, **xp.execution)

    assert_product(xp.to_numpy(d), *hosts, beta=1)


@pytest.mark.parametrize("poison", [np.nan, np.inf])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 70), (70, 1), (3, 5), (33, 17), (70, 70)], ids=str)
def test_m19_beta_zero_does_not_read_c_nor_out(xp, poison, m, n):
    a, b = R(m, 9), R(9, n)
    c = xp.asarray(np.full((m, n), poison))
    out = xp.asarray(np.full((m, n), poison))

    d = matmul(xp.asarray(a), xp.asarray(b), c, beta=0, out=out, **xp.execution)

    assert_product(xp.to_numpy(d), a, b)


def test_m19_matrix_times_vector(xp):
    a, b = R(7, 9), R(9)
    out = xp.asarray(np.full(7, np.nan))

    assert_product(xp.to_numpy(matmul(xp.asarray(a), xp.asarray(b), out=out, **xp.execution)), a, b)


def test_m20_no_silent_loss_of_precision(xp):
    z = np.array([0, 3.14], "float32")
    identity = np.eye(2, dtype="float32")

    zs = matmul(xp.asarray(z), xp.asarray(identity), **xp.execution)
    d = matmul(zs, xp.asarray(z), **xp.execution)

    assert abs(float(xp.to_numpy(d)) - 9.8596) <= 1e-5


def test_m21_more_than_65535_products(xp):
    ones = np.ones((2**17, 1, 1), "float32")
    d = matmul(xp.asarray(ones), xp.asarray(ones), **xp.execution)
    assert xp.to_numpy(d).sum() == 131072

    a, b = R(65536, 4, 2, dtype="float32"), R(65536, 2, 4, dtype="float32")
    assert_product(xp.to_numpy(matmul(xp.asarray(a), xp.asarray(b), **xp.execution)), a, b)


def test_m24_leading_dimension_is_not_the_extent(xp):
    a = np.arange(1, 9, dtype="float32").reshape(4, 2)[::2]
    d = check_product(xp, a, np.eye(2, dtype="float32"))
    assert xp.to_numpy(d).tolist() == [[1, 2], [5, 6]]


def test_m25_a_permuted_view(xp):
    check_product(xp, R(5, 3).T, np.ones((5, 1)))


def test_m28_one_dimensional_operands(xp):
    check_product(xp, R(5), R(5, 3), R(3), beta=1)
    d = check_product(xp, R(5), R(5))
    assert tuple(d.shape) == ()


def test_m31_no_floating_point_flag_for_finite_operands():
    for n in range(1, 34):
        a = R(n, n)
        with np.errstate(all="raise"):
            matmul(a, a, execution="cpu")
            # A flag left standing would raise in the next operation that NumPy looks after.
            np.add(a, a)


# ---- interchange --------------------------------------------------------------------------------


class Exporter:
    """An array that can be read through DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_d01_unit_axes_through_dlpack(xp):
    if xp.name == "numpy":
        pytest.skip("of another package")
    z = Z(1, 77, dtype="complex64")
    x = xp.asarray(z)

    assert_transform(xp.to_numpy(fft(x, axes=(1,), **xp.execution)), np.fft.fft(wide(z)), 77)
    assert FFT.create_key(x, axes=(1,)) == FFT.create_key(x.clone() if xp.name == "torch" else x.copy(), axes=(1,))


@pytest.mark.parametrize(
    "view",
    [
        lambda: np.arange(10.0)[::2],
        lambda: np.broadcast_to(np.array(3.0), (10,)),
        lambda: np.asfortranarray(R(3, 4))[::2],
    ],
    ids=["step", "repeated", "sliced F order"],
)
@pytest.mark.parametrize("wrap", [np.asarray, Exporter], ids=["array", "dlpack"])
def test_d03_non_unit_strides(view, wrap):
    x = view()
    # NumPy's results go to NumPy; those of a package that only exports go into an out of its own.
    spectrum = np.empty((*x.shape[:-1], x.shape[-1] // 2 + 1), "complex128")
    product = np.empty(np.matmul(x, x.T).shape)
    if wrap is Exporter:
        if not x.flags.writeable:
            x = x.copy()  # NumPy exports read-only arrays to DLPack 1.0 alone
        rfft(wrap(x), out=wrap(spectrum))
        matmul(wrap(x), wrap(x.T), out=wrap(product))
    else:
        spectrum, product = rfft(x), matmul(x, x.T)

    assert_transform(spectrum, np.fft.rfftn(x), x.size)
    assert_product(product, x, x.T)


def test_d06_results_go_on_to_other_packages(xp):
    z = np.asfortranarray(Z(6, 5))

    y = fft(place(xp, z), axes=(0,), options={"result_layout": "optimized"}, **xp.execution)

    assert_transform(xp.to_numpy(y), np.fft.fft(z, axis=0), 6)
    if xp.device == "cpu":
        assert np.array_equal(np.from_dlpack(y), xp.to_numpy(y))
    again = ifft(y, axes=(0,), **xp.execution)
    assert_transform(xp.to_numpy(again), z * 6, 6)


def test_d07_release_then_unchecked_reset(xp):
    a, b, other = R(4, 4), R(4, 4), Z(4, 4).real.copy()
    product = Matmul(xp.asarray(a), xp.asarray(b), **xp.execution)
    product.plan()
    product.release_operands()

    product.reset_operands_unchecked(a=xp.asarray(other), b=xp.asarray(b))

    assert_product(xp.to_numpy(product.execute()), other, b)


def test_operands_are_let_go_of(xp):
    # C11 asked of products: a dead object keeps nothing alive.
    class Tracked(np.ndarray):
        pass

    if xp.name != "numpy":
        pytest.skip("NumPy subclasses can be watched")
    a = R(4, 4).view(Tracked)
    watch = weakref.ref(a)
    product = Matmul(a, R(4, 4))
    product.plan()
    product.execute()
    del a
    gc.disable()
    try:
        assert watch() is not None
        product.free()
        assert watch() is None
    finally:
        gc.enable()


# ---- use ----------------------------------------------------------------------------------------


def test_u06_everything_runs_with_debug_logging(xp, caplog):
    caplog.set_level(logging.DEBUG)
    mw.plan_cache.clear()

    check_fft(xp, Z(12, 10))
    check_irfft(xp, Z(12, 10))
    check_product(xp, R(5, 6), R(6, 7))

    assert any(record.levelno == logging.DEBUG for record in caplog.records)


def test_u07_a_logger_of_ones_own_gets_plan_and_execute():
    records = []
    logger = logging.Logger("mine", logging.INFO)
    handler = logging.Handler()
    handler.emit = records.append
    logger.addHandler(handler)

    product = Matmul(R(3, 3), R(3, 3), options={"logger": logger})
    product.plan()
    product.execute()

    said = " ".join(record.getMessage() for record in records)
    assert "planned" in said
    assert "executed" in said


FIRST_USE = """
import threading
import numpy as np
from mathwright.fft import fft
from mathwright.linalg import matmul

start = threading.Barrier(16)
x = np.arange(64.0).reshape(8, 8)
big = np.ones((300, 300))
failures = []

def work():
    start.wait()
    try:
        assert np.array_equal(matmul(x, x), x @ x)
        assert np.array_equal(matmul(big, big), big @ big)
        assert np.allclose(fft(x.astype("complex128")), np.fft.fft2(x))
    except BaseException as error:
        failures.append(repr(error))

threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
"""


def test_u09_sixteen_threads_use_a_library_for_the_first_time():
    processes = int(os.environ.get("MATHWRIGHT_TEST_FRESH_PROCESSES", "5"))
    for _ in range(processes):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr


def test_u11_results_take_their_logical_bytes(on_device):
    z = Z(10**6)[::2]

    y = fft(z, **on_device)

    assert y.nbytes == z.size * z.itemsize
    assert element_strides(y) == (1,)
