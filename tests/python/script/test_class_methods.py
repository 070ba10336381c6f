"""What classes of named tuples and dataclasses define for truth, length, items and membership."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

STARTS = (-1.0, 0.0, 2.5)
MODE = "fast-exact"


def assert_same(function):
    """The kernel's call of the function stores what Python's returns, for each start."""

    @cuda.jit
    def kernel(starts, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(starts[i])

    out = np.full(len(STARTS), -9.0)
    kernel[1, 8](np.array(STARTS), out)
    assert out.tolist() == [function(start) for start in STARTS]


@dataclasses.dataclass
class Interval:
    low: float
    high: float = 2.0

    def __bool__(self):
        return self.low > 0

    def __len__(self):
        return 7

    def __eq__(self, other):
        return self.low == other.low

    def __getitem__(self, i):
        return self.low + i

    def __contains__(self, x):
        return self.low <= x <= self.high

    def __iadd__(self, x):
        return Interval(self.low + x, 100.0)

    def __add__(self, x):
        return Interval(self.low, x)


class Steps(NamedTuple):
    first: float
    count: int

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.first * 10 + i

    def __contains__(self, x):
        return x == 50


@dataclasses.dataclass
class Nothing:
    pass


def truth_of_a_class(x):
    one = Interval(x)
    result = 1 if one else 2
    if not one:
        result += 10
    return result + (100 if bool(one) else 200)


def truth_by_length(x):
    some = Steps(x, 3)
    none = Steps(x, 0)
    return (1 if some else 2) + (10 if none else 20) + len(some)


def no_fields_are_true(x):
    return x + 1 if Nothing() else x + 2


def not_equal_is_what_equal_is_not(x):
    return (Interval(x, 5.0) != Interval(x)) + 2 * (Interval(x) != Interval(0.0))


def items_by_the_class(x):
    return Interval(x)[3] + Steps(x, 1)[1] + len(Interval(x))


def membership_by_the_class(x):
    return (1.0 in Interval(x)) + 2 * (50 in Steps(x, 1)) + 4 * (x not in Steps(x, 1))


def updates_by_the_class(x):
    one = Interval(x)
    one += 3
    return one.low + one.high


def replaced_fields(x):
    one = dataclasses.replace(Interval(x), high=x * 2)
    return dataclasses.replace(one, low=one.high + 1).low + one.high


def raised(x, __by=2):
    return x + __by


class _Scaled(NamedTuple):
    x: float

    __factor = 3.0

    def __scaled(self, __by=2):
        return self.x * self.__factor * __by

    def result(self):
        return self.__scaled() + raised(self.x, __by=5)


@dataclasses.dataclass
class Hidden:
    __value: float

    def added(self, x):
        def __sum(y):
            return y + self.__value

        return __sum(x)


def private_names(x):
    return _Scaled(x).result() + Hidden(x).added(1.0)


def strings_that_are_known(x):
    result = 1 if "fast" in MODE else 2
    result += MODE.startswith("fast") + 2 * MODE.endswith("t") + 4 * ("slow" not in MODE)
    return result + MODE.find("exact") + "äö-x".find("x") + "ab".find("c") + x


def last_pattern_takes_all(x):
    match (x, 2.0):
        case (0, y):
            result = y
        case (a, _) | a if a > 1:
            result = 5.0
        case (a, *rest):
            result = a + rest[0]
    match (x > 0, x):
        case (_, y) as both:
            result += y + len(both)
    return result


@pytest.mark.parametrize(
    "function",
    [
        truth_of_a_class,
        truth_by_length,
        no_fields_are_true,
        not_equal_is_what_equal_is_not,
        items_by_the_class,
        membership_by_the_class,
        updates_by_the_class,
        replaced_fields,
        private_names,
        strings_that_are_known,
        last_pattern_takes_all,
    ],
    ids=lambda function: function.__name__,
)
def test_classes_mean_what_they_mean_in_python(function):
    assert_same(function)
