"""Static and dynamic shared memory, and barriers under every kind of uniform control."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("n", [1, 31, 32, 33, 255, 256, 1000, 100_001])
def test_a_tree_reduction_sums_each_block(run, rng, n):
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    out = np.zeros((n + 255) // 256, np.int32)
    run(
        """__global__ void kernel(const int *x, int *out, int n) {
            __shared__ int s[256];
            int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
            s[t] = i < n ? x[i] : 0;
            __syncthreads();
            for (int d = blockDim.x / 2; d > 0; d >>= 1) {
                if (t < d) s[t] += s[t + d];
                __syncthreads();
            }
            if (t == 0) out[blockIdx.x] = s[0];
        }""",
        ww.In(x), ww.Out(out), n, grid=out.size, block=256,
    )  # fmt: skip
    padded = np.pad(x, (0, out.size * 256 - n))
    assert np.array_equal(out, padded.reshape(-1, 256).sum(1))


def test_threads_that_returned_early_count_as_arrived(run):
    out = np.zeros(64, np.int32)
    run(
        """__global__ void kernel(int *out, int n) {
            __shared__ int s[64];
            int t = threadIdx.x;
            if (t >= n) return;
            s[t] = t;
            __syncthreads();
            out[t] = s[n - 1 - t];
        }""",
        ww.InOut(out), 40, block=64,
    )  # fmt: skip
    assert out[:40].tolist() == list(range(39, -1, -1)) and not out[40:].any()


def test_dynamic_shared_memory_follows_the_static_one(run):
    out = np.zeros(300, np.float64)
    run(
        """extern __shared__ double dyn[];
        __global__ void kernel(double *out) {
            __shared__ char pad[13];
            int t = threadIdx.x;
            dyn[t] = t * 0.5;
            if (t < 13) pad[t] = 99;
            __syncthreads();
            out[t] = dyn[blockDim.x - 1 - t] + (t < 13 ? pad[t] : 0);
        }""",
        ww.Out(out), block=300, shared=300 * 8,
    )  # fmt: skip
    want = np.arange(299, -1, -1) * 0.5
    want[:13] += 99
    assert np.array_equal(out, want)


def test_all_extern_arrays_share_one_base(run):
    out = np.zeros(4, np.uint32)
    run(
        """extern __shared__ unsigned words[];
        extern __shared__ unsigned char bytes[];
        __global__ void kernel(unsigned *out) {
            words[threadIdx.x] = 0x01020304u * (threadIdx.x + 1);
            __syncthreads();
            out[threadIdx.x] = bytes[threadIdx.x * 4];
        }""",
        ww.Out(out), block=4, shared=16,
    )  # fmt: skip
    assert out.tolist() == [4, 8, 12, 16]


@pytest.mark.parametrize(("word", "want"), [("count", 50), ("and", 0), ("or", 1)])
def test_barriers_that_reduce(run, word, want):
    out = np.zeros(100, np.int32)
    run(
        f"""__global__ void kernel(int *out) {{
            int r = __syncthreads_{word}(threadIdx.x % 2);
            out[threadIdx.x] = {"r" if word == "count" else "r != 0"};
        }}""",
        ww.Out(out), block=100,
    )  # fmt: skip
    assert (out == want).all()


def test_barriers_inside_nested_uniform_loops(run):
    out = np.zeros(96, np.int32)
    run(
        """__global__ void kernel(int *out) {
            __shared__ int ring[96];
            int t = threadIdx.x, n = blockDim.x;
            ring[t] = t;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j <= i; j++) {
                    __syncthreads();
                    int v = ring[(t + 1) % n];
                    __syncthreads();
                    ring[t] = v;
                }
            out[t] = ring[t];
        }""",
        ww.Out(out), block=96,
    )  # fmt: skip
    assert np.array_equal(out, (np.arange(96) + 15) % 96)


def test_different_textual_barriers_pair_up(run):
    out = np.zeros(64, np.int32)
    run(
        """__global__ void kernel(int *out) {
            __shared__ int s[64];
            int t = threadIdx.x;
            if (t < 32) { s[t] = 1; __syncthreads(); }
            else { s[t] = 2; __syncthreads(); }
            out[t] = s[63 - t];
        }""",
        ww.Out(out), block=64,
    )  # fmt: skip
    assert out.tolist() == [2] * 32 + [1] * 32


def test_shared_arrays_of_device_functions_are_found(run):
    out = np.zeros(32, np.float32)
    run(
        """template <class T> __device__ T *scratch() { __shared__ T data[32]; return data; }
        __device__ __noinline__ float flip(int t) {
            float *s = scratch<float>();
            s[t] = t * 2.0f;
            __syncthreads();
            return s[31 - t];
        }
        __global__ void kernel(float *out) { out[threadIdx.x] = flip(threadIdx.x); }""",
        ww.Out(out), block=32,
    )  # fmt: skip
    assert np.array_equal(out, np.arange(62, -1, -2, dtype=np.float32))


def test_tiled_matrix_product(run, rng):
    n = 96
    a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    run(
        """__global__ void kernel(const float *A, const float *B, float *C, int n) {
            __shared__ float As[16][16], Bs[16][16];
            int tx = threadIdx.x, ty = threadIdx.y;
            int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
            float acc = 0;
            for (int k0 = 0; k0 < n; k0 += 16) {
                As[ty][tx] = A[row * n + k0 + tx];
                Bs[ty][tx] = B[(k0 + ty) * n + col];
                __syncthreads();
                for (int k = 0; k < 16; k++) acc += As[ty][k] * Bs[k][tx];
                __syncthreads();
            }
            C[row * n + col] = acc;
        }""",
        ww.In(a), ww.In(b), ww.Out(c), n, grid=(6, 6), block=(16, 16),
    )  # fmt: skip
    assert np.allclose(c, a.astype(np.float64) @ b, atol=1e-4)


def test_more_values_are_live_across_a_barrier_than_registers_hold(run):
    # Spilled vectors are most of a gang's stack, and no local variables.
    count, threads = 1200, 64
    loads = "".join(f"float v{i} = x[threadIdx.x + {i}];\n" for i in range(count))
    sums = "".join(f"sum = 0.5f * sum + v{i};\n" for i in reversed(range(count)))
    x = np.arange(count + threads, dtype=np.float32)
    y = np.zeros(threads, np.float32)
    run(
        f"""__global__ void kernel(const float *x, float *y)
        {{
            {loads}
            __syncthreads();
            float sum = 0;
            {sums}
            y[threadIdx.x] = sum;
        }}""",
        ww.In(x), ww.Out(y), block=threads,
    )  # fmt: skip
    assert np.array_equal(y, 2 + 2 * np.arange(threads, dtype=np.float32))
