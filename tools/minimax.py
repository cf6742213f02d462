# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Derives the polynomials of src/codegen/math_tables.hpp: minimax by Remez' exchange in 60 digits.

python tools/minimax.py > src/codegen/math_tables.hpp      (needs mpmath; about a minute)

A row asks for P of a degree such that  max |w(t)·(g(t) − P(t))|  is least over an interval. The
weight makes this the relative error of the function that P becomes part of; it is printed beside
the coefficients, in units of 2^-24 or 2^-53. The leading coefficients are rounded to their type
one after another, and the others fitted again, so that the bound holds for the rounded ones.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf  # type: ignore[import-untyped, import-not-found, unused-ignore]

mp.dps = 60
Function = Callable[[mpf], mpf]


def inverse(f: Function) -> Function:
    return lambda x: 1 / f(x)


ROUNDED = 4  # leading coefficients whose rounding the others make good


@dataclass
class Row:
    name: str
    what: str
    single: bool
    degree: int
    low: mpf
    high: mpf
    target: Function
    weight: Function


def rounded(x: mpf, single: bool) -> mpf:
    if not single:
        return mpf(float(x))
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def solve(row: Row, grid: list[mpf], g: list[mpf], w: list[mpf], known: list[mpf]) -> list[mpf]:
    """The coefficients after the known ones, by exchange on the grid."""
    first, free = len(known), row.degree + 1 - len(known)
    rest = [gi - mp.polyval(known[::-1], t) if known else gi for gi, t in zip(g, grid, strict=True)]
    count = len(grid)
    points = [round((count - 1) * (1 - mp.cos(mp.pi * i / free)) / 2) for i in range(free + 1)]
    best, least = [], mp.inf
    for _ in range(12):
        a, b = mp.matrix(free + 1), mp.matrix(free + 1, 1)
        for k, p in enumerate(points):
            for j in range(free):
                a[k, j] = grid[p] ** (first + j)
            a[k, free] = (-1) ** k / w[p]
            b[k] = rest[p]
        try:
            x = mp.lu_solve(a, b)
        except ZeroDivisionError:  # a run of extrema that determines nothing
            break
        coefficients = [x[j] for j in range(free)]
        whole = known + coefficients
        error = [
            wi * (gi - mp.polyval(whole[::-1], t)) for wi, gi, t in zip(w, g, grid, strict=True)
        ]
        largest = max(abs(e) for e in error)
        if largest < least:
            best, least = coefficients, largest
        new = extrema(error, free + 1)
        if new == points or len(new) < free + 1:
            break
        points = new
    return best


def extrema(error: list[mpf], wanted: int) -> list[int]:
    """One place of largest error between changes of its sign; the best alternating run."""
    places = [0]
    for i in range(1, len(error)):
        if (error[i] > 0) != (error[places[-1]] > 0):
            places.append(i)
        elif abs(error[i]) > abs(error[places[-1]]):
            places[-1] = i
    while len(places) > wanted:
        places.pop(0 if abs(error[places[0]]) < abs(error[places[-1]]) else -1)
    return places


def fit(row: Row) -> tuple[list[mpf], mpf]:
    count = 400
    middle, half = (row.low + row.high) / 2, (row.high - row.low) / 2
    grid = [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / count) for i in range(count)]
    g = [row.target(t) for t in grid]
    w = [row.weight(t) for t in grid]
    known: list[mpf] = []
    for _ in range(min(ROUNDED, row.degree)):
        known.append(rounded(solve(row, grid, g, w, known)[0], row.single))
    whole = known + solve(row, grid, g, w, known)
    whole = [rounded(c, row.single) for c in whole]
    error = max(
        abs(wi * (gi - mp.polyval(whole[::-1], t))) for wi, gi, t in zip(w, g, grid, strict=True)
    )
    return whole, error


def expansion(name: str, parts: list[mpf], single: bool) -> str:
    kind = "float" if single else "double"
    texts = ", ".join(literal(p, single) for p in parts)
    return f"inline constexpr {kind} {name}[] = {{{texts}}};"


def literal(x: mpf, single: bool) -> str:
    return float(x).hex() + ("f" if single else "")


def split(x: mpf, bits: list[int], single: bool) -> list[mpf]:
    """x as a sum of numbers; each of so many bits, the last as many as the type has."""
    parts = []
    for count in bits:
        exponent = mp.floor(mp.log(abs(x), 2)) + 1
        unit = mpf(2) ** (exponent - count)
        parts.append(mp.nint(x / unit) * unit)
        x -= parts[-1]
    return [*parts, rounded(x, single)]


LN2_HALF = mp.log(2) / 2 * mpf("1.0001")
SQRT_HALF = mp.sqrt(mpf(1) / 2)
S_MAX = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0001")
QUARTER = mp.pi / 4 * mpf("1.0001")
ERF_SPLIT = mpf("0.875")
TANH_SPLIT = mpf("0.5625")
TAIL_CENTRE = {True: 3, False: 2}


def log_series(z: mpf, terms_gone: int) -> mpf:
    """2·(1/(2k+1) + z/(2k+3) + …), k = terms_gone: the tail of log((1+s)/(1−s))/s, z = s²."""
    return 2 * mp.nsum(lambda k: z**k / (2 * (k + terms_gone) + 1), [0, 60])


def scaled_erfc(single: bool) -> Function:
    """(t + c)·exp(t²)·erfc(t) as a function of u = (t − c)/(t + c): smooth up to t = ∞."""
    c = TAIL_CENTRE[single]

    def value(u: mpf) -> mpf:
        t = c * (1 + u) / (1 - u)
        return (t + c) * mp.exp(t * t) * mp.erfc(t)

    return value


def root(f: Function, at_zero: mpf) -> Function:
    return lambda z: at_zero if z < mpf("1e-30") else f(mp.sqrt(z))


def rows() -> list[Row]:
    out = []
    for single, p in ((True, "32"), (False, "64")):
        tail_end = mpf("10.2") if single else mpf("27.5")
        c, tail = TAIL_CENTRE[single], scaled_erfc(single)
        u_low = (ERF_SPLIT - c) / (ERF_SPLIT + c)
        u_high = (tail_end - c) / (tail_end + c)
        degrees = DEGREES[single]
        table = [
            ("kExp", "exp(r) = 1 + r + r²·P(r), |r| ≤ ln2/2; of expm1", -LN2_HALF, LN2_HALF,
             lambda r: (mp.expm1(r) - r) / r**2, abs),
            ("kLog", "log((1+s)/(1-s)) = 2·s + s³·P(s²), |s| ≤ 0.1716", mpf(0), S_MAX**2,
             lambda z: log_series(z, 1), lambda z: z / 2),
            ("kSin", "sin(r) = r + r³·P(r²), |r| ≤ π/4", mpf(0), QUARTER**2,
             root(lambda r: (mp.sin(r) - r) / r**3, mpf(-1) / 6),
             root(lambda r: r**3 / mp.sin(r), mpf(0))),
            ("kCos", "cos(r) = 1 - r²/2 + r⁴·P(r²), |r| ≤ π/4", mpf(0), QUARTER**2,
             root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4, mpf(1) / 24),
             root(lambda r: r**4 / mp.cos(r), mpf(0))),
            ("kTanh", "tanh(x) = x + x³·P(x²), |x| ≤ 0.5625", mpf(0), TANH_SPLIT**2,
             root(lambda x: (mp.tanh(x) - x) / x**3, mpf(-1) / 3),
             root(lambda x: x**3 / mp.tanh(x), mpf(0))),
            ("kErf", "erf(x) = x + x·P(x²), |x| ≤ 0.875", mpf(0), ERF_SPLIT**2,
             root(lambda x: mp.erf(x) / x - 1, 2 / mp.sqrt(mp.pi) - 1),
             root(lambda x: x / mp.erf(x), mp.sqrt(mp.pi) / 2)),
            ("kErfTail", f"erfc(t) = exp(-t²)·P(u)/(t + {c}), u = (t - {c})/(t + {c}), "
             f"0.875 ≤ t ≤ {float(tail_end)}", u_low, u_high, tail, inverse(tail)),
        ]  # fmt: skip
        for (name, what, low, high, target, weight), degree in zip(table, degrees, strict=True):
            out.append(Row(name + p, what, single, degree, low, high, target, weight))
    # float32's pow is computed in float64, to 2^-36.
    out.append(Row("kLogPow32", "as kLog, for pow of float32", False, 4, mpf(0), S_MAX**2,
                   lambda z: log_series(z, 1), lambda z: z / 2))  # fmt: skip
    out.append(Row("kExpPow32", "as kExp, for pow of float32", False, 6, -LN2_HALF, LN2_HALF,
                   lambda r: (mp.expm1(r) - r) / r**2, abs))  # fmt: skip
    out.append(Row("kLogPow64", "log((1+s)/(1-s)) = 2·s + 2/3·s³ + s⁵·P(s²)", False, 7, mpf(0),
                   S_MAX**2, lambda z: log_series(z, 2), lambda z: (z + mpf(1) / 1000) ** 2 / 2))  # fmt: skip
    return out


DEGREES = {True: (4, 2, 2, 2, 4, 5, 8), False: (10, 6, 5, 5, 10, 11, 19)}

HEAD = """// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Written by tools/minimax.py; do not edit. Coefficients from the constant one up, and the bound of
// the relative error of the function they are part of.
#pragma once

namespace mw::codegen::tables {
"""


def main() -> None:
    print(HEAD)
    for single, p, bits in ((True, "32", [16]), (False, "64", [42])):
        print("// ln 2 as a sum: the first times any exponent is exact.")
        print(expansion("kLn2_" + p, split(mp.log(2), bits, single), single))
        full = 24 if single else 53
        print("// π/2 as a sum.")
        print(expansion("kHalfPi" + p, split(mp.pi / 2, [full, full], single), single))
    print("// 2/3 as a sum.")
    print(expansion("kTwoThirds64", split(mpf(2) / 3, [53], False), False))
    for row in rows():
        coefficients, error = fit(row)
        unit = mpf(2) ** (-24 if row.single else -53)
        print(f"// {row.what}: {mp.nstr(error / unit, 3)} · 2^-{24 if row.single else 53}")
        print(expansion(row.name, coefficients, row.single), flush=True)
    print("\n}  // namespace mw::codegen::tables")


if __name__ == "__main__":
    main()
