// What a developer sees of a pass: the IR before and after it in files (WARPWISE_DUMP), and whether
// LLVM's verifier accepts what it left (WARPWISE_VERIFY).
#pragma once

#include <string>
#include <string_view>

#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

namespace warpwise::cpu_compiler::gang {

// Writes FOLDER/KERNEL[.SHAPE][.quick]/NNN-PASS.WHEN.ll, NNN counting the passes that ran on the
// kernel. Throws DeviceError naming the file if it cannot be written.
void dump(const llvm::Function& function, std::string_view pass, std::string_view when,
          const GangContext& context);

// Throws CompileError naming pass and kernel if the function is malformed.
void verify(const llvm::Function& function, std::string_view pass, std::string_view kernel);

}  // namespace warpwise::cpu_compiler::gang
