// A test of scalar code: whether numbers near one stay in the range of its type.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"

namespace warpwise::cpu_compiler::gang {

// Of first + least ... first + most, `least` being at most 0 and `most` at least; `kind` says
// whether they are signed.
llvm::Value* is_within(llvm::IRBuilder<>& builder, llvm::Value* first, NoWrap kind,
                       std::int64_t least, std::int64_t most);

}  // namespace warpwise::cpu_compiler::gang
