// Cooperative groups in the forms sources use them, names brought in by a using directive before
// other headers: parsed and generated for both targets, not run.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
using namespace cooperative_groups;
namespace cg = cooperative_groups;
#include <cuda_fp16.h>

struct Pair {
    double a;
    int b;
};

__device__ int any_group(cg::thread_group group) {
    group.sync();
    return group.thread_rank() + group.size();
}
template <class Tile>
__device__ int sum_of(const Tile& tile, int value) {
    return cg::reduce(tile, value, cg::plus<int>()) + cg::inclusive_scan(tile, value);
}

__global__ void groups(float* f, int* i, Pair* pairs) {
    thread_block block = this_thread_block();
    block.sync();
    cg::sync(block);
    auto tile = tiled_partition<16>(block);
    auto quad = cg::tiled_partition<4>(tile);
    thread_block_tile<16> plain = tile;
    f[0] = cg::reduce(tile, f[threadIdx.x], cg::plus<float>()) + plain.shfl(f[1], 2);
    i[0] = cg::reduce(quad, i[0], cg::greater<int>()) + sum_of(quad, i[1]) + sum_of(tile, i[2]);
    pairs[0] = tile.shfl_down(pairs[threadIdx.x], 3);
    i[2] = tile.ballot(i[0]) + tile.any(1) + tile.match_any(i[1]) + tile.meta_group_rank();
    i[3] = quad.meta_group_size() + quad.shfl_xor(i[3], 1) + quad.shfl_up(i[3], 1) + quad.all(i[4]);
    coalesced_group active = coalesced_threads();
    i[4] = active.shfl(i[0], 0) + active.ballot(1) + sum_of(active, 1) + active.thread_rank();
    auto label = cg::labeled_partition(tile, i[0] & 1);
    auto side = cg::binary_partition(active, i[1] > 0);
    i[5] = label.size() + side.meta_group_rank() + cg::exclusive_scan(active, i[5]);
    grid_group grid = this_grid();
    grid.sync();
    i[grid.thread_rank()] = static_cast<int>(grid.size() + grid.num_blocks());
    cg::memcpy_async(block, f, f + 100, 64);
    cg::wait(block);
    i[6] = any_group(block) + any_group(tile) + any_group(active);
    i[7] = cg::tiled_partition(block, 8).size() + block.group_index().x + block.dim_threads().z;
}
