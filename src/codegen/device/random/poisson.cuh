// Poisson numbers. Pseudorandom generators: Knuth's product of uniform numbers below 64 and a
// rounded normal number above 4000, both by cuRAND's formulas; between them Hörmann's transformed
// rejection (PTRS, "The transformed rejection method for generating Poisson random variables",
// 1993). Sobol's: the inverse distribution function, because a point must use one number.
#pragma once

#include "distributions.cuh"

namespace __ww {

// log(n!), n >= 0: Stirling's series beyond 10, where its error is below 1e-13.
__WW_BOTH double log_factorial(double n) {
    __WW_AS_WRITTEN
    double product = 1.0, x = n + 1.0;
    for (; x < 10.0; x += 1.0) product *= x;
    double z = 1.0 / x;
    double tail =
        z * polynomial(z * z, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                       -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11);
    double half_log_2pi = 0x1.d67f1c864beb5p-1;
    return __ww::fma(x - 0.5, __ww::log(x), half_log_2pi - x) + tail - __ww::log(product);
}

template <class State>
__WW_BOTH_LARGE unsigned int poisson_small(State* state, float lambda) {
    __WW_AS_WRITTEN
    float product = __ww::exp(lambda) * uniform(state);
    unsigned int count = 0u;
    for (; product > 1.0f; ++count) product *= uniform(state);
    return count;
}
template <class State>
__WW_BOTH_LARGE unsigned int poisson_middle(State* state, double lambda) {
    __WW_AS_WRITTEN
    double log_lambda = __ww::log(lambda);
    double b = __ww::fma(2.53, __ww::sqrt(lambda), 0.931);
    double a = __ww::fma(0.02483, b, -0.059);
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    double v_r = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
        double u = uniform_double(state) - 0.5;
        double v = uniform_double(state);
        double us = 0.5 - __ww::fabs(u);
        double k = floor(__ww::fma(2.0 * a / us + b, u, lambda + 0.43));
        if (us >= 0.07 && v <= v_r) return static_cast<unsigned int>(k);
        if (k < 0.0 || (us < 0.013 && v > us)) continue;
        double left = __ww::log(v * inverse_alpha / (a / (us * us) + b));
        if (left <= __ww::fma(k, log_lambda, -lambda) - log_factorial(k)) {
            return static_cast<unsigned int>(k);
        }
    }
}
__WW_BOTH unsigned int poisson_large(double lambda, double normal) {
    return static_cast<unsigned int>(__ww::fma(__ww::sqrt(lambda), normal, lambda) + 0.5);
}
template <class State>
__WW_BOTH unsigned int poisson(State* state, double lambda) {
    if (lambda < 64.0) return poisson_small(state, static_cast<float>(lambda));
    if (lambda > 4000.0) return poisson_large(lambda, curand_normal_double(state));
    return poisson_middle(state, lambda);
}

// The least k whose distribution function reaches u. All of it is scaled by a power of e so that
// exp(-lambda) stays a normal number.
__WW_BOTH_LARGE unsigned int poisson_inverse(double u, double lambda) {
    __WW_AS_WRITTEN
    double shift = lambda > 500.0 ? 500.0 : 0.0;
    double term = __ww::exp(shift - lambda), sum = term, goal = u * __ww::exp(shift);
    unsigned int k = 0u;
    // Rounded sums may stay below a goal next to 1: the last term that counts ends the search.
    while (sum < goal && (k < lambda || sum + term > sum)) {
        k += 1u;
        term *= lambda / k;
        sum += term;
    }
    return k;
}
// A word's middle: below 1, where the distribution function ends.
__WW_BOTH double middle_of(unsigned int word) {
    return __ww::fma(static_cast<double>(word), 0x1p-32, 0x1p-33);
}
__WW_BOTH double middle_of(unsigned long long word) {
    return static_cast<double>(word >> 12) * 0x1p-52 + 0x1p-53;
}
template <class Word>
__WW_BOTH unsigned int poisson_of_word(Word word, double lambda) {
    if (lambda < 1000.0) return poisson_inverse(middle_of(word), lambda);
    return poisson_large(lambda, normal_from_word_double(word));
}

}  // namespace __ww

#define __WW_POISSON(state_type)                                              \
    __WW_BOTH unsigned int curand_poisson(state_type* state, double lambda) { \
        return __ww::poisson(state, lambda);                                  \
    }
__WW_POISSON(curandStateXORWOW)
__WW_POISSON(curandStatePhilox4_32_10)
__WW_POISSON(curandStateMRG32k3a)
#undef __WW_POISSON
#define __WW_POISSON(state_type)                                              \
    __WW_BOTH unsigned int curand_poisson(state_type* state, double lambda) { \
        return __ww::poisson_of_word(curand(state), lambda);                  \
    }
__WW_POISSON(curandStateSobol32)
__WW_POISSON(curandStateScrambledSobol32)
__WW_POISSON(curandStateSobol64)
__WW_POISSON(curandStateScrambledSobol64)
#undef __WW_POISSON

__WW_BOTH uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda) {
    if (lambda > 4000.0) {
        double4 v = curand_normal4_double(state);
        return make_uint4(__ww::poisson_large(lambda, v.x), __ww::poisson_large(lambda, v.y),
                          __ww::poisson_large(lambda, v.z), __ww::poisson_large(lambda, v.w));
    }
    uint4 result;
    result.x = curand_poisson(state, lambda);
    result.y = curand_poisson(state, lambda);
    result.z = curand_poisson(state, lambda);
    result.w = curand_poisson(state, lambda);
    return result;
}
