# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: PLW0108 (a lambda is what users write)
"""Recorded functions: what is recorded, its types, and what a user is told when it cannot be."""

from __future__ import annotations

import copy
import math
import pickle
import types

import mathwright as mw
import numpy as np
import pytest
from mathwright.errors import InvalidArgumentError, TypeMismatchError

REAL = ["float32", "float64"]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def text(function, **inputs):
    return str(mw.trace(function, **inputs))


def dtype(function, **inputs):
    return mw.trace(function, **inputs).dtype


# ---- what is recorded ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, wanted",
    [
        (lambda x, y: mw.relu(0.45 * x + y), "relu(0.45*x + y)"),
        (lambda x, y: (x + y) * (x - y), "(x + y)*(x - y)"),
        (lambda x, y: x - (y - x), "x - (y - x)"),
        (lambda x, y: x / (y * x), "x/(y*x)"),
        (lambda x, y: -(x**2), "-x**2"),
        (lambda x, y: (-x) ** 3, "-x*x**2"),
        (lambda x, y: x**y, "x**y"),
        (lambda x, y: x**-1, "1/x"),
        (lambda x, y: (x > 0) & (y <= 1), "(x > 0) & (y <= 1)"),
        (lambda x, y: ~(x == y), "x != y"),
        (lambda x, y: x // y + x % y, "x // y + x % y"),
        (lambda x, y: mw.where(x < y, x, 0), "where(x < y, x, 0)"),
        (lambda x, y: mw.clamp(x, -1, 1), "clamp(x, -1, 1)"),
        (lambda x, y: abs(x) + round(y), "abs(x) + round(y)"),
        (lambda x, y: x.astype("float16") + y, "float16(x) + y"),
        (lambda x, y: 2.0, "2"),
    ],
)
def test_print_reads_as_mathematics(function, wanted):
    assert text(function, x="float32", y="float32") == wanted


def test_numpy_functions_are_ours():
    def with_numpy(x):
        return np.where(np.isnan(x), 0.0, np.clip(np.exp(x) + np.float64(0.5), 0, 5))

    def with_ours(x):
        return mw.where(mw.isnan(x), 0.0, mw.clamp(mw.exp(x) + 0.5, 0, 5))

    assert mw.trace(with_numpy, x="float32") == mw.trace(with_ours, x="float32")
    assert text(lambda x: np.sum(x, axis=-1), x="float32") == "sum(x, axis=-1)"
    assert text(lambda x: np.maximum(x, np.float32(2)), x="float32") == "maximum(x, 2)"
    assert text(lambda x: np.logical_and(x, x > 1), x="float32") == "(x != 0) & (x > 1)"


def test_several_outputs_and_shared_terms_are_lines():
    def function(x, bias):
        y = mw.gelu(x + bias)
        return {"result": y * y + mw.exp(y), "pre": y, "mask": x > 0}

    assert text(function, x="float32", bias="float32").splitlines() == [
        "t0 = gelu(x + bias)",
        "result = t0**2 + exp(t0)"
        if "**2" in text(function, x="float32", bias="float32")
        else "result = t0*t0 + exp(t0)",
        "pre = t0",
        "mask = x > 0",
    ]


def test_index_reads_as_it_is_written():
    assert text(lambda x, i: x * i[-1], x="float32") == "x*index(-1)"
    assert text(lambda x, index: x * index[-2], x="float32") == "x*index(-2)"
    f = mw.trace(lambda x, i: x * sum(a for a in i), x="float32", ndim=2)
    assert str(f) == "x*(0 + index(-2) + index(-1))" or "index(-2) + index(-1)" in str(f)
    assert mw.trace(lambda x: mw.sum(x, axis=0), x="float32", ndim=2) == mw.trace(
        lambda x: mw.sum(x, axis=-2), x="float32"
    )


def test_defaults_of_parameters_are_constants():
    assert text(lambda x, k=3: x * k, x="float32") == "x*3"
    assert text(lambda x, k=3: x * k, x="float32", k=float) == "x*k"


def test_numbers_alone_give_numbers():
    assert mw.exp(0) == 1.0 and mw.abs(-3) == 3 and mw.where(True, 1, 2) == 1


# ---- types --------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [*INTEGERS, *REAL, "complex64", "complex128", "bool"])
@pytest.mark.parametrize("b", [*INTEGERS, *REAL, "complex64", "complex128", "bool"])
def test_promotion_is_numpys_where_it_should_be(a, b):
    seen = dtype(lambda x, y: x + y, x=a, y=b)
    wanted = np.result_type(np.dtype(a), np.dtype(b)).name
    kinds = {np.dtype(a).kind, np.dtype(b).kind}
    if kinds == {"b"}:
        wanted = "int32"  # NumPy: bool
    elif kinds & {"i", "u"} and kinds & {"f", "c"}:
        wanted = a if np.dtype(a).kind in "fc" else b  # as in PyTorch: the float's dtype
    assert seen == wanted


@pytest.mark.parametrize(
    "literal, kind", [(2, "int"), (2.5, "float"), (2j, "complex"), (True, "b")]
)
@pytest.mark.parametrize("a", [*INTEGERS, *REAL, "complex64", "complex128"])
def test_literals_are_weak(a, literal, kind):
    seen = dtype(lambda x: x * literal, x=a)
    integer = np.dtype(a).kind in "iu"
    wide = np.dtype(a).itemsize >= 4
    if integer and kind == "float":
        assert seen == ("float64" if wide else "float32")
    elif integer and kind == "complex":
        assert seen == ("complex128" if wide else "complex64")
    elif kind == "complex" and np.dtype(a).kind == "f":
        assert seen == ("complex64" if a == "float32" else "complex128")
    else:
        assert seen == a


def test_narrow_floats_are_computed_in_float32_and_stored_as_they_came():
    assert dtype(lambda x: mw.exp(x) * 2, x="float16") == "float16"
    assert dtype(lambda x, s: x * s, x="bfloat16", s=float) == "bfloat16"
    assert dtype(lambda x, y: x + y, x="bfloat16", y="float16") == "float32"
    assert dtype(lambda x: x.astype("float32"), x="float16") == "float32"
    assert dtype(lambda x: x + 1, x="float8_e4m3fn") == "float32"
    assert dtype(lambda x: x.dtype == "float32" and x + 1, x="float16") == "float16"


def test_dtypes_may_be_given_in_many_ways():
    for given in ("float32", np.float32, np.dtype("float32"), np.zeros(2, "float32")):
        assert mw.trace(lambda x: x + 1, x=given).dtype == "float32"
    assert mw.trace(lambda x: x + 1, x=2.0).parameters[0].scalar


# ---- the object ---------------------------------------------------------------------------------


def test_expr_is_a_value():
    f = mw.trace(lambda x: mw.relu(x), x="float32")
    g = mw.trace(lambda x: mw.relu(x), x="float32")
    h = mw.trace(lambda x: mw.relu(x), x="float64")
    assert f == g and hash(f) == hash(g) and f not in (h, 1)
    assert pickle.loads(pickle.dumps(f)) == f and copy.deepcopy(f) == f
    assert len({f, g, h}) == 2
    assert repr(f) == "<Expr (x: float32) -> (result: float32)>"
    with pytest.raises(AttributeError, match="immutable"):
        f.dtype = "float64"


def test_damaged_bytes_are_refused():
    data = mw.trace(lambda x: mw.relu(x) + 1, x="float32").to_bytes()
    for damaged in (b"", b"MWEX1\n", data[:-1], data[:20], data[:9] + b"\xff" + data[10:]):
        with pytest.raises(InvalidArgumentError, match="expression"):
            mw.expr.expr_from_bytes(damaged)


def test_pictures():
    f = mw.trace(lambda x, y: mw.where(x < y, x, y), x="float32", y="float32")
    dot, svg = f.to_dot(), f._repr_svg_()
    assert dot.count("->") == 6 and '"where"' in dot
    assert svg.startswith("<svg") and "&lt;" in svg and svg.count("<rect") == 5


# ---- what a user is told ------------------------------------------------------------------------


def branch(x):
    return x if x > 0 else -x


@pytest.mark.parametrize(
    "function, words",
    [
        (branch, "mathwright.where"),
        (lambda x: x > 0 and x < 1, "mathwright.where"),
        (lambda x: max(x, 0), "mathwright.maximum"),
        (lambda x: 0 < x < 1, "mathwright.where"),
        (lambda x: sum(v for v in x), "mathwright.sum"),
        (lambda x: [0.0] * len(x), "mathwright.sum"),
        (lambda x: x[0], r"i\[-1\]"),
        (lambda x: math.sqrt(x), r"mathwright\.f\(x\)"),
        (lambda x: int(x), "astype"),
        (lambda x: [1, 2][x], "pass it as an input"),
        (lambda x: x * np.ones(3), "pass the array as an input"),
        (lambda x: np.ones(3) * x, "pass the array as an input"),
        (lambda x: x + "a", "a number"),
        (lambda x: (x, x), "a dict of names and values"),
        (lambda x: None, "a dict of names and values"),
        (lambda x: {1: x}, "no str"),
        (lambda x: np.asarray(x), "stands for one number"),
    ],
)
def test_what_cannot_be_recorded_says_what_to_write(function, words):
    with pytest.raises(TypeMismatchError, match=words) as caught:
        mw.trace(function, x="float32")
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    "function, inputs, words",
    [
        (lambda x, bias: x, {"x": "f4", "bais": "f4"}, "did you mean 'bias'"),
        (lambda x, bias: x, {"x": "float32", "bais": "float32"}, r"parameters are \(x, bias\)"),
        (lambda x, bias: x, {"x": "float32"}, "no input is given for parameter 'bias'"),
        (lambda *xs: xs[0], {"x": "float32"}, "any number of arguments"),
        (lambda x: np.arctan(x), {"x": "float32"}, "numpy.arctan .* there are abs, argmax"),
        (lambda x: np.log10(x), {"x": "float32"}, r"mathwright\.log\(x\)"),
        (lambda x: np.add.reduce(x), {"x": "float32"}, "mathwright.sum"),
        (lambda x: np.exp(x, dtype="float64"), {"x": "float32"}, "astype"),
        (lambda x: np.fft.fft(x), {"x": "float32"}, "numpy.fft"),
        (lambda x: mw.sum(x) + 1, {"x": "float32"}, "can be an output and nothing else"),
        (lambda x: mw.sum(x, axis=0), {"x": "float32"}, "count from the end"),
        (lambda x: mw.sum(x, axis=(-1, -1)), {"x": "float32"}, "given twice"),
        (lambda x, i: x * i[0], {"x": "float32"}, "count from the end"),
        (lambda x: x & 1, {"x": "float32"}, "astype"),
        (lambda x: mw.where(x, 1, 2), {"x": "float32"}, "where.x != 0"),
        (lambda x: x < 1, {"x": "complex64"}, "no order"),
        (lambda x: x + 300, {"x": "int8"}, "does not fit int8"),
        (lambda x: x + 2**70, {"x": "int8"}, "does not fit int64"),
        (lambda x: x.astype("float31"), {"x": "float32"}, "float31"),
        (lambda x: {}, {"x": "float32"}, "no output"),
        (lambda x: mw.gelu(x, approximate="fast"), {"x": "float32"}, "'none' or 'tanh'"),
    ],
)
def test_what_has_no_meaning_says_why(function, inputs, words):
    if inputs.get("x") == "f4":
        inputs = dict.fromkeys(inputs, "float32")
    with pytest.raises(InvalidArgumentError, match=words):
        mw.trace(function, **inputs)


def test_a_value_kept_from_another_function_is_refused():
    kept = []
    mw.trace(lambda x: kept.append(x) or x, x="float32")
    with pytest.raises(InvalidArgumentError, match="two functions|recording is over"):
        mw.trace(lambda x: x + kept[0], x="float32")
    with pytest.raises(InvalidArgumentError, match="recording is over"):
        kept[0] + 1


def test_errors_of_the_function_itself_pass():
    with pytest.raises(ZeroDivisionError):
        mw.trace(lambda x: x * (1 / 0), x="float32")


def test_arrays_outside_of_a_recording_are_told_about_fuse():
    with pytest.raises(TypeMismatchError, match="mathwright.fuse"):
        mw.relu(np.ones(3))
    with pytest.raises(TypeMismatchError, match="mathwright.fuse"):
        mw.sum(np.ones(3))


# ---- the memory of what was recorded ------------------------------------------------------------

SCALE = 2.0


def test_what_changes_is_recorded_again():
    global SCALE  # noqa: PLW0603
    factor = 1.0
    config = types.ModuleType("config")
    config.gain = 1.0

    def helper(x):
        return x * SCALE

    def function(x, k=1.5):
        return helper(x) + factor * config.gain + k

    def seen():
        return text(function, x="float32")

    SCALE = 2.0
    first = seen()
    assert first == seen()
    factor = 7.0
    second = seen()
    assert second != first and "7" in second
    config.gain = 3.0
    third = seen()
    assert third != second and "21" in third
    SCALE = 4.0
    assert "x*4" in seen()
    function.__defaults__ = (2.5,)
    assert "2.5" in seen()
    SCALE = 2.0
    SCALE = -0.0
    assert "x*-0" in seen()
    SCALE = 0.0
    assert "x*0" in seen()


def test_mutable_objects_are_never_remembered():
    settings = {"k": 1.0}

    def function(x):
        return x * settings["k"]

    assert text(function, x="float32") == "x"
    settings["k"] = 5.0
    assert text(function, x="float32") == "x*5"


# ---- derivatives --------------------------------------------------------------------------------

SMOOTH = {
    "square": lambda x: x * x,
    "ratio": lambda x: (x + 2) / (x * x + 1),
    "power": lambda x: (x * x + 0.5) ** 1.7,
    "exponent": lambda x: 1.3**x,
    "exp": lambda x: mw.exp(-x) + mw.expm1(x),
    "log": lambda x: mw.log(x * x + 1) + mw.log1p(x * x),
    "roots": lambda x: mw.sqrt(x * x + 1) + mw.rsqrt(x * x + 2),
    "trigonometric": lambda x: mw.sin(x) * mw.cos(x),
    "tanh": lambda x: mw.tanh(x) + mw.erf(x) + mw.sigmoid(x),
    "activations": lambda x: mw.gelu(x) + mw.gelu(x, "tanh") + mw.silu(x) + mw.relu(x),
    "choices": lambda x: mw.where(x > 0, x, 0.1 * x) + mw.maximum(x, 2 * x) + mw.minimum(x, 1),
    "clamp": lambda x: mw.clamp(x, -1, 1) + abs(x) + mw.floor(x),
    "remainder": lambda x: x % 5,
    "complex": lambda x: abs(mw.exp(1j * x) * x) + mw.real(mw.conj((1 + 2j) * x) * x),
}


def at(function, x):
    """The function's value at one number, by the numbers' own arithmetic."""
    return function(x)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("x", [-1.7, -0.3, 0.4, 2.2])
def test_derivatives_against_differences(name, x):
    function = SMOOTH[name]
    slope = mw.trace(function, x="float64").grad("x")
    seen = evaluated(str(slope), x)
    step = 1e-5
    wanted = (
        evaluated(text(function, x="float64"), x + step)
        - evaluated(text(function, x="float64"), x - step)
    ) / (2 * step)
    assert seen == pytest.approx(wanted, rel=2e-5, abs=2e-6)


def evaluated(words, x):
    """A printed expression evaluated on a number by the library's functions of numbers."""
    *lines, last = words.splitlines()
    names = {name: getattr(mw, name) for name in dir(mw) if callable(getattr(mw, name, None))}
    names |= {
        "x": x,
        "inf": math.inf,
        "nan": math.nan,
        "complex": lambda a, b: a + 1j * b,
        "complex128": complex,
        "float64": float,
        "gelu_tanh": lambda v: mw.gelu(v, "tanh"),
    }
    for line in lines:
        exec(line, names)
    return float(np.real(eval(last.removeprefix("result = "), names)))


@pytest.mark.parametrize(
    "function, arguments, words",
    [
        (lambda x: x * x, ("y",), r"the inputs are \(x,\)"),
        (lambda x: x * x, ("x", "aux"), r"the outputs are \(result,\)"),
        (lambda x: x > 0, ("x",), "dtype bool"),
        (lambda x: mw.max(x), ("x",), "sum has"),
    ],
)
def test_derivatives_that_do_not_exist(function, arguments, words):
    with pytest.raises(InvalidArgumentError, match=words):
        mw.trace(function, x="float32").grad(*arguments)


def test_complex_derivatives():
    f = mw.trace(lambda z: mw.exp(z) * z, z="complex64")
    assert "exp(z)" in str(f.grad("z"))
    with pytest.raises(InvalidArgumentError, match="no complex derivative"):
        mw.trace(lambda z: abs(z), z="complex64").grad("z")
    with pytest.raises(InvalidArgumentError, match="a float or complex"):
        mw.trace(lambda n: n * 1.5, n="int32").grad("n")


def test_derivative_of_a_sum_is_that_of_its_term():
    f = mw.trace(lambda x: mw.sum(x * x * x, axis=-1), x="float32")
    assert "sum" not in str(f.grad("x"))
