"""The sorts that GPUs run: compiled by NVRTC, and run by the CPU device, which needs no GPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
TYPES = {"signed char": np.int8, "int": np.int32, "float": np.float32, "double": np.float64}
INDICES = ["__ww_no_index", "unsigned int", "unsigned long long"]

# As radix_sort.cpp has them: of a pass over a long row.
THREADS = {"__ww_no_index": 384, "unsigned int": 512, "unsigned long long": 512}


def pass_items(kind: str, index: str) -> int:
    is_wide = kind == "double" or index == "unsigned long long"
    if index == "__ww_no_index":
        return 10 if is_wide else 20
    return 8 if is_wide else 12


def source(kind: str, index: str, descending: bool = False) -> str:
    items = 8 if kind == "double" else 16
    return f"""
#include <warpwise_library_sort.h>
typedef __ww_sort_of<{kind}, {index}, {str(descending).lower()}> Sort;
extern "C" __global__ void __launch_bounds__(256) rows(
    const void *in, void *out, void *keys, void *places, long long length) {{
    __ww_sort_row_by_block<Sort, {items}>(in, nullptr, out, keys, places, length, 1);
}}
extern "C" __global__ void __launch_bounds__(256) histogram(
    const void *in, void *counts, long long length) {{
    const __ww_sort_source<Sort> source = {{
        (const Sort::memory *)in, nullptr, 1, nullptr, nullptr, true}};
    __ww_sort_histogram<Sort>(source, length, counts);
}}
extern "C" __global__ void __launch_bounds__({THREADS[index]}) pass(
    const void *in, const void *in_places, int is_first, void *out, void *out_places, int is_last,
    const void *counts, void *states, long long length, int number) {{
    const __ww_sort_source<Sort> source = {{
        (const Sort::memory *)in, nullptr, 1, (const Sort::bits *)in,
        (const Sort::index *)in_places, is_first != 0}};
    const __ww_sort_target<Sort> target = {{
        (Sort::bits *)out, (Sort::index *)out_places, out, is_last != 0}};
    __ww_sort_pass<Sort, {THREADS[index]}, {pass_items(kind, index)}>::run(
        source, target, (const long long *)counts + number * 256, states, length, number * 8);
}}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_sorts_compile_for_every_architecture(target: str) -> None:
    text = source("float", "unsigned int")
    assert ww.compile(text, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("index", INDICES)
def test_sorts_of_all_indices_compile(index: str) -> None:
    assert ww.compile(source("double", index), target="sm_90", format="cubin")[:4] == ELF


def test_the_rest_compiles() -> None:
    text = """
#include <warpwise_library_sort.h>
extern "C" __global__ void search(const void *a, const void *b, void *c, long long n) {
    __ww_search_all<__ww_ordered<float>, true>(a, nullptr, b, c, n, n);
    __ww_find_all<__ww_complex_order<double>>(a, b, c, n, n);
}
extern "C" __global__ void count(const void *a, void *c, long long n) {
    const __ww_place_between<float, float, int> place = {
            (const float *)a, (const float *)c, (int)n, 1.0f, 0.01f};
    __ww_count_places<true>(place, c, n, 10);
}
extern "C" __global__ void count_many(const void *a, void *c, long long n) {
    const __ww_given_place<long long> place = {(const long long *)a};
    __ww_count_places<false>(place, c, n, 100000);
}
extern "C" __global__ void ranks(const void *a, void *c, long long n) {
    __ww_sort_by_rank<__ww_sort_of<double, unsigned int, true>>(a, nullptr, c, n, 16, 1);
}
extern "C" __global__ void sum(const void *a, const void *b, const void *c, void *d) {
    __ww_sum_ranges(a, b, c, d);
}
"""
    for target in ("sm_75", "sm_120"):
        assert ww.compile(text, target=target, format="cubin")[:4] == ELF


def elements(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    x = rng.integers(-120, 120, shape).astype(TYPES[kind])
    if kind in ("float", "double"):
        x = np.where(rng.random(shape) < 0.1, np.nan, x * 0.5).astype(TYPES[kind])
    return x


@pytest.mark.parametrize("kind", sorted(TYPES))
@pytest.mark.parametrize("index", INDICES[:2])
@pytest.mark.parametrize("shape", [(3, 1), (2, 300), (2, 4096), (3, 9001)])
def test_rows_of_a_block(
    rng: np.random.Generator, kind: str, index: str, shape: tuple[int, int]
) -> None:
    x = elements(rng, shape, kind)
    has_places = index != INDICES[0]
    out = ww.empty(shape, dtype=np.int64 if has_places else x.dtype)
    keys = ww.empty(2 * x.size, dtype=x.dtype)
    places = ww.empty(2 * x.size, dtype=np.uint32)
    module = ww.SourceModule(source(kind, index))
    module["rows"](ww.asarray(x), out, keys, places, shape[1], grid=shape[0], block=256)
    expected = np.argsort(x, kind="stable") if has_places else np.sort(x)
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("kind", sorted(TYPES))
@pytest.mark.parametrize("index", INDICES[:2])
@pytest.mark.parametrize("length", [1, 5000, 100_003])
def test_passes_with_look_back(
    rng: np.random.Generator, kind: str, index: str, length: int
) -> None:
    x = elements(rng, (length,), kind)
    has_places = index != INDICES[0]
    out = ww.empty(length, dtype=np.int64 if has_places else x.dtype)
    passes = x.dtype.itemsize
    tiles = -(-length // (THREADS[index] * pass_items(kind, index)))
    counts = ww.zeros(passes * 256, dtype=np.int64)
    module = ww.SourceModule(source(kind, index))
    a = ww.asarray(x)
    module["histogram"](a, counts, length, grid=3, block=256)
    host = counts.get().reshape(passes, 256)
    assert (host.sum(axis=1) == length).all()
    keys = [ww.empty(length, dtype=x.dtype) for _ in range(2)]
    places = [ww.empty(length, dtype=np.uint32) for _ in range(2)]
    for number in range(passes):
        first, last = number == 0, number == passes - 1
        before, after = (number + 1) % 2, number % 2
        states = ww.zeros(2 + tiles * 256, dtype=np.uint64)
        module["pass"](
            a if first else keys[before],
            places[before],
            int(first),
            out if last else keys[after],
            places[after],
            int(last),
            counts,
            states,
            length,
            number,
            grid=tiles,
            block=THREADS[index],
        )
    expected = np.argsort(x, kind="stable") if has_places else np.sort(x)
    np.testing.assert_array_equal(out.get(), expected)
