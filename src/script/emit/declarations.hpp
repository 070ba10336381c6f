// Where the variables of a function are declared: as far inside as their uses allow.
//
// Threading: pure.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "src/script/typed.hpp"

namespace warpwise::script {

struct Declarations {
    // Declared by the assignment that gives the first value.
    std::set<const Statement*> at_assignment;
    // Declared at the head of a block; in no order until they have their names.
    std::map<const Block*, std::vector<Variable*>> at_head;
};

// Of all variables of a function's statements but parameters and temporaries. `at_top`: all of them
// at the head of the function.
Declarations place_declarations(const Block& body, bool at_top);

}  // namespace warpwise::script
