// Variables that a loop only adds to: a bounded number of turns bounds them.
//
// Threading: pure functions.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "src/script/typed.hpp"

namespace warpwise::script {

// v = v + e or v = v - e.
struct Step {
    const Statement* assignment = nullptr;
    std::vector<const Statement*> loops;  // inside of the loop, around the assignment
};
using Steps = std::map<const Variable*, std::vector<Step>>;

// What is added; null where the statement is no step.
ExpressionRef added(const Statement& assignment, bool& is_subtracted);
// What the body of a loop does with variables.
struct Changes {
    Steps steps;                         // of those that a turn changes in no other way
    std::set<const Variable*> assigned;  // all that it assigns
};
Changes changes_of(const Statement& loop);

}  // namespace warpwise::script
