// Expressions over whole arrays, by the leaves of their syntax.
//
// Threading: plain values.
#pragma once

#include <vector>

#include "src/script/syntax.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

struct WholeValue {
    struct Leaf {
        const Syntax* node = nullptr;
        ExpressionRef given = nullptr;
        ExpressionRef value = nullptr;  // the same in a variable
    };
    std::vector<Leaf> leaves;
    ExpressionRef shape = nullptr;  // the array whose shape the value has
};

}  // namespace warpwise::script
