// min and max for every mixture of built-in numbers that CUDA accepts, and abs. Mixed arguments are
// converted as C's arithmetic does; of a number and a NaN the number is chosen.
#pragma once

#define __WW_MINMAX(a_type, b_type, type)                        \
    __WW_BOTH type min(a_type a, b_type b) {                     \
        type p = static_cast<type>(a), q = static_cast<type>(b); \
        return q < p ? q : p;                                    \
    }                                                            \
    __WW_BOTH type max(a_type a, b_type b) {                     \
        type p = static_cast<type>(a), q = static_cast<type>(b); \
        return p < q ? q : p;                                    \
    }
#define __WW_MINMAX_MIXED(signed_type, unsigned_type)        \
    __WW_MINMAX(signed_type, signed_type, signed_type)       \
    __WW_MINMAX(unsigned_type, unsigned_type, unsigned_type) \
    __WW_MINMAX(signed_type, unsigned_type, unsigned_type)   \
    __WW_MINMAX(unsigned_type, signed_type, unsigned_type)
__WW_MINMAX_MIXED(int, unsigned int)
__WW_MINMAX_MIXED(long, unsigned long)
__WW_MINMAX_MIXED(long long, unsigned long long)
#undef __WW_MINMAX
#undef __WW_MINMAX_MIXED

__WW_BOTH float min(float a, float b) {
    return __builtin_fminf(a, b);
}
__WW_BOTH float max(float a, float b) {
    return __builtin_fmaxf(a, b);
}
__WW_BOTH double min(double a, double b) {
    return __builtin_fmin(a, b);
}
__WW_BOTH double max(double a, double b) {
    return __builtin_fmax(a, b);
}
__WW_BOTH double min(float a, double b) {
    return __builtin_fmin(static_cast<double>(a), b);
}
__WW_BOTH double max(float a, double b) {
    return __builtin_fmax(static_cast<double>(a), b);
}
__WW_BOTH double min(double a, float b) {
    return __builtin_fmin(a, static_cast<double>(b));
}
__WW_BOTH double max(double a, float b) {
    return __builtin_fmax(a, static_cast<double>(b));
}

__WW_BOTH unsigned int umin(unsigned int a, unsigned int b) {
    return min(a, b);
}
__WW_BOTH unsigned int umax(unsigned int a, unsigned int b) {
    return max(a, b);
}
__WW_BOTH long long llmin(long long a, long long b) {
    return min(a, b);
}
__WW_BOTH long long llmax(long long a, long long b) {
    return max(a, b);
}
__WW_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return min(a, b);
}
__WW_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return max(a, b);
}

__WW_BOTH int abs(int x) {
    return __builtin_abs(x);
}
__WW_BOTH long abs(long x) {
    return __builtin_labs(x);
}
__WW_BOTH long long abs(long long x) {
    return __builtin_llabs(x);
}
__WW_BOTH float abs(float x) {
    return __builtin_fabsf(x);
}
__WW_BOTH double abs(double x) {
    return __builtin_fabs(x);
}
__WW_BOTH long labs(long x) {
    return __builtin_labs(x);
}
__WW_BOTH long long llabs(long long x) {
    return __builtin_llabs(x);
}
