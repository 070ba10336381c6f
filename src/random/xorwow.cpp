// The bit generator XORWOW: its state, jumps and children.
#include "src/random/xorwow.hpp"

#include <utility>

#include "src/array/refuse.hpp"
#include "src/random/generator_seed.hpp"

namespace warpwise::random {
namespace {

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 62;
constexpr std::uint64_t kMostJumps = std::uint64_t{1} << 50;

XORWOWState checked(const XORWOWState& state) {
    if (state.position >= kMostBlocks) {
        array::refuse_value("XORWOW got position {}; it must be below 2^62", state.position);
    }
    if (state.jumps >= kMostJumps) {
        array::refuse_value("XORWOW got {} jumps; it has fewer than 2^50", state.jumps);
    }
    return state;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return b > ~a ? ~std::uint64_t{0} : a + b;
}

}  // namespace

XORWOW::XORWOW() : XORWOW(SeedSequence()) {}

XORWOW::XORWOW(const SeedSequence& seed) : shared_(std::make_shared<Shared>()) {
    const std::uint64_t key = key_of(seed);
    MutexLock lock(shared_->mutex);
    shared_->state.seed = key;
    shared_->seed = seed;
}

XORWOW::XORWOW(const XORWOWState& state) : shared_(std::make_shared<Shared>()) {
    MutexLock lock(shared_->mutex);
    shared_->state = checked(state);
}

XORWOWState XORWOW::state() const {
    MutexLock lock(shared_->mutex);
    return shared_->state;
}

void XORWOW::set_state(const XORWOWState& state) {
    MutexLock lock(shared_->mutex);
    shared_->state = checked(state);
}

XORWOW XORWOW::jumped(std::uint64_t count) const {
    XORWOWState state = this->state();
    state.jumps = sum(state.jumps, count);
    return XORWOW(state);
}

void XORWOW::advance(std::uint64_t blocks) {
    take(blocks);
}

std::optional<SeedSequence> XORWOW::seed_sequence() const {
    MutexLock lock(shared_->mutex);
    return shared_->seed;
}

std::vector<XORWOW> XORWOW::spawn(std::size_t count) {
    std::vector<SeedSequence> seeds;
    {
        MutexLock lock(shared_->mutex);
        seeds = spawned_of(shared_->seed, count);
    }
    return {seeds.begin(), seeds.end()};
}

XORWOWState XORWOW::take(std::uint64_t blocks) {
    MutexLock lock(shared_->mutex);
    const XORWOWState before = shared_->state;
    XORWOWState after = before;
    after.position = sum(before.position, blocks);
    shared_->state = checked(after);
    return before;
}

}  // namespace warpwise::random
