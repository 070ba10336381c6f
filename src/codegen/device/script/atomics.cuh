// Atomic operations on elements; each returns what was there before.
#pragma once

#include "numbers.cuh"

// The words that hardware compares and exchanges.
template <int kBytes>
struct __ww_py_word;
template <>
struct __ww_py_word<4> {
    typedef unsigned int type;
};
template <>
struct __ww_py_word<8> {
    typedef unsigned long long type;
};
template <class To, class From>
__WW_PY To __ww_py_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "words of one size");
    union {
        From from;
        To to;
    } both{value};
    return both.to;
}

template <class T>
__WW_PY T __ww_py_atomic_cas(T& place, T old, T value) {
    typedef typename __ww_py_word<sizeof(T)>::type Word;
    return __ww_py_bits<T>(
        atomicCAS((Word*)&place, __ww_py_bits<Word>(old), __ww_py_bits<Word>(value)));
}
template <class T, class Next>
__WW_PY T __ww_py_atomic_loop(T& place, Next next) {
    typedef typename __ww_py_word<sizeof(T)>::type Word;
    Word seen = *(volatile Word*)&place;
    while (true) {
        const T before = __ww_py_bits<T>(seen);
        const T after = next(before);
        const Word wanted = __ww_py_bits<Word>(after);
        if (wanted == seen) return before;
        const Word found = atomicCAS((Word*)&place, seen, wanted);
        if (found == seen) return before;
        seen = found;
    }
}

__WW_PY int __ww_py_atomic_add(int& place, int value) {
    return atomicAdd(&place, value);
}
__WW_PY unsigned int __ww_py_atomic_add(unsigned int& place, unsigned int value) {
    return atomicAdd(&place, value);
}
__WW_PY unsigned long long __ww_py_atomic_add(unsigned long long& place, unsigned long long value) {
    return atomicAdd(&place, value);
}
__WW_PY long long __ww_py_atomic_add(long long& place, long long value) {
    return (long long)atomicAdd((unsigned long long*)&place, (unsigned long long)value);
}
__WW_PY float __ww_py_atomic_add(float& place, float value) {
    return atomicAdd(&place, value);
}
__WW_PY double __ww_py_atomic_add(double& place, double value) {
    return atomicAdd(&place, value);
}
template <class T>
__WW_PY T __ww_py_atomic_sub(T& place, T value) {
    return __ww_py_atomic_add(place, (T)(-value));
}
template <class T>
__WW_PY T __ww_py_atomic_exch(T& place, T value) {
    typedef typename __ww_py_word<sizeof(T)>::type Word;
    return __ww_py_bits<T>(atomicExch((Word*)&place, __ww_py_bits<Word>(value)));
}

#define __WW_PY_BITS(name, function)                         \
    template <class T>                                       \
    __WW_PY T __ww_py_atomic_##name(T& place, T value) {     \
        typedef typename __ww_py_word<sizeof(T)>::type Word; \
        return (T)function((Word*)&place, (Word)value);      \
    }
__WW_PY_BITS(and, atomicAnd)
__WW_PY_BITS(or, atomicOr)
__WW_PY_BITS(xor, atomicXor)
#undef __WW_PY_BITS

// CUDA's: up to the limit and then 0, down to 0 and then the limit; of unsigned values.
template <class T>
__WW_PY T __ww_py_atomic_inc(T& place, T limit) {
    typedef typename __ww_py_word<sizeof(T)>::type Word;
    return __ww_py_atomic_loop(
        place, [=](T old) { return (Word)old >= (Word)limit ? (T)0 : (T)(old + 1); });
}
template <class T>
__WW_PY T __ww_py_atomic_dec(T& place, T limit) {
    typedef typename __ww_py_word<sizeof(T)>::type Word;
    return __ww_py_atomic_loop(place, [=](T old) {
        return (Word)old == 0 || (Word)old > (Word)limit ? limit : (T)(old - 1);
    });
}

#define __WW_PY_EXTREME(name, function, Type)                     \
    __WW_PY Type __ww_py_atomic_##name(Type& place, Type value) { \
        return function(&place, value);                           \
    }
#define __WW_PY_EXTREMES(name, function)          \
    __WW_PY_EXTREME(name, function, int)          \
    __WW_PY_EXTREME(name, function, unsigned int) \
    __WW_PY_EXTREME(name, function, long long)    \
    __WW_PY_EXTREME(name, function, unsigned long long)
__WW_PY_EXTREMES(max, atomicMax)
__WW_PY_EXTREMES(min, atomicMin)
__WW_PY_EXTREMES(nanmax, atomicMax)
__WW_PY_EXTREMES(nanmin, atomicMin)
#undef __WW_PY_EXTREMES
#undef __WW_PY_EXTREME

// A NaN in memory stays; one that comes is ignored. The nan forms replace a NaN in memory.
#define __WW_PY_REAL_EXTREME(name, Type, keeps)                                           \
    __WW_PY Type __ww_py_atomic_##name(Type& place, Type value) {                         \
        return __ww_py_atomic_loop(place, [=](Type old) { return keeps ? old : value; }); \
    }
__WW_PY_REAL_EXTREME(max, float, !(value > old))
__WW_PY_REAL_EXTREME(max, double, !(value > old))
__WW_PY_REAL_EXTREME(min, float, !(value < old))
__WW_PY_REAL_EXTREME(min, double, !(value < old))
__WW_PY_REAL_EXTREME(nanmax, float, value != value || value <= old)
__WW_PY_REAL_EXTREME(nanmax, double, value != value || value <= old)
__WW_PY_REAL_EXTREME(nanmin, float, value != value || value >= old)
__WW_PY_REAL_EXTREME(nanmin, double, value != value || value >= old)
#undef __WW_PY_REAL_EXTREME
