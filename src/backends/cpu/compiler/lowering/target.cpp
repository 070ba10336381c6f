// Target machines by instruction level, and running their code generators.
#include "src/backends/cpu/compiler/lowering/target.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

#include "src/backends/cpu/compiler/lowering/threads/leaf_functions.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

// Of a cache line, at which loops begin: where they began at any multiple of 16, the same loop of
// wide vectors took up to 1.3 times as long by what stood before it.
constexpr unsigned kLineBytes = 64;

// CodeGenPrepare starts again over the whole function after each change of its blocks, unless the
// function counts as huge: then over the changed blocks only. Its own limit is 10,000 blocks, at
// which a kernel of 4,000 lines with 1,000 branches spends 16 s there.
void lower_huge_function_limit() {
    constexpr const char* name = "cgpp-huge-func";
    const auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find(name);
    if (found == options.end() || found->second->getNumOccurrences() != 0) return;
    found->second->addOccurrence(0, name, "100");
}

void initialise_targets() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();  // for the little inline assembly of gang/block_runs.cpp
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        lower_huge_function_limit();
    });
}

std::string text_of(llvm::Error error) {
    return llvm::toString(std::move(error));
}

[[noreturn]] void fail_internally(const std::string& problem) {
    throw CompileError(
        "internal error in code generation: " + problem + "; please report it with the source",
        problem, "", 0);
}

std::vector<std::byte> bytes_of(llvm::StringRef text) {
    auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

// The loader resolves nothing else, and a name it does not know would fail only at the launch.
void check_references(const llvm::MemoryBufferRef& buffer) {
    auto object = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!object) fail_internally(text_of(object.takeError()));
    static const llvm::StringSet<> known = [] {
        llvm::StringSet<> names;
        for (std::string_view name : kLeafFunctions) names.insert(name);
        return names;
    }();
    for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
        auto flags = symbol.getFlags();
        auto name = symbol.getName();
        if (!flags) fail_internally(text_of(flags.takeError()));
        if (!name) fail_internally(text_of(name.takeError()));
        if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty()) continue;
        if (*name == "_GLOBAL_OFFSET_TABLE_" || known.contains(*name)) continue;
        throw UnsupportedError("the function '" + name->str() +
                               "', which this source needs, is not supported on the CPU");
    }
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> host_machine(std::string_view target) {
    initialise_targets();
    const std::string_view level = level_of(target);
    if (level != "x86-64" && !is_processor_level(level)) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "'" + std::string(level) + "' is not a CPU target; use " +
                                std::string(processor_levels().front()) + " or higher");
    }
    llvm::orc::JITTargetMachineBuilder builder(llvm::Triple("x86_64-unknown-linux-gnu"));
    builder.setCPU(std::string(level));
    const std::vector<std::string> parts = split_at_commas(target);
    builder.addFeatures({parts.begin() + 1, parts.end()});
    builder.setRelocationModel(llvm::Reloc::PIC_);
    builder.setCodeModel(llvm::CodeModel::Small);  // the default of a JIT is the large one
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;  // form_fma() has decided
    builder.getOptions().LoopAlignment = kLineBytes;
    auto machine = builder.createTargetMachine();
    if (!machine) fail_internally(text_of(machine.takeError()));
    return std::move(*machine);
}

std::unique_ptr<llvm::TargetMachine> ptx_machine(std::string_view processor) {
    initialise_targets();
    constexpr const char* triple = "nvptx64-nvidia-cuda";
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target) fail_internally(problem);
    std::unique_ptr<llvm::MCSubtargetInfo> processors(
        target->createMCSubtargetInfo(triple, "", ""));
    if (!processor.starts_with("sm_") || !processors->isCPUStringValid(processor)) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "'" + std::string(processor) + "' is not a GPU target; use a name like sm_80");
    }
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, processor, "+ptx85", {}, {}));
}

std::vector<std::byte> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::orc::SimpleCompiler compiler(machine);
    auto object = compiler(module);
    if (!object) fail_internally(text_of(object.takeError()));
    check_references((*object)->getMemBufferRef());
    return bytes_of((*object)->getBuffer());
}

std::vector<std::byte> emit_assembly(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
        fail_internally("the target cannot print assembly");
    }
    passes.run(module);
    return bytes_of(text);
}

std::vector<std::byte> print_module(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return bytes_of(text);
}

}  // namespace warpwise::cpu_compiler
