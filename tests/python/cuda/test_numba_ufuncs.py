"""cuda.reduce, vectorize, guvectorize and random."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from warpwise import cuda
from warpwise.cuda import random
from warpwise.cuda._xoroshiro import states_of

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@cuda.reduce
def total(a, b):
    return a + b


SIZES = [0, 1, 2, 31, 127, 128, 129, 255, 1000, 40_001]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["i4", "i8", "f8"])
def test_sums(size, dtype):
    x = np.random.default_rng(size).integers(-50, 50, size).astype(dtype)
    assert total(x) == x.sum() and total(cuda.to_device(x), init=3) == x.sum() + 3
    assert type(total(x)) is np.dtype(dtype).type


def test_other_reductions():
    x = np.random.default_rng(1).normal(size=3000)
    assert cuda.reduce(lambda a, b: a if a > b else b)(x, init=-math.inf) == x.max()
    assert cuda.Reduce(lambda a, b: min(a, b))(x, size=77, init=math.inf) == x[:77].min()
    bits = np.random.default_rng(2).integers(0, 2**30, 500)
    assert cuda.reduce(lambda a, b: a ^ b)(bits) == np.bitwise_xor.reduce(bits)
    product = cuda.reduce(lambda a, b: a * b)
    assert product(np.arange(1, 11), init=1) == math.factorial(10)


def test_a_result_on_the_device():
    x, result = cuda.to_device(np.arange(700)), cuda.device_array(2, np.int64)
    result[...] = -1
    assert total(x, res=result, stream=cuda.stream()) is None
    cuda.synchronize()
    assert result.copy_to_host().tolist() == [np.arange(700).sum(), -1]
    total(x[:0], res=result, init=9)
    assert result[0] == 9


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: cuda.reduce(3), TypeError, "a function of two values, got 3"),
    (lambda: total(np.zeros((2, 2))), TypeError, "only support 1D array"),
    (lambda: total(np.zeros(3), size=4), ValueError, "size expects 0 to 3"),
])  # fmt: skip
def test_wrong_reductions(call, error, words):
    with pytest.raises(error, match=words):
        call()


@cuda.vectorize(["int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"])
def fused(a, b):
    return a * a + b


@pytest.mark.parametrize("shapes", [
    ((7,), (7,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((2, 3, 4), (3, 1)), ((0,), (1,)),
    ((), ()),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
def test_functions_of_elements_broadcast(shapes, dtype):
    rng = np.random.default_rng(len(shapes[0]))
    a, b = (np.asarray(rng.integers(0, 9, shape)).astype(dtype) for shape in shapes)
    result = fused(a, b)
    assert result.dtype == dtype and result.shape == (a * a + b).shape
    assert np.array_equal(result, a * a + b)
    on_device = fused(cuda.to_device(a), b)
    assert isinstance(on_device, cuda.DeviceNDArray)
    assert np.array_equal(on_device.copy_to_host(), a * a + b)


def test_numbers_strides_and_outputs():
    assert fused(3, 4) == 13 and type(fused(3, 4)) is np.int64
    base = np.arange(24.0).reshape(4, 6)
    a = cuda.to_device(base)[:, ::2]
    assert np.array_equal(fused(a, 1.0).copy_to_host(), base[:, ::2] ** 2 + 1)
    out = np.zeros((4, 6))
    assert fused(base, 1.0, out=out) is out and np.array_equal(out, base**2 + 1)
    device_out = cuda.device_array((4, 6))
    assert fused(base, 1.0, device_out, stream=cuda.stream()) is device_out
    cuda.synchronize()
    assert np.array_equal(device_out.copy_to_host(), base**2 + 1)
    assert fused.types == ["ll->l", "ff->f", "dd->d"] and fused.nin == 2


def test_types_of_results_are_inferred():
    @cuda.vectorize
    def mean(a, b):
        return (a + b) / 2

    @cuda.vectorize(target="cuda")
    def least(a, b):
        return a if a < b else b

    x, y = np.arange(5), np.arange(5)[::-1].copy()
    assert mean(x, y).dtype == np.float64 and np.array_equal(mean(x, y), (x + y) / 2)
    assert least(x, y).dtype == np.int64 and np.array_equal(least(x, y), np.minimum(x, y))
    single = least(x.astype(np.float32), np.float32(2))
    assert single.dtype == np.float32 and single.tolist() == [0, 1, 2, 2, 2]


def test_reductions_by_a_function_of_elements():
    @cuda.vectorize(["int64(int64, int64)", "float64(float64, float64)"])
    def add(a, b):
        return a + b

    x = np.arange(300)
    assert add.reduce(x) == x.sum() and add.reduce(x[:1]) == 0
    assert add.reduce(cuda.to_device(x * 0.5), init=1.0) == x.sum() / 2 + 1


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: fused(1, 2, 3, 4), TypeError, "takes 2 arrays, got 4"),
    (lambda: fused(1j, 2), TypeError, "no matching signature"),
    (lambda: fused(np.zeros(3), np.zeros(4)), ValueError, "broadcast"),
    (lambda: fused(np.zeros(3), 1.0, out=np.zeros(4)), ValueError, "out is float64 of shape"),
    (lambda: fused("a", 1), TypeError, "an array or a number is expected"),
    (lambda: cuda.vectorize(["f8(f8)"], target="parallel"), NotImplementedError, "target='parallel'"),
    (lambda: cuda.vectorize(["f8(f8)"], speed=1), TypeError, "not supported: 'speed'"),
    (lambda: fused.reduce(np.zeros((2, 2))), TypeError, "one axis"),
    (lambda: fused.reduce(np.zeros(0)), TypeError, "reduction on an empty array"),
])  # fmt: skip
def test_wrong_uses_of_functions_of_elements(call, error, words):
    with pytest.raises(error, match=words):
        call()


@cuda.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)")
def product(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@cuda.guvectorize(["void(float64[:], float64, float64[:], float64[:])"], "(n),()->(),(n)")
def sum_and_scaled(x, factor, total, scaled):
    total[0] = 0
    for i in range(x.size):
        total[0] += x[i]
        scaled[i] = factor * x[i]


@pytest.mark.parametrize("front", [(), (5,), (2, 3)])
def test_functions_of_parts(front):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(*front, 2, 3)), rng.normal(size=(*front, 3, 4))
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-12)
    result = product(cuda.to_device(a), b)
    assert isinstance(result, cuda.DeviceNDArray)
    np.testing.assert_allclose(result.copy_to_host(), a @ b, rtol=1e-12)
    out = np.empty((*front, 2, 4))
    assert product(a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-12)


def test_parts_broadcast():
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(5, 1, 2, 3)), rng.normal(size=(4, 3, 2))
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-12)


def test_several_results():
    x = np.arange(12.0).reshape(3, 4)
    total_of, scaled = sum_and_scaled(x, np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(total_of, x.sum(axis=1))
    assert np.array_equal(scaled, x * [[1], [2], [3]])


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: product(np.zeros((2, 3)), np.zeros((4, 2))), ValueError, "axis 'n' of input 1 is 4"),
    (lambda: product(np.zeros(3), np.zeros((3, 2))), ValueError, "input 0 has 1 axes"),
    (lambda: product(np.zeros((2, 3))), TypeError, "accepts 2 positional arguments"),
    (lambda: product(np.zeros((2, 3)), np.zeros((3, 2)), out=np.zeros((2, 3))), ValueError, "output 0"),
    (lambda: product(np.zeros((2, 2), "c16"), np.zeros((2, 2))), TypeError, "no matching signature"),
    (lambda: cuda.guvectorize(["void(f8[:], f8[:])"], "(n)")(lambda a, b: None), ValueError, "cannot be read"),
    (lambda: cuda.guvectorize(["void(f8[:])"], "(n)->()")(lambda a, b: None), ValueError, "its signature"),
    (lambda: cuda.guvectorize(["void(f8[:], f8[:])"], "(n),(n)->()")(lambda a, b: None), ValueError, "2 parameters"),
])  # fmt: skip
def test_wrong_uses_of_functions_of_parts(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_states_of_generators():
    # The first three of seed 1, by Numba 0.61.
    known = states_of(3, 1, 0)
    assert known[0].tolist() == [10451216379200822465] * 2
    assert np.array_equal(states_of(1, 1, 2)[0], known[2])
    assert np.array_equal(states_of(200, 7, 0)[150:], states_of(50, 7, 150))
    assert states_of(0, 1, 0).shape == (0, 2)
    states = random.create_xoroshiro128p_states(40, seed=7, subsequence_start=3)
    assert states.dtype == random.xoroshiro128p_dtype and states.shape == (40,)
    host = states.copy_to_host()
    assert np.array_equal(host["s0"], states_of(40, 7, 3)[:, 0])
    assert np.array_equal(host["s1"], states_of(40, 7, 3)[:, 1])


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: random.create_xoroshiro128p_states(-1, 1), ValueError, "n expects 0 or more"),
    (lambda: random.create_xoroshiro128p_states(2.5, 1), TypeError, "n expects an int"),
    (lambda: random.create_xoroshiro128p_states(2, "1"), TypeError, "seed expects an int"),
    (lambda: random.create_xoroshiro128p_states(2, 1, -1), ValueError, "subsequence_start"),
])  # fmt: skip
def test_wrong_states(call, error, words):
    with pytest.raises(error, match=words):
        call()


@cuda.jit
def jump_and_draw(states, out):
    random.xoroshiro128p_jump(states, 0)
    out[0] = random.xoroshiro128p_next(states, 0)
    out[1] = random.xoroshiro128p_next(states, 1)
    random.init_xoroshiro128p_state(states, 0, 5)
    out[2] = states[0]["s0"]


def test_generators_jump_in_kernels():
    states, out = random.create_xoroshiro128p_states(2, seed=5), np.zeros(3, np.uint64)
    jump_and_draw[1, 1](states, out)
    assert out[0] == out[1] and out[2] == states_of(1, 5, 0)[0, 0]


def test_kernels_can_be_pickled():
    assert pickle.loads(pickle.dumps(jump_and_draw)) is jump_and_draw


def test_types_of_arguments_alone_declare_a_function_of_arrays():
    @cuda.vectorize([(np.float32, np.int32), (np.float64, np.float64)])
    def ratio(a, b):
        return a / b

    assert ratio.types == ["fi->d", "dd->d"]
    assert ratio(np.ones(2, np.float32), np.full(2, 4, np.int32)).tolist() == [0.25, 0.25]
    assert ratio(3.0, 2.0) == 1.5
