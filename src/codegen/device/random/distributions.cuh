// Uniform, normal and log-normal numbers from every generator, by cuRAND's formulas: Box and
// Muller's method for pseudorandom words, the inverse distribution function for Sobol's. Products
// are fused as they are on a GPU.
#pragma once

#include "mrg32k3a.cuh"
#include "philox.cuh"
#include "sobol.cuh"
#include "xorwow.cuh"

namespace __ww {

// In (0, 1]. Words convert with one rounding; the products with powers of two are exact.
__WW_BOTH float unit_float(unsigned int word) {
    return __ww::fma(static_cast<float>(word), 0x1p-32f, 0x1p-33f);
}
__WW_BOTH float unit_float(unsigned long long word) {
    return unit_float(static_cast<unsigned int>(word >> 32));
}
__WW_BOTH double unit_double(unsigned int word) {
    return __ww::fma(static_cast<double>(word), 0x1p-32, 0x1p-32);
}
__WW_BOTH double unit_double(unsigned long long word) {
    return __ww::fma(static_cast<double>(word >> 11), 0x1p-53, 0x1p-54);
}
// 53 bits from two words.
__WW_BOTH unsigned long long joined(unsigned int x, unsigned int y) {
    return x ^ static_cast<unsigned long long>(y) << 21;
}
__WW_BOTH double unit_double(unsigned int x, unsigned int y) {
    return __ww::fma(static_cast<double>(joined(x, y)), 0x1p-53, 0x1p-54);
}

// Two normal numbers: a radius from u in (0, 1], and an angle.
__WW_BOTH float2 box_muller(float u, float angle) {
    __WW_AS_WRITTEN
    float radius = __ww::sqrt(-2.0f * __ww::log(u));
    float2 result;
    __ww::sincos(angle, &result.x, &result.y);
    result.x *= radius;
    result.y *= radius;
    return result;
}
__WW_BOTH double2 box_muller(double u, double half_turns) {
    __WW_AS_WRITTEN
    double radius = __ww::sqrt(-2.0 * __ww::log(u));
    double2 result;
    __ww::sincospi(half_turns, &result.x, &result.y);
    result.x *= radius;
    result.y *= radius;
    return result;
}
__WW_BOTH float2 normal_pair(unsigned int x, unsigned int y) {
    // 2 pi / 2^32, and half of it.
    return box_muller(unit_float(x),
                      __ww::fma(static_cast<float>(y), 0x1.921fb6p-30f, 0x1.921fb6p-31f));
}
__WW_BOTH double2 normal_pair(uint4 words) {
    return box_muller(unit_double(words.x, words.y),
                      __ww::fma(static_cast<double>(joined(words.z, words.w)), 0x1p-52, 0x1p-53));
}
__WW_BOTH float from_normal(float mean, float deviation, float normal) {
    return __ww::exp(__ww::fma(deviation, normal, mean));
}
__WW_BOTH double from_normal(double mean, double deviation, double normal) {
    return __ww::exp(__ww::fma(deviation, normal, mean));
}

// What each generator calls uniform, and makes its normal numbers from.
__WW_BOTH float uniform(curandStateXORWOW* state) {
    return unit_float(curand(state));
}
__WW_BOTH float uniform(curandStatePhilox4_32_10* state) {
    return unit_float(curand(state));
}
__WW_BOTH float uniform(curandStateMRG32k3a* state) {
    return static_cast<float>(mrg_number(state) * 2.3283065498378288e-10);
}
__WW_BOTH double uniform_double(curandStateXORWOW* state) {
    unsigned int x = curand(state);
    return unit_double(x, curand(state));
}
__WW_BOTH double uniform_double(curandStatePhilox4_32_10* state) {
    return unit_double(curand(state));
}
__WW_BOTH double uniform_double(curandStateMRG32k3a* state) {
    return mrg_number(state) * 2.3283065498378288e-10;
}
template <class State>
__WW_BOTH float2 normal_pair(State* state) {
    unsigned int x = curand(state);
    return normal_pair(x, curand(state));
}
__WW_BOTH float2 normal_pair(curandStateMRG32k3a* state) {
    __WW_AS_WRITTEN
    float u = uniform(state);
    return box_muller(u, uniform(state) * 0x1.921fb6p+2f);
}
__WW_BOTH double2 normal_pair_double(curandStateXORWOW* state) {
    uint4 words;
    words.x = curand(state);
    words.y = curand(state);
    words.z = curand(state);
    words.w = curand(state);
    return normal_pair(words);
}
__WW_BOTH double2 normal_pair_double(curandStatePhilox4_32_10* state) {
    return normal_pair(curand4(state));
}
__WW_BOTH double2 normal_pair_double(curandStateMRG32k3a* state) {
    double u = uniform_double(state);
    return box_muller(u, 2.0 * uniform_double(state));
}

// By the inverse distribution function, from the nearer end so that nothing is lost.
__WW_BOTH float normal_from_word(unsigned int x) {
    __WW_AS_WRITTEN
    bool upper = x > 0x80000000u;
    float size = 0x1.6a09e6p+0f * __ww::erfcinv(2.0f * unit_float(upper ? ~x : x));
    return upper ? size : -size;
}
__WW_BOTH float normal_from_word(unsigned long long x) {
    return normal_from_word(static_cast<unsigned int>(x >> 32));
}
__WW_BOTH double normal_from_word_double(unsigned int x) {
    __WW_AS_WRITTEN
    bool upper = x > 0x80000000u;
    double p = __ww::fma(static_cast<double>(upper ? ~x : x), 0x1p-32, 0x1p-33);
    double size = 0x1.6a09e667f3bcdp+0 * __ww::erfcinv(2.0 * p);
    return upper ? size : -size;
}
__WW_BOTH double normal_from_word_double(unsigned long long x) {
    __WW_AS_WRITTEN
    x >>= 11;
    bool upper = x > 0x10000000000000ull;
    double p = unit_double((upper ? 0x1fffffffffffffull - x : x) << 11);
    double size = 0x1.6a09e667f3bcdp+0 * __ww::erfcinv(2.0 * p);
    return upper ? size : -size;
}

}  // namespace __ww

// Single normal numbers come in pairs, the second of which waits in the state.
#define __WW_PSEUDORANDOM(state_type)                           \
    __WW_BOTH float curand_uniform(state_type* state) {         \
        return __ww::uniform(state);                            \
    }                                                           \
    __WW_BOTH double curand_uniform_double(state_type* state) { \
        return __ww::uniform_double(state);                     \
    }                                                           \
    __WW_NORMAL_NUMBERS(state_type, float, , normal_pair)       \
    __WW_NORMAL_NUMBERS(state_type, double, _double, normal_pair_double)
#define __WW_NORMAL_NUMBERS(state_type, real, suffix, pair_of)                                \
    __WW_BOTH real##2 curand_normal2##suffix(state_type* state) {                             \
        return __ww::pair_of(state);                                                          \
    }                                                                                         \
    __WW_BOTH real##2 curand_log_normal2##suffix(state_type* state, real mean, real stddev) { \
        real##2 v = __ww::pair_of(state);                                                     \
        v.x = __ww::from_normal(mean, stddev, v.x);                                           \
        v.y = __ww::from_normal(mean, stddev, v.y);                                           \
        return v;                                                                             \
    }                                                                                         \
    __WW_BOTH real curand_normal##suffix(state_type* state) {                                 \
        if (state->boxmuller_flag##suffix == __ww::kept_normal) {                             \
            state->boxmuller_flag##suffix = __ww::kept_nothing;                               \
            return state->boxmuller_extra##suffix;                                            \
        }                                                                                     \
        real##2 v = curand_normal2##suffix(state);                                            \
        state->boxmuller_extra##suffix = v.y;                                                 \
        state->boxmuller_flag##suffix = __ww::kept_normal;                                    \
        return v.x;                                                                           \
    }                                                                                         \
    __WW_BOTH real curand_log_normal##suffix(state_type* state, real mean, real stddev) {     \
        if (state->boxmuller_flag##suffix == __ww::kept_log_normal) {                         \
            state->boxmuller_flag##suffix = __ww::kept_nothing;                               \
            return state->boxmuller_extra##suffix;                                            \
        }                                                                                     \
        real##2 v = curand_log_normal2##suffix(state, mean, stddev);                          \
        state->boxmuller_extra##suffix = v.y;                                                 \
        state->boxmuller_flag##suffix = __ww::kept_log_normal;                                \
        return v.x;                                                                           \
    }
__WW_PSEUDORANDOM(curandStateXORWOW)
__WW_PSEUDORANDOM(curandStatePhilox4_32_10)
__WW_PSEUDORANDOM(curandStateMRG32k3a)
#undef __WW_PSEUDORANDOM
#undef __WW_NORMAL_NUMBERS

#define __WW_QUASIRANDOM(state_type)                                                           \
    __WW_BOTH float curand_uniform(state_type* state) {                                        \
        return __ww::unit_float(curand(state));                                                \
    }                                                                                          \
    __WW_BOTH double curand_uniform_double(state_type* state) {                                \
        return __ww::unit_double(curand(state));                                               \
    }                                                                                          \
    __WW_BOTH float curand_normal(state_type* state) {                                         \
        return __ww::normal_from_word(curand(state));                                          \
    }                                                                                          \
    __WW_BOTH double curand_normal_double(state_type* state) {                                 \
        return __ww::normal_from_word_double(curand(state));                                   \
    }                                                                                          \
    __WW_BOTH float curand_log_normal(state_type* state, float mean, float stddev) {           \
        return __ww::from_normal(mean, stddev, curand_normal(state));                          \
    }                                                                                          \
    __WW_BOTH double curand_log_normal_double(state_type* state, double mean, double stddev) { \
        return __ww::from_normal(mean, stddev, curand_normal_double(state));                   \
    }
__WW_QUASIRANDOM(curandStateSobol32)
__WW_QUASIRANDOM(curandStateScrambledSobol32)
__WW_QUASIRANDOM(curandStateSobol64)
__WW_QUASIRANDOM(curandStateScrambledSobol64)
#undef __WW_QUASIRANDOM

// Philox makes four words at a time, and so has forms with four results.
__WW_BOTH float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    uint4 words = curand4(state);
    return make_float4(__ww::unit_float(words.x), __ww::unit_float(words.y),
                       __ww::unit_float(words.z), __ww::unit_float(words.w));
}
__WW_BOTH double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    uint4 words = curand4(state);
    return make_double2(__ww::unit_double(words.x, words.y), __ww::unit_double(words.z, words.w));
}
__WW_BOTH float4 curand_normal4(curandStatePhilox4_32_10* state) {
    uint4 words = curand4(state);
    float2 a = __ww::normal_pair(words.x, words.y), b = __ww::normal_pair(words.z, words.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
__WW_BOTH float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev) {
    float4 v = curand_normal4(state);
    return make_float4(__ww::from_normal(mean, stddev, v.x), __ww::from_normal(mean, stddev, v.y),
                       __ww::from_normal(mean, stddev, v.z), __ww::from_normal(mean, stddev, v.w));
}
__WW_BOTH double4 curand_uniform4_double(curandStatePhilox4_32_10* state) {
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
__WW_BOTH double4 curand_normal4_double(curandStatePhilox4_32_10* state) {
    double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
__WW_BOTH double4 curand_log_normal4_double(curandStatePhilox4_32_10* state, double mean,
                                            double stddev) {
    double2 a = curand_log_normal2_double(state, mean, stddev);
    double2 b = curand_log_normal2_double(state, mean, stddev);
    return make_double4(a.x, a.y, b.x, b.y);
}
