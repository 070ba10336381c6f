// What no step gave a meaning: refused here by name and line, never in instruction selection. Only
// the kernels that reach it are refused, unless that is all of them.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <exception>
#include <optional>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

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

using compiler::Refusal;

std::optional<Refusal> problem_of_intrinsic(const Lowering& job, const llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    llvm::StringRef name = call.getCalledFunction()->getName();
    if (is_known_register(id)) return std::nullopt;
    switch (id) {
        case llvm::Intrinsic::nvvm_isspacep_shared:
        case llvm::Intrinsic::nvvm_isspacep_const:
            return std::nullopt;
        case llvm::Intrinsic::nvvm_isspacep_local:
            return unsupported(job, call, "__isLocal() of an address of unknown origin");
        case llvm::Intrinsic::nvvm_isspacep_global:
            return unsupported(job, call, "__isGlobal() of an address of unknown origin");
        default:
            break;
    }
    if (!name.starts_with("llvm.nvvm.") && !needs_math_library(id)) return std::nullopt;
    return unsupported(job, call, "the compiler intrinsic " + name.str());
}

std::optional<Refusal> problem_of_call(const Lowering& job, const llvm::CallBase& call) {
    if (auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
        return unsupported(job, call, "inline PTX \"" + text->getAsmString() + "\"");
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        return problem_of_intrinsic(job, *intrinsic);
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration()) return std::nullopt;
    if (find_service(callee)) return std::nullopt;
    if (callee->getName() == "__ww_refused") {
        auto* which = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
        return job.translation.refusals[which->getZExtValue()];
    }
    if (callee->getName() == "__dynamic_cast") {
        return unsupported(job, call, "dynamic_cast in device code");
    }
    return wrong(job, call,
                 "'" + llvm::demangle(callee->getName()) +
                     "' is used by device code but not defined in this source");
}

// Of one function, not of those it calls.
std::optional<Refusal> problem_in(const Lowering& job, const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            if (auto problem = problem_of_call(job, *call)) return problem;
        }
        if (llvm::isa<llvm::VAArgInst>(instruction)) {
            return unsupported(job, instruction, "va_arg in device code");
        }
    }
    return std::nullopt;
}

[[noreturn]] void raise(const Refusal& why) {
    if (why.is_unsupported) throw UnsupportedError(why.message, why.log, why.file, why.line);
    throw CompileError(why.message, why.log, why.file, why.line);
}

using Problems = llvm::DenseMap<const llvm::Function*, Refusal>;

Problems find_problems(const Lowering& job) {
    Problems problems;
    for (const llvm::Function& function : job.module) {
        if (auto problem = problem_in(job, function)) problems[&function] = *std::move(problem);
    }
    return problems;
}

// Moves the kernels that reach a problem from the translation's kernels to its refused ones.
void refuse_kernels(Lowering& job, const Problems& problems) {
    CallGraph graph(job.module);
    std::vector<compiler::KernelInfo> kept;
    for (compiler::KernelInfo& kernel : job.translation.kernels) {
        llvm::Function* root = job.module.getFunction(kernel.signature.symbol);
        for (const llvm::Function* function : graph.reachable(*root)) {
            auto problem = problems.find(function);
            if (problem == problems.end()) continue;
            kernel.refusal = problem->second;
            break;
        }
        if (kernel.refusal.message.empty()) {
            kept.push_back(std::move(kernel));
            continue;
        }
        log::info("kernel '{}' is refused: {}", kernel.signature.name, kernel.refusal.message);
        job.translation.log += kernel.refusal.log;
        root->setLinkage(llvm::GlobalValue::InternalLinkage);
        job.translation.refused.push_back(std::move(kernel));
    }
    job.translation.kernels = std::move(kept);
}

}  // namespace

void report_leftovers(Lowering& job) {
    const Problems problems = find_problems(job);
    if (problems.empty()) return;
    refuse_kernels(job, problems);
    if (job.translation.kernels.empty()) {
        if (job.translation.whole_error) std::rethrow_exception(job.translation.whole_error);
        raise(job.translation.refused.empty() ? problems.begin()->second
                                              : job.translation.refused.front().refusal);
    }
    drop_unused(job);
    // A function in a table, whose address a variable of the source holds.
    const Problems rest = find_problems(job);
    if (!rest.empty()) raise(rest.begin()->second);
}

}  // namespace warpwise::cpu_compiler
