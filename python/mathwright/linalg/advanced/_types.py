# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Which dtypes, scale types and compute types go together: the tables, and the checks by them."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from mathwright._enums import CudaDataType
from mathwright.errors import InvalidArgumentError
from mathwright.linalg.advanced._enums import MatmulComputeType
from mathwright.linalg.advanced._options import MatmulOptions

__all__ = ["FLOAT4", "FLOAT8", "NAME_OF", "Types", "choose_types", "dtype_name"]

_D = CudaDataType
_C = MatmulComputeType

NAME_OF = {
    _D.CUDA_R_16F: "float16",
    _D.CUDA_R_16BF: "bfloat16",
    _D.CUDA_R_32F: "float32",
    _D.CUDA_R_64F: "float64",
    _D.CUDA_C_16F: "complex32",
    _D.CUDA_C_32F: "complex64",
    _D.CUDA_C_64F: "complex128",
    _D.CUDA_R_8F_E4M3: "float8_e4m3fn",
    _D.CUDA_R_8F_E5M2: "float8_e5m2",
    _D.CUDA_R_4F_E2M1: "float4_e2m1fn_x2",
}
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
FLOAT4 = "float4_e2m1fn_x2"
_NARROW = (*FLOAT8, FLOAT4)
_SINGLE = ("float32", "bfloat16", "float16", *FLOAT8)

# The scale and compute type that operands have unless told otherwise.
_DEFAULTS = {
    "float16": (_D.CUDA_R_32F, _C.COMPUTE_32F),
    "bfloat16": (_D.CUDA_R_32F, _C.COMPUTE_32F),
    "float32": (_D.CUDA_R_32F, _C.COMPUTE_32F),
    "float64": (_D.CUDA_R_64F, _C.COMPUTE_64F),
    "complex32": (_D.CUDA_C_32F, _C.COMPUTE_32F),
    "complex64": (_D.CUDA_C_32F, _C.COMPUTE_32F),
    "complex128": (_D.CUDA_C_64F, _C.COMPUTE_64F),
    "float8_e4m3fn": (_D.CUDA_R_32F, _C.COMPUTE_32F),
    "float8_e5m2": (_D.CUDA_R_32F, _C.COMPUTE_32F),
    FLOAT4: (_D.CUDA_R_32F, _C.COMPUTE_32F),
}
_COMPUTE_OF_SCALE = {
    _D.CUDA_R_16F: _C.COMPUTE_16F,
    _D.CUDA_R_16BF: _C.COMPUTE_32F,
    _D.CUDA_R_32F: _C.COMPUTE_32F,
    _D.CUDA_C_32F: _C.COMPUTE_32F,
    _D.CUDA_R_64F: _C.COMPUTE_64F,
    _D.CUDA_C_64F: _C.COMPUTE_64F,
}
# For each compute type: scale type → dtypes of the operands.
_Accepted = dict[CudaDataType, tuple[str, ...]]
_HALF: _Accepted = {_D.CUDA_R_16F: ("float16",)}
_WIDE: _Accepted = {_D.CUDA_R_32F: (*_SINGLE, FLOAT4), _D.CUDA_C_32F: ("complex64", "complex32")}
_PEDANTIC: _Accepted = {_D.CUDA_R_32F: _SINGLE, _D.CUDA_C_32F: ("complex64", "complex32")}
_FAST: _Accepted = {_D.CUDA_R_32F: ("float32",), _D.CUDA_C_32F: ("complex64",)}
_DOUBLE: _Accepted = {_D.CUDA_R_64F: ("float64",), _D.CUDA_C_64F: ("complex128",)}
_ACCEPTED: dict[MatmulComputeType, _Accepted] = {
    _C.COMPUTE_16F: _HALF,
    _C.COMPUTE_16F_PEDANTIC: _HALF,
    _C.COMPUTE_32F: _WIDE,
    _C.COMPUTE_32F_PEDANTIC: _PEDANTIC,
    _C.COMPUTE_32F_FAST_16F: _FAST,
    _C.COMPUTE_32F_FAST_16BF: _FAST,
    _C.COMPUTE_32F_FAST_TF32: _FAST,
    _C.COMPUTE_32F_EMULATED_16BFX9: _FAST,
    _C.COMPUTE_64F: _DOUBLE,
    _C.COMPUTE_64F_PEDANTIC: _DOUBLE,
    _C.COMPUTE_64F_EMULATED_FIXEDPOINT: _DOUBLE,
}
# NVFP4: C's dtype → the dtypes D may have.
_NVFP4_RESULTS = {
    "bfloat16": ("bfloat16", FLOAT4),
    "float16": ("float16", FLOAT4),
    "float32": ("float32",),
}


class Types(NamedTuple):
    """What the tables make of a call."""

    a: str
    b: str
    result: str | None  # asked for; None: as the operands say
    compute: MatmulComputeType
    default: bool  # the compute type is the operands' own

    @property
    def narrow(self) -> bool:
        return self.a in _NARROW

    @property
    def narrow_result(self) -> bool:
        return (self.result or self.a) in _NARROW


_names: dict[Any, str] = {}


def dtype_name(array: Any) -> str:
    """The name of an array's dtype in every package: "float32"; "" for what is no array."""
    dtype = getattr(array, "dtype", "")
    try:
        return _names[dtype]
    except KeyError:
        return _names.setdefault(dtype, str(dtype).rpartition(".")[2])


def _refuse(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"matmul: {message}")


def _check_pair(a: str, b: str) -> None:
    if (a == FLOAT4) != (b == FLOAT4):
        raise _refuse(
            f"operand a has dtype {a} and operand b has {b}; float4_e2m1fn_x2 goes with itself only"
        )
    if a == b == "float8_e5m2":
        raise _refuse(
            "operands a and b are both float8_e5m2; at least one float8_e4m3fn is wanted. Convert one."
        )


def _compute_type(a: str, options: MatmulOptions) -> MatmulComputeType:
    scale, compute = options.scale_type, options.compute_type
    if compute in (_C.COMPUTE_32I, _C.COMPUTE_32I_PEDANTIC):
        raise _refuse(
            f"compute type {compute.name} is for integers, which are unsupported; one of "
            f"{', '.join(kind.name for kind in _ACCEPTED)} is wanted"
        )
    default_scale, default_compute = _DEFAULTS[a]
    if scale is not None and compute is None:
        if scale not in _COMPUTE_OF_SCALE:
            raise _refuse(
                f"scale type {scale.name} is unsupported; one of "
                f"{', '.join(kind.name for kind in _COMPUTE_OF_SCALE)} is wanted"
            )
        compute = _COMPUTE_OF_SCALE[scale]
        if scale == _D.CUDA_R_16BF:
            scale = default_scale
    compute = compute or default_compute
    table = _ACCEPTED[compute]
    if scale is None:
        scale = next((kind for kind, names in table.items() if a in names), default_scale)
    if scale not in table:
        raise _refuse(
            f"scale type {scale.name} does not go with compute type {compute.name}; "
            f"{' or '.join(kind.name for kind in table)} is wanted"
        )
    if a not in table[scale]:
        raise _refuse(
            f"compute type {compute.name} with scale type {scale.name} takes operands of dtype "
            f"{', '.join(table[scale])}; a has {a}. Leave compute_type and scale_type away, or convert."
        )
    return compute


def _result_type(a: str, own: str | None, options: MatmulOptions) -> str | None:
    """The result's dtype where it is not the operands' own."""
    asked = options.result_type
    if asked is None:
        return own
    name = NAME_OF.get(asked)
    if name is None:
        raise _refuse(
            f"result type {asked.name} is unsupported; one of "
            f"{', '.join(kind.name for kind in NAME_OF)} is wanted"
        )
    allowed = _NARROW if a in _NARROW else ()
    halves = {"float16": ("float16", "float32"), "bfloat16": ("bfloat16", "float32")}
    wide = {*_SINGLE, *allowed} - {"float64"} if allowed else {*halves.get(a, (a,))}
    if name not in wide:
        raise _refuse(
            f"result type {asked.name} of operands of dtype {a}; {', '.join(sorted(wide))} is wanted. "
            "Result types of their own are for operands narrower than float32."
        )
    if options.inplace:
        return own
    return name


def _check_narrow_result(a: str, c: str | None, result: str, options: MatmulOptions) -> None:
    if FLOAT4 in (a, result):
        addend = c or ("float16" if result == FLOAT4 else result)
        if a != FLOAT4 or result not in _NVFP4_RESULTS.get(addend, ()):
            pairs = "; ".join(f"{c} → {' or '.join(d)}" for c, d in _NVFP4_RESULTS.items())
            raise _refuse(
                f"operands of dtype {a}, c of {addend} and a result of {result}; for float4 operands "
                f"these dtypes of c and the result are possible: {pairs}"
            )
    if options.result_amax and (result not in _NARROW or options.block_scaling):
        raise _refuse(
            f"option result_amax is set and the result has dtype {result}"
            f"{' with block scaling' if options.block_scaling else ''}; it is for float8 results that "
            "have one scale. Use an epilog that returns the maximum beside the result: "
            "lambda x: {'result': x, 'amax': mw.max(abs(x))}."
        )


@functools.lru_cache(maxsize=256)
def choose_types(first: str, second: str, c: str | None, options: MatmulOptions) -> Types:
    """What the options and the names of the operands' dtypes come to.

    Raises:
        InvalidArgumentError: dtypes, scale type, compute type or result type that do not go together.
    """
    if options.block_scaling and first == second == "uint8":
        first = second = FLOAT4  # NumPy has no packed float4: two values a byte
    if first not in _DEFAULTS or second not in _DEFAULTS:
        return Types(first, second, None, _C.COMPUTE_32F, True)  # refused with their names later
    if options.block_scaling and first not in _NARROW:
        raise _refuse(
            f"option block_scaling is set and the operands have dtype {first}; float8 or float4 operands "
            "are wanted"
        )
    if first == FLOAT4 and not options.block_scaling:
        raise _refuse(
            "the operands have dtype float4_e2m1fn_x2, which has no meaning without block scales; "
            "options={'block_scaling': True} and quantization_scales are wanted"
        )
    _check_pair(first, second)
    compute = _compute_type(first, options)
    result = _result_type(first, c, options)
    _check_narrow_result(first, c, result or first, options)
    return Types(first, second, result, compute, compute == _DEFAULTS[first][1])
