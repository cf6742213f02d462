# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Options, preferences and scales of the advanced product: immutable records."""

from __future__ import annotations

import operator
from typing import Any, Literal, TypeVar

from mathwright._enums import CudaDataType
from mathwright._frozen import Frozen, check_allocator, check_blocking, check_bool, check_logger
from mathwright.errors import InvalidArgumentError, TypeMismatchError
from mathwright.linalg.advanced._enums import (
    MatmulComputeType,
    MatmulNumericalImplFlags,
    MatmulReductionScheme,
)
from mathwright.linalg.advanced._memory_limit import check_memory_limit

__all__ = [
    "MatmulEpilogPreferences",
    "MatmulOptions",
    "MatmulPlanPreferences",
    "MatmulQuantizationScales",
    "coerce",
]


def _member(owner: str, field: str, kind: Any, value: Any) -> Any:
    """The member of an enumeration for itself, its number, or its name with or without the prefix."""
    if value is None or isinstance(value, kind):
        return value
    if isinstance(value, str):
        for name, member in kind.__members__.items():
            if value in (name, name.removeprefix("COMPUTE_"), name.removeprefix("CUDA_")):
                return member
    elif not isinstance(value, bool) and hasattr(value, "__index__"):
        try:
            return kind(operator.index(value))
        except ValueError:
            pass
    raise InvalidArgumentError(
        f"{owner}: {field} is {value!r}; a member of {kind.__name__} is wanted: "
        f"{', '.join(kind.__members__)}"
    )


def _whole(owner: str, field: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise InvalidArgumentError(
            f"{owner}: {field} is {value!r}; a whole number of at least {least} is wanted"
        )
    return operator.index(value)


class MatmulOptions(Frozen):
    """How an advanced product is made. Immutable; every field has a keyword.

    Args:
        inplace: the result takes the place of ``c``, which then has the result's shape and dtype.
        compute_type: :class:`MatmulComputeType`, its number or its name ("32F_FAST_TF32"). None: the
            operands' own arithmetic, narrow ones summed in float32.
        scale_type: :class:`mathwright.CudaDataType` of alpha and beta; decides the compute type if that
            is None.
        result_type: dtype of the result, for operands narrower than float32.
        result_amax: also return the largest ``|F(…)|`` as ``"result_amax"``; for a narrow result.
        block_scaling: operands are MXFP8 or NVFP4: a scale for every 32 or 16 elements along k.
        sm_count_target: how many multiprocessors the work may use; 0 means all.
        fast_accumulation: float8 operands: partial sums of fewer bits are allowed.
        device_id: the device for operands in host memory, if the work runs on one.
        handle: accepted for compatibility and not used: handles are kept for each thread and device.
        logger: a ``logging.Logger``. None: the logger "mathwright".
        memory_limit: most scratch memory: bytes, a share of the device's memory as a float up to 1 or
            as "80%", or a string like "512 MiB". Nothing that needs more is chosen.
        blocking: "auto" returns as soon as the work is queued if operands and execution are on a
            device; True always waits until it is done.
        allocator: where scratch memory on a device comes from: an object with ``memalloc(size)`` or
            ``memalloc_async(size, stream)``. None: the device's pool.

    Raises:
        InvalidArgumentError: a value that is none of those. (``ValueError``)
        TypeMismatchError: an ``allocator`` or ``logger`` of the wrong type. (``TypeError``)

    >>> MatmulOptions(compute_type="32F_FAST_TF32").compute_type
    <MatmulComputeType.COMPUTE_32F_FAST_TF32: 77>
    """

    _fields = (
        "inplace",
        "compute_type",
        "scale_type",
        "result_type",
        "result_amax",
        "block_scaling",
        "sm_count_target",
        "fast_accumulation",
        "device_id",
        "handle",
        "logger",
        "memory_limit",
        "blocking",
        "allocator",
    )
    __slots__ = _fields
    inplace: bool
    compute_type: MatmulComputeType | None
    scale_type: CudaDataType | None
    result_type: CudaDataType | None
    result_amax: bool
    block_scaling: bool
    sm_count_target: int
    fast_accumulation: bool
    device_id: int
    handle: int | None
    logger: Any
    memory_limit: int | float | str
    blocking: Literal[True, "auto"]
    allocator: Any

    def __init__(
        self,
        *,
        inplace: bool = False,
        compute_type: Any = None,
        scale_type: Any = None,
        result_type: Any = None,
        result_amax: bool = False,
        block_scaling: bool = False,
        sm_count_target: int | None = 0,
        fast_accumulation: bool | None = False,
        device_id: int | None = 0,
        handle: int | None = None,
        logger: Any = None,
        memory_limit: int | float | str | None = "80%",
        blocking: Literal[True, "auto"] = "auto",
        allocator: Any = None,
    ) -> None:
        owner = "MatmulOptions"
        fast_accumulation = False if fast_accumulation is None else fast_accumulation
        memory_limit = "80%" if memory_limit is None else memory_limit
        for name, flag in (
            ("inplace", inplace),
            ("result_amax", result_amax),
            ("block_scaling", block_scaling),
            ("fast_accumulation", fast_accumulation),
        ):
            check_bool(owner, name, flag)
        check_allocator(owner, allocator)
        check_blocking(owner, blocking)
        check_logger(owner, logger)
        check_memory_limit(owner, memory_limit)
        self._fill(
            inplace=inplace,
            compute_type=_member(owner, "compute_type", MatmulComputeType, compute_type),
            scale_type=_member(owner, "scale_type", CudaDataType, scale_type),
            result_type=_member(owner, "result_type", CudaDataType, result_type),
            result_amax=result_amax,
            block_scaling=block_scaling,
            sm_count_target=_whole(owner, "sm_count_target", sm_count_target or 0, 0),
            fast_accumulation=fast_accumulation,
            device_id=_whole(owner, "device_id", device_id or 0, 0),
            handle=None if handle is None else _whole(owner, "handle", handle, 0),
            logger=logger,
            memory_limit=memory_limit,
            blocking=blocking,
            allocator=allocator,
        )


class MatmulEpilogPreferences(Frozen):
    """What is asked of an epilog's auxiliary result.

    Args:
        aux_type: :class:`mathwright.CudaDataType` of ``gelu_aux``. None: the result's; where that is a
            float8, the dtype of C.
        aux_amax: also return the largest magnitude of the auxiliary result, before its scale, as
            ``"gelu_aux_amax"``; for a narrow ``aux_type``.

    >>> MatmulEpilogPreferences()
    MatmulEpilogPreferences(aux_type=None, aux_amax=False)
    """

    _fields = ("aux_type", "aux_amax")
    __slots__ = _fields
    aux_type: CudaDataType | None
    aux_amax: bool

    def __init__(self, *, aux_type: Any = None, aux_amax: bool = False) -> None:
        owner = "MatmulEpilogPreferences"
        check_bool(owner, "aux_amax", aux_amax)
        self._fill(aux_type=_member(owner, "aux_type", CudaDataType, aux_type), aux_amax=aux_amax)


class MatmulPlanPreferences(Frozen):
    """What is asked of a plan.

    Args:
        reduction_scheme_mask: which ways of adding the parts of a split product are allowed.
        max_waves_count: most waves of blocks on the device; 0 means any.
        numerical_impl_mask: which kinds of instructions are allowed.
        limit: most algorithms to keep.
        epilog: :class:`MatmulEpilogPreferences`, a dict of its fields, or None.

    >>> MatmulPlanPreferences(limit=2).limit
    2
    """

    _fields = ("reduction_scheme_mask", "max_waves_count", "numerical_impl_mask", "limit", "epilog")
    __slots__ = _fields
    reduction_scheme_mask: MatmulReductionScheme
    max_waves_count: float
    numerical_impl_mask: int
    limit: int
    epilog: MatmulEpilogPreferences

    def __init__(
        self,
        *,
        reduction_scheme_mask: int | None = MatmulReductionScheme.MASK,
        max_waves_count: float | None = 0.0,
        numerical_impl_mask: int | None = MatmulNumericalImplFlags.ALL,
        limit: int | None = 8,
        epilog: Any = None,
    ) -> None:
        owner = "MatmulPlanPreferences"
        if reduction_scheme_mask is None:
            reduction_scheme_mask = MatmulReductionScheme.MASK
        schemes = _whole(owner, "reduction_scheme_mask", reduction_scheme_mask, 0)
        if schemes > MatmulReductionScheme.MASK:
            raise InvalidArgumentError(
                f"{owner}: reduction_scheme_mask is {schemes}; members of MatmulReductionScheme "
                "combined with | are wanted"
            )
        if numerical_impl_mask is None:
            numerical_impl_mask = MatmulNumericalImplFlags.ALL
        flags = _whole(owner, "numerical_impl_mask", numerical_impl_mask, 0)
        waves = 0.0 if max_waves_count is None else max_waves_count
        if isinstance(waves, bool) or not isinstance(waves, (int, float)) or not waves >= 0:
            raise InvalidArgumentError(
                f"{owner}: max_waves_count is {max_waves_count!r}; a number of at least 0 is wanted"
            )
        self._fill(
            reduction_scheme_mask=MatmulReductionScheme(schemes),
            max_waves_count=float(waves),
            numerical_impl_mask=MatmulNumericalImplFlags(flags),
            limit=_whole(owner, "limit", 8 if limit is None else limit, 1),
            epilog=coerce(MatmulEpilogPreferences, epilog, "epilog preferences"),
        )


class MatmulQuantizationScales(Frozen):
    """The scales of narrow operands and of a narrow result.

    Without ``block_scaling``: a number, or an array of one element. With it: an array of block scales
    in the layout of :func:`mathwright.linalg.advanced.helpers.matmul.to_block_scale`.

    Args:
        a, b, c, d: what each matrix is multiplied by.

    >>> MatmulQuantizationScales(a=0.5, b=2).a
    0.5
    """

    _fields = ("a", "b", "c", "d")
    __slots__ = _fields
    a: Any
    b: Any
    c: Any
    d: Any

    def __init__(self, *, a: Any = None, b: Any = None, c: Any = None, d: Any = None) -> None:
        self._fill(a=a, b=b, c=c, d=d)

    def __eq__(self, other: object) -> bool:
        return self is other  # arrays have no truth of equality

    __hash__ = object.__hash__


Record = TypeVar("Record", bound=Frozen)


def coerce(kind: type[Record], given: Any, what: str) -> Record:
    """The record itself, one of a dict of its fields, or the defaults for None.

    Raises:
        TypeMismatchError: anything else, or an unknown field.
    """
    if isinstance(given, kind):
        return given
    if given is None:
        return kind()
    if not isinstance(given, dict):
        raise TypeMismatchError(
            f"matmul: {what} are of type {type(given).__name__}; {kind.__name__}, a dict of its fields "
            "or None is wanted"
        )
    unknown = [str(name) for name in given if name not in kind._fields]
    if unknown:
        raise TypeMismatchError(
            f"matmul: {what} have no field {', '.join(unknown)}; {', '.join(kind._fields)} are known"
        )
    return kind(**given)
