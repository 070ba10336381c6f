// Small rewrites that bring a kernel into the form that the vectoriser takes.
//
// Control flow is left to LLVM's own passes, which follow in the table.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

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

// A value of struct type is only ever taken apart in the block that makes it. An element may be a
// struct itself: those extracted here join the list, those that they replace leave it.
PreservedAnalyses extract_elements(llvm::Function& function, GangContext&) {
    llvm::SmallVector<llvm::WeakVH, 8> structs;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        bool is_made = !instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction);
        if (is_made && instruction.getType()->isStructTy()) structs.emplace_back(&instruction);
    }
    for (std::size_t i = 0; i < structs.size(); ++i) {
        auto* made = llvm::cast_or_null<llvm::Instruction>(structs[i]);
        if (made == nullptr) continue;
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
            if (!element) {
                element = builder.CreateExtractValue(made, extract->getIndices());
                if (element->getType()->isStructTy()) structs.emplace_back(element);
            }
            extract->replaceAllUsesWith(element);
        }
        for (llvm::ExtractValueInst* extract : extracts) extract->eraseFromParent();
    }
    return structs.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
