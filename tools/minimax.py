#!/usr/bin/env python3
"""Minimax polynomials for src/codegen/device/math: prints the coefficients the headers hold.

    tools/minimax.py            every polynomial, as C++ constants with its error
    tools/minimax.py log exp    only those whose name begins so

Needs mpmath (gmpy2 makes it fast). Remez exchange in 60 digits for the relative error of the
whole function; then the coefficients are rounded one by one to the target type, the leading ones
first, and the rest fitted again to make up for it.
"""

import struct
import sys

from mpmath import mp, mpf

mp.dps = 60


def rounded(value, kind):
    """`value` as the nearest float or double, exactly."""
    if kind == "float":
        return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])
    return mpf(float(value))


def solve(points, target, weight, powers):
    """Coefficients of `powers` that level the weighted error at points of alternating sign."""
    n = len(powers)
    matrix = mp.matrix(n + 1, n + 1)
    right = mp.matrix(n + 1, 1)
    for i, x in enumerate(points):
        for j, p in enumerate(powers):
            matrix[i, j] = x**p * weight(x)
        matrix[i, n] = (-1) ** i
        right[i] = target(x) * weight(x)
    answer = mp.lu_solve(matrix, right)
    return [answer[j] for j in range(n)]


def extrema(error, low, high, count):
    """Where |error| is largest between its sign changes, `count` places in order."""
    grid = 60 * count
    xs = [low + (high - low) * (1 - mp.cos(mp.pi * i / grid)) / 2 for i in range(grid + 1)]
    es = [error(x) for x in xs]
    runs, start = [], 0
    for i in range(1, grid + 2):
        if i == grid + 1 or (es[i] > 0) != (es[start] > 0):
            runs.append(max(range(start, i), key=lambda k: abs(es[k])))
            start = i
    while len(runs) > count:
        if abs(es[runs[0]]) < abs(es[runs[-1]]):
            runs.pop(0)
        else:
            runs.pop()
    worst = max(abs(es[k]) for k in runs)
    return [xs[k] for k in runs], worst


def remez(target, weight, low, high, powers):
    n = len(powers)
    points = [low + (high - low) * (1 - mp.cos(mp.pi * i / n)) / 2 for i in range(n + 1)]
    worst = mp.inf
    best = None
    for _ in range(12):
        coefficients = solve(points, target, weight, powers)

        def error(x, c=coefficients):
            return (mp.fsum(a * x**p for a, p in zip(c, powers)) - target(x)) * weight(x)

        found, now = extrema(error, low, high, n + 1)
        if now < worst:
            best, worst, done = coefficients, now, worst < now * mpf("1.01")
            if done:
                break
        if len(found) != n + 1:
            break
        points = found
    return best, worst


def fit(target, weight, low, high, degree, kind, first=0):
    """Rounded coefficients of x^first ... x^degree; error of the last fit."""
    low, high = mpf(low), mpf(high)
    fixed = {}
    powers = list(range(first, degree + 1))
    worst = None
    while powers:

        def rest(x):
            return target(x) - mp.fsum(a * x**p for p, a in fixed.items())

        coefficients, error = remez(rest, weight, low, high, powers)
        worst = error if worst is None else worst
        # Refitting the last two buys nothing. Above degree 13 nor does any refit: the functions
        # there may be off by some units, and x = 0 inside the interval makes Remez unstable.
        step = 1 if len(powers) > 2 and degree <= 13 else len(powers)
        for p, a in zip(powers[:step], coefficients[:step]):
            fixed[p] = rounded(a, kind)
        powers = powers[step:]
    final = max(
        abs((mp.fsum(a * x**p for p, a in fixed.items()) - target(x)) * weight(x))
        for x in (low + (high - low) * mpf(i) / 997 for i in range(998))
    )
    return [fixed[p] for p in sorted(fixed)], worst, final


def near_zero(function, series):
    """`function` away from 0, its Taylor value `series` at 0, where it divides by 0."""
    return lambda x: mpf(series) if x == 0 else function(x)


SQ = mp.sqrt
LN2 = mp.log(2)


def atan_tail(z):
    """(atan(x) - x) / x^3 for z = x^2."""
    return (mp.atan(SQ(z)) / SQ(z) - 1) / z


def asin_tail(z):
    return (mp.asin(SQ(z)) / SQ(z) - 1) / z


def sin_tail(z):
    return (mp.sin(SQ(z)) / SQ(z) - 1) / z


def cos_tail(z):
    return (mp.cos(SQ(z)) - 1 + z / 2) / z**2


def exp_tail(x):
    return (mp.exp(x) - 1 - x) / x**2


def exp2_tail(x):
    return (2**x - 1) / x


def log_tail(x):
    """(log(1+x) - x + x^2/2) / x^3."""
    return (mp.log1p(x) - x + x * x / 2) / x**3


def atanh_tail(z):
    """(2 atanh(s) - 2 s) / s^3 for z = s^2."""
    return (2 * mp.atanh(SQ(z)) / SQ(z) - 2) / z


def atanh_tail_2(z):
    """The same after its first term 2/3 as well: (2 atanh(s) - 2 s - 2/3 s^3) / s^5."""
    return (atanh_tail(z) - mpf(2) / 3) / z


def erf_ratio(z):
    return mp.erf(SQ(z)) / SQ(z)


def erfc_scaled(k):
    """(1 + 2x) exp(x^2) erfc(x) over t = (x - k) / (x + k)."""

    def value(t):
        x = k * (1 + t) / (1 - t)
        if x > 60:
            s = mp.fsum((-1) ** n * mp.fac2(2 * n - 1) / (2 * x * x) ** n for n in range(25))
            return (1 + 2 * x) * s / (x * SQ(mp.pi))
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)

    return value


def erfinv_ratio(w):
    """erfinv(x) / x over w = -log(1 - x^2)."""
    if w == 0:
        return SQ(mp.pi) / 2
    x = SQ(-mp.expm1(-w))
    if w < 20:
        return mp.erfinv(x) / x
    return erfcinv_tail(w) / x


def erfcinv_tail(w):
    """y with erfc(y) = 1 - sqrt(1 - exp(-w)), by Newton's method in the logarithm."""
    q = mp.exp(-w)
    p = q / (1 + SQ(1 - q))
    y = SQ(w)
    for _ in range(60):
        c = mp.erfc(y)
        step = (mp.log(c) - mp.log(p)) * c * SQ(mp.pi) * mp.exp(y * y) / 2
        y += step
        if abs(step) < mpf(10) ** -50:
            break
    return y


def erfinv_near(middle):
    """erfinv(x) / x over w - middle."""
    return lambda u: erfinv_ratio(u + middle)


def erfinv_root(middle):
    """erfinv(x) / x over sqrt(w) - middle."""
    return lambda u: erfinv_ratio((u + middle) ** 2)


def lim(tail, value):
    return near_zero(tail, value)


def weight_tail(whole, power):
    """Relative error of the whole function when the polynomial stands before x^power."""
    return lambda x: mpf(0) if x == 0 else x**power / whole(x)


def relative(f):
    return lambda x: 1 / f(x)


# name: (target, weight, low, high, degree, type)
H = LN2 / 2 * mpf("1.001")
Q = mp.pi / 4
Q2 = (Q * mpf("1.0005")) ** 2
S2 = (mpf("0.1716")) ** 2
A2 = (SQ(mpf(2)) - 1) ** 2 * mpf("1.001")
R = SQ(mpf(2))


def in_square(function, power):
    """weight for odd functions given over z = x^2: x^(power)/f(x)."""
    return lambda z: mpf(0) if z == 0 else SQ(z) ** power / function(SQ(z))


TABLE = {
    "exp_f": (lim(exp_tail, "0.5"), lambda x: x * x / mp.exp(x), -H, H, 4, "float"),
    "exp_d": (lim(exp_tail, "0.5"), lambda x: x * x / mp.exp(x), -H, H, 10, "double"),
    "exp2_f": (lim(exp2_tail, LN2), lambda x: x / 2**x, "-0.5001", "0.5001", 6, "float"),
    "exp2_s": (lim(exp2_tail, LN2), lambda x: x / 2**x, "-0.5001", "0.5001", 7, "double"),
    "log_f": (lim(log_tail, mpf(1) / 3), weight_tail(mp.log1p, 3), 1 / R - 1, R - 1, 8, "float"),
    "log_d": (
        lim(atanh_tail, mpf(2) / 3),
        in_square(lambda s: 2 * mp.atanh(s), 3),
        0,
        S2,
        7,
        "double",
    ),
    "log_s": (
        lim(atanh_tail, mpf(2) / 3),
        in_square(lambda s: 2 * mp.atanh(s), 3),
        0,
        S2,
        4,
        "double",
    ),
    "log_dd": (
        lim(atanh_tail_2, mpf(2) / 5),
        in_square(lambda s: 2 * mp.atanh(s), 5),
        0,
        S2,
        8,
        "double",
    ),
    "sin_f": (lim(sin_tail, mpf(-1) / 6), in_square(mp.sin, 3), 0, Q2, 3, "float"),
    "cos_f": (lim(cos_tail, mpf(1) / 24), lambda z: z**2 / mp.cos(SQ(z)), 0, Q2, 3, "float"),
    "sin_d": (lim(sin_tail, mpf(-1) / 6), in_square(mp.sin, 3), 0, Q2, 5, "double"),
    "cos_d": (lim(cos_tail, mpf(1) / 24), lambda z: z**2 / mp.cos(SQ(z)), 0, Q2, 5, "double"),
    "atan_f": (lim(atan_tail, mpf(-1) / 3), in_square(mp.atan, 3), 0, A2, 4, "float"),
    "atan_d": (lim(atan_tail, mpf(-1) / 3), in_square(mp.atan, 3), 0, A2, 11, "double"),
    "asin_f": (lim(asin_tail, mpf(1) / 6), in_square(mp.asin, 3), 0, "0.25", 5, "float"),
    "asin_d": (lim(asin_tail, mpf(1) / 6), in_square(mp.asin, 3), 0, "0.25", 12, "double"),
    "erf_f": (lim(erf_ratio, 2 / SQ(mp.pi)), in_square(mp.erf, 1), 0, 1, 8, "double"),
    "erf_d": (lim(erf_ratio, 2 / SQ(mp.pi)), in_square(mp.erf, 1), 0, 1, 13, "double"),
    "erfc_d": (erfc_scaled(4), relative(erfc_scaled(4)), "-1", "0.86", 22, "double"),
    "erfinv_a": (
        erfinv_near(mpf("3.125")),
        relative(erfinv_near(mpf("3.125"))),
        "-3.125",
        "3.125",
        22,
        "double",
    ),
    "erfinv_b": (
        erfinv_root(mpf("3.25")),
        relative(erfinv_root(mpf("3.25"))),
        "-0.75",
        "0.75",
        17,
        "double",
    ),
    "erfinv_c": (erfinv_root(mpf(6)), relative(erfinv_root(mpf(6))), "-2", "2", 23, "double"),
    "erfinv_d": (erfinv_root(mpf(12)), relative(erfinv_root(mpf(12))), "-4", "4", 22, "double"),
    "erfinv_e": (erfinv_root(mpf(22)), relative(erfinv_root(mpf(22))), "-6", "6", 19, "double"),
}


def main():
    names = sys.argv[1:]
    for name, (target, weight, low, high, degree, kind) in TABLE.items():
        if names and not any(name.startswith(prefix) for prefix in names):
            continue
        coefficients, ideal, final = fit(target, weight, low, high, degree, kind)
        print(
            f"// {name}: relative error 2^{float(mp.log(final, 2)):.1f}"
            f" (2^{float(mp.log(ideal, 2)):.1f} before rounding)",
            flush=True,
        )
        suffix = "f" if kind == "float" else ""
        for c in coefficients:
            print(f"    {float(c).hex()}{suffix},")


if __name__ == "__main__":
    main()
