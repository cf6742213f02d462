# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Block scales (MXFP8, NVFP4) and packed float4, for NumPy and PyTorch.

An MXFP8 matrix has a scale for every 32 elements along its blocked axis, a power of two in UE8M0 (a
byte s means 2^(s - 127)); an NVFP4 matrix one for every 16, in float8_e4m3fn. The blocked axis is the
one that a product sums over: the last of a, the one before it of b.

Scales are stored as one vector, in tiles of 128 rows by 4 blocks, "row" being the axis that is not
blocked. Tiles follow each other along the blocks first; in a tile the scale of row r and block j is at
16·(r mod 32) + 4·(r div 32) + j. Products of a batch follow each other in C order.

NumPy has no packed float4; bytes (uint8), two values each, stand for it.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from mathwright.errors import InvalidArgumentError, OperandTypeError
from mathwright.linalg.advanced.helpers._packages import (
    as_numpy,
    decode,
    dtype_name,
    from_numpy,
    is_array,
)

__all__ = [
    "BlockScalingFormat",
    "apply_mxfp8_scale",
    "create_mxfp8_scale",
    "expand_block_scale",
    "get_block_scale_offset",
    "invert_mxfp8_scale",
    "quantize_to_fp4",
    "to_block_scale",
    "unpack_fp4",
]

_TILE_ROWS, _TILE_BLOCKS = 128, 4
_FP4_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


class BlockScalingFormat(enum.IntEnum):
    """What kind of block scales a matrix has."""

    NVFP4 = 0
    MXFP8 = 1

    @property
    def block(self) -> int:
        """Elements that share a scale."""
        return 16 if self is BlockScalingFormat.NVFP4 else 32


def _format(given: Any, what: str) -> BlockScalingFormat:
    if isinstance(given, BlockScalingFormat):
        return given
    if isinstance(given, str) and given in BlockScalingFormat.__members__:
        return BlockScalingFormat[given]
    raise InvalidArgumentError(
        f"{what}: block_scaling_format is {given!r}; BlockScalingFormat.NVFP4 or MXFP8, or a name, is wanted"
    )


def _check_axis(axis: Any, what: str) -> int:
    if axis not in (-1, -2):
        raise InvalidArgumentError(f"{what}: axis is {axis!r}; -1 or -2 is wanted")
    return int(axis)


def _unit_axis(operand: Any, what: str) -> int:
    """The one of the last two axes along which elements are neighbours."""
    if isinstance(operand, np.ndarray):
        strides = [stride // operand.itemsize for stride in operand.strides]
    else:
        strides = list(operand.stride())
    if len(strides) >= 2 and strides[-1] == 1:
        return -1
    if len(strides) >= 2 and strides[-2] == 1:
        return -2
    raise InvalidArgumentError(
        f"{what}: the operand has strides {tuple(strides)}; stride 1 along one of the last two axes is wanted"
    )


def _blocked(operand: Any, fmt: BlockScalingFormat, axis: Any, what: str) -> tuple[list[int], int]:
    """The shape in elements, and the blocked axis."""
    if is_array(operand):
        along = _unit_axis(operand, what) if axis is None else _check_axis(axis, what)
        shape = [int(extent) for extent in operand.shape]
        if len(shape) < 2:
            raise InvalidArgumentError(
                f"{what}: the operand has shape {tuple(shape)}; a matrix is wanted"
            )
        packed = dtype_name(operand) in ("float4_e2m1fn_x2", "uint8")
        if fmt is BlockScalingFormat.NVFP4 and packed:
            shape[along] *= 2
    else:
        if not isinstance(operand, Sequence) or len(operand) < 2:
            raise InvalidArgumentError(
                f"{what}: the operand or shape is {operand!r}; an array, or a shape of at least two axes, is "
                "wanted"
            )
        if axis is None:
            raise InvalidArgumentError(f"{what}: a shape is given without axis; -1 or -2 is wanted")
        shape, along = [int(extent) for extent in operand], _check_axis(axis, what)
    other = -3 - along
    if shape[along] % (fmt.block * _TILE_BLOCKS) or shape[other] % _TILE_ROWS:
        raise InvalidArgumentError(
            f"{what}: shape {tuple(shape)} blocked along axis {along}; multiples of "
            f"{fmt.block * _TILE_BLOCKS} along it and of {_TILE_ROWS} along axis {other} are wanted"
        )
    return shape, along


def _offset(index: Sequence[Any], shape: Sequence[int], along: int, block: int) -> Any:
    """Where scales are, by index; the blocked axis counts blocks."""
    row, inner = index[-3 - along], index[along]
    blocks = shape[along] // block
    batch: Any = 0
    for i, extent in zip(index[:-2], shape[:-2], strict=True):
        batch = batch * extent + i
    tile = row // _TILE_ROWS * (blocks // _TILE_BLOCKS) + inner // _TILE_BLOCKS
    inside = row % 32 * 16 + row % _TILE_ROWS // 32 * 4 + inner % _TILE_BLOCKS
    return batch * (shape[-3 - along] * blocks) + tile * (_TILE_ROWS * _TILE_BLOCKS) + inside


def get_block_scale_offset(
    index: Sequence[Any],
    operand_or_shape: Any,
    block_scaling_format: Any,
    *,
    axis: int | None = None,
) -> Any:
    """Where in the vector of scales those of some blocks are.

    Args:
        index: an integer, or an array of integers, for each axis; along the blocked axis it counts
            *blocks*.
        operand_or_shape: the matrix, or its shape in elements.
        block_scaling_format: :class:`BlockScalingFormat` or its name.
        axis: the blocked axis, -1 or -2; of an array the axis of unit stride unless given.

    Raises:
        InvalidArgumentError: an index, shape or axis that does not fit.

    >>> get_block_scale_offset((33, 5), (128, 256), "MXFP8", axis=-1)
    533
    """
    what = "get_block_scale_offset"
    fmt = _format(block_scaling_format, what)
    shape, along = _blocked(operand_or_shape, fmt, axis, what)
    if len(index) != len(shape):
        raise InvalidArgumentError(
            f"{what}: the index has {len(index)} entries; {len(shape)} are wanted, one for each axis"
        )
    return _offset(index, shape, along, fmt.block)


def _all_offsets(shape: Sequence[int], along: int, block: int, *, expand: bool) -> np.ndarray:
    """The offsets of every block, or of every element."""
    axes = [np.arange(extent) for extent in shape]
    axes[along] = np.arange(shape[along]) // block if expand else np.arange(shape[along] // block)
    return np.asarray(_offset(np.ix_(*axes), shape, along, block))


def to_block_scale(
    scale: Any,
    operand_or_shape: Any,
    block_scaling_format: Any,
    *,
    axis: int | None = None,
    out: Any = None,
) -> Any:
    """Scales given as a matrix, one for each block, in the order in which products take them.

    Args:
        scale: of the operand's shape with the blocked axis divided by the block's length; uint8 (MXFP8)
            or float8_e4m3fn (NVFP4).
        operand_or_shape, block_scaling_format, axis: as for :func:`get_block_scale_offset`.
        out: a vector for the result.

    Returns:
        A vector of as many scales, of the package, device and dtype of ``scale``; or ``out``.

    Raises:
        InvalidArgumentError: another shape or dtype.
        OperandTypeError: no array of NumPy or PyTorch.
    """
    what = "to_block_scale"
    fmt = _format(block_scaling_format, what)
    shape, along = _blocked(operand_or_shape, fmt, axis, what)
    wanted = list(shape)
    wanted[along] //= fmt.block
    values = as_numpy(scale, f"{what}: scale")
    _check_scale_dtype(scale, fmt, what)
    if list(values.shape) != wanted:
        raise InvalidArgumentError(
            f"{what}: scale has shape {values.shape}; {tuple(wanted)} is wanted, one for each block"
        )
    flat = np.empty(values.size, np.uint8)
    flat[_all_offsets(shape, along, fmt.block, expand=False)] = values
    result = from_numpy(flat, scale, None if dtype_name(scale) == "uint8" else dtype_name(scale))
    if out is None:
        return result
    if tuple(out.shape) != (values.size,) or dtype_name(out) != dtype_name(scale):
        raise InvalidArgumentError(
            f"{what}: out has shape {tuple(out.shape)} and dtype {dtype_name(out)}; ({values.size},) and "
            f"{dtype_name(scale)} are wanted"
        )
    out[:] = result
    return out


def _check_scale_dtype(scale: Any, fmt: BlockScalingFormat, what: str) -> None:
    wanted = "float8_e4m3fn" if fmt is BlockScalingFormat.NVFP4 else "uint8"
    if dtype_name(scale) != wanted:
        raise InvalidArgumentError(
            f"{what}: scale has dtype {dtype_name(scale)}; {wanted} is wanted for {fmt.name}"
        )


def expand_block_scale(
    scale: Any,
    operand_or_shape: Any,
    block_scaling_format: Any,
    *,
    axis: int | None = None,
    output_dtype: Any = None,
    device: Any = None,
) -> Any:
    """The scale of every element, from a vector of block scales.

    Args:
        scale: what :func:`to_block_scale` or a product gave.
        operand_or_shape, block_scaling_format, axis: as for :func:`get_block_scale_offset`.
        output_dtype: None: as ``scale`` has; another dtype (or its name) holds the scales' values.
        device: for PyTorch, where the result goes.

    Returns:
        An array of the operand's shape in elements.
    """
    what = "expand_block_scale"
    fmt = _format(block_scaling_format, what)
    shape, along = _blocked(operand_or_shape, fmt, axis, what)
    values = as_numpy(scale, f"{what}: scale")
    _check_scale_dtype(scale, fmt, what)
    count = int(np.prod(shape)) // fmt.block
    if values.shape != (count,):
        raise InvalidArgumentError(f"{what}: scale has shape {values.shape}; ({count},) is wanted")
    offsets = _all_offsets(shape, along, fmt.block, expand=True)
    if output_dtype is None or str(output_dtype).rpartition(".")[2] == dtype_name(scale):
        named = None if dtype_name(scale) == "uint8" else dtype_name(scale)
        result = from_numpy(values[offsets], scale, named)
    else:
        numbers = _scale_values(scale, fmt)[offsets]
        result = from_numpy(numbers, scale, _name_of(output_dtype))
    return result if device is None or isinstance(result, np.ndarray) else result.to(device)


def _name_of(dtype: Any) -> str:
    name = str(dtype).rpartition(".")[2]
    return str(np.dtype(dtype)) if isinstance(dtype, type) else name


def _scale_values(scale: Any, fmt: BlockScalingFormat) -> np.ndarray:
    if fmt is BlockScalingFormat.NVFP4:
        return decode(scale, "scale")
    return np.ldexp(1.0, as_numpy(scale, "scale").astype(np.int64) - 127)


def create_mxfp8_scale(x: Any, exponent: int, stream: Any = None) -> Any:
    """MXFP8 scales of 2^exponent for all blocks of a matrix.

    Args:
        x: the matrix.
        exponent: a whole number from -127 to 128.
        stream: accepted for compatibility; the current one is used.

    >>> import numpy as np
    >>> create_mxfp8_scale(np.zeros((128, 128)), 1)[:3]
    array([128, 128, 128], dtype=uint8)
    """
    what = "create_mxfp8_scale"
    if not is_array(x):
        raise OperandTypeError(f"{what}: x is of type {type(x).__name__}; an array is wanted")
    if (
        isinstance(exponent, bool)
        or not hasattr(exponent, "__index__")
        or not -127 <= exponent <= 128
    ):
        raise InvalidArgumentError(
            f"{what}: exponent is {exponent!r}; a whole number from -127 to 128 is wanted"
        )
    count = int(np.prod(tuple(x.shape))) // BlockScalingFormat.MXFP8.block
    return from_numpy(np.full(count, exponent + 127, np.uint8), x)


def invert_mxfp8_scale(scale: Any) -> Any:
    """The reciprocals of MXFP8 scales. That of 2^128, which has none, is 2^-127.

    >>> import numpy as np
    >>> invert_mxfp8_scale(np.array([127, 130], np.uint8))
    array([127, 124], dtype=uint8)
    """
    _check_scale_dtype(scale, BlockScalingFormat.MXFP8, "invert_mxfp8_scale")
    values = as_numpy(scale, "invert_mxfp8_scale: scale")
    return from_numpy((254 - np.minimum(values, 254)).astype(np.uint8), scale)


def apply_mxfp8_scale(x: Any, scale: Any, output_dtype: Any = "smallest") -> Any:
    """The numbers of an MXFP8 matrix: elements times the scales of their blocks.

    Args:
        x: the matrix, of any layout with unit stride along one of the last two axes, the blocked one.
        scale: its scales.
        output_dtype: a dtype or its name; "smallest": float32 if it holds every product, else float64.

    Returns:
        An array of x's shape. The products are made in float64.
    """
    factors = expand_block_scale(scale, x, BlockScalingFormat.MXFP8, output_dtype="float64")
    numbers = decode(x, "apply_mxfp8_scale: x") * as_numpy(factors, "scale")
    if output_dtype == "smallest":
        with np.errstate(over="ignore", under="ignore"):
            exact = np.array_equal(numbers.astype(np.float32), numbers, equal_nan=True)
        output_dtype = "float32" if exact else "float64"
    return from_numpy(numbers, x, _name_of(output_dtype))


def quantize_to_fp4(x: Any, axis: int) -> Any:
    """Numbers to the nearest of ±{0, 0.5, 1, 1.5, 2, 3, 4, 6}, two a byte, the first in the low bits.

    Ties go to the even one; what is larger, and NaN, becomes 6.

    Args:
        x: float32, of at least two axes.
        axis: neighbours along this axis, -1 or -2, share a byte.

    Returns:
        float4_e2m1fn_x2 (uint8 in NumPy), half as long along the axis, of unit stride there.

    >>> import numpy as np
    >>> quantize_to_fp4(np.array([[0.5, -6.0]], np.float32), axis=-1)
    array([[241]], dtype=uint8)
    """
    what = "quantize_to_fp4"
    axis = _check_axis(axis, what)
    values = as_numpy(x, f"{what}: x")
    if dtype_name(x) != "float32" or values.ndim < 2 or values.shape[axis] % 2:
        raise InvalidArgumentError(
            f"{what}: x has dtype {dtype_name(x)} and shape {values.shape}; float32, at least two axes and "
            f"an even extent along axis {axis} are wanted"
        )
    along = np.ascontiguousarray(np.moveaxis(values, axis, -1) if axis == -2 else values)
    codes = _fp4_codes(along)
    packed = codes[..., 0::2] | codes[..., 1::2] << 4
    result = from_numpy(packed, x, "float4_e2m1fn_x2")
    return result.swapaxes(-1, -2) if axis == -2 else result


def _fp4_codes(values: np.ndarray) -> np.ndarray:
    magnitude = np.abs(values)
    middles = (_FP4_VALUES[1:] + _FP4_VALUES[:-1]) / 2
    # A tie goes up exactly where the code above is even.
    codes = np.zeros(values.shape, np.uint8)
    for below, middle in enumerate(middles):
        up = magnitude >= middle if below % 2 else magnitude > middle
        codes += up.astype(np.uint8)
    codes[np.isnan(values)] = 7
    signed: np.ndarray = codes | (np.signbit(values) & ~np.isnan(values)).astype(np.uint8) << 3
    return signed


def unpack_fp4(x: Any, axis: int) -> Any:
    """The numbers of packed float4, in float32.

    >>> import numpy as np
    >>> unpack_fp4(np.array([[241]], np.uint8), axis=-1)
    array([[ 0.5, -6. ]], dtype=float32)
    """
    what = "unpack_fp4"
    axis = _check_axis(axis, what)
    if not is_array(x) or dtype_name(x) not in ("float4_e2m1fn_x2", "uint8"):
        raise InvalidArgumentError(
            f"{what}: x is {dtype_name(x) if is_array(x) else type(x).__name__}; packed float4 is wanted "
            "(float4_e2m1fn_x2, in NumPy uint8)"
        )
    codes = as_numpy(x, what)
    table = np.concatenate([_FP4_VALUES, -_FP4_VALUES])
    pairs = np.stack([table[codes & 15], table[codes >> 4]], axis=axis if axis == -1 else -2)
    shape = list(codes.shape)
    shape[axis] *= 2
    return from_numpy(np.ascontiguousarray(pairs.reshape(shape)), x)
