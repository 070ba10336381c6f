"""NumPy's ufuncs of numbers in kernels, all that give one number, against NumPy."""

from __future__ import annotations

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

UNKNOWN = {"bitwise_count", "spacing"}
FUNCTIONS = {
    name: function
    for name in dir(np)
    if isinstance(function := getattr(np, name), np.ufunc)
    and function.nout == 1
    and function.nin <= 2
    and function.signature is None
    and name not in UNKNOWN
}
FLOATS = np.array([0.3, -0.7, 2.5, -3.5, 0.0, 1.0, 7.0, np.nan, np.inf, -2.0])
OTHER_FLOATS = np.array([0.5, 0.25, -1.5, 2.0, 3.0, 0.0, 2.0, 1.0, 1.0, -3.0])
WHOLE = np.array([1, -7, 5, 12, 3, 255, 8, 9, -2, 6])
OTHER_WHOLE = np.array([2, 3, 5, 4, 1, 7, 16, 3, 2, 5])


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def expected(function, given):
    try:
        with np.errstate(all="ignore"):
            return function(*given)
    except (TypeError, ValueError):
        return None  # of whole numbers only, or with a power that is none


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x, y", [(FLOATS, OTHER_FLOATS), (WHOLE, OTHER_WHOLE)])
def test_results_are_numpys(name, x, y):
    function = FUNCTIONS[name]
    given = (x, y)[: function.nin]
    wanted = expected(function, given)
    if wanted is None:
        return

    @cuda.jit
    def kernel(given, out):
        i = cuda.grid(1)
        if i < out.size:
            if len(given) == 1:
                out[i] = function(given[0][i])
            else:
                out[i] = function(given[0][i], given[1][i])

    out = np.zeros_like(wanted)
    kernel[1, 16](given, out)
    np.testing.assert_allclose(out, wanted, rtol=1e-12)


def test_two_results():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[0, i], out[1, i] = np.frexp(x[i])
            out[2, i], out[3, i] = np.modf(x[i])
            out[4, i], out[5, i] = np.divmod(x[i], 0.5)

    x = FLOATS[:7]
    out = np.zeros((6, 7))
    kernel[1, 8](x, out)
    assert np.array_equal(out, [*np.frexp(x), *np.modf(x), *np.divmod(x, 0.5)])
