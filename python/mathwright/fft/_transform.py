# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: the functions and the object."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from mathwright import _core

__all__ = ["FFT", "fft", "ifft", "irfft", "rfft"]

Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
_ONE = 1.0  # the default scale, known by identity


def _more(
    n: Any,
    s: Any,
    norm: Any,
    scale: Any,
    prolog: Any,
    epilog: Any,
    prolog_inputs: Any,
    epilog_inputs: Any,
    orthogonalize: bool = False,
) -> tuple[Any, ...] | None:
    """The arguments that most calls do not have; None if there are none of them."""
    plain = n is s is norm is prolog is epilog is prolog_inputs is epilog_inputs is None
    if plain and scale is _ONE and not orthogonalize:
        return None
    return (n, s, norm, scale, prolog, epilog, prolog_inputs, epilog_inputs, orthogonalize)


def fft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Callable[..., Any] | None = None,
    epilog: Callable[..., Any] | None = None,
    stream: Any = None,
    out: Any = None,
    n: int | None = None,
    s: Sequence[int] | None = None,
    norm: Norm = None,
    scale: float = _ONE,
    prolog_inputs: Mapping[str, Any] | None = None,
    epilog_inputs: Mapping[str, Any] | None = None,
) -> Any:
    """Forward complex transform, X[k] = Σ_j x[j] exp(−2πi jk/n) per axis, by default unnormalised.

    Args:
        operand: complex32, complex64 or complex128, any rank from 1, any strides and lengths; with a
            prolog of any dtype. Not written unless the option ``inplace`` is set.
        axes: which axes; negative ones wrap. None: all.
        options: :class:`FFTOptions`, a dict of its fields, or None.
        execution: ``"cpu"``, ``"cuda"``, :class:`ExecutionCPU`, :class:`ExecutionCUDA`, a dict, or None:
            where the operand is.
        prolog: a function of the operand's elements, before the transform: an ordinary function, or an
            :class:`~mathwright.Expr`. Its first parameter is the element; the others are named in
            ``prolog_inputs``; one called ``i`` or ``index`` is the element's index. It gives a value,
            or a dict of them with ``"result"`` among them, which is what is transformed; others may be
            reductions. Floats and integers of up to 16 bits are then transformed in single precision.
        epilog: a function of the transform's elements, in the same way; its ``"result"`` is the result,
            in its own dtype, and may be a reduction.
        stream: where device work is queued: None (the package's current stream), a handle as int, or
            a stream object of the operand's package.
        out: an array for the result, of any layout with an element of its own for every index. With an
            epilog, of any dtype its result can be converted to.
        n, s: the length of the transform, or one for each of ``axes``. A longer operand is cropped to its
            first points, a shorter one padded with zeros, after the prolog; nothing is copied for it.
        norm: by what the result is multiplied, for N points: None by 1 in both directions; "backward"
            by 1/N in the inverse, "forward" by 1/N in the forward, "ortho" by 1/√N in either.
        scale: one more factor. Both are applied before the epilog.
        prolog_inputs, epilog_inputs: arrays and numbers for the functions' other parameters, by name.
            Arrays broadcast, by NumPy's rules, against the (cropped) operand, or the transform; numbers
            may change between executions at no cost.

    Returns:
        An array of the operand's package, shape, dtype and device, in C order; ``out``, or the operand with
        the option ``inplace``, if the result goes there. With functions of several outputs a pair of it and
        a dict of the others.

    Raises:
        InvalidArgumentError: dtype, axes, lengths, shapes, ``out``, options, functions. (``ValueError``)
        OperandTypeError: an operand that is no array. (``TypeError``, ``ValueError``)
        TypeMismatchError: ``out``, an input or a stream of another package; a branch on a value in a
            function. (``TypeError``)
        UnsupportedError: nothing can do it. (``NotImplementedError``)
        NotFoundError: a library or device is missing. (``RuntimeError``)

    >>> import numpy as np
    >>> from mathwright.fft import fft
    >>> fft(np.ones(4, "complex128")).real
    array([4., 0., 0., 0.])

    The power spectrum of 16-bit samples under a window, in one go:

    >>> x, window = np.arange(8, dtype="int16"), np.hanning(8)
    >>> power = fft(x, prolog=lambda x, w: x * w, prolog_inputs={"w": window},
    ...             epilog=lambda z: z.real**2 + z.imag**2)
    >>> bool(np.allclose(power, np.abs(np.fft.fft(x * window)) ** 2))
    True
    """
    more = _more(n, s, norm, scale, prolog, epilog, prolog_inputs, epilog_inputs)
    return _core.fft(operand, axes, options, execution, stream, out, 0, more)


def ifft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Callable[..., Any] | None = None,
    epilog: Callable[..., Any] | None = None,
    stream: Any = None,
    out: Any = None,
    n: int | None = None,
    s: Sequence[int] | None = None,
    norm: Norm = None,
    scale: float = _ONE,
    prolog_inputs: Mapping[str, Any] | None = None,
    epilog_inputs: Mapping[str, Any] | None = None,
) -> Any:
    """Inverse complex transform, x[j] = Σ_k X[k] exp(+2πi jk/n) per axis, unnormalised.

    Arguments, result and errors are those of :func:`fft`; divide by the number of points for the
    inverse in the strict sense.

    >>> import numpy as np
    >>> from mathwright.fft import fft, ifft
    >>> (ifft(fft(np.arange(3, dtype="complex128"))) / 3).real.round(12)
    array([0., 1., 2.])
    """
    more = _more(n, s, norm, scale, prolog, epilog, prolog_inputs, epilog_inputs)
    return _core.fft(operand, axes, options, execution, stream, out, 1, more)


def rfft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Callable[..., Any] | None = None,
    epilog: Callable[..., Any] | None = None,
    stream: Any = None,
    out: Any = None,
    n: int | None = None,
    s: Sequence[int] | None = None,
    norm: Norm = None,
    scale: float = _ONE,
    prolog_inputs: Mapping[str, Any] | None = None,
    epilog_inputs: Mapping[str, Any] | None = None,
) -> Any:
    """Forward transform of real data; the other half of the last listed axis is redundant and left out.

    Args:
        operand: float16, bfloat16, float32 or float64; with a prolog, anything of which it makes real numbers.

    The other arguments are those of :func:`fft`. The last listed axis, of extent n, becomes n//2 + 1.

    Raises:
        ComplexOperandError: a complex operand. (``ValueError``, ``RuntimeError``)

    The other errors are those of :func:`fft`.

    >>> import numpy as np
    >>> from mathwright.fft import rfft
    >>> rfft(np.ones(5)).shape
    (3,)
    """
    more = _more(n, s, norm, scale, prolog, epilog, prolog_inputs, epilog_inputs)
    return _core.fft(operand, axes, options, execution, stream, out, 2, more)


def irfft(
    operand: Any,
    /,
    *,
    axes: Sequence[int] | None = None,
    options: Any = None,
    execution: Any = None,
    prolog: Callable[..., Any] | None = None,
    epilog: Callable[..., Any] | None = None,
    stream: Any = None,
    out: Any = None,
    n: int | None = None,
    s: Sequence[int] | None = None,
    norm: Norm = None,
    scale: float = _ONE,
    prolog_inputs: Mapping[str, Any] | None = None,
    epilog_inputs: Mapping[str, Any] | None = None,
) -> Any:
    """Inverse of :func:`rfft`, unnormalised: real data from half a Hermitian spectrum.

    Args:
        operand: complex32, complex64 or complex128, taken as the half of a Hermitian spectrum: imaginary
            parts of entries that must be real are ignored. Not written.

    The other arguments and the errors are those of :func:`fft`. The last listed axis, of extent m, becomes
    2(m−1), or 2m−1 with the option ``last_axis_parity="odd"``, or what ``n`` or ``s`` say.

    >>> import numpy as np
    >>> from mathwright.fft import rfft, irfft
    >>> irfft(rfft(np.array([1.0, 2.0, 3.0])), options={"last_axis_parity": "odd"}) / 3
    array([1., 2., 3.])
    """
    more = _more(n, s, norm, scale, prolog, epilog, prolog_inputs, epilog_inputs)
    return _core.fft(operand, axes, options, execution, stream, out, 3, more)


class FFT(_core.FFTSession):
    """The same transform many times: plan once, execute often.

    Arguments are those of :func:`fft`; whether it is complex to complex, real to complex, complex to
    real or a cosine or sine transform is the option ``fft_type``; the latter have the direction "forward"
    only, count 2n points for ``norm`` (type 1: 2(n∓1)), and take ``orthogonalize``, see
    :func:`mathwright.fft.dct`. Functions may be given here or to :meth:`plan`. The operand's memory is read
    at each :meth:`execute` and never written unless the option ``inplace`` is set, so executions may be
    repeated. An object may be used from any thread, by one at a time (others wait); it is a context manager
    that frees itself.

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
        n: int | None = None,
        s: Sequence[int] | None = None,
        norm: Norm = None,
        scale: float = _ONE,
        prolog: Callable[..., Any] | None = None,
        epilog: Callable[..., Any] | None = None,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
        orthogonalize: bool = False,
    ) -> None:
        self._options = options
        self._execution = execution
        inputs = prolog_inputs, epilog_inputs
        more = _more(n, s, norm, scale, prolog, epilog, *inputs, orthogonalize)
        super().__init__(operand, axes, options, execution, stream, out, more)

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
        prolog: Callable[..., Any] | None = None,
        epilog: Callable[..., Any] | None = None,
        stream: Any = None,
        direction: Any = None,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Chooses the implementation; a second call without functions does nothing.

        Args:
            prolog, epilog, prolog_inputs, epilog_inputs: as for :func:`fft`; they take the place of those
                of an earlier call.
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
        self._plan(stream, direction, prolog, epilog, prolog_inputs, epilog_inputs)

    def autotune(
        self,
        *,
        iterations: int | None = None,
        prune: int | None = None,
        seconds: float | None = None,
        release_workspace: bool = False,
        stream: Any = None,
    ) -> dict[str, Any]:
        """Times the ways there are to run the transform and changes to the fastest.

        Arguments, result and errors are those of :meth:`mathwright.linalg.Matmul.autotune`.

        >>> import numpy as np
        >>> transform = FFT(np.ones(4, "complex64"))
        >>> transform.plan()
        >>> transform.autotune(seconds=0.01)["candidate"] != ""
        True
        """
        from mathwright.tune import autotune

        return autotune(self, iterations, prune, seconds, release_workspace, stream)

    def reset_operand(
        self,
        operand: Any = None,
        *,
        out: Any = None,
        stream: Any = None,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Another operand of the same shape, strides, dtype, package and device.

        Args:
            operand: in place of the one now.
            out: in place of the ``out`` the object was made with.
            stream: as for :func:`fft`.
            prolog_inputs, epilog_inputs: other arrays of the same kind, or numbers, for the planned
                functions; those not named stay.

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
        self._reset(operand, out, stream, prolog_inputs, epilog_inputs)

    def reset_operand_unchecked(
        self,
        operand: Any = None,
        *,
        out: Any = None,
        stream: Any = None,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """The same on the caller's word that the layout is the one planned: only addresses are taken.

        >>> import numpy as np
        >>> transform = FFT(np.ones(4, "complex64"))
        >>> transform.plan()
        >>> transform.reset_operand_unchecked(np.zeros(4, "complex64"))
        >>> transform.execute()[0]
        np.complex64(0j)
        """
        self._reset_unchecked(operand, out, prolog_inputs, epilog_inputs)

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

        Args:
            prolog, epilog: accepted for compatibility; the planned functions are known.

        Raises:
            InvalidStateError: before plan(). (``RuntimeError``)

        >>> import numpy as np
        >>> x = np.ones(4, "complex64")
        >>> transform = FFT(x)
        >>> transform.plan()
        >>> transform.get_key() == FFT.create_key(x)
        True
        """
        return self._key()

    @staticmethod
    def create_key(
        operand: Any,
        *,
        axes: Sequence[int] | None = None,
        options: Any = None,
        execution: Any = None,
        prolog: Callable[..., Any] | None = None,
        epilog: Callable[..., Any] | None = None,
        n: int | None = None,
        s: Sequence[int] | None = None,
        norm: Norm = None,
        scale: float = _ONE,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
        orthogonalize: bool = False,
    ) -> Hashable:
        """What a plan for these arguments depends on, as a hashable value; the data is not read.

        Equal keys, equal plans. The key is a tuple (problem, functions, execution) of plain values.

        Raises:
            InvalidArgumentError: as :func:`fft`.

        >>> import numpy as np
        >>> one = FFT.create_key(np.ones((2, 4), "complex64"), axes=(1,))
        >>> one == FFT.create_key(np.zeros((2, 4), "complex64"), axes=(-1,))
        True
        """
        inputs = prolog_inputs, epilog_inputs
        more = _more(n, s, norm, scale, prolog, epilog, *inputs, orthogonalize)
        return _core.fft_key(operand, axes, options, execution, more)

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
        prolog: Callable[..., Any] | None = None,
        epilog: Callable[..., Any] | None = None,
        n: int | None = None,
        s: Sequence[int] | None = None,
        norm: Norm = None,
        scale: float = _ONE,
        prolog_inputs: Mapping[str, Any] | None = None,
        epilog_inputs: Mapping[str, Any] | None = None,
        orthogonalize: bool = False,
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
        inputs = prolog_inputs, epilog_inputs
        more = _more(n, s, norm, scale, prolog, epilog, *inputs, orthogonalize)
        return _core.fft_key_from_metadata(
            shape, dtype, memory_space, strides, axes, options, execution, more
        )
