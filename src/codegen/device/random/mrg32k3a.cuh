// MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
// number generators", 1999). Words are those of cuRAND. Subsequences are 2^76 words apart,
// sequences 2^127.
#pragma once

#include "jumps.cuh"
#include "state.cuh"

namespace __ww {

// x modulo 2^32 - c: twice the high part, times c, comes back to the low part.
template <unsigned int c>
__WW_BOTH unsigned int mrg_reduce(unsigned long long x) {
    x = (x >> 32) * c + (x & 0xffffffffull);
    x = (x >> 32) * c + (x & 0xffffffffull);
    const unsigned long long modulus = 0x100000000ull - c;
    return static_cast<unsigned int>(x >= modulus ? x - modulus : x);
}

// The two recurrences: x[n] = a x[n - 3] + b x[n - 2] + c x[n - 1], negative factors as they are.
struct mrg_first {
    static const unsigned int c = 209u, modulus = 0u - c;
    __WW_BOTH unsigned int next(unsigned int x3, unsigned int x2, unsigned int) {
        return mrg_reduce<c>(1403580ull * x2 + 810728ull * (modulus - x3));
    }
};
struct mrg_second {
    static const unsigned int c = 22853u, modulus = 0u - c;
    __WW_BOTH unsigned int next(unsigned int x3, unsigned int, unsigned int x1) {
        return mrg_reduce<c>(527612ull * x1 + 1370589ull * (modulus - x3));
    }
};

template <class Part>
__WW_BOTH unsigned int mrg_times(unsigned int a, unsigned int b) {
    return mrg_reduce<Part::c>(static_cast<unsigned long long>(a) * b);
}
template <class Part>
__WW_BOTH unsigned int mrg_plus(unsigned int a, unsigned int b) {
    return mrg_reduce<Part::c>(static_cast<unsigned long long>(a) + b);
}

// s := p(A) s for p = p0 + p1 x + p2 x^2. Polynomials modulo the characteristic one multiply in the
// same way: the windows of the recurrence are those of its state.
template <class Part>
__WW_BOTH void mrg_apply(const unsigned int* p, unsigned int (&s)[3]) {
    unsigned int a = Part::next(s[0], s[1], s[2]);
    unsigned int w[5] = {s[0], s[1], s[2], a, Part::next(s[1], s[2], a)};
    for (int i = 0; i < 3; ++i) {
        unsigned int sum = mrg_times<Part>(p[0], w[i]);
        sum = mrg_plus<Part>(sum, mrg_times<Part>(p[1], w[i + 1]));
        s[i] = mrg_plus<Part>(sum, mrg_times<Part>(p[2], w[i + 2]));
    }
}
// p(x)^2 modulo the characteristic polynomial: x^3 and x^4 go back by the recurrence.
template <class Part>
__WW_BOTH void mrg_square(unsigned int (&p)[3]) {
    unsigned int c0 = mrg_times<Part>(p[0], p[0]);
    unsigned int c1 = mrg_times<Part>(p[0], p[1]);
    unsigned int c2 = mrg_times<Part>(p[0], p[2]);
    unsigned int c3 = mrg_times<Part>(p[1], p[2]);
    unsigned int c4 = mrg_times<Part>(p[2], p[2]);
    c1 = mrg_plus<Part>(c1, c1);
    c2 = mrg_plus<Part>(mrg_plus<Part>(c2, c2), mrg_times<Part>(p[1], p[1]));
    c3 = mrg_plus<Part>(c3, c3);
    // next(u, 0, 0), next(0, u, 0), next(0, 0, u) are u times the factors of the recurrence.
    c3 = mrg_plus<Part>(c3, Part::next(0u, 0u, c4));
    c2 = mrg_plus<Part>(c2, Part::next(0u, c4, 0u));
    c1 = mrg_plus<Part>(c1, Part::next(c4, 0u, 0u));
    p[0] = mrg_plus<Part>(c0, Part::next(c3, 0u, 0u));
    p[1] = mrg_plus<Part>(c1, Part::next(0u, c3, 0u));
    p[2] = mrg_plus<Part>(c2, Part::next(0u, 0u, c3));
}
// n jumps of the distance that `unit` is the polynomial of.
template <class Part>
__WW_BOTH_LARGE void mrg_jump(const unsigned int* unit, unsigned long long n,
                              unsigned int (&state)[3]) {
    unsigned int p[3] = {unit[0], unit[1], unit[2]};
    unsigned int s[3] = {state[0], state[1], state[2]};
    for (; n != 0ull; n >>= 1) {
        if ((n & 1ull) != 0ull) mrg_apply<Part>(p, s);
        mrg_square<Part>(p);
    }
    for (int i = 0; i < 3; ++i) state[i] = s[i];
}
__WW_BOTH void mrg_jump_both(const unsigned int* unit, unsigned long long n,
                             curandStateMRG32k3a* state) {
    mrg_jump<mrg_first>(unit, n, state->s1);
    mrg_jump<mrg_second>(unit + 3, n, state->s2);
}

// The generator's number, from 1 to the first modulus.
__WW_BOTH double mrg_number(curandStateMRG32k3a* state) {
    unsigned int a = mrg_first::next(state->s1[0], state->s1[1], state->s1[2]);
    unsigned int b = mrg_second::next(state->s2[0], state->s2[1], state->s2[2]);
    for (int i = 0; i < 2; ++i) {
        state->s1[i] = state->s1[i + 1];
        state->s2[i] = state->s2[i + 1];
    }
    state->s1[2] = a;
    state->s2[2] = b;
    return static_cast<double>(a - b + (a <= b ? mrg_first::modulus : 0u));
}

}  // namespace __ww

__WW_BOTH unsigned int curand(curandStateMRG32k3a* state) {
    // Stretched to all of 2^32, by cuRAND's rounding of the factor.
    return static_cast<unsigned int>(__ww::mrg_number(state) * 1.000000048662);
}
__WW_BOTH void skipahead(unsigned long long n, curandStateMRG32k3a* state) {
    __ww::mrg_jump_both(__ww::mrg_offset, n, state);
}
__WW_BOTH void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
    __ww::mrg_jump_both(__ww::mrg_subsequence, n, state);
}
__WW_BOTH void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
    __ww::mrg_jump_both(__ww::mrg_sequence, n, state);
}
__WW_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateMRG32k3a* state) {
    const unsigned int start = 12345u;
    unsigned int low = static_cast<unsigned int>(seed) ^ 0x55555555u;
    unsigned int high = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
        unsigned int x1 = i == 1 ? high : low, x2 = i == 1 ? low : high;
        state->s1[i] = seed == 0ull ? start : __ww::mrg_times<__ww::mrg_first>(x1, start);
        state->s2[i] = seed == 0ull ? start : __ww::mrg_times<__ww::mrg_second>(x2, start);
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    __ww::forget_kept_numbers(state);
}
