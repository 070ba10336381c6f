"""ww.vectorize: functions of elements over arrays."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import warpwise as ww


@ww.vectorize
def clamp(x, lo, hi):
    return lo if x < lo else hi if x > hi else x


@ww.vectorize
def join(a, b):
    return a + b * 0.5


@ww.vectorize(fastmath=True)
def larger(a, b):
    return a if a > b else b


@pytest.mark.parametrize("shape", [(), (1,), (1000,), (7, 9), (3, 4, 5), (0,), (2, 0)])
def test_elements_of_every_shape(shape):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    result = clamp(ww.asarray(x), -0.5, 0.5)
    assert result.dtype == np.float32 and result.shape == shape
    np.testing.assert_array_equal(result.get(), np.clip(x, -0.5, 0.5))


def test_arguments_broadcast():
    rng = np.random.default_rng(2)
    x, lo, hi = rng.standard_normal((4, 1, 6)), rng.standard_normal((5, 1)), rng.standard_normal(6)
    result = clamp(ww.asarray(x), ww.asarray(lo), hi)
    expected = np.where(x < lo, lo, np.where(x > hi, hi, x))
    np.testing.assert_array_equal(result.get(), expected)


def test_strided_arrays_and_negative_strides():
    x = ww.asarray(np.arange(40.0).reshape(5, 8))
    result = join(x[::2, ::-3], x.T[1:4, :3])
    expected = x.get()[::2, ::-3] + x.get().T[1:4, :3] * 0.5
    np.testing.assert_array_equal(result.get(), expected)


def test_out_may_be_an_input_or_overlap_one():
    x = np.arange(10.0)
    a = ww.asarray(x)
    assert join(a, 2.0, out=a) is a
    np.testing.assert_array_equal(a.get(), x + 1)
    b = ww.asarray(x)
    join(b[:-1], b[1:], out=b[1:])
    np.testing.assert_array_equal(b.get()[1:], x[:-1] + x[1:] * 0.5)


def test_where_leaves_the_rest():
    x = np.arange(12.0).reshape(3, 4)
    out = ww.asarray(np.full((3, 4), -1.0))
    join(ww.asarray(x), 2, out=out, where=ww.asarray(x % 2 == 0))
    np.testing.assert_array_equal(out.get(), np.where(x % 2 == 0, x + 1, -1))


@pytest.mark.parametrize("n", [1, 2, 3, 17, 64, 1001])
def test_reduce_joins_all_elements(n):
    x = np.random.default_rng(n).standard_normal((n, 3))
    np.testing.assert_array_equal(larger.reduce(ww.asarray(x)).get(), x.max(axis=0))
    np.testing.assert_array_equal(larger.reduce(ww.asarray(x.T), axis=-1).get(), x.max(axis=0))


def test_dtypes_are_those_of_the_function():
    i = ww.asarray(np.arange(3, dtype=np.int32))
    assert join(i, 1).dtype == np.float64
    assert larger(i, i).dtype == np.int32
    assert larger(i, 2).dtype == np.int32
    assert larger(2.5, 3).dtype == np.float64


def test_wrong_calls_are_refused():
    x = ww.asarray(np.zeros(3))
    with pytest.raises(ww.ArgumentError, match="takes 2 arguments, got 1"):
        join(x)
    with pytest.raises(ww.ArgumentError, match="broadcast"):
        join(x, ww.asarray(np.zeros(4)))
    with pytest.raises(ww.ArgumentError, match=r"out has shape \(4,\)"):
        join(x, x, out=ww.asarray(np.zeros(4)))
    with pytest.raises(ww.ArgumentError, match=r"out= is a ww\.Array, got ndarray"):
        join(x, x, out=np.zeros(3))
    with pytest.raises(ww.ArgumentError, match="where= is an array of bool"):
        join(x, x, where=x)
    with pytest.raises(ww.ArgumentError, match="functions of two elements"):
        clamp.reduce(x)
    with pytest.raises(ww.ArgumentError, match="no elements"):
        join.reduce(x[:0])
    with pytest.raises(ww.ArgumentError, match="axis 1 is none"):
        join.reduce(x, axis=1)

    @ww.vectorize
    def nothing(a):
        pass

    with pytest.raises(ww.ArgumentError, match="takes a function and no signatures"):
        ww.vectorize(["float64(float64)"])
    with pytest.raises(ww.ArgumentError, match="returns none for one element"):
        nothing(x)
    with pytest.raises(ww.ArgumentError, match="one parameter at least"):
        ww.vectorize(lambda: 1)


def test_they_pickle():
    def made(offset):
        return ww.vectorize(lambda x: x + offset)

    assert pickle.loads(pickle.dumps(clamp)) is clamp
    again = pickle.loads(pickle.dumps(made(5)))
    assert again(ww.arange(2)).tolist() == [5, 6]
    assert copy.deepcopy(made(1))(ww.arange(2)).tolist() == [1, 2]


def test_lambdas_and_names_of_the_generated_kernel():
    def element(x):
        return x * 3

    def grid(x):
        return x * 4

    add, scale = ww.vectorize(lambda x: x + 1), ww.vectorize(lambda x: x * 2)
    x = ww.arange(3)
    assert add(x).tolist() == [1, 2, 3] and scale(x).tolist() == [0, 2, 4]
    assert ww.vectorize(element)(x).tolist() == [0, 3, 6]
    assert ww.vectorize(grid)(x).tolist() == [0, 4, 8]


def test_equal_lambdas_on_one_line():
    pair = [lambda x: x + 1, lambda x: x + 1]
    assert [ww.vectorize(one)(ww.arange(2)).tolist() for one in pair] == [[1, 2], [1, 2]]
    texts = [lambda x: x + ("a" == "a"), lambda x: x + ("b" == "a")]
    assert [ww.vectorize(one)(ww.arange(2)).tolist() for one in texts] == [[1, 2], [0, 1]]
