// Compiled kernels of Python functions, and the types of their arguments.
//
// Threading: states are immutable; functions are pure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
    std::vector<bool> written;  // by argument
};

// The axes of a field that is an array, and what its elements are.
std::pair<std::vector<std::size_t>, DType> field_axes(const StructField& field);

// Throws ArgumentError for what no kernel takes.
// `number` of the argument, from 1, for what is none: ArgumentError.
script::Type type_of(const KernelOperand& operand, std::size_t number);
// Whether the operand is of exactly this type, found without making the type of it; false where
// that would take a while.
bool is_plainly_of(const KernelOperand& operand, script::Type type) noexcept;

}  // namespace warpwise::array
