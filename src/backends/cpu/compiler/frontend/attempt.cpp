// The clang run of one attempt: source in, module and facts out.
#include "src/backends/cpu/compiler/frontend/attempt.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>

#include "src/backends/cpu/compiler/frontend/declarations.hpp"
#include "src/backends/cpu/compiler/frontend/device_text.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/references.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

// What the user's macros come to: a file that is read after the prelude and before the source.
std::string options_text(const FrontendOptions& options, const HostEdits& edits) {
    std::string text(edits.library());
    for (const std::string& line : options.macro_lines) text += line + "\n";
    for (const std::string& file : options.forced_includes) {
        text += fmt::format("#include \"{}\"\n", file);
    }
    if (options.device_by_default) text += "#pragma clang force_cuda_host_device begin\n";
    return text;
}

// What the parser's observers write to.
struct Findings {
    Translation& translation;
    NameExpressions& names;
    DiagnosticCollector& log;
    HarvestResult& result;
    DeclarationMap& declarations;
    ReferenceMarker& references;
    std::vector<std::string>& skipped_headers;
    std::vector<TextRange>& skipped_lines;
    bool& has_partial_headers;
    DeviceText* device_text = nullptr;  // when it is wanted
    bool may_skip_own_headers = false;
    Undefined undefined = Undefined::Refused;
};

// Before the code generator, which passes host variables over.
class MarkingConsumer final : public clang::ASTConsumer {
  public:
    explicit MarkingConsumer(ReferenceMarker& marker) : marker_(marker) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        marker_.mark(group);
        return true;
    }

  private:
    ReferenceMarker& marker_;
};

class TranslateAction final : public clang::ASTFrontendAction {
  public:
    explicit TranslateAction(const Findings& findings) : findings_(findings) {}

  protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        watch(compiler);
        std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
            compiler.getDiagnostics(), findings_.translation.name, &compiler.getVirtualFileSystem(),
            compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
            compiler.getCodeGenOpts(), *findings_.translation.context));
        auto harvester =
            std::make_unique<Harvester>(*generator, findings_.translation, findings_.names,
                                        findings_.log, findings_.result, findings_.undefined);
        std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
        consumers.push_back(std::make_unique<MarkingConsumer>(findings_.references));
        consumers.push_back(std::move(generator));
        consumers.push_back(std::move(harvester));
        if (findings_.device_text != nullptr) {
            consumers.push_back(std::make_unique<DeviceTextFinder>(
                findings_.declarations, findings_.log, *findings_.device_text));
        }
        return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
    }

  private:
    void watch(clang::CompilerInstance& compiler) {
        clang::Preprocessor& preprocessor = compiler.getPreprocessor();
        preprocessor.addPPCallbacks(std::make_unique<HeaderSkipper>(
            preprocessor, findings_.skipped_headers, findings_.skipped_lines,
            findings_.has_partial_headers, findings_.may_skip_own_headers));
        preprocessor.setTokenWatcher([this, &compiler](const clang::Token& token) {
            findings_.declarations.see(compiler.getSourceManager(), token);
            findings_.references.see(
                token, compiler.hasASTContext() ? &compiler.getASTContext() : nullptr);
        });
    }

    Findings findings_;
};

void configure(clang::CompilerInstance& compiler, const AttemptInput& input, bool late_lookup,
               DiagnosticCollector& log) {
    std::vector<std::string> flags = input.language;
    const std::vector<std::string> search = search_flags(input.options, input.request);
    flags.insert(flags.end(), search.begin(), search.end());
    if (late_lookup) flags.emplace_back("-fdelayed-template-parsing");
    compiler.setInvocation(make_invocation(flags));
    compiler.getPreprocessorOpts().ImplicitPCHInclude = std::string(kPreludePch);
    compiler.getPreprocessorOpts().DisablePCHOrModuleValidation =
        clang::DisableValidationForModuleKind::PCH;
    compiler.getPreprocessorOpts().Includes = {std::string(kOptionsFile)};
    // Harvester::shouldSkipFunctionBody() says which.
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getCodeGenOpts().MainFileName = input.request.name;
    compiler.createDiagnostics(&log, /*ShouldOwnClient=*/false);
}

// The CPU device, whose formats may refuse parts of a source, has whole programs only.
Undefined undefined_in(const AttemptInput& input) {
    if (may_refuse_parts(input.request)) return Undefined::Reported;
    return input.options.is_part ? Undefined::Elsewhere : Undefined::Refused;
}

}  // namespace

bool may_refuse_parts(const compiler::CompileRequest& request) {
    return request.format != "ptx" && request.format != "signatures";
}

Attempt::Attempt(const AttemptInput& input, HostEdits& edits, bool late_lookup)
    : names_(input.request.name_expressions) {
    translation_.context = std::make_unique<llvm::LLVMContext>();
    translation_.name = input.request.name.empty() ? "kernel.cu" : input.request.name;
    translation_.source = input.request.source;

    // The blank line ends a source that stops in the middle of one.
    std::string text = edits.source();
    if (!names_.empty()) text += fmt::format("\n\n#include \"{}\"\n", kExpressionsFile);
    const std::string macros = options_text(input.options, edits);
    std::vector<ExtraFile> extra = {
        {kPreludePch, input.prelude}, {kOptionsFile, macros}, {kExpressionsFile, names_.text()}};
    for (const auto& [path, edited] : edits.files()) extra.push_back({path, edited});

    DeclarationMap declarations;
    ReferenceMarker references;
    clang::CompilerInstance compiler;
    configure(compiler, input, late_lookup, log_);
    compiler.createFileManager(make_file_system(input.request, extra, input.options.include_dirs));
    compiler.createSourceManager(compiler.getFileManager());
    DeviceText device_text;
    const bool wants_text = input.request.format == "signatures";
    TranslateAction action({translation_, names_, log_, found_, declarations, references,
                            skipped_headers_, device_text.lines, has_partial_headers_,
                            wants_text ? &device_text : nullptr, edits.may_refuse(),
                            undefined_in(input)});
    const clang::FrontendInputFile file(llvm::MemoryBufferRef(text, translation_.name),
                                        clang::InputKind(clang::Language::CUDA));
    if (!compiler.createTarget() || !action.BeginSourceFile(compiler, file)) return;
    if (llvm::Error error = action.Execute()) log_.report_failure(llvm::toString(std::move(error)));
    log_.flush();
    translation_.dependencies = read_dependencies(compiler.getSourceManager());
    if (failed()) {
        look_for_edits(edits, compiler.getSourceManager(), declarations);
    } else {
        const bool is_edited = edits.source() != input.request.source;
        if (wants_text) {
            translation_.device_text = device_text.of(edits.source(), is_edited, edits.library());
        }
    }
    action.EndSourceFile();
}

void Attempt::look_for_edits(HostEdits& edits, clang::SourceManager& sources,
                             const DeclarationMap& declarations) {
    const bool lacks_headers = !skipped_headers_.empty() || has_partial_headers_;
    // Under their new names the rest may compile as it stands.
    left_something_out_ = edits.give_up_names(find_own_names(log_));
    if (lacks_names(log_) && edits.bring_in_library()) left_something_out_ = true;
    if (edits.bring_in(find_wanted_headers(log_, lacks_headers))) left_something_out_ = true;
    wants_late_lookup_ = declarations.has_templates() && lacks_names(log_);
    has_templates_ = declarations.has_templates();
    if (left_something_out_) return;
    left_something_out_ =
        edits.leave_out(find_host_defects(log_, sources, declarations, lacks_headers), sources);
    const auto percents = find_bare_percents(log_, sources);
    if (!left_something_out_ && edits.double_percents(percents, sources)) {
        left_something_out_ = true;
    }
    if (!left_something_out_ && edits.may_refuse()) {
        left_something_out_ = edits.rewrite_again(find_failed_launches(log_, sources), sources) ||
                              edits.rewrite_launches(find_nested_launches(log_, sources), sources);
    }
    const auto pragmas = find_idle_pragmas(log_, sources);
    if (!left_something_out_ && edits.drop_lines(pragmas, sources)) left_something_out_ = true;
    if (!left_something_out_ && edits.may_refuse()) {
        left_something_out_ =
            edits.refuse(find_device_defects(log_, sources, declarations, lacks_headers), sources);
    }
}

bool Attempt::has_device_code() const {
    if (!translation_.templates.empty()) return true;
    return translation_.module != nullptr &&
           std::any_of(translation_.module->begin(), translation_.module->end(),
                       [](const llvm::Function& f) { return !f.isDeclaration(); });
}

void Attempt::add_notes(const HostEdits& edits) {
    for (const std::string& sentence : skipped_headers_) log_.add_note(sentence);
    for (const std::string& sentence : edits.notes()) log_.add_note(sentence);
}

void Attempt::check(const HostEdits& edits, const Attempt* furthest) {
    add_notes(edits);
    const std::string last = furthest != nullptr ? furthest->log_.first_error() : std::string();
    if (!last.empty() && last != log_.first_error()) {
        log_.add_note(
            fmt::format("with everything left out that may be, compiling stops at: {}", last));
    }
    if (failed()) log_.throw_errors();
    translation_.log += log_.log();
    check_expressions();
}

void Attempt::check_expressions() const {
    std::string problem;
    if (const auto& error = log_.expression_error()) {
        problem = fmt::format("{} names no kernel of the source: {}",
                              quote(names_.expression(error->line - 1)), error->message);
    } else if (!found_.failures.empty()) {
        problem = found_.failures.front();
    } else {
        return;
    }
    const std::vector<std::string>& candidates = found_.candidates;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{}; the source has {}", problem,
                                    candidates.empty() ? "no kernels" : join(candidates)));
}

}  // namespace warpwise::cpu_compiler
