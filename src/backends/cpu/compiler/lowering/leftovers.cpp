// What no step gave a meaning: refused here by name and line, never in instruction selection.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/registers.hpp"
#include "src/backends/cpu/compiler/lowering/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

// These would become calls of libm, whose results differ from host to host.
bool needs_math_library(llvm::Intrinsic::ID id) {
    switch (id) {
        case llvm::Intrinsic::sin:
        case llvm::Intrinsic::cos:
        case llvm::Intrinsic::tan:
        case llvm::Intrinsic::exp:
        case llvm::Intrinsic::exp2:
        case llvm::Intrinsic::exp10:
        case llvm::Intrinsic::log:
        case llvm::Intrinsic::log2:
        case llvm::Intrinsic::log10:
        case llvm::Intrinsic::pow:
        case llvm::Intrinsic::powi:
        case llvm::Intrinsic::ldexp:
        case llvm::Intrinsic::frexp:
        case llvm::Intrinsic::lround:
        case llvm::Intrinsic::llround:
            return true;
        default:
            return false;
    }
}

void check_intrinsic(const Lowering& job, const llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    llvm::StringRef name = call.getCalledFunction()->getName();
    if (is_known_register(id) || name.starts_with("llvm.nvvm.isspacep.")) return;
    if (name.starts_with("llvm.nvvm.") || needs_math_library(id)) {
        refuse(job, call, "the compiler intrinsic " + name.str());
    }
}

void check_call(const Lowering& job, const llvm::CallBase& call) {
    if (auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
        refuse(job, call, "inline PTX \"" + text->getAsmString() + "\"");
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        return check_intrinsic(job, *intrinsic);
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration()) return;
    if (find_service(callee)) return;
    if (callee->getName() == "__dynamic_cast") refuse(job, call, "dynamic_cast in device code");
    reject(job, call, "undefined __device__ function '" + llvm::demangle(callee->getName()) + "'");
}

}  // namespace

void report_leftovers(Lowering& job) {
    for (const llvm::Function& function : job.module) {
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) check_call(job, *call);
            if (llvm::isa<llvm::VAArgInst>(instruction)) {
                refuse(job, instruction, "va_arg in device code");
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
