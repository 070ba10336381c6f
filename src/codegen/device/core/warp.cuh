// Warp functions: lane numbers, votes, shuffles, matches and reductions, with the masks of CUDA 9
// and in the older forms without, which act on the lanes that are active.
#pragma once

__WW_DEVICE unsigned int __ww_lane() {
    return __nvvm_read_ptx_sreg_laneid();
}
__WW_DEVICE unsigned int __activemask() {
    return __ww_activemask();
}
__WW_DEVICE unsigned int __lanemask_eq() {
    return 1u << __ww_lane();
}
__WW_DEVICE unsigned int __lanemask_lt() {
    return __lanemask_eq() - 1u;
}
__WW_DEVICE unsigned int __lanemask_le() {
    return __lanemask_lt() | __lanemask_eq();
}
__WW_DEVICE unsigned int __lanemask_gt() {
    return ~__lanemask_le();
}
__WW_DEVICE unsigned int __lanemask_ge() {
    return ~__lanemask_lt();
}

__WW_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return __ww_ballot(mask, predicate);
}
__WW_DEVICE int __any_sync(unsigned int mask, int predicate) {
    return __ww_ballot(mask, predicate) != 0u;
}
__WW_DEVICE int __all_sync(unsigned int mask, int predicate) {
    return __ww_ballot(mask, predicate == 0) == 0u;
}
__WW_DEVICE int __uni_sync(unsigned int mask, int predicate) {
    return __all_sync(mask, predicate) | __all_sync(mask, predicate == 0);
}
__WW_DEVICE unsigned int __ballot(int predicate) {
    return __ww_ballot(__ww_activemask(), predicate);
}
__WW_DEVICE int __any(int predicate) {
    return __any_sync(__ww_activemask(), predicate);
}
__WW_DEVICE int __all(int predicate) {
    return __all_sync(__ww_activemask(), predicate);
}

// Bits of a value, widened to the exchange width of its size.
template <class T, unsigned int size = sizeof(T)>
struct __ww_exchange;
template <class T>
struct __ww_exchange<T, 2> {
    static __device__ __forceinline__ T shuffle(unsigned int mode, unsigned int mask, T value,
                                                unsigned int operand, int width) {
        return __ww_bit_cast<T>(static_cast<unsigned short>(
            __ww_shuffle32(mode, mask, __ww_bit_cast<unsigned short>(value), operand,
                           static_cast<unsigned int>(width))));
    }
};
template <class T>
struct __ww_exchange<T, 4> {
    static __device__ __forceinline__ T shuffle(unsigned int mode, unsigned int mask, T value,
                                                unsigned int operand, int width) {
        return __ww_bit_cast<T>(__ww_shuffle32(mode, mask, __ww_bit_cast<uint32_t>(value), operand,
                                               static_cast<unsigned int>(width)));
    }
};
template <class T>
struct __ww_exchange<T, 8> {
    static __device__ __forceinline__ T shuffle(unsigned int mode, unsigned int mask, T value,
                                                unsigned int operand, int width) {
        return __ww_bit_cast<T>(__ww_shuffle64(mode, mask, __ww_bit_cast<uint64_t>(value), operand,
                                               static_cast<unsigned int>(width)));
    }
};

#define __WW_SHUFFLE(type, name, mode, operand_type, operand)                                      \
    __WW_DEVICE type __##name##_sync(unsigned int mask, type value, operand_type operand,          \
                                     int width = 32) {                                             \
        return __ww_exchange<type>::shuffle(mode, mask, value, static_cast<unsigned int>(operand), \
                                            width);                                                \
    }                                                                                              \
    __WW_DEVICE type __##name(type value, operand_type operand, int width = 32) {                  \
        return __##name##_sync(__ww_activemask(), value, operand, width);                          \
    }
#define __WW_SHUFFLES(type)                                               \
    __WW_SHUFFLE(type, shfl, __WW_SHUFFLE_INDEX, int, lane)               \
    __WW_SHUFFLE(type, shfl_up, __WW_SHUFFLE_UP, unsigned int, delta)     \
    __WW_SHUFFLE(type, shfl_down, __WW_SHUFFLE_DOWN, unsigned int, delta) \
    __WW_SHUFFLE(type, shfl_xor, __WW_SHUFFLE_XOR, int, lane_mask)
__WW_SHUFFLES(int)
__WW_SHUFFLES(unsigned int)
__WW_SHUFFLES(long)
__WW_SHUFFLES(unsigned long)
__WW_SHUFFLES(long long)
__WW_SHUFFLES(unsigned long long)
__WW_SHUFFLES(float)
__WW_SHUFFLES(double)

// Equality of bits, as the hardware compares: 0.0f and -0.0f differ, a NaN equals itself.
#define __WW_MATCH(type, bits)                                                           \
    __WW_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {           \
        return __ww_match_any(mask, __ww_bit_cast<bits>(value));                         \
    }                                                                                    \
    __WW_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* all) { \
        unsigned int lanes = __ww_match_all(mask, __ww_bit_cast<bits>(value));           \
        *all = lanes != 0u;                                                              \
        return lanes;                                                                    \
    }
__WW_MATCH(int, uint32_t)
__WW_MATCH(unsigned int, uint32_t)
__WW_MATCH(long, uint64_t)
__WW_MATCH(unsigned long, uint64_t)
__WW_MATCH(long long, uint64_t)
__WW_MATCH(unsigned long long, uint64_t)
__WW_MATCH(float, uint32_t)
__WW_MATCH(double, uint64_t)
#undef __WW_MATCH

#define __WW_REDUCE(type, name, op)                                                    \
    __WW_DEVICE type __reduce_##name##_sync(unsigned int mask, type value) {           \
        return static_cast<type>(__ww_reduce(op, mask, static_cast<uint32_t>(value))); \
    }
__WW_REDUCE(int, add, __WW_REDUCE_ADD)
__WW_REDUCE(int, min, __WW_REDUCE_MIN_S)
__WW_REDUCE(int, max, __WW_REDUCE_MAX_S)
__WW_REDUCE(unsigned int, add, __WW_REDUCE_ADD)
__WW_REDUCE(unsigned int, min, __WW_REDUCE_MIN_U)
__WW_REDUCE(unsigned int, max, __WW_REDUCE_MAX_U)
__WW_REDUCE(unsigned int, and, __WW_REDUCE_AND)
__WW_REDUCE(unsigned int, or, __WW_REDUCE_OR)
__WW_REDUCE(unsigned int, xor, __WW_REDUCE_XOR)
#undef __WW_REDUCE
