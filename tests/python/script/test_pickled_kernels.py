"""Kernels without a name to import are pickled by their code."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")
FACTOR = 3


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def local_kernel(amount, *signatures):
    def plain(x):
        return x * FACTOR

    @cuda.jit(device=True)
    def inner(x):
        return plain(x) + amount

    @cuda.jit(*signatures)
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = inner(x[i]) + np.float32(0.5)

    return kernel


@pytest.mark.parametrize("signatures", [(), ("void(float32[:])",)])
def test_local_kernels_with_what_they_call(signatures):
    again = pickle.loads(pickle.dumps(local_kernel(4, *signatures)))
    twice = pickle.loads(pickle.dumps(again))
    for kernel in (again, twice):
        x = np.arange(5, dtype=np.float32)
        kernel[1, 32](x)
        assert x.tolist() == [3 * i + 4.5 for i in range(5)]
        assert kernel.__name__ == "kernel" and type(kernel) is type(local_kernel(1))


def test_a_launch_keeps_its_grid_and_block():
    launch = pickle.loads(pickle.dumps(local_kernel(1)[5, (8,)]))
    assert (launch.griddim, launch.blockdim) == ((5, 1, 1), (8, 1, 1))
    x = np.zeros(100, np.float32)
    launch(x)
    assert x[:40].tolist() == [1.5] * 40
    assert local_kernel(1, "void(float32[:])")[2, (3, 2)].blockdim == (3, 2, 1)
    assert local_kernel(1).forall(7).griddim is None


def test_functions_that_call_themselves():
    @cuda.jit(device=True)
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @cuda.jit
    def kernel(out):
        out[0] = factorial(out[0])

    out = np.array([5])
    pickle.loads(pickle.dumps(kernel))[1, 1](out)
    assert out[0] == 120


def test_functions_of_arrays():
    @cuda.vectorize(["float64(float64)"])
    def halved(x):
        return x / 2

    @cuda.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = 0
        for value in x:
            out[0] += value

    assert pickle.loads(pickle.dumps(halved))(np.arange(3.0)).tolist() == [0, 0.5, 1]
    assert pickle.loads(pickle.dumps(total))(np.ones((2, 3))).tolist() == [3, 3]


def test_another_process_runs_it(tmp_path):
    file = tmp_path / "kernel.pickle"
    file.write_bytes(pickle.dumps(local_kernel(2)))
    program = (
        "import pickle, sys, numpy as np\n"
        f"kernel = pickle.load(open({str(file)!r}, 'rb'))\n"
        "x = np.ones(2, np.float32); kernel[1, 2](x); print(x.tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "[5.5, 5.5]\n", done.stderr


@cuda.reduce
def largest(a, b):
    return max(a, b)


def test_reductions_pickle():
    def made(offset):
        return cuda.reduce(lambda a, b: a + b + offset)

    assert pickle.loads(pickle.dumps(largest)) is largest
    assert pickle.loads(pickle.dumps(made(0)))(np.arange(5.0)) == 10


def test_deep_copies_of_kernels_are_the_kernels():
    kernel = local_kernel(4)
    functions = [kernel, largest, ww.vectorize(lambda x: x + 1), cuda.vectorize(["f8(f8)"])(abs_of)]
    assert all(a is b for a, b in zip(copy.deepcopy(functions), functions, strict=True))


def abs_of(x):
    return abs(x)
