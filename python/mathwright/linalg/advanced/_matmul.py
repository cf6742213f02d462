# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""The advanced product: the function and the object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mathwright import _core
from mathwright.errors import (
    InvalidArgumentError,
    InvalidStateError,
    TypeMismatchError,
    UnsupportedError,
)
from mathwright.linalg.advanced._algorithm import Algorithm
from mathwright.linalg.advanced._arguments import (
    Understood,
    conjugate_bits,
    epilog_arguments,
    understand,
)
from mathwright.linalg.advanced._options import (
    MatmulOptions,
    MatmulPlanPreferences,
    MatmulQuantizationScales,
    coerce,
)

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
    quantization_scales: Any = None,
    options: Any = None,
    preferences: Any = None,
    algorithm: Algorithm | None = None,
    execution: Any = None,
    stream: Any = None,
    out: Any = None,
) -> Any:
    """D = F(α·op(A)·op(B) + β·C), with the dtypes, scales and epilogs of cuBLASLt, on CPU and GPU.

    Args:
        a: shape ``(…, m, k)``; one-dimensional means a row.
        b: shape ``(…, k, n)``; one-dimensional means a column. The leading axes of a and b are batches
            and broadcast by NumPy's rules.
        c: ``(…, m, n)`` or ``(…, m, 1)``, which is repeated over the columns; without batch axes it is
            repeated over the batch. Needs ``beta``.
        alpha, beta: factors; 1 and none.
        epilog: a member of :class:`MatmulEpilog`, a function of the element and of the inputs named in
            ``epilog_inputs``, or a :class:`mathwright.Expr`.
        epilog_inputs: what the epilog takes, by name: "bias", "relu_aux", "gelu_aux",
            "aux_quantization_scale" of named ones; the parameters of a function.
        qualifiers: array of three :data:`matrix_qualifiers_dtype`, for a, b and c; a and b may be
            conjugated.
        quantization_scales: :class:`MatmulQuantizationScales` or a dict of its fields, for float8 and
            float4.
        options: :class:`MatmulOptions`, a dict of its fields, or None.
        preferences: :class:`MatmulPlanPreferences`, a dict of its fields, or None.
        algorithm: one that an earlier plan gave.
        execution: "cpu", "cuda", an execution object, or None: where the operands are.
        stream: where device work is queued.
        out: an array for the result.

    Explicit batches: if a and b (and c) are lists or tuples, each item is a problem of its own, and the
    result is a list.

    Returns:
        D; with auxiliary results a tuple of it and a dict of those.

    Raises:
        InvalidArgumentError: shapes, dtypes, types that do not go together, missing or unknown inputs
            and scales. (``ValueError``)
        TypeMismatchError: objects of the wrong type, operands of different packages. (``TypeError``)
        UnsupportedError: nothing on this machine can do it; all reasons are listed.

    >>> import numpy as np
    >>> from mathwright.linalg.advanced import MatmulEpilog, matmul
    >>> a, b, bias = np.eye(2), np.ones((2, 2)), np.array([1.0, -3.0])
    >>> matmul(a, b, epilog=MatmulEpilog.RELU_BIAS, epilog_inputs={"bias": bias})
    array([[2., 2.],
           [0., 0.]])
    """
    if isinstance(a, (list, tuple)) or algorithm is not None:
        varying = (a, b, c, out, alpha, beta, qualifiers)
        planned = (epilog, epilog_inputs, preferences, algorithm)
        return _otherwise(varying, planned, quantization_scales, options, execution, stream)
    call = understand(a, b, c, quantization_scales, options, execution)
    fused = epilog_arguments(epilog, epilog_inputs, preferences, call)
    return _core.matmul_fused(
        a,
        b,
        c,
        alpha,
        beta,
        0 if qualifiers is None else conjugate_bits(qualifiers),
        call.plain_options,
        call.execution,
        stream,
        out,
        *fused,
        call.extras,
    )


def _otherwise(
    varying: tuple[Any, ...],
    planned: tuple[Any, ...],
    quantization_scales: Any,
    options: Any,
    execution: Any,
    stream: Any,
) -> Any:
    """matmul() of sequences, or by a given algorithm."""
    own = dict(zip(("a", "b", "c", "out", "alpha", "beta", "qualifiers"), varying, strict=True))
    plan = dict(zip(("epilog", "epilog_inputs", "preferences", "algorithm"), planned, strict=True))
    common = {
        "quantization_scales": quantization_scales,
        "options": options,
        "execution": execution,
        "stream": stream,
    }
    if isinstance(own["a"], (list, tuple)):
        from mathwright.linalg._explicit import each

        return each(matmul, own, {**plan, **common})
    algorithm = plan.pop("algorithm")
    with Matmul(own.pop("a"), own.pop("b"), **own, **common) as product:
        product.plan(algorithms=[algorithm], stream=stream, **plan)
        return product.execute(stream=stream)


class Matmul(_core.MatmulSession):
    """The same advanced product many times: plan once, perhaps tune, execute often.

    Arguments are those of :func:`matmul`. An object may be used from any thread, by one at a time
    (others wait); it is a context manager that frees itself at the end.

    Explicit batches: if a and b are lists or tuples, there is an object for each problem behind the same
    methods. :meth:`plan` and :meth:`execute` then give lists, an epilog is everyone's with its inputs, and
    :meth:`reset_operands` takes sequences.

    Raises:
        The errors of :func:`matmul` that do not depend on the machine.

    >>> import numpy as np
    >>> from mathwright.linalg.advanced import Matmul, MatmulEpilog
    >>> a, b = np.ones((2, 3)), np.ones((3, 2))
    >>> with Matmul(a, b) as product:
    ...     algorithms = product.plan(epilog=MatmulEpilog.BIAS, epilog_inputs={"bias": np.ones(2)})
    ...     biased = product.execute()
    ...     algorithms = product.plan()
    ...     bare = product.execute()
    >>> biased[0, 0], bare[0, 0]
    (np.float64(4.0), np.float64(3.0))
    """

    def __new__(cls, a: Any, *args: Any, **kwargs: Any) -> Matmul:
        if cls is Matmul and isinstance(a, (list, tuple)):
            from mathwright.linalg.advanced._explicit import ExplicitMatmul

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
        quantization_scales: Any = None,
        options: Any = None,
        execution: Any = None,
        stream: Any = None,
        out: Any = None,
    ) -> None:
        call = understand(a, b, c, quantization_scales, options, execution)
        self._call: Understood = call
        self._kept: tuple[Algorithm, ...] = ()
        super().__init__(
            a,
            b,
            c,
            alpha,
            beta,
            0 if qualifiers is None else conjugate_bits(qualifiers),
            call.plain_options,
            call.execution,
            stream,
            out,
            call.extras,
        )

    @property
    def options(self) -> MatmulOptions:
        """The options as a :class:`MatmulOptions`."""
        return self._call.options

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        """Those kept by :meth:`plan`, the best guess first; after :meth:`autotune` the fastest first."""
        return self._kept

    def applicable_algorithm_ids(self, limit: int = 8) -> list[int]:
        """Numbers of the algorithms that could compute the product, planned or not.

        Args:
            limit: at most so many.

        >>> import numpy as np
        >>> len(Matmul(np.ones((2, 2)), np.ones((2, 2))).applicable_algorithm_ids(limit=2))
        2
        """
        own = [record["algorithm_id"] for record in self._considered()]
        vendor = [
            number
            for index, record in enumerate(self._algorithms())
            if record["candidate"] == "cublaslt" and not record["variant"]
            for number in self._capabilities(index).get("applicable_ids") or ()
        ]
        return [*vendor, *own][:limit]

    def plan(
        self,
        *,
        preferences: Any = None,
        algorithms: Sequence[Algorithm] | None = None,
        epilog: Any = None,
        epilog_inputs: dict[str, Any] | None = None,
        stream: Any = None,
    ) -> tuple[Algorithm, ...]:
        """Chooses how to compute the product; any number of times, each plan in place of the one before.

        Args:
            preferences: :class:`MatmulPlanPreferences`, a dict of its fields, or None.
            algorithms: only these may be chosen.
            epilog, epilog_inputs, stream: as for :func:`matmul`.

        Returns:
            The algorithms that could do it, the best guess first, at most ``preferences.limit``.

        Raises:
            InvalidArgumentError: a wrong epilog or input; no algorithm of those given fits.
            TypeMismatchError: something in ``algorithms`` that is no :class:`Algorithm`.
            UnsupportedError: nothing can do it; all reasons are listed.
            InvalidStateError: after free().
        """
        preferences = coerce(MatmulPlanPreferences, preferences, "plan preferences")
        _check_algorithms(algorithms)
        self._plan(stream, *epilog_arguments(epilog, epilog_inputs, preferences, self._call))
        self._call.check_workspace(self.workspace_bytes)
        self._kept = self._choose(algorithms, preferences.limit)
        return self._kept

    def _possible(self) -> list[Algorithm]:
        """All ways there are now, the chosen one first."""
        numbers = {record["name"]: record["algorithm_id"] for record in self._considered()}
        found = []
        for record in self._algorithms():
            settings: Any = record["settings"]
            vendor = settings.get("id")
            record["algorithm_id"] = (
                numbers.get(record["candidate"], 0) if vendor is None else vendor
            )
            found.append(Algorithm(record, lambda named=record: self._capabilities_of(named)))
        return found

    def _capabilities_of(self, wanted: dict[str, Any]) -> dict[str, Any]:
        for index, record in enumerate(self._algorithms()):
            if (record["candidate"], record["variant"]) == (wanted["candidate"], wanted["variant"]):
                known: dict[str, Any] = self._capabilities(index)
                return known
        return {}

    def _take(self, algorithm: Algorithm) -> None:
        """Makes an algorithm the one that runs, with the settings it was given."""
        self._select_named(algorithm.name, algorithm.variant)
        if algorithm._changes:
            self._configure(0, algorithm._changes)

    def _choose(self, algorithms: Sequence[Algorithm] | None, limit: int) -> tuple[Algorithm, ...]:
        if algorithms is None:
            return tuple(self._possible()[:limit])
        fitting, why = [], []
        for algorithm in algorithms:
            try:
                self._take(algorithm)
                fitting.append(algorithm)
            except (InvalidArgumentError, UnsupportedError) as error:
                why.append(str(error))
        if not fitting:
            raise InvalidArgumentError(
                f"matmul: none of the algorithms given fits the problem: {list(algorithms)} ("
                f"{'; '.join(why)}). Plan without algorithms=."
            )
        self._take(fitting[0])
        return tuple(fitting)

    def autotune(
        self,
        iterations: int = 10,
        prune: int | None = None,
        release_workspace: bool = False,
        stream: Any = None,
    ) -> None:
        """Times the ways there are on the operands, with cold caches, and changes to the fastest.

        Results go to scratch memory. The winner is remembered (:mod:`mathwright.tune`), and
        :attr:`algorithms` is then in the order found.

        Args:
            iterations: how often each is run, at most.
            prune: how many to keep; None: all.
            release_workspace: give the scratch memory back afterwards.
            stream: as for :func:`matmul`.

        Raises:
            InvalidStateError: before plan(), after release_operands() or free().
        """
        iterations = _whole("iterations", iterations)
        prune = None if prune is None else _whole("prune", prune)
        if not self.planned:
            raise InvalidStateError(
                "matmul: autotune() was called before plan(); call plan() first"
            )
        from mathwright.tune import autotune

        autotune(self, iterations, prune, None, release_workspace, stream)
        self._kept = tuple(self._possible()[: prune or max(len(self._kept), 1)])

    def execute(
        self,
        *,
        algorithm: Algorithm | None = None,
        release_workspace: bool = False,
        stream: Any = None,
    ) -> Any:
        """Runs the plan.

        Args:
            algorithm: one of :attr:`algorithms`; it stays chosen. None: the one chosen.
            release_workspace: give the scratch memory back afterwards.
            stream: as for :func:`matmul`.

        Returns:
            D; with auxiliary results a tuple of it and a dict of those.

        Raises:
            InvalidArgumentError: an algorithm that is not of this plan.
            InvalidStateError: before plan(), after release_operands() or free().
        """
        if algorithm is not None:
            _check_algorithms([algorithm])
            chosen = next((kept for kept in self._kept if kept == algorithm), None)
            if chosen is None:
                raise InvalidArgumentError(
                    f"matmul: {algorithm} is not of this plan, which has {list(self._kept)}; give it to "
                    "plan(algorithms=…) first"
                )
            self._take(algorithm)
        return super().execute(stream=stream, release_workspace=release_workspace)

    def reset_operands(
        self,
        *,
        a: Any = None,
        b: Any = None,
        c: Any = None,
        alpha: complex | None = None,
        beta: complex | None = None,
        quantization_scales: Any = None,
        epilog_inputs: dict[str, Any] | None = None,
        out: Any = None,
        stream: Any = None,
    ) -> None:
        """Other operands of the same shapes, strides, dtypes, package and device; what is None stays.

        Args:
            a, b, c, out: arrays in place of those the object was made with (only of those).
            alpha, beta: new factors.
            quantization_scales: scales in place of those given: numbers for numbers, arrays for arrays.
            epilog_inputs: arrays and numbers in place of the planned epilog's, by name.
            stream: as for :func:`matmul`.

        Raises:
            InvalidArgumentError: a mismatch, nothing given, or, after release_operands(), not every
                operand given. The object is then as it was.
            TypeMismatchError: another package.
            InvalidStateError: after free().
        """
        scales = self._call.reset_scales(quantization_scales)
        self._reset(a, b, c, alpha, beta, out, epilog_inputs, stream, scales)

    def reset_operands_unchecked(
        self,
        *,
        a: Any = None,
        b: Any = None,
        c: Any = None,
        alpha: complex | None = None,
        beta: complex | None = None,
        quantization_scales: Any = None,
        epilog_inputs: dict[str, Any] | None = None,
        out: Any = None,
        stream: Any = None,
    ) -> None:
        """The same on the caller's word that the layouts are those planned: only addresses are taken."""
        if isinstance(quantization_scales, MatmulQuantizationScales):
            quantization_scales = quantization_scales._values()
        self._reset_unchecked(a, b, c, alpha, beta, out, epilog_inputs, quantization_scales)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise InvalidArgumentError(
            f"matmul: autotune with {name} {value!r}; a whole number of at least 1 is wanted"
        )
    return int(value)


def _check_algorithms(algorithms: Any) -> None:
    if algorithms is None:
        return
    if not isinstance(algorithms, (list, tuple)) or not algorithms:
        raise TypeMismatchError(
            f"matmul: algorithms is {algorithms!r}; a list of Algorithm, or None, is wanted"
        )
    for algorithm in algorithms:
        if not isinstance(algorithm, Algorithm):
            raise TypeMismatchError(
                f"matmul: an algorithm of type {type(algorithm).__name__}; what plan() returned, or "
                "Algorithm.from_numpy(), is wanted"
            )
