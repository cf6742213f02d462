# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Problems as lines of text, as tests/conformance and MATHWRIGHT_PLAN_LOG have them:

float32 a=1000000x16 b=16x16 beta=1
c2c complex64 shape=512x512 axes=0,1 dir=forward
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TextIO

from mathwright.errors import InvalidArgumentError, UnsupportedError

__all__ = ["Line", "make_array", "make_problem", "read_lines"]


@dataclass
class Line:
    """A line of a case file: words by position, by key, and flags."""

    text: str
    words: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in self.text.split():
            key, equals, value = word.partition("=")
            if not equals:
                self.words.append(word)
            elif key in self.values:
                raise InvalidArgumentError(f"tune: {key} stands twice in {self.text!r}")
            else:
                self.values[key] = value

    def flag(self, name: str) -> bool:
        return name in self.words

    def numbers(self, key: str) -> tuple[int, ...] | None:
        value = self.values.get(key)
        if value is None:
            return None
        try:
            return tuple(int(part) for part in value.replace("x", ",").split(",") if part)
        except ValueError:
            raise InvalidArgumentError(
                f"tune: {key} is {value!r}; numbers with x or , between them are wanted"
            ) from None

    def check(self, keys: str, flags: str, positional: int) -> None:
        """A slip of the pen must not turn a problem into another one."""
        unknown = set(self.values) - set(keys.split())
        unknown |= set(self.words[positional:]) - set(flags.split())
        if unknown or len(self.words) < positional:
            what = (
                f"unknown words: {', '.join(sorted(unknown))}" if unknown else "words are missing"
            )
            raise InvalidArgumentError(f"tune: {what} in {self.text!r}")


def read_lines(streams: Iterable[TextIO]) -> list[Line]:
    """The problems of some files, each once, without comments."""
    lines: dict[str, Line] = {}
    for stream in streams:
        for whole in stream:
            text = whole.partition("#")[0].strip()
            if text:
                lines.setdefault(text, Line(text))
    return list(lines.values())


_KEYS = "space threads "
_MATMUL = (
    _KEYS + "a b a_strides b_strides c_strides d_strides alpha beta shift",
    "conj_a conj_b in_place cuda ",
)
_IGNORED = "nan inf denormal ones fp_flags"  # what the operands hold does not matter here
_FFT = (
    _KEYS + "shape strides order axes dir parity out_strides offset candidates",
    "inplace conj optimized cuda",
)


def make_problem(line: Line) -> Any:
    """The planned object that a line describes, with operands of random numbers.

    Raises:
        InvalidArgumentError: the line says nothing sensible.
        UnsupportedError: nothing here can make such operands, or run it.
    """
    if line.words and line.words[0] in ("c2c", "r2c", "c2r"):
        line.check(*_FFT, positional=2)
        return _make_fft(line)
    line.check(_MATMUL[0], _MATMUL[1] + _IGNORED, positional=1)
    return _make_matmul(line)


def _execution(line: Line, module: Any) -> Any:
    threads = line.values.get("threads")
    space = line.values.get("space") or ("cpu" if threads else None)
    if space == "cpu":
        return module.ExecutionCPU(num_threads=int(threads) if threads else None)
    return space


def _dtype(name: str) -> Any:
    import numpy as np

    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        return np.dtype(getattr(import_module("ml_dtypes"), name))
    except (ImportError, AttributeError):
        raise UnsupportedError(
            f"tune: no NumPy dtype {name!r}; ml_dtypes has the narrow ones"
        ) from None


def _strides(shape: tuple[int, ...], word: str | None) -> tuple[int, ...]:
    """In elements, as case files write them."""
    order = list(range(len(shape)))
    if word == "repeated":
        return (0,) * len(shape)
    if word not in (None, "C", "F", "padded", "reversed"):
        return Line(f"strides={word}").numbers("strides") or ()
    if word == "F":
        order.reverse()
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = -step if word == "reversed" else step
        step *= max(shape[axis], 1)
        if word == "padded" and axis == order[-1]:
            step += 3
    return tuple(strides)


def make_array(
    shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...], shift: int = 0, cuda: bool = False
) -> Any:
    """An array of this layout, its element (0, …, 0) `shift` bytes past a multiple of 256."""
    import numpy as np

    if len(strides) != len(shape):
        raise InvalidArgumentError(f"tune: strides {strides} for shape {shape}; one each is wanted")
    size = dtype.itemsize
    reach = [step * (extent - 1) for extent, step in zip(shape, strides, strict=True) if extent > 0]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    offset = (-low * size + 255) // 256 * 256 + shift
    total = offset + (high + 1) * size
    steps = tuple(step * size for step in strides)
    rng = np.random.default_rng(0)
    if cuda:
        try:
            cupy = import_module("cupy")
        except ImportError:
            raise UnsupportedError(
                "tune: operands on a device are made by CuPy, which is not installed"
            ) from None
        block = cupy.asarray(_random(rng, total, dtype))
        return cupy.ndarray(shape, dtype, memptr=block.data + offset, strides=steps)
    block = np.empty(total + 256, np.uint8)
    start = -block.ctypes.data % 256
    block[start : start + total] = _random(rng, total, dtype)
    return np.ndarray(shape, dtype, buffer=block, offset=start + offset, strides=steps)


def _random(rng: Any, total: int, dtype: Any) -> Any:
    """Bytes of numbers in [−1, 1)."""
    import numpy as np

    count = total // dtype.itemsize + 1
    if dtype.kind == "c":
        values = rng.random(2 * count).astype(f"f{dtype.itemsize // 2}") * 2 - 1
    else:
        values = (rng.random(count) * 2 - 1).astype(dtype)
    return values.view(np.uint8)[:total]


def _make_matmul(line: Line) -> Any:
    from mathwright import linalg

    dtype, cuda = _dtype(line.words[0]), line.flag("cuda")
    shifts = line.numbers("shift") or (0, 0, 0, 0)
    shapes = {name: line.numbers(name) for name in "ab"}
    if None in shapes.values() or len(shifts) != 4:
        raise InvalidArgumentError(f"tune: a=, b= or shift= is wrong in {line.text!r}")
    a_shape, b_shape = shapes["a"] or (), shapes["b"] or ()
    result = _product_shape(a_shape, b_shape)

    def array(name: str, shape: tuple[int, ...], place: int) -> Any:
        strides = _strides(shape, line.values.get(f"{name}_strides"))
        return make_array(shape, dtype, strides, shifts[place], cuda)

    a, b = array("a", a_shape, 0), array("b", b_shape, 1)
    in_place = line.flag("in_place")
    c = out = None
    if "beta" in line.values:
        c = array("d" if in_place else "c", result, 2)
    if not in_place and ("d_strides" in line.values or shifts[3]):
        out = array("d", result, 3)
    qualifiers = None
    if line.flag("conj_a") or line.flag("conj_b"):
        import numpy as np

        entries = [
            linalg.GeneralMatrixQualifier.create(conjugate=line.flag(flag))
            for flag in ("conj_a", "conj_b")
        ]
        qualifiers = np.array(entries, dtype=linalg.matrix_qualifiers_dtype)
    return linalg.Matmul(
        a,
        b,
        c,
        alpha=_scalar(line.values.get("alpha")),
        beta=_scalar(line.values.get("beta")),
        qualifiers=qualifiers,
        options={"inplace": True} if in_place else None,
        execution=_execution(line, linalg),
        out=out,
    )


def _scalar(word: str | None) -> complex | None:
    if word is None:
        return None
    parts = [float(part) for part in word.split(",")]
    return complex(*parts) if len(parts) == 2 else parts[0]


def _product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    import numpy as np

    if not a or not b:
        raise InvalidArgumentError("tune: a and b have one axis at least")
    batch: tuple[int, ...] = np.broadcast_shapes(a[:-2], b[:-2])
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _make_fft(line: Line) -> Any:
    from mathwright import fft

    if line.flag("conj"):
        raise UnsupportedError("tune: lazily conjugated operands are not made here")
    shape = line.numbers("shape") or ()
    dtype, cuda = _dtype(line.words[1]), line.flag("cuda")
    strides = line.numbers("strides")
    if order := line.numbers("order"):
        dense, step = [0] * len(shape), 1
        for axis in reversed(order):
            dense[axis], step = step, step * shape[axis]
        strides = tuple(dense)
    operand = make_array(
        shape, dtype, strides or _strides(shape, None), int(line.values.get("offset", 0)), cuda
    )
    options = {
        "fft_type": line.words[0].upper(),
        "inplace": line.flag("inplace"),
        "last_axis_parity": line.values.get("parity", "even"),
        "result_layout": "optimized" if line.flag("optimized") else "natural",
    }
    arguments: dict[str, Any] = {"axes": line.numbers("axes"), "options": options}
    arguments["execution"] = _execution(line, fft)
    out = None
    if out_strides := line.numbers("out_strides"):
        result, _ = fft.FFT(operand, **arguments).get_output_layout()
        out = make_array(result, _fft_result(line.words[0], dtype), out_strides, 0, cuda)
    made: Any = fft.FFT(operand, out=out, **arguments)
    made._tune_direction = line.values.get("dir")
    return made


def _fft_result(kind: str, dtype: Any) -> Any:
    import numpy as np

    if kind == "r2c":
        return np.result_type(dtype, np.complex64)
    return np.dtype(f"f{dtype.itemsize // 2}") if kind == "c2r" else dtype
