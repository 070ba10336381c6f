// Compiled kernels of Python functions, and the types of their arguments.
//
// Threading: states are immutable; functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/graph/graph.hpp"
#include "src/script/translate.hpp"
#include "warpwise/python_function.hpp"

namespace warpwise::runtime {
class Context;
class KernelState;
}  // namespace warpwise::runtime

namespace warpwise::array {

inline constexpr std::size_t kMostArgumentBytes = 4000;  // what a GPU takes

struct PythonKernelState {
    script::Translated translated;
    std::string types;
    runtime::Context* context = nullptr;
    std::shared_ptr<runtime::KernelState> state;
    Kernel kernel;
    std::vector<bool> written;                    // by argument
    bool takes_small = false;                     // only small launches: see is_small()
    std::vector<int> last_extents;                // of arguments where it is launched; 0: any
    std::weak_ptr<PythonFunctionState> function;  // has the kernel that takes others too
};

// The axes of a field that is an array, and what its elements are.
std::pair<std::vector<std::size_t>, DType> field_axes(const StructField& field);

// Throws ArgumentError for what no kernel takes.
// `number` of the argument, from 1, for what is none: ArgumentError.
script::Type type_of(const KernelOperand& operand, std::size_t number);
// Whether the operand is of exactly this type, found without making the type of it; false where
// that would take a while.
bool is_plainly_of(const KernelOperand& operand, script::Type type) noexcept;
// What most launches are, so that kernels count and index with 32 bits and no index is from the end
// of an array: see script::TranslateOptions::is_small_launch. `types` are the operands'.
bool is_small(std::span<const KernelOperand> operands,
              const std::vector<script::Type>& types) noexcept;
bool is_small(const LaunchConfig& config) noexcept;

// How many items the last axis has, where they are few; else 0. Pixels, points and their like have
// few, and a kernel that knows how many finds its way by constants.
inline int few_items(const KernelOperand& operand) noexcept {
    const Array* const array = operand.array();
    if (array == nullptr) return 0;
    const Shape& shape = array->value().view.shape;
    if (shape.size() < 2) return 0;
    const std::int64_t last = shape[shape.size() - 1];
    return last <= 4 ? static_cast<int>(last) : 0;
}

// The kernel of the same types that takes all numbers and arrays.
std::shared_ptr<const PythonKernelState> general_kernel(const PythonKernelState& kernel);

}  // namespace warpwise::array
