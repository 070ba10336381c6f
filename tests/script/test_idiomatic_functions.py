"""Functions as they are written for plain Python: comprehensions, closures, dataclasses, lists.

Each takes the number of an element and the arrays; a kernel gives what Python gives.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from launching import over

from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

GRAVITY = 9.81
LOOP = {"gain": (0.8, 0.2, 0.01), "step": 0.1, "turns": 30}
TEXT = np.frombuffer(b"the quick brown fox jumps over the lazy dog and runs away from it", np.uint8)
COUNT = 48


@dataclass(frozen=True)
class Vector:
    x: float
    y: float
    z: float = 0.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    @property
    def length(self):
        return math.sqrt(sum(part * part for part in (self.x, self.y, self.z)))


class Dual(NamedTuple):
    """A number with its derivative."""

    value: float
    slope: float

    def __add__(self, other):
        if isinstance(other, int | float):
            return Dual(self.value + other, self.slope)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        if isinstance(other, int | float):
            return Dual(self.value * other, self.slope * other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __rmul__ = __mul__


def projectile(i, x, y):
    place, speed = Vector(0.0, 0.0, 10.0), Vector(x[i], y[i], 5.0)
    time, step = 0.0, 0.01
    while place.z > 0 and time < 5:
        speed = speed + Vector(0.0, 0.0, -GRAVITY) * step
        place = place + step * speed
        time += step
    return place.length + time


def slope_of_a_polynomial(i, x, y):
    def slope(f, at):
        return f(Dual(at, 1.0)).slope

    def series(t):
        return sum((t * k for k in range(1, 4)), start=Dual(y[i], 0.0))

    return slope(lambda t: 3 * t * t + 2 * t + y[i], x[i]) + slope(series, x[i])


def runge_kutta(i, x, y):
    def stepped(f, state, h):
        k1 = f(state)
        k2 = f(tuple(s + h / 2 * k for s, k in zip(state, k1)))
        k3 = f(tuple(s + h / 2 * k for s, k in zip(state, k2)))
        k4 = f(tuple(s + h * k for s, k in zip(state, k3)))
        return tuple(
            s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)
        )

    damping = abs(x[i])
    state = (x[i], y[i])
    for _ in range(20):
        state = stepped(lambda s: (s[1], damping * (1 - s[0] ** 2) * s[1] - s[0]), state, 0.05)
    return state[0] + 10 * state[1]


def controlled(i, x, y):
    value, total, before = y[i], 0.0, 0.0
    proportional, integral, derivative = LOOP["gain"]
    for turn in range(LOOP["turns"]):
        error = x[i] - value
        total += error * LOOP["step"]
        slope = (error - before) / LOOP["step"] if turn else 0.0
        value += LOOP["step"] * (proportional * error + integral * total + derivative * slope)
        before = error
    return value


def implied_volatility(i, x, y):
    def root(f, low, high, target):
        for _ in range(40):
            middle = (low + high) / 2
            if f(middle) < target:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    normal = lambda d: 0.5 * math.erfc(-d / math.sqrt(2))  # noqa: E731
    price = lambda s: 100 * (normal(0.5 * s + 0.01 / s) - normal(0.01 / s - 0.5 * s))  # noqa: E731
    return root(price, 0.01, 2.0, 2 + 30 * (abs(x[i] * y[i]) % 1))


def softmax(i, x, y):
    greatest = max(x)
    return math.exp(x[i] - greatest) / sum(math.exp(v - greatest) for v in x) + y[i]


def nearest_of_three(i, x, y):
    centres = [(0.0, 0.0), (1.0, 1.0), (-1.0, 0.5)]
    distance = lambda k: math.hypot(x[i] - centres[k][0], y[i] - centres[k][1])  # noqa: E731
    return min(range(3), key=distance) + sorted(distance(k) for k in range(3))[1]


def regression(i, x, y):
    mean_x, mean_y = x.mean(), np.mean(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    slope = covariance / sum((a - mean_x) ** 2 for a in x)
    return mean_y + slope * (x[i] - mean_x)


def layers(i, x, y):
    value = x[i]
    for function in (lambda v: max(v, 0.0), math.tanh, lambda v: v if v > y[i] else 0.1 * v):
        value = function(value) * 1.5 + 0.1
    return value


def horner(i, x, y):
    return functools.reduce(lambda total, c: total * x[i] + c, (1.0, -0.5, y[i], 3.0), 0.0)


def histogram(i, x, y):
    counts = [0] * 4
    for value in itertools.chain(x, y):
        counts[min(int(abs(value) * 2), 3)] += 1
    return counts[i % 4]


def matrix_power(i, x, y):
    def product(a, b):
        return [[sum(a[r][k] * b[k][c] for k in range(2)) for c in range(2)] for r in range(2)]

    matrix = [[x[i], y[i]], [0.5, -0.25]]
    return functools.reduce(product, (matrix, matrix, matrix))[0][1]


def window(i, x, y):
    part = x[max(0, i - 3) : i + 4]
    return part.mean() + part.max() + part.std() + part.argmin() + np.dot(part, part) * y[i]


def total_variation(i, x, y):
    return sum(abs(b - a) for a, b in itertools.pairwise(x)) + y[i]


def edit_distance(i, text):
    word, other = text[i : i + 6], text[5:11]
    before = [0] * 7
    for j in range(7):
        before[j] = j
    now = [0] * 7
    for r in range(1, len(word) + 1):
        now[0] = r
        for c in range(1, 7):
            change = word[r - 1] != other[c - 1]
            now[c] = min(before[c] + 1, now[c - 1] + 1, before[c - 1] + change)
        before, now = now, before
    return before[6]


def place_of_a_word(i, text):
    word = b"the"
    places = (i, len(text) - len(word))
    return next(
        (k for k in range(*places) if all(text[k + n] == c for n, c in enumerate(word))), -1
    )


def vowels(i, text):
    return sum(text[k] in b"aeiou" for k in range(i, min(i + 10, len(text))))


def palindrome(i, text):
    best = 0
    for length in range(1, 8):
        if all(text[i + k] == text[i + length - 1 - k] for k in range(length // 2)):
            best = length
    return best


NUMBERS = [
    projectile, slope_of_a_polynomial, runge_kutta, controlled, implied_volatility, softmax,
    nearest_of_three, regression, layers, horner, histogram, matrix_power, window, total_variation,
]  # fmt: skip
TEXTS = [edit_distance, place_of_a_word, vowels, palindrome]


def check(function, *arrays):
    @cuda.jit
    def kernel(arrays, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(i, *arrays)

    out = np.zeros(COUNT)
    over(kernel, COUNT, arrays, out)
    expected = [float(function(i, *arrays)) for i in range(COUNT)]
    np.testing.assert_allclose(out, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", NUMBERS, ids=lambda function: function.__name__)
def test_functions_of_numbers(function, rng):
    check(function, rng.normal(size=64), rng.normal(size=64))


@pytest.mark.parametrize("function", TEXTS, ids=lambda function: function.__name__)
def test_functions_of_text(function):
    check(function, TEXT)
