// Elementwise functions: operands, broadcasting, types, out=, where= and dtype=.
//
// Threading: any thread.
#pragma once

#include <span>

#include "src/ir/op.hpp"
#include "warpwise/array.hpp"

namespace warpwise {

struct Elementwise;

namespace array {

// What every function of array_elementwise.inc calls.
WARPWISE_API Array elementwise(ir::Op op, std::span<const Operand> operands,
                               const Elementwise& options);
// target = op(target, value), keeping target's type and memory.
WARPWISE_API void update(ir::Op op, Array& target, const Operand& value);

// `value`, converted to out's type where NumPy's same_kind rule allows it, is written to `out`,
// where `where` (may be null) is true. Throws ArgumentError naming `function`.
void write_out(Array& out, const Array& value, const Array* where, std::string_view function);

}  // namespace array
}  // namespace warpwise
