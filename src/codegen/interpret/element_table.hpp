// What the interpreter runs: for each op and kind a loop over a chunk of elements, compiled with
// the library from the headers that kernels use (src/codegen/device/), once for each level of the
// processor. The same functions, so the same bits.
//
// Included by code for levels above the library's own: no standard library here, whose inline
// functions the linker would share with the rest.
//
// Threading: constants.
#pragma once

#include <cstddef>

namespace warpwise::codegen::interpret {

enum : int {
#define WARPWISE_OP(Name, ...) kOpNumber##Name,
#include "src/ir/ops.def"
#undef WARPWISE_OP
    kOps
};

// The kinds that are interpreted, by number.
enum ElementKind : int { kBool, kInt32, kInt64, kFloat32, kFloat64, kKinds };

// As codegen::Reduce, in its order.
inline constexpr int kReducers = 9;

// result[i] from a[i], b[i], c[i]. The result may be the memory of an operand.
using ApplyLoop = void (*)(void* result, const void* a, const void* b, const void* c,
                           std::size_t count);

// Elements that a thread of a reduction takes before it merges them into its state.
inline constexpr int kBatch = 8;

struct ReduceLoops {
    std::size_t state_bytes = 0;  // 0: not interpreted
    void (*clear)(void* states, std::size_t count) = nullptr;
    // One batch of each of `lanes` states: state l takes values[i * lanes + l] for i from 0 on, as
    // far as that is below `points`, at most kBatch of them, and merges them at once. The number of
    // such an element is first + l * by_lane + i * by_item.
    void (*take)(void* states, const void* values, long long first, long long by_lane,
                 long long by_item, std::size_t lanes, std::size_t points) = nullptr;
    void (*merge)(void* states, const void* others, std::size_t count) = nullptr;
    void (*result)(void* results, const void* states, std::size_t count) = nullptr;
};

// Of one kind of computation. Null where the op's rule refuses the kind.
struct KindRow {
    ApplyLoop apply[kOps] = {};
    ApplyLoop cast[kKinds] = {};  // of `a`, to each kind
    ReduceLoops reduce[kReducers] = {};
};

struct ElementTable {
    const KindRow* kinds[kKinds] = {};
};

// Of the level that kernels of this process are compiled for.
const ElementTable& element_table();

}  // namespace warpwise::codegen::interpret
