// The steps of a program on the slots of one thread.
#pragma once

#include "rules.cuh"

typedef unsigned long long __ww_cell;
// One slot of all threads of a block lies together.
enum { __ww_block = 256 };

template <class T>
__device__ __forceinline__ T __ww_get(const __ww_cell* slots, unsigned int slot) {
    return __ww_from_bits<T>((long long)slots[slot * __ww_block]);
}
template <class T>
__device__ __forceinline__ void __ww_put(__ww_cell* slots, unsigned int slot, T value) {
    union {
        __ww_cell word;
        T value;
    } both = {0};
    both.value = value;
    slots[slot * __ww_block] = both.word;
}

__device__ __forceinline__ __ww_step __ww_step_of(__ww_cell word) {
    return {(unsigned short)word,        (unsigned short)(word >> 16), (unsigned char)(word >> 32),
            (unsigned char)(word >> 40), (unsigned char)(word >> 48),  (unsigned char)(word >> 56)};
}

template <class T, __ww_rule Rule>
struct __ww_first_operand {
    typedef T type;
};
template <class T>
struct __ww_first_operand<T, __ww_rule::Select> {
    typedef bool type;
};

template <class T>
struct __ww_kind_of {
    enum { value = __ww_bool };
};
template <>
struct __ww_kind_of<int> {
    enum { value = __ww_int32 };
};
template <>
struct __ww_kind_of<long long> {
    enum { value = __ww_int64 };
};
template <>
struct __ww_kind_of<float> {
    enum { value = __ww_float32 };
};
template <>
struct __ww_kind_of<double> {
    enum { value = __ww_float64 };
};

enum {
#define WW_OP(Name, Arity, OpRule, OpCost, Spelling) __ww_number_of_##Name,
#include "interpreted_ops.cuh"
#undef WW_OP
};

// A function of each op, by the spelling that kernels have.
#define WW_OP(Name, Arity, OpRule, OpCost, Spelling)                                           \
    template <class T>                                                                         \
    struct __ww_op_##Name {                                                                    \
        enum { is_root = __ww_number_of_##Name == __ww_number_of_Sqrt };                       \
        static __WW_FUNCTION constexpr bool is_known() {                                       \
            return __ww_takes(__ww_rule::OpRule, __ww_kind_of<T>::value) &&                    \
                   __ww_is_exact(__ww_rule::OpRule, __ww_cost::OpCost, __ww_kind_of<T>::value, \
                                 is_root);                                                     \
        }                                                                                      \
        static __device__ __forceinline__ void run(__ww_cell* slots, __ww_step step) {         \
            if constexpr (is_known()) {                                                        \
                typedef typename __ww_first_operand<T, __ww_rule::OpRule>::type First;         \
                const First a = __ww_get<First>(slots, step.a);                                \
                [[maybe_unused]] const T b = Arity > 1 ? __ww_get<T>(slots, step.b) : T();     \
                [[maybe_unused]] const T c = Arity > 2 ? __ww_get<T>(slots, step.c) : T();     \
                __ww_put(slots, step.to, Spelling);                                            \
            } else {                                                                           \
                __trap();                                                                      \
            }                                                                                  \
        }                                                                                      \
    };
#include "interpreted_ops.cuh"
#undef WW_OP

template <class From>
__device__ __forceinline__ void __ww_convert(__ww_cell* slots, __ww_step step, int to) {
    const From a = __ww_get<From>(slots, step.a);
    switch (to) {
        case __ww_bool:
            return __ww_put(slots, step.to, __ww_cast<bool>(a));
        case __ww_int32:
            return __ww_put(slots, step.to, __ww_cast<int>(a));
        case __ww_int64:
            return __ww_put(slots, step.to, __ww_cast<long long>(a));
        case __ww_float32:
            return __ww_put(slots, step.to, __ww_cast<float>(a));
        default:
            return __ww_put(slots, step.to, __ww_cast<double>(a));
    }
}

// One op or cast. A function of its own: the text of all ops is in a module once.
__device__ __noinline__ void __ww_compute(__ww_cell* slots, __ww_cell word) {
    const __ww_step step = __ww_step_of(word);
    switch (step.code) {
#define WW_OP(Name, Arity, OpRule, OpCost, Spelling)                       \
    case __ww_first_op + __ww_number_of_##Name* __ww_kinds + __ww_bool:    \
        return __ww_op_##Name<bool>::run(slots, step);                     \
    case __ww_first_op + __ww_number_of_##Name* __ww_kinds + __ww_int32:   \
        return __ww_op_##Name<int>::run(slots, step);                      \
    case __ww_first_op + __ww_number_of_##Name* __ww_kinds + __ww_int64:   \
        return __ww_op_##Name<long long>::run(slots, step);                \
    case __ww_first_op + __ww_number_of_##Name* __ww_kinds + __ww_float32: \
        return __ww_op_##Name<float>::run(slots, step);                    \
    case __ww_first_op + __ww_number_of_##Name* __ww_kinds + __ww_float64: \
        return __ww_op_##Name<double>::run(slots, step);
#include "interpreted_ops.cuh"
#undef WW_OP
        default:
            break;
    }
    const int pair = step.code - __ww_step_cast;
    switch (pair / __ww_kinds) {
        case __ww_bool:
            return __ww_convert<bool>(slots, step, pair % __ww_kinds);
        case __ww_int32:
            return __ww_convert<int>(slots, step, pair % __ww_kinds);
        case __ww_int64:
            return __ww_convert<long long>(slots, step, pair % __ww_kinds);
        case __ww_float32:
            return __ww_convert<float>(slots, step, pair % __ww_kinds);
        default:
            return __ww_convert<double>(slots, step, pair % __ww_kinds);
    }
}

// Declares slots' coordinates along axes [first, end) of `number`, which counts in C order.
__device__ __forceinline__ void __ww_decompose(const __ww_program& program, __ww_cell* slots,
                                               __ww_cell number, int first, int end) {
    for (int axis = end - 1; axis >= first; --axis) {
        const __ww_cell extent = program.words[axis];
        __ww_cell whole = 0;
        if (((number | extent) >> 32) == 0) {
            whole = (unsigned int)number / (unsigned int)extent;
        } else {
            whole = number / extent;
        }
        slots[(program.coordinates + axis) * __ww_block] = number - whole * extent;
        number = whole;
    }
}

// Where an operand lies at a point: `number` is the point's in C order, and coordinates along the
// first `axes` axes are in slots.
__device__ __forceinline__ __ww_cell __ww_operand_at(const __ww_program& program,
                                                     const __ww_cell* slots, __ww_step step,
                                                     __ww_cell number, int axes, int item) {
    __ww_cell place = program.words[step.number];
    if (step.b == __ww_at_point) return place + number * item;
    if (step.b == __ww_at_coordinates) {
        for (int axis = 0; axis < axes; ++axis) {
            place += slots[(program.coordinates + axis) * __ww_block] *
                     program.words[step.number + 1 + axis];
        }
    }
    return place;
}

__device__ __forceinline__ int __ww_item(int kind) {
    return kind == __ww_bool ? 1 : kind == __ww_int32 || kind == __ww_float32 ? 4 : 8;
}

__device__ __forceinline__ __ww_cell __ww_loaded(__ww_cell place, int item) {
    if (item == 1) return *(const unsigned char*)place != 0;
    if (item == 4) return *(const unsigned int*)place;
    return *(const __ww_cell*)place;
}
__device__ __forceinline__ void __ww_stored(__ww_cell place, int item, __ww_cell value) {
    if (item == 1) {
        *(unsigned char*)place = (unsigned char)value;
    } else if (item == 4) {
        *(unsigned int*)place = (unsigned int)value;
    } else {
        *(__ww_cell*)place = value;
    }
}
