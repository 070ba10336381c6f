// Sums of multiples of variables, and what they are at least where variables are known to be apart.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "src/script/narrow/state.hpp"

namespace warpwise::script {

// The sum of variables, by their numbers, times factors, and of some number of `rest`, divided by
// 2^shift and rounded down or up: a number of Python's, of any size.
struct Linear {
    std::map<std::size_t, Wide> factors;
    Interval rest{0, 0};
    int shift = 0;
    bool rounds_up = false;

    bool operator==(const Linear&) const = default;
};

Linear negated(Linear value);
// Empty: it has no such form, or factors beyond 2^40.
std::optional<Linear> sum(const Linear& a, const Linear& b);
std::optional<Linear> times(Linear value, Wide factor);
// Divided by 2^places and rounded down.
std::optional<Linear> shifted_right(Linear value, int places);

// In a state in which its variables are assigned.
Wide least_of(const Linear& value, const State& state);
Interval bounds_of(const Linear& value, const State& state);

}  // namespace warpwise::script
