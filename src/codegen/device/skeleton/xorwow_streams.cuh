// Arrays of random numbers from XORWOW: 16,384 subsequences of cuRAND's generator side by side, one
// for each thread, which hands out blocks of four words. A block serves four elements of one word,
// two of two words, or one element that draws until a number is accepted.
//
// Part of stream version 1 of XORWOW: element 256 * (items * tile + item) + lane of a call, where
// tile = 64 * row + thread block, is item `item` of row `row` of subsequence 256 * block + lane.
#pragma once

#include "../array/rare_samplers.cuh"
#include "../random/xorwow.cuh"

#define __WW_XORWOW_THREADS 256
#define __WW_XORWOW_BLOCKS 64
#define __WW_XORWOW_STREAMS (__WW_XORWOW_THREADS * __WW_XORWOW_BLOCKS)

// What the draws of samplers.cuh take their words from: a block of four. Attempts behind the first
// are Philox's words of a key and a counter that the block is.
struct __ww_drawn_words {
    __ww_words words;
};
__WW_FUNCTION unsigned long long __ww_block4(const __ww_element&, const __ww_drawn_words&) {
    return 0ull;
}
__WW_FUNCTION unsigned long long __ww_block2(const __ww_element&, const __ww_drawn_words&) {
    return 0ull;
}
__WW_FUNCTION unsigned long long __ww_block1(const __ww_element&, const __ww_drawn_words&) {
    return 0ull;
}
__WW_FUNCTION __ww_words __ww_philox(unsigned long long, unsigned int attempt,
                                     const __ww_drawn_words& source) {
    const __ww_words& w = source.words;
    if (attempt == 0u) return w;
    return __ww_philox((unsigned long long)w.w << 32 | w.z, attempt,
                       __ww_source{(unsigned long long)w.y << 32 | w.x, 0ull, 0ull});
}

// One subsequence, whose state lies in memory: six words, each beside those of the neighbours.
struct __ww_xorwow_stream {
    curandStateXORWOW state;
    unsigned int* place;

    __WW_FUNCTION explicit __ww_xorwow_stream(void* states)
        : place((unsigned int*)states + blockIdx.x * blockDim.x + threadIdx.x) {}
    __WW_FUNCTION void load() {
        state.d = place[0];
        for (int i = 0; i < 5; ++i) state.v[i] = place[(i + 1) * __WW_XORWOW_STREAMS];
    }
    __WW_FUNCTION void store() const {
        place[0] = state.d;
        for (int i = 0; i < 5; ++i) place[(i + 1) * __WW_XORWOW_STREAMS] = state.v[i];
    }
    __WW_FUNCTION __ww_drawn_words next() {
        __ww_drawn_words result;
        result.words.x = curand(&state);
        result.words.y = curand(&state);
        result.words.z = curand(&state);
        result.words.w = curand(&state);
        return result;
    }
};

// States of a seed, `jumps` jumps on, behind `position` blocks.
__WW_FUNCTION void __ww_xorwow_start(void* states, unsigned long long seed,
                                     unsigned long long position, unsigned long long jumps) {
    __ww_xorwow_stream stream(states);
    const unsigned long long own = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, jumps * __WW_XORWOW_STREAMS + own, position << 2, &stream.state);
    stream.store();
}

__WW_FUNCTION long long __ww_xorwow_element(long long row, unsigned int items, unsigned int item) {
    const long long tile = row * __WW_XORWOW_BLOCKS + blockIdx.x;
    return (tile * items + item) * __WW_XORWOW_THREADS + threadIdx.x;
}
