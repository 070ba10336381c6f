// Prints tests/unit/codegen/curand_golden.hpp: what NVIDIA's own <curand_kernel.h> returns on the
// host, for the tests of ours. Needs a CUDA toolkit, no GPU:
//
//     nvcc -O2 -Xcompiler -mfma,-ffp-contract=fast -o golden tools/curand_golden.cu
//     ./golden > tests/unit/codegen/curand_golden.hpp
#define QUALIFIERS static inline __host__ __device__
#include <curand_kernel.h>

#include <cstdio>
#include <cstring>
#include <random>

namespace {

typedef unsigned long long Long;

std::mt19937_64 engine(2024);

Long any(int i, int count) {
    const Long special[] = {0, 1, 2, 15, 16, 1000003, 1ull << 33, ~0ull};
    return i < count / 2 ? special[engine() % 8] : engine() >> (engine() % 64);
}
template <class State>
Long hash_of(State* state) {
    Long hash = 0;
    for (int i = 0; i < 1000; ++i) hash = (hash ^ curand(state)) * 0x100000001b3ull;
    return hash;
}
// cuRAND's MRG32k3a has tables for the 2^51 subsequences of a sequence.
template <class State>
void words(const char* name, Long last_subsequence) {
    const int count = 24;
    std::printf("const GoldenWords k%sWords[] = {\n", name);
    for (int i = 0; i < count; ++i) {
        Long seed = any(i, count), subsequence = any(i, count) & last_subsequence;
        Long offset = any(i, count);
        Long sequences = any(i, count), steps = any(i, count);
        State state;
        curand_init(seed, subsequence, offset, &state);
        Long first = hash_of(&state);
        skipahead_sequence(sequences, &state);
        skipahead(steps, &state);
        std::printf("    {0x%llxu, 0x%llxu, 0x%llxu, 0x%llxu, 0x%llxu, 0x%llxu, 0x%llxu},\n", seed,
                    subsequence, offset, first, sequences, steps, hash_of(&state));
    }
    std::printf("};\n");
}
// Four to a line.
template <class T>
void show(T value) {
    static int shown = 0;
    std::printf("%s%a,", shown++ % 4 == 0 ? "\n    " : " ", static_cast<double>(value));
}
// Eight of each distribution from one state, in the order of the test.
template <class State>
void numbers(const char* name) {
    State state;
    curand_init(20240229, 77, 3, &state);
    std::printf("const double k%sNumbers[] = {", name);
    for (int i = 0; i < 8; ++i) show(curand_uniform(&state));
    for (int i = 0; i < 8; ++i) show(curand_uniform_double(&state));
    for (int i = 0; i < 8; ++i) show(curand_normal(&state));
    for (int i = 0; i < 8; ++i) show(curand_normal_double(&state));
    for (int i = 0; i < 8; ++i) show(curand_normal2(&state).y);
    for (int i = 0; i < 8; ++i) show(curand_normal2_double(&state).y);
    for (int i = 0; i < 8; ++i) show(curand_log_normal(&state, 0.5f, 1.5f));
    for (int i = 0; i < 8; ++i) show(curand_log_normal_double(&state, 0.5, 1.5));
    for (int i = 0; i < 8; ++i) show(curand_poisson(&state, 0.75 * (i + 1)));
    for (int i = 0; i < 8; ++i) show(curand_poisson(&state, 4001.0 * (i + 1)));
    std::printf("};\n");
}
void philox_fours() {
    curandStatePhilox4_32_10_t state;
    std::printf("const double kPhiloxFours[] = {");
    for (int used = 0; used < 4; ++used) {
        curand_init(99, used, used, &state);
        uint4 a = curand4(&state);
        show(a.x), show(a.y), show(a.z), show(a.w);
        float4 b = curand_uniform4(&state);
        show(b.x), show(b.y), show(b.z), show(b.w);
        float4 c = curand_normal4(&state);
        show(c.x), show(c.y), show(c.z), show(c.w);
        float4 d = curand_log_normal4(&state, 0.5f, 0.25f);
        show(d.x), show(d.y), show(d.z), show(d.w);
        double2 e = curand_uniform2_double(&state);
        show(e.x), show(e.y);
        uint4 p = curand_poisson4(&state, 5.0);
        show(p.x), show(p.y), show(p.z), show(p.w);
        p = curand_poisson4(&state, 5000.0);
        show(p.x), show(p.y), show(p.z), show(p.w);
    }
    std::printf("};\n");
}
template <class State, class Word>
void sobol(const char* name, bool scrambled, void (*init)(Word*, Word, Word, State*)) {
    std::printf("const Long k%sWords[] = {", name);
    for (int i = 0; i < 8; ++i) {
        Word vectors[8 * sizeof(Word)], seed = 88172645463325252ull + i;
        for (Word& v : vectors) v = seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        State state;
        Word offset = static_cast<Word>(any(i, 8));
        init(vectors, scrambled ? vectors[3] : 0, offset, &state);
        Long first = hash_of(&state);
        skipahead<State*>(12345u * i, &state);
        std::printf("\n    0x%llxu, 0x%llxu, 0x%llxu,", static_cast<Long>(offset), first,
                    hash_of(&state));
    }
    std::printf("};\n");
}
template <class State, class Word>
void plain(Word* vectors, Word, Word offset, State* state) {
    curand_init(vectors, offset, state);
}
template <class State, class Word>
void scrambled(Word* vectors, Word scramble, Word offset, State* state) {
    curand_init(vectors, scramble, offset, state);
}

}  // namespace

int main() {
    std::printf(
        "// What NVIDIA's <curand_kernel.h> (CUDA %d.%d) returns on the host. Written by\n"
        "// tools/curand_golden.cu.\n#pragma once\n\n// clang-format off\nnamespace "
        "warpwise::tests {\n\n"
        "typedef unsigned long long Long;\n\n"
        "// A hash of 1000 words after curand_init, then of 1000 after both skips.\n"
        "struct GoldenWords {\n"
        "    Long seed, subsequence, offset, hash, sequences, steps, hash_after;\n};\n\n",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    words<curandStateXORWOW_t>("Xorwow", ~0ull);
    words<curandStatePhilox4_32_10_t>("Philox", ~0ull);
    words<curandStateMRG32k3a_t>("Mrg32k3a", (1ull << 51) - 1);
    std::printf("\n// Eight numbers of each distribution.\n");
    numbers<curandStateXORWOW_t>("Xorwow");
    numbers<curandStatePhilox4_32_10_t>("Philox");
    numbers<curandStateMRG32k3a_t>("Mrg32k3a");
    philox_fours();
    std::printf("\n// Offset, hash of 1000 words, and after a skip, for eight sets of vectors.\n");
    typedef unsigned int Word;
    sobol<curandStateSobol32_t, Word>("Sobol32", false, plain);
    sobol<curandStateScrambledSobol32_t, Word>("ScrambledSobol32", true, scrambled);
    sobol<curandStateSobol64_t, Long>("Sobol64", false, plain);
    sobol<curandStateScrambledSobol64_t, Long>("ScrambledSobol64", true, scrambled);
    std::printf("\n}  // namespace warpwise::tests\n");
}
