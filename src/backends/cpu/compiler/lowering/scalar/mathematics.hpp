// Which functions are the mathematical ones of the device headers: their conversions and shifts are
// within range by construction, and are left as they are.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler {

inline bool is_own_mathematics(const llvm::Function& function) {
    const llvm::DISubprogram* place = function.getSubprogram();
    if (place == nullptr) return false;
    llvm::StringRef file = place->getFilename();
    return file.consume_front(kHeaderFolder) && file.starts_with("/math/");
}

}  // namespace warpwise::cpu_compiler
