// Python objects as what random numbers take: seeds, and sequences of numbers.
//
// Everything needs the GIL and throws ArgumentError that says what was expected.
#pragma once

#include <cstdint>
#include <optional>
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

// Numbers of an array or of nested sequences, in C order; `extents` gets their shape.
std::vector<double> doubles_of(nb::handle object, const char* role,
                               std::vector<std::int64_t>& extents);

}  // namespace warpwise::python
