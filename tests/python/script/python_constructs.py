"""Functions of one or two numbers, by what of Python they use: kernels must give what Python gives.

Each takes whole numbers (names with i_), numbers with a point (f_), or both.
"""

# ruff: noqa: B002, RET504, SIM201 -- the constructs are the point

from __future__ import annotations

import cmath
import dataclasses
import enum
import math
from collections import namedtuple

import numpy as np

SCALE = 3
RATE = 0.25
FLAGS = (True, False)
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6])
Point = namedtuple("Point", "x y")
ORIGIN = Point(1, 2.5)


def i_arithmetic(a, b):
    return a + b * 3 - (a - b) * -2


def i_floor_division(a, b):
    return a // (b if b != 0 else 1)


def i_remainder(a, b):
    return a % (b if b != 0 else 7)


def i_true_division(a, b):
    return a / (b if b else 1)


def i_power(a, b):
    return a**2 + b**3 + (a % 5) ** (b % 4)


def i_negative_power(a, b):
    return (a % 7 + 1) ** -2 + b


def i_bits(a, b):
    return (a & b) | (a ^ 13) | ~b


def i_shifts(a, b):
    return (a << 3) + (b >> 2) + (a >> (b % 5)) + (a << (b & 3))


def i_unary(a, b):
    return -a + +b + ~a + (not a) + -(-b)


def i_comparisons(a, b):
    return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b)


def i_chained(a, b):
    return (0 < a < b) + 2 * (-5 <= a <= 5 <= b) + 4 * (a == b == 3) + 8 * (a < b > 2)


def i_and_or_values(a, b):
    return (a and b) + 3 * (a or b) + (a or b or 7) + (a and b and 9)


def i_and_or_conditions(a, b):
    if a > 0 and (b > 0 or a == 3) and not (a == b):
        return 1
    return 0 if a or b else 2


def i_conditional(a, b):
    return 10 if a > b else 20 if a == b else 30


def i_if_elif(a, b):
    if a > b:
        r = 1
    elif a == b:
        r = 2
    elif a + 1 == b:
        r = 3
    else:
        r = 4
    return r


def i_while(a, b):
    n = abs(a) % 20
    total = 0
    while n > 0:
        total += n * b
        n -= 2
    return total + n


def i_while_break_continue(a, b):
    n = 0
    total = 0
    while True:
        n += 1
        if n > 30:
            break
        if (n + a) % 3 == 0:
            continue
        total += n
        if total > abs(b):
            break
    return total * 100 + n


def i_else_of_an_endless_loop(a, b):
    n = 0
    while True:
        n += 1
        if n * n > abs(a):
            break
    else:
        unused = n
        n = 100 * unused
    return n + b


def i_while_else(a, b):
    n = 0
    while n < 5:
        if n == a:
            break
        n += 1
    else:
        n = 100 + b
    return n


def i_for_else(a, b):
    for i in range(6):
        if i == a:
            r = i
            break
    else:
        r = b - 1000
    return r


def i_for_ranges(a, b):
    total = 0
    for i in range(5):
        total += i
    for i in range(a % 4, 9):
        total += i * i
    for i in range(10, b % 5, -2):
        total = total * 3 + i
    for i in range(0, 20, a % 6 + 1):
        total += i
    return total


def i_for_unknown_step(a, b):
    step = a % 5 - 2
    if step == 0:
        step = 3
    total = 0
    for i in range(b % 7, 12 - b % 3, step):
        total = total * 2 + i
    return total


def i_loop_variable_lives_on(a, b):
    i = -1
    for i in range(abs(a) % 6):
        if i == b % 4:
            break
    return i


def i_loop_variable_assigned(a, b):
    total = 0
    for i in range(8):
        i = i * 2 + a
        total += i
    return total + b


def i_range_bound_changes(a, b):
    n = abs(a) % 7
    total = 0
    for i in range(n):
        n = 100
        total += i + b
    return total + n


def i_nested_loops(a, b):
    total = 0
    for i in range(4):
        for j in range(i, 5):
            if (i + j + a) % 4 == 0:
                continue
            if j == 4 and i == 2:
                break
            total += i * j + b
    return total


def i_tuples(a, b):
    t = (a, b, 3)
    x, y, z = t
    y, x = x, y
    first, *rest = t
    return x * 100 + y * 10 + z + t[0] + t[-1] + first + rest[0] + len(t)


def i_swap_and_rotate(a, b):
    c = 5
    for _ in range(4):
        a, b, c = b, c, a
    return a * 10000 + b * 100 + c


def i_fibonacci(a, b):
    x, y = 0, 1
    for _ in range(abs(a) % 30):
        x, y = y, x + y
    return x + b


def i_tuple_index_by_variable(a, b):
    t = (2, 3, 5, 7, 11)
    return t[a % 5] + t[-(b % 5) - 1]


def i_tuple_loop(a, b):
    total = 0
    for v in (1, 4, 9):
        if v == b:
            continue
        total += v * a
        if total > 50:
            break
    return total


def i_tuple_loop_else(a, b):
    for v in (1, 2, 3):
        if v == a % 5:
            break
    else:
        v = b
    return v


def i_enumerate_zip(a, b):
    total = 0
    for i, v in enumerate((a, b, 5)):
        total += i * v
    for u, v in zip((1, 2, 3), (b, a, b)):
        total += u * v
    for u in reversed((1, a, b)):
        total = total * 3 + u
    return total


def i_min_max_abs(a, b):
    return min(a, b) + 2 * max(a, b, 3) + abs(a - b) + min((a, b, -1))


def i_divmod(a, b):
    q, r = divmod(a, b if b else 4)
    return q * 1000 + r


def i_sum_any_all(a, b):
    return sum((a, b, 1)) + any((a > 0, b > 0)) + 2 * all((a > 0, b > 0))


def i_in_tuple(a, b):
    return (a in (1, 2, 3)) + 2 * (b not in (a, 4))


def i_match(a, b):
    match a % 6:
        case 0:
            r = 10
        case 1 | 2:
            r = 20
        case 3 if b > 0:
            r = 30
        case other:
            r = other * 100
    return r


def i_match_that_returns_in_a_case(a, b):
    match a % 3:
        case 0:
            a = 1
        case 1:
            if b <= 1:
                return 5
    return b % 97 + a


def i_match_that_returns_in_the_last_case(a, b):
    match a % 3:
        case 0:
            return 1
        case _:
            if b <= 1:
                return 5
    return b % 97


def i_match_tuple(a, b):
    match (a % 3, b % 3):
        case (0, 0):
            return 1
        case (0, y):
            return 10 + y
        case (x, 2):
            return 20 + x
        case _:
            return 30


def i_walrus(a, b):
    if (n := a * 2) > 5:
        return n + b
    total = 0
    while (m := total + 3) < 20:
        total += m - 2
    return n + m + total


def i_walrus_order(a, b):
    x = a
    return x + (x := b) * 10 + x


def helper(a, b=2, *, c=3):
    return a * b + c


def i_helper_defaults(a, b):
    return helper(a) + helper(a, b) + helper(b, c=a) + helper(b=a, a=b, c=1)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def i_recursion(a, b):
    return factorial(abs(a) % 10) + is_even(abs(b) % 9)


def i_local_function(a, b):
    offset = a + 1

    def shifted(v, by=2):
        return v * by + offset

    return shifted(b) + shifted(a, 3)


def i_local_function_sees_later_value(a, b):
    k = a

    def get():
        return k

    first = get()
    k = b
    return first * 1000 + get()


def i_lambda(a, b):
    double = lambda v: v * 2 + a  # noqa: E731
    return double(b) + (lambda x, y=4: x + y)(a)


def apply(f, v):
    return f(v) + 1


def i_function_argument(a, b):
    return apply(abs_plus, a) + apply(lambda v: v * 3, b)


def abs_plus(v):
    return abs(v) + 10


def i_globals(a, b):
    return a * SCALE + TABLE[b % 8] + FLAGS[a % 2] + ORIGIN.x


def i_early_return(a, b):
    for i in range(10):
        for j in range(10):
            if i * j == abs(a) % 30:
                return i * 100 + j
            if i + j > b % 25:
                return -1
    return -2


def i_redefined(a, b):
    x = a
    y = x // 2
    x = 0.5
    return y + x + b


def i_bools(a, b):
    p = a > b
    q = not p
    return p + q * 2 + (p == q) + (p is True) + int(p) + True


def i_conversions(a, b):
    return int(a / 3) + float(b) + bool(a) + int(7.9) + int(-7.9)


def i_augmented(a, b):
    x = a
    x += b
    x -= 3
    x *= 2
    x //= 3
    x %= 1000
    x **= 2
    x &= 0xFFFF
    x |= 5
    x ^= 9
    x <<= 2
    x >>= 1
    return x


def i_named_tuple(a, b):
    p = Point(a, y=b)
    x, y = p
    return p.x * 10 + p.y + p[0] + x + y


def i_math(a, b):
    return math.gcd(a, b) + math.isqrt(abs(a)) + math.floor(a / 3) + math.ceil(b / 4)


def i_none(a, b):
    return with_none(a) + with_none(a, b)


def with_none(a, b=None):
    if b is None:
        return a
    return a * b


def i_starred_call(a, b):
    t = (a, b)
    return helper(*t)


@dataclasses.dataclass
class Box:
    width: int
    height: int


class Colour(enum.IntEnum):
    RED = 3
    BLUE = 5


UNIT = Box(2, 7)


def area(box):
    return box.width * box.height


def i_dataclasses(a, b):
    box = Box(a, height=b)
    return area(box) + area(UNIT) + UNIT.width


def i_enums(a, b):
    return a * Colour.RED + (b == Colour.BLUE) + Colour.BLUE.value


def i_ord(a, b):
    return ord("A") + a * (b if b > ord("z") else 1)


def c_arithmetic(a, b):
    z = complex(a, b)
    w = z * (1 - 2j) + z.conjugate() / (3 + 1j) - abs(z)
    return w.real + 10 * w.imag + (z == w) + (z**2).real


def c_functions(a, b):
    z = complex(a / 50, b / 50)
    w = cmath.exp(z) + cmath.sqrt(z) + cmath.sin(z) + cmath.cosh(z) + cmath.tanh(z) + cmath.tan(z)
    return w.real + 3 * w.imag + cmath.phase(z) + cmath.rect(a / 9, b).real + cmath.log(z + 2j).imag


def i_assert(a, b):
    assert a * a >= 0, "squares"
    return a + b


def f_arithmetic(a, b):
    return a + b * 3 - (a - b) / 7.5 + 2 * a


def f_floor_division(a, b):
    return a // (b if b != 0 else 0.1)


def f_remainder(a, b):
    return a % (b if b != 0 else 0.1)


def f_power(a, b):
    return a**2 + b**3 + (abs(a) + 0.25) ** b + 2.0**b + abs(b) ** 0.5


def f_comparisons(a, b):
    return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (0.0 < a < 1.0)


def f_and_or(a, b):
    return (a and b) + (a or b) + (a > 0 and b)


def f_rounding(a, b):
    return round(a) + int(b) + math.floor(a) * 2 + math.ceil(b) + math.trunc(a * 3)


def f_round_digits(a, b):
    return round(a, 2) + round(b, 0)


def f_divmod(a, b):
    q, r = divmod(a, b if b else 0.5)
    return q * 10 + r


def f_min_max(a, b):
    return min(a, b) + 2 * max(a, b) + min(a, 1) + max(3, b)


def f_math(a, b):
    return (
        math.sin(a) + math.cos(b) + math.exp(-abs(a)) + math.log1p(abs(b)) + math.sqrt(abs(a))
        + math.atan2(a, b) + math.hypot(a, b) + math.tanh(a) + math.copysign(1.0, b)
        + math.fabs(a) + math.erf(a) + math.degrees(a) + math.radians(b) + math.fmod(a, 3.0)
    )  # fmt: skip


def f_numpy(a, b):
    return (
        np.sin(a) + np.arctan2(a, b) + np.maximum(a, b) + np.minimum(a, 1.0) + np.sign(a)
        + np.floor(b) + np.rint(a) + np.abs(b) + np.exp2(np.tanh(a)) + np.square(b) + np.hypot(a, b)
    )  # fmt: skip


def f_classified(a, b):
    return math.isnan(a) + 2 * math.isinf(b) + 4 * math.isfinite(a * b)


def f_constants(a, b):
    return a * math.pi + b * math.e + RATE + np.pi * ORIGIN.y


def f_mixed_loop(a, b):
    total = 0
    for i in range(5):
        total += a * i
        total = total / 2 + b
    return total


def f_modf_frexp(a, b):
    fraction, whole = math.modf(a)
    m, e = math.frexp(b)
    return fraction * 10 + whole + m + e


def f_evaluation_order(a, b):
    x = a
    y = (x + 1) * (x := b) + x
    return y


def i_sequences_of_sequences(a, b):
    total = 0
    for i in reversed(range(a % 5, 9, 1 + b % 3)):
        total = total * 3 % 10007 + i
    for i, j in enumerate(range(5, -4, -2), b):
        total += i * j
    for i, (j, k) in enumerate(zip(range(3), range(a % 7, 20))):
        total += i * 100 + j * 10 + k
    for (i, j), k in zip(enumerate(range(4), start=2), reversed(range(b % 6))):
        total = total * 2 + i - j + k
    for i in reversed(range(3)):
        if i == 1:
            break
    else:
        total += 1000
    for i, j in zip(reversed(range(2, 9, 3)), reversed(range(4)), strict=False):
        total += i * j
    return total


def i_local_recursion(a, b):
    step = 1 + b % 2

    def count(n):
        return 0 if n <= 0 else 1 + count(n - step)

    def power(x, n=a % 6):
        if n == 0:
            return 1
        return x * power(x, n - 1)

    return count(a % 50) * 100 + power(3)


def f_numbers_from_texts(a, b):
    low, high = float("-inf"), float(" Infinity ")
    missing = float("nan")
    if missing != missing and low < a < high:
        a += float("2.5e-1") + int("-12") + int(" +7 ")
    return a


def f_round_ties(a, b):
    x = round(a * 1000) / 1000 + 0.0005
    return round(x, 3) + round(2.675 + round(b), 2) + round(0.15 * round(a), 1) + round(b * 50, -2)


CONSTRUCTS = {
    name: value
    for name, value in list(globals().items())
    if name.startswith(("i_", "f_", "c_")) and callable(value)
}
