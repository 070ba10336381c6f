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
// Variables that the body of a loop assigns.
std::set<const Variable*> assigned_in(const Statement& loop);
// Of variables that a turn of the loop changes in no other way.
Steps steps_of(const Statement& loop);

}  // namespace warpwise::script
