// Refusals about a place in the user's source, found from debug locations. Places inside our own
// headers are reported where the user's code called in.
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {

SourcePlace place_of(const llvm::Instruction& where) {
    const llvm::DILocation* location = where.getDebugLoc();
    while (location && location->getInlinedAt() &&
           location->getFilename().starts_with(kHeaderFolder)) {
        location = location->getInlinedAt();
    }
    if (location) {
        return {location->getFilename().str(), static_cast<int>(location->getLine()),
                static_cast<int>(location->getColumn())};
    }
    const llvm::DISubprogram* function = where.getFunction()->getSubprogram();
    if (!function) return {};
    return {function->getFilename().str(), static_cast<int>(function->getLine()), 1};
}

namespace {

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

compiler::Refusal wrong(const Lowering& job, const llvm::Instruction& where,
                        const std::string& message) {
    SourcePlace place = place_of(where);
    std::string text =
        diagnostic_text(job.translation, place.file, place.line, place.column, message);
    return {first_line(text), job.translation.log + text, place.file, place.line, false};
}

compiler::Refusal unsupported(const Lowering& job, const llvm::Instruction& where,
                              const std::string& construct) {
    compiler::Refusal refusal = wrong(job, where, construct + " is not supported on the CPU");
    refusal.is_unsupported = true;
    return refusal;
}

}  // namespace warpwise::cpu_compiler
