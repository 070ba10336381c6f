// The parts of ww.random.Generator's binding.
#pragma once

#include "python/bindings/bindings.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {

// bytes, choice, permutation, shuffle, and distributions of several numbers at once.
void bind_generator_order(nb::class_<random::Generator>& scope);

}  // namespace warpwise::python
