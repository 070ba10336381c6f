// Reductions with cooperative groups: tiles of every size, a generic function over any group, and
// cg::reduce with the operators of the library.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <limits.h>

namespace cg = cooperative_groups;

template <typename Group>
__device__ int sum_by_memory(Group g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i) val += temp[lane + i];
        g.sync();
    }
    return val;
}

template <int kTile>
__global__ void sum_tiles(const int *in, int *out, int n)
{
    auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_down(sum, i);
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void sum_block(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    cg::thread_block block = cg::this_thread_block();
    int i = block.group_index().x * block.size() + block.thread_rank();
    int sum = sum_by_memory(block, temp, i < n ? in[i] : 0);
    if (block.thread_rank() == 0) out[block.group_index().x] = sum;
}

__global__ void extremes(const int *in, int *out, int n)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int lowest = INT_MAX, highest = INT_MIN, bits = 0;
    for (int i = block.thread_rank(); i < n; i += block.size()) {
        lowest = min(lowest, in[i]);
        highest = max(highest, in[i]);
        bits ^= in[i];
    }
    lowest = cg::reduce(warp, lowest, cg::less<int>());
    highest = cg::reduce(warp, highest, cg::greater<int>());
    bits = cg::reduce(warp, bits, cg::bit_xor<int>());
    if (warp.thread_rank() == 0) {
        atomicMin(&out[0], lowest);
        atomicMax(&out[1], highest);
        atomicXor(&out[2], bits);
    }
}
