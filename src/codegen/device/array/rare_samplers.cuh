// Random numbers of rarer distributions that are drawn until one is accepted, as in samplers.cuh.
//
// Part of stream version 1, as draws.cuh.
#pragma once

#include "samplers.cuh"

// Of one degree of freedom a squared normal number around the root of `nonc`, of the others gamma
// variates. Below one degree a central variate whose degrees are raised by a Poisson number, unless
// `nonc` is so large that the degrees are lost in it.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_noncentral_chisquare(const __ww_element& place, const Source& source,
                                               double df, double nonc) {
    const bool is_in_domain = __ww_is_shape(df) && nonc >= 0.0 && nonc < 1e300;
    if (!is_in_domain) return (T)__longlong_as_double(0x7FF8000000000000ll);
    const unsigned long long block = __ww_block1(place, source);
    if (df <= 1.0 && nonc < 1e17) {
        const double more =
            (double)__ww_draw_poisson<long long>(place, source, __dmul_rn(0.5, nonc));
        const double shape = __fma_rn(0.5, df, more);
        const __ww_gamma_variate one(block, __WW_SECOND_VARIATE, source, shape);
        const double size = __dmul_rn(__dmul_rn(2.0, one.d), one.cube);
        return (T)(shape < 1.0 ? __dmul_rn(size, __WW_OWN::exp(one.log_power)) : size);
    }
    const double normal = __ww_attempt(block, __WW_SECOND_VARIATE, source).normal();
    const double root = __dadd_rn(normal, __dsqrt_rn(nonc));
    const double square = __dmul_rn(root, root);
    if (df <= 1.0) return (T)square;
    const double shape = __dmul_rn(0.5, __dsub_rn(df, 1.0));
    const __ww_gamma_variate rest(block, 0u, source, shape);
    const double size = __dmul_rn(__dmul_rn(2.0, rest.d), rest.cube);
    const double others = shape < 1.0 ? __dmul_rn(size, __WW_OWN::exp(rest.log_power)) : size;
    return (T)__dadd_rn(others, square);
}

// An angle from -pi to pi around 0, under an envelope that is a wrapped Cauchy density. D. J. Best
// and N. I. Fisher, "Efficient simulation of the von Mises distribution", 1979. Angles are kept as
// tangents of their halves, so that none is lost beside 1.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_vonmises(const __ww_element& place, const Source& source, double kappa) {
    if (!(kappa >= 0.0)) return (T)__longlong_as_double(0x7FF8000000000000ll);
    const unsigned long long block = __ww_block1(place, source);
    if (kappa > 1e6) {  // narrow: normal
        return (T)__ddiv_rn(__ww_attempt(block, 0u, source).normal(), __dsqrt_rn(kappa));
    }
    const bool is_round = kappa < 1e-8;
    double rho = __dmul_rn(0.5, kappa);
    if (kappa > 1e-4) {
        const double r = __dadd_rn(1.0, __dsqrt_rn(__fma_rn(__dmul_rn(4.0, kappa), kappa, 1.0)));
        rho = __ddiv_rn(__dsub_rn(r, __dsqrt_rn(__dmul_rn(2.0, r))), __dmul_rn(2.0, kappa));
    }
    const double less = __dsub_rn(1.0, rho);
    const double narrowed = __ddiv_rn(less, __dadd_rn(1.0, rho));
    const double offset = __ddiv_rn(__dmul_rn(less, less), __dmul_rn(2.0, rho));
    for (unsigned int attempt = 0u;; ++attempt) {
        const __ww_attempt one(block, attempt, source);
        const __ww_words& words = one.words;
        const __ww_direction<double> quarter =
            __ww_turned(words.x >> 2, words.x << 30 | words.y >> 2);
        const double half = __dmul_rn(narrowed, __ddiv_rn(quarter.sine, quarter.cosine));
        const double square = __dmul_rn(half, half);
        const double fall = __ddiv_rn(__dmul_rn(2.0, square), __dadd_rn(1.0, square));
        const double y = __dmul_rn(kappa, __dadd_rn(offset, fall));
        const double v = one.second();
        if (is_round || __dmul_rn(y, __dsub_rn(2.0, y)) >= v ||
            __dadd_rn(__WW_OWN::log(__ddiv_rn(y, v)), 1.0) >= y) {
            const double angle = __dmul_rn(2.0, __WW_OWN::atan(half));
            return (T)((words.y & 1u) != 0u ? -angle : angle);
        }
    }
}

// L. Devroye, "Non-uniform random variate generation", 1986, of numbers below 2^63.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_zipf(const __ww_element& place, const Source& source, double a) {
    if (!(a > 1.0)) return T(0);
    if (a >= 1025.0) return T(1);
    const unsigned long long block = __ww_block1(place, source);
    const double power = __dsub_rn(a, 1.0);
    const double log_b = __dmul_rn(power, 0x1.62e42fefa39efp-1);
    const double b = __WW_OWN::exp(log_b), b_less = __WW_OWN::expm1(log_b);
    const double least = __WW_OWN::exp(__dmul_rn(-63.0, log_b));
    for (unsigned int attempt = 0u;; ++attempt) {
        const __ww_attempt one(block, attempt, source);
        const double u = one.first();
        const double spread = __fma_rn(u, least, __dsub_rn(1.0, u));
        const double x = floor(__WW_OWN::exp(-__ddiv_rn(__WW_OWN::log(spread), power)));
        if (!(x >= 1.0 && x < 0x1p63)) continue;
        const double log_t = __dmul_rn(power, __WW_OWN::log1p(__ddiv_rn(1.0, x)));
        const double left =
            __ddiv_rn(__dmul_rn(__dmul_rn(one.second(), x), __WW_OWN::expm1(log_t)), b_less);
        if (left <= __ddiv_rn(__WW_OWN::exp(log_t), b)) return (T)x;
    }
}

// A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981:
// a geometric number whose probability is random.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_logseries(const __ww_element& place, const Source& source, double p) {
    if (!(p >= 0.0 && p < 1.0)) return T(0);
    const __ww_attempt one(__ww_block1(place, source), 0u, source);
    const double v = one.first();
    if (v >= p) return T(1);
    const double power = __dmul_rn(__WW_OWN::log1p(-p), one.second());
    const double rest = __WW_OWN::exp(power);
    const double q = -__WW_OWN::expm1(power);
    const double log_q = rest < 0.5 ? __WW_OWN::log1p(-rest) : __WW_OWN::log(q);
    return (T)__dadd_rn(1.0, floor(__ddiv_rn(__WW_OWN::log(v), log_q)));
}

// Of `small` and `large` elements of two kinds, how many of the first are among `sample`. Ten or
// more: E. Stadlober, "The ratio of uniforms approach for generating discrete random variates"
// (HRUA), 1990.
struct __ww_urn {
    double small, large, sample;

    __WW_FUNCTION double log_weight(double k) const {
        return __dadd_rn(__dadd_rn(__ww_log_factorial(k), __ww_log_factorial(__dsub_rn(small, k))),
                         __dadd_rn(__ww_log_factorial(__dsub_rn(sample, k)),
                                   __ww_log_factorial(__dadd_rn(__dsub_rn(large, sample), k))));
    }
    template <class Source>
    __WW_FUNCTION double by_ratio(unsigned long long block, const Source& source) const {
        const double total = __dadd_rn(small, large);
        const double p = __ddiv_rn(small, total), q = __ddiv_rn(large, total);
        const double center = __fma_rn(sample, p, 0.5);
        const double pairs = __dmul_rn(__dmul_rn(__dsub_rn(total, sample), sample), p);
        const double variance = __ddiv_rn(__dmul_rn(pairs, q), __dsub_rn(total, 1.0));
        const double deviation = __dsqrt_rn(__dadd_rn(variance, 0.5));
        const double height = __fma_rn(1.7155277699214135, deviation, 0.8989161620588988);
        const double mode = floor(__ddiv_rn(
            __dmul_rn(__dadd_rn(sample, 1.0), __dadd_rn(small, 1.0)), __dadd_rn(total, 2.0)));
        const double at_mode = log_weight(mode);
        const double far = floor(__fma_rn(16.0, deviation, center));
        const double most = __dadd_rn(sample < small ? sample : small, 1.0);
        const double end = most < far ? most : far;
        for (unsigned int attempt = 0u;; ++attempt) {
            const __ww_attempt one(block, attempt, source);
            const double u = one.first();
            const double v = __dsub_rn(one.second(), 0.5);
            const double x = __dadd_rn(center, __ddiv_rn(__dmul_rn(height, v), u));
            if (!(x >= 0.0 && x < end)) continue;
            const double k = floor(x);
            const double level = __dsub_rn(at_mode, log_weight(k));
            if (__dsub_rn(__dmul_rn(u, __dsub_rn(4.0, u)), 3.0) <= level) return k;
            if (__dmul_rn(u, __dsub_rn(u, level)) >= 1.0) continue;
            if (__dmul_rn(2.0, __WW_OWN::log(u)) <= level) return k;
        }
    }
    template <class Source>
    __WW_FUNCTION double one_by_one(unsigned long long block, const Source& source) const {
        double left = small, total = __dadd_rn(small, large);
        for (unsigned int i = 0u; i < (unsigned int)sample; ++i) {
            const double u = __ww_attempt(block, i, source).first();
            if (__dmul_rn(u, total) < left) left = __dsub_rn(left, 1.0);
            total = __dsub_rn(total, 1.0);
        }
        return __dsub_rn(small, left);
    }
};
// `urn`: the good elements times 2^30, and the bad ones; negative out of the domain.
template <class T, class Source>
__WW_FUNCTION T __ww_draw_hypergeometric(const __ww_element& place, const Source& source,
                                         long long urn, long long sample) {
    const long long good = urn >> 30, bad = urn & 0x3FFFFFFFll;
    if (urn < 0 || sample < 0 || sample > good + bad) return T(0);
    const long long others = good + bad - sample;
    const bool draws_others = others < sample;
    const bool is_good_rarer = good <= bad;
    const long long small = is_good_rarer ? good : bad;
    const long long drawn = draws_others ? others : sample;
    const __ww_urn one = {(double)small, (double)(good + bad - small), (double)drawn};
    const unsigned long long block = __ww_block1(place, source);
    const long long found =
        (long long)(drawn < 10 ? one.one_by_one(block, source) : one.by_ratio(block, source));
    const long long found_good = is_good_rarer ? found : drawn - found;
    return (T)(draws_others ? good - found_good : found_good);
}
