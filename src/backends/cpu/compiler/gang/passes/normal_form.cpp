// Small rewrites that bring a kernel into the form that the vectoriser takes.
//
// Control flow is left to LLVM's own passes, which follow in the table.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {
namespace {

bool uses_vectors(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (instruction.getType()->isVectorTy()) return true;
        for (const llvm::Value* operand : instruction.operands()) {
            if (operand->getType()->isVectorTy()) return true;
        }
    }
    return false;
}

llvm::Use* address_of(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return &load->getOperandUse(llvm::LoadInst::getPointerOperandIndex());
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return &store->getOperandUse(llvm::StoreInst::getPointerOperandIndex());
    }
    return nullptr;
}

// The widening of an index beside the address: only the lanes of the access run it there.
void sink_widenings(llvm::Instruction& address) {
    for (llvm::Use& operand : llvm::drop_begin(address.operands())) {
        auto* widening = llvm::dyn_cast<llvm::CastInst>(operand.get());
        bool widens = widening && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(widening);
        if (!widens || widening->hasOneUse()) {
            if (!widens || widening->getParent() == address.getParent()) continue;
        }
        llvm::Instruction* copy = widening->clone();
        copy->insertBefore(&address);
        operand.set(copy);
    }
}

}  // namespace

PreservedAnalyses scalarize(llvm::Function& kernel, GangContext& context) {
    if (!uses_vectors(kernel)) return PreservedAnalyses::all();
    llvm::ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::ScalarizerPass(options));
    passes.addPass(llvm::DCEPass());
    return passes.run(kernel, context.analyses());
}

// A value of struct type is only ever taken apart in the block that makes it.
PreservedAnalyses extract_elements(llvm::Function& function, GangContext&) {
    llvm::SmallVector<llvm::Instruction*, 8> structs;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        bool is_made = !instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction);
        if (is_made && instruction.getType()->isStructTy()) structs.push_back(&instruction);
    }
    for (llvm::Instruction* made : structs) {
        auto* type = llvm::cast<llvm::StructType>(made->getType());
        llvm::SmallVector<llvm::ExtractValueInst*, 4> extracts;
        for (llvm::User* user : made->users()) {
            auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
            if (extract && extract->getNumIndices() == 1) extracts.push_back(extract);
        }
        llvm::SmallVector<llvm::Value*, 4> elements(type->getNumElements());
        llvm::IRBuilder<> builder(made->getParent(), std::next(made->getIterator()));
        for (llvm::ExtractValueInst* extract : extracts) {
            llvm::Value*& element = elements[extract->getIndices()[0]];
            if (!element) element = builder.CreateExtractValue(made, extract->getIndices());
            extract->replaceAllUsesWith(element);
        }
        for (llvm::ExtractValueInst* extract : extracts) extract->eraseFromParent();
    }
    return structs.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

// An address that crosses blocks would keep vectors of 64-bit pointers alive; its base and index
// are cheaper, and show the code generator a gather with one base.
PreservedAnalyses sink_addresses(llvm::Function& function, GangContext&) {
    llvm::SmallVector<llvm::Use*, 32> addresses;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        llvm::Use* use = address_of(instruction);
        if (!use) continue;
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(use->get());
        bool is_shared = address && !address->hasOneUse();
        if (address && (is_shared || address->getParent() != instruction.getParent())) {
            addresses.push_back(use);
        } else if (address) {
            sink_widenings(*address);
        }
    }
    for (llvm::Use* use : addresses) {
        llvm::Instruction* copy = llvm::cast<llvm::Instruction>(use->get())->clone();
        copy->insertBefore(llvm::cast<llvm::Instruction>(use->getUser()));
        use->set(copy);
        sink_widenings(*copy);
    }
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
