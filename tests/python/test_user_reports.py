# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""What users of such libraries ran into, one test per report: D interchange of arrays, U use. Those of
transforms (F) and products (M) have files of their own."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import weakref

import mathwright as mw
import numpy as np
import pytest
from bounds import assert_product, assert_transform
from layouts import element_strides, place
from mathwright.fft import FFT, fft, ifft, rfft
from mathwright.linalg import Matmul, matmul
from reports import R, Z, check_fft, check_irfft, check_product, needs_device, wide

# ---- interchange --------------------------------------------------------------------------------


class Exporter:
    """An array that can be read through DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@needs_device
def test_d05_pinned_memory_may_be_overwritten_right_after_the_call(xp):
    if xp.name != "torch":
        pytest.skip("pinned tensors are PyTorch's")
    import torch

    a = torch.ones(256, 256, dtype=torch.float64).pin_memory()
    eye = torch.eye(256, dtype=torch.float64)
    for i in range(200):
        a.fill_(i)
        d = matmul(a, eye, execution="cuda")
        a.fill_(-1)
        assert bool((d == i).all()), i


def test_d01_unit_axes_through_dlpack(xp):
    if xp.name == "numpy":
        pytest.skip("of another package")
    z = Z(1, 77, dtype="complex64")
    x = xp.asarray(z)

    assert_transform(xp.to_numpy(fft(x, axes=(1,), **xp.execution)), np.fft.fft(wide(z)), 77)
    assert FFT.create_key(x, axes=(1,)) == FFT.create_key(
        x.clone() if xp.name == "torch" else x.copy(), axes=(1,)
    )


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
            [sys.executable, "-c", FIRST_USE],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr


def test_u11_results_take_their_logical_bytes(on_device):
    z = Z(10**6)[::2]

    y = fft(z, **on_device)

    assert y.nbytes == z.size * z.itemsize
    assert element_strides(y) == (1,)
