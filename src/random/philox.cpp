// The bit generator: its state, and its words on the host.
#include "src/random/philox.hpp"

#include <utility>

#include "src/base/mutex.hpp"
#include "src/random/generator_seed.hpp"

namespace warpwise::random {
namespace {

constexpr std::uint64_t kTile = 1024;  // elements, and blocks at most

}  // namespace

PhiloxBlock philox_block(const PhiloxState& state, std::uint64_t block, std::uint32_t attempt) {
    constexpr std::uint64_t kFactors[] = {0xD2511F53u, 0xCD9E8D57u};
    constexpr std::uint32_t kWeyl[] = {0x9E3779B9u, 0xBB67AE85u};
    constexpr int kRounds = 10;
    PhiloxBlock c{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                  attempt, state.jumps};
    std::uint32_t k0 = static_cast<std::uint32_t>(state.key);
    std::uint32_t k1 = static_cast<std::uint32_t>(state.key >> 32);
    for (int round = 0; round < kRounds; ++round, k0 += kWeyl[0], k1 += kWeyl[1]) {
        const std::uint64_t a = kFactors[0] * c[0];
        const std::uint64_t b = kFactors[1] * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    }
    return c;
}

std::uint32_t HostWords::word() {
    if (used_ == words_.size()) {
        words_ = philox_block(state_, state_.position + block_++, 0);
        used_ = 0;
    }
    return words_[used_++];
}

std::uint64_t HostWords::below(std::uint64_t count) {
    const std::uint64_t threshold = (0 - count) % count;
    for (;;) {
        const std::uint64_t high = word();
        const std::uint64_t value = high << 32 | word();
        const auto product = static_cast<unsigned __int128>(value) * count;
        if (static_cast<std::uint64_t>(product) >= threshold) {
            return static_cast<std::uint64_t>(product >> 64);
        }
    }
}

double HostWords::unit() {
    const std::uint64_t high = word();
    const std::uint64_t value = high << 32 | word();
    return (static_cast<double>(value >> 12) + 0.5) * 0x1p-52;
}

struct Philox::Shared {
    Mutex mutex;
    PhiloxState state WARPWISE_GUARDED_BY(mutex);
    std::optional<SeedSequence> seed WARPWISE_GUARDED_BY(mutex);
};

Philox::Philox() : Philox(SeedSequence()) {}

Philox::Philox(const SeedSequence& seed) : shared_(std::make_shared<Shared>()) {
    const std::uint64_t key = key_of(seed);
    MutexLock lock(shared_->mutex);
    shared_->state.key = key;
    shared_->seed = seed;
}

Philox::Philox(const PhiloxState& state) : shared_(std::make_shared<Shared>()) {
    MutexLock lock(shared_->mutex);
    shared_->state = state;
}

PhiloxState Philox::state() const {
    MutexLock lock(shared_->mutex);
    return shared_->state;
}

void Philox::set_state(const PhiloxState& state) {
    MutexLock lock(shared_->mutex);
    shared_->state = state;
}

Philox Philox::jumped(std::uint32_t count) const {
    PhiloxState state = this->state();
    state.jumps += count;
    return Philox(state);
}

void Philox::advance(std::uint64_t blocks) {
    MutexLock lock(shared_->mutex);
    shared_->state.position += blocks;
}

std::optional<SeedSequence> Philox::seed_sequence() const {
    MutexLock lock(shared_->mutex);
    return shared_->seed;
}

std::vector<Philox> Philox::spawn(std::size_t count) {
    std::vector<SeedSequence> seeds;
    {
        MutexLock lock(shared_->mutex);
        seeds = spawned_of(shared_->seed, count);
    }
    return {seeds.begin(), seeds.end()};
}

std::vector<std::uint32_t> Philox::random_raw(std::size_t words) {
    const PhiloxState state = take(static_cast<std::int64_t>(words));
    constexpr std::size_t kLanes = 256;
    std::vector<std::uint32_t> result(words);
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t block = i / kTile * kLanes + i % kLanes;
        result[i] = philox_block(state, state.position + block, 0)[i / kLanes % 4];
    }
    return result;
}

PhiloxState Philox::take(std::int64_t elements) {
    MutexLock lock(shared_->mutex);
    const PhiloxState state = shared_->state;
    const auto count = static_cast<std::uint64_t>(elements);
    shared_->state.position += (count + kTile - 1) / kTile * kTile;
    return state;
}

}  // namespace warpwise::random
