// Sobol sequences of 32 and 64 bits, plain and scrambled, in Gray-code order (Antonov and Saleev):
// number i + 1 differs from number i by the direction vector of i's lowest zero bit. The caller
// brings the direction vectors, as with cuRAND.
#pragma once

#include "state.cuh"

namespace __ww {

// Pointers to Sobol states, and their words.
template <class T>
struct sobol {};
template <>
struct sobol<curandStateSobol32*> {
    typedef unsigned int word;
};
template <>
struct sobol<curandStateScrambledSobol32*> {
    typedef unsigned int word;
};
template <>
struct sobol<curandStateSobol64*> {
    typedef unsigned long long word;
};
template <>
struct sobol<curandStateScrambledSobol64*> {
    typedef unsigned long long word;
};

// At the very last number the highest vector stands in for one that does not exist.
__WW_BOTH int lowest_zero(unsigned int i) {
    return __builtin_ctz(~i | 0x80000000u);
}
__WW_BOTH int lowest_zero(unsigned long long i) {
    return __builtin_ctzll(~i | 0x8000000000000000ull);
}

template <class State>
__WW_BOTH typename sobol<State*>::word sobol_next(State* state) {
    typename sobol<State*>::word result = state->x;
    state->x ^= state->direction_vectors[lowest_zero(state->i)];
    state->i += 1u;
    return result;
}

}  // namespace __ww

// A template because callers name the state's type: skipahead<curandStateSobol32_t*>(n, &state).
template <class T>
__WW_BOTH void skipahead(typename __ww::sobol<T>::word n, T state) {
    typedef typename __ww::sobol<T>::word word;
    state->i += n;
    word gray = state->i ^ (state->i >> 1);
    word x = state->c;
    for (unsigned int k = 0; k < 8u * sizeof(word); ++k) {
        x ^= state->direction_vectors[k] & (word(0) - (gray & word(1)));
        gray >>= 1;
    }
    state->x = x;
}

namespace __ww {

template <class State, class Word>
__WW_BOTH void sobol_init(const Word* direction_vectors, Word scramble, Word offset, State* state) {
    state->i = 0u;
    state->c = scramble;
    for (unsigned int k = 0; k < 8u * sizeof(Word); ++k) {
        state->direction_vectors[k] = direction_vectors[k];
    }
    skipahead<State*>(offset, state);
}

}  // namespace __ww

#define __WW_SOBOL(state_type, word)                                                            \
    __WW_BOTH word curand(state_type* state) {                                                  \
        return __ww::sobol_next(state);                                                         \
    }                                                                                           \
    __WW_BOTH void curand_init(const word* direction_vectors, word offset, state_type* state) { \
        __ww::sobol_init(direction_vectors, static_cast<word>(0), offset, state);               \
    }
#define __WW_SCRAMBLED_SOBOL(state_type, word)                                            \
    __WW_BOTH word curand(state_type* state) {                                            \
        return __ww::sobol_next(state);                                                   \
    }                                                                                     \
    __WW_BOTH void curand_init(const word* direction_vectors, word scramble, word offset, \
                               state_type* state) {                                       \
        __ww::sobol_init(direction_vectors, scramble, offset, state);                     \
    }
__WW_SOBOL(curandStateSobol32, unsigned int)
__WW_SOBOL(curandStateSobol64, unsigned long long)
__WW_SCRAMBLED_SOBOL(curandStateScrambledSobol32, unsigned int)
__WW_SCRAMBLED_SOBOL(curandStateScrambledSobol64, unsigned long long)
#undef __WW_SOBOL
#undef __WW_SCRAMBLED_SOBOL
