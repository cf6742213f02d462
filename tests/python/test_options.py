# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""How options and execution may be given, and that nobody's object is altered."""

from __future__ import annotations

import copy
import pickle

import mathwright as mw
import numpy as np
import pytest
from mathwright.fft import FFT, FFTDirection, FFTOptions, estimate_workspace_size, fft, irfft, rfft
from mathwright.linalg import (
    DiagonalMatrixQualifier,
    DiagType,
    ExecutionCPU,
    ExecutionCUDA,
    FillMode,
    GeneralMatrixQualifier,
    HermitianMatrixQualifier,
    Matmul,
    MatmulOptions,
    SymmetricMatrixQualifier,
    TriangularMatrixQualifier,
    matmul,
    matrix_qualifiers_dtype,
)

ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    "options", [None, {}, {"blocking": True}, MatmulOptions(), MatmulOptions(blocking=True)]
)
def test_matmul_options_may_be_none_a_dict_or_the_object(options):
    assert matmul(ONES, ONES, options=options)[0, 0] == 2
    assert isinstance(Matmul(ONES, ONES, options=options).options, MatmulOptions)


@pytest.mark.parametrize("options", [None, {}, {"result_layout": "natural"}, FFTOptions()])
def test_fft_options_may_be_none_a_dict_or_the_object(options):
    assert rfft(ONES, options=options)[0, 0] == 4
    assert isinstance(FFT(ONES, options=options).options, FFTOptions)


@pytest.mark.parametrize("options", ["blocking", 3, [("blocking", True)], FFTOptions()])
def test_other_types_of_matmul_options_are_a_type_error(options):
    with pytest.raises(TypeError, match="options"):
        matmul(ONES, ONES, options=options)


def test_an_unknown_field_is_a_type_error():
    with pytest.raises(TypeError, match="colour"):
        matmul(ONES, ONES, options={"colour": "red"})


@pytest.mark.parametrize(
    "fields, kind",
    [
        ({"blocking": False}, ValueError),
        ({"blocking": "yes"}, ValueError),
        ({"inplace": 1}, ValueError),
        ({"allocator": object()}, TypeError),
        ({"logger": "mine"}, TypeError),
    ],
)
@pytest.mark.parametrize("options", [MatmulOptions, FFTOptions])
def test_bad_common_fields_are_refused(options, fields, kind):
    with pytest.raises(kind, match=next(iter(fields))):
        options(**fields)


@pytest.mark.parametrize(
    "fields", [{"fft_type": "R2R"}, {"last_axis_parity": 2}, {"result_layout": "best"}]
)
def test_bad_words_of_fft_options_are_value_errors(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        FFTOptions(**fields)


def test_words_of_fft_options_may_have_any_case():
    options = FFTOptions(fft_type="c2r", last_axis_parity="ODD", result_layout="Natural")

    assert (options.fft_type, options.last_axis_parity, options.result_layout) == (
        "C2R",
        "odd",
        "natural",
    )


@pytest.mark.parametrize(
    "execution",
    [
        None,
        "cpu",
        "CPU",
        {"name": "cpu"},
        {"name": "cpu", "num_threads": 1},
        ExecutionCPU(),
        ExecutionCPU(num_threads=2),
    ],
)
def test_execution_may_be_a_name_a_dict_or_an_object(execution):
    assert matmul(ONES, ONES, execution=execution)[0, 0] == 2
    assert rfft(ONES, execution=execution)[0, 0] == 4
    transform = FFT(ONES, execution=execution)
    assert isinstance(transform.execution_options, ExecutionCPU)


@pytest.mark.parametrize(
    "execution",
    [
        "gpu",
        "hybrid",
        3,
        {"device_id": 0},
        {"name": "cpu", "num_threads": 0},
        {"name": "cpu", "num_threads": "all"},
        {"name": "cuda", "device_id": -1},
        {"name": "cpu", "threads": 2},
    ],
)
def test_a_bad_execution_is_a_value_error(execution):
    with pytest.raises(ValueError, match="execution"):
        matmul(ONES, ONES, execution=execution)
    with pytest.raises(ValueError, match="execution"):
        FFT(ONES, execution=execution)


@pytest.mark.parametrize(
    "make", [lambda: ExecutionCPU(num_threads=0), lambda: ExecutionCUDA(device_id=-1)]
)
def test_bad_counts_of_execution_objects_are_value_errors(make):
    with pytest.raises(ValueError, match="is wanted"):
        make()


RECORDS = [
    MatmulOptions(inplace=True),
    FFTOptions(fft_type="C2C"),
    ExecutionCPU(num_threads=3),
    ExecutionCUDA(),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_records_are_immutable_comparable_hashable_and_picklable(record):
    with pytest.raises(AttributeError, match="immutable"):
        record.blocking = True
    with pytest.raises(TypeError):
        type(record)(1)

    again = pickle.loads(pickle.dumps(record))

    assert again == record and hash(again) == hash(record) and copy.deepcopy(record) == record
    assert again != RECORDS[0] or record is RECORDS[0]
    assert type(record).__name__ in repr(record)


def test_callers_objects_are_not_altered():
    options = {"last_axis_parity": "odd"}
    execution = {"name": "cpu", "num_threads": 1}
    entry = GeneralMatrixQualifier.create(conjugate=True)
    qualifiers = np.array([entry, entry], matrix_qualifiers_dtype)
    before = copy.deepcopy((options, execution, qualifiers))

    irfft(ONES.astype("complex64"), options=options, execution=execution)
    matmul(ONES.astype("complex64"), ONES.astype("complex64"), qualifiers=qualifiers)

    assert (options, execution) == before[:2]
    assert np.array_equal(qualifiers, before[2])


def test_qualifiers_conjugate():
    z = np.array([[1 + 2j, 3j], [0, 1 - 1j]])
    plain, conjugated = (GeneralMatrixQualifier.create(conjugate=flag) for flag in (False, True))

    for first in (plain, conjugated):
        for second in (plain, conjugated):
            d = matmul(z, z, qualifiers=np.array([first, second], matrix_qualifiers_dtype))
            left = z.conj() if first is conjugated else z
            right = z.conj() if second is conjugated else z
            assert np.allclose(d, left @ right)


@pytest.mark.parametrize(
    "entry",
    [
        HermitianMatrixQualifier.create(uplo=FillMode.UPPER),
        SymmetricMatrixQualifier.create(),
        TriangularMatrixQualifier.create(diag=DiagType.UNIT),
        DiagonalMatrixQualifier.create(incx=-1),
    ],
    ids=str,
)
def test_structured_qualifiers_are_refused_by_name(entry):
    qualifiers = np.array([entry, GeneralMatrixQualifier.create()], matrix_qualifiers_dtype)

    with pytest.raises(NotImplementedError, match="qualifier of a is"):
        matmul(ONES, ONES, qualifiers=qualifiers)


def test_bad_qualifiers_are_refused():
    general = GeneralMatrixQualifier.create()
    for bad in (general, [1, 2], np.array([general] * 4, matrix_qualifiers_dtype)):
        with pytest.raises(ValueError, match="qualifiers have"):
            matmul(ONES, ONES, qualifiers=bad)
    conjugated = np.array(
        [general, general, GeneralMatrixQualifier.create(True)], matrix_qualifiers_dtype
    )
    with pytest.raises(ValueError, match="qualifier of c"):
        matmul(ONES, ONES, ONES, beta=1, qualifiers=conjugated)
    for make in (
        lambda: TriangularMatrixQualifier.create(uplo=7),
        lambda: TriangularMatrixQualifier.create(diag=7),
        lambda: DiagonalMatrixQualifier.create(incx=2),
    ):
        with pytest.raises(ValueError, match="qualifier"):
            make()
    with pytest.raises(RuntimeError, match="create"):
        GeneralMatrixQualifier()


@pytest.mark.parametrize("direction", [None, "forward", "FORWARD", FFTDirection.FORWARD, -1])
def test_direction_may_be_a_name_a_number_or_the_enumeration(direction):
    transform = FFT(ONES.astype("complex64"))
    transform.plan()

    assert transform.execute(direction)[0, 0] == 4


@pytest.mark.parametrize("direction", ["backward", 0, 2, 1.0])
def test_other_directions_are_value_errors(direction):
    transform = FFT(ONES.astype("complex64"))
    transform.plan()

    with pytest.raises(ValueError, match="direction"):
        transform.execute(direction)


def test_a_direction_that_the_type_lacks_is_a_value_error():
    transform = FFT(ONES)

    with pytest.raises(ValueError, match="direction inverse of a r2c"):
        transform.plan(direction="inverse")
    transform.plan()
    with pytest.raises(ValueError, match="direction inverse"):
        transform.execute("inverse")


@pytest.mark.parametrize("axes", [(0,), [0, 1], (-1,), (1, 0), 1, np.array([0]), (np.int64(1),)])
def test_axes_may_be_any_sequence_of_whole_numbers(axes):
    x = np.arange(6, dtype="complex128").reshape(2, 3)
    wanted = np.fft.fftn(x, axes=np.atleast_1d(axes))

    assert np.allclose(fft(x, axes=axes), wanted)


@pytest.mark.parametrize("axes", [(), (0, 0), (2,), (-3,), "0", (0.5,), {0: 1}.values])
def test_bad_axes_are_value_errors(axes):
    with pytest.raises(ValueError, match="ax[ie]s"):
        fft(ONES.astype("complex64"), axes=axes)


def test_raw_device_code_is_no_function():
    calls = [
        lambda: fft(ONES.astype("complex64"), prolog=b"ltoir"),
        lambda: FFT(ONES).plan(epilog=b"ltoir"),
        lambda: FFT.create_key(ONES, prolog={"ltoir": b""}),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match="function"):
            call()


def test_keys_are_equal_exactly_for_equal_problems():
    x = np.ones((4, 6), "complex64")
    key = FFT.create_key(x)
    transform = FFT(x)
    with pytest.raises(RuntimeError, match=r"plan\(\)"):
        transform.get_key()
    transform.plan()

    assert key == transform.get_key() == FFT.create_key(x.copy(), axes=(0, 1))
    assert key == FFT.create_key_from_metadata((4, 6), "complex64", "cpu")
    assert hash(key) == hash(FFT.create_key(np.zeros_like(x))) and len(key) == 3
    for other in (
        FFT.create_key(x, axes=(1,)),
        FFT.create_key(x.T.copy().T),
        FFT.create_key(x.astype("complex128")),
        FFT.create_key(x, options={"inplace": True}),
        FFT.create_key(x, options={"fft_type": "C2R"}),
        FFT.create_key(x, execution=ExecutionCPU(num_threads=7)),
        FFT.create_key_from_metadata((4, 6), "complex64", "cpu", strides=(12, 2)),
    ):
        assert key != other
    assert estimate_workspace_size(key) == transform.workspace_bytes


@pytest.mark.parametrize(
    "shape, dtype, space, more",
    [
        ((4,), "complex65", "cpu", {}),
        ((4,), "complex64", "disk", {}),
        ((), "complex64", "cpu", {}),
        ((4,), "complex64", "cpu", {"strides": (1, 2)}),
    ],
)
def test_bad_metadata_of_a_key_is_a_value_error(shape, dtype, space, more):
    with pytest.raises(ValueError):
        FFT.create_key_from_metadata(shape, dtype, space, **more)


def test_a_bad_key_or_technique_is_a_value_error():
    with pytest.raises(ValueError, match="key"):
        estimate_workspace_size(("no", "key"))
    with pytest.raises(ValueError, match="technique"):
        estimate_workspace_size(FFT.create_key(ONES), technique="guess")


def test_enumerations_have_the_values_of_the_libraries():
    assert mw.ComputeType.COMPUTE_TF32 == 4096 and mw.ComputeType.COMPUTE_64F == 16
    assert mw.CudaDataType.CUDA_R_8F_E5M2 == 29 and mw.CudaDataType.CUDA_C_16BF == 15
    assert mw.LibraryPropertyType.PATCH_LEVEL == 2


def test_a_memory_pointer_is_freed_once():
    freed = []
    block = mw.MemoryPointer(64, 16, lambda: freed.append(1))

    block.free()
    with pytest.raises(RuntimeError, match="freed before"):
        block.free()
    mw.MemoryPointer(64, 16, None).free()
    other = mw.MemoryPointer(64, 16, lambda: freed.append(2))
    del other

    assert freed == [1, 2]


def test_memory_managers_are_recognised_by_their_methods():
    class Manager:
        def __init__(self, device_id, logger):
            pass

        def memalloc(self, size):
            raise AssertionError("host work takes no device memory")

    manager = Manager(0, None)

    assert isinstance(manager, mw.BaseCUDAMemoryManager)
    assert not isinstance(manager, mw.BaseCUDAMemoryManagerAsync)
    assert matmul(ONES, ONES, options={"allocator": manager}, execution="cpu")[0, 0] == 2


def test_the_plan_cache_can_be_looked_at_limited_and_cleared():
    before = mw.plan_cache.statistics()
    mw.plan_cache.clear()
    matmul(ONES, ONES)
    matmul(ONES, ONES)

    entries = mw.plan_cache.entries()

    assert len(entries) == 1 and entries[0]["hits"] == 1 and "matmul" in entries[0]["title"]
    mw.plan_cache.limit(0, 1 << 20)
    try:
        matmul(ONES, ONES)
        assert mw.plan_cache.entries() == []
    finally:
        mw.plan_cache.limit(before["count_limit"], before["bytes_limit"])
