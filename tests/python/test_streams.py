# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Streams: which ones are taken, and that the work goes to them."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import assert_close, random_array
from mathwright import errors
from mathwright.fft import FFT, fft
from mathwright.linalg import Matmul, matmul

# ------------------------------------------------------------------ streams


@pytest.mark.parametrize("stream", [None, 0, 1, 2, 1 << 40])
def test_streams_are_ignored_on_the_cpu(stream, device):
    if device != "cpu":
        pytest.skip("a made-up handle is no stream of a device")
    a = np.ones((2, 2))

    product = Matmul(a, a, stream=stream)
    product.plan(stream=stream)

    assert product.execute(stream=stream)[0, 0] == 2
    assert matmul(a, a, stream=stream)[0, 0] == 2


def test_stream_objects_of_the_protocol_are_taken_and_others_refused(device):
    class Protocol:
        def __cuda_stream__(self):
            return (0, 0)

    a = np.ones((2, 2))

    assert matmul(a, a, stream=Protocol())[0, 0] == 2
    for stream in ("0", 1.5, True, object()):
        with pytest.raises(TypeError, match="stream"):
            matmul(a, a, stream=stream)


def test_a_stream_of_another_array_package_is_refused():
    foreign = type("Stream", (), {"__module__": "torch.cuda", "cuda_stream": 0})()

    with pytest.raises(TypeError, match="stream is of package torch"):
        matmul(np.ones((2, 2)), np.ones((2, 2)), stream=foreign)


# ------------------------------------------------------------------ on a device


def stream_of(xp):
    """A new stream of the package, and its handle."""
    if xp.name == "torch":
        import torch

        stream = torch.cuda.Stream()
        return stream, stream.cuda_stream
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    return stream, stream.ptr


@pytest.fixture
def device_package(xp):
    if xp.device != "cuda":
        pytest.skip("operands in device memory are wanted (MATHWRIGHT_TEST_DEVICE=cuda)")
    return xp


@pytest.mark.parametrize("by_handle", [False, True])
def test_work_goes_to_the_stream_that_is_named(device_package, rng, by_handle):
    xp = device_package
    a = random_array(rng, (300, 300), "float32")
    operand = xp.asarray(a)
    xp.synchronize()
    stream, handle = stream_of(xp)

    d = matmul(operand, operand, stream=handle if by_handle else stream)
    product = Matmul(operand, operand, stream=handle if by_handle else stream)
    product.plan(stream=stream)
    e = product.execute(stream=handle if by_handle else stream)
    stream.synchronize()

    assert_close(xp.to_numpy(d), a @ a, 300)
    assert_close(xp.to_numpy(e), a @ a, 300)


def test_work_goes_to_the_packages_current_stream(device_package, rng):
    xp = device_package
    x = random_array(rng, (64, 64), "complex64")
    operand = xp.asarray(x)
    xp.synchronize()
    stream, _ = stream_of(xp)
    if xp.name == "torch":
        import torch

        scope = torch.cuda.stream(stream)
    else:
        scope = stream

    with scope:
        y = fft(operand + operand)  # the sum is queued on the same stream
    stream.synchronize()

    assert_close(xp.to_numpy(y), np.fft.fft2(2 * x), 64 * 64 * 12)


def test_blocking_waits_for_the_work(device_package, rng):
    xp = device_package
    a = random_array(rng, (2000, 2000), "float32")
    operand = xp.asarray(a)
    xp.synchronize()
    stream, handle = stream_of(xp)

    matmul(operand, operand, stream=stream, options={"blocking": True})

    if xp.name == "torch":
        assert stream.query()
    else:
        assert stream.done


def test_workspace_on_a_device_comes_from_the_callers_allocator(device_package, rng):
    xp = device_package
    if xp.name != "cupy":
        pytest.skip("one package's memory is enough")
    import cupy

    asked = []

    class Manager:
        def memalloc(self, size):
            asked.append(size)
            return cupy.cuda.alloc(size)

    x = random_array(rng, (7, 1009), "complex64")  # a prime length needs scratch memory
    transform = FFT(xp.asarray(x), axes=(1,), options={"allocator": Manager()})
    transform.plan()
    y = transform.execute()

    assert bool(asked) == (transform.workspace_bytes > 0)
    assert sum(asked) >= transform.workspace_bytes
    assert_close(xp.to_numpy(y), np.fft.fft(x, axis=1), 1009 * 10)


def test_copies_to_the_device_are_refused_inside_a_capture(device_package, rng):
    xp = device_package
    if xp.name != "torch":
        pytest.skip("captured with PyTorch's graphs")
    import torch

    a = random_array(rng, (64, 64), "float32")
    x = torch.ones(4, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()

    with torch.cuda.graph(graph):
        x += 1
        stream = torch.cuda.current_stream().cuda_stream
        with pytest.raises(errors.InvalidStateError, match="operands in device memory"):
            matmul(a, a, execution="cuda", stream=stream)
    graph.replay()
    torch.cuda.synchronize()

    assert x.tolist() == [2.0] * 4
