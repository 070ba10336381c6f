// Numbers added to a value, where the sum is what it would be without a limit of bits.
#pragma once

#include <llvm/IR/Value.h>

#include <cstdint>

namespace warpwise::cpu_compiler::gang {

// In which reading of the bits no addition may wrap. Any: it may, the reader counts modulo their
// number.
enum class NoWrap : std::uint8_t { Signed, Unsigned, Any };

struct ExactSum {
    llvm::Value* rest;
    std::int64_t number = 0;
};

// `value` as something else plus a number, with all constants taken off that can be.
ExactSum exact_sum(llvm::Value* value, NoWrap reading);

}  // namespace warpwise::cpu_compiler::gang
