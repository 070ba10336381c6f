// LLVM's new pass manager with all its analyses registered for one target machine.
#pragma once

#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "src/backends/cpu/compiler/guard.hpp"

namespace warpwise::cpu_compiler {

class PassRunner {
  public:
    explicit PassRunner(llvm::TargetMachine& machine)
        : builder_(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks_) {
        callbacks_.registerBeforeNonSkippedPassCallback(
            [](llvm::StringRef, const llvm::Any&) { leave_if_abandoned(); });
        builder_.registerModuleAnalyses(modules_);
        builder_.registerCGSCCAnalyses(components_);
        builder_.registerFunctionAnalyses(functions_);
        builder_.registerLoopAnalyses(loops_);
        builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
    }

    void run(llvm::ModulePassManager& passes, llvm::Module& module) {
        passes.run(module, modules_);
    }
    llvm::PassBuilder& builder() { return builder_; }
    llvm::FunctionAnalysisManager& functions() { return functions_; }

  private:
    // Destroyed in this order from the last: outer managers refer to inner ones.
    llvm::LoopAnalysisManager loops_;
    llvm::FunctionAnalysisManager functions_;
    llvm::CGSCCAnalysisManager components_;
    llvm::ModuleAnalysisManager modules_;
    llvm::PassInstrumentationCallbacks callbacks_;
    llvm::PassBuilder builder_;
};

}  // namespace warpwise::cpu_compiler
