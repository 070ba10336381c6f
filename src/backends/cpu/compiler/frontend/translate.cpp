// From a request to its translation: the attempts, each with less of the host's code, until one
// succeeds or nothing is left to try. Invariant: what is returned comes from one attempt.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>

#include "src/backends/cpu/compiler/frontend/attempt.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/kept_edits.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/frontend/prelude.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Each attempt leaves out declarations, and what stands on them fails in the next.
constexpr int kMostAttempts = 40;

// Tries until nothing more can be left out.
std::unique_ptr<Attempt> try_on(const AttemptInput& input, HostEdits& edits, bool late_lookup) {
    auto attempt = std::make_unique<Attempt>(input, edits, late_lookup);
    for (int i = 1; attempt->failed() && attempt->left_something_out() && i < kMostAttempts; ++i) {
        attempt = std::make_unique<Attempt>(input, edits, late_lookup);
    }
    return attempt;
}

// The attempts at one request, in the order in which they are made.
struct Attempts {
    std::shared_ptr<const KeptEdits> kept;  // what they began with, if an earlier request helps
    std::unique_ptr<Attempt> first;         // what the source says as it stands, if that failed
    std::unique_ptr<Attempt> whole;         // the best without refusing device code, if that failed
    std::unique_ptr<Attempt> last;          // what counts
    std::unique_ptr<Attempt> partial;       // with device code refused, if that failed too
    bool late_lookup = false;               // of the last
};

// Without leaving more device code out, unless an earlier request had to.
void attempt_whole(const AttemptInput& input, HostEdits& edits, Attempts& made) {
    auto attempt = std::make_unique<Attempt>(input, edits, made.late_lookup);
    if (!attempt->failed()) {
        made.last = std::move(attempt);
        return;
    }
    const bool goes_on = attempt->left_something_out();
    made.first = std::move(attempt);
    if (goes_on) made.last = try_on(input, edits, made.late_lookup);
    const Attempt& best = made.last ? *made.last : *made.first;
    if (!best.failed() || !best.wants_late_lookup() || made.late_lookup) return;
    auto late = try_on(input, edits, /*late_lookup=*/true);
    if (late->failed()) return;
    made.last = std::move(late);
    made.late_lookup = true;
}

Attempts attempt_until_done(const AttemptInput& input, HostEdits& edits) {
    Attempts made;
    made.kept = find_kept_edits(input.request);
    if (made.kept) {
        edits = made.kept->edits;
        made.late_lookup = made.kept->late_lookup;
    }
    const bool may_refuse = edits.may_refuse();
    attempt_whole(input, edits, made);
    if (made.last && !made.last->failed()) return made;
    if (may_refuse_parts(input.request) && !may_refuse) {
        edits.allow_refusals();
        const bool has_templates =
            made.last ? made.last->has_templates() : made.first->has_templates();
        const bool late_lookup = has_templates || made.late_lookup;
        auto partial = try_on(input, edits, late_lookup);
        if (!partial->failed()) {
            made.whole = std::move(made.last);
            made.last = std::move(partial);
            made.late_lookup = late_lookup;
        } else {
            made.partial = std::move(partial);
        }
    }
    if (!made.last) made.last = std::move(made.first);
    return made;
}

// Whether every kernel comes to code that was not compiled.
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
std::exception_ptr error_of(Attempts& made, const HostEdits& edits) {
    Attempt* failed = made.whole ? made.whole.get() : made.first.get();
    if (failed == nullptr) return made.kept->whole_error;
    try {
        failed->check(edits);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

// With the hashes of what is on disk, for files that were edited too.
std::vector<compiler::Dependency> dependencies_of(Attempts& made) {
    Attempt& attempt = made.first ? *made.first : *made.last;
    std::vector<compiler::Dependency> files = std::move(attempt.dependencies());
    if (!made.kept) return files;
    std::map<std::string, std::uint64_t> hashes;  // a file's first one counts
    for (const auto& file : made.kept->dependencies) hashes.emplace(file.path, file.hash);
    for (const auto& file : files) hashes.emplace(file.path, file.hash);
    files.clear();
    for (const auto& [path, hash] : hashes) files.push_back({path, hash});
    return files;
}

// What the caller says of the kernels, if anything, against what clang has read.
void check_known_signatures(const Translation& translation) {
    if (translation.mode.signatures.empty()) return;
    std::vector<const KernelSignature*> read;
    for (const compiler::KernelInfo& kernel : translation.kernels) {
        read.push_back(&kernel.signature);
    }
    compiler::require_same_signatures(translation.mode.signatures, read);
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
    const AttemptInput input{request, options, language, prelude_image(language)};

    enter_stage("parsing");
    HostEdits edits(request.source);
    Attempts made = attempt_until_done(input, edits);
    Attempt& last = *made.last;
    const bool is_partial = edits.may_refuse() && !last.failed();
    // Nothing but host code, and that is broken: then its errors are what the user should see.
    if (made.first && !last.failed() && !last.has_device_code()) made.first->check(edits);
    last.check(edits, made.partial.get());
    last.dependencies() = dependencies_of(made);
    Translation result = last.take_translation();
    result.mode = request.mode;
    check_known_signatures(result);
    if (!result.mode.kernel.empty()) {
        std::erase_if(result.kernels, [&](const compiler::KernelInfo& kernel) {
            return kernel.signature.symbol != result.mode.kernel;
        });
    }
    for (const DeviceDefect& defect : edits.refusals()) {
        compiler::Refusal refusal;
        refusal.log =
            diagnostic_text(result, defect.file, defect.line, defect.column, defect.reason);
        refusal.message = refusal.log.substr(0, refusal.log.find('\n'));
        refusal.file = defect.file;
        refusal.line = defect.line;
        refusal.is_unsupported = defect.is_unsupported;
        result.refusals.push_back(std::move(refusal));
    }
    if (is_partial) {
        result.whole_error = error_of(made, edits);
        const bool may_be_asked_more =
            request.name_expressions.empty() && !result.templates.empty();
        if (!may_be_asked_more && is_refused_as_a_whole(result)) {
            std::rethrow_exception(result.whole_error);
        }
    }
    // Instances leave out more, which others need.
    if (made.first && !made.kept && request.name_expressions.empty()) {
        keep_edits(request, {edits, made.late_lookup, result.dependencies, result.whole_error});
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
