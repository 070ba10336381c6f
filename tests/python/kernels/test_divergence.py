"""Threads of one gang that take different branches."""

import numpy as np
import pytest

import warpwise as ww


def test_a_value_of_the_column_reaches_rows_whose_first_row_went_elsewhere(run, rng):
    # One vector holds what all rows of a tile load; bytes have no gather, so lanes load one by one.
    table = rng.integers(1, 255, 16, dtype=np.uint8)
    out = np.zeros((16, 16), np.int32)
    run(
        """__global__ void kernel(const unsigned char *table, int *out) {
            int sum = 0;
            if (threadIdx.y != 0) sum = 2 * table[(threadIdx.x * 5) & 15];
            out[16 * threadIdx.y + threadIdx.x] = sum;
        }""",
        ww.In(table),
        ww.Out(out),
        block=(16, 16),
        options=["--warpwise-executor=gang"],
    )
    want = np.tile(2 * table[(5 * np.arange(16)) & 15].astype(np.int32), (16, 1))
    want[0] = 0
    assert np.array_equal(out, want)


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_rows_of_a_tile_that_update_one_column_in_turn(run, executor):
    # All lanes of a row decide alike, in a loop with barriers: masks that one bit fills.
    source = """
        struct Pair { float x, y; };
        __global__ void kernel(float *out, int n, int columns, int turns) {
            extern __shared__ Pair values[];
            Pair *mine = values + threadIdx.x * columns * n;
            for (int i = 0; i < columns; i++)
                mine[threadIdx.y + i * n] = {threadIdx.y == i ? 1.0f : 0.0f, 2.0f};
            __syncthreads();
            for (int turn = 0; turn < turns; turn++) {
                for (int i = 0; i < columns; i++) {
                    if (threadIdx.y == 0) {
                        Pair sum = {0, 0};
                        for (int k = 0; k < n; k++) {
                            sum.x += mine[k + i * n].x;
                            sum.y += mine[k + i * n].y;
                        }
                        mine[i * n] = sum;
                    }
                    __syncthreads();
                }
            }
            out[threadIdx.x * n + threadIdx.y] = mine[threadIdx.y].x + mine[threadIdx.y].y;
        }"""
    n, columns = 4, 3
    out = np.zeros((16, n), np.float32)
    run(
        source, ww.Out(out), n, columns, 1, block=(16, n), shared=16 * columns * n * 8,
        options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    assert np.array_equal(out, np.tile(np.array([1 + 2 * n, 2, 2, 2], np.float32), (16, 1)))


@pytest.mark.parametrize("operation", ["/", "%"])
@pytest.mark.parametrize("type_name", ["unsigned", "long long"])
def test_a_thread_that_does_not_divide_by_its_index_leaves_the_others_theirs(
    run, rng, operation, type_name
):
    # For a known block the divisors are a constant vector, 0 where thread 0 is inactive.
    dtype = np.uint32 if type_name == "unsigned" else np.int64
    values = rng.integers(0, 2**31, 64).astype(dtype)
    out = np.zeros(64, dtype)
    run(
        f"""__global__ void kernel(const {type_name} *values, {type_name} *out) {{
            unsigned t = threadIdx.x + 8 * threadIdx.y;
            {type_name} value = values[t], result = 7;
            __syncthreads();
            if (value % 3 == 0)
                if (t != 0) result = value {operation} t;
            out[t] = result;
        }}""",
        ww.In(values),
        ww.Out(out),
        block=(8, 8),
        options=["--warpwise-block=8,8"],
    )
    index = np.maximum(np.arange(64), 1).astype(dtype)
    divided = values // index if operation == "/" else values % index
    want = np.where((values % 3 == 0) & (np.arange(64) != 0), divided, 7)
    assert np.array_equal(out, want)


def test_counted_loops_of_a_kernel_that_is_not_vectorised(run):
    counts = np.zeros(1024, np.int32)
    run(
        """__global__ void kernel(int *counts, int n) {
            __shared__ int own[1024];
            for (int i = threadIdx.x; i < 1024; i += blockDim.x) own[i] = 0;
            __syncthreads();
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                volatile int *place = own + i % 1024;
                int count;
                do {
                    count = *place + 1;
                    *place = count;
                } while (*place != count);
            }
            __syncthreads();
            for (int i = threadIdx.x; i < 1024; i += blockDim.x) counts[i] = own[i];
        }""",
        ww.Out(counts), np.int32(3000), block=64,
    )  # fmt: skip
    np.testing.assert_array_equal(counts, np.bincount(np.arange(3000) % 1024, minlength=1024))


@pytest.mark.parametrize("size", [-2, 0, 1, 5])
@pytest.mark.parametrize("options", [[], ["--warpwise-block=64", "--warpwise-tier=full"]])
def test_what_a_loop_has_counted_when_a_thread_leaves_it(run, rng, size, options):
    text = rng.integers(97, 99, 64 + 8, dtype=np.uint8)
    key, last = b"abaab", 2
    out = np.zeros((5, 64), np.uint8)
    run(
        """__global__ void kernel(const char *text, const char *key, int size, int last,
                                  unsigned char *out) {
            int i = threadIdx.x, k = 0;
            while (k < size && text[i + k] == key[k]) ++k;
            out[i] = k == size;
            out[64 + i] = size > k;
            out[128 + i] = (unsigned)k <= (unsigned)size;
            out[192 + i] = k != last;
            out[256 + i] = k >= last;
        }""",
        ww.In(text), ww.In(np.frombuffer(key, np.uint8)), size, last, ww.Out(out),
        block=64, options=options,
    )  # fmt: skip
    starts = [bytes(text[i : i + 5]) for i in range(64)]
    same = [next((k for k in range(size) if start[k] != key[k]), max(size, 0)) for start in starts]
    k = np.array(same)
    unsigned = k.astype(np.uint32) <= np.int32(size).astype(np.uint32)
    want = [k == size, size > k, unsigned, k != last, k >= last]
    assert np.array_equal(out, np.array(want, np.uint8))
