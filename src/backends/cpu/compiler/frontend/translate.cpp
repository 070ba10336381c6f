// From a request to its translation: options, parses, refusals, what is kept for the next request.
// Invariant: what is returned comes from one parse.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>

#include "src/backends/cpu/compiler/frontend/kept_forms.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/backends/cpu/compiler/frontend/parse/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/parse/prelude.hpp"
#include "src/backends/cpu/compiler/frontend/source_form.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/base/log.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Whether every kernel reaches code that was not compiled.
bool is_refused_as_a_whole(const Translation& translation) {
    const llvm::Function* refused = translation.module->getFunction("__ww_refused");
    if (refused == nullptr) return false;
    llvm::SmallPtrSet<const llvm::Function*, 16> callers;
    std::vector<const llvm::Function*> todo = {refused};
    while (!todo.empty()) {
        const llvm::Function* callee = todo.back();
        todo.pop_back();
        for (const llvm::User* user : callee->users()) {
            const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
            if (instruction == nullptr) continue;
            const llvm::Function* caller = instruction->getFunction();
            if (callers.insert(caller).second) todo.push_back(caller);
        }
    }
    return std::all_of(
        translation.kernels.begin(), translation.kernels.end(),
        [&](const compiler::KernelInfo& kernel) {
            return callers.contains(translation.module->getFunction(kernel.signature.symbol));
        });
}

// The error that is raised if no kernel is left.
std::exception_ptr error_of(const Parses& parses, const SourceForm& form, const KeptForm* kept) {
    Parse* failed = parses.failed();
    if (failed == nullptr) return kept->whole_error;
    try {
        failed->check(form.fallback.notes());
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

// Files that were changed in memory count as an earlier request read them.
std::vector<compiler::Dependency> dependencies_of(Parses& parses, const KeptForm* kept) {
    if (kept == nullptr) return std::move(parses.dependencies);
    std::map<std::string, std::uint64_t> hashes;
    for (const auto& file : kept->dependencies) hashes.emplace(file.path, file.hash);
    for (const auto& file : parses.dependencies) hashes.emplace(file.path, file.hash);
    std::vector<compiler::Dependency> files;
    files.reserve(hashes.size());
    for (const auto& [path, hash] : hashes) files.push_back({path, hash});
    return files;
}

// What the caller says of the kernels, if anything, against what clang has read.
void check_known_signatures(const Translation& translation) {
    if (translation.mode.signatures.empty()) return;
    std::vector<const KernelSignature*> read;
    read.reserve(translation.kernels.size());
    for (const compiler::KernelInfo& kernel : translation.kernels) {
        read.push_back(&kernel.signature);
    }
    compiler::require_same_signatures(translation.mode.signatures, read);
}

// The translation of the last parse. Throws the source's errors if that failed.
Translation take_translation(Parses& parses, const SourceForm& form) {
    Parse& last = *parses.last;
    const std::vector<std::string> notes = form.fallback.notes();
    if (last.failed() && parses.failed() != nullptr) parses.failed()->check(notes, &last);
    // Nothing but host code, and that is broken: then its errors are what the user should see.
    if (parses.first && !last.has_device_code()) parses.first->check(notes);
    last.check(notes);
    return last.take_translation();
}

void add_refusals(Translation& translation, const std::vector<DeviceDefect>& defects) {
    for (const DeviceDefect& defect : defects) {
        compiler::Refusal refusal;
        refusal.log =
            diagnostic_text(translation, defect.file, defect.line, defect.column, defect.reason);
        refusal.message = refusal.log.substr(0, refusal.log.find('\n'));
        refusal.file = defect.file;
        refusal.line = defect.line;
        refusal.is_unsupported = defect.is_unsupported;
        translation.refusals.push_back(std::move(refusal));
    }
}

// Parses, and fills in the module and its facts.
Translation parse(const compiler::CompileRequest& request, const ParseInput& input) {
    SourceForm form(request.source);
    const std::shared_ptr<const KeptForm> kept = find_kept_form(request);
    if (kept) form = kept->form;
    Parses parses = parse_until_done(input, form);
    Translation result = take_translation(parses, form);
    if (parses.count > 2) {
        log::info("{} was parsed {} times; see the log of the module", result.name, parses.count);
    }
    result.dependencies = dependencies_of(parses, kept.get());
    add_refusals(result, form.fallback.refusals());
    if (form.fallback.may_refuse()) {
        result.whole_error = error_of(parses, form, kept.get());
        const bool may_have_instances =
            request.name_expressions.empty() && !result.templates.empty();
        if (!may_have_instances && is_refused_as_a_whole(result)) {
            std::rethrow_exception(result.whole_error);
        }
    }
    // Instances leave out more, which others need.
    if (parses.first && !kept && request.name_expressions.empty()) {
        keep_form(request, {form, result.dependencies, result.whole_error});
    }
    return result;
}

}  // namespace

Translation::Translation() = default;
Translation::Translation(Translation&&) noexcept = default;
Translation& Translation::operator=(Translation&& other) noexcept {
    module.reset();  // before the context it lives in
    context = std::move(other.context);
    module = std::move(other.module);
    kernels = std::move(other.kernels);
    globals = std::move(other.globals);
    templates = std::move(other.templates);
    dependencies = std::move(other.dependencies);
    mode = std::move(other.mode);
    refusals = std::move(other.refusals);
    refused = std::move(other.refused);
    whole_error = std::move(other.whole_error);
    log = std::move(other.log);
    name = std::move(other.name);
    source = std::move(other.source);
    device_text = std::move(other.device_text);
    return *this;
}
Translation::~Translation() = default;

Translation translate(const compiler::CompileRequest& request) {
    enter_stage("reading options");
    const FrontendOptions options = parse_options(request.options);
    const std::vector<std::string> language =
        language_flags(options, request.mode, request.target, request.format);
    const ParseInput input{request, options, language, prelude_image(language)};

    enter_stage("parsing");
    Translation result = parse(request, input);
    result.mode = request.mode;
    check_known_signatures(result);
    if (!result.mode.kernel.empty()) {
        std::erase_if(result.kernels, [&](const compiler::KernelInfo& kernel) {
            return kernel.signature.symbol != result.mode.kernel;
        });
    }
    std::string notes;
    for (const std::string& note : options.notes) notes += note + "\n";
    result.log.insert(0, notes);
    return result;
}

std::string diagnostic_text(const Translation& translation, std::string_view file, int line,
                            int column, std::string_view message) {
    const std::string_view shown = user_path(file);
    std::string text = fmt::format("{}:{}:{}: error: {}\n", shown, line, column, message);
    if (file != translation.name || line < 1) return text;
    std::string_view rest = translation.source;
    for (int i = 1; i < line; ++i) {
        const std::size_t end = rest.find('\n');
        if (end == rest.npos) return text;
        rest.remove_prefix(end + 1);
    }
    const std::string_view snippet = rest.substr(0, rest.find('\n'));
    text += fmt::format("{:5} | {}\n", line, snippet);
    std::string indent;
    for (int i = 1; i < column && i <= static_cast<int>(snippet.size()); ++i) {
        indent.push_back(snippet[i - 1] == '\t' ? '\t' : ' ');
    }
    return text + fmt::format("      | {}^\n", indent);
}

}  // namespace warpwise::cpu_compiler
