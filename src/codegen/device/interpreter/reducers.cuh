// The states of reducers in slots: as many as a state has words, each of all threads together.
#pragma once

#include "steps.cuh"

enum __ww_reducing { __ww_clear, __ww_take, __ww_merge, __ww_result };

template <class State>
struct __ww_held {
    enum { words = (sizeof(State) + 7) / 8 };
    union Both {
        __ww_cell words[(sizeof(State) + 7) / 8];
        State state;
        __device__ __forceinline__ Both() : words{} {}
    };
    Both both;
    __device__ __forceinline__ void read(const __ww_cell* from, unsigned int apart) {
#pragma unroll
        for (int i = 0; i < words; ++i) both.words[i] = from[i * apart];
    }
    __device__ __forceinline__ void write(__ww_cell* to) const {
#pragma unroll
        for (int i = 0; i < words; ++i) to[i * __ww_block] = both.words[i];
    }
};

// `state`: slots of the state; `other`: words of another one, `apart` from each other.
template <class State, class T>
__device__ __forceinline__ void __ww_reduce(__ww_reducing what, __ww_cell* state,
                                            const __ww_cell* other, unsigned int apart,
                                            long long at) {
    __ww_held<State> own;
    if (what == __ww_clear) {
        own.both.state.clear();
        return own.write(state);
    }
    own.read(state, __ww_block);
    if (what == __ww_result) {
        return __ww_put((__ww_cell*)other, 0, own.both.state.result());
    }
    if (what == __ww_take) {
        own.both.state.take(__ww_from_bits<T>((long long)*other), at);
    } else {
        __ww_held<State> second;
        second.read(other, apart);
        own.both.state.merge(second.both.state);
    }
    own.write(state);
}

// By codegen::Reduce, in its order. Logical ones are of bools.
template <class T>
__device__ __forceinline__ void __ww_reduce_kind(unsigned int reduce, __ww_reducing what,
                                                 __ww_cell* state, const __ww_cell* other,
                                                 unsigned int apart, long long at) {
    switch (reduce) {
        case 0:
            return __ww_reduce<__ww_sum<T>, T>(what, state, other, apart, at);
        case 1:
            return __ww_reduce<__ww_product<T>, T>(what, state, other, apart, at);
        case 2:
            return __ww_reduce<__ww_limit<T, true>, T>(what, state, other, apart, at);
        case 3:
            return __ww_reduce<__ww_limit<T, false>, T>(what, state, other, apart, at);
        case 6:
            return __ww_reduce<__ww_place<T, true, long long>, T>(what, state, other, apart, at);
        case 7:
            return __ww_reduce<__ww_place<T, false, long long>, T>(what, state, other, apart, at);
        default:
            break;
    }
    if constexpr (__ww_kind_of<T>::value == __ww_bool) {
        if (reduce == 4) return __ww_reduce<__ww_any<T>, T>(what, state, other, apart, at);
        if (reduce == 5) return __ww_reduce<__ww_all<T>, T>(what, state, other, apart, at);
    }
    if constexpr (__ww_kind_of<T>::value >= __ww_float32) {
        if (reduce == 8) {
            return __ww_reduce<__ww_deviation<T, T>, T>(what, state, other, apart, at);
        }
    }
    __trap();
}

// One step of one reducer. Take: `other` is the slot of an element, number `at`. Result: the slot
// that it is put into. A function of its own, as __ww_compute().
__device__ __noinline__ void __ww_reduce_by(unsigned int code, __ww_reducing what, __ww_cell* state,
                                            const __ww_cell* other, unsigned int apart,
                                            long long at) {
    const unsigned int reduce = code / __ww_kinds;
    switch (code % __ww_kinds) {
        case __ww_bool:
            return __ww_reduce_kind<bool>(reduce, what, state, other, apart, at);
        case __ww_int32:
            return __ww_reduce_kind<int>(reduce, what, state, other, apart, at);
        case __ww_int64:
            return __ww_reduce_kind<long long>(reduce, what, state, other, apart, at);
        case __ww_float32:
            return __ww_reduce_kind<float>(reduce, what, state, other, apart, at);
        default:
            return __ww_reduce_kind<double>(reduce, what, state, other, apart, at);
    }
}

// All reducers of a program. States of a thread begin at slot `first`; `other`: words of the states
// to merge, of all reducers one after the other, `apart` from each other.
__device__ __forceinline__ __ww_reducer __ww_reducer_of(__ww_cell word) {
    return {(unsigned short)word,        (unsigned short)(word >> 16), (unsigned char)(word >> 32),
            (unsigned char)(word >> 40), (unsigned char)(word >> 48),  (unsigned char)(word >> 56)};
}
__device__ __forceinline__ void __ww_clear_all(const __ww_program& program, __ww_cell* slots,
                                               unsigned int first) {
    for (int i = program.reducers; i < program.body; ++i) {
        const __ww_reducer one = __ww_reducer_of(program.words[i]);
        __ww_reduce_by(one.code, __ww_clear, slots + (first + one.state) * __ww_block, slots, 0, 0);
    }
}
__device__ __forceinline__ void __ww_merge_all(const __ww_program& program, __ww_cell* slots,
                                               unsigned int first, const __ww_cell* other,
                                               unsigned int apart) {
    for (int i = program.reducers; i < program.body; ++i) {
        const __ww_reducer one = __ww_reducer_of(program.words[i]);
        __ww_reduce_by(one.code, __ww_merge, slots + (first + one.state) * __ww_block,
                       other + one.state * apart, apart, 0);
    }
}
