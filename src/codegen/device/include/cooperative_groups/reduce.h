// cooperative_groups::reduce over tiles and coalesced groups. Every thread gets the result.
#pragma once
#include "../cooperative_groups.h"

extern "C++" {

namespace cooperative_groups {

template <unsigned int n, class Parent, class T, class Operator>
__WW_CG T reduce(const thread_block_tile<n, Parent>& tile, T value, Operator&& op) {
#pragma unroll
    for (unsigned int distance = n / 2; distance > 0; distance /= 2) {
        value = op(value, tile.shfl_xor(value, distance));
    }
    return value;
}
template <class T, class Operator>
__WW_CG T reduce(const coalesced_group& group, T value, Operator&& op) {
    T result = group.shfl(value, 0);
    for (unsigned int i = 1; i < group.size(); ++i) {
        result = op(result, group.shfl(value, static_cast<int>(i)));
    }
    return result;
}

}  // namespace cooperative_groups

}  // extern "C++"
