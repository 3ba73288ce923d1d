#!/usr/bin/env python3
"""Prints the polynomial coefficients that the device math library's headers hold.

Each fit interpolates a smooth function at Chebyshev nodes (near-minimax) with the lowest degree that
keeps the error, with coefficients rounded to the target type, below the tolerance. Run it with the
names of fits, or with none to print all; needs mpmath.
"""

import struct
import sys

from mpmath import mp, mpf

mp.dps = 50

DOUBLE, FLOAT = "double", "float"
DEFAULT_TOLERANCE = {DOUBLE: mpf(2) ** -56, FLOAT: mpf(2) ** -27}


def chebyshev_fit(function, low, high, degree):
    """Monomial coefficients (lowest first) of the interpolant at the degree+1 Chebyshev nodes."""
    count = degree + 1
    angles = [mp.pi * (k + mpf(1) / 2) / count for k in range(count)]
    values = [function((low + high) / 2 + (high - low) / 2 * mp.cos(a)) for a in angles]
    series = []
    for j in range(count):
        total = mp.fsum(values[k] * mp.cos(j * angles[k]) for k in range(count))
        series.append(total * 2 / count / (2 if j == 0 else 1))
    # Convert to monomials of u in [-1, 1], then substitute u = scale * x + offset.
    in_u = [mpf(0)] * count
    previous, current = [mpf(1)], [mpf(0), mpf(1)]
    for j in range(count):
        basis = previous if j == 0 else current
        for index, value in enumerate(basis):
            in_u[index] += series[j] * value
        if j > 0:
            following = [mpf(0)] + [2 * v for v in current]
            for index, value in enumerate(previous):
                following[index] -= value
            previous, current = current, following
    scale, offset = 2 / (high - low), -(high + low) / (high - low)
    result = [mpf(0)]
    for coefficient in reversed(in_u):
        shifted = [offset * v for v in result] + [mpf(0)]
        for index, value in enumerate(result):
            shifted[index + 1] += scale * value
        shifted[0] += coefficient
        result = shifted
    return result[:count]


def rounded(value, kind):
    """The nearest float or double, as a Python float."""
    if kind == DOUBLE:
        return float(value)
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def literal(value, kind):
    """The shortest decimal that reads back as the same number."""
    if kind == DOUBLE:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if rounded(float(text), FLOAT) == value:
            break
    if "." not in text and "e" not in text:
        text += ".0"
    return text + "f"


FITS = {}


def fit(name, function, low, high, tolerance=1):
    """Registers a fit for both types; tolerance scales the default one."""
    FITS[name] = (function, mp.mpf(low), mp.mpf(high), tolerance)


def solve(name, kind):
    function, low, high, factor = FITS[name]
    tolerance = DEFAULT_TOLERANCE[kind] * factor
    cache = {}

    def cached(x):
        if x not in cache:
            try:
                cache[x] = function(x)
            except ZeroDivisionError:  # a removable singularity
                cache[x] = careful(function)(x + mpf(10) ** -40)
        return cache[x]

    probes = [low + (high - low) * mpf(k) / 57 for k in range(1, 57)]
    largest = max(abs(cached(p)) for p in probes)
    degree = 2
    while True:
        exact = chebyshev_fit(cached, low, high, degree)
        error = max(abs(mp.polyval(exact[::-1], p) - cached(p)) for p in probes) / largest
        if error < tolerance or degree > 45:
            return [rounded(c, kind) for c in exact], error
        degree += 1


def print_fit(name, kind):
    coefficients, error = solve(name, kind)
    print(f"// {name} {kind}: degree {len(coefficients) - 1}, error {mp.nstr(error, 3)}")
    print(", ".join(literal(c, kind) for c in coefficients))


# --- helpers for the functions being fitted -----------------------------------------------------


def even(function):
    """A function of x, as a function of s = x * x."""
    return lambda s: function(mp.sqrt(s))


def careful(function):
    """Evaluates with twice the digits: for formulas that cancel near zero."""

    def wrapped(x):
        mp.dps = 110
        try:
            return function(x)
        finally:
            mp.dps = 50

    return wrapped


def complementary_error_scaled(x):
    """exp(x*x) * erfc(x)"""
    return mp.exp(x * x) * mp.erfc(x) if x < 60 else mp.hyperu(mpf(1) / 2, mpf(1) / 2, x * x) / mp.sqrt(mp.pi)


def erfcx_of_map(pole):
    def function(t):
        x = pole * (1 + t) / (1 - t)
        return (complementary_error_scaled(x) * (1 + 2 * x) - 1) / (1 + t)

    return function


def inverse_error_ratio(w):
    """erfinv(x) / x - 1 where w = -log(1 - x*x)."""
    x = mp.sqrt(-mp.expm1(-w))
    y = mp.exp(-w) / (1 + x)
    if w < 4:
        return mp.erfinv(x) / x - 1
    z = mp.sqrt(w)
    for _ in range(12):
        value = mp.erfc(z)
        step = (mp.log(value) - mp.log(y)) * value * mp.sqrt(mp.pi) / (2 * mp.exp(-z * z))
        z += step
        if abs(step) < mpf(10) ** -45:
            break
    return z / x - 1


def stirling_rest(y):
    """x * (lgamma(x) - Stirling's leading terms) as a function of y = 1/x^2."""
    x = 1 / mp.sqrt(y)
    return x * (mp.loggamma(x) - ((x - mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


BESSEL_ZEROS = {
    "j0": [mp.besseljzero(0, k) for k in (1, 2)],
    "j1": [mp.besseljzero(1, k) for k in (1, 2)],
    "y0": [mp.besselyzero(0, k) for k in (1, 2, 3)],
    "y1": [mp.besselyzero(1, k) for k in (1, 2)],
}


def around_zero(function, zero):
    return lambda d: function(zero + d) / d


def hankel_p(order):
    """The P of Hankel's expansion, as a function of y = 1/x^2 (Abramowitz & Stegun 9.2.5)."""

    def function(y):
        x = 1 / mp.sqrt(y)
        chi = x - (mpf(order) / 2 + mpf(1) / 4) * mp.pi
        j, second = mp.besselj(order, x), mp.bessely(order, x)
        return mp.sqrt(mp.pi * x / 2) * (j * mp.cos(chi) + second * mp.sin(chi))

    return function


def hankel_q(order):
    def function(y):
        x = 1 / mp.sqrt(y)
        chi = x - (mpf(order) / 2 + mpf(1) / 4) * mp.pi
        j, second = mp.besselj(order, x), mp.bessely(order, x)
        return x * mp.sqrt(mp.pi * x / 2) * (second * mp.cos(chi) - j * mp.sin(chi))

    return function


def modified_asymptotic(order):
    """sqrt(x) e^-x I(x) as a function of t = 16/x - 1."""

    def function(t):
        x = 16 / (t + 1)
        return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)

    return function


def y0_regular(s):
    """(Y0(x) - 2/pi log(x/z) J0(x)) / (x^2 - z^2), z the first zero of Y0, s = x^2."""
    x, zero = mp.sqrt(s), BESSEL_ZEROS["y0"][0]
    return (mp.bessely(0, x) - 2 / mp.pi * mp.log(x / zero) * mp.besselj(0, x)) / (s - zero * zero)


def y1_regular(s):
    """(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x, s = x^2."""
    x = mp.sqrt(s)
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


# --- the fits -----------------------------------------------------------------------------------

QUARTER_PI_SQUARED = (mp.pi / 4) ** 2 * mpf("1.001")
TINY = mpf(10) ** -12

fit("exp", careful(lambda r: (mp.expm1(r) - r) / r**2), -mpf("0.35"), mpf("0.35"), 8)
fit("expm1", careful(lambda r: (mp.expm1(r) - r) / r**2), -mpf("0.5"), mpf("0.5"), 2)
fit("log", careful(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3), -mpf(1) / 3, mpf(1) / 3, 16)
fit("log2", careful(lambda f: (mp.log1p(f) - f) / f**2 / mp.log(2)), mpf("-0.293"), mpf("0.4143"), 4)
fit("log10", careful(lambda f: (mp.log1p(f) - f) / f**2 / mp.log(10)), -mpf(1) / 3, mpf(1) / 3, 4)
# 2*atanh(u) = 2u + u*v*(2/3 + v*p(v)), v = u*u, |u| <= (sqrt2-1)/(sqrt2+1)
fit("log_atanh", careful(even(lambda u: (2 * mp.atanh(u) / u - 2 - u * u * 2 / 3) / u**4)), TINY, mpf("0.0296"), 256)
fit("log_atanh_short", careful(even(lambda u: (2 * mp.atanh(u) / u - 2) / u**2)), TINY, mpf("0.0296"), 8)
fit("sin", careful(even(lambda r: (mp.sin(r) - r) / r**3)), TINY, QUARTER_PI_SQUARED, 2)
fit("cos", careful(even(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4)), TINY, QUARTER_PI_SQUARED, 8)
fit("sinpi", careful(even(lambda r: (mp.sin(mp.pi * r) - mp.pi * r) / r**3)), TINY, mpf(1) / 16, 1)
fit("cospi", careful(even(lambda r: (mp.cos(mp.pi * r) - 1 + (mp.pi * r) ** 2 / 2) / r**4)), TINY, mpf(1) / 16, 2)
fit("tan", careful(even(lambda r: (mp.tan(r) - r) / r**3)), TINY, QUARTER_PI_SQUARED, 2)
fit("asin", careful(even(lambda x: (mp.asin(x) - x) / x**3)), TINY, mpf("0.2501"), 16)
fit("atan", careful(even(lambda x: (mp.atan(x) - x) / x**3)), TINY, 1, 4)
fit("sinh", careful(even(lambda x: (mp.sinh(x) - x) / x**3)), TINY, 1, 4)
fit("tanh", careful(even(lambda x: (mp.tanh(x) - x) / x**3)), TINY, mpf("0.36"), 8)
fit("erf", careful(even(lambda x: mp.erf(x) / x - 1)), TINY, 1, 4)
fit("erfcx", careful(erfcx_of_map(mpf(4))), TINY - 1, 1 - TINY, 2)
fit("erfcx_pole2", careful(erfcx_of_map(mpf(2))), TINY - 1, 1 - TINY, 2)
fit("erfinv_center", lambda d: inverse_error_ratio(d + mpf("2.5")), mpf("-2.5") + TINY, mpf("2.5"), 1)
fit("erfinv_middle", lambda d: inverse_error_ratio((d + 3) ** 2), mpf("-0.78"), 1, 1)
fit("erfinv_tail", lambda d: inverse_error_ratio((d + 6) ** 2), mpf(-2), 2, 1)
fit("erfinv_far_tail", lambda d: inverse_error_ratio((d + mpf("11.5")) ** 2), mpf("-3.5"), mpf("3.5"), 1)
fit("erfinv_last_tail", lambda d: inverse_error_ratio((d + mpf("21.5")) ** 2), mpf("-6.5"), mpf("6.5"), 1)
fit("erfinv_float_tail", lambda d: inverse_error_ratio((d + 7) ** 2), mpf(-3), mpf("3.5"), 1)
fit("lgamma_one", lambda t: mp.loggamma(1 + t) / t, mpf("-0.26"), mpf("0.5"), 1)
fit("lgamma_two", lambda t: mp.loggamma(2 + t) / t, mpf("-0.5"), 1, 1)
fit("lgamma_three", lambda t: mp.loggamma(mpf("3.5") + t), mpf("-0.5"), mpf("0.5"), 1)
fit("lgamma_middle", lambda t: mp.loggamma(5 + t), -1, 1, 1)
fit("stirling", careful(stirling_rest), mpf(10) ** -12, mpf(1) / 36, 16)
fit("tgamma", lambda t: mp.gamma(mpf("1.5") + t), mpf("-0.5"), mpf("0.5"), 1)
fit("i0_series", even(lambda x: mp.besseli(0, x)), TINY, 64, mpf(1) / 200)
fit("i1_series", even(lambda x: mp.besseli(1, x) / x), TINY, 64, mpf(1) / 100)
fit("i0_asymptotic", modified_asymptotic(0), mpf("-0.985"), 1, 1)
fit("i1_asymptotic", modified_asymptotic(1), mpf("-0.985"), 1, 1)
Z = BESSEL_ZEROS
fit("j0_series", careful(even(lambda x: (mp.besselj(0, x) - 1) / x**2)), TINY, mpf("1.69"), 2)
fit("j0_first", around_zero(lambda x: mp.besselj(0, x), Z["j0"][0]), mpf("1.3") - Z["j0"][0], 4 - Z["j0"][0], 1)
fit("j0_second", around_zero(lambda x: mp.besselj(0, x), Z["j0"][1]), 4 - Z["j0"][1], 8 - Z["j0"][1], 1)
fit("j1_series", careful(even(lambda x: (mp.besselj(1, x) / x - mpf(1) / 2) / x**2)), TINY, 4, 1)
fit("j1_first", around_zero(lambda x: mp.besselj(1, x), Z["j1"][0]), 2 - Z["j1"][0], mpf("5.4") - Z["j1"][0], 1)
fit("j1_second", around_zero(lambda x: mp.besselj(1, x), Z["j1"][1]), mpf("5.4") - Z["j1"][1], 8 - Z["j1"][1], 1)
fit("y0_first", careful(y0_regular), mpf(10) ** -20, mpf("2.2") ** 2, 1)
fit("y0_second", around_zero(lambda x: mp.bessely(0, x), Z["y0"][1]), mpf("2.2") - Z["y0"][1], mpf("5.5") - Z["y0"][1], 1)
fit("y0_third", around_zero(lambda x: mp.bessely(0, x), Z["y0"][2]), mpf("5.5") - Z["y0"][2], 8 - Z["y0"][2], 1)
fit("y1_first", careful(y1_regular), mpf(10) ** -20, mpf("1.4") ** 2, 1)
fit("y1_second", around_zero(lambda x: mp.bessely(1, x), Z["y1"][0]), mpf("1.4") - Z["y1"][0], mpf("3.8") - Z["y1"][0], 1)
fit("y1_third", around_zero(lambda x: mp.bessely(1, x), Z["y1"][1]), mpf("3.8") - Z["y1"][1], 8 - Z["y1"][1], 1)
for ORDER in (0, 1):
    fit(f"hankel_p{ORDER}", careful(hankel_p(ORDER)), mpf(10) ** -9, mpf(1) / 64, 2)
    fit(f"hankel_q{ORDER}", careful(hankel_q(ORDER)), mpf(10) ** -9, mpf(1) / 64, 16)


def main():
    for name in sys.argv[1:] or FITS:
        for kind in (DOUBLE, FLOAT):
            print_fit(name, kind)
    for function, zeros in BESSEL_ZEROS.items():
        for index, zero in enumerate(zeros):
            for kind in (DOUBLE, FLOAT):
                high = rounded(zero, kind)
                low = rounded(zero - mpf(high), kind)
                print(f"// zero {index + 1} of {function}: {literal(high, kind)} {literal(low, kind)}")


if __name__ == "__main__":
    main()
