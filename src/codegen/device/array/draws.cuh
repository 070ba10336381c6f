// Random numbers by the number of their element: words of Philox, and what is computed from them
// with a fixed number of operations. samplers.cuh has what draws until a number is accepted.
//
// Part of stream version 1: the element's number and the generator's state determine every bit.
// Only fused operations that are written out are fused, and functions are our own. Operators stand
// where nothing can be fused: array kernels are compiled without contraction.
#pragma once

#include "own_math.cuh"
#include "reals.cuh"

// A generator: Philox's key, the first block of the call, and how often it has jumped.
struct __ww_source {
    unsigned long long key, position, jumps;
};
struct __ww_words {
    unsigned int x, y, z, w;
};

// An element's number as tile * 1024 + item * 256 + lane. Neighbours that vectors or warps compute
// together are lanes; the items of a lane share blocks of Philox, which one thread computes.
struct __ww_element {
    unsigned long long tile;
    unsigned int lane, item;
};
__WW_FUNCTION __ww_element __ww_element_of(long long element) {
    const unsigned long long i = (unsigned long long)element;
    return __ww_element{i >> 10, (unsigned int)i & 255u, (unsigned int)(i >> 8) & 3u};
}

// The halves of a product of 32 bits.
struct __ww_product_halves {
    unsigned int high, low;
};
// By half: vectors of a CPU have an instruction for each, and a GPU's compiler makes one
// multiplication of both. Of a product of 64 bits it adds the upper half to zero.
__WW_FUNCTION __ww_product_halves __ww_multiplied(unsigned int a, unsigned int b) {
    return __ww_product_halves{__umulhi(a, b), a * b};
}

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011)
// of the counter (block, attempt, jumps). Written without a loop, so that every compiler sees that
// the items of a lane have the same block, and computes it once.
struct __ww_philox_state {
    __ww_words counter;
    unsigned int k0, k1;
};
__WW_FUNCTION __ww_philox_state __ww_philox_round(const __ww_philox_state& state) {
    const __ww_words& c = state.counter;
    const __ww_product_halves a = __ww_multiplied(0xD2511F53u, c.x);
    const __ww_product_halves b = __ww_multiplied(0xCD9E8D57u, c.z);
    return __ww_philox_state{
        __ww_words{b.high ^ c.y ^ state.k0, b.low, a.high ^ c.w ^ state.k1, a.low},
        state.k0 + 0x9E3779B9u, state.k1 + 0xBB67AE85u};
}
__WW_FUNCTION __ww_philox_state __ww_philox_five_rounds(const __ww_philox_state& state) {
    return __ww_philox_round(
        __ww_philox_round(__ww_philox_round(__ww_philox_round(__ww_philox_round(state)))));
}
__WW_FUNCTION __ww_words __ww_philox(unsigned long long block, unsigned int attempt,
                                     const __ww_source& source) {
    const __ww_philox_state first = {__ww_words{(unsigned int)block, (unsigned int)(block >> 32),
                                                attempt, (unsigned int)source.jumps},
                                     (unsigned int)source.key, (unsigned int)(source.key >> 32)};
    return __ww_philox_five_rounds(__ww_philox_five_rounds(first)).counter;
}

// Blocks that hold four elements, two, and one.
__WW_FUNCTION unsigned long long __ww_block4(const __ww_element& place, const __ww_source& source) {
    return source.position + place.tile * 256u + place.lane;
}
__WW_FUNCTION unsigned long long __ww_block2(const __ww_element& place, const __ww_source& source) {
    return source.position + place.tile * 512u + (place.item >> 1) * 256u + place.lane;
}
__WW_FUNCTION unsigned long long __ww_block1(const __ww_element& place, const __ww_source& source) {
    return source.position + place.tile * 1024u + place.item * 256u + place.lane;
}

__WW_FUNCTION unsigned int __ww_word(const __ww_words& words, unsigned int item) {
    const unsigned int low = (item & 1u) != 0u ? words.y : words.x;
    const unsigned int high = (item & 1u) != 0u ? words.w : words.z;
    return (item & 2u) != 0u ? high : low;
}
template <class Source>
__WW_FUNCTION unsigned int __ww_word32(const __ww_element& place, const Source& source,
                                       unsigned int attempt = 0u) {
    return __ww_word(__ww_philox(__ww_block4(place, source), attempt, source), place.item);
}
struct __ww_two_words {
    unsigned int high, low;
};
template <class Source>
__WW_FUNCTION __ww_two_words __ww_word64(const __ww_element& place, const Source& source,
                                         unsigned int attempt = 0u) {
    const __ww_words words = __ww_philox(__ww_block2(place, source), attempt, source);
    const bool second = (place.item & 1u) != 0u;
    return __ww_two_words{second ? words.z : words.x, second ? words.w : words.y};
}
__WW_FUNCTION unsigned long long __ww_joined(const __ww_two_words& words) {
    return (unsigned long long)words.high << 32 | words.low;
}

// In [0, 1): multiples of 2^-24 and 2^-53.
__WW_FUNCTION float __ww_below_one(unsigned int word) {
    return (float)(word >> 8) * 0x1p-24f;
}
__WW_FUNCTION double __ww_below_one(unsigned int high, unsigned int low) {
    return __fma_rn((double)high, 0x1p-32, (double)(low >> 11) * 0x1p-53);
}
// In (0, 1), or (0, 1] in float: the middles of those intervals, so that logarithms are finite.
__WW_FUNCTION float __ww_inside(unsigned int word) {
    return __fmaf_rn((float)word, 0x1p-32f, 0x1p-33f);
}
__WW_FUNCTION double __ww_inside(unsigned int high, unsigned int low) {
    return __WW_OWN::fma((double)high, 0x1p-32,
                         __WW_OWN::fma((double)(low >> 12), 0x1p-52, 0x1p-53));
}

// sin and cos on [-pi/4, pi/4]: Taylor's polynomials, whose rest is below half a unit.
__WW_FUNCTION float __ww_small_sine(float r) {
    const float z = __fmul_rn(r, r);
    float p = __fmaf_rn(z, 0x1.71de3ap-19f, -0x1.a01a02p-13f);
    p = __fmaf_rn(z, p, 0x1.111112p-7f);
    p = __fmaf_rn(z, p, -0x1.555556p-3f);
    return __fmaf_rn(__fmul_rn(r, z), p, r);
}
__WW_FUNCTION float __ww_small_cosine(float r) {
    const float z = __fmul_rn(r, r);
    float p = __fmaf_rn(z, 0x1.a01a02p-16f, -0x1.6c16c2p-10f);
    p = __fmaf_rn(z, p, 0x1.555556p-5f);
    p = __fmaf_rn(z, p, -0.5f);
    return __fmaf_rn(z, p, 1.0f);
}
__WW_FUNCTION double __ww_small_sine(double r) {
    __WW_AS_WRITTEN
    const double z = r * r;
    double p = __WW_OWN::fma(z, 2.8114572543455206e-15, -7.6471637318198164e-13);
    p = __WW_OWN::fma(z, p, 1.6059043836821613e-10);
    p = __WW_OWN::fma(z, p, -2.5052108385441720e-8);
    p = __WW_OWN::fma(z, p, 2.7557319223985893e-6);
    p = __WW_OWN::fma(z, p, -1.9841269841269841e-4);
    p = __WW_OWN::fma(z, p, 8.3333333333333332e-3);
    p = __WW_OWN::fma(z, p, -1.6666666666666666e-1);
    return __WW_OWN::fma(r * z, p, r);
}
__WW_FUNCTION double __ww_small_cosine(double r) {
    __WW_AS_WRITTEN
    const double z = r * r;
    double p = __WW_OWN::fma(z, 4.7794773323873853e-14, -1.1470745597729725e-11);
    p = __WW_OWN::fma(z, p, 2.0876756987868099e-9);
    p = __WW_OWN::fma(z, p, -2.7557319223985888e-7);
    p = __WW_OWN::fma(z, p, 2.4801587301587302e-5);
    p = __WW_OWN::fma(z, p, -1.3888888888888889e-3);
    p = __WW_OWN::fma(z, p, 4.1666666666666664e-2);
    p = __WW_OWN::fma(z, p, -0.5);
    return __WW_OWN::fma(z, p, 1.0);
}

// With the sign flipped where the highest bit is set.
__WW_FUNCTION float __ww_flipped(float value, unsigned int bits) {
    return __uint_as_float(__float_as_uint(value) ^ (bits & 0x80000000u));
}
__WW_FUNCTION double __ww_flipped(double value, unsigned int bits) {
    const unsigned long long sign = (unsigned long long)(bits & 0x80000000u) << 32;
    return __longlong_as_double(
        (long long)((unsigned long long)__double_as_longlong(value) ^ sign));
}
// Sines and cosines of a random angle: word / 2^32 of a turn, from its quadrant's middle. The two
// highest bits of `turned` are the quadrant.
template <class T>
struct __ww_direction {
    T sine, cosine;
    static __WW_FUNCTION __ww_direction of(T small_sine, T small_cosine, unsigned int turned) {
        const bool swaps = (turned & 0x40000000u) != 0u;
        return __ww_direction{
            __ww_flipped(swaps ? small_cosine : small_sine, turned),
            __ww_flipped(swaps ? small_sine : small_cosine, turned + 0x40000000u)};
    }
};
__WW_FUNCTION __ww_direction<float> __ww_turned(unsigned int word) {
    const unsigned int turned = word + 0x20000000u;
    const float rest = (float)(int)(word - (turned & 0xC0000000u));
    const float r = __fmaf_rn(rest, 0x1.921fb6p-30f, 0x1.921fb6p-31f);
    return __ww_direction<float>::of(__ww_small_sine(r), __ww_small_cosine(r), turned);
}
__WW_FUNCTION __ww_direction<double> __ww_turned(unsigned int high, unsigned int low) {
    __WW_AS_WRITTEN
    const unsigned int turned = high + 0x20000000u;
    const double rest = __WW_OWN::fma((double)(low >> 11), 0x1p-21,
                                      (double)(int)(high - (turned & 0xC0000000u)) + 0x1p-22);
    const double r = rest * 0x1.921fb54442d18p-30;
    return __ww_direction<double>::of(__ww_small_sine(r), __ww_small_cosine(r), turned);
}

// Rounded as __fsqrt_rn rounds it, of 0 and of what is not near the ends of float's range: without
// the branch that those need.
__WW_FUNCTION float __ww_root_in_range(float x) {
#ifdef __clang__
    return __fsqrt_rn(x);
#else
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float root = __fmul_rn(x, inverse);
    const float rest = __fmaf_rn(-root, root, x);
    return x == 0.0f ? x : __fmaf_rn(rest, __fmul_rn(inverse, 0.5f), root);
#endif
}

// Box and Muller's pairs.
__WW_FUNCTION float __ww_normal(unsigned int radius, unsigned int angle, bool second) {
    const float length =
        __ww_root_in_range(__fmul_rn(-2.0f, __WW_OWN::log_of_normal(__ww_inside(radius))));
    const __ww_direction<float> direction = __ww_turned(angle);
    return __fmul_rn(length, second ? direction.sine : direction.cosine);
}
__WW_FUNCTION double __ww_normal(const __ww_words& words, bool second) {
    __WW_AS_WRITTEN
    const double length =
        __WW_OWN::sqrt(-2.0 * __WW_OWN::log_of_normal(__ww_inside(words.x, words.y)));
    const __ww_direction<double> direction = __ww_turned(words.z, words.w);
    return length * (second ? direction.sine : direction.cosine);
}

// A number in (0, 1] of the element, 1 minus it, and one bit that it does not use.
template <class T>
struct __ww_unit {
    T value, rest;
    bool bit;
};
template <class T>
struct __ww_drawn;
template <>
struct __ww_drawn<float> {
    template <class Source>
    static __WW_FUNCTION float uniform(const __ww_element& place, const Source& source) {
        return __ww_below_one(__ww_word32(place, source));
    }
    template <class Source>
    static __WW_FUNCTION float normal(const __ww_element& place, const Source& source) {
        const __ww_words words = __ww_philox(__ww_block4(place, source), 0u, source);
        const bool upper = (place.item & 2u) != 0u;
        return __ww_normal(upper ? words.z : words.x, upper ? words.w : words.y,
                           (place.item & 1u) != 0u);
    }
    template <class Source>
    static __WW_FUNCTION __ww_unit<float> unit(const __ww_element& place, const Source& source) {
        const unsigned int word = __ww_word32(place, source);
        return __ww_unit<float>{__ww_inside(word), __ww_inside(~word), false};
    }
    template <class Source>
    static __WW_FUNCTION __ww_unit<float> signed_unit(const __ww_element& place,
                                                      const Source& source) {
        const unsigned int word = __ww_word32(place, source);
        const unsigned int upper = word & ~1u;
        return __ww_unit<float>{__fmaf_rn((float)upper, 0x1p-32f, 0x1p-32f), 0.0f,
                                (word & 1u) != 0u};
    }
    template <class Source>
    static __WW_FUNCTION __ww_direction<float> half_turn(const __ww_element& place,
                                                         const Source& source) {
        return __ww_turned(__ww_word32(place, source) >> 1);
    }
};
template <>
struct __ww_drawn<double> {
    template <class Source>
    static __WW_FUNCTION double uniform(const __ww_element& place, const Source& source) {
        const __ww_two_words words = __ww_word64(place, source);
        return __ww_below_one(words.high, words.low);
    }
    template <class Source>
    static __WW_FUNCTION double normal(const __ww_element& place, const Source& source) {
        const __ww_words words = __ww_philox(__ww_block2(place, source), 0u, source);
        return __ww_normal(words, (place.item & 1u) != 0u);
    }
    template <class Source>
    static __WW_FUNCTION __ww_unit<double> unit(const __ww_element& place, const Source& source) {
        const __ww_two_words words = __ww_word64(place, source);
        return __ww_unit<double>{__ww_inside(words.high, words.low),
                                 __ww_inside(~words.high, ~words.low), false};
    }
    template <class Source>
    static __WW_FUNCTION __ww_unit<double> signed_unit(const __ww_element& place,
                                                       const Source& source) {
        const __ww_two_words words = __ww_word64(place, source);
        return __ww_unit<double>{__ww_inside(words.high, words.low), 0.0, (words.low & 1u) != 0u};
    }
    template <class Source>
    static __WW_FUNCTION __ww_direction<double> half_turn(const __ww_element& place,
                                                          const Source& source) {
        const __ww_two_words words = __ww_word64(place, source);
        return __ww_turned(words.high >> 1, words.high << 31 | words.low >> 1);
    }
};

// --- What src/ir/draws.def spells.

template <class T, class Source>
__WW_FUNCTION T __ww_draw_uniform(const __ww_element& place, const Source& source) {
    return __ww_drawn<T>::uniform(place, source);
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_normal(const __ww_element& place, const Source& source) {
    return __ww_drawn<T>::normal(place, source);
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_lognormal(const __ww_element& place, const Source& source, T mean,
                                    T deviation) {
    const T normal = __ww_drawn<T>::normal(place, source);
    return __WW_OWN::exp(__ww_add(mean, __ww_multiply(deviation, normal)));
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_exponential(const __ww_element& place, const Source& source) {
    return -__WW_OWN::log_of_normal(__ww_drawn<T>::unit(place, source).value);
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_gumbel(const __ww_element& place, const Source& source) {
    // The words next to 2^32 round to 1 in float, whose logarithm is 0.
    const T exponential = __ww_draw_exponential<T>(place, source);
    return -__WW_OWN::log_of_normal(exponential > T(0) ? exponential : T(0x1p-33f));
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_laplace(const __ww_element& place, const Source& source) {
    const __ww_unit<T> unit = __ww_drawn<T>::signed_unit(place, source);
    const T size = -__WW_OWN::log_of_normal(unit.value);
    return unit.bit ? -size : size;
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_logistic(const __ww_element& place, const Source& source) {
    const __ww_unit<T> unit = __ww_drawn<T>::unit(place, source);
    return __ww_subtract(__WW_OWN::log_of_normal(unit.value), __WW_OWN::log_of_normal(unit.rest));
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_cauchy(const __ww_element& place, const Source& source) {
    const __ww_direction<T> direction = __ww_drawn<T>::half_turn(place, source);
    return __ww_divide(direction.cosine, direction.sine);
}
// The power is exp(log(exponential) / shape); of shape 0 nothing is left but 0.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_weibull(const __ww_element& place, const Source& source, T shape) {
    const T exponential = __ww_draw_exponential<T>(place, source);
    const T power = __WW_OWN::exp(__ww_divide(__WW_OWN::log(exponential), shape));
    return shape == T(0) || exponential == T(0) ? T(0) : power;
}
// (exp(exponential / shape) - 1): Lomax's form of Pareto's distribution.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_pareto(const __ww_element& place, const Source& source, T shape) {
    return (T)__WW_OWN::expm1((double)__ww_divide(__ww_draw_exponential<T>(place, source), shape));
}
// x^shape of a uniform x.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_power(const __ww_element& place, const Source& source, T shape) {
    return __WW_OWN::exp(-__ww_divide(__ww_draw_exponential<T>(place, source), shape));
}
// How many trials of probability p until the first success; at most the greatest int64.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_geometric(const __ww_element& place, const Source& source, double p) {
    const double u = __ww_drawn<double>::unit(place, source).value;
    const double trials = ::ceil(__ww_divide(__WW_OWN::log(u), __WW_OWN::log1p(-p)));
    const double least = trials < 1.0 || p >= 1.0 ? 1.0 : trials;
    return least >= 0x1p63 ? (T)0x7FFFFFFFFFFFFFFFll : (T)least;
}

// Integers below `count` without bias: D. Lemire, "Fast Random Integer Generation in an Interval",
// 2019. `threshold` is 2^32 (2^64) modulo count; count 0 stands for 2^32 (2^64), all words.
template <class T>
struct __ww_integers_below;
template <>
struct __ww_integers_below<unsigned int> {
    template <class Source>
    static __WW_FUNCTION unsigned int draw(const __ww_element& place, const Source& source,
                                           unsigned int count, unsigned int threshold) {
        unsigned int word = __ww_word32(place, source);
        if (count == 0u) return word;
        unsigned long long product = (unsigned long long)word * count;
        for (unsigned int attempt = 1u; (unsigned int)product < threshold; ++attempt) {
            product = (unsigned long long)__ww_word32(place, source, attempt) * count;
        }
        return (unsigned int)(product >> 32);
    }
};
template <>
struct __ww_integers_below<unsigned long long> {
    template <class Source>
    static __WW_FUNCTION unsigned long long draw(const __ww_element& place, const Source& source,
                                                 unsigned long long count,
                                                 unsigned long long threshold) {
        unsigned long long word = __ww_joined(__ww_word64(place, source));
        if (count == 0ull) return word;
        for (unsigned int attempt = 1u; word * count < threshold; ++attempt) {
            word = __ww_joined(__ww_word64(place, source, attempt));
        }
        return __umul64hi(word, count);
    }
};
template <class T, class Source>
__WW_FUNCTION T __ww_draw_below(const __ww_element& place, const Source& source, T count,
                                T threshold) {
    return __ww_integers_below<T>::draw(place, source, count, threshold);
}
