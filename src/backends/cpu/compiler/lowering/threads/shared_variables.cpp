// The mark is metadata, which passes may drop but not make.
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

namespace warpwise::cpu_compiler {
namespace {

constexpr const char* kShared = "warpwise.shared";

}  // namespace

void mark_shared(llvm::GetElementPtrInst& place, std::uint64_t bytes) {
    llvm::LLVMContext& context = place.getContext();
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), bytes);
    place.setMetadata(kShared, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
}

std::uint64_t bytes_of_shared(const llvm::GetElementPtrInst& place) {
    const llvm::MDNode* mark = place.getMetadata(kShared);
    if (!mark) return 0;
    return llvm::mdconst::extract<llvm::ConstantInt>(mark->getOperand(0))->getZExtValue();
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
