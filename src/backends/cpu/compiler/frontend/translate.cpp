// From a request to its translation: the attempts, each with less of the host's code, until one
// succeeds or nothing is left to try. Invariant: what is returned comes from one attempt.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

#include "src/backends/cpu/compiler/frontend/attempt.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/frontend/prelude.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Each attempt leaves out declarations, and what stands on them fails in the next.
constexpr int kMostAttempts = 20;

// The last attempt; `first` is what the source says as it stands.
std::unique_ptr<Attempt> attempt_until_done(const AttemptInput& input, HostEdits& edits,
                                            std::unique_ptr<Attempt>& first) {
    auto attempt = std::make_unique<Attempt>(input, edits, /*late_lookup=*/false);
    for (int i = 1; attempt->failed() && attempt->left_something_out() && i < kMostAttempts; ++i) {
        auto next = std::make_unique<Attempt>(input, edits, /*late_lookup=*/false);
        if (first == nullptr) first = std::move(attempt);
        attempt = std::move(next);
    }
    if (!attempt->failed() || !attempt->wants_late_lookup()) return attempt;
    auto late = std::make_unique<Attempt>(input, edits, /*late_lookup=*/true);
    for (int i = 1; late->failed() && late->left_something_out() && i < kMostAttempts; ++i) {
        late = std::make_unique<Attempt>(input, edits, /*late_lookup=*/true);
    }
    if (late->failed()) return attempt;
    if (first == nullptr) first = std::move(attempt);
    return late;
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
    executor = std::move(other.executor);
    log = std::move(other.log);
    name = std::move(other.name);
    source = std::move(other.source);
    return *this;
}
Translation::~Translation() = default;

Translation translate(const compiler::CompileRequest& request) {
    enter_stage("reading options");
    const FrontendOptions options = parse_options(request.options);
    const std::vector<std::string> language =
        language_flags(options, request.target, request.format);
    const AttemptInput input{request, options, language, prelude_image(language)};

    enter_stage("parsing");
    HostEdits edits(request.source);
    std::unique_ptr<Attempt> first;
    std::unique_ptr<Attempt> last = attempt_until_done(input, edits, first);
    // Nothing but host code, and that is broken: then its errors are what the user should see.
    if (first != nullptr && !last->failed() && !last->has_device_code()) first->check(edits);
    last->check(edits);
    // Those of edited files have to be the hashes of what is on disk.
    if (first != nullptr) last->dependencies() = std::move(first->dependencies());
    Translation result = last->take_translation();
    result.executor = options.executor.empty() ? settings().executor : options.executor;
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
