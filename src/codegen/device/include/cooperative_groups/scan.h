// cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups.
#pragma once
#include "../cooperative_groups.h"

extern "C++" {

namespace cooperative_groups {

template <class Group, class T, class Operator>
__WW_CG T inclusive_scan(const Group& group, T value, Operator&& op) {
    for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
        T below = group.shfl_up(value, distance);
        value = group.thread_rank() >= distance ? op(below, value) : value;
    }
    return value;
}
template <class Group, class T>
__WW_CG T inclusive_scan(const Group& group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
// Without an operator the first thread gets T(), the identity of addition; with one too, where CUDA
// leaves it open.
template <class Group, class T, class Operator>
__WW_CG T exclusive_scan(const Group& group, T value, Operator&& op) {
    T below = group.shfl_up(inclusive_scan(group, value, op), 1u);
    return group.thread_rank() == 0 ? T() : below;
}
template <class Group, class T>
__WW_CG T exclusive_scan(const Group& group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

}  // extern "C++"
