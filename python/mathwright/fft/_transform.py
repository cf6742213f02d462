# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: the functions and the object."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

from mathwright import _core
from mathwright.fft._keys import check_callbacks

__all__ = ["FFT", "fft", "ifft", "irfft", "rfft"]


def fft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Any = None,
    epilog: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """Forward complex transform, X[k] = Σ_j x[j] exp(−2πi jk/n) per axis, unnormalised.

    Args:
        operand: complex64 or complex128 (on CUDA also complex32), any rank from 1, any strides and
            lengths. Not written unless the option ``inplace`` is set.
        axes: which axes; negative ones wrap. None: all.
        options: :class:`FFTOptions`, a dict of its fields, or None.
        execution: ``"cpu"``, ``"cuda"``, :class:`ExecutionCPU`, :class:`ExecutionCUDA`, a dict, or None:
            where the operand is.
        prolog, epilog: callbacks; not available yet, so None.
        stream: where device work is queued: None (the package's current stream), a handle as int, or
            a stream object of the operand's package.
        out: an array for the result, of any layout with an element of its own for every index.

    Returns:
        An array of the operand's package, shape, dtype and device, in C order; ``out``, or the operand with
        the option ``inplace``, if the result goes there.

    Raises:
        InvalidArgumentError: dtype, axes, shapes, ``out``, options. (``ValueError``)
        OperandTypeError: an operand that is no array. (``TypeError``, ``ValueError``)
        TypeMismatchError: ``out``, or a stream, of another package. (``TypeError``)
        UnsupportedError: nothing can do it, or a callback. (``NotImplementedError``)
        NotFoundError: a library or device is missing. (``RuntimeError``)

    >>> import numpy as np
    >>> from mathwright.fft import fft
    >>> fft(np.ones(4, "complex128")).real
    array([4., 0., 0., 0.])
    """
    if prolog is not None or epilog is not None:
        check_callbacks(prolog=prolog, epilog=epilog)
    return _core.fft(operand, axes, options, execution, stream, out, 0)


def ifft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Any = None,
    epilog: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """Inverse complex transform, x[j] = Σ_k X[k] exp(+2πi jk/n) per axis, unnormalised.

    Arguments, result and errors are those of :func:`fft`; divide by the number of points for the
    inverse in the strict sense.

    >>> import numpy as np
    >>> from mathwright.fft import fft, ifft
    >>> (ifft(fft(np.arange(3, dtype="complex128"))) / 3).real.round(12)
    array([0., 1., 2.])
    """
    if prolog is not None or epilog is not None:
        check_callbacks(prolog=prolog, epilog=epilog)
    return _core.fft(operand, axes, options, execution, stream, out, 1)


def rfft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Any = None,
    epilog: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """Forward transform of real data; the other half of the last listed axis is redundant and left out.

    Args:
        operand: float32 or float64 (on CUDA also float16).

    The other arguments are those of :func:`fft`. The last listed axis, of extent n, becomes n//2 + 1.

    Raises:
        ComplexOperandError: a complex operand. (``ValueError``, ``RuntimeError``)

    The other errors are those of :func:`fft`.

    >>> import numpy as np
    >>> from mathwright.fft import rfft
    >>> rfft(np.ones(5)).shape
    (3,)
    """
    if prolog is not None or epilog is not None:
        check_callbacks(prolog=prolog, epilog=epilog)
    return _core.fft(operand, axes, options, execution, stream, out, 2)


def irfft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Any = None,
    epilog: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """Inverse of :func:`rfft`, unnormalised: real data from half a Hermitian spectrum.

    Args:
        operand: complex64 or complex128 (on CUDA also complex32), taken as the half of a Hermitian
            spectrum: imaginary parts of entries that must be real are ignored. Not written.

    The other arguments and the errors are those of :func:`fft`. The last listed axis, of extent m, becomes
    2(m−1), or 2m−1 with the option ``last_axis_parity="odd"``.

    >>> import numpy as np
    >>> from mathwright.fft import rfft, irfft
    >>> irfft(rfft(np.array([1.0, 2.0, 3.0])), options={"last_axis_parity": "odd"}) / 3
    array([1., 2., 3.])
    """
    if prolog is not None or epilog is not None:
        check_callbacks(prolog=prolog, epilog=epilog)
    return _core.fft(operand, axes, options, execution, stream, out, 3)


class FFT(_core.FFTSession):
    """The same transform many times: plan once, execute often.

    Arguments are those of :func:`fft`; whether it is complex to complex, real to complex or complex to
    real is the option ``fft_type``. The operand's memory is read at each :meth:`execute` and never
    written unless the option ``inplace`` is set, so executions may be repeated. An object may be used
    from any thread, by one at a time (others wait); it is a context manager that frees itself.

    Raises:
        The errors of :func:`fft` that do not depend on the machine.

    >>> import numpy as np
    >>> from mathwright.fft import FFT
    >>> x = np.ones(4, "complex64")
    >>> with FFT(x) as transform:
    ...     transform.plan()
    ...     spectrum = transform.execute()
    ...     back = transform.execute("inverse")
    >>> spectrum[0], back[0]
    (np.complex64(4+0j), np.complex64(4+0j))
    """

    def __init__(
        self,
        operand: Any,
        /,
        *,
        axes: Sequence[int] | None = None,
        options: Any = None,
        execution: Any = None,
        stream: Any = None,
        out: Any = None,
    ) -> None:
        self._options = options
        self._execution = execution
        super().__init__(operand, axes, options, execution, stream, out)

    @property
    def options(self) -> Any:
        """The options as an :class:`FFTOptions`."""
        from mathwright.fft._options import coerce_options

        return coerce_options(self._options)

    @property
    def execution_options(self) -> Any:
        """The execution as :class:`ExecutionCPU` or :class:`ExecutionCUDA`."""
        from mathwright._execution import ExecutionCPU, ExecutionCUDA, coerce_execution

        given = coerce_execution(self._execution)
        if given is not None:
            return given
        return ExecutionCUDA() if self._on_cuda else ExecutionCPU()

    @property
    def logger(self) -> Any:
        """The logger of this object's records."""
        import logging

        return self.options.logger or logging.getLogger("mathwright")

    def plan(
        self,
        *,
        prolog: Any = None,
        epilog: Any = None,
        stream: Any = None,
        direction: Any = None,
    ) -> None:
        """Chooses the implementation; a second call does nothing.

        Args:
            prolog, epilog: callbacks; not available yet, so None.
            stream: as for :func:`fft`.
            direction: the only direction that will be executed; None: all that the type has.

        Raises:
            InvalidArgumentError: a direction that the transform does not have.
            UnsupportedError: nothing can do it; all reasons are listed.
            InvalidStateError: after free().

        >>> import numpy as np
        >>> transform = FFT(np.ones(4, "complex64"))
        >>> transform.plan()
        >>> transform.planned
        True
        """
        if prolog is not None or epilog is not None:
            check_callbacks(prolog=prolog, epilog=epilog)
        self._plan(stream, direction)

    def reset_operand(self, operand: Any = None, *, out: Any = None, stream: Any = None) -> None:
        """Another operand of the same shape, strides, dtype, package and device.

        Args:
            operand: in place of the one now.
            out: in place of the ``out`` the object was made with.
            stream: as for :func:`fft`.

        Raises:
            InvalidArgumentError: a mismatch, or nothing given. The object is then as it was.
            TypeMismatchError: another package.
            InvalidStateError: after free().

        >>> import numpy as np
        >>> transform = FFT(np.ones(4, "complex64"))
        >>> transform.plan()
        >>> transform.reset_operand(np.full(4, 2, "complex64"))
        >>> transform.execute()[0]
        np.complex64(8+0j)
        """
        self._reset(operand, out, stream)

    def reset_operand_unchecked(
        self, operand: Any = None, *, out: Any = None, stream: Any = None
    ) -> None:
        """The same on the caller's word that the layout is the one planned: only addresses are taken.

        >>> import numpy as np
        >>> transform = FFT(np.ones(4, "complex64"))
        >>> transform.plan()
        >>> transform.reset_operand_unchecked(np.zeros(4, "complex64"))
        >>> transform.execute()[0]
        np.complex64(0j)
        """
        self._reset_unchecked(operand, out)

    def get_input_layout(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shape and strides (in elements) of the operand as it is read.

        >>> import numpy as np
        >>> FFT(np.ones((2, 4), "complex64")).get_input_layout()
        ((2, 4), (4, 1))
        """
        return self._layout(False)

    def get_output_layout(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shape and strides (in elements) of the result.

        >>> import numpy as np
        >>> FFT(np.ones((2, 4), "float32")).get_output_layout()
        ((2, 3), (3, 1))
        """
        return self._layout(True)

    def get_key(self, *, prolog: Any = None, epilog: Any = None) -> Hashable:
        """The key of this transform; equal to what create_key() makes of the same arguments.

        Raises:
            InvalidStateError: before plan(). (``RuntimeError``)

        >>> import numpy as np
        >>> x = np.ones(4, "complex64")
        >>> transform = FFT(x)
        >>> transform.plan()
        >>> transform.get_key() == FFT.create_key(x)
        True
        """
        check_callbacks(prolog=prolog, epilog=epilog)
        return self._key()

    @staticmethod
    def create_key(
        operand: Any,
        *,
        axes: Sequence[int] | None = None,
        options: Any = None,
        execution: Any = None,
        prolog: Any = None,
        epilog: Any = None,
    ) -> Hashable:
        """What a plan for these arguments depends on, as a hashable value; the data is not read.

        Equal keys, equal plans. The key is a tuple (problem, callbacks, execution) of plain values.

        Raises:
            InvalidArgumentError: as :func:`fft`.

        >>> import numpy as np
        >>> one = FFT.create_key(np.ones((2, 4), "complex64"), axes=(1,))
        >>> one == FFT.create_key(np.zeros((2, 4), "complex64"), axes=(-1,))
        True
        """
        check_callbacks(prolog=prolog, epilog=epilog)
        return _core.fft_key(operand, axes, options, execution)

    @staticmethod
    def create_key_from_metadata(
        shape: Sequence[int],
        dtype: str,
        memory_space: Literal["cpu", "cuda"],
        *,
        strides: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        options: Any = None,
        execution: Any = None,
        prolog: Any = None,
        epilog: Any = None,
    ) -> Hashable:
        """The key of an operand that need not exist.

        Args:
            shape: its extents.
            dtype: the name of its dtype.
            memory_space: where it would be: "cpu" or "cuda" (device 0).
            strides: in elements; None: C order.

        The other arguments are those of create_key().

        Raises:
            InvalidArgumentError: an unknown dtype or space, strides of another length, and as
                :func:`fft`.

        >>> import numpy as np
        >>> key = FFT.create_key_from_metadata((2, 4), "complex64", "cpu")
        >>> key == FFT.create_key(np.ones((2, 4), "complex64"))
        True
        """
        check_callbacks(prolog=prolog, epilog=epilog)
        return _core.fft_key_from_metadata(
            shape, dtype, memory_space, strides, axes, options, execution
        )
