"""cuda::atomic, cuda::barrier, cuda::pipeline, cuda::std and nvcuda::wmma as users write them."""

import numpy as np
import pytest

import warpwise as ww


def test_atomic_references_count_sum_and_find_the_extremes(run, rng):
    x = rng.integers(-1000, 1000, 300).astype(np.int32)
    out, total = np.array([0, 5000, -5000], np.int32), np.zeros(1, np.float32)
    run(
        """#include <cuda/atomic>
        __global__ void kernel(int *out, float *total, const int *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]), low(out[1]), high(out[2]);
            sum.fetch_add(x[i], cuda::memory_order_relaxed);
            low.fetch_min(x[i]);
            high.fetch_max(x[i]);
            cuda::atomic_ref<float, cuda::thread_scope_device>(*total) += (float)x[i];
        }""",
        ww.InOut(out), ww.InOut(total), ww.In(x), x.size, grid=3, block=128,
    )  # fmt: skip
    assert out.tolist() == [x.sum(), x.min(), x.max()]
    assert total[0] == x.sum()


def test_an_atomic_object_in_shared_memory(run):
    out = np.zeros(2, np.int32)
    run(
        """#include <cuda/atomic>
        __global__ void kernel(int *out) {
            __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
            if (threadIdx.x == 0) count.store(0, cuda::std::memory_order_relaxed);
            __syncthreads();
            int before = count++;
            __syncthreads();
            if (before == 0) out[0] = count;
            int expected = 77;
            if (threadIdx.x == 3 && !count.compare_exchange_strong(expected, 1)) out[1] = expected;
        }""",
        ww.Out(out), block=77 - 13,
    )  # fmt: skip
    assert out.tolist() == [64, 64]


def test_a_barrier_of_a_block_and_its_copies(run, rng):
    x, out = rng.random(256, np.float32), np.zeros(256, np.float32)
    run(
        """#include <cooperative_groups.h>
        #include <cuda/barrier>
        __global__ void kernel(float *out, const float *x) {
            __shared__ cuda::barrier<cuda::thread_scope_block> bar;
            __shared__ float tile[64];
            auto block = cooperative_groups::this_thread_block();
            if (block.thread_rank() == 0) init(&bar, block.size());
            block.sync();
            for (int part = 0; part < 4; part++) {
                cuda::memcpy_async(block, tile, x + 64 * part, sizeof tile, bar);
                bar.arrive_and_wait();
                out[64 * part + threadIdx.x] = tile[63 - threadIdx.x];
                auto token = bar.arrive();
                bar.wait(static_cast<decltype(token) &&>(token));
            }
        }""",
        ww.Out(out), ww.In(x), block=64,
    )  # fmt: skip
    assert np.array_equal(out.reshape(4, 64), x.reshape(4, 64)[:, ::-1])


def test_a_pipeline_of_two_stages(run, rng):
    x, out = rng.random(64 * 5, np.float32), np.zeros(64 * 5, np.float32)
    run(
        """#include <cooperative_groups.h>
        #include <cuda/pipeline>
        __global__ void kernel(float *out, const float *x, int parts) {
            __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
            __shared__ float tiles[2][64];
            auto block = cooperative_groups::this_thread_block();
            auto pipe = cuda::make_pipeline(block, &state);
            for (int compute = 0, fetch = 0; compute < parts; compute++) {
                for (; fetch < parts && fetch < compute + 2; fetch++) {
                    pipe.producer_acquire();
                    cuda::memcpy_async(block, tiles[fetch % 2], x + 64 * fetch, 256, pipe);
                    pipe.producer_commit();
                }
                pipe.consumer_wait();
                out[64 * compute + threadIdx.x] = tiles[compute % 2][63 - threadIdx.x];
                pipe.consumer_release();
            }
        }""",
        ww.Out(out), ww.In(x), 5, block=64,
    )  # fmt: skip
    assert np.array_equal(out.reshape(5, 64), x.reshape(5, 64)[:, ::-1])


def test_arrays_tuples_and_complex_numbers(run, rng):
    z = (rng.standard_normal(33) + 1j * rng.standard_normal(33)).astype(np.complex64)
    out, parts = np.zeros_like(z), np.zeros(33, np.float32)
    run(
        """#include <cuda/std/array>
        #include <cuda/std/complex>
        #include <cuda/std/tuple>
        __device__ cuda::std::tuple<float, float> split(cuda::std::complex<float> z) {
            return cuda::std::make_tuple(z.real(), z.imag());
        }
        __global__ void kernel(float *out, float *parts, const float *z) {
            int i = threadIdx.x;
            cuda::std::complex<float> v(z[2 * i], z[2 * i + 1]);
            v = v * v / (v + 2.0f);
            auto [re, im] = split(v);
            cuda::std::array<float, 2> both = {re, im};
            out[2 * i] = both[0];
            out[2 * i + 1] = both[1];
            parts[i] = cuda::std::abs(v);
        }""",
        ww.Out(out.view(np.float32)), ww.Out(parts), ww.In(z.view(np.float32)), block=33,
    )  # fmt: skip
    want = z.astype(np.complex128) ** 2 / (z + 2)
    assert np.allclose(out, want, rtol=1e-4)
    assert np.allclose(parts, np.abs(want), rtol=1e-4)


WMMA = """#include <mma.h>
using namespace nvcuda;
__global__ void kernel(CTYPE *c, const ABTYPE *a, const ABTYPE *b) {
    wmma::fragment<wmma::matrix_a, M, N, K, TAG, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, TAG, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, CTYPE> fc;
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}"""


@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 8, 16), (8, 32, 16)])
@pytest.mark.parametrize(
    ("element", "numpy_type", "sum_type", "sums"),
    [
        ("half", np.float16, "float", np.float32),
        ("signed char", np.int8, "int", np.int32),
    ],
)
def test_a_product_of_fragments(run, rng, shape, element, numpy_type, sum_type, sums):
    m, n, k = shape
    a, b, c = (
        rng.integers(-8, 8, size).astype(kind)
        for size, kind in (((m, k), numpy_type), ((k, n), numpy_type), ((m, n), sums))
    )
    want = 2 * (a.astype(sums) @ b.astype(sums) + c)
    options = [f"-DM={m}", f"-DN={n}", f"-DK={k}", f"-DTAG={element}", f"-DABTYPE={element}",
               f"-DCTYPE={sum_type}"]  # fmt: skip
    source = WMMA.replace("ABTYPE", element).replace("TAG", element)
    columns = np.ascontiguousarray(b.T)
    if numpy_type is np.float16:
        a, columns = a.view(np.uint16), columns.view(np.uint16)
        source = source.replace(f"const {element} *a, const {element} *b",
                                "const unsigned short *a_, const unsigned short *b_")  # fmt: skip
        source = source.replace("{\n    wmma", "{\n    const half *a = (const half *)a_, "
                                "*b = (const half *)b_;\n    wmma", 1)  # fmt: skip
    run(source, ww.InOut(c), ww.In(a), ww.In(columns), block=32, options=options)
    assert np.array_equal(c, want)


@pytest.mark.parametrize(
    ("shape", "tag", "kind"), [((16, 16, 8), "wmma::precision::tf32", np.float32),
                               ((8, 8, 4), "double", np.float64)]
)  # fmt: skip
def test_a_product_of_tf32_and_of_double_fragments(run, rng, shape, tag, kind):
    m, n, k = shape
    a, b, c = (rng.integers(-8, 8, size).astype(kind) for size in ((m, k), (k, n), (m, n)))
    want = 2 * (a @ b + c)
    word = "float" if kind is np.float32 else "double"
    source = WMMA.replace("ABTYPE", word).replace("TAG", tag).replace("CTYPE", word)
    options = [f"-DM={m}", f"-DN={n}", f"-DK={k}"]
    run(source, ww.InOut(c), ww.In(a), ww.In(np.ascontiguousarray(b.T)), block=32, options=options)
    assert np.array_equal(c, want)


def test_roundings_and_rare_functions_of_halves(run, rng):
    x = (rng.standard_normal(97) * 100).astype(np.float32)
    x[:4] = [0, 65519.0, -1e-9, 1e9]
    out = np.zeros((3, 97), np.float16)
    run(
        """#include <cuda_fp16.h>
        __global__ void kernel(unsigned short *out, const float *x, int n) {
            int i = threadIdx.x;
            out[i] = __half_as_ushort(__float2half_rz(x[i]));
            out[n + i] = __half_as_ushort(__float2half_rd(x[i]));
            out[2 * n + i] = __half_as_ushort(__float2half_ru(x[i]));
        }""",
        ww.Out(out.view(np.uint16)), ww.In(x), 97, block=97,
    )  # fmt: skip
    to_zero, down, up = out.astype(np.float64)
    assert np.all(np.abs(to_zero) <= np.abs(x)) and np.all(down <= x) and np.all(up >= x)
    with np.errstate(over="ignore"):
        below, above = (np.nextafter(o, np.float16(s)) for o, s in ((out[1], np.inf), (out[2], -np.inf)))  # fmt: skip
    exact = down == x
    assert np.all((below.astype(np.float64) > x) | exact)
    assert np.all((above.astype(np.float64) < x) | exact)


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_semaphores_and_latches(run, executor):
    out = np.zeros(3, np.int32)
    run(
        """#include <cuda/latch>
        #include <cuda/semaphore>
        __device__ cuda::binary_semaphore<cuda::thread_scope_device> guard(1);
        __device__ cuda::latch<cuda::thread_scope_device> everyone(24);
        __global__ void kernel(int *out) {
            if (threadIdx.x == 0) {
                guard.acquire();
                *(volatile int *)out = *(volatile int *)out + 1;
                __threadfence();
                guard.release();
                everyone.arrive_and_wait();
                atomicMax(&out[1], *(volatile int *)out);
                if (everyone.try_wait() && guard.try_acquire()) {
                    out[2] += 1;
                    guard.release();
                }
            }
        }""",
        ww.InOut(out), grid=24, block=1, options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    assert out[0] == 24 and out[1] == 24 and out[2] > 0


def test_bits_and_function_objects(run, rng):
    x = rng.integers(0, 2**32, 64, dtype=np.uint64).astype(np.uint32)
    x[:3] = 0, 1, 2**32 - 1
    out = np.zeros((6, 64), np.uint32)
    run(
        """#include <cuda/functional>
        #include <cuda/std/bit>
        __global__ void kernel(unsigned *out, const unsigned *x) {
            int i = threadIdx.x;
            out[i] = cuda::std::popcount(x[i]);
            out[64 + i] = cuda::std::countl_zero(x[i]) * 100 + cuda::std::countr_zero(x[i]);
            out[128 + i] = cuda::std::bit_width(x[i]);
            out[192 + i] = cuda::std::rotl(x[i], 7);
            out[256 + i] = cuda::maximum<>()(cuda::minimum<unsigned>()(x[i], 1000u), 10u);
            out[320 + i] = cuda::std::bit_cast<unsigned>(
                cuda::proclaim_return_type<float>([](int v) { return v * 0.5f; })(i));
            static_assert(cuda::std::bit_ceil(5u) == 8 && cuda::std::bit_floor(5u) == 4);
        }""",
        ww.Out(out), ww.In(x), block=64, options=["-std=c++17"],
    )  # fmt: skip
    texts = [f"{v:032b}" for v in x.tolist()]
    assert out[0].tolist() == [text.count("1") for text in texts]
    zeros = [(32 - len(t.lstrip("0"))) * 100 + 32 - len(t.rstrip("0")) for t in texts]
    assert out[1].tolist() == zeros
    assert out[2].tolist() == [v.bit_length() for v in x.tolist()]
    assert np.array_equal(out[3], x << np.uint32(7) | x >> np.uint32(25))
    assert np.array_equal(out[4], np.clip(x, 10, 1000))
    assert np.array_equal(out[5].view(np.float32), np.arange(64) * np.float32(0.5))
