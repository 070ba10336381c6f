// XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words shifted and xored, plus a Weyl sequence.
// Words are those of cuRAND. Subsequences are 2^67 words apart.
#pragma once

#include "jumps.cuh"
#include "state.cuh"

namespace __ww {

__WW_BOTH void xorwow_step(unsigned int (&v)[5]) {
    unsigned int t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
}

// v := p(A) v, where A is one step: the sum of the states that p has a bit for.
__WW_BOTH_LARGE void xorwow_apply(const unsigned int* p, unsigned int (&v)[5]) {
    unsigned int sum[5] = {0u, 0u, 0u, 0u, 0u};
    for (int word = 0; word < 5; ++word) {
        unsigned int bits = p[word];
        for (int bit = 0; bit < 32; ++bit) {
            unsigned int mask = 0u - (bits & 1u);
            for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
            bits >>= 1;
            xorwow_step(v);
        }
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

// n jumps, of the distance that `table` is for.
__WW_BOTH_LARGE void xorwow_jump(const unsigned int* table, unsigned long long n,
                                 curandStateXORWOW* state) {
    unsigned int v[5];
    for (int i = 0; i < 5; ++i) v[i] = state->v[i];
    for (; n != 0ull; n >>= 4) {
        unsigned int digit = static_cast<unsigned int>(n & 15ull);
        if (digit != 0u) xorwow_apply(table + 5u * (digit - 1u), v);
        table += 5 * 15;
    }
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
}

}  // namespace __ww

__WW_BOTH unsigned int curand(curandStateXORWOW* state) {
    __ww::xorwow_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}
__WW_BOTH void skipahead(unsigned long long n, curandStateXORWOW* state) {
    __ww::xorwow_jump(__ww::xorwow_offsets, n, state);
    state->d += 362437u * static_cast<unsigned int>(n);
}
// The Weyl sequence has period 2^32, so a subsequence leaves it where it was.
__WW_BOTH void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    __ww::xorwow_jump(__ww::xorwow_subsequences, n, state);
}
__WW_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateXORWOW* state) {
    unsigned int low = static_cast<unsigned int>(seed) ^ 0xaad26b49u;
    unsigned int high = static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu;
    low *= 1099087573u;
    high *= 2591861531u;
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    __ww::forget_kept_numbers(state);
}
