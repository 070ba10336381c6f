// Whole numbers of 64 bits that need no more than 32 are computed with 32, in the statements of an
// instance: bounds follow from types in memory, constants, conditions, loops and what a launch
// has. The results are the same.
//
// Threading: pure.
#pragma once

#include <map>
#include <vector>

#include "src/script/narrow/interval.hpp"
#include "src/script/program.hpp"

namespace warpwise::script {

struct NarrowOptions {
    bool zero_unset = false;
    bool is_small_launch = false;
    bool reinterprets = false;         // the program: see reinterprets()
    std::vector<Interval> parameters;  // of the instance's; empty ones are of their type
};

// Whether it shows arrays as ones of another element, which may have more items.
bool reinterprets(const Block& body);

// Changes the types of variables and the body. Returns what it calls others with.
std::map<const Instance*, std::vector<Interval>> narrow(Instance& instance,
                                                        const NarrowOptions& options);

}  // namespace warpwise::script
