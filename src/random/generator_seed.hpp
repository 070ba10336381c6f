// What bit generators make of seed sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "warpwise/random.hpp"

namespace warpwise::random {

// The first 64 bits of its state.
std::uint64_t key_of(const SeedSequence& seed);
// Children of a generator's seed; throws ArgumentError where it was made of a state.
std::vector<SeedSequence> spawned_of(std::optional<SeedSequence>& seed, std::size_t count);

}  // namespace warpwise::random
