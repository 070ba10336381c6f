// Arithmetic on two 16-bit or four 8-bit integers packed in one word: __vNAME2 and __vNAME4.
#pragma once

namespace __ww {

// Lane i of `lanes` in a word, as a signed or an unsigned number.
template <int lanes, bool is_signed>
__WW_BOTH int lane_of(unsigned int word, int i) {
    const int bits = 32 / lanes;
    unsigned int top = word << (32 - bits - bits * i);
    return is_signed ? static_cast<int>(top) >> (32 - bits) : static_cast<int>(top >> (32 - bits));
}
template <int lanes>
__WW_BOTH unsigned int lane_to(int value, int i) {
    const int bits = 32 / lanes;
    return (static_cast<unsigned int>(value) & (0xffffffffu >> (32 - bits))) << (bits * i);
}
template <int lanes, bool is_signed>
__WW_BOTH int saturated(int value) {
    const int bits = 32 / lanes;
    const int top = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int bottom = is_signed ? -(1 << (bits - 1)) : 0;
    return value < bottom ? bottom : value > top ? top : value;
}

}  // namespace __ww

// In `expression`, a and b are the lanes, and `full` is a lane of ones.
#define __WW_PACKED(name, lanes, is_signed, expression)                  \
    __WW_BOTH unsigned int name##lanes(unsigned int x, unsigned int y) { \
        unsigned int result = 0;                                         \
        for (int i = 0; i < lanes; ++i) {                                \
            int a = __ww::lane_of<lanes, is_signed>(x, i);               \
            int b = __ww::lane_of<lanes, is_signed>(y, i);               \
            result |= __ww::lane_to<lanes>(expression, i);               \
        }                                                                \
        return result;                                                   \
    }
#define __WW_PACKED_BOTH(name, is_signed, expression) \
    __WW_PACKED(name, 2, is_signed, expression)       \
    __WW_PACKED(name, 4, is_signed, expression)
#define __WW_PACKED_SATURATED(lanes)                                            \
    __WW_PACKED(__vaddss, lanes, true, (__ww::saturated<lanes, true>(a + b)))   \
    __WW_PACKED(__vaddus, lanes, false, (__ww::saturated<lanes, false>(a + b))) \
    __WW_PACKED(__vsubss, lanes, true, (__ww::saturated<lanes, true>(a - b)))   \
    __WW_PACKED(__vsubus, lanes, false, (__ww::saturated<lanes, false>(a - b)))
#define __WW_PACKED_COMPARISON(name, is_signed, op)            \
    __WW_PACKED_BOTH(__vcmp##name, is_signed, a op b ? -1 : 0) \
    __WW_PACKED_BOTH(__vset##name, is_signed, a op b ? 1 : 0)

__WW_PACKED_BOTH(__vadd, false, a + b)
__WW_PACKED_BOTH(__vsub, false, a - b)
__WW_PACKED_SATURATED(2)
__WW_PACKED_SATURATED(4)
__WW_PACKED_BOTH(__vavgu, false, (a + b + 1) >> 1)
__WW_PACKED_BOTH(__vavgs, true, (a + b + (a + b >= 0 ? 1 : 0)) >> 1)
__WW_PACKED_BOTH(__vhaddu, false, (a + b) >> 1)
__WW_PACKED_BOTH(__vmaxs, true, a < b ? b : a)
__WW_PACKED_BOTH(__vmaxu, false, a < b ? b : a)
__WW_PACKED_BOTH(__vmins, true, b < a ? b : a)
__WW_PACKED_BOTH(__vminu, false, b < a ? b : a)
__WW_PACKED_BOTH(__vabsdiffs, true, a < b ? b - a : a - b)
__WW_PACKED_BOTH(__vabsdiffu, false, a < b ? b - a : a - b)
__WW_PACKED_COMPARISON(eq, false, ==)
__WW_PACKED_COMPARISON(ne, false, !=)
__WW_PACKED_COMPARISON(ges, true, >=)
__WW_PACKED_COMPARISON(geu, false, >=)
__WW_PACKED_COMPARISON(gts, true, >)
__WW_PACKED_COMPARISON(gtu, false, >)
__WW_PACKED_COMPARISON(les, true, <=)
__WW_PACKED_COMPARISON(leu, false, <=)
__WW_PACKED_COMPARISON(lts, true, <)
__WW_PACKED_COMPARISON(ltu, false, <)
#undef __WW_PACKED
#undef __WW_PACKED_BOTH
#undef __WW_PACKED_SATURATED
#undef __WW_PACKED_COMPARISON

// Of one word: absolute values and negatives, wrapping or (ss) saturating.
#define __WW_PACKED_ONE(lanes)                                                             \
    __WW_BOTH unsigned int __vneg##lanes(unsigned int x) {                                 \
        return __vsub##lanes(0u, x);                                                       \
    }                                                                                      \
    __WW_BOTH unsigned int __vnegss##lanes(unsigned int x) {                               \
        return __vsubss##lanes(0u, x);                                                     \
    }                                                                                      \
    __WW_BOTH unsigned int __vabs##lanes(unsigned int x) {                                 \
        return __vabsdiffs##lanes(x, 0u);                                                  \
    }                                                                                      \
    __WW_BOTH unsigned int __vabsss##lanes(unsigned int x) {                               \
        return __vmaxs##lanes(x, __vnegss##lanes(x));                                      \
    }                                                                                      \
    __WW_BOTH unsigned int __vsadu##lanes(unsigned int x, unsigned int y) {                \
        unsigned int sum = 0, difference = __vabsdiffu##lanes(x, y);                       \
        for (int i = 0; i < lanes; ++i) sum += __ww::lane_of<lanes, false>(difference, i); \
        return sum;                                                                        \
    }                                                                                      \
    __WW_BOTH unsigned int __vsads##lanes(unsigned int x, unsigned int y) {                \
        unsigned int sum = 0, difference = __vabsdiffs##lanes(x, y);                       \
        for (int i = 0; i < lanes; ++i) sum += __ww::lane_of<lanes, false>(difference, i); \
        return sum;                                                                        \
    }
__WW_PACKED_ONE(2)
__WW_PACKED_ONE(4)
#undef __WW_PACKED_ONE
