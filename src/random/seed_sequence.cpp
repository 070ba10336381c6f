// SeedSequence: M. E. O'Neill, "Developing a seed_seq Alternative", 2015, with NumPy's constants.
#include <fmt/format.h>

#include <random>

#include "src/array/refuse.hpp"
#include "src/random/generator_seed.hpp"
#include "warpwise/random.hpp"

namespace warpwise::random {
namespace {

constexpr std::uint32_t kXorShift = 16;

// Hashes a word with a constant that changes from word to word.
class Hash {
  public:
    Hash(std::uint32_t first, std::uint32_t factor) : constant_(first), factor_(factor) {}
    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant_;
        constant_ *= factor_;
        value *= constant_;
        return value ^ value >> kXorShift;
    }

  private:
    std::uint32_t constant_;
    std::uint32_t factor_;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    constexpr std::uint32_t kLeft = 0xCA01F9DDu;
    constexpr std::uint32_t kRight = 0x4973F715u;
    const std::uint32_t result = kLeft * x - kRight * y;
    return result ^ result >> kXorShift;
}

std::vector<std::uint32_t> words_of_system(std::size_t count) {
    std::random_device device;
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t& word : words) word = device();
    return words;
}

std::vector<std::uint32_t> pool_of(const SeedSequence& sequence) {
    std::vector<std::uint32_t> entropy = sequence.entropy();
    const std::size_t size = sequence.pool_size();
    const auto& key = sequence.spawn_key();
    // A key must not be taken for more entropy.
    if (!key.empty() && entropy.size() < size) entropy.resize(size, 0);
    entropy.insert(entropy.end(), key.begin(), key.end());
    Hash hash(0x43B0D7E5u, 0x931E8875u);
    std::vector<std::uint32_t> pool(size);
    for (std::size_t i = 0; i < size; ++i) pool[i] = hash(i < entropy.size() ? entropy[i] : 0);
    for (std::size_t from = 0; from < size; ++from) {
        for (std::size_t to = 0; to < size; ++to) {
            if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    for (std::size_t i = size; i < entropy.size(); ++i) {
        for (std::uint32_t& word : pool) word = mix(word, hash(entropy[i]));
    }
    return pool;
}

}  // namespace

SeedSequence::SeedSequence() : SeedSequence(words_of_system(4)) {}

SeedSequence::SeedSequence(std::vector<std::uint32_t> entropy, std::vector<std::uint32_t> spawn_key,
                           std::uint32_t pool_size)
    : entropy_(std::move(entropy)), spawn_key_(std::move(spawn_key)), pool_size_(pool_size) {
    constexpr std::uint32_t kLeast = 4;
    if (pool_size < kLeast) {
        array::refuse_value("SeedSequence got pool_size={}; it must be {} or more", pool_size,
                            kLeast);
    }
    // Zeros at the upper end are no entropy, as in NumPy's numbers.
    while (entropy_.size() > 1 && entropy_.back() == 0) entropy_.pop_back();
    if (entropy_.empty()) entropy_.push_back(0);
}

SeedSequence SeedSequence::of(std::uint64_t seed) {
    return SeedSequence({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

std::vector<std::uint32_t> SeedSequence::generate_state(std::size_t words) const {
    const std::vector<std::uint32_t> pool = pool_of(*this);
    Hash hash(0x8B51F9DDu, 0x58F38DEDu);
    std::vector<std::uint32_t> state(words);
    for (std::size_t i = 0; i < words; ++i) state[i] = hash(pool[i % pool.size()]);
    return state;
}

std::vector<SeedSequence> SeedSequence::spawn(std::size_t count) {
    std::vector<SeedSequence> children;
    children.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::uint32_t> key = spawn_key_;
        key.push_back(static_cast<std::uint32_t>(children_++));
        children.emplace_back(entropy_, std::move(key), pool_size_);
    }
    return children;
}

std::uint64_t key_of(const SeedSequence& seed) {
    const std::vector<std::uint32_t> words = seed.generate_state(2);
    return words[0] | std::uint64_t{words[1]} << 32;
}

std::vector<SeedSequence> spawned_of(std::optional<SeedSequence>& seed, std::size_t count) {
    if (!seed) {
        array::refuse_type(
            "spawn needs a seed sequence, which a generator made of a state does not have; "
            "make it of a seed");
    }
    return seed->spawn(count);
}

}  // namespace warpwise::random
