// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011):
// ten rounds over a 128-bit counter. Words are those of cuRAND. Subsequences are 2^66 words apart.
// Invariant: `output` belongs to the counter, and `STATE` of its words are used.
#pragma once

#include "state.cuh"

namespace __ww {

__WW_BOTH uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned long long a = 0xd2511f53ull * counter.x;
        unsigned long long b = 0xcd9e8d57ull * counter.z;
        uint4 next;
        next.x = static_cast<unsigned int>(b >> 32) ^ counter.y ^ key.x;
        next.y = static_cast<unsigned int>(b);
        next.z = static_cast<unsigned int>(a >> 32) ^ counter.w ^ key.y;
        next.w = static_cast<unsigned int>(a);
        counter = next;
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

// The counter's halves plus 64-bit numbers, as one 128-bit sum.
__WW_BOTH void philox_advance(curandStatePhilox4_32_10* state, unsigned long long low,
                              unsigned long long high) {
    unsigned long long a = state->ctr.x | static_cast<unsigned long long>(state->ctr.y) << 32;
    unsigned long long b = state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32;
    a += low;
    b += high + (a < low ? 1ull : 0ull);
    state->ctr = make_uint4(static_cast<unsigned int>(a), static_cast<unsigned int>(a >> 32),
                            static_cast<unsigned int>(b), static_cast<unsigned int>(b >> 32));
    state->output = philox(state->ctr, state->key);
}

__WW_BOTH unsigned int philox_word(uint4 a, unsigned int index) {
    unsigned int low = index == 0u ? a.x : a.y;
    unsigned int high = index == 2u ? a.z : a.w;
    return index < 2u ? low : high;
}

}  // namespace __ww

__WW_BOTH unsigned int curand(curandStatePhilox4_32_10* state) {
    unsigned int word = __ww::philox_word(state->output, state->STATE);
    state->STATE += 1u;
    if (state->STATE == 4u) {
        __ww::philox_advance(state, 1ull, 0ull);
        state->STATE = 0u;
    }
    return word;
}
// The next four words; `STATE` stays.
__WW_BOTH uint4 curand4(curandStatePhilox4_32_10* state) {
    uint4 a = state->output;
    __ww::philox_advance(state, 1ull, 0ull);
    uint4 b = state->output;
    unsigned int used = state->STATE;
    bool one = (used & 1u) != 0u, two = (used & 2u) != 0u;
    // Shifted by one word, then by two.
    unsigned int x = one ? a.y : a.x, y = one ? a.z : a.y, z = one ? a.w : a.z;
    unsigned int w = one ? b.x : a.w, v = one ? b.y : b.x, u = one ? b.z : b.y;
    return make_uint4(two ? z : x, two ? w : y, two ? v : z, two ? u : w);
}
__WW_BOTH void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    unsigned int used = state->STATE + static_cast<unsigned int>(n & 3ull);
    state->STATE = used & 3u;
    __ww::philox_advance(state, (n >> 2) + (used >> 2), 0ull);
}
__WW_BOTH void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    __ww::philox_advance(state, 0ull, n);
}
__WW_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStatePhilox4_32_10* state) {
    state->ctr = make_uint4(0u, 0u, static_cast<unsigned int>(subsequence),
                            static_cast<unsigned int>(subsequence >> 32));
    state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
    state->STATE = 0u;
    skipahead(offset, state);
    __ww::forget_kept_numbers(state);
}
