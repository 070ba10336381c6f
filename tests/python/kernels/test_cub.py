"""What kernels call of <cub/cub.cuh>, against NumPy on both executors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

EXECUTORS = ("auto", "reference")


@pytest.fixture(params=EXECUTORS)
def build(request: pytest.FixtureRequest) -> Any:
    def compiled(body: str, *options: str) -> ww.SourceModule:
        wanted = [] if request.param == "auto" else [f"--warpwise-executor={request.param}"]
        return ww.SourceModule("#include <cub/cub.cuh>\n" + body, options=[*options, *wanted])

    return compiled


@pytest.mark.parametrize("threads", [32, 64, 100, 256, 1000])
def test_block_reduce(build: Any, rng: np.random.Generator, threads: int) -> None:
    module = build(
        """
    typedef cub::BlockReduce<int, THREADS> Ints;
    __global__ void total(const int *x, int *sum, int *most, int *part, int valid) {
        __shared__ typename Ints::TempStorage storage;
        int v = x[blockIdx.x * THREADS + threadIdx.x];
        int s = Ints(storage).Sum(v);
        __syncthreads();
        int m = Ints(storage).Reduce(v, cub::Max());
        __syncthreads();
        int p = Ints(storage).Sum(v, valid);
        if (threadIdx.x == 0) {
            sum[blockIdx.x] = s;
            most[blockIdx.x] = m;
            part[blockIdx.x] = p;
        }
    }""",
        f"-DTHREADS={threads}",
    )
    x = rng.integers(-1000, 1000, (7, threads), dtype=np.int32)
    total, most, part = (np.zeros(7, np.int32) for _ in range(3))
    valid = int(rng.integers(1, threads + 1))
    module["total"](
        ww.In(x), ww.Out(total), ww.Out(most), ww.Out(part), valid, grid=7, block=threads
    )
    np.testing.assert_array_equal(total, x.sum(1))
    np.testing.assert_array_equal(most, x.max(1))
    np.testing.assert_array_equal(part, x[:, :valid].sum(1))


def test_block_reduce_of_pairs_in_a_block_of_two_dimensions(
    build: Any, rng: np.random.Generator
) -> None:
    module = build("""
    typedef cub::KeyValuePair<int, float> Pair;
    typedef cub::BlockReduce<Pair, 16, cub::BLOCK_REDUCE_RAKING, 12> Pairs;
    __global__ void farthest(const float *x, int *where) {
        __shared__ Pairs::TempStorage storage;
        int i = threadIdx.y * 16 + threadIdx.x;
        Pair best = Pairs(storage).Reduce(Pair(i, x[i]), cub::ArgMax());
        if (i == 0) *where = best.key;
    }""")
    x = rng.normal(size=192).astype(np.float32)
    where = np.zeros(1, np.int32)
    module["farthest"](ww.In(x), ww.Out(where), block=(16, 12))
    assert where[0] == x.argmax()


def test_block_scan(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    struct Running {
        int total;
        __device__ int operator()(int part) { int old = total; total += part; return old; }
    };
    __global__ void scans(const int *x, int *in, int *ex, int *most, int *chain, int *total) {
        typedef cub::BlockScan<int, 96> Scan;
        __shared__ typename Scan::TempStorage storage;
        int items[3], out[3], sum, i = threadIdx.x;
        for (int k = 0; k < 3; ++k) items[k] = x[i * 3 + k];
        Scan(storage).InclusiveSum(items, out, sum);
        for (int k = 0; k < 3; ++k) in[i * 3 + k] = out[k];
        __syncthreads();
        Scan(storage).ExclusiveSum(items, out);
        for (int k = 0; k < 3; ++k) ex[i * 3 + k] = out[k];
        __syncthreads();
        Scan(storage).InclusiveScan(x[i], most[i], cub::Max());
        if (i == 0) *total = sum;
        Running running = {0};
        for (int k = 0; k < 3; ++k) {
            __syncthreads();
            Scan(storage).ExclusiveSum(x[k * 96 + i], chain[k * 96 + i], running);
        }
    }""")
    x = rng.integers(-99, 99, 288, dtype=np.int32)
    inclusive, exclusive, chain = (np.zeros(288, np.int32) for _ in range(3))
    most, total = np.zeros(96, np.int32), np.zeros(1, np.int32)
    module["scans"](ww.In(x), *map(ww.Out, (inclusive, exclusive, most, chain, total)), block=96)
    np.testing.assert_array_equal(inclusive, x.cumsum())
    np.testing.assert_array_equal(exclusive, x.cumsum() - x)
    np.testing.assert_array_equal(most, np.maximum.accumulate(x[:96]))
    np.testing.assert_array_equal(chain, x.cumsum() - x)
    assert total[0] == x.sum()


@pytest.mark.parametrize(
    "key, dtype",
    [
        ("float", "f4"),
        ("int", "i4"),
        ("double", "f8"),
        ("unsigned char", "u1"),
        ("long long", "i8"),
    ],
)
def test_block_radix_sort_is_stable(
    build: Any, rng: np.random.Generator, key: str, dtype: str
) -> None:
    module = build(
        """
    __global__ void sort(SORTED *keys, int *values, SORTED *down) {
        typedef cub::BlockRadixSort<SORTED, 64, 5, int> Pairs;
        typedef cub::BlockRadixSort<SORTED, 64, 5> Keys;
        __shared__ union { Pairs::TempStorage pairs; Keys::TempStorage keys; } storage;
        SORTED k[5], d[5];
        int v[5];
        cub::LoadDirectBlocked(threadIdx.x, keys, k);
        cub::LoadDirectBlocked(threadIdx.x, values, v);
        cub::LoadDirectBlocked(threadIdx.x, keys, d);
        __syncthreads();
        Pairs(storage.pairs).Sort(k, v);
        __syncthreads();
        Keys(storage.keys).SortDescendingBlockedToStriped(d);
        cub::StoreDirectBlocked(threadIdx.x, keys, k);
        cub::StoreDirectBlocked(threadIdx.x, values, v);
        cub::StoreDirectStriped<64>(threadIdx.x, down, d);
    }""",
        f"-DSORTED={key}",
    )
    x = (rng.normal(size=320) * 20).round().astype(dtype)
    keys, values, down = x.copy(), np.arange(320, dtype=np.int32), np.zeros_like(x)
    module["sort"](ww.InOut(keys), ww.InOut(values), ww.Out(down), block=64)
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(keys, x[order])
    np.testing.assert_array_equal(np.abs(x[values]), np.abs(x[order]))
    if dtype not in ("f4", "f8"):  # NumPy takes -0.0 and 0.0 for one key, a radix sort does not
        np.testing.assert_array_equal(values, order)
    np.testing.assert_array_equal(down, np.sort(x)[::-1])


def test_loads_stores_and_exchanges(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    __global__ void turn(const int *x, int *y, int *z, int n) {
        typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
        typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_STRIPED> Store;
        typedef cub::BlockExchange<int, 64, 4> Exchange;
        __shared__ typename Load::TempStorage load;
        __shared__ typename Store::TempStorage store;
        __shared__ typename Exchange::TempStorage exchange;
        int items[4];
        Load(load).Load(x, items, n, -1);
        for (int i = 0; i < 4; ++i) z[threadIdx.x * 4 + i] = items[i];
        Exchange(exchange).BlockedToStriped(items);
        Store(store).Store(y, items, n);
    }""")
    x = rng.integers(0, 1000, 256, dtype=np.int32)
    y, z = np.full(256, -2, np.int32), np.zeros(256, np.int32)
    module["turn"](ww.In(x), ww.InOut(y), ww.Out(z), 200, block=64)
    np.testing.assert_array_equal(z, np.where(np.arange(256) < 200, x, -1))
    np.testing.assert_array_equal(y, np.where(np.arange(256) < 200, x, -2))


def test_warps(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    __global__ void eights(const float *x, float *sum, float *scan, int *heads) {
        typedef cub::WarpReduce<float, 8> Reduce;
        typedef cub::WarpScan<float, 16> Scan;
        __shared__ typename Reduce::TempStorage reduce[16];
        __shared__ typename Scan::TempStorage scans[8];
        int i = threadIdx.x;
        float total = Reduce(reduce[i / 8]).Sum(x[i]);
        if (i % 8 == 0) sum[i / 8] = total;
        float before;
        Scan(scans[i / 16]).ExclusiveSum(x[i], before);
        scan[i] = before;
        typedef cub::WarpReduce<int> Segments;
        __shared__ typename Segments::TempStorage segments[4];
        heads[i] = Segments(segments[i / 32]).HeadSegmentedSum(1, i % 5 == 0);
    }""")
    x = rng.integers(0, 50, 128).astype(np.float32)
    total, scan, heads = (
        np.zeros(16, np.float32),
        np.zeros(128, np.float32),
        np.zeros(128, np.int32),
    )
    module["eights"](ww.In(x), ww.Out(total), ww.Out(scan), ww.Out(heads), block=128)
    np.testing.assert_array_equal(total, x.reshape(16, 8).sum(1))
    rows = x.reshape(8, 16)
    np.testing.assert_array_equal(scan.reshape(8, 16), rows.cumsum(1) - rows)
    for i in range(0, 128, 5):
        assert heads[i] == min(5, 32 - i % 32)


def test_histogram_merge_sort_and_flags(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    struct Greater {
        template <class T> __device__ bool operator()(const T &a, const T &b) const { return a > b; }
    };
    __global__ void k(const int *x, unsigned *bins, int *sorted, int *heads) {
        typedef cub::BlockHistogram<int, 64, 2, 10, cub::BLOCK_HISTO_ATOMIC> Histogram;
        typedef cub::BlockMergeSort<int, 64, 2> Sort;
        typedef cub::BlockDiscontinuity<int, 64> Flags;
        __shared__ typename Histogram::TempStorage h;
        __shared__ typename Sort::TempStorage s;
        __shared__ typename Flags::TempStorage f;
        __shared__ unsigned counts[10];
        int items[2], flags[2];
        cub::LoadDirectBlocked(threadIdx.x, x, items);
        Histogram(h).Histogram(items, counts);
        Sort(s).Sort(items, Greater());
        Flags(f).FlagHeads(flags, items, cub::Inequality());
        cub::StoreDirectBlocked(threadIdx.x, sorted, items);
        cub::StoreDirectBlocked(threadIdx.x, heads, flags);
        __syncthreads();
        if (threadIdx.x < 10) bins[threadIdx.x] = counts[threadIdx.x];
    }""")
    x = rng.integers(0, 10, 128, dtype=np.int32)
    bins, ordered, heads = np.zeros(10, np.uint32), np.zeros(128, np.int32), np.zeros(128, np.int32)
    module["k"](ww.In(x), ww.Out(bins), ww.Out(ordered), ww.Out(heads), block=64)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=10))
    np.testing.assert_array_equal(ordered, np.sort(x)[::-1])
    np.testing.assert_array_equal(heads, np.diff(np.sort(x)[::-1], prepend=-1) != 0)


def test_loads_exchanges_and_sorts_of_warps(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    struct Greater {
        template <class T> __device__ bool operator()(const T &a, const T &b) const { return b < a; }
    };
    __global__ void sixteens(const int *x, int *sorted, int *from, int *striped, int valid) {
        typedef cub::WarpLoad<int, 3, cub::WARP_LOAD_TRANSPOSE, 16> Load;
        typedef cub::WarpStore<int, 3, cub::WARP_STORE_STRIPED, 16> Store;
        typedef cub::WarpExchange<int, 3, 16> Exchange;
        typedef cub::WarpMergeSort<int, 3, 16, int> Sort;
        __shared__ union {
            typename Exchange::TempStorage exchange;
            typename Sort::TempStorage sort;
        } storage[4];
        __shared__ typename Load::TempStorage load[4];
        int warp = threadIdx.x / 16, first = warp * 48, lane = threadIdx.x % 16;
        int keys[3], places[3];
        Load(load[warp]).Load(x + first, keys);
        Exchange(storage[warp].exchange).BlockedToStriped(keys, places);
        for (int i = 0; i < 3; ++i) striped[first + lane * 3 + i] = places[i];
        for (int i = 0; i < 3; ++i) places[i] = lane * 3 + i;
        Sort(storage[warp].sort).Sort(keys, places, Greater());
        __syncwarp();
        Exchange(storage[warp].exchange).BlockedToStriped(keys, keys);
        Store().Store(sorted + first, keys, valid);
        for (int i = 0; i < 3; ++i) from[first + lane * 3 + i] = places[i];
    }""")
    x = rng.integers(0, 20, 192, dtype=np.int32)
    ordered, places, striped = np.full(192, -1, np.int32), *np.zeros((2, 192), np.int32)
    module["sixteens"](ww.In(x), ww.InOut(ordered), ww.Out(places), ww.Out(striped), 40, block=64)
    rows = x.reshape(4, 48)
    order = np.argsort(-rows, axis=1, kind="stable")
    np.testing.assert_array_equal(places.reshape(4, 48), order)
    want = np.take_along_axis(rows, order, 1)
    want[:, 40:] = -1
    np.testing.assert_array_equal(ordered.reshape(4, 48), want)
    transposed = rows.reshape(4, 3, 16).transpose(0, 2, 1)
    np.testing.assert_array_equal(striped.reshape(4, 16, 3), transposed)


def test_runs_are_decoded_window_by_window(build: Any, rng: np.random.Generator) -> None:
    module = build("""
    __global__ void decode(const int *value, const unsigned *length, int *out, int *place,
                           unsigned *size) {
        typedef cub::BlockRunLengthDecode<int, 64, 2, 3> Decode;
        __shared__ typename Decode::TempStorage storage;
        int values[2];
        unsigned lengths[2], total, places[3];
        int items[3];
        cub::LoadDirectBlocked(threadIdx.x, value, values);
        cub::LoadDirectBlocked(threadIdx.x, length, lengths);
        Decode decode(storage, values, lengths, total);
        for (unsigned first = 0; first < total; first += 192) {
            decode.RunLengthDecode(items, places, first);
            for (int i = 0; i < 3; ++i) {
                unsigned at = first + threadIdx.x * 3 + i;
                if (at < total) out[at] = items[i], place[at] = places[i];
            }
        }
        if (threadIdx.x == 0) *size = total;
    }""")
    value = rng.integers(-1000, 1000, 128, dtype=np.int32)
    length = rng.integers(1, 9, 128).astype(np.uint32)
    want = value.repeat(length)
    out, place, size = np.zeros_like(want), np.zeros_like(want), np.zeros(1, np.uint32)
    module["decode"](
        ww.In(value), ww.In(length), ww.Out(out), ww.Out(place), ww.Out(size), block=64
    )
    assert size[0] == want.size
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(place, np.concatenate([np.arange(n) for n in length]))


@pytest.mark.cpu_only("NVRTC takes the copy")
def test_a_copy_of_cub_in_the_program_is_replaced(
    tmp_path: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "external" / "cub" / "block"
    folder.mkdir(parents=True)
    copy = folder / "block_reduce.cuh"
    copy.write_text(
        '#include "../util_type.cuh"\nnamespace cub { struct NullType {}; '
        "template <class T, int n> struct BlockReduce; }\n"
    )
    monkeypatch.setenv("WARPWISE_CACHE_DIR", str(tmp_path / "cache"))
    source = """
    #include "external/cub/block/block_reduce.cuh"
    #include <cub/cub.cuh>
    __global__ void total(const int *x, int *sum) {
        __shared__ typename cub::BlockReduce<int, 64>::TempStorage storage;
        int s = cub::BlockReduce<int, 64>(storage).Sum(x[threadIdx.x]);
        if (threadIdx.x == 0) *sum = s;
    }"""
    x, total = rng.integers(0, 99, 64, dtype=np.int32), np.zeros(1, np.int32)
    for _ in range(2):  # compiled, and taken from the cache
        module = ww.SourceModule(source, include_dirs=[str(tmp_path)])
        module["total"](ww.In(x), ww.Out(total), block=64)
        assert total[0] == x.sum()
