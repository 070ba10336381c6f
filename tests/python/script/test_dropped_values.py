"""Calls that act where their value does not matter, or only its type: they happen all the same."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


def bump(c):
    c[0] += 1
    return c[0]


def act(c, k=1):
    c[0] += k


def tail(c):
    c[0] += 1
    return c[1:]


def text(c):
    c[0] += 1
    return "abc"


STATEMENTS = """\
o[0] = tail(a).ndim + len(tail(a))
o[0] = len(tail(a)) + tail(a).shape[0]
o[0] = bump(a).real + bump(a).imag
o[0] = 5 if text(a) == "x" else 6
o[0] = len(text(a)) + (text(a) != "abc")
if (w := bump(a)) is not None: o[0] = w
if bump(a) is not None: o[0] = a[0]
if act(a) is None: o[0] = a[0]
if (w := bump(a)) == None: o[0] = 1
if isinstance((w := bump(a)), tuple): o[0] = w[0]
if isinstance(bump(a), float): o[0] = 5
if not isinstance(bump(a), int): o[0] = 5
if (bump(a), 1): o[0] = 5
if act(a): o[0] = 5
if not act(a): o[0] = 5
if act(a) or bump(a): o[0] = 5
o[0] = 5 if (w := bump(a)) is None else w
o[0] = 1 if (bump(a), 1) else 2
o[0] = (bump(a) is None) + (None is bump(a)) + (bump(a) != None)
o[0] = len((bump(a), 2)) + len([bump(a), 1])
o[0] = (1, 2) == (bump(a), 2, 3)
o[0] = (n := 3) and bump(a) is not None and n is not None
assert (w := bump(a)) is not None
while (w := bump(a)) is not None and w < 5: o[0] += w
while act(a) is None and a[0] < 5: o[0] += 1
act(a, 1) if a[1] > 0 else act(a, 10)
act(a, 1) if a[1] < 0 else act(a, 10)
act(a, 1) if a[1] > 0 else None
act(a, 1) if bump(a) > 0 else None
act(a) if act(a) is None else None
bump(a) if a[1] < 0 else act(a)
a[1] > 0 and act(a)
a[1] < 0 and act(a)
a[1] > 0 or act(a)
a[1] < 0 or act(a)
a[1] > 0 and bump(a) > 0 and act(a)
not act(a)
(bump(a), 3)
bump(a) is None
act(a)
""".splitlines()


def kernel_of(line):
    scope = {"bump": bump, "act": act, "tail": tail, "text": text}
    exec(f"def kernel(a, o):\n    {line}\n", scope)
    return scope["kernel"]


@pytest.mark.parametrize("line", STATEMENTS)
def test_they_happen(line):
    kernel = kernel_of(line)
    a, o = np.array([0.0, 1.0]), np.zeros(2)
    given, out = a.copy(), o.copy()
    kernel(a, o)
    cuda.jit(kernel)[1, 1](given, out)
    assert (given.tolist(), out.tolist()) == (a.tolist(), o.tolist())


@pytest.mark.parametrize("line, message", [
    ("x = act(a) if a[1] > 0 else act(a, 2)", "has no value at run time; write an if statement"),
    ("o[0] = tail(a).dtype == float", "give this array a name before"),
    ("o[0] = len('x' + text(a))", "give the string of a function that acts a name before"),
    ("(act(a), act(a))", "this call returns nothing; make it a statement of its own"),
    ("[act(a, k) for k in range(3)]", "this call returns nothing; write a loop"),
])  # fmt: skip
def test_what_is_refused(line, message):
    with pytest.raises(ww.UnsupportedError, match=message):
        cuda.jit(kernel_of(line))[1, 1](np.zeros(2), np.zeros(2))
