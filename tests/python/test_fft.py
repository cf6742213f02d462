# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Transforms against np.fft: lengths, axes, layouts, parity, in place, out, result layout."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from bounds import assert_transform
from conftest import DEVICE, random_array
from layouts import assert_c_order, element_strides, memory_for, place, strided
from mathwright.fft import FFT, FFTDirection, FFTOptions, fft, ifft, irfft, rfft

COMPLEX = ["complex64", "complex128"]
REAL = ["float32", "float64"]
LENGTHS = [
    *range(1, 34), 36, 48, 49, 60, 64, 97, 100, 101, 121, 128, 169, 210, 243, 256, 257, 263, 500, 512,
    625, 1000, 1009, 1024, 2048, 2187, 4099, 8192, 10007,
]  # fmt: skip
AXES = [
    ((7,), (0,)),
    ((6, 5), (0,)),
    ((6, 5), (1,)),
    ((6, 5), (0, 1)),
    ((6, 5), (1, 0)),
    ((6, 5), (-1,)),
    ((4, 3, 5), (0, 2)),
    ((4, 3, 5), (2, 0)),
    ((4, 3, 5), (1,)),
    ((4, 3, 5), None),
    ((2, 3, 4, 5), (1, 2)),
    ((2, 3, 4, 5), (3, 1, 0)),
    ((2, 3, 4, 5), None),
    ((2, 1, 3, 1, 2, 1, 4), (1, 2, 6)),
]


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def points(shape, axes):
    chosen = range(len(shape)) if axes is None else axes
    return math.prod(shape[axis] for axis in chosen)


def every_axis(x, axes):
    return tuple(range(x.ndim)) if axes is None else tuple(axes)


def oracle_fft(x, axes=None):
    return np.fft.fftn(wide(x), axes=every_axis(x, axes))


def oracle_ifft(x, axes=None):
    return np.fft.ifftn(wide(x), axes=every_axis(x, axes), norm="forward")


def oracle_rfft(x, axes=None):
    return np.fft.rfftn(wide(x), axes=every_axis(x, axes))


def oracle_irfft(x, axes=None, odd=False):
    axes = every_axis(x, axes)
    extents = [x.shape[axis] for axis in axes]
    extents[-1] = 2 * extents[-1] - 1 if odd else 2 * (extents[-1] - 1)
    return np.fft.irfftn(wide(x), s=extents, axes=axes, norm="forward")


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", LENGTHS)
def test_complex_lengths(rng, on_device, dtype, n):
    x = random_array(rng, (3, n), dtype)

    forward = fft(x, axes=(1,), **on_device)
    inverse = ifft(x, axes=(1,), **on_device)

    assert forward.dtype == inverse.dtype == x.dtype
    assert_transform(forward, oracle_fft(x, (1,)), n)
    assert_transform(inverse, oracle_ifft(x, (1,)), n)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", LENGTHS)
def test_real_lengths_there_and_back(rng, on_device, dtype, n):
    x = random_array(rng, (3, n), dtype)
    options = FFTOptions(last_axis_parity="odd" if n % 2 else "even")

    spectrum = rfft(x, axes=(1,), **on_device)
    before = spectrum.copy()
    back = irfft(spectrum, axes=(1,), options=options, **on_device)

    assert spectrum.shape == (3, n // 2 + 1)
    assert_transform(spectrum, oracle_rfft(x, (1,)), n)
    assert back.dtype == x.dtype
    assert_transform(back, wide(x) * n, n)
    assert np.array_equal(spectrum, before)


@pytest.mark.parametrize(("shape", "axes"), AXES, ids=str)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_axes(xp, rng, dtype, shape, axes):
    x = random_array(rng, shape, dtype)

    y = fft(xp.asarray(x), axes=axes, **xp.execution)
    z = ifft(xp.asarray(x), axes=axes, **xp.execution)

    assert isinstance(y, xp.array_type)
    assert_transform(xp.to_numpy(y), oracle_fft(x, axes), points(shape, axes))
    assert_transform(xp.to_numpy(z), oracle_ifft(x, axes), points(shape, axes))
    assert_c_order(y)


@pytest.mark.parametrize(("shape", "axes"), AXES, ids=str)
@pytest.mark.parametrize("dtype", REAL)
def test_real_axes_halve_the_last_listed_one(xp, rng, dtype, shape, axes):
    x = random_array(rng, shape, dtype)

    y = rfft(xp.asarray(x), axes=axes, **xp.execution)

    assert_transform(xp.to_numpy(y), oracle_rfft(x, axes), points(shape, axes))
    assert_c_order(y)


@pytest.mark.parametrize(("shape", "axes"), AXES, ids=str)
@pytest.mark.parametrize("parity", ["even", "odd"])
def test_inverse_of_real_takes_half_a_spectrum(xp, rng, shape, axes, parity):
    z = random_array(rng, shape, "complex128")
    last = shape[-1 if axes is None else axes[-1]]
    if last == 1 and parity == "even":
        pytest.skip("an even length of zero is an error")

    y = irfft(xp.asarray(z), axes=axes, options={"last_axis_parity": parity}, **xp.execution)

    wanted = oracle_irfft(z, axes, parity == "odd")
    assert_transform(xp.to_numpy(y), wanted, 2 * points(shape, axes))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(9,), (6, 7), (3, 4, 5), (2, 3, 2, 6)], ids=str)
def test_inverse_of_real_repeated_gives_the_same_and_keeps_its_operand(xp, rng, dtype, shape):
    z = random_array(rng, shape, dtype)
    operand = xp.asarray(z.copy())
    transform = FFT(operand, options={"fft_type": "C2R"}, **xp.execution)
    transform.plan()

    results = [xp.to_numpy(transform.execute()).copy() for _ in range(4)]

    for result in results[1:]:
        assert np.array_equal(results[0], result)
    assert np.array_equal(xp.to_numpy(operand), z)
    assert_transform(results[0], oracle_irfft(z), 2 * z.size)


LAYOUTS = {
    "F order": np.asfortranarray,
    "every other": lambda x: np.repeat(np.repeat(x, 2, -1), 2, 0)[::2, ..., ::2],
    "reversed": lambda x: x[::-1, ..., ::-1].copy()[::-1, ..., ::-1],
    "rotated axes": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0),
    "padded": lambda x: np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 3)])[..., : x.shape[-1]],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "repeated points": lambda x: np.broadcast_to(x[..., :1], x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((6, 5), (0,)), ((6, 5), (1,)), ((4, 3, 8), (0, 2)), ((4, 3, 8), (1,)), ((4, 3, 8), None)],
    ids=str,
)
@pytest.mark.parametrize("function", ["fft", "rfft", "irfft"])
def test_operands_of_any_layout(xp, rng, layout, shape, axes, function):
    dtype = "float64" if function == "rfft" else "complex128"
    x = LAYOUTS[layout](random_array(rng, shape, dtype))
    before = x.copy()
    call = {"fft": fft, "rfft": rfft, "irfft": irfft}[function]
    oracle = {"fft": oracle_fft, "rfft": oracle_rfft, "irfft": oracle_irfft}[function]

    y = call(place(xp, x), axes=axes, **xp.execution)

    assert_transform(xp.to_numpy(y), oracle(x, axes), 2 * points(shape, axes))
    assert_c_order(y)
    assert np.array_equal(x, before)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1), (1, 0)], ids=str)
def test_in_place_writes_the_operand_and_returns_it(xp, rng, dtype, order, axes):
    x = np.asarray(random_array(rng, (12, 10), dtype), order=order)
    operand = place(xp, x.copy(order="K"))

    y = fft(operand, axes=axes, options={"inplace": True}, **xp.execution)

    assert y is operand
    assert_transform(xp.to_numpy(operand), oracle_fft(x, axes), points(x.shape, axes))


def test_in_place_on_a_strided_operand_leaves_the_gaps_alone(rng, on_device):
    memory = np.full(200, 7 + 7j)
    operand = strided(memory, (5, 6), (38, 3), writeable=True)
    x = random_array(rng, (5, 6), "complex128")
    operand[...] = x

    fft(operand, options=FFTOptions(inplace=True), **on_device)

    assert_transform(operand, oracle_fft(x), 30)
    touched = np.zeros(200, bool)
    strided(touched, (5, 6), (38, 3), writeable=True)[...] = True
    assert (memory[~touched] == 7 + 7j).all()


@pytest.mark.parametrize("function", ["fft", "rfft", "irfft"])
@pytest.mark.parametrize("strides", [(20, 1), (1, 20), (50, 3), (-20, 1), (2, 90)], ids=str)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)], ids=str)
def test_out_of_any_one_to_one_layout(xp, rng, function, strides, axes):
    if xp.name == "torch" and min(strides) < 0:
        pytest.skip("PyTorch has no negative strides")
    x = random_array(rng, (8, 9), "float32" if function == "rfft" else "complex64")
    call = {"fft": fft, "rfft": rfft, "irfft": irfft}[function]
    wanted = {"fft": oracle_fft, "rfft": oracle_rfft, "irfft": oracle_irfft}[function](x, axes)
    dtype = "float32" if function == "irfft" else "complex64"
    out = place(
        xp, strided(memory_for(rng, wanted.shape, strides, dtype), wanted.shape, strides, True)
    )

    y = call(xp.asarray(x), axes=axes, out=out, **xp.execution)

    assert y is out
    assert_transform(xp.to_numpy(out), wanted, 2 * points(x.shape, axes))


def test_natural_results_are_in_c_order_and_optimized_ones_follow_the_operand(xp, rng):
    x = np.asfortranarray(random_array(rng, (4, 5, 6), "complex64"))
    operand = place(xp, x)

    natural = fft(operand, axes=(0,), options={"result_layout": "natural"}, **xp.execution)
    optimized = fft(operand, axes=(0,), options={"result_layout": "optimized"}, **xp.execution)

    assert_c_order(natural)
    assert element_strides(optimized) == element_strides(operand)
    for seen in (natural, optimized):
        assert_transform(xp.to_numpy(seen), oracle_fft(x, (0,)), 4)


def test_the_object_transforms_both_ways(xp, rng):
    x = random_array(rng, (6, 8), "complex128")
    other = random_array(rng, (6, 8), "complex128")

    with FFT(xp.asarray(x), axes=(1,), **xp.execution) as transform:
        transform.plan()
        default = transform.execute()
        inverse = transform.execute(direction=FFTDirection.INVERSE)
        transform.reset_operand(xp.asarray(other))
        word = transform.execute("forward")
        number = transform.execute(1)

        assert_transform(xp.to_numpy(default), oracle_fft(x, (1,)), 8)
        assert_transform(xp.to_numpy(inverse), oracle_ifft(x, (1,)), 8)
        assert_transform(xp.to_numpy(word), oracle_fft(other, (1,)), 8)
        assert_transform(xp.to_numpy(number), oracle_ifft(other, (1,)), 8)


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_a_plan_for_one_direction_makes_that_one(xp, rng, direction):
    x = random_array(rng, (30,), "complex64")
    transform = FFT(xp.asarray(x), **xp.execution)
    transform.plan(direction=direction)

    y = transform.execute(direction)

    oracle = oracle_fft if direction == "forward" else oracle_ifft
    assert_transform(xp.to_numpy(y), oracle(x), 30)


def test_a_direction_the_type_does_not_have_is_refused(xp, rng):
    real = FFT(xp.asarray(random_array(rng, (8,), "float32")), **xp.execution)
    real.plan()
    with pytest.raises(ValueError, match="inverse"):
        real.execute(FFTDirection.INVERSE)

    half = FFT(
        xp.asarray(random_array(rng, (8,), "complex64")),
        options={"fft_type": "C2R"},
        **xp.execution,
    )
    with pytest.raises(ValueError, match="forward"):
        half.plan(direction="forward")


def test_results_of_two_executions_are_different_memory(xp, rng):
    x = random_array(rng, (16,), "complex64")
    transform = FFT(xp.asarray(x), **xp.execution)
    transform.plan()

    first = transform.execute()
    transform.reset_operand(xp.asarray(np.zeros_like(x)))
    transform.execute()

    assert_transform(xp.to_numpy(first), oracle_fft(x), 16)


def test_imaginary_parts_that_must_be_real_are_ignored(xp, rng):
    z = random_array(rng, (3, 5), "complex128")
    real_ends = z.copy()
    real_ends[:, [0, -1]] = real_ends[:, [0, -1]].real

    seen = irfft(xp.asarray(z), axes=(1,), **xp.execution)
    wanted = irfft(xp.asarray(real_ends), axes=(1,), **xp.execution)

    assert np.array_equal(xp.to_numpy(seen), xp.to_numpy(wanted))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(rng, threads):
    x = random_array(rng, (40, 50, 20), "complex64")

    for axes in itertools.chain(itertools.combinations(range(3), 1), [(0, 1, 2)]):
        y = fft(x, axes=axes, execution={"name": "cpu", "num_threads": threads})
        assert_transform(y, oracle_fft(x, axes), points(x.shape, axes))


def test_keys_tell_plans_apart(rng):
    x = random_array(rng, (4, 6), "complex64")
    keys = [
        FFT.create_key(x),
        FFT.create_key(x, axes=(0,)),
        FFT.create_key(x.astype("complex128")),
        FFT.create_key(np.asfortranarray(x)),
        FFT.create_key(x[:, ::2]),
        FFT.create_key(x, options={"fft_type": "C2R"}),
        FFT.create_key(x, options={"inplace": True}),
        FFT.create_key(x, execution={"name": "cpu", "num_threads": 1}),
    ]

    assert len(set(keys)) == len(keys)
    assert keys[0] == FFT.create_key(x.copy())
    assert keys[1] == FFT.create_key(x, axes=[-2])


@pytest.mark.skipif(DEVICE == "cpu", reason="half precision is computed on a CUDA device only")
@pytest.mark.parametrize("n", [8, 64, 256])
def test_half_precision_on_a_device(xp, rng, n):
    x = random_array(rng, (4, n), "float16")

    y = rfft(xp.asarray(x), axes=(1,), **xp.execution) if xp.name == "torch" else None
    if y is None:
        pytest.skip("only PyTorch has complex32")

    seen = xp.to_numpy(y.to(__import__("torch").complex64))
    error = np.abs(seen - oracle_rfft(x, (1,)))
    assert error.max() <= 2e-3 * np.abs(oracle_rfft(x, (1,))).max()
