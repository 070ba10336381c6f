// The mark is metadata, which passes may drop but not make.
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr const char* kShared = "warpwise.shared";

}  // namespace

void mark_shared(llvm::GetElementPtrInst& place) {
    place.setMetadata(kShared, llvm::MDNode::get(place.getContext(), {}));
}

bool is_in_shared(const llvm::Value* address) {
    for (;;) {
        auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
        if (!step) return false;
        if (step->getMetadata(kShared)) return true;
        address = step->getPointerOperand();
    }
}

}  // namespace warpwise::cpu_compiler
