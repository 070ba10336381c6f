// Which assignments reach which uses of a function's variables, found before types are known.
//
// Assignments that reach a common use are one variable; a name that is used for several purposes
// one after the other becomes several variables, which may differ in type.
//
// Threading: pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/script/syntax.hpp"

namespace warpwise::script {

struct Flow {
    // By the node: a Name, an arg, a FunctionDef, a MatchAs ... The number of its variable.
    std::unordered_map<const Syntax*, std::size_t> variable_of;
    std::set<const Syntax*> maybe_unset;   // uses that a path reaches without an assignment
    std::set<const Syntax*> used_after;    // For: its variable lives on behind the loop's body
    std::set<std::string> locals;          // names that the function assigns
    std::set<std::string> changed;         // names of which it, or a function in it, assigns items
    std::set<std::string> grown;           // names whose append() or extend() it calls
    std::set<std::string> lists;           // names that get a list that is written there
    std::vector<std::size_t> assignments;  // of each variable: how many, its parameter included
    // What local functions and lambdas take from the function around them, by their node.
    std::unordered_map<const Syntax*, std::vector<const Syntax*>> captures;
};

// `truth`: of a condition that is known before the function runs: 1, 0, or -1 where it is not.
// `outer`: what the function captures, which functions in it may read too.
Flow analyse_flow(const Syntax& function, const std::vector<std::string>& outer,
                  const std::function<int(const Syntax&)>& truth);

// flow_names.cpp: by the syntax alone.
bool is_function(const Syntax& node);  // or a lambda
bool is_comprehension(const Syntax& node);
// f(x)[i], (a @ b)[i], unless names are assigned in it by :=.
bool is_item_of_computed(const Syntax& node);

// Adds the names that the syntax assigns, and those that nonlocal and global declare.
void collect_names(const Syntax& value, std::set<std::string>& names, std::set<std::string>& free);
// Names that a function (or lambda) assigns or takes as parameters.
std::set<std::string> local_names(const Syntax& function);
// The same without its parameters, unless it assigns them.
std::set<std::string> assigned_names(const Syntax& function);
// Names of which it, or a function in it, assigns items, and other names of the same.
std::set<std::string> changed_names(const Syntax& function);
// Names whose append() or extend() it calls.
std::set<std::string> grown_names(const Syntax& function);
// Names that get a list that is written there, and other names of the same.
std::set<std::string> listed_names(const Syntax& function);
// The parameters of a function in order: the `arg` nodes.
std::vector<const Syntax*> parameters_of(const Syntax& function);

}  // namespace warpwise::script
