"""Threads that own runs of neighbouring elements, with guards and without."""

import numpy as np
import pytest

import warpwise as ww

EXECUTORS = {
    "reference": ["--warpwise-executor=reference"],
    "gang": ["--warpwise-executor=gang"],
    "known block": ["--warpwise-block=128"],
}


@pytest.fixture(params=EXECUTORS.values(), ids=EXECUTORS.keys())
def options(request):
    return request.param


TYPES = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned char": np.uint8,
    "long long": np.int64,
}


# Around the ends of threads' runs, of vectors, gangs and blocks.
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 127, 128, 129, 1000, 1024, 1025, 2047, 2048])
def test_a_guarded_run_of_eight_stops_at_the_end(run, rng, options, n):
    x = rng.random(4096, np.float32)
    z = np.full(4096, 9, np.float32)
    run(
        """__global__ void kernel(const float *x, float *z, int n) {
            int start = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
            float item[8], total = 0;
            for (int k = 0; k < 8; ++k) {
                total += start + k < n ? x[start + k] : 0.0f;
                item[k] = total;
            }
            for (int k = 0; k < 8; ++k)
                if (start + k < n) z[start + k] = item[k];
        }""",
        ww.In(x), ww.InOut(z), n, grid=4, block=128, options=options,
    )  # fmt: skip
    padded = np.where(np.arange(4096) < n, x, 0).reshape(-1, 8)
    want = np.cumsum(padded, axis=1, dtype=np.float32).reshape(-1)
    assert np.array_equal(z, np.where(np.arange(4096) < n, want, np.float32(9)))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("items", [2, 3, 4, 8, 16])
def test_runs_of_every_length_and_type(run, rng, options, kind, items):
    dtype = TYPES[kind]
    x = rng.integers(0, 100, 256 * items).astype(dtype)
    z = np.zeros_like(x)
    run(
        f"""__global__ void kernel(const {kind} *x, {kind} *z, int n) {{
            const int items = {items};
            int start = (blockIdx.x * blockDim.x + threadIdx.x) * items;
            if (start + items > n) return;
            {kind} item[items];
            for (int k = 0; k < items; ++k) item[k] = x[start + k];
            for (int k = 0; k < items; ++k) z[start + k] = item[items - 1 - k] + k;
        }}""",
        ww.In(x), ww.InOut(z), x.size - items, grid=2, block=128, options=options,
    )  # fmt: skip
    want = (x.reshape(-1, items)[:, ::-1] + np.arange(items).astype(dtype)).reshape(-1)
    want[-items:] = 0
    assert np.array_equal(z, want)


def test_a_load_after_a_store_of_its_own_run_sees_it(run, rng, options):
    x = rng.integers(0, 100, 512).astype(np.int32)
    got = x.copy()
    run(
        """__global__ void kernel(int *x, int n) {
            int start = threadIdx.x * 4;
            for (int k = 1; k < 4; ++k)
                if (start + k < n) x[start + k] += x[start + k - 1];
        }""",
        ww.InOut(got), 510, block=128, options=options,
    )  # fmt: skip
    want = x.copy()
    for i in range(510):
        if i % 4:
            want[i] += want[i - 1]
    assert np.array_equal(got, want)


def test_guards_that_hold_above_a_bound_and_unsigned_ones(run, rng, options):
    x = rng.random(1024, np.float32)
    z = np.zeros(1024, np.float32)
    run(
        """__global__ void kernel(const float *x, float *z, unsigned n, int least) {
            unsigned start = threadIdx.x * 8u;
            int first = (int)threadIdx.x * 8;
            #pragma unroll
            for (int k = 0; k < 4; ++k)
                if (start + k < n) z[start + k] = x[start + k];
            #pragma unroll
            for (int k = 4; k < 8; ++k)
                if (first + k >= least) z[first + k] = 2 * x[first + k];
        }""",
        ww.In(x), ww.InOut(z), np.uint32(501), 77, block=128, options=options,
    )  # fmt: skip
    i = np.arange(1024)
    want = np.where((i % 8 < 4) & (i < 501), x, 0) + np.where((i % 8 >= 4) & (i >= 77), 2 * x, 0)
    assert np.array_equal(z, want.astype(np.float32))


def test_what_two_guards_lead_to_is_no_part_of_a_chain(run, options):
    """Its phi would have no value on one of the ways to the copy without guards."""
    z = np.zeros(1024, np.int32)
    run(
        """__global__ void kernel(const int *first, int *z, int n) {
            int start = threadIdx.x * 8, value = 10;
            if (first[threadIdx.x]) goto both;
            z[start + 7] = 1;
            value = 20;
            if (start + 2 < n) { both: z[start + 2] = value; }
            if (start + 3 < n) z[start + 3] = 3;
            if (start + 4 < n) z[start + 4] = 4;
        }""",
        ww.In(np.arange(128, dtype=np.int32) % 2), ww.InOut(z), 501, block=128, options=options,
    )  # fmt: skip
    rows = z.reshape(128, 8)
    odd, start = np.arange(128) % 2 == 1, np.arange(128) * 8
    assert np.array_equal(rows[:, 7], np.where(odd, 0, 1))
    assert np.array_equal(rows[:, 2], np.where(odd, 10, np.where(start + 2 < 501, 20, 0)))
    assert np.array_equal(rows[:, 3], np.where(start + 3 < 501, 3, 0))
    assert np.array_equal(rows[:, 4], np.where(start + 4 < 501, 4, 0))
