// The rarer functions of 16-bit numbers: roundings by direction, saturation, comparisons that hold
// for NaN. Included by sixteen_bits.cuh, with its macros, once for each type.

// The neighbour of x's nearest number in the requested direction; `by` is -1 down, 1 up, 0 to zero.
__WW_BOTH __WW_T __WW_F(__ww_directed_, )(float x, int by) {
    __WW_T near = __WW_T(x);
    float back = static_cast<float>(near);
    if (back == x || x != x) return near;
    bool below = x < 0.0f;
    bool wants_less = by < 0 || (by == 0 && !below);  // less than `back`, were it too large
    if (wants_less ? back < x : back > x) return near;
    unsigned short bits = __ww_bit_cast<unsigned short>(near);
    bool is_negative = (bits & 0x8000u) != 0;
    if ((bits & 0x7fffu) == 0) return __WW_F(__ushort_as_, )(wants_less ? 0x8001u : 0x0001u);
    bool grows = is_negative == wants_less;
    return __WW_F(__ushort_as_, )(static_cast<unsigned short>(grows ? bits + 1u : bits - 1u));
}
__WW_BOTH __WW_T __WW_F(__float2, _rz)(float x) {
    return __WW_F(__ww_directed_, )(x, 0);
}
__WW_BOTH __WW_T __WW_F(__float2, _rd)(float x) {
    return __WW_F(__ww_directed_, )(x, -1);
}
__WW_BOTH __WW_T __WW_F(__float2, _ru)(float x) {
    return __WW_F(__ww_directed_, )(x, 1);
}
// From integers and doubles: a float that keeps, in its last bit, whether anything was cut off lies
// between the same neighbours.
__WW_BOTH float __WW_F(__ww_cut_for_, )(double x) {
    float cut = __ww::directed_float(x, __ww::to_zero);
    bool exact = static_cast<double>(cut) == x || x != x;
    return exact ? cut : __ww_bit_cast<float>(__ww_bit_cast<unsigned int>(cut) | 1u);
}
template <class Integer>
__WW_BOTH float __WW_F(__ww_cut_for_, _integer)(Integer x) {
    float cut = __ww::directed_from<float>(x, __ww::to_zero);
    bool exact = static_cast<Integer>(cut) == x;
    return exact ? cut : __ww_bit_cast<float>(__ww_bit_cast<unsigned int>(cut) | 1u);
}
__WW_BOTH float __WW_F(__ww_cut_for_, )(long long x) {
    return __WW_F(__ww_cut_for_, _integer)(x);
}
__WW_BOTH float __WW_F(__ww_cut_for_, )(unsigned long long x) {
    return __WW_F(__ww_cut_for_, _integer)(x);
}
#define __WW_FROM(name, type, wide)                                                         \
    __WW_BOTH __WW_T __WW_F(__##name##2, _rz)(type x) {                                     \
        return __WW_F(__ww_directed_, )(__WW_F(__ww_cut_for_, )(static_cast<wide>(x)), 0);  \
    }                                                                                       \
    __WW_BOTH __WW_T __WW_F(__##name##2, _rd)(type x) {                                     \
        return __WW_F(__ww_directed_, )(__WW_F(__ww_cut_for_, )(static_cast<wide>(x)), -1); \
    }                                                                                       \
    __WW_BOTH __WW_T __WW_F(__##name##2, _ru)(type x) {                                     \
        return __WW_F(__ww_directed_, )(__WW_F(__ww_cut_for_, )(static_cast<wide>(x)), 1);  \
    }
__WW_FROM(int, int, double)
__WW_FROM(uint, unsigned int, double)
__WW_FROM(short, short, double)
__WW_FROM(ushort, unsigned short, double)
__WW_FROM(ll, long long, long long)
__WW_FROM(ull, unsigned long long, unsigned long long)
#undef __WW_FROM
__WW_BOTH signed char __WW_F(__, 2char_rz)(__WW_T a) {
    return static_cast<signed char>(a);
}
__WW_BOTH unsigned char __WW_F(__, 2uchar_rz)(__WW_T a) {
    return static_cast<unsigned char>(a);
}

// Into [0, 1]; NaN gives 0.
__WW_BOTH __WW_T __WW_F(__ww_saturated_, )(__WW_T a) {
    float x = static_cast<float>(a);
    return x > 0.0f ? (x < 1.0f ? a : __WW_T(1.0f)) : __WW_T(0.0f);
}
#define __WW_SATURATED(name)                                                  \
    __WW_BOTH __WW_T __h##name##_sat(__WW_T a, __WW_T b) {                    \
        return __WW_F(__ww_saturated_, )(__h##name(a, b));                    \
    }                                                                         \
    __WW_BOTH __WW_T2 __h##name##2_sat(__WW_T2 a, __WW_T2 b) {                \
        return __WW_T2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)); \
    }
__WW_SATURATED(add)
__WW_SATURATED(sub)
__WW_SATURATED(mul)
#undef __WW_SATURATED
__WW_BOTH __WW_T __hfma_sat(__WW_T a, __WW_T b, __WW_T c) {
    return __WW_F(__ww_saturated_, )(__hfma(a, b, c));
}
__WW_BOTH __WW_T2 __hfma2_sat(__WW_T2 a, __WW_T2 b, __WW_T2 c) {
    return __WW_T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
__WW_BOTH __WW_T __hfma_relu(__WW_T a, __WW_T b, __WW_T c) {
    __WW_T r = __hfma(a, b, c);
    return static_cast<float>(r) <= 0.0f ? __WW_T(0.0f) : r;
}
__WW_BOTH __WW_T2 __hfma2_relu(__WW_T2 a, __WW_T2 b, __WW_T2 c) {
    return __WW_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
// Pairs as complex numbers: a * b + c.
__WW_BOTH __WW_T2 __hcmadd(__WW_T2 a, __WW_T2 b, __WW_T2 c) {
    return __WW_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                   __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// True as well where either is NaN.
#define __WW_UNORDERED(name, opposite)                                  \
    __WW_BOTH bool __h##name##u(__WW_T a, __WW_T b) {                   \
        return !(static_cast<float>(a) opposite static_cast<float>(b)); \
    }
__WW_UNORDERED(lt, >=)
__WW_UNORDERED(le, >)
__WW_UNORDERED(gt, <=)
__WW_UNORDERED(ge, <)
#undef __WW_UNORDERED
__WW_BOTH bool __hequ(__WW_T a, __WW_T b) {
    return __heq(a, b) || __hisnan(a) || __hisnan(b);
}
__WW_BOTH bool __hneu(__WW_T a, __WW_T b) {
    return !__heq(a, b);
}
#define __WW_UNORDERED_PAIR(name)                                             \
    __WW_BOTH __WW_T2 __h##name##u2(__WW_T2 a, __WW_T2 b) {                   \
        return __WW_F2(__floats2, _rn)(__h##name##u(a.x, b.x) ? 1.0f : 0.0f,  \
                                       __h##name##u(a.y, b.y) ? 1.0f : 0.0f); \
    }                                                                         \
    __WW_BOTH bool __hb##name##u2(__WW_T2 a, __WW_T2 b) {                     \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);              \
    }
__WW_UNORDERED_PAIR(lt)
__WW_UNORDERED_PAIR(le)
__WW_UNORDERED_PAIR(gt)
__WW_UNORDERED_PAIR(ge)
__WW_UNORDERED_PAIR(eq)
__WW_UNORDERED_PAIR(ne)
#undef __WW_UNORDERED_PAIR
#define __WW_MASK(name)                                                                         \
    __WW_BOTH unsigned int __h##name##2_mask(__WW_T2 a, __WW_T2 b) {                            \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
    }
__WW_MASK(eq)
__WW_MASK(ne)
__WW_MASK(lt)
__WW_MASK(le)
__WW_MASK(gt)
__WW_MASK(ge)
__WW_MASK(equ)
__WW_MASK(neu)
__WW_MASK(ltu)
__WW_MASK(leu)
__WW_MASK(gtu)
__WW_MASK(geu)
#undef __WW_MASK
__WW_BOTH __WW_T2 __hisnan2(__WW_T2 a) {
    return __WW_F2(__floats2, _rn)(__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f);
}

// NaN where either is.
#define __WW_WITH_NAN(name)                                                   \
    __WW_BOTH __WW_T __h##name##_nan(__WW_T a, __WW_T b) {                    \
        return __hisnan(a) ? a : __hisnan(b) ? b : __h##name(a, b);           \
    }                                                                         \
    __WW_BOTH __WW_T2 __h##name##2_nan(__WW_T2 a, __WW_T2 b) {                \
        return __WW_T2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)); \
    }
__WW_WITH_NAN(min)
__WW_WITH_NAN(max)
#undef __WW_WITH_NAN

__WW_BOTH __WW_T2 operator+(__WW_T2 a) {
    return a;
}
__WW_BOTH __WW_T2& operator++(__WW_T2& a) {
    return a = a + __WW_T2(__WW_T(1.0f), __WW_T(1.0f));
}
__WW_BOTH __WW_T2& operator--(__WW_T2& a) {
    return a = a - __WW_T2(__WW_T(1.0f), __WW_T(1.0f));
}
__WW_BOTH __WW_T operator++(__WW_T& a, int) {
    __WW_T old = a;
    ++a;
    return old;
}
__WW_BOTH __WW_T operator--(__WW_T& a, int) {
    __WW_T old = a;
    --a;
    return old;
}
__WW_DEVICE __WW_T atomicExch(__WW_T* address, __WW_T value) {
    return __ww_bit_cast<__WW_T>(__atomic_exchange_n(reinterpret_cast<unsigned short*>(address),
                                                     __ww_bit_cast<unsigned short>(value),
                                                     __ATOMIC_RELAXED));
}

// The approximate forms are the accurate ones here.
__WW_BOTH __WW_T htanh_approx(__WW_T a) {
    return htanh(a);
}
__WW_BOTH __WW_T2 h2tanh_approx(__WW_T2 a) {
    return h2tanh(a);
}
