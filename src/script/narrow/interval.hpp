// Whole numbers from one to another, and what operators make of them.
//
// Threading: pure functions.
#pragma once

#include <string_view>

#include "src/script/type.hpp"

namespace warpwise::script {

using Wide = __int128;  // sums and products of numbers of 64 bits

struct Interval {
    Wide least = 1;
    Wide most = 0;

    bool operator==(const Interval&) const = default;
    bool is_empty() const noexcept { return least > most; }  // no value comes here
    bool is_within(const Interval& other) const noexcept {
        return is_empty() || (least >= other.least && most <= other.most);
    }
    bool is_natural() const noexcept { return !is_empty() && least >= 0; }
};

// Of a whole number's type.
Interval interval_of(Type type);
Interval joined(const Interval& a, const Interval& b);
Interval met(const Interval& a, const Interval& b);
// The values that are computed with the type's bits: all of the type's where some pass them.
Interval cut(const Interval& value, Type type);
// Farther than `to` in each direction in which it is beyond `from`: few steps lead to all numbers.
Interval widened(const Interval& from, const Interval& to);

Interval minimum(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);
Interval sum(const Interval& a, const Interval& b);
Interval difference(const Interval& a, const Interval& b);
Interval product(const Interval& a, const Interval& b);
// Of C++'s operators for whole numbers; quotients and remainders of natural numbers.
Interval infix_interval(std::string_view op, const Interval& a, const Interval& b, Type type);
// Python's, which round down.
Interval floor_quotient(const Interval& a, const Interval& b);
Interval floor_remainder(const Interval& a, const Interval& b);

}  // namespace warpwise::script
