// The text of an inline PTX statement, taken apart: instructions with their operands as words.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace warpwise::cpu_compiler {

struct PtxInstruction {
    std::string label;  // "L1" of "L1:", which is then all there is
    std::string guard;  // predicate register of "@p" or "@!p", empty without
    bool guard_negated = false;
    llvm::SmallVector<std::string, 4> opcode;    // "add", "cc", "u32"
    llvm::SmallVector<std::string, 6> operands;  // "$0", "%laneid", "[$1+4]", "{$0,$1}", "p", "7"
};

// Instructions and labels in order; declarations of registers and braces around all leave nothing.
// Nothing at all for text that is more than that: calls, data.
std::optional<llvm::SmallVector<PtxInstruction, 4>> parse_ptx(llvm::StringRef text);

}  // namespace warpwise::cpu_compiler
