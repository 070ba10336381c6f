// Step A1-A3: the module as the host's, with only what the run time must find visible.
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

void verify_module(Lowering& job, const char* when) {
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (!llvm::verifyModule(job.module, &stream)) return;
    throw CompileError("internal error: the module " + std::string(when) + " is malformed: " +
                           problem.substr(0, 2000) + "; please report it with the source",
                       problem, "", 0);
}

// Leaving the GPU's attributes in place would make the host's cost model abort. Shared memory keeps
// address space 3: in space 0 an internal variable would be optimised as if only one thread ran.
void retarget_to_host(Lowering& job) {
    llvm::Module& module = job.module;
    module.setTargetTriple(job.machine.getTargetTriple().str());
    module.setDataLayout(job.machine.createDataLayout());
    for (llvm::Function& function : module) {
        for (const char* name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                                 "stack-protector-buffer-size", "uniform-work-group-size"}) {
            function.removeFnAttr(name);
        }
        function.setCallingConv(llvm::CallingConv::C);
        for (llvm::User* user : function.users()) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            if (call && call->getCalledOperand() == &function) {
                call->setCallingConv(llvm::CallingConv::C);
            }
        }
    }
    for (const char* name : {"nvvm.annotations", "nvvmir.version", "llvm.ident"}) {
        if (llvm::NamedMDNode* node = module.getNamedMetadata(name)) node->eraseFromParent();
    }
    module.setPICLevel(llvm::PICLevel::BigPIC);
    module.setRtLibUseGOT();
}

namespace {

// The loader may bind this symbol to another module's variable, and hosts may write to it: never
// fold its value, never address it relative to the code.
void open_to_the_host(llvm::GlobalVariable& variable) {
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setDSOLocal(false);
    variable.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
    variable.setExternallyInitialized(true);
    variable.setConstant(false);
    variable.setComdat(nullptr);
}

void hide(llvm::GlobalValue& value) {
    if (value.isDeclaration()) return;
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    value.setVisibility(llvm::GlobalValue::DefaultVisibility);
    if (!value.hasLocalLinkage()) value.setLinkage(llvm::GlobalValue::InternalLinkage);
}

// A static variable of a function: it has to be one for all forms of a kernel, which are compiled
// one by one.
bool keeps_values(const llvm::GlobalVariable& variable) {
    constexpr unsigned kDeviceSpace = 1;
    return variable.getAddressSpace() == kDeviceSpace && variable.hasName() &&
           !variable.isConstant() && !variable.isDeclaration();
}

}  // namespace

void settle_linkage(Lowering& job) {
    for (const char* name : {"llvm.used", "llvm.compiler.used"}) {
        if (llvm::GlobalVariable* list = job.module.getNamedGlobal(name)) list->eraseFromParent();
    }
    llvm::StringSet<> kernels, variables;
    for (const auto& kernel : job.translation.kernels) kernels.insert(kernel.signature.symbol);
    for (const auto& global : job.translation.globals) variables.insert(global.symbol);
    for (llvm::Function& function : job.module) {
        if (!kernels.contains(function.getName())) {
            hide(function);
            continue;
        }
        function.setLinkage(llvm::GlobalValue::ExternalLinkage);
        function.setVisibility(llvm::GlobalValue::DefaultVisibility);
        function.setComdat(nullptr);
    }
    for (llvm::GlobalVariable& variable : job.module.globals()) {
        if (variables.contains(variable.getName()) || keeps_values(variable)) {
            open_to_the_host(variable);
        } else {
            hide(variable);
        }
    }
    for (llvm::GlobalAlias& alias : job.module.aliases()) hide(alias);
}

// Before anything is refused: what no kernel reaches may use anything.
void drop_unused(Lowering& job) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::GlobalDCEPass());
    PassRunner(job.machine).run(passes, job.module);
}

}  // namespace warpwise::cpu_compiler
