"""Each operand is evaluated once, from left to right, whatever it stands in."""

from __future__ import annotations

import linecache
import textwrap

import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function

NAMES = """
import functools, math
from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    x: int
    y: int

    def total(self, other):
        return self.x + self.y * other


def add(a, b=7, *rest):
    return a + 10 * b + len(rest)


def both(a, b):
    return a, b


"""

# `act(v)` writes down its argument, and returns it.
KERNEL = """
def kernel(x, out):
    def act(v):
        x[0] += 1
        x[int(x[0])] = v
        return v

{body}
"""

STATEMENTS = {
    "a sum of tuples": "t = (act(1), act(2)) + (act(3), 4)\nout[0] = t[1] + t[2]",
    "a repeated tuple": "t = (act(1), act(2)) * 2\nout[0] = t[3]",
    "equal tuples": "out[0] = int((act(1), act(2)) == (act(1), act(3)))",
    "different tuples": "out[0] = int((act(1), act(2)) != (act(2), act(2)))",
    "ordered tuples": "out[0] = int((act(1), act(2)) < (act(1), act(3)))",
    "tuples ordered by the first item": "out[0] = int((act(1), act(2)) >= (act(0), act(3)))",
    "tuples of several lengths": "out[0] = int((act(1), act(2)) < (act(1),))",
    "a search": "out[0] = int(act(2) in (act(1), act(2), act(3)))",
    "a search for nothing": "out[0] = int(act(9) not in (act(1), act(2)))",
    "a search in a set": "out[0] = int(act(1) in {act(1), act(2)})",
    "a search in a range": "out[0] = int(act(4) in range(act(1), act(9), act(3)))",
    "an item by a constant": "out[0] = (act(1), act(2), act(3))[1]",
    "an item by a variable": "k = int(x[0])\nout[0] = (act(1), act(2), act(3))[k]",
    "an item by a call": "out[0] = (act(1), act(2), act(3))[act(2)]",
    "a part of a tuple": "t = (act(1), act(2), act(3))[1:]\nout[0] = t[0]",
    "a starred item": "t = (act(1), *(act(2), act(3)), act(4))\nout[0] = t[2]",
    "starred arguments": "out[0] = add(*(act(1), act(2)), act(3))",
    "arguments by name": "out[0] = add(b=act(1), a=act(2))",
    "arguments of a method": "out[0] = Pair(act(1), act(2)).total(act(3))",
    "a field": "out[0] = Pair(act(1), act(2)).y",
    "a replaced field": "p = Pair(act(1), act(2))._replace(x=act(3))\nout[0] = p.x + p.y",
    "a replaced field of a new one": "out[0] = Pair(y=act(1), x=act(2))._replace(y=act(3)).x",
    "a loop over a tuple": "for v in (act(1), act(2)):\n    out[0] += act(v + 5)",
    "a numbered loop": "for i, v in enumerate((act(1), act(2)), act(4)):\n    out[0] += i * v",
    "a joined loop": "for v, w in zip((act(1), act(2)), (act(3), act(4))):\n    out[0] += v * w",
    "a loop backwards": "for v in reversed((act(1), act(2))):\n    out[0] += out[0] + act(v)",
    "a loop over pairs": "for v, w in ((act(1), act(2)), (act(3), 4)):\n    out[0] += v * w",
    "a loop over a range": "for v in range(act(1), act(6), act(2)):\n    out[0] += act(v)",
    "a loop over what a function returns": "for v in both(act(1), act(2)):\n    out[0] += act(v)",
    "unpacking": "a, b = act(1), act(2)\nout[0] = a + 10 * b",
    "unpacking of a tuple in it": "a, (b, c) = act(1), (act(2), act(3))\nout[0] = a + b * c",
    "unpacking with a star": "a, (b, *c) = act(1), (act(2), act(3), act(4))\nout[0] = a + b * c[1]",
    "unpacking to elements": "out[act(0)], out[act(1)] = act(2), act(3)",
    "unpacking what a function returns": "a, b = both(act(1), act(2))\nout[0] = a + 10 * b",
    "a swap": "a, b = act(1), act(2)\na, b = b + act(3), a\nout[0] = a + 10 * b",
    "several targets": "out[act(1)] = out[act(2)] = act(3)",
    "an element": "out[act(1)] = act(2)",
    "an element by a tuple": "out[0] = grid[act(1), act(2)] + grid[(act(0), act(1))]",
    "an element of an element": "out[0] = out[int(out[act(2)])] + act(1)",
    "an operator on an element": "out[act(1)] += act(2)",
    "an operator on an element that acts": "x[5] += act(2) * act(3)",
    "an operator on a variable": "a = 3\na -= act(2) - act(1)\nout[0] = a",
    "items of a row": "out[0:3] = act(1), act(2), act(3)",
    "one item of a row": "out[act(0):act(2)] = act(3)",
    "a list": "l = [act(1), act(2)]\nl[act(0)] = act(3)\nout[0] = l[0] + l[1]",
    "a list of one item": "l = [act(3)] * 4\nl[0] += act(1)\nout[0] = l[0] + l[3]",
    "items of a list": "l = [1, 2, 3]\nl[0:2] = act(4), act(5)\nout[0] = l[0] + l[1]",
    "match of a tuple": (
        "match (act(1), act(2)):\n    case (1, v) if act(v) > 5:\n        out[0] = 1\n"
        "    case (1, 2):\n        out[0] = act(7)"
    ),
    "match of a pair": "match Pair(act(1), act(2)):\n    case Pair(y=v):\n        out[0] = v",
    "the greatest": "out[0] = max(act(1), act(3), act(2)) + min((act(4), act(5)))",
    "a sum": "out[0] = sum((act(1), act(2), act(3))) + sum((act(4), 1), 5)",
    "any": "out[0] = int(any((act(0), act(2), act(3)))) + int(all((act(0), act(4))))",
    "sorted": "t = sorted((act(2), act(1), act(3)))\nout[0] = t[0]",
    "sorted by a key": "t = sorted((act(2), act(1)), key=lambda v: -v)\nout[0] = t[0]",
    "the product": "out[0] = math.prod((act(2), act(3)))",
    "the distance": "out[0] = math.dist((act(1), act(2)), (act(3), act(4)))",
    "the hypotenuse": "out[0] = math.hypot(act(3), act(4))",
    "quotient and remainder": "q, r = divmod(act(7), act(2))\nout[0] = q + r",
    "a square": "out[0] = act(3) ** 2 + act(2) ** act(3)",
    "a power of a remainder": "out[0] = pow(act(3), act(4), act(5))",
    "an absolute value": "out[0] = abs(act(-3)) + round(act(2) / 3, act(1))",
    "clipping": "out[0] = np.clip(act(9), act(1), act(5))",
    "closeness": "out[0] = int(math.isclose(act(1), act(2), rel_tol=act(3)))",
    "where": "out[0] = np.where(act(1) > act(2), act(3), act(4))",
    "sign": "out[0] = np.sign(act(-2)) + np.heaviside(act(0), act(1))",
    "a complex number": "out[0] = complex(act(1), act(2)).imag",
    "quotients": "out[0] = act(7) // act(2) + act(-7) % act(3)",
    "a difference with an assignment": "a = 5\nout[0] = a - (a := act(2)) - a",
    "a chained comparison": "out[0] = int(act(1) < act(2) < act(3) < act(1) < act(9))",
    "a chained comparison that ends": "out[0] = int(act(1) < act(0) < act(3))",
    "a chained comparison of elements": "out[0] = int(act(-1) < x[2] <= x[3] <= x[4] < act(5))",
    "and": "out[0] = (act(1) and act(0) and act(2)) + (act(0) or act(3) or act(4))",
    "a condition": "out[0] = act(1) if act(0) else act(2) if act(3) else act(4)",
    "a condition of several": "if act(1) and (act(0) or act(2)) and not act(0):\n    act(3)",
    "a loop's condition": "a = 0\nwhile act(a) < 2 and act(5):\n    a += 1\nelse:\n    out[0] = a",
    "a default": "f = lambda p, q=act(4): p + q\nout[0] = f(act(1)) + f(act(2), act(3))",
    "a default of a function": "def f(p, q=act(4)):\n    return p + q\nout[0] = f(act(1)) + f(5)",
    "given arguments": "f = functools.partial(add, act(1))\nout[0] = f(act(2)) + f(act(3))",
    "a comprehension": "t = [act(v) for v in (act(1), act(2))]\nout[0] = t[0] + 10 * t[1]",
    "a comprehension of pairs": "out[0] = sum(act(v) * w for v, w in ((act(1), act(2)), (3, 4)))",
    "a generator": "out[0] = sum((act(v) for v in range(act(3)) if act(v + 5) != 6), 9)",
    "the first": "out[0] = next((v for v in range(4) if act(v) > 1), 9)",
    "a reduction": "out[0] = functools.reduce(lambda p, q: p * act(q), (act(1), act(2)), 3)",
    "shifts": "out[0] = (act(1) << act(3)) >> act(1)",
    "a sign": "out[0] = -act(1) - (+act(2)) + ~act(3)",
    "a sum of sums": "out[0] = act(1) - (act(2) - (act(3) - x[0])) - x[0]",
    "an argument that is read before": "out[0] = add(x[0], act(4))",
    "an index that the value changes": "k = 2\nout[k] += (k := act(1))\nout[0] = k",
    "an index that changes": "k = 1\nout[k] = (k := act(2)) + k",
}  # fmt: skip


def kernel_of(name, statements):
    text = NAMES + KERNEL.format(body=textwrap.indent(statements, "    "))
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"grid": np.arange(12).reshape(3, 4)}
    exec(compile(text, file, "exec"), scope)
    return scope["kernel"]


@pytest.mark.parametrize("name", STATEMENTS)
def test_operands_are_evaluated_once_in_order(name):
    kernel = kernel_of(name, STATEMENTS[name])
    expected, results = np.zeros(32, np.int64), np.zeros(8)
    kernel(expected, results)
    written, out = np.zeros(32, np.int64), np.zeros(8)
    Function(kernel)[1, 1](written, out)
    assert written[: written[0] + 1].tolist() == expected[: expected[0] + 1].tolist()
    assert out.tolist() == results.tolist()


@pytest.mark.parametrize(
    "statement",
    ["sum((v for v in range(3)), act(2))", "next((v for v in range(3) if v > 5), act(2))"],
)
def test_starts_and_defaults_that_act_are_refused(statement):
    kernel = kernel_of(statement, f"out[0] = {statement}")
    with pytest.raises(ww.UnsupportedError, match="give it a name before"):
        Function(kernel)[1, 1](np.zeros(32, np.int64), np.zeros(8))
