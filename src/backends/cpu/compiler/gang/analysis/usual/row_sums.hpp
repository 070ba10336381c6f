// Dividends of one divisor that are known to lie near each other: x - 1 + width, x and x + 1.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include <cstdint>

namespace warpwise::cpu_compiler::gang {

// A number as a sum, modulo what its type holds: of a constant, of how often the divisor is a term,
// and of all other terms, in an order that depends on nothing but them.
struct RowSum {
    llvm::SmallVector<const llvm::Value*, 4> terms = {};
    std::int64_t number = 0;
    unsigned divisors = 0;
};

RowSum row_sum(const llvm::Value* sum, const llvm::Value* divisor);

}  // namespace warpwise::cpu_compiler::gang
