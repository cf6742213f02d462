# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What users of such libraries ran into with products, one test per report."""

from __future__ import annotations

import ctypes
import platform

import numpy as np
import pytest
from bounds import assert_product
from layouts import misaligned
from mathwright.linalg import matmul
from numpy.lib.stride_tricks import as_strided
from reports import R, Z, check_product, needs_device


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
@pytest.mark.parametrize(
    "shifts", [(1, 0, 0, 0), (0, 3, 0, 0), (0, 0, 7, 0), (0, 0, 0, 1), (1, 3, 7, 5)]
)
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
@pytest.mark.parametrize(
    ("m", "n"), [(1, 1), (1, 70), (70, 1), (3, 5), (33, 17), (70, 70)], ids=str
)
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
    flags = {"x86_64": 1 | 4 | 8, "aarch64": 1 | 2 | 4}.get(platform.machine())
    if flags is None:
        pytest.skip("the bits of invalid, divide and overflow are not known here")
    libm = ctypes.CDLL("libm.so.6")
    for n in range(1, 34):
        a = R(n, n)
        libm.feclearexcept(flags)
        matmul(a, a, execution={"name": "cpu", "num_threads": 1})
        assert libm.fetestexcept(flags) == 0, n
