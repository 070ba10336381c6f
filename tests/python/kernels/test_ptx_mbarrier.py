"""mbarrier objects in inline PTX: phases, transactions, and the copies that complete on them."""

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("these instructions need sm_90")

MBARRIER = r"""
    __device__ unsigned shared_address(const void *p) {
        return (unsigned)__cvta_generic_to_shared(p);
    }
    __device__ void mbarrier_init(unsigned long long *b, unsigned count) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                     :: "r"(shared_address(b)), "r"(count) : "memory");
    }
    __device__ unsigned long long mbarrier_arrive(unsigned long long *b) {
        unsigned long long state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                     : "=l"(state) : "r"(shared_address(b)) : "memory");
        return state;
    }
    __device__ void mbarrier_expect(unsigned long long *b, unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                     :: "r"(shared_address(b)), "r"(bytes) : "memory");
    }
    __device__ bool mbarrier_is_over(unsigned long long *b, unsigned parity) {
        unsigned done;
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
        return done;
    }
    __device__ void mbarrier_wait(unsigned long long *b, unsigned parity) {
        asm volatile("{\n .reg .pred P1;\n"
                     "LAB_WAIT_%=:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, 0x989680;\n"
                     "@P1 bra.uni DONE_%=;\n"
                     "bra.uni LAB_WAIT_%=;\n"
                     "DONE_%=:\n}"
                     :: "r"(shared_address(b)), "r"(parity) : "memory");
    }
    __device__ void copy_to_shared(void *to, const void *from, unsigned bytes,
                                   unsigned long long *b) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];"
                     :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(b))
                     : "memory");
    }
"""


def test_two_warps_hand_tiles_to_each_other(run, rng):
    x, y = rng.random((10, 32)).astype(np.float32), np.zeros(32, np.float32)
    run(
        MBARRIER + r"""__global__ void kernel(float *y, const float *x, int tiles) {
            __shared__ unsigned long long full, empty;
            __shared__ float tile[32];
            if (threadIdx.x == 0) { mbarrier_init(&full, 32); mbarrier_init(&empty, 32); }
            __syncthreads();
            const int lane = threadIdx.x % 32;
            float sum = 0;
            for (int t = 0; t < tiles; ++t) {
                if (threadIdx.x < 32) {
                    mbarrier_wait(&empty, (t & 1) ^ 1);  // the phase before the first is over
                    tile[lane] = x[t * 32 + lane];
                    mbarrier_arrive(&full);
                } else {
                    mbarrier_wait(&full, t & 1);
                    sum += tile[31 - lane];
                    mbarrier_arrive(&empty);
                }
            }
            if (threadIdx.x >= 32) y[lane] = sum;
        }""",
        ww.Out(y), ww.In(x), np.int32(10), block=64,
    )  # fmt: skip
    np.testing.assert_allclose(y, x[:, ::-1].sum(0), rtol=1e-6)


def test_a_ring_of_bulk_copies_goes_through_shared_memory(run, rng):
    x, y = rng.random((9, 128)).astype(np.float32), np.zeros((9, 128), np.float32)
    run(
        MBARRIER + r"""__global__ void kernel(float *y, const float *x, int tiles) {
            constexpr int kStages = 3;
            __shared__ alignas(16) float in[kStages][128];
            __shared__ alignas(16) float out[128];
            __shared__ unsigned long long full[kStages];
            const unsigned bytes = sizeof in[0];
            if (threadIdx.x == 0) {
                for (auto &b : full) mbarrier_init(&b, 1);
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                for (int t = 0; t < kStages; ++t) {
                    mbarrier_expect(&full[t], bytes);
                    copy_to_shared(in[t], x + t * 128, bytes, &full[t]);
                }
            }
            __syncthreads();
            for (int t = 0; t < tiles; ++t) {
                const int stage = t % kStages;
                mbarrier_wait(&full[stage], t / kStages & 1);
                out[threadIdx.x] = 2 * in[stage][threadIdx.x];
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                __syncthreads();
                if (threadIdx.x == 0) {
                    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                        :: "l"(y + t * 128), "r"(shared_address(out)), "r"(bytes) : "memory");
                    asm volatile("cp.async.bulk.commit_group;");
                    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
                    if (t + kStages < tiles) {
                        mbarrier_expect(&full[stage], bytes);
                        copy_to_shared(in[stage], x + (t + kStages) * 128, bytes, &full[stage]);
                    }
                }
                __syncthreads();
            }
        }""",
        ww.Out(y), ww.In(x), np.int32(9), block=128,
    )  # fmt: skip
    np.testing.assert_array_equal(y, 2 * x)


def test_a_phase_ends_with_its_last_arrival_and_its_last_byte(run):
    out = np.zeros(9, np.int32)
    run(
        MBARRIER + r"""__global__ void kernel(int *out) {
            __shared__ unsigned long long b;
            const unsigned address = shared_address(&b);
            mbarrier_init(&b, 2);
            out[0] = mbarrier_is_over(&b, 0);
            out[1] = mbarrier_is_over(&b, 1);
            unsigned count;
            unsigned long long state;
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 48;"
                         : "=l"(state) : "r"(address) : "memory");
            asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
            out[2] = count;
            asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];"
                         :: "r"(address) : "memory");
            out[3] = mbarrier_is_over(&b, 0);  // all threads, no byte
            asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%0], 32;"
                         :: "r"(address) : "memory");
            out[4] = mbarrier_is_over(&b, 0);
            asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%0], 16;"
                         :: "r"(address) : "memory");
            out[5] = mbarrier_is_over(&b, 0);
            asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" :: "r"(address));
            out[6] = mbarrier_is_over(&b, 1);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(address));
            out[7] = mbarrier_is_over(&b, 1);  // one thread has left
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2;"
                         " selp.s32 %0, 1, 0, p; }" : "=r"(out[8])
                         : "r"(address), "l"(mbarrier_arrive(&b)) : "memory");
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(address) : "memory");
        }""",
        ww.Out(out), block=1,
    )  # fmt: skip
    assert out.tolist() == [0, 1, 2, 0, 0, 1, 0, 1, 1]


def test_a_phase_takes_no_more_arrivals_than_it_expects():
    module = ww.SourceModule(
        MBARRIER
        + r"""__global__ void kernel(int *out) {
            __shared__ unsigned long long b;
            mbarrier_init(&b, 1);
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 3;"
                         :: "r"(shared_address(&b)) : "memory");
            out[0] = 1;
        }"""
    )
    with pytest.raises(ww.LaunchError, match="3 arrivals at an mbarrier object that expects 1"):
        module.get_function("kernel")(ww.Out(np.zeros(1, np.int32)), block=1)


def test_copies_of_tensors_are_refused_by_name():
    with pytest.raises(ww.UnsupportedError, match=r"cp\.async\.bulk\.tensor"):
        ww.SourceModule(
            r"""__global__ void kernel(const void *map) {
                __shared__ float tile[64];
                __shared__ unsigned long long b;
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                    ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                    :: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(map), "r"(0),
                       "r"((unsigned)__cvta_generic_to_shared(&b)));
            }"""
        ).get_function("kernel")
