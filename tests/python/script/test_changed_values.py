"""Values that change after a kernel was compiled with them: it is compiled again."""

import dataclasses

import numpy as np
import pytest

from warpwise import cuda


def with_default(a, b=2):
    return a + b


def with_keyword(a, *, b=2):
    return a + b


@dataclasses.dataclass
class Point:
    x: int


POINT = Point(3)
POINTS = (Point(1), 2)


def with_point(a, b=Point(1)):  # noqa: B008
    return a + b.x


def calls_with_default(out):
    out[0] = with_default(1)


def calls_with_keyword(out):
    out[0] = with_keyword(1)


def holds_point(out):
    point = POINT
    out[0] = point.x


def holds_points(out):
    out[0] = POINTS[0].x


def calls_with_point(out):
    out[0] = with_point(1)


def scaled(x):
    return 2 * x


def scaled_otherwise(x):
    return 7 * x


def calls_scaled(out):
    out[0] = scaled(3)


def is_replaced(out):
    out[0] = 1


def replacement(out):
    out[0] = 2


def change_code_of_callee():
    scaled.__code__ = scaled_otherwise.__code__


def change_own_code():
    is_replaced.__code__ = replacement.__code__


def change_default():
    with_default.__defaults__ = (5,)


def replace_keywords():
    with_keyword.__kwdefaults__ = {"b": 9}


def change_keyword():
    with_keyword.__kwdefaults__["b"] = 11


def change_point():
    POINT.x = 8


def change_points():
    POINTS[0].x = 8


def change_point_of_default():
    with_point.__defaults__[0].x = 8


@pytest.mark.parametrize(("function", "change"), [
    (calls_with_default, change_default),
    (calls_with_keyword, replace_keywords),
    (calls_with_keyword, change_keyword),
    (holds_point, change_point),
    (holds_points, change_points),
    (calls_with_point, change_point_of_default),
    (calls_scaled, change_code_of_callee),
    (is_replaced, change_own_code),
], ids=lambda one: one.__name__)  # fmt: skip
def test_a_changed_value_compiles_again(function, change):
    kernel = cuda.jit(function)
    expected, out = np.zeros(1), np.zeros(1)
    kernel[1, 1](out)
    function(expected)
    assert out[0] == expected[0]
    change()
    kernel[1, 1](out)
    function(expected)
    assert out[0] == expected[0]
