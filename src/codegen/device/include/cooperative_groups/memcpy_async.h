// cooperative_groups::memcpy_async: the copy is made at once, shared out over the group; waiting
// for it is a barrier.
#pragma once
#include "../cooperative_groups.h"

extern "C++" {

namespace cooperative_groups {

template <class Group, class To, class From>
__WW_CG void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
    char* target = reinterpret_cast<char*>(to);
    const char* source = reinterpret_cast<const char*>(from);
    for (size_t i = group.thread_rank(); i < bytes; i += group.size()) target[i] = source[i];
}
// By elements, as many as both sides have.
template <class Group, class T>
__WW_CG void memcpy_async(const Group& group, T* to, size_t capacity, const T* from, size_t count) {
    memcpy_async(group, to, from, sizeof(T) * (count < capacity ? count : capacity));
}
template <class Group>
__WW_CG void wait(const Group& group) {
    group.sync();
}
template <unsigned int stages, class Group>
__WW_CG void wait_prior(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups

}  // extern "C++"
