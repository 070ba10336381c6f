// The functions of dynamic programming (DPX): minima and maxima of two or three numbers, of sums,
// and cut at 0, for words and for two halves of a word.
#pragma once

namespace __ww {

template <class T>
__WW_BOTH T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
__WW_BOTH T most(T a, T b) {
    return a < b ? b : a;
}
// As the machine adds: around.
__WW_BOTH int added(int a, int b) {
    return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
__WW_BOTH unsigned int added(unsigned int a, unsigned int b) {
    return a + b;
}
__WW_BOTH short added(short a, short b) {
    return static_cast<short>(a + b);
}
__WW_BOTH unsigned short added(unsigned short a, unsigned short b) {
    return static_cast<unsigned short>(a + b);
}
template <class T>
__WW_BOTH T half_of(unsigned int word, int i) {
    return static_cast<T>(word >> (16 * i));
}
__WW_BOTH unsigned int halves(unsigned int low, unsigned int high) {
    return (low & 0xffffu) | high << 16;
}

}  // namespace __ww

// In `expression`, of numbers a, b, c. `relu` takes what is negative for 0.
#define __WW_DPX_WORD(name, T, expression)  \
    __WW_BOTH T __vi##name(T a, T b, T c) { \
        return expression;                  \
    }
#define __WW_DPX_HALVES(name, T, expression)                                                      \
    __WW_BOTH unsigned int __vi##name(unsigned int x, unsigned int y, unsigned int z) {           \
        unsigned int parts[2];                                                                    \
        for (int i = 0; i < 2; ++i) {                                                             \
            T a = __ww::half_of<T>(x, i), b = __ww::half_of<T>(y, i), c = __ww::half_of<T>(z, i); \
            parts[i] = static_cast<unsigned int>(static_cast<T>(expression));                     \
        }                                                                                         \
        return __ww::halves(parts[0], parts[1]);                                                  \
    }
#define __WW_DPX_SIGNED(make, suffix, T)                                                         \
    make(max3_##suffix##_relu, T, __ww::most(__ww::most(__ww::most(a, b), c), T(0)))             \
        make(min3_##suffix##_relu, T, __ww::most(__ww::least(__ww::least(a, b), c), T(0))) make( \
            addmax_##suffix##_relu, T, __ww::most(__ww::most(__ww::added(a, b), c), T(0)))       \
            make(addmin_##suffix##_relu, T, __ww::most(__ww::least(__ww::added(a, b), c), T(0)))
#define __WW_DPX(make, suffix, T)                                      \
    make(max3_##suffix, T, __ww::most(__ww::most(a, b), c))            \
        make(min3_##suffix, T, __ww::least(__ww::least(a, b), c))      \
            make(addmax_##suffix, T, __ww::most(__ww::added(a, b), c)) \
                make(addmin_##suffix, T, __ww::least(__ww::added(a, b), c))
__WW_DPX(__WW_DPX_WORD, s32, int)
__WW_DPX(__WW_DPX_WORD, u32, unsigned int)
__WW_DPX(__WW_DPX_HALVES, s16x2, short)
__WW_DPX(__WW_DPX_HALVES, u16x2, unsigned short)
__WW_DPX_SIGNED(__WW_DPX_WORD, s32, int)
__WW_DPX_SIGNED(__WW_DPX_HALVES, s16x2, short)
#undef __WW_DPX
#undef __WW_DPX_SIGNED
#undef __WW_DPX_WORD
#undef __WW_DPX_HALVES

// Of two numbers.
__WW_BOTH int __vimax_s32_relu(int a, int b) {
    return __vimax3_s32_relu(a, b, b);
}
__WW_BOTH int __vimin_s32_relu(int a, int b) {
    return __vimin3_s32_relu(a, b, b);
}
__WW_BOTH unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) {
    return __vimax3_s16x2_relu(a, b, b);
}
__WW_BOTH unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
    return __vimin3_s16x2_relu(a, b, b);
}

// Which of the two was taken, too: the first where they are the same.
#define __WW_DPX_CHOICE(name, T, op)                    \
    __WW_BOTH T __vib##name(T a, T b, bool* is_first) { \
        *is_first = a op b;                             \
        return *is_first ? a : b;                       \
    }
__WW_DPX_CHOICE(max_s32, int, >=)
__WW_DPX_CHOICE(max_u32, unsigned int, >=)
__WW_DPX_CHOICE(min_s32, int, <=)
__WW_DPX_CHOICE(min_u32, unsigned int, <=)
#undef __WW_DPX_CHOICE
#define __WW_DPX_CHOICES(name, T, op)                                                           \
    __WW_BOTH unsigned int __vib##name(unsigned int x, unsigned int y, bool* high, bool* low) { \
        T a = __ww::half_of<T>(x, 0), b = __ww::half_of<T>(y, 0);                               \
        T c = __ww::half_of<T>(x, 1), d = __ww::half_of<T>(y, 1);                               \
        *low = a op b;                                                                          \
        *high = c op d;                                                                         \
        return __ww::halves(static_cast<unsigned int>(*low ? a : b),                            \
                            static_cast<unsigned int>(*high ? c : d));                          \
    }
__WW_DPX_CHOICES(max_s16x2, short, >=)
__WW_DPX_CHOICES(max_u16x2, unsigned short, >=)
__WW_DPX_CHOICES(min_s16x2, short, <=)
__WW_DPX_CHOICES(min_u16x2, unsigned short, <=)
#undef __WW_DPX_CHOICES
