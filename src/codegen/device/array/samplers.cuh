// Random numbers that are drawn until one is accepted. Every element has blocks of Philox of its
// own, one for each attempt, so that results depend on no other element and no number of threads.
// They are computed in double.
//
// Part of stream version 1, as draws.cuh.
#pragma once

#include "draws.cuh"

// Attempts from here on belong to the second variate of an element.
#define __WW_SECOND_VARIATE 0x80000000u
// Of a variate's attempts: the one that is for something else.
#define __WW_LAST_ATTEMPT 0x7FFFFFFFu

// One attempt: 53 bits for a radius, 32 for an angle, 43 for a decision.
struct __ww_attempt {
    __ww_words words;
    template <class Source>
    __WW_FUNCTION __ww_attempt(unsigned long long block, unsigned int number, const Source& source)
        : words(__ww_philox(block, number, source)) {}
    __WW_FUNCTION double normal() const {
        return __ww_normal(__ww_words{words.x, words.y, words.z, 0x80000000u}, false);
    }
    __WW_FUNCTION double decision() const { return __ww_inside(words.w, words.y << 20); }
    __WW_FUNCTION double first() const { return __ww_inside(words.x, words.y); }
    __WW_FUNCTION double second() const { return __ww_inside(words.z, words.w); }
};

// A gamma variate as d * cube * exp(log_power): G. Marsaglia and W. W. Tsang, "A simple method for
// generating gamma variables", 2000. Below 1 the shape is raised by 1, and a uniform number's power
// taken off.
struct __ww_gamma_variate {
    double d, cube, log_cube, log_power;
    template <class Source>
    __WW_FUNCTION __ww_gamma_variate(unsigned long long block, unsigned int first,
                                     const Source& source, double shape) {
        const bool is_small = shape < 1.0;
        d = __dsub_rn(is_small ? __dadd_rn(shape, 1.0) : shape, 0x1.5555555555555p-2);
        const double c = __ddiv_rn(1.0, __dsqrt_rn(__dmul_rn(9.0, d)));
        for (unsigned int attempt = first;; ++attempt) {
            const __ww_attempt one(block, attempt, source);
            const double x = one.normal();
            const double root = __fma_rn(c, x, 1.0);
            if (root <= 0.0) continue;
            cube = __dmul_rn(__dmul_rn(root, root), root);
            log_cube = __WW_OWN::log(cube);
            const double rest = __dmul_rn(d, __dadd_rn(__dsub_rn(1.0, cube), log_cube));
            const double limit = __fma_rn(0.5, __dmul_rn(x, x), rest);
            if (__WW_OWN::log(one.decision()) < limit) break;
        }
        log_power = 0.0;
        if (!is_small) return;
        const __ww_attempt last(block, first + __WW_LAST_ATTEMPT, source);
        log_power = __ddiv_rn(__WW_OWN::log(last.first()), shape);
    }
    __WW_FUNCTION double logarithm() const {
        return __dadd_rn(__dadd_rn(__WW_OWN::log(d), log_cube), log_power);
    }
};
// Shapes that have variates: neither NaN nor infinite.
__WW_FUNCTION bool __ww_is_shape(double shape) {
    return shape > 0.0 && shape < 1e300;
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_gamma(const __ww_element& place, const Source& source, double shape) {
    if (shape == 0.0) return T(0);
    if (!__ww_is_shape(shape)) return (T)__longlong_as_double(0x7FF8000000000000ll);
    const __ww_gamma_variate one(__ww_block1(place, source), 0u, source, shape);
    const double size = __dmul_rn(one.d, one.cube);
    return (T)(shape < 1.0 ? __dmul_rn(size, __WW_OWN::exp(one.log_power)) : size);
}
// log(y / x) of two gamma variates: those of tiny shapes underflow.
template <class Source>
__WW_FUNCTION double __ww_log_of_ratio(const __ww_element& place, const Source& source, double a,
                                       double b) {
    if (!__ww_is_shape(a) || !__ww_is_shape(b)) return __longlong_as_double(0x7FF8000000000000ll);
    const unsigned long long block = __ww_block1(place, source);
    const __ww_gamma_variate x(block, 0u, source, a);
    const __ww_gamma_variate y(block, __WW_SECOND_VARIATE, source, b);
    return __dsub_rn(y.logarithm(), x.logarithm());
}
// x / (x + y), and y / (x + y), which is 1 minus it where that would be rounded away.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_beta(const __ww_element& place, const Source& source, double a,
                               double b) {
    const double ratio = __WW_OWN::exp(__ww_log_of_ratio(place, source, a, b));
    return (T)__ddiv_rn(1.0, __dadd_rn(1.0, ratio));
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_beta_rest(const __ww_element& place, const Source& source, double a,
                                    double b) {
    const double ratio = __WW_OWN::exp(-__ww_log_of_ratio(place, source, a, b));
    return (T)__ddiv_rn(1.0, __dadd_rn(1.0, ratio));
}

// log(k!) - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2), by Stirling's series in 1 / (k + 1);
// below 16 the factorial itself.
__WW_FUNCTION double __ww_stirling_rest(double k) {
    const double n = __dadd_rn(k, 1.0);
    if (k < 16.0) {
        double product = 1.0;
        for (double i = 2.0; i <= k; i += 1.0) product = __dmul_rn(product, i);
        const double main =
            __fma_rn(__dadd_rn(k, 0.5), __WW_OWN::log(n), __dsub_rn(0x1.d67f1c864beb5p-1, n));
        return __dsub_rn(__WW_OWN::log(product), main);
    }
    const double r = __ddiv_rn(1.0, n);
    const double z = __dmul_rn(r, r);
    double p = __fma_rn(z, -5.9523809523809529e-4, 7.9365079365079365e-4);
    p = __fma_rn(z, p, -2.7777777777777779e-3);
    p = __fma_rn(z, p, 8.3333333333333329e-2);
    return __dmul_rn(r, p);
}
__WW_FUNCTION double __ww_log_factorial(double k) {
    const double n = __dadd_rn(k, 1.0);
    const double main =
        __fma_rn(__dadd_rn(k, 0.5), __WW_OWN::log(n), __dsub_rn(0x1.d67f1c864beb5p-1, n));
    return __dadd_rn(main, __ww_stirling_rest(k));
}

// Below 10 the least k whose distribution function exceeds a uniform number; from there on W.
// Hörmann, "The transformed rejection method for generating Poisson random variables" (PTRS), 1993.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_poisson(const __ww_element& place, const Source& source, double lambda) {
    const unsigned long long block = __ww_block1(place, source);
    if (!(lambda > 0.0)) return T(0);
    if (lambda > 9.2e18) return (T)0x7FFFFFFFFFFFFFFFll;
    if (lambda < 10.0) {
        const double u = __ww_attempt(block, 0u, source).first();
        double term = __WW_OWN::exp(-lambda), sum = term, k = 0.0;
        while (u > sum && k < 110.0) {
            k += 1.0;
            term = __dmul_rn(term, __ddiv_rn(lambda, k));
            sum = __dadd_rn(sum, term);
        }
        return (T)k;
    }
    const double log_lambda = __WW_OWN::log(lambda);
    const double b = __fma_rn(2.53, __dsqrt_rn(lambda), 0.931);
    const double a = __fma_rn(0.02483, b, -0.059);
    const double inverse_alpha = __dadd_rn(1.1239, __ddiv_rn(1.1328, __dsub_rn(b, 3.4)));
    const double limit = __dsub_rn(0.9277, __ddiv_rn(3.6224, __dsub_rn(b, 2.0)));
    for (unsigned int attempt = 0u;; ++attempt) {
        const __ww_attempt one(block, attempt, source);
        const double u = __dsub_rn(one.first(), 0.5);
        const double v = one.second();
        const double us = __dsub_rn(0.5, fabs(u));
        const double slope = __dadd_rn(__ddiv_rn(__dmul_rn(2.0, a), us), b);
        const double k = floor(__fma_rn(slope, u, __dadd_rn(lambda, 0.43)));
        if (us >= 0.07 && v <= limit) return (T)k;
        if (k < 0.0 || (us < 0.013 && v > us)) continue;
        const double hat = __dadd_rn(__ddiv_rn(a, __dmul_rn(us, us)), b);
        const double left = __WW_OWN::log(__ddiv_rn(__dmul_rn(v, inverse_alpha), hat));
        const double right = __dsub_rn(__fma_rn(k, log_lambda, -lambda), __ww_log_factorial(k));
        if (left <= right) return (T)k;
    }
}

// n p below 10: by the distribution function. Else W. Hörmann, "The generation of binomial random
// variates" (BTRS), 1993. For p <= 1/2.
template <class Source>
__WW_FUNCTION double __ww_binomial_half(unsigned long long block, const Source& source, double n,
                                        double p) {
    const double q = __dsub_rn(1.0, p);
    const double odds = __ddiv_rn(p, q);
    const double mean = __dmul_rn(n, p);
    if (mean < 10.0) {
        const double u = __ww_attempt(block, 0u, source).first();
        double term = __WW_OWN::exp(__dmul_rn(n, __WW_OWN::log1p(-p))), sum = term, k = 0.0;
        const double most = n < 150.0 ? n : 150.0;
        while (u > sum && k < most) {
            k += 1.0;
            const double ratio = __ddiv_rn(__dadd_rn(__dsub_rn(n, k), 1.0), k);
            term = __dmul_rn(term, __dmul_rn(odds, ratio));
            sum = __dadd_rn(sum, term);
        }
        return k;
    }
    const double deviation = __dsqrt_rn(__dmul_rn(mean, q));
    const double b = __fma_rn(2.53, deviation, 1.15);
    const double a = __fma_rn(0.01, p, __fma_rn(0.0248, b, -0.0873));
    const double alpha = __dmul_rn(__dadd_rn(2.83, __ddiv_rn(5.1, b)), deviation);
    const double limit = __dsub_rn(0.92, __ddiv_rn(4.2, b));
    const double m = floor(__dmul_rn(__dadd_rn(n, 1.0), p));
    const double n1 = __dadd_rn(n, 1.0), m1 = __dadd_rn(m, 1.0);
    const double n_m1 = __dadd_rn(__dsub_rn(n, m), 1.0);
    const double at_mode =
        __dadd_rn(__dmul_rn(__dadd_rn(m, 0.5), __WW_OWN::log(__ddiv_rn(m1, __dmul_rn(odds, n_m1)))),
                  __dadd_rn(__ww_stirling_rest(m), __ww_stirling_rest(__dsub_rn(n, m))));
    for (unsigned int attempt = 0u;; ++attempt) {
        const __ww_attempt one(block, attempt, source);
        const double u = __dsub_rn(one.first(), 0.5);
        const double v = one.second();
        const double us = __dsub_rn(0.5, fabs(u));
        const double slope = __dadd_rn(__ddiv_rn(__dmul_rn(2.0, a), us), b);
        const double k = floor(__fma_rn(slope, u, __dadd_rn(mean, 0.5)));
        if (us >= 0.07 && v <= limit) return k;
        if (k < 0.0 || k > n) continue;
        const double hat = __dadd_rn(__ddiv_rn(a, __dmul_rn(us, us)), b);
        const double left = __WW_OWN::log(__ddiv_rn(__dmul_rn(v, alpha), hat));
        const double n_k1 = __dadd_rn(__dsub_rn(n, k), 1.0);
        const double by_n = __dmul_rn(n1, __WW_OWN::log(__ddiv_rn(n_m1, n_k1)));
        const double by_k = __dmul_rn(
            __dadd_rn(k, 0.5), __WW_OWN::log(__ddiv_rn(__dmul_rn(odds, n_k1), __dadd_rn(k, 1.0))));
        const double rests = __dadd_rn(__ww_stirling_rest(k), __ww_stirling_rest(__dsub_rn(n, k)));
        if (left <= __dsub_rn(__dadd_rn(at_mode, __dadd_rn(by_n, by_k)), rests)) return k;
    }
}
template <class T, class Source>
__WW_FUNCTION T __ww_draw_binomial(const __ww_element& place, const Source& source, double n,
                                   double p) {
    if (!(n > 0.0) || !(p > 0.0)) return T(0);
    if (p >= 1.0) return (T)n;
    const bool mirrors = p > 0.5;
    const double k =
        __ww_binomial_half(__ww_block1(place, source), source, n, mirrors ? __dsub_rn(1.0, p) : p);
    return (T)(mirrors ? __dsub_rn(n, k) : k);
}

// Where element i goes in a permutation of `count`: a Feistel network over the next even number of
// bits, walked until it leads inside (R. J. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-
// Optimal Random Shuffling for GPUs", 2022). `position` and `key` give the rounds' keys.
template <class T>
__WW_FUNCTION T __ww_draw_permuted(const __ww_element& place, const __ww_source& source,
                                   unsigned long long count, unsigned long long half_bits) {
    const unsigned int half = (unsigned int)half_bits;
    const unsigned long long mask = (1ull << half) - 1ull;
    unsigned long long value = place.tile * 1024u + place.item * 256u + place.lane;
    do {
        unsigned long long left = value >> half, right = value & mask;
        for (unsigned int round = 0u; round < 12u; ++round) {
            const __ww_words words =
                __ww_philox(right, round,
                            __ww_source{source.key ^ source.position * 0x9E3779B97F4A7C15ull, 0ull,
                                        source.jumps});
            const unsigned long long mixed = (unsigned long long)words.y << 32 | words.x;
            const unsigned long long next = left ^ (mixed & mask);
            left = right;
            right = next;
        }
        value = left << half | right;
    } while (value >= count);
    return (T)value;
}
