# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products: the function and the object."""

from __future__ import annotations

from typing import Any

from mathwright import _core

__all__ = ["Matmul", "matmul"]


def matmul(
    a: Any,
    b: Any,
    /,
    c: Any = None,
    *,
    alpha: complex | None = None,
    beta: complex | None = None,
    epilog: Any = None,
    epilog_inputs: dict[str, Any] | None = None,
    qualifiers: Any = None,
    options: Any = None,
    execution: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """D = F(α·op(A)·op(B) + β·C), over batches.

    Args:
        a: shape ``(…, m, k)``; one-dimensional means a row ``(1, k)``.
        b: shape ``(…, k, n)``; one-dimensional means a column ``(k, 1)``. The leading axes of a and b
            are batches and broadcast by NumPy's rules.
        c: exactly the result's shape ``(…, m, n)``, without the axes that one-dimensional operands
            were given. Needs ``beta``.
        alpha: scales the product. Default 1.
        beta: scales ``c``, which is not read when it is 0.
        epilog: F, an ordinary function of the element and of the inputs named in ``epilog_inputs``, made
            of arithmetic and of Mathwright's functions (:func:`mathwright.relu`, …); or an
            :class:`mathwright.Expr`. It is run once to record it. Default: none. A function that returns
            a dict with ``"result"`` gives the other entries as auxiliary results.
        epilog_inputs: arrays that broadcast against D by NumPy's rules, and numbers, by the names of the
            function's parameters.
        qualifiers: array of :data:`matrix_qualifiers_dtype` for a, b (and c); general ones may conjugate.
        options: :class:`MatmulOptions`, a dict of its fields, or None.
        execution: ``"cpu"``, ``"cuda"``, :class:`ExecutionCPU`, :class:`ExecutionCUDA`, a dict, or None:
            where the operands are.
        stream: where device work is queued: None (the package's current stream), a handle as int, or
            a stream object of the operands' package.
        out: an array for the result, of any layout with an element of its own for every index.

    Operands are arrays of one package, one dtype (float32, float64, complex64, complex128; on CUDA
    also float16 and bfloat16, computed in float32), on one device, in any layout: views with zero,
    negative or padded strides, read-only arrays. PyTorch's lazy conjugation is honoured; gradients are
    not recorded. Subclasses of ``numpy.ndarray`` count as plain arrays.

    Explicit batches: if a, b (and c, qualifiers, out) are lists or tuples, each item is a problem of
    its own, of its own shape and layout; lengths are equal or 1, α and β single or sequences, and the
    result is a list.

    Returns:
        D in C order, an array of the operands' package on their device; ``out``, or ``c`` with the option
        ``inplace``, if the result goes there. With auxiliary results a tuple of it and a dict of those.

    Raises:
        InvalidArgumentError: shapes, dtypes, devices, ``out``, ``beta``, options. (``ValueError``)
        OperandTypeError: an operand that is no array. (``TypeError``, ``ValueError``)
        TypeMismatchError: operands, or a stream, of different packages. (``TypeError``)
        UnsupportedError: nothing can do it; all reasons are listed. (``NotImplementedError``)
        NotFoundError: a library or device is missing. (``RuntimeError``)

    >>> import numpy as np
    >>> from mathwright.linalg import matmul
    >>> a, b, c = np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 2))
    >>> matmul(a, b, c, alpha=2, beta=-1)
    array([[5., 5.],
           [5., 5.]])
    >>> [d.shape for d in matmul([a, b], [b, a])]
    [(2, 2), (3, 3)]
    """
    if isinstance(a, (list, tuple)):
        from mathwright.linalg._explicit import each

        varying = {"a": a, "b": b, "c": c, "out": out}
        numbers = {"alpha": alpha, "beta": beta, "qualifiers": qualifiers}
        common = {
            "epilog": epilog,
            "epilog_inputs": epilog_inputs,
            "options": options,
            "execution": execution,
            "stream": stream,
        }
        return each(matmul, {**varying, **numbers}, common)
    bits = 0 if qualifiers is None else _conjugate_bits(qualifiers)
    if epilog is not None or epilog_inputs is not None:
        return _core.matmul_fused(
            a, b, c, alpha, beta, bits, options, execution, stream, out, epilog, epilog_inputs
        )
    return _core.matmul(a, b, c, alpha, beta, bits, options, execution, stream, out)


class Matmul(_core.MatmulSession):
    """The same product many times: plan once, execute often.

    Arguments are those of :func:`matmul`; the operands' memory is read at each :meth:`execute`, so
    values may change in place between executions. An object may be used from any thread, by one at
    a time (others wait); it is a context manager that frees itself at the end.

    Raises:
        The errors of :func:`matmul` that do not depend on the machine.

    >>> import numpy as np
    >>> from mathwright.linalg import Matmul
    >>> a, b = np.ones((2, 3)), np.ones((3, 2))
    >>> with Matmul(a, b) as product:
    ...     product.plan()
    ...     first = product.execute()
    ...     a *= 2
    ...     second = product.execute()
    >>> first[0, 0], second[0, 0]
    (np.float64(3.0), np.float64(6.0))
    """

    def __new__(cls, a: Any, *args: Any, **kwargs: Any) -> Matmul:
        if cls is Matmul and isinstance(a, (list, tuple)):
            from mathwright.linalg._explicit import ExplicitMatmul

            return super().__new__(ExplicitMatmul)
        return super().__new__(cls)

    def __init__(
        self,
        a: Any,
        b: Any,
        /,
        c: Any = None,
        *,
        alpha: complex | None = None,
        beta: complex | None = None,
        qualifiers: Any = None,
        options: Any = None,
        execution: Any = None,
        stream: Any = None,
        out: Any = None,
    ) -> None:
        self._options = options
        bits = 0 if qualifiers is None else _conjugate_bits(qualifiers)
        super().__init__(a, b, c, alpha, beta, bits, options, execution, stream, out)

    @property
    def options(self) -> Any:
        """The options as a :class:`MatmulOptions`."""
        from mathwright.linalg._options import coerce_options

        return coerce_options(self._options)

    def plan(
        self,
        *,
        epilog: Any = None,
        epilog_inputs: dict[str, Any] | None = None,
        stream: Any = None,
    ) -> None:
        """Chooses the implementation; again for another epilog, else a second call does nothing.

        Args:
            epilog, epilog_inputs, stream: as for :func:`matmul`.

        Raises:
            UnsupportedError: nothing can do it; all reasons are listed.
            InvalidStateError: after free().

        >>> import numpy as np
        >>> product = Matmul(np.ones((2, 2)), np.ones((2, 2)))
        >>> product.plan()
        >>> product.planned
        True
        """
        self._plan(stream, epilog, epilog_inputs)

    def autotune(
        self,
        *,
        iterations: int | None = None,
        prune: int | None = None,
        seconds: float | None = None,
        release_workspace: bool = False,
        stream: Any = None,
    ) -> dict[str, Any]:
        """Times the ways there are to run the product and changes to the fastest.

        Every candidate that accepted takes part, with its variants: a vendor's algorithms, tiles, thread
        counts. They run in random order with cold caches, the slower half drops out after each round, and
        the plan at hand is kept unless another is clearly faster. Operands are only read; results go to
        scratch memory. The winner is remembered for later objects and processes (:mod:`mathwright.tune`).

        Args:
            iterations: executions of every alternative, without dropping any; None: as the time allows.
            prune: how many alternatives to keep in the list; None: all.
            seconds: what it may take. Default 0.15 on a device and 0.5 on the host, or 30 executions of
                the plan at hand, whichever is longer; no bound with ``iterations``.
            release_workspace: give the scratch memory back at the end.
            stream: as for :func:`matmul`.

        Returns:
            ``candidate`` and ``description`` of the plan now, ``changed``, seconds ``before`` and ``after``
            (medians), how many ``alternatives`` there were and were ``timed``, seconds ``spent``.

        Raises:
            InvalidStateError: before plan(), after release_operands() or free(), during a graph capture.
            OutOfMemoryError: no memory for the results. The object is then as it was.

        >>> import numpy as np
        >>> product = Matmul(np.ones((8, 8)), np.ones((8, 8)))
        >>> product.plan()
        >>> product.autotune(seconds=0.01)["after"] > 0
        True
        """
        from mathwright.tune import autotune

        return autotune(self, iterations, prune, seconds, release_workspace, stream)

    def reset_operands(
        self,
        *,
        a: Any = None,
        b: Any = None,
        c: Any = None,
        alpha: complex | None = None,
        beta: complex | None = None,
        epilog_inputs: dict[str, Any] | None = None,
        out: Any = None,
        stream: Any = None,
    ) -> None:
        """Other operands of the same shapes, strides, dtypes, package and device; what is None stays.

        Args:
            a, b, c, out: arrays in place of those the object was made with (only of those).
            alpha, beta: new factors.
            epilog_inputs: arrays and numbers in place of the planned epilog's, by name.
            stream: as for :func:`matmul`.

        Raises:
            InvalidArgumentError: a mismatch, nothing given, or, after release_operands(), not every
                operand given. The object is then as it was.
            TypeMismatchError: another package.
            InvalidStateError: after free().

        >>> import numpy as np
        >>> product = Matmul(np.ones((2, 2)), np.ones((2, 2)))
        >>> product.plan()
        >>> product.reset_operands(a=np.full((2, 2), 5.0), alpha=2)
        >>> product.execute()[0, 0]
        np.float64(20.0)
        """
        self._reset(a, b, c, alpha, beta, out, epilog_inputs, stream)

    def reset_operands_unchecked(
        self,
        *,
        a: Any = None,
        b: Any = None,
        c: Any = None,
        alpha: complex | None = None,
        beta: complex | None = None,
        epilog_inputs: dict[str, Any] | None = None,
        out: Any = None,
        stream: Any = None,
    ) -> None:
        """The same on the caller's word that the layouts are those planned: only addresses are taken.

        >>> import numpy as np
        >>> product = Matmul(np.ones((2, 2)), np.ones((2, 2)))
        >>> product.plan()
        >>> product.reset_operands_unchecked(b=np.zeros((2, 2)))
        >>> product.execute()[0, 0]
        np.float64(0.0)
        """
        self._reset_unchecked(a, b, c, alpha, beta, out, epilog_inputs)


def _conjugate_bits(qualifiers: Any) -> int:
    from mathwright.linalg._qualifiers import conjugate_bits

    return conjugate_bits(qualifiers)
