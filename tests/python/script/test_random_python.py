"""Random functions give in kernels what they give in Python.

WARPWISE_FUZZ=long or WARPWISE_FUZZ=4000:5000 runs more of them.
"""

from __future__ import annotations

import linecache
import os

import numpy as np
import pytest
from random_python import random_function

from warpwise import cuda
from warpwise._script import Function

VALUES = [0, 1, -1, 2, 5, -7, 12, 100, -301, 4999]


def seeds():
    chosen = os.environ.get("WARPWISE_FUZZ", "")
    if ":" in chosen:
        first, last = chosen.split(":")
        return range(int(first), int(last))
    return range(20000 if chosen == "long" else 300)


def function_of(seed):
    text = random_function(seed)
    file = f"<random function {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope["function"], text


@pytest.mark.parametrize("seed", seeds())
def test_random_functions(seed):
    function, text = function_of(seed)

    @Function
    def kernel(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i])

    pairs = [(a, b) for a in VALUES for b in VALUES]
    for scale in (1, 0.5):
        given = [(a * scale, b * scale) for a, b in pairs]
        expected = [float(function(a, b)) for a, b in given]
        a, b = (np.array(one) for one in zip(*given, strict=True))
        out = np.full(len(pairs), np.nan)
        kernel[2, 64](a, b, out)
        np.testing.assert_array_equal(out, expected, err_msg=text)
