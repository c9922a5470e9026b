"""Writes special.txt: functions that Rust has not, by mpmath with 60 digits.

Each line is a function, its arguments and its value, as the nearest doubles.
Every argument is a number that single precision has, where it has its size.
norm4d and rnorm4d take the first argument twice.
"""

import math
import pathlib
import random
import struct

from mpmath import mp, mpf
import mpmath as m

mp.dps = 60
random.seed(20)


def narrow(x):
    """The nearest number of single precision, for numbers of its size."""
    if x != 0 and not 1e-37 < abs(x) < 1e38:
        return x
    return struct.unpack("f", struct.pack("f", x))[0]


def erfcinv(x):
    if x > 0.1:
        return m.erfinv(1 - x)
    y = m.sqrt(-m.log(x))
    for _ in range(100):
        step = (x - m.erfc(y)) * m.sqrt(m.pi) / 2 * m.exp(y * y)
        y -= step / (1 + step * y)
    return y


def erfinv(x):
    return m.sign(x) * erfcinv(1 - abs(x)) if abs(x) > 0.9 else m.erfinv(x)


def norm(*values):
    return m.sqrt(sum(value * value for value in values))


def between(low, high):
    return lambda: random.uniform(low, high)


def power(low, high):
    return lambda: 10 ** random.uniform(low, high)


CASES = [
    ("asinh", m.asinh, [between(-10, 10), between(-1, 1), power(-10, 10)]),
    ("acosh", m.acosh, [between(1, 3), power(0, 10)]),
    ("atanh", m.atanh, [between(-1, 1), power(-10, -1)]),
    ("exp10", lambda x: mpf(10) ** x, [between(-30, 30), between(-1, 1)]),
    ("rcbrt", lambda x: m.sign(x) / m.cbrt(abs(x)), [between(-2, 2), power(-20, 20)]),
    ("erf", m.erf, [between(-6, 6), between(-0.1, 0.1)]),
    ("erfc", m.erfc, [between(-3, 9), between(9, 26)]),
    ("erfcx", lambda x: m.exp(x * x) * m.erfc(x), [between(-5, 5), between(0, 30), power(1, 10)]),
    ("erfinv", erfinv,
     [between(-1, 1), between(-0.01, 0.01), lambda: 1 - 10 ** random.uniform(-6, -1), power(-200, -10)]),
    ("erfcinv", erfcinv, [between(0, 2), power(-30, -1), power(-320, -40)]),
    ("normcdf", lambda x: m.erfc(-x / m.sqrt(2)) / 2, [between(-5, 5), between(-37, -5)]),
    ("normcdfinv", lambda x: -m.sqrt(2) * erfcinv(2 * x) if x < 0.25 else m.sqrt(2) * erfinv(2 * x - 1),
     [between(0, 1), power(-30, -1), power(-300, -40)]),
    ("tgamma", m.gamma, [between(0.1, 30), between(-5, 0)]),
    ("lgamma", lambda x: m.re(m.loggamma(x)), [between(3, 100), power(2, 20), between(0.001, 0.9)]),
    ("sinpi", m.sinpi, [between(-1, 1), between(-1000, 1000), lambda: random.randrange(-9, 9) / 2]),
    ("cospi", m.cospi, [between(-1, 1), between(-1000, 1000), lambda: random.randrange(-9, 9) / 2]),
    ("cyl_bessel_i0", lambda x: m.besseli(0, x), [between(-3, 3), between(-80, 80), between(90, 700)]),
    ("cyl_bessel_i1", lambda x: m.besseli(1, x), [between(-3, 3), between(-80, 80), between(90, 700)]),
    ("j0", lambda x: m.besselj(0, x), [between(-8, 8)]),
    ("j1", lambda x: m.besselj(1, x), [between(-8, 8)]),
    ("y0", lambda x: m.bessely(0, x), [between(0.1, 8)]),
    ("y1", lambda x: m.bessely(1, x), [between(0.1, 8)]),
    ("rhypot", lambda x, y: 1 / norm(x, y), [between(-5, 5), power(-150, 150)]),
    ("norm3d", norm, [between(-5, 5), power(-15, 15), power(-150, 150)]),
    ("rnorm3d", lambda *v: 1 / norm(*v), [between(-5, 5), power(-15, 15), power(-150, 150)]),
    ("norm4d", lambda x, y, z: norm(x, y, z, x), [between(-5, 5), power(-15, 15), power(-150, 150)]),
    ("rnorm4d", lambda x, y, z: 1 / norm(x, y, z, x), [between(-5, 5), power(-15, 15), power(-150, 150)]),
]
COUNTS = {"rhypot": 2, "norm3d": 3, "rnorm3d": 3, "norm4d": 3, "rnorm4d": 3}

lines = []
for name, function, generators in CASES:
    for generator in generators:
        for _ in range(12):
            arguments = [narrow(generator()) for _ in range(COUNTS.get(name, 1))]
            try:
                value = float(function(*map(mpf, arguments)))
            except (OverflowError, ValueError, ZeroDivisionError):
                continue
            if math.isfinite(value):
                lines.append(" ".join([name, *map(repr, arguments), repr(value)]))
pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")
