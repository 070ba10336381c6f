"""Each construct of Python gives in a kernel what it gives in Python."""

from __future__ import annotations

import numpy as np
import pytest
from python_constructs import CONSTRUCTS
from python_sequences import SEQUENCES

from warpwise import cuda
from warpwise._script import Function

WHOLE = [0, 1, -1, 2, 3, -3, 4, 5, 7, -8, 9, 12, 25, -31, 100, 12345]
REAL = [0.0, 1.0, -1.0, 0.5, -2.5, 3.25, -0.1, 7.9, 1e-3, -33.3, 100.0, 2.5]


def inputs(values):
    return [np.array(one) for one in zip(*[(a, b) for a in values for b in values])]


ALL = CONSTRUCTS | SEQUENCES


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_kernel_gives_what_python_gives(name):
    function = ALL[name]
    a, b = inputs(WHOLE if name.startswith("i_") else REAL)

    @Function
    def kernel(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i])

    out = np.full(a.size, -12345.5)
    kernel[(a.size + 127) // 128, 128](a, b, out)
    expected = np.array([function(x, y) for x, y in zip(a.tolist(), b.tolist())], np.float64)
    np.testing.assert_allclose(
        out,
        expected,
        rtol=2e-13 if name.startswith("c_") else 2e-14,
        atol=1e-13 if name.startswith("c_") else 1e-300,
        err_msg=name,
    )
