# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""From the arguments of an advanced product to those of the core."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from mathwright._execution import ExecutionCUDA, coerce_execution
from mathwright.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from mathwright.linalg._options import MatmulOptions as PlainOptions
from mathwright.linalg._qualifiers import conjugate_bits as plain_conjugate_bits
from mathwright.linalg._qualifiers import matrix_qualifiers_dtype as plain_qualifiers_dtype
from mathwright.linalg.advanced._enums import MatmulEpilog
from mathwright.linalg.advanced._memory_limit import memory_limit_bytes
from mathwright.linalg.advanced._options import (
    MatmulOptions,
    MatmulPlanPreferences,
    MatmulQuantizationScales,
    coerce,
)
from mathwright.linalg.advanced._types import (
    FLOAT4,
    FLOAT8,
    NAME_OF,
    Types,
    choose_types,
    dtype_name,
)

__all__ = [
    "Understood",
    "conjugate_bits",
    "epilog_arguments",
    "matrix_qualifiers_dtype",
    "understand",
]

# Only is_conjugate counts.
matrix_qualifiers_dtype = np.dtype([("structure", object), ("is_conjugate", "<i4")])

_DEFAULT_OPTIONS = MatmulOptions()
_DEFAULT_PREFERENCES = MatmulPlanPreferences()


def _warn(options: MatmulOptions, message: str) -> None:
    (options.logger or logging.getLogger("mathwright")).warning("matmul: %s", message)


class Understood:
    """What a call's options and scales come to.

    Attributes:
        plain_options, execution, extras: what the core takes.
    """

    def __init__(
        self,
        options: MatmulOptions,
        types: Types,
        addend: str | None,
        scales: dict[str, Any] | None,
        execution: Any,
    ) -> None:
        self.options = options
        self.types = types
        self.execution = execution
        self._addend = addend
        self._scales = scales
        self.plain_options = None
        self.extras: dict[str, Any] | None = None
        if options is not _DEFAULT_OPTIONS:
            self.plain_options = PlainOptions(
                allocator=options.allocator,
                blocking=options.blocking,
                inplace=options.inplace,
                logger=options.logger,
            )
        self.extras = {
            "compute": 0 if types.default else int(types.compute),
            "result_type": types.result,
            "fast_accumulation": options.fast_accumulation,
            "multiprocessors": options.sm_count_target,
            "result_amax": options.result_amax,
            "block_scaling": options.block_scaling,
            "scales": scales,
        }

    def reset_scales(self, given: Any) -> dict[str, Any] | None:
        """The scales of a reset, checked: of those that the object has, of the same kind."""
        if given is None:
            return None
        scales = coerce(MatmulQuantizationScales, given, "quantization scales")._values()
        present = {name: value for name, value in scales.items() if value is not None}
        if not self.types.narrow:
            _warn(self.options, f"quantization_scales have no effect on operands of {self.types.a}")
            return None
        for name, value in present.items():
            made = (self._scales or {}).get(name)
            if made is None:
                raise InvalidArgumentError(
                    f"matmul: reset of the scale of {name}, but the object was made without it"
                )
            _check_scale(name, value, self.types, self.options)
            if _is_number(value) != _is_number(made):
                kinds = ("an array", "a number") if _is_number(value) else ("a number", "an array")
                raise InvalidArgumentError(
                    f"matmul: the scale of {name} was {kinds[0]} and is to be {kinds[1]}; {kinds[0]} is "
                    "wanted. Make a new object for the other kind."
                )
        return present

    def check_workspace(self, workspace: int) -> None:
        """Raises if a plan needs more scratch memory than memory_limit allows."""
        most = memory_limit_bytes(self.options.memory_limit, float("inf"))
        if workspace > most:
            raise UnsupportedError(
                f"matmul: the plan needs {workspace} bytes of workspace and memory_limit is "
                f"{self.options.memory_limit!r}; a larger limit is wanted"
            )


def understand(a: Any, b: Any, c: Any, scales: Any, options: Any, execution: Any) -> Understood:
    """Options, types and scales of a call.

    Raises:
        InvalidArgumentError: types that do not go together; scales missing or of the wrong form.
    """
    options = _DEFAULT_OPTIONS if options is None else coerce(MatmulOptions, options, "options")
    if options.inplace and c is None:
        raise InvalidArgumentError(
            "matmul: option inplace is set without c; the result takes c's place, so c is wanted"
        )
    addend = None if c is None else dtype_name(c)
    types = choose_types(dtype_name(a), dtype_name(b), addend, options)
    if options.inplace and options.result_type is not None:
        _warn(options, "result_type has no effect with inplace, the result has c's dtype")
    if options.device_id and execution is not None:
        execution = coerce_execution(execution)
        if isinstance(execution, ExecutionCUDA) and execution.device_id == 0:
            execution = ExecutionCUDA(device_id=options.device_id)
    return Understood(options, types, addend, _scales(scales, types, addend, options), execution)


def _scales(
    given: Any, types: Types, addend: str | None, options: MatmulOptions
) -> dict[str, Any] | None:
    if given is None and not types.narrow:  # nearly every call
        return None
    record = coerce(MatmulQuantizationScales, given, "quantization scales")
    scales = {name: value for name, value in record._values().items() if value is not None}
    if not types.narrow:
        if scales:
            _warn(options, f"quantization_scales have no effect on operands of dtype {types.a}")
        return None
    result = types.result or types.a
    narrow = {"a": True, "b": True, "c": addend in FLOAT8, "d": types.narrow_result}
    if options.block_scaling:
        narrow.update(c=False, d=False)
        if "d" in scales and types.narrow_result:
            raise InvalidArgumentError(
                "matmul: quantization_scales has d with block scaling, which finds the result's scales "
                'itself and returns them as "d_out_scale"; leave d away'
            )
    for name, needed in narrow.items():
        if needed and name not in scales:
            raise InvalidArgumentError(
                f"matmul: quantization_scales lacks {name}; a scale is wanted for every narrow matrix: "
                f"{', '.join(which for which, yes in narrow.items() if yes)}"
            )
        if not needed and name in scales:
            dtype = addend if name == "c" else result
            _warn(options, f"the scale of {name} has no effect, {name} has dtype {dtype}")
            del scales[name]
    for name, value in scales.items():
        _check_scale(name, value, types, options)
    return scales


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _check_scale(name: str, value: Any, types: Types, options: MatmulOptions) -> None:
    if options.block_scaling:
        wanted = "float8_e4m3fn" if types.a == FLOAT4 else "uint8"
        if _is_number(value) or dtype_name(value) != wanted:
            seen = repr(value) if _is_number(value) else f"of dtype {dtype_name(value)!r}"
            raise InvalidArgumentError(
                f"matmul: the scale of {name} is {seen}; with block scaling of {types.a} an array of "
                f"dtype {wanted} with a scale for each block is wanted: helpers.matmul makes one"
            )
        return
    if _is_number(value):
        return
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise TypeMismatchError(
            f"matmul: the scale of {name} is of type {type(value).__name__}; a number or an array of one "
            "element is wanted"
        )
    if tuple(value.shape) not in ((), (1,)) or dtype_name(value) != "float32":
        raise InvalidArgumentError(
            f"matmul: the scale of {name} has shape {tuple(value.shape)} and dtype {dtype_name(value)}; "
            "one float32, of shape () or (1,), is wanted"
        )


def epilog_arguments(
    epilog: Any, inputs: Any, preferences: Any, call: Understood
) -> tuple[Any, Any, str | None, bool]:
    """Epilog, its inputs, dtype of its auxiliary result, whether its largest magnitude is wanted."""
    if preferences is None:
        preferences = _DEFAULT_PREFERENCES
    wishes = coerce(MatmulPlanPreferences, preferences, "plan preferences").epilog
    if isinstance(epilog, int) and epilog == MatmulEpilog.DEFAULT:
        epilog = None
    has_aux = (
        epilog in (MatmulEpilog.GELU_AUX, MatmulEpilog.GELU_AUX_BIAS)
        if isinstance(epilog, int)
        else False
    )
    aux_type = (
        None if wishes.aux_type is None else NAME_OF.get(wishes.aux_type, str(wishes.aux_type.name))
    )
    if aux_type is not None and not has_aux:
        raise InvalidArgumentError(
            f"matmul: aux_type is {aux_type} with epilog {_name(epilog)}; it is for GELU_AUX and "
            "GELU_AUX_BIAS, whose auxiliary result it is the dtype of"
        )
    if wishes.aux_amax and aux_type not in FLOAT8:
        raise InvalidArgumentError(
            f"matmul: aux_amax is set and aux_type is {aux_type}; float8_e4m3fn or float8_e5m2 is wanted"
        )
    if has_aux and aux_type is None and call.types.narrow_result:
        aux_type = call._addend if call._addend not in (None, *FLOAT8) else "float16"
    return epilog, inputs, aux_type, wishes.aux_amax


def _name(epilog: Any) -> str:
    if isinstance(epilog, int):
        try:
            return MatmulEpilog(epilog).name
        except ValueError:
            return str(int(epilog))
    return "None" if epilog is None else f"of type {type(epilog).__name__}"


def conjugate_bits(qualifiers: Any) -> int:
    """Bit 0 if a is to be conjugated, bit 1 for b.

    Raises:
        InvalidArgumentError: not an array of two or three entries, or a conjugated c.
    """
    entries = np.asarray(qualifiers)
    if entries.dtype == plain_qualifiers_dtype:
        return plain_conjugate_bits(entries)
    if entries.dtype != matrix_qualifiers_dtype or entries.ndim != 1 or len(entries) not in (2, 3):
        raise InvalidArgumentError(
            f"matmul: qualifiers have dtype {entries.dtype} and shape {entries.shape}; an array of two or "
            "three entries of matrix_qualifiers_dtype is wanted, for a, b and c"
        )
    conjugate = [bool(entry) for entry in entries["is_conjugate"]]
    if conjugate[2:] == [True]:
        raise InvalidArgumentError(
            "matmul: the qualifier of c conjugates it; conjugate c before the call"
        )
    return conjugate[0] | conjugate[1] << 1
