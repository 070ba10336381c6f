// One draft of a plan as what code generation takes: a group, and where its operands lie.
//
// Iteration axes are the draft's, without those of extent 1, ordered so that the first store is
// written without gaps (reductions: kept axes, then reduced ones, as the program has them), and
// merged where every operand steps through two as through one. So kernels are the same for many
// shapes.
//
// Threading: under the lock, valid as long as the plan.
#pragma once

#include <vector>

#include "src/codegen/group.hpp"
#include "src/graph/plan.hpp"

namespace warpwise::graph {

// An operand of a kernel. Its memory is known when what it belongs to has run.
struct Leaf {
    Node* node = nullptr;
    Access access;
    Kind kind = Kind::Void;
    bool is_counter = false;  // the number of the element of a Draw, nothing in memory
    bool gathered = false;
    friend bool operator==(const Leaf&, const Leaf&) = default;
};

// Where a number of a launch comes from: scalars[number] of a node, or, where that is null, from
// how nodes read each other.
struct NumberSource {
    const Node* node = nullptr;
    std::size_t number = 0;
    Kind kind = Kind::Void;
};

struct DraftKernel {
    codegen::Group group;
    // Strides and extents are complete, addresses are 0.
    codegen::Binding binding;
    std::vector<NumberSource> numbers;        // as binding.scalars
    std::vector<Leaf> inputs;                 // as group.inputs
    std::vector<Leaf> kept_inputs;            // as group.kept_inputs
    std::vector<Node*> stores;                // as group.stores
    std::vector<Node*> kept_stores;           // as group.kept_stores
    std::vector<std::int64_t> input_offsets;  // bytes from the start of the memory, as inputs
    std::vector<std::int64_t> store_offsets;  // as stores
};

// Of a draft that is not opaque.
DraftKernel make_kernel(const Plan& plan, const Draft& draft);

}  // namespace warpwise::graph
