// Python objects as what random numbers take: seeds, and sequences of numbers.
//
// Everything needs the GIL and throws ArgumentError that says what was expected.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {

// None, an int of any size from 0 on, a sequence of them, or a SeedSequence, ours or NumPy's.
random::SeedSequence seed_of(nb::handle object, nb::handle spawn_key = {},
                             std::uint32_t pool_size = 4);
// An int from 0 to 2^64 - 1.
std::uint64_t word_of(nb::handle object, const char* role);
// The int that these words are, the lowest first.
nb::object integer_of_words(const std::vector<std::uint32_t>& words);

// How many: an int from 0 on.
std::size_t count_in(nb::handle object, const char* role);
// As a NumPy array of uint32, or of uint64 with the lower word of each first.
nb::object array_of_words(const std::vector<std::uint32_t>& words, const DType& kind);

// --- What the classes of bit generators share.
// A generator's state as a dict with these keys, of this version of streams; `name` has its article
// apart: "a", "Philox".
nb::dict checked_state(nb::handle object, const char* article, const char* name,
                       std::span<const char* const> keys);
template <class Bits>
nb::object seed_of_generator(const Bits& self) {
    const std::optional<random::SeedSequence> seed = self.seed_sequence();
    return seed ? nb::cast(*seed) : nb::none();
}
// Makes the generator that was pickled, in the place of `self`.
template <class Bits, class State>
void restore(Bits& self, const State& state, nb::handle seed) {
    if (seed.is_none()) {
        new (&self) Bits(state);
        return;
    }
    Bits made(nb::cast<random::SeedSequence>(seed));
    made.set_state(state);
    new (&self) Bits(made);
}

}  // namespace warpwise::python
