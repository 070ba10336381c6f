"""Warp collectives: shuffles, votes, matches, reductions, tiles."""

import numpy as np
import pytest

import warpwise as ww

TYPES = {
    "int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64,
    "float": np.float32, "double": np.float64,
}  # fmt: skip


def shuffled(values, mode, operand, width):
    """What CUDA's rules give for one warp."""
    lane = np.arange(32)
    base = lane - lane % width
    if mode == "":
        source = base + operand % width
    elif mode == "_up":
        source = np.where(lane % width >= operand, lane - operand, lane)
    elif mode == "_down":
        source = np.where(lane % width + operand < width, lane + operand, lane)
    else:
        source = lane ^ operand
        source = np.where(source < base + width, source, lane)
    return values[source]


@pytest.mark.parametrize("ctype", TYPES)
@pytest.mark.parametrize("mode", ["", "_up", "_down", "_xor"])
def test_shuffles_of_every_type(run, rng, ctype, mode):
    x = rng.integers(0, 2**31, 32).astype(TYPES[ctype])
    if mode == "":
        x = x * 3 + 1
    for operand, width in [(0, 32), (1, 32), (5, 32), (16, 32), (1, 8), (3, 4), (1, 2)]:
        out = np.zeros_like(x)
        run(
            f"""__global__ void kernel(const {ctype} *x, {ctype} *out, int operand) {{
                int t = threadIdx.x;
                out[t] = __shfl{mode}_sync(0xffffffffu, x[t], operand, {width});
            }}""",
            ww.In(x), ww.Out(out), operand, block=32,
        )  # fmt: skip
        assert np.array_equal(out, shuffled(x, mode, operand, width)), (operand, width)


@pytest.mark.cpu_only("CUDA does not define what GPUs do")
@pytest.mark.parametrize("width", [3, 24, 64])
def test_a_width_that_cuda_does_not_define_is_the_whole_warp(run, rng, width):
    x = rng.integers(0, 2**31, 32).astype(np.int32)
    out = np.zeros_like(x)
    run(
        """__global__ void kernel(const int *x, int *out, int width) {
            out[threadIdx.x] = __shfl_sync(0xffffffffu, x[threadIdx.x], 5, width);
        }""",
        ww.In(x), ww.Out(out), width, block=32,
    )  # fmt: skip
    assert np.array_equal(out, shuffled(x, "", 5, 32))


def test_votes(run):
    out = np.zeros((64, 4), np.uint32)
    run(
        """__global__ void kernel(unsigned *out) {
            int t = threadIdx.x, odd = t & 1;
            unsigned *row = out + 4 * t;
            row[0] = __ballot_sync(0xffffffffu, odd);
            row[1] = __any_sync(0xffffffffu, t == 40) != 0;
            row[2] = __all_sync(0xffffffffu, t < 32) != 0;
            row[3] = __activemask();
        }""",
        ww.Out(out), block=64,
    )  # fmt: skip
    assert (out[:, 0] == 0xAAAAAAAA).all() and (out[:, 3] == 0xFFFFFFFF).all()
    assert (out[:32, 1] == 0).all() and (out[32:, 1] == 1).all()
    assert (out[:32, 2] == 1).all() and (out[32:, 2] == 0).all()


def test_a_collective_of_half_a_warp_waits_for_that_half_only(run):
    out = np.zeros(32, np.int32)
    run(
        """__global__ void kernel(int *out) {
            int t = threadIdx.x;
            if (t < 16) out[t] = __shfl_xor_sync(0x0000ffffu, t, 1);
            else out[t] = __reduce_add_sync(0xffff0000u, t);
        }""",
        ww.Out(out), block=32,
    )  # fmt: skip
    assert out[:16].tolist() == [t ^ 1 for t in range(16)]
    assert (out[16:] == sum(range(16, 32))).all()


def test_match(run, rng):
    x = rng.integers(0, 4, 32).astype(np.int32)
    out = np.zeros((2, 32), np.uint32)
    agree = np.zeros(32, np.int32)
    run(
        """__global__ void kernel(const int *x, unsigned *out, int *agree) {
            int t = threadIdx.x, all;
            out[t] = __match_any_sync(0xffffffffu, x[t]);
            out[32 + t] = __match_all_sync(0xffffffffu, 7LL, &all);
            agree[t] = all;
        }""",
        ww.In(x), ww.Out(out), ww.Out(agree), block=32,
    )  # fmt: skip
    want = [sum(1 << j for j in range(32) if x[j] == v) for v in x]
    assert out[0].tolist() == want
    assert (out[1] == 0xFFFFFFFF).all() and (agree == 1).all()


@pytest.mark.parametrize(
    ("word", "function", "dtype"),
    [("add", np.sum, np.int32), ("min", np.min, np.int32), ("max", np.max, np.uint32),
     ("and", np.bitwise_and.reduce, np.uint32), ("or", np.bitwise_or.reduce, np.uint32),
     ("xor", np.bitwise_xor.reduce, np.uint32)],
)  # fmt: skip
def test_warp_reductions(run, rng, word, function, dtype):
    x = rng.integers(-1000 if dtype is np.int32 else 0, 1000, 32).astype(dtype)
    ctype = "int" if dtype is np.int32 else "unsigned"
    out = np.zeros_like(x)
    run(
        f"""__global__ void kernel(const {ctype} *x, {ctype} *out) {{
            out[threadIdx.x] = __reduce_{word}_sync(0xffffffffu, x[threadIdx.x]);
        }}""",
        ww.In(x), ww.Out(out), block=32,
    )  # fmt: skip
    assert (out == function(x)).all()


@pytest.mark.parametrize("n", [32, 33, 100, 1000])
def test_a_shuffle_reduction_over_partial_warps(run, rng, n):
    x = rng.standard_normal(n).astype(np.float32)
    out = np.zeros(1, np.float32)
    run(
        """__global__ void kernel(const float *x, float *out, int n) {
            __shared__ float part[32];
            int t = threadIdx.x;
            float v = 0;
            for (int i = t; i < n; i += blockDim.x) v += x[i];
            for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
            if (t % 32 == 0) part[t / 32] = v;
            __syncthreads();
            if (t < 32) {
                v = t < blockDim.x / 32 ? part[t] : 0.0f;
                for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
                if (t == 0) *out = v;
            }
        }""",
        ww.In(x), ww.Out(out), n, block=256,
    )  # fmt: skip
    assert np.isclose(out[0], x.astype(np.float64).sum(), atol=1e-3)


def test_legacy_shuffle_and_vote_without_a_mask(run):
    out = np.zeros((2, 32), np.int32)
    run(
        """__global__ void kernel(int *out) {
            int t = threadIdx.x;
            out[t] = __shfl_up(t, 1);
            out[32 + t] = __popc(__ballot(t < 5));
        }""",
        ww.Out(out), block=32,
    )  # fmt: skip
    assert out[0].tolist() == [0, *range(31)] and (out[1] == 5).all()


def test_cooperative_group_tiles(run):
    out = np.zeros((3, 64), np.int32)
    run(
        """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void kernel(int *out) {
            cg::thread_block block = cg::this_thread_block();
            auto tile = cg::tiled_partition<8>(block);
            int t = block.thread_rank(), v = t;
            for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
            v = tile.shfl(v, 0);
            out[t] = v;
            out[64 + t] = tile.thread_rank();
            out[128 + t] = tile.meta_group_rank();
            block.sync();
        }""",
        ww.Out(out), block=64,
    )  # fmt: skip
    t = np.arange(64)
    assert np.array_equal(out[0], t.reshape(8, 8).sum(1).repeat(8))
    assert np.array_equal(out[1], t % 8) and np.array_equal(out[2], t // 8)


def test_syncwarp_orders_shared_memory(run):
    out = np.zeros(32, np.int32)
    run(
        """__global__ void kernel(int *out) {
            __shared__ int s[32];
            int t = threadIdx.x;
            s[t] = t;
            for (int d = 1; d < 32; d *= 2) {
                __syncwarp();
                int v = t >= d ? s[t - d] : 0;
                __syncwarp();
                s[t] += v;
            }
            out[t] = s[t];
        }""",
        ww.Out(out), block=32,
    )  # fmt: skip
    assert np.array_equal(out, np.cumsum(np.arange(32)))


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_lanes_that_talk_through_volatile_memory_go_in_step(run, rng, executor):
    x = rng.integers(0, 1000, 96).astype(np.int32)
    out = np.zeros(96, np.int32)
    run(
        """__global__ void kernel(const int *x, int *out) {
            __shared__ volatile int s[96];
            int t = threadIdx.x, lane = t % 32;
            s[t] = x[t];
            for (int d = 1; d < 32; d *= 2)
                if (lane >= d) s[t] += s[t - d];
            out[t] = s[t];
        }""",
        ww.In(x), ww.Out(out), block=96, options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    assert np.array_equal(out, np.cumsum(x.reshape(3, 32), axis=1).ravel())


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_lanes_may_shuffle_what_only_the_source_has_set(run, executor):
    out, counter = np.zeros(32, np.int32), np.zeros(1, np.int32)
    run(
        """__global__ void kernel(int *counter, int *out) {
            int lane = threadIdx.x, first;
            if (lane % 3 == 0) {
                unsigned active = __activemask();
                int leader = __ffs(active) - 1;
                if (lane == leader) first = atomicAdd(counter, __popc(active));
                first = __shfl_sync(active, first, leader);
                out[first + __popc(active & ((1u << lane) - 1))] = lane;
            }
        }""",
        ww.InOut(counter), ww.InOut(out), block=32, options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    assert counter[0] == 11 and out[:11].tolist() == list(range(0, 32, 3))


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize("size", [64, 256, 1024])
def test_tiles_of_several_warps(run, rng, size, executor):
    x = rng.integers(0, 100, 1024).astype(np.int32)
    out = np.zeros((4, 1024), np.int32)
    run(
        """#include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        __global__ void kernel(int *out, const int *x) {
            __shared__ cg::block_tile_memory<1024> memory;
            auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block(memory));
            __shared__ int turned[1024];
            int t = threadIdx.x, first = t / SIZE * SIZE;
            turned[t] = x[t];
            tile.sync();
            out[t] = turned[first + SIZE - 1 - tile.thread_rank()];
            out[1024 + t] = cg::reduce(tile, x[t], cg::plus<int>());
            out[2048 + t] = tile.shfl(x[t], 40) + tile.any(x[t] == 7) * 1000;
            auto warp = cg::tiled_partition<32>(tile);
            out[3072 + t] = tile.meta_group_rank() * 100 + warp.meta_group_rank();
        }""",
        ww.Out(out), ww.In(x), block=1024,
        options=[f"-DSIZE={size}", f"--warpwise-executor={executor}", "-std=c++17"],
    )  # fmt: skip
    rows = x.reshape(-1, size)
    assert np.array_equal(out[0].reshape(-1, size), rows[:, ::-1])
    assert np.array_equal(out[1], rows.sum(1).repeat(size))
    found = rows[:, 40] + (rows == 7).any(1) * 1000
    assert np.array_equal(out[2], found.repeat(size))
    t = np.arange(1024)
    assert np.array_equal(out[3], t // size * 100 + t % size // 32)


@pytest.mark.cpu_only("CUDA 13 has no groups of several grids")
@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_groups_call_one_thread_and_arrive_before_they_wait(run, executor):
    out = np.zeros(4 + 64, np.int32)
    run(
        """#include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cuda/atomic>
        namespace cg = cooperative_groups;
        __global__ void kernel(int *out) {
            __shared__ int words[64];
            cg::thread_block block = cg::this_thread_block();
            auto warp = cg::tiled_partition<32>(block);
            cg::invoke_one(warp, [&] { atomicAdd(&out[0], 1); });
            int first = cg::invoke_one_broadcast(warp, [&] { return (int)threadIdx.x; });
            words[threadIdx.x] = first;
            auto token = block.barrier_arrive();
            int own = threadIdx.x * 2;
            block.barrier_wait(std::move(token));
            out[4 + threadIdx.x] = words[63 - threadIdx.x] + own;
            cuda::atomic_ref<int> most(out[1]);
            cg::reduce_update_async(warp, most, (int)threadIdx.x, cg::greater<int>());
            cg::thread_group half = cg::tiled_partition(block, 16);
            cg::thread_group four = cg::tiled_partition(half, 4);
            if (half.thread_rank() == 15) out[2] = four.thread_rank() + 10 * four.size();
            auto all = cg::this_multi_grid();
            if (all.thread_rank() == 0) out[3] = all.num_grids() * 100 + all.size();
        }""",
        ww.InOut(out), block=64, options=[f"--warpwise-executor={executor}", "-std=c++17"],
    )  # fmt: skip
    t = np.arange(64)
    assert out[:4].tolist() == [2, 63, 43, 164]
    assert np.array_equal(out[4:], (63 - t) // 32 * 32 + 2 * t)
