"""Device functions that were declared with signatures: calls convert arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@cuda.jit("float32(float32, float32)", device=True)
def ratio(a: Any, b: Any) -> Any:
    return a / b


@cuda.jit(["int32(int32)", "float64(float64)"], device=True)
def half(a: Any) -> Any:
    return a / 2


def results_of(kernel: Any, *arguments: Any, count: int = 1) -> np.ndarray:
    out = np.zeros(count)
    kernel[1, count](*arguments, out)
    return out


def test_arguments_become_the_declared_types() -> None:
    @cuda.jit
    def kernel(x: Any, out: Any) -> None:
        i = cuda.threadIdx.x
        out[i] = ratio(x[i], 3)

    x = np.random.default_rng().random(8)
    expected = x.astype(np.float32) / np.float32(3)
    np.testing.assert_array_equal(results_of(kernel, x, count=8), expected)


@pytest.mark.parametrize(("given", "expected"), [(np.int32(7), 3), (np.int64(7), 3.5), (7.0, 3.5)])
def test_the_signature_that_loses_least_is_taken(given: Any, expected: float) -> None:
    @cuda.jit
    def kernel(value: Any, out: Any) -> None:
        out[0] = half(value)

    assert results_of(kernel, given)[0] == expected


def test_arguments_that_fit_no_signature_are_refused_with_those_there_are() -> None:
    @cuda.jit
    def kernel(out: Any) -> None:
        out[0] = ratio(1j, 2).real

    with pytest.raises(Exception, match=r"declared for \(float32, float32\)"):
        results_of(kernel)


def test_a_result_that_cannot_be_the_declared_one_is_refused() -> None:
    @cuda.jit("float32(complex64)", device=True)
    def changed(a: Any) -> Any:
        return a * 2

    @cuda.jit
    def kernel(out: Any) -> None:
        out[0] = changed(1j)

    with pytest.raises(Exception, match="declared to return float32"):
        results_of(kernel)


def test_an_index_of_an_atomic_operation_may_be_a_float_of_whole_numbers() -> None:
    @cuda.jit
    def kernel(out: Any) -> None:
        place = np.uint64(cuda.threadIdx.x) + 1
        cuda.atomic.add(out, place - 1, 2)

    np.testing.assert_array_equal(results_of(kernel, count=8), 2)


def test_match_all_reports_the_lanes_that_exist() -> None:
    @cuda.jit
    def kernel(out: Any) -> None:
        out[cuda.threadIdx.x] = cuda.match_all_sync(0xFFFFFFFF, 5)[0]

    np.testing.assert_array_equal(results_of(kernel, count=10), (1 << 10) - 1)
