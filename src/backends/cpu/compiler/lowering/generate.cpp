// From a translation to the bytes of a Program, in one of four formats.
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>

#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"
#include "src/backends/cpu/compiler/lowering/target.hpp"
#include "src/backends/cpu/compiler/lowering/threads/stack_frames.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/base/log.hpp"
#include "src/base/processor_level.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

std::vector<std::byte> generate_ptx(llvm::Module& module, std::string_view processor) {
    enter_stage("generating PTX");
    std::unique_ptr<llvm::TargetMachine> machine = ptx_machine(processor);
    module.setDataLayout(machine->createDataLayout());
    for (llvm::Function& function : module) {
        function.removeFnAttr("target-cpu");
        function.removeFnAttr("target-features");
    }
    PassRunner runner(*machine);
    llvm::ModulePassManager passes =
        runner.builder().buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
    runner.run(passes, module);
    return emit_assembly(module, *machine);
}

// Allocating registers and scheduling take time quadratic in the size of a basic block: 20 seconds
// for one of 40,000 statements. Straight code of that size is generated; how fast it runs matters
// less than that it compiles.
void limit_effort(llvm::TargetMachine& machine, const llvm::Module& module) {
    constexpr std::size_t kLargeBlock = 20'000;  // instructions
    for (const llvm::Function& function : module) {
        for (const llvm::BasicBlock& block : function) {
            if (block.size() < kLargeBlock) continue;
            log::info("{} has a straight piece of {} instructions, whose code is not optimised",
                      function.getName().str(), block.size());
            return machine.setOptLevel(llvm::CodeGenOptLevel::None);
        }
    }
}

std::vector<std::byte> generate_host(Translation& translation, std::string_view target,
                                     std::string_view format) {
    std::unique_ptr<llvm::TargetMachine> machine = host_machine(target);
    Lowering job{translation, *translation.module, *machine};
    lower(job);
    llvm::StripDebugInfo(job.module);  // it has named its last line
    enter_stage("generating code");
    if (format == "llvm") return print_module(job.module);
    limit_effort(*machine, job.module);
    const std::shared_ptr<const FrameSizes> frames = collect_frame_sizes(job.module);
    std::vector<std::byte> code =
        format == "asm" ? emit_assembly(job.module, *machine) : emit_object(job.module, *machine);
    provide_stack(translation, job.module, *frames);
    return code;
}

}  // namespace

compiler::Program generate(Translation&& translation, std::string_view target,
                           std::string_view format) {
    if (format != "object" && format != "llvm" && format != "asm" && format != "ptx") {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "'" + std::string(format) + "' is not a format; use object, llvm, asm or ptx");
    }
    compiler::Program program;
    program.target = level_of(target);
    program.format = format;
    program.binary = format == "ptx" ? generate_ptx(*translation.module, target)
                                     : generate_host(translation, target, format);
    program.kernels = std::move(translation.kernels);
    for (compiler::KernelInfo& kernel : translation.refused) {
        program.kernels.push_back(std::move(kernel));
    }
    program.globals = std::move(translation.globals);
    program.templates = std::move(translation.templates);
    program.dependencies = std::move(translation.dependencies);
    program.log = std::move(translation.log);
    return program;
}

}  // namespace warpwise::cpu_compiler
