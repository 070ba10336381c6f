// What is known of threadIdx, lane numbers and the like before any code is written.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <optional>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// 0, 1, 2 for threadIdx.x, .y, .z.
std::optional<unsigned> thread_axis_of(llvm::Intrinsic::ID id);

// Whether it is blockIdx, blockDim or gridDim along any axis: the same in all threads of a block.
bool is_block_register(llvm::Intrinsic::ID id);

// Of a register that differs from lane to lane; nothing for others.
std::optional<Shape> shape_of_register(llvm::Intrinsic::ID id, const Layout& layout);

// Whether the value is threadIdx, a lane or a warp number: never negative.
bool is_thread_register(const llvm::Value* value);

// Whether it loads a parameter, or a word of the thread's or block's state.
bool is_parameter(const llvm::LoadInst& load);

// Whether the value is blockIdx.a * blockDim.a + threadIdx.a, of 32 bits. The sum is below 2^31:
// for x the run time checks that before launches of kernels that have such a sum (see
// numbers_in_31_bits()), for y and z the limits of a grid are enough.
bool is_launch_index(const llvm::Value* value);

// Whether a value of a launch is divided by numbers alone, or also by others, which may be 0 where
// the kernel divides by none of them: (width + 2 * border - size) / stride + 1.
enum class LaunchDivisors : bool { Numbers, Any };

// Whether it is computed of parameters, of the grid's shape and of numbers: the same in all threads
// of a launch.
bool is_of_launch(const llvm::Value* value, LaunchDivisors divisors = LaunchDivisors::Numbers,
                  unsigned depth = 0);

}  // namespace warpwise::cpu_compiler::gang
