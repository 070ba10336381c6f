// cooperative_groups::reduce over tiles and coalesced groups. Every thread gets the result. What is
// stored or updated "asynchronously" is so at once, by the group's first thread.
#pragma once
#include "../cooperative_groups.h"

extern "C++" {

namespace cooperative_groups {

namespace __ww_cg {

template <unsigned int n, class T, class Operator>
__WW_CG T reduce_lanes(const lanes_tile<n>& tile, T value, Operator&& op) {
#pragma unroll
    for (unsigned int distance = n / 2; distance > 0; distance /= 2) {
        value = op(value, tile.shfl_xor(value, distance));
    }
    return value;
}
template <unsigned int n, class T, class Operator>
__WW_CG T reduce_lanes(const warps_tile<n>& tile, T value, Operator&& op) {
    T* sums = tile.template __ww_slots<T>();
    const T sum = reduce_lanes(lanes_tile<32>(0u, 1u), value, op);
    if (tile.thread_rank() % 32 == 0) sums[tile.thread_rank() / 32] = sum;
    tile.sync();
    T result = sums[0];
    for (unsigned int warp = 1; warp < n / 32; ++warp) result = op(result, sums[warp]);
    tile.sync();
    return result;
}

}  // namespace __ww_cg

template <unsigned int n, class Parent, class T, class Operator>
__WW_CG T reduce(const thread_block_tile<n, Parent>& tile, T value, Operator&& op) {
    return __ww_cg::reduce_lanes(tile, value, op);
}
template <class T, class Operator>
__WW_CG T reduce(const coalesced_group& group, T value, Operator&& op) {
    T result = group.shfl(value, 0);
    for (unsigned int i = 1; i < group.size(); ++i) {
        result = op(result, group.shfl(value, static_cast<int>(i)));
    }
    return result;
}
template <class Group, class T, class V, class Operator>
__WW_CG void reduce_store_async(const Group& group, T* to, V value, Operator&& op) {
    const V result = reduce(group, value, op);
    if (group.thread_rank() == 0) *to = result;
}
// Into a cuda::atomic.
template <class Group, class Atomic, class V, class Operator>
__WW_CG void reduce_update_async(const Group& group, Atomic& atomic, V value, Operator&& op) {
    const V result = reduce(group, value, op);
    if (group.thread_rank() != 0) return;
    auto seen = atomic.load();
    while (!atomic.compare_exchange_weak(seen, op(seen, result))) {
    }
}

}  // namespace cooperative_groups

}  // extern "C++"
