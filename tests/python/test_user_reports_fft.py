# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What users of such libraries ran into with transforms, one test per report. Each guards against the
fault that its name or comment tells."""

from __future__ import annotations

import threading

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_product, assert_transform
from layouts import assert_c_order, misaligned, place
from mathwright import errors
from mathwright.fft import FFT, fft, irfft, rfft
from mathwright.linalg import matmul
from numpy.lib.stride_tricks import as_strided
from reports import R, Z, check_fft, check_irfft, needs_device, wide


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


@needs_device
def test_f19_a_planned_execution_may_be_captured(xp):
    if xp.name != "torch":
        pytest.skip("captured with PyTorch's graphs")
    import torch

    x = torch.ones(131, dtype=torch.complex128, device="cuda")
    out = torch.empty_like(x)
    transform = FFT(x, out=out)
    transform.plan()
    transform.execute()  # warms up
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        transform.execute()

    for _ in range(2):
        z = Z(131)
        x.copy_(torch.from_numpy(z))
        graph.replay()
        torch.cuda.synchronize()
        assert_transform(xp.to_numpy(out), np.fft.fft(z), 131)


@needs_device
def test_f21_one_plan_on_two_streams(xp):
    if xp.name != "cupy":
        pytest.skip("with CuPy's streams")
    import cupy

    z = Z(1024, 1024, dtype="complex64")
    wanted = np.fft.fft2(wide(z))
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    operands = [cupy.asarray(z), cupy.asarray(2 * z)]
    cupy.cuda.Device().synchronize()
    transforms = [FFT(x) for x in operands]
    for transform in transforms:
        transform.plan()

    results = [None, None]
    for _ in range(100):
        for i in range(2):
            with streams[i]:
                results[i] = transforms[i].execute(stream=streams[i])
    cupy.cuda.Device().synchronize()

    for i in range(2):
        assert_transform(cupy.asnumpy(results[i]), (i + 1) * wanted, z.size)


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
    bases = [
        Z(4, 6),
        Z(4, 6, dtype="complex64"),
        np.asfortranarray(Z(4, 6)),
        Z(8, 6)[::2],
        Z(4, 12)[:, ::2],
    ]
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
        xp.asarray(z),
        axes=(1,),
        options={"last_axis_parity": "odd" if odd else "even"},
        **xp.execution,
    )

    assert_transform(xp.to_numpy(seen), wanted, 15)
