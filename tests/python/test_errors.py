# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Errors: their classes, and that a message names operation, operand, value seen, value wanted, remedy."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from conftest import DEVICE
from mathwright import errors
from mathwright.fft import FFT, UnsupportedLayoutError, fft, irfft, rfft
from mathwright.linalg import Matmul, matmul

ONES = np.ones((2, 2))
COMPLEX = ONES.astype("complex64")

# (call, class, what the message must name)
CASES = {
    "inner extents": (
        lambda: matmul(np.ones((2, 3)), np.ones((2, 3))),
        ValueError,
        ["matmul", "a has shape (2, 3)", "b (2, 3)", "3 and 2", "wanted", "transposed"],
    ),
    "dtypes differ": (
        lambda: matmul(ONES, ONES.astype("float32")),
        ValueError,
        ["matmul", "operand b", "float32", "operand a", "float64", "Convert"],
    ),
    "unsupported dtype": (
        lambda: matmul(ONES.astype("int32"), ONES.astype("int32"), execution="cpu"),
        (ValueError, NotImplementedError),
        ["matmul", "int32", "float32"],
    ),
    "c without beta": (
        lambda: matmul(ONES, ONES, ONES),
        ValueError,
        ["matmul", "c", "beta", "wanted"],
    ),
    "c of another shape": (
        lambda: matmul(ONES, ONES, np.ones((1, 2)), beta=1),
        ValueError,
        ["matmul", "c has shape (1, 2)", "(2, 2)", "Broadcast"],
    ),
    "batches do not broadcast": (
        lambda: matmul(np.ones((2, 2, 2)), np.ones((3, 2, 2))),
        ValueError,
        ["matmul", "(2, 2, 2)", "(3, 2, 2)", "broadcast"],
    ),
    "alpha is no number": (
        lambda: matmul(ONES, ONES, alpha="two"),
        ValueError,
        ["matmul", "alpha", "'two'", "number is wanted"],
    ),
    "complex alpha for real operands": (
        lambda: matmul(ONES, ONES, alpha=1j),
        ValueError,
        ["matmul", "alpha", "complex", "float64", "real"],
    ),
    "in place without c": (
        lambda: matmul(ONES, ONES, options={"inplace": True}),
        ValueError,
        ["matmul", "inplace", "c is wanted"],
    ),
    "in place and out": (
        lambda: matmul(ONES, ONES, ONES.copy(), beta=1, out=ONES.copy(), options={"inplace": True}),
        ValueError,
        ["matmul", "inplace", "out", "one of them is wanted"],
    ),
    "in place with a read-only c": (
        lambda: matmul(
            ONES, ONES, np.broadcast_to(np.ones(2), (2, 2)), beta=1, options={"inplace": True}
        ),
        ValueError,
        ["matmul", "read-only", "writable", "copy"],
    ),
    "fft of real": (
        lambda: fft(ONES),
        ValueError,
        ["fft", "float64", "complex", "real-to-complex"],
    ),
    "rfft of complex": (
        lambda: rfft(COMPLEX),
        RuntimeError,
        ["fft", "complex64", "real", "wanted"],
    ),
    "irfft of real": (lambda: irfft(ONES), ValueError, ["fft", "float64", "complex"]),
    "irfft to length 0": (
        lambda: irfft(np.ones((2, 1), "complex64")),
        ValueError,
        ["fft", "extent 1", "odd"],
    ),
    "no points": (
        lambda: fft(np.ones((2, 0), "complex64")),
        ValueError,
        ["fft", "(2, 0)", "axis 1"],
    ),
    "no axes": (lambda: fft(np.ones((), "complex64")), ValueError, ["fft", "no axes"]),
    "axis out of range": (
        lambda: fft(COMPLEX, axes=(5,)),
        ValueError,
        ["fft", "axis 5", "(2, 2)", "1"],
    ),
    "in place r2c": (
        lambda: FFT(ONES, options={"inplace": True}),
        ValueError,
        ["fft", "in_place", "r2c", "c2c"],
    ),
    "type against function": (
        lambda: fft(COMPLEX, options={"fft_type": "C2R"}),
        ValueError,
        ["fft", "c2r", "c2c"],
    ),
    "cuda without a device": (
        lambda: matmul(ONES, ONES, execution={"name": "cuda", "device_id": 99}),
        RuntimeError,
        ["CUDA", "Remedy"] if DEVICE == "cpu" else ["cuda", "99"],
    ),
    "reset of an operand it was made without": (
        lambda: Matmul(ONES, ONES).reset_operands(c=ONES),
        ValueError,
        ["matmul", "reset of c", "made without c"],
    ),
    "reset of beta without c": (
        lambda: Matmul(ONES, ONES).reset_operands(beta=1),
        ValueError,
        ["matmul", "beta", "without c"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_message_names_what_is_wrong(name):
    call, kind, words = CASES[name]

    with pytest.raises(kind) as caught:
        call()

    assert isinstance(caught.value, errors.MathwrightError)
    message = str(caught.value)
    assert not [word for word in words if word not in message], message


def classes():
    return [
        value
        for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, errors.MathwrightError)
    ]


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_every_class_is_documented_exported_and_picklable(kind):
    error = kind("what went wrong")

    again = pickle.loads(pickle.dumps(error))

    assert kind.__doc__ and kind.__name__ in errors.__all__
    assert type(again) is kind and str(again) == "what went wrong" and again.kind == kind.kind


def test_a_layout_error_carries_its_recipe():
    error = UnsupportedLayoutError("cannot", (1, 0), (0,))

    again = pickle.loads(pickle.dumps(error))

    assert (str(again), again.permutation, again.axes) == ("cannot", (1, 0), (0,))


def test_a_failed_call_leaves_operands_and_out_as_they_were():
    out = np.full((2, 2), 5.0)

    with pytest.raises(ValueError):
        matmul(ONES, np.ones((3, 2)), out=out)

    assert (out == 5).all()


def test_a_rejecting_selection_lists_every_reason():
    from mathwright import _core

    _core.set_candidates(["no-such-implementation"])
    try:
        with pytest.raises(NotImplementedError) as caught:
            matmul(ONES, ONES)
    finally:
        _core.set_candidates([])

    assert "matmul" in str(caught.value)
    assert matmul(ONES, ONES)[0, 0] == 2
