// What follows from the block's shape and from alignment about 32-bit indices: that they cannot
// wrap between the lanes of a gang, so that they may be widened to 64 bits as one base and constant
// steps.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "src/backends/cpu/compiler/gang/layout/layout.hpp"

namespace warpwise::cpu_compiler::gang {

class Shapes;

// How many low bits of the base of each piece of `value` are known to be zero, 64 if all are.
unsigned low_zeros_of_base(const llvm::Value* value, const Shapes& shapes, const Layout& layout);

// Whether the instruction is a quotient of the thread's index in x, in its block or in the grid, by
// a constant that all lanes of a gang share: threadIdx.x / 32 where a gang is a warp.
bool is_quotient_of_gang(const llvm::Value* value, const Layout& layout);

// blockIdx * blockDim + threadIdx of one axis, where blockDim is known and the product has become a
// shift or a multiplication by a number. Launches keep it below 2^31.
bool is_index_in_known_block(const llvm::Value* value, const Layout& layout);

// Whether the kernel computes the index along x with 32 bits: then its launches must have at most
// 2^31 threads along x. Sums of 64 bits, as Python's are, count on nothing.
bool numbers_in_31_bits(const llvm::Function& kernel, const Layout& layout);

// Whether the values that `widening` widens lie, for all lanes of a gang, within one aligned range
// of a power of two numbers. Then they wrap together or not at all: the first lane's value,
// widened, and the steps give every lane's.
bool is_within_aligned_range(const llvm::CastInst& widening, const Shapes& shapes,
                             const Layout& layout);

}  // namespace warpwise::cpu_compiler::gang
