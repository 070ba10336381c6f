"""What is computed behind a reduction, from its results at their own points: in the same kernel,
with the bits of a kernel of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

# Results by a thread, a warp, a block, and by several parts each.
SHAPES = [
    ((90_000,), None),
    ((7,), None),
    ((3, 5), 0),
    ((4000, 9), 1),
    ((300, 500), 1),
    ((300, 40_000), 1),
    ((5, 3001), 1),
    ((3001, 70), 0),
    ((6, 7, 8, 9), (1, 3)),
]


def kernels(*values: Any) -> int:
    return ww.explain(*values).count("\nkernel ") + 1


def operand(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    random = np.random.default_rng(len(shape) + sum(shape))
    return ww.asarray((random.random(shape) + 0.5).astype(dtype))


def assert_same_bits(function: Callable[..., Any], *operands: Any) -> None:
    """Lazily and step by step."""
    lazy = function(*operands)
    lazy = [one.get() for one in (lazy if isinstance(lazy, tuple) else (lazy,))]
    with ww.lazy(False):
        eager = function(*operands)
    eager = [one.get() for one in (eager if isinstance(eager, tuple) else (eager,))]
    for one, other in zip(lazy, eager, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_a_function_of_a_sum_is_one_kernel(shape: tuple[int, ...], axis: Any) -> None:
    x = operand(shape)
    assert kernels(ww.sqrt(ww.sum(x * x, axis=axis))) == 1


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_the_bits_are_those_of_separate_kernels(shape: tuple[int, ...], axis: Any) -> None:
    x = operand(shape)
    other = operand(ww.sum(x, axis=axis).shape)
    assert_same_bits(lambda x: ww.sqrt(ww.sum(x * x, axis=axis)) * 3 - 1, x)
    assert_same_bits(lambda x, y: y / ww.sum(x, axis=axis) + ww.max(x, axis=axis), x, other)


@pytest.mark.parametrize("tier", ["interpreted", "compiled"])
def test_values_behind_rows(tier: str) -> None:
    """With the interpreter, and with the kernel that takes its place."""
    x, y = operand((300, 500)), operand((300,))
    want = np.sqrt(np.sum(x.get().astype(np.float64), axis=1)) * y.get()
    for _ in range(1 if tier == "interpreted" else 12):
        got = (ww.sqrt(ww.sum(x, axis=1)) * y).get()
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_operands_of_any_strides() -> None:
    x, y = operand((64, 40)), operand((128,))
    square = operand((64, 64))
    for other in (y[::2], y[::-2], square.T[3], square[5], ww.broadcast_to(y[3], (64,))):
        assert_same_bits(lambda x, other: ww.sum(x, axis=1) - other * 2, x, other)
    assert_same_bits(
        lambda x, other: ww.sum(x, axis=(1, 3)) * other, operand((8, 3, 4, 5)), square[:8, :4]
    )


def test_scalars_of_arrays_and_numbers() -> None:
    x, y = operand((5000,)), operand((3,))
    assert_same_bits(lambda x, y: (ww.sum(x) * y[1] + 2) > 1, x, y)
    assert_same_bits(lambda x, y: ww.where(y[0] > 0.1, y[2] / ww.sum(x), ww.float32(0)), x, y)


def test_several_results_and_what_is_made_of_them() -> None:
    x = operand((200, 300))
    low, high, mean = (f(x, axis=1) for f in (ww.min, ww.max, ww.mean))
    spread, ratio = high - low, (mean - low) / (high - low)
    assert kernels(spread, ratio) == 1
    assert_same_bits(
        lambda x: (ww.max(x, axis=1) - ww.min(x, axis=1), ww.mean(x, axis=1) / ww.max(x, axis=1)), x
    )


def test_a_result_that_is_named_is_stored_too() -> None:
    x = operand((5000,))
    total = ww.sum(x)
    root = ww.sqrt(total)
    assert kernels(root) == 1
    ww.evaluate(root)
    assert "in memory" in ww.explain(total)
    np.testing.assert_array_equal(root.get(), np.sqrt(total.get()))


def test_integers_booleans_and_complex_numbers() -> None:
    whole = ww.arange(1000, dtype=np.int32).reshape((10, 100))
    assert_same_bits(lambda x: ww.sum(x, axis=1) // 7 % 5, whole)
    assert_same_bits(lambda x: ~ww.any(x > 500, axis=1), whole)
    assert_same_bits(lambda x: ww.argmax(x, axis=1) + ww.count_nonzero(x, axis=1), whole)
    assert_same_bits(lambda x: ww.sqrt(ww.sum(x * ww.complex64(1 + 2j), axis=1)), operand((30, 50)))
    assert_same_bits(lambda x: ww.sum(x, axis=0) * 2, operand((50, 30), np.float16))


def test_coordinates_and_other_points_take_a_kernel_of_their_own() -> None:
    x = operand((40, 50))
    assert_same_bits(lambda x: ww.sum(x, axis=1) + ww.arange(40, dtype=np.float32), x)
    assert_same_bits(lambda x: ww.sum(x, axis=1)[::-1] * 2, x)
    assert_same_bits(lambda x: x - ww.mean(x, axis=1, keepdims=True), x)
    assert_same_bits(lambda x: ww.sum(x, axis=1, keepdims=True) * 2 + x, x)


def test_a_sum_over_no_axis() -> None:
    assert_same_bits(lambda x: ww.sum(x, axis=()) * 2 + x, operand((4, 5)))


def test_empty_operands() -> None:
    assert_same_bits(lambda x: ww.sum(x, axis=1) * 2 + 1, ww.zeros((3, 0), dtype=np.float32))
    assert_same_bits(lambda x: ww.sum(x, axis=1) * 2 + 1, ww.zeros((0, 3), dtype=np.float32))


def test_writes_in_place_keep_their_order() -> None:
    x, y = operand((40, 50)), operand((40,))
    before = y.get()
    sums = ww.sum(x, axis=1)
    product = sums * y
    y += 1
    np.testing.assert_array_equal(product.get(), sums.get() * before)
    y[...] = ww.sum(x, axis=1) * y
    np.testing.assert_allclose(y.get(), sums.get() * (before + 1), rtol=1e-6)


def test_many_operations_end_the_kernel() -> None:
    def chain(x: Any) -> Any:
        value = ww.sum(x, axis=1)
        for _ in range(40):
            value = ww.sin(value) + 1
        return value

    x = operand((20, 30))
    assert kernels(chain(x)) == 2
    assert_same_bits(chain, x)


def test_a_repeated_expression_reads_the_operands_of_each_turn() -> None:
    x = operand((40, 50))
    for turn in range(5):
        y = ww.full((40,), float(turn), dtype=np.float32)
        got = (ww.sum(x, axis=1) + y * (turn + 1)).get()
        np.testing.assert_allclose(got, x.get().sum(axis=1) + turn * (turn + 1), rtol=1e-6)
