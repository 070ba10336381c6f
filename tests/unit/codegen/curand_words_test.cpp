// The generators of <curand_kernel.h> give cuRAND's words from every seed, subsequence and offset,
// and jumps land where steps do.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <random>

#include "tests/unit/codegen/curand_golden.hpp"
#include "tests/unit/codegen/curand_shim.hpp"

namespace warpwise::tests {

namespace {

template <class State>
Long hash_of_1000(State& state) {
    Long hash = 0;
    for (int i = 0; i < 1000; ++i) hash = (hash ^ curand(&state)) * 0x100000001b3u;
    return hash;
}

template <class State, std::size_t n>
void expect_words(const GoldenWords (&golden)[n]) {
    for (const GoldenWords& g : golden) {
        State state;
        curand_init(g.seed, g.subsequence, g.offset, &state);
        EXPECT_EQ(hash_of_1000(state), g.hash) << g.seed << ' ' << g.subsequence << ' ' << g.offset;
        skipahead_sequence(g.sequences, &state);
        skipahead(g.steps, &state);
        EXPECT_EQ(hash_of_1000(state), g.hash_after) << g.sequences << ' ' << g.steps;
    }
}

// Offset, hash, hash after a skip, for eight sets of direction vectors.
template <class State, class Word, class Init>
void expect_sobol_words(const Long (&golden)[24], Init init) {
    for (unsigned i = 0; i < 8; ++i) {
        Word vectors[8 * sizeof(Word)];
        Word seed = static_cast<Word>(88172645463325252u + i);
        for (Word& v : vectors) {
            v = seed = static_cast<Word>(seed * 6364136223846793005u + 1442695040888963407u);
        }
        State state;
        init(vectors, static_cast<Word>(golden[3 * i]), &state);
        EXPECT_EQ(hash_of_1000(state), golden[3 * i + 1]);
        skipahead<State*>(12345u * i, &state);
        EXPECT_EQ(hash_of_1000(state), golden[3 * i + 2]);
    }
}

template <class State>
class Jumps : public testing::Test {};
using Pseudorandom =
    testing::Types<curandStateXORWOW, curandStatePhilox4_32_10, curandStateMRG32k3a>;
TYPED_TEST_SUITE(Jumps, Pseudorandom);

// The distance of a subsequence, as a power of two.
constexpr int distance(const curandStateXORWOW*) {
    return 67;
}
constexpr int distance(const curandStatePhilox4_32_10*) {
    return 66;
}
constexpr int distance(const curandStateMRG32k3a*) {
    return 76;
}

}  // namespace

TEST(Xorwow, GivesCurandsWords) {
    expect_words<curandStateXORWOW>(kXorwowWords);
}
TEST(Philox, GivesCurandsWords) {
    expect_words<curandStatePhilox4_32_10>(kPhiloxWords);
}
TEST(Mrg32k3a, GivesCurandsWords) {
    expect_words<curandStateMRG32k3a>(kMrg32k3aWords);
}

TEST(Sobol, GivesCurandsWords) {
    auto plain = [](const auto* vectors, auto offset, auto* state) {
        curand_init(vectors, offset, state);
    };
    expect_sobol_words<curandStateSobol32, unsigned>(kSobol32Words, plain);
    expect_sobol_words<curandStateSobol64, Long>(kSobol64Words, plain);
}
TEST(ScrambledSobol, GivesCurandsWords) {
    auto scrambled = [](const auto* vectors, auto offset, auto* state) {
        curand_init(vectors, vectors[3], offset, state);
    };
    expect_sobol_words<curandStateScrambledSobol32, unsigned>(kScrambledSobol32Words, scrambled);
    expect_sobol_words<curandStateScrambledSobol64, Long>(kScrambledSobol64Words, scrambled);
}

TYPED_TEST(Jumps, LandWhereStepsDo) {
    std::mt19937 engine(1);
    for (int i = 0; i < 50; ++i) {
        TypeParam jumped, stepped, from_the_start;
        unsigned n = engine() % 5000;
        curand_init(i, 3, 0, &jumped);
        stepped = jumped;
        skipahead(n, &jumped);
        for (unsigned k = 0; k < n; ++k) curand(&stepped);
        curand_init(i, 3, n, &from_the_start);
        EXPECT_EQ(curand(&jumped), curand(&stepped)) << n;
        EXPECT_EQ(hash_of_1000(jumped), (curand(&from_the_start), hash_of_1000(from_the_start)));
    }
}
TYPED_TEST(Jumps, AddUp) {
    std::mt19937_64 engine(2);
    for (int i = 0; i < 20; ++i) {
        Long a = engine() >> 1, b = engine() >> 1;
        TypeParam once, twice;
        curand_init(7, 7, 7, &once);
        twice = once;
        skipahead(a + b, &once);
        skipahead(a, &twice);
        skipahead(b, &twice);
        EXPECT_EQ(hash_of_1000(once), hash_of_1000(twice)) << a << ' ' << b;
    }
}
TYPED_TEST(Jumps, ReachTheNextSubsequenceByPowersOfTwo) {
    TypeParam jumped, next;
    curand_init(11, 4, 0, &jumped);
    curand_init(11, 5, 0, &next);
    for (int i = 0; i < 1 << (distance(&jumped) - 63); ++i) skipahead(1ull << 63, &jumped);
    EXPECT_EQ(hash_of_1000(jumped), hash_of_1000(next));
}

TEST(Mrg32k3a, HasSubsequencesOf2To76WordsAndSequencesOf2To127) {
    curandStateMRG32k3a by_subsequences, by_sequence;
    curand_init(3, 0, 0, &by_subsequences);
    by_sequence = by_subsequences;
    skipahead_subsequence(1ull << 51, &by_subsequences);
    skipahead_sequence(1, &by_sequence);
    EXPECT_EQ(hash_of_1000(by_subsequences), hash_of_1000(by_sequence));
}

TEST(Philox, MakesTheSameFourWordsAtOnceAsOneByOne) {
    for (int used = 0; used < 4; ++used) {
        curandStatePhilox4_32_10 fours, ones;
        curand_init(5, 6, 1000 + used, &fours);
        ones = fours;
        for (int i = 0; i < 10; ++i) {
            uint4 words = curand4(&fours);
            for (unsigned word : {words.x, words.y, words.z, words.w}) {
                EXPECT_EQ(word, curand(&ones));
            }
        }
    }
}

TEST(Sobol, VisitsEveryIntervalOnce) {
    // The first dimension: vectors are single bits, and 2^k points fall into 2^k intervals.
    std::array<unsigned, 32> vectors;
    for (unsigned k = 0; k < 32; ++k) vectors[k] = 0x80000000u >> k;
    curandStateSobol32 state;
    curand_init(vectors.data(), 1u << 10, &state);
    std::array<int, 1024> visits{};
    for (int i = 0; i < 1024; ++i) ++visits[curand(&state) >> 22];
    for (int count : visits) EXPECT_EQ(count, 1);
}

TEST(RandomStates, HaveCurandsSizes) {
    EXPECT_EQ(sizeof(curandState), 48u);
    EXPECT_EQ(sizeof(curandStatePhilox4_32_10_t), 64u);
    EXPECT_EQ(sizeof(curandStateMRG32k3a_t), 48u);
    EXPECT_EQ(sizeof(curandStateSobol32_t), 140u);
    EXPECT_EQ(sizeof(curandStateScrambledSobol64_t), 536u);
}

}  // namespace warpwise::tests
