# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Many threads, and processes that fork."""

from __future__ import annotations

import multiprocessing
import sys
import threading

import mathwright as mw
import numpy as np
import pytest
from conftest import DEVICE, assert_close, random_array
from mathwright import errors
from mathwright.fft import FFT, fft
from mathwright.linalg import Matmul, matmul

THREADS = 16


def run_together(work, count=THREADS):
    """work(i) in `count` threads that start at once; the first error is raised here."""
    barrier = threading.Barrier(count)
    failures = []

    def body(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


@pytest.fixture(autouse=True)
def switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_functions_share_plans_between_threads(xp, rng):
    mw.plan_cache.clear()
    a = [random_array(rng, (16, 16), "complex64") for _ in range(THREADS)]
    operands = [xp.asarray(one) for one in a]

    def work(i):
        for _ in range(20):
            assert_close(
                xp.to_numpy(matmul(operands[i], operands[i], **xp.execution)), a[i] @ a[i], 32
            )
            spectrum = fft(operands[i], axes=(1,), **xp.execution)
            assert_close(xp.to_numpy(spectrum), np.fft.fft(a[i], axis=1), 16 * 4)

    run_together(work)

    assert mw.plan_cache.statistics()["count"] <= 4


def test_one_object_serves_many_threads_one_at_a_time(xp, rng):
    a = random_array(rng, (200, 200), "float64")
    product = Matmul(xp.asarray(a), xp.asarray(a), **xp.execution)
    product.plan()
    wanted = a @ a

    def work(_):
        for _ in range(5):
            assert_close(xp.to_numpy(product.execute()), wanted, 200)

    run_together(work)


def test_an_object_freed_while_others_execute_refuses_cleanly(xp, rng):
    a = xp.asarray(random_array(rng, (64, 64), "float64"))
    for _ in range(10):
        product = Matmul(a, a, **xp.execution)
        product.plan()

        def work(i, product=product):
            try:
                for step in range(50):
                    if i == 0 and step == 10:
                        product.free()
                    product.execute()
            except errors.InvalidStateError:
                return

        run_together(work, 4)


def test_objects_planned_at_once_in_many_threads_work(xp, rng):
    x = random_array(rng, (48, 50), "complex128")
    operand = xp.asarray(x)
    wanted = np.fft.fft2(x)

    def work(_):
        mw.plan_cache.clear()
        with FFT(operand, **xp.execution) as transform:
            transform.plan()
            assert_close(xp.to_numpy(transform.execute()), wanted, 2400 * 12)

    run_together(work)


def test_resetting_in_other_threads_gives_one_of_the_operands_whole(rng):
    a = [np.full((8, 8), value) for value in (1.0, 2.0)]
    eye = np.eye(8)
    product = Matmul(a[0], eye)
    product.plan()

    def work(i):
        for step in range(200):
            if i % 2:
                product.reset_operands(a=a[step % 2])
            else:
                d = product.execute()
                assert d.min() == d.max() and d[0, 0] in (1.0, 2.0)

    run_together(work, 8)


def _in_child(queue):
    a = np.ones((256, 256))
    queue.put(float(matmul(a, a)[0, 0]) + float(fft(a.astype("complex128"))[0, 0].real))


@pytest.mark.skipif(DEVICE == "cuda", reason="a CUDA context does not survive fork()")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_compute():
    a = np.ones((256, 256))
    matmul(a, a)
    fft(a.astype("complex128"))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()

    children = [context.Process(target=_in_child, args=(queue,)) for _ in range(2)]
    for child in children:
        child.start()
    answers = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join(timeout=60)

    assert answers == [256 + 256 * 256] * 2


@pytest.mark.skipif(
    not hasattr(sys, "_is_gil_enabled"), reason="this Python has no free-threaded build"
)
def test_importing_keeps_the_gil_off_where_it_is_off():
    import sysconfig

    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this interpreter always has the GIL")
    assert not sys._is_gil_enabled()
