# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Transforms with functions at their ends, lengths, norms and factors, beside NumPy."""

from __future__ import annotations

import mathwright as mw
import numpy as np
import pytest
from mathwright.fft import FFT, estimate_workspace_size, fft, ifft, irfft, rfft


def close(seen, wanted, narrow=True):
    """Within the rounding of a transform in single (or double) precision."""
    seen, wanted = np.asarray(seen), np.asarray(wanted)
    assert seen.shape == wanted.shape
    size = np.linalg.norm(wanted.ravel())
    bound = 2e-6 if narrow else 2e-14
    assert np.linalg.norm((seen - wanted).ravel()) <= bound * max(size, 1e-30)


def power(z):
    return z.real**2 + z.imag**2


def samples(rng, shape, dtype):
    if np.dtype(dtype).kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if np.dtype(dtype).kind == "i":
        return rng.integers(-99, 99, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["int16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((64,), (0,)), ((7, 12), (1,)), ((12, 7), (0,)), ((3, 8, 5), (0, 2)), ((50, 9, 16), (2, 1))],
)
def test_a_window_before_and_a_power_spectrum_after(xp, rng, shape, axes, dtype):
    x = samples(rng, shape, dtype)
    window = rng.standard_normal(shape[-1]).astype("float32")
    x_there, window_there = xp.asarray(x), xp.asarray(window)

    seen = fft(
        x_there,
        axes=axes,
        prolog=lambda x, w: x * w,
        prolog_inputs={"w": window_there},
        epilog=power,
        **xp.execution,
    )

    close(xp.to_numpy(seen), power(np.fft.fftn(x * window, axes=axes)), dtype != "complex128")


@pytest.mark.parametrize("shape", [(40, 33), (2, 3, 30), (257,)])
def test_reductions_come_with_the_transform(xp, rng, shape):
    x = samples(rng, shape, "float64")

    spectrum, more = rfft(
        xp.asarray(x),
        axes=(len(shape) - 1,),
        prolog=lambda x: {"result": x, "peak": mw.max(mw.abs(x))},
        epilog=lambda z: {"result": z, "energy": mw.sum(power(z), axis=-1)},
        **xp.execution,
    )

    wanted = np.fft.rfft(x)
    close(xp.to_numpy(spectrum), wanted, narrow=False)
    close(xp.to_numpy(more["energy"]), power(wanted).sum(-1), narrow=False)
    assert float(xp.to_numpy(more["peak"])) == np.abs(x).max()


def test_the_result_may_be_a_reduction(xp, rng):
    x = samples(rng, (5, 32), "complex64")

    seen = fft(xp.asarray(x), axes=(1,), epilog=lambda z: mw.sum(power(z), axis=-1), **xp.execution)

    close(xp.to_numpy(seen), power(np.fft.fft(x)).sum(1))


def test_functions_see_indices_in_the_arrays_own_coordinates(xp, rng):
    x = samples(rng, (9, 14), "complex128")
    rows, columns = np.indices(x.shape)

    seen = fft(
        xp.asarray(x),
        axes=(0,),
        prolog=lambda x, i: x * (1 + i[0]),
        epilog=lambda z, i: z * (2 + i[1]) - i[0],
        **xp.execution,
    )

    wanted = np.fft.fft(x * (1 + rows), axis=0) * (2 + columns) - rows
    close(xp.to_numpy(seen), wanted, narrow=False)


@pytest.mark.parametrize("n", [1, 5, 12, 13, 20, 64])
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_lengths_and_norms_are_numpys(xp, rng, n, norm):
    z, x = samples(rng, (4, 12), "complex128"), samples(rng, (4, 12), "float64")
    forward = {"axes": (1,), "n": n, "norm": norm, **xp.execution}
    named = norm or "backward"
    undo = n if norm is None else 1

    close(xp.to_numpy(fft(xp.asarray(z), **forward)), np.fft.fft(z, n, norm=named), False)
    close(xp.to_numpy(rfft(xp.asarray(x), **forward)), np.fft.rfft(x, n, norm=named), False)
    close(xp.to_numpy(ifft(xp.asarray(z), **forward)), undo * np.fft.ifft(z, n, norm=named), False)
    close(
        xp.to_numpy(irfft(xp.asarray(z), **forward)), undo * np.fft.irfft(z, n, norm=named), False
    )


def test_lengths_of_several_axes_crop_one_and_pad_another(xp, rng):
    x = samples(rng, (6, 10, 5), "complex64")

    seen = fft(xp.asarray(x), axes=(0, 2), s=(9, 4), scale=0.5, **xp.execution)

    close(xp.to_numpy(seen), 0.5 * np.fft.fftn(x, (9, 4), axes=(0, 2)))


def test_padding_comes_after_the_prolog(xp, rng):
    x = samples(rng, (3, 6), "float32")

    seen = rfft(xp.asarray(x), axes=(1,), n=10, prolog=lambda x: x + 1, **xp.execution)

    close(xp.to_numpy(seen), np.fft.rfft(x + 1, 10))


@pytest.mark.parametrize("view", ["reversed", "transposed", "sliced", "repeated", "offset"])
def test_any_layout(rng, view):
    base = samples(rng, (12, 20), "complex64")
    x = {
        "reversed": base[::-1, ::-1],
        "transposed": base.T,
        "sliced": base[::2, 1::3],
        "repeated": np.broadcast_to(base[:1], (30, 20)),
        "offset": base.ravel()[1:201].reshape(10, 20),
    }[view]
    weights = rng.standard_normal((x.shape[0], 1))[::-1]

    seen = fft(x, axes=(1,), prolog=lambda x, w: x * w, prolog_inputs={"w": weights}, epilog=power)

    close(seen, power(np.fft.fft(x * weights)))


def test_out_takes_the_epilogs_result_in_its_own_dtype(xp, rng):
    x = samples(rng, (8, 16), "complex64")
    out = xp.asarray(np.zeros((8, 16), "float16"))

    seen = fft(xp.asarray(x), axes=(1,), epilog=mw.abs, out=out, **xp.execution)

    assert seen is out
    assert np.allclose(xp.to_numpy(seen), np.abs(np.fft.fft(x)), rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("shape", [(300,), (40, 64), (8, 8, 8)])
def test_in_place_with_functions(xp, rng, shape):
    x = samples(rng, shape, "complex128")
    there = xp.asarray(x.copy())

    seen = fft(
        there,
        options={"inplace": True},
        prolog=lambda x: 2 * x,
        epilog=mw.conj,
        **xp.execution,
    )

    assert seen is there
    close(xp.to_numpy(there), np.conj(np.fft.fftn(2 * x)), narrow=False)


def test_a_planned_transform_takes_other_inputs_and_numbers(xp, rng):
    x, w = samples(rng, (6, 32), "float32"), samples(rng, (32,), "float32")
    transform = FFT(xp.asarray(x), axes=(1,), **xp.execution)
    transform.plan(
        prolog=lambda x, w, gain: x * w * gain,
        prolog_inputs={"w": xp.asarray(w), "gain": 2.0},
        epilog=lambda z, floor: mw.maximum(power(z), floor),
        epilog_inputs={"floor": 0.0},
    )

    first = xp.to_numpy(transform.execute())
    transform.reset_operand(prolog_inputs={"gain": 1.0}, epilog_inputs={"floor": 3.0})
    second = xp.to_numpy(transform.execute())
    transform.reset_operand(xp.asarray(2 * x), prolog_inputs={"w": xp.asarray(w + 1)})
    third = xp.to_numpy(transform.execute())

    close(first, power(np.fft.rfft(2 * x * w)))
    close(second, np.maximum(power(np.fft.rfft(x * w)), 3))
    close(third, np.maximum(power(np.fft.rfft(2 * x * (w + 1))), 3))


def test_both_directions_of_a_normalised_plan(rng):
    x = samples(rng, (4, 15), "complex128")
    with FFT(x, axes=(1,), norm="backward") as transform:
        transform.plan()
        there = transform.execute("forward")
        transform.reset_operand(there)
        back = transform.execute("inverse")

    close(there, np.fft.fft(x), narrow=False)
    close(back, x, narrow=False)


def test_another_plan_of_the_same_object_has_other_functions(rng):
    x = samples(rng, (4, 16), "complex64")
    transform = FFT(x, axes=(1,))
    transform.plan()
    plain = transform.execute()
    transform.plan(epilog=power)

    close(plain, np.fft.fft(x))
    close(transform.execute(), power(np.fft.fft(x)))


def test_half_precision_on_the_cpu(rng):
    x = samples(rng, (5, 60), "float16")

    spectrum = rfft(x, axes=(1,))

    assert spectrum.dtype == np.complex64  # NumPy has no complex32
    close(spectrum, np.fft.rfft(x.astype("float32")))


def test_half_precision_of_pytorch_on_the_cpu(rng):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = samples(rng, (5, 60), "float32")

    half = rfft(torch.from_numpy(x).half(), axes=(1,))
    brain = rfft(torch.from_numpy(x).bfloat16(), axes=(1,))

    assert half.dtype == torch.complex32
    assert brain.dtype == torch.complex64
    wanted = np.fft.rfft(torch.from_numpy(x).bfloat16().float().numpy())
    close(brain.numpy(), wanted)


def test_functions_of_nothing_have_results_too():
    empty = np.zeros((0, 8), "complex64")

    spectrum, more = fft(empty, axes=(1,), epilog=lambda z: {"result": z, "sum": mw.sum(power(z))})

    assert spectrum.shape == (0, 8)
    assert more["sum"] == 0


def test_not_a_number_stays_in_its_own_line(rng):
    x = samples(rng, (6, 16), "complex64")
    x[2, 3] = np.nan

    seen = fft(x, axes=(1,), prolog=lambda x: x * 2, epilog=power)

    assert np.isnan(seen[2]).all()
    assert np.isfinite(np.delete(seen, 2, 0)).all()


def test_keys_tell_functions_and_lengths_apart(rng):
    x = samples(rng, (4, 16), "complex64")
    cases = [
        {},
        {"n": 20},
        {"norm": "ortho"},
        {"prolog": lambda x: 2 * x},
        {"prolog": lambda x: 3 * x},
        {"epilog": lambda x: 2 * x},
        {"epilog": power},
    ]
    keys = [FFT.create_key(x, axes=(1,), **case) for case in cases]
    transform = FFT(x, axes=(1,))
    transform.plan(epilog=power)

    assert len(set(keys)) == len(keys)
    assert transform.get_key() == keys[-1]
    assert all(estimate_workspace_size(key) >= 0 for key in keys)


def test_explain_shows_the_functions_and_where_they_run(rng):
    transform = FFT(samples(rng, (2000, 64), "complex64"), axes=(1,))
    transform.plan(prolog=lambda x: 2 * x, epilog=power)

    words = transform.explain()

    assert "a prolog, an epilog" in words
    assert "boxes" in words


def test_autotune_keeps_the_result(rng):
    x = samples(rng, (64, 128), "complex64")
    transform = FFT(x, axes=(1,))
    transform.plan(epilog=power)
    before = transform.execute()

    transform.autotune(seconds=0.05)

    close(transform.execute(), before)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"prolog": lambda x, w: x * w}, ValueError, "prolog: no input is given for parameter 'w'"),
        (
            {"prolog": lambda x, w: x * w, "prolog_inputs": {"v": np.ones(8)}},
            ValueError,
            "unknown input 'v'",
        ),
        (
            {"prolog": lambda x, w: x * w, "prolog_inputs": {"w": np.ones(5)}},
            ValueError,
            r"operand w has shape \(5,\), which does not broadcast to \(3, 8\)",
        ),
        (
            {"epilog": lambda x, w: x * w, "epilog_inputs": {"w": np.ones((2, 3, 8))}},
            ValueError,
            "operand w has shape",
        ),
        ({"prolog_inputs": {"w": np.ones(8)}}, ValueError, "without a function; pass prolog="),
        ({"epilog_inputs": {"w": np.ones(8)}}, ValueError, "without a function; pass epilog="),
        ({"prolog": mw.sum}, ValueError, "nothing to transform"),
        ({"epilog": lambda z: {"power": power(z)}}, ValueError, "no output .* named 'result'"),
        ({"epilog": lambda z: z if z.real > 0 else 0}, TypeError, "branch on a value"),
        ({"prolog": 3}, TypeError, "prolog: 3, int; a function"),
        (
            {"prolog_inputs": [1], "prolog": lambda x: x},
            TypeError,
            "prolog_inputs are of type list",
        ),
        (
            {
                "prolog": lambda x: {"result": x, "a": x},
                "epilog": lambda z: {"result": z, "a": z},
            },
            ValueError,
            "both have an output 'a'",
        ),
        ({"n": 0}, ValueError, "lengths .* at least 1"),
        ({"s": (8, 8, 8)}, ValueError, "one for each axis"),
        ({"n": 8, "s": (8,)}, ValueError, "n and s are both given"),
        ({"n": "8"}, ValueError, "lengths"),
        ({"norm": "none"}, ValueError, "norm is 'none'"),
        ({"scale": float("nan")}, ValueError, "scale"),
        ({"scale": 1j}, ValueError, "scale"),
    ],
)
def test_bad_functions_and_lengths_are_named(arguments, error, words):
    with pytest.raises(error, match=words):
        fft(np.ones((3, 8), "complex64"), axes=(1,), **arguments)


def test_a_refused_reset_leaves_the_object_as_it_was(rng):
    x = samples(rng, (3, 8), "float32")
    w = np.ones(8, "float32")
    transform = FFT(x, axes=(1,))
    transform.plan(prolog=lambda x, w, a: x * w * a, prolog_inputs={"w": w, "a": 1.0})
    before = transform.execute()

    for inputs in (
        {"w": np.ones(9, "float32")},
        {"b": 1.0},
        {"w": w.astype("float64")},
        {"a": "x"},
    ):
        with pytest.raises((TypeError, ValueError)):
            transform.reset_operand(prolog_inputs=inputs)

    assert np.array_equal(transform.execute(), before)


@pytest.fixture
def callbacks_only(device):
    """On a device, cuFFT with the functions inside, or nothing."""
    if device != "cuda":
        pytest.skip("callbacks are cuFFT's: MATHWRIGHT_TEST_DEVICE is cpu")
    mw._core.set_candidates(["cufft_callbacks"])
    yield
    mw._core.set_candidates([])


CALLBACK_CASES = {
    "window of each line": ((6, 64), {"prolog": lambda x, w: x * w, "prolog_inputs": {"w": (64,)}}),
    "weight of each line": (
        (6, 64),
        {"prolog": lambda x, w: x * w, "prolog_inputs": {"w": (6, 1)}},
    ),
    "filter of the spectrum": (
        (5, 100),
        {"epilog": lambda x, f: x * f, "epilog_inputs": {"f": (5, 100)}},
    ),
    "both": (
        (4, 90),
        {
            "prolog": lambda x, w: x * w,
            "prolog_inputs": {"w": (90,)},
            "epilog": lambda x, f: x * f,
            "epilog_inputs": {"f": (4, 1)},
        },
    ),
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("case", CALLBACK_CASES)
def test_callbacks_of_the_library(xp, rng, callbacks_only, case, dtype):
    shape, functions = CALLBACK_CASES[case]
    x = samples(rng, shape, dtype)
    real = "float32" if dtype == "complex64" else "float64"
    before, after, given = 1, 1, dict(functions)
    for name in ("prolog_inputs", "epilog_inputs"):
        for key, extents in functions.get(name, {}).items():
            values = samples(rng, extents, real)
            given[name] = {key: xp.asarray(values)}
            before, after = (values, after) if name == "prolog_inputs" else (before, values)

    seen = fft(xp.asarray(x), axes=(1,), **given, **xp.execution)

    close(xp.to_numpy(seen), np.fft.fft(x * before) * after)


@pytest.mark.parametrize("length", [40, 96])
def test_callbacks_crop_pad_scale_and_change_the_dtype(xp, rng, callbacks_only, length):
    x = samples(rng, (3, 64), "float32")

    spectrum = rfft(xp.asarray(x), axes=(1,), n=length, scale=0.25, epilog=power, **xp.execution)
    half = np.fft.rfft(x).astype("complex64")
    back = ifft(xp.asarray(half), axes=(1,), norm="backward", **xp.execution)

    close(xp.to_numpy(spectrum), power(np.fft.rfft(x, length) * 0.25))
    close(xp.to_numpy(back), np.fft.ifft(half))
