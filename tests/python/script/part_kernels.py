"""Kernels of a few lines over the same arrays, beside what Python makes of them."""

from __future__ import annotations

import itertools
import linecache
import math
import operator

import numpy as np

import warpwise as ww
from warpwise._script import Function


def arguments():
    a = np.array([0.25, 1.5, 0.75, 3.0, 1.25, 2.5, 0.5, 1.125])
    m = np.arange(24.0).reshape(4, 6) ** 1.5 % 7
    w = np.array([3, 1, 4, 1, 5, 2, 6, 5, 3, 0])
    return [a, a[::-1] * 3 % 2, m, w, np.zeros(64), 5]


def kernel_of(body):
    lines = ["def kernel(a, b, m, w, out, n):", *(f"    {line}" for line in body.splitlines())]
    source = "\n".join(lines) + "\n"
    file = f"<{body}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"np": np, "math": math, "cuda": ww.cuda, "itertools": itertools, "operator": operator}
    exec(compile(source, file, "exec"), scope)
    return scope["kernel"]


def check(body, rtol=1e-15):
    kernel = kernel_of(body)
    expected, given = arguments(), arguments()
    kernel(*expected)
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol)
