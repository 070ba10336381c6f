// States of cuRAND's device generators, with cuRAND's names, fields and sizes: host code allocates
// them by sizeof, and some kernels look inside.
#pragma once

// What the two halves of a pair of normal numbers leave for the next call.
#define __WW_KEPT_NUMBERS      \
    int boxmuller_flag;        \
    int boxmuller_flag_double; \
    float boxmuller_extra;     \
    double boxmuller_extra_double;

struct curandStateXORWOW {
    unsigned int d, v[5];
    __WW_KEPT_NUMBERS
};
struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    __WW_KEPT_NUMBERS
};
struct curandStateMRG32k3a {
    unsigned int s1[3];
    unsigned int s2[3];
    __WW_KEPT_NUMBERS
};
#undef __WW_KEPT_NUMBERS

#define __WW_SOBOL_STATE(name, word, bits) \
    struct name {                          \
        word i, x, c;                      \
        word direction_vectors[bits];      \
    };                                     \
    typedef struct name name##_t;
__WW_SOBOL_STATE(curandStateSobol32, unsigned int, 32)
__WW_SOBOL_STATE(curandStateScrambledSobol32, unsigned int, 32)
__WW_SOBOL_STATE(curandStateSobol64, unsigned long long, 64)
__WW_SOBOL_STATE(curandStateScrambledSobol64, unsigned long long, 64)
#undef __WW_SOBOL_STATE

typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

// cuRAND's is opaque, and only its host library makes one. Here: the distribution function at
// first, first + 1, ... (`count` values, the last one 1).
struct curandDiscreteDistribution_st {
    const double* function;
    unsigned int first, count;
};
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace __ww {

// Values of the flags above.
enum { kept_nothing = 0, kept_normal = 1, kept_log_normal = 2 };

template <class State>
__WW_BOTH void forget_kept_numbers(State* state) {
    state->boxmuller_flag = kept_nothing;
    state->boxmuller_flag_double = kept_nothing;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}

}  // namespace __ww
