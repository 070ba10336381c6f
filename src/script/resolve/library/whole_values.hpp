// Expressions over whole arrays, by the leaves of their syntax.
//
// Threading: plain values.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/script/syntax.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

struct WholeValue {
    struct Leaf {
        const Syntax* node = nullptr;
        ExpressionRef given = nullptr;
        ExpressionRef value = nullptr;  // the same in a variable
        // Of an array that lies nowhere, of which `value` has the shape: its element at a place,
        // with lines that compute it, and the arrays that it is computed from.
        std::function<ExpressionRef(const std::vector<ExpressionRef>&, Block&)> at = nullptr;
        std::vector<std::pair<ExpressionRef, const Syntax*>> sources;
        bool is_chosen = false;     // x of x[mask]
        bool is_condition = false;  // of the mask
        bool is_running = false;    // its elements are asked for in their order, each once
    };
    std::vector<Leaf> leaves;
    const Syntax* mask = nullptr;   // of x[mask]: which elements there are
    ExpressionRef shape = nullptr;  // the array whose shape the value has
};

}  // namespace warpwise::script
