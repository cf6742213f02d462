# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Where operands are, where the work runs, and where the result is (contract rows X-20 to X-24)."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from bounds import assert_product, assert_transform
from conftest import DEVICE, random_array
from mathwright import errors
from mathwright.fft import FFT, ExecutionCPU, ExecutionCUDA, fft
from mathwright.linalg import Matmul, matmul

needs_device = pytest.mark.skipif(DEVICE == "cpu", reason="MATHWRIGHT_TEST_DEVICE is cpu")


def device_of(xp, array):
    if xp.name == "numpy":
        return "cpu"
    return "cuda" if xp.name == "cupy" else array.device.type


def test_x21_work_runs_where_the_operands_are_by_default(xp, rng):
    product = Matmul(*(xp.asarray(random_array(rng, (4, 4), "float32")) for _ in range(2)))
    product.plan()

    assert f"runs on {'cuda' if xp.device == 'cuda' else 'cpu'}" in product.explain()


@pytest.mark.parametrize(
    "execution", ["cpu", {"name": "cpu"}, {"name": "CPU", "num_threads": 1}, ExecutionCPU()]
)
def test_x24_work_on_the_host_whatever_the_operands_memory(xp, rng, execution):
    a, b = random_array(rng, (6, 7), "float64"), random_array(rng, (7, 5), "float64")
    z = random_array(rng, (8, 9), "complex64")

    d = matmul(xp.asarray(a), xp.asarray(b), execution=execution)
    y = fft(xp.asarray(z), execution=execution)

    for result in (d, y):
        assert isinstance(result, xp.array_type)
        assert device_of(xp, result) == xp.device
    assert_product(xp.to_numpy(d), a, b)
    assert_transform(xp.to_numpy(y), np.fft.fft2(z.astype(np.complex128)), z.size)


@needs_device
@pytest.mark.parametrize("execution", ["cuda", {"name": "CUDA", "device_id": 0}, ExecutionCUDA()])
def test_x23_host_operands_on_a_device_give_host_results(rng, execution):
    a, b, c = (random_array(rng, (30, 30), "float64") for _ in range(3))
    z = random_array(rng, (12, 10), "complex64")
    before = [x.copy() for x in (a, b, c, z)]

    d = matmul(a, b, c, beta=2, execution=execution)
    y = fft(z, execution=execution)

    assert type(d) is np.ndarray
    assert_product(d, a, b, c, beta=2)
    assert_transform(y, np.fft.fft2(z.astype(np.complex128)), z.size)
    for now, then in zip((a, b, c, z), before, strict=True):
        assert np.array_equal(now, then)


@needs_device
@pytest.mark.parametrize("layout", ["F", "reversed", "padded", "repeated"])
def test_x23_any_host_layout_crosses(rng, layout):
    base = random_array(rng, (20, 24), "complex128")
    z = {
        "F": np.asfortranarray(base),
        "reversed": base[::-1, ::-1],
        "padded": base[::2, 3:17],
        "repeated": np.broadcast_to(base[:, :1], base.shape),
    }[layout]

    y = fft(z, axes=(0,), execution="cuda")
    d = matmul(z, z.T, execution="cuda")

    assert_transform(y, np.fft.fft(z, axis=0), z.shape[0])
    assert_product(d, z, z.T)


@needs_device
def test_x23_out_and_in_place_cross_and_come_back(rng):
    a, b, c = (random_array(rng, (9, 9), "float64") for _ in range(3))
    z = random_array(rng, (9, 9), "complex64")
    inout, wanted = z.copy(), np.fft.fft2(z.astype(np.complex128))
    out = np.zeros((9, 18))[:, ::2]

    d = matmul(a, b, c, beta=1, out=out, execution="cuda")
    y = fft(inout, options={"inplace": True}, execution="cuda")

    assert d is out
    assert_product(out, a, b, c, beta=1)
    assert y is inout
    assert_transform(inout, wanted, z.size)


@needs_device
def test_x22_device_operands_keep_their_device(xp, rng):
    if xp.device != "cuda":
        pytest.skip("host operands go to the device that is named")
    a = random_array(rng, (5, 5), "float32")

    d = matmul(xp.asarray(a), xp.asarray(a), execution=ExecutionCUDA(device_id=77))

    assert_product(xp.to_numpy(d), a, a)


@needs_device
def test_a_device_that_is_not_there_is_named(rng):
    with pytest.raises(errors.MathwrightError, match="77"):
        matmul(np.ones((2, 2)), np.ones((2, 2)), execution=ExecutionCUDA(device_id=77))


@needs_device
def test_reset_crosses_again(rng):
    a, b = random_array(rng, (9, 9), "float64"), random_array(rng, (9, 9), "float64")
    with Matmul(a, b, execution="cuda") as product:
        product.plan()
        product.execute()
        product.reset_operands(a=b, b=a)

        assert_product(product.execute(), b, a)


@needs_device
def test_explain_lists_the_copies_between_spaces(rng):
    transform = FFT(random_array(rng, (16,), "complex64"), execution="cuda")
    transform.plan()

    page = transform.explain()

    assert "operands in cpu, runs on cuda:0" in page
    assert "to cuda:0" in page
    assert "from cuda:0" in page


NO_DEVICE = """
import numpy as np
from mathwright import errors
from mathwright.fft import fft
from mathwright.linalg import Matmul, matmul

x = np.ones((4, 4), "complex64")
for call in (lambda: matmul(x, x, execution="cuda"), lambda: fft(x, execution="cuda"),
             lambda: Matmul(x, x, execution={"name": "cuda"})):
    try:
        call()
    except errors.NotFoundError as error:
        assert isinstance(error, RuntimeError)
        print(str(error).replace(chr(10), " "))
    else:
        raise SystemExit("no error")
assert np.array_equal(matmul(x, x), x @ x)
"""


def test_a_cuda_request_without_a_device_says_where_it_looked(tmp_path):
    # No driver can be found in this process, whatever the machine has.
    done = subprocess.run(
        [sys.executable, "-c", NO_DEVICE],
        env=without_cuda(),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()
    assert len(lines) == 3
    for line in lines:
        assert "cuda" in line.lower()
        assert any(word in line for word in ("libcuda", "driver", "device")), line


def without_cuda():
    import os

    env = {
        k: v
        for k, v in os.environ.items()
        if k not in ("CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH")
    }
    return {**env, "CUDA_VISIBLE_DEVICES": "-1"}
