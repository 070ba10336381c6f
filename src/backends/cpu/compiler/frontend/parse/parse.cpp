// The clang run: source in, module and facts out.
#include "src/backends/cpu/compiler/frontend/parse/parse.hpp"

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

#include "src/backends/cpu/compiler/frontend/harvest/device_text.hpp"
#include "src/backends/cpu/compiler/frontend/harvest/references.hpp"
#include "src/backends/cpu/compiler/frontend/parse/constant_arithmetic.hpp"
#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"
#include "src/backends/cpu/compiler/frontend/parse/deduction_guides.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/backends/cpu/compiler/frontend/parse/header_skipper.hpp"
#include "src/backends/cpu/compiler/frontend/parse/invocation.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

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
    DeviceText* device_text = nullptr;  // when it is requested
    bool may_skip_own_headers = false;
    Undefined undefined = Undefined::Refused;
};

// Before the code generator, which passes host variables over and folds constants.
class MarkingConsumer final : public clang::ASTConsumer {
  public:
    explicit MarkingConsumer(ReferenceMarker& marker) : marker_(marker) {}
    void Initialize(clang::ASTContext& context) override { context_ = &context; }
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        marker_.mark(group);
        define_constant_arithmetic(*context_, group);
        return true;
    }

  private:
    ReferenceMarker& marker_;
    clang::ASTContext* context_ = nullptr;
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
            leave_if_abandoned();
            findings_.declarations.see(compiler.getSourceManager(), token);
            clang::ASTContext* const context =
                compiler.hasASTContext() ? &compiler.getASTContext() : nullptr;
            findings_.references.see(token, context);
            guides_.see(token, context);
        });
    }

    Findings findings_;
    GuideMarker guides_;
};

// The CPU device, whose formats may refuse parts of a source, has whole programs only.
Undefined undefined_in(const ParseInput& input) {
    if (may_refuse_parts(input.request)) return Undefined::Reported;
    return input.options.is_part ? Undefined::Elsewhere : Undefined::Refused;
}

}  // namespace

std::string options_text(const FrontendOptions& options, std::string_view preamble) {
    std::string text(preamble);
    for (const std::string& line : options.macro_lines) text += line + "\n";
    for (const std::string& file : options.forced_includes) {
        text += fmt::format("#include \"{}\"\n", file);
    }
    if (options.device_by_default) text += "#pragma clang force_cuda_host_device begin\n";
    return text;
}

void configure(clang::CompilerInstance& compiler, const ParseInput& input, bool late_lookup,
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
    // Harvester::shouldSkipFunctionBody() decides which.
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getCodeGenOpts().MainFileName = input.request.name;
    compiler.createDiagnostics(&log, /*ShouldOwnClient=*/false);
}

bool may_refuse_parts(const compiler::CompileRequest& request) {
    return request.format != "ptx" && request.format != "signatures";
}

Parse::Parse(const ParseInput& input, const ParseText& text, const OnFailure& on_failure)
    : names_(input.request.name_expressions) {
    translation_.context = std::make_unique<llvm::LLVMContext>();
    translation_.name = input.request.name.empty() ? "kernel.cu" : input.request.name;
    translation_.source = input.request.source;
    run(input, text, on_failure);
}

void Parse::run(const ParseInput& input, const ParseText& text, const OnFailure& on_failure) {
    // The blank line ends a source that stops in the middle of one.
    std::string source = text.source;
    if (!names_.empty()) source += fmt::format("\n\n#include \"{}\"\n", kExpressionsFile);
    const std::string macros = options_text(input.options, text.preamble);
    std::vector<ExtraFile> extra = {
        {kPreludePch, input.prelude}, {kOptionsFile, macros}, {kExpressionsFile, names_.text()}};
    for (const auto& [path, edited] : text.files) extra.push_back({path, edited});

    DeclarationMap declarations;
    ReferenceMarker references;
    clang::CompilerInstance compiler;
    configure(compiler, input, text.has_late_lookup, log_);
    compiler.createFileManager(make_file_system(input.request, extra, input.options.include_dirs));
    compiler.createSourceManager(compiler.getFileManager());
    DeviceText device_text;
    const bool has_device_text = input.request.format == "signatures";
    TranslateAction action({translation_, names_, log_, found_, declarations, references,
                            skipped_headers_, device_text.lines, has_partial_headers_,
                            has_device_text ? &device_text : nullptr, text.may_skip_own_headers,
                            undefined_in(input)});
    log::debug("clang parses {}", translation_.name);
    const clang::FrontendInputFile file(llvm::MemoryBufferRef(source, translation_.name),
                                        clang::InputKind(clang::Language::CUDA));
    if (!compiler.createTarget() || !action.BeginSourceFile(compiler, file)) return;
    if (llvm::Error error = action.Execute()) log_.report_failure(llvm::toString(std::move(error)));
    log_.flush();
    translation_.dependencies = read_dependencies(compiler.getSourceManager());
    if (failed()) {
        const bool lacks_headers = !skipped_headers_.empty() || has_partial_headers_;
        on_failure({log_, compiler.getSourceManager(), compiler.getASTContext(), declarations,
                    lacks_headers});
    } else if (has_device_text) {
        const bool is_edited = text.source != input.request.source;
        translation_.device_text = device_text.of(text.source, is_edited, text.preamble);
    }
    action.EndSourceFile();
}

bool Parse::has_device_code() const {
    if (!translation_.templates.empty()) return true;
    return translation_.module != nullptr &&
           std::any_of(translation_.module->begin(), translation_.module->end(),
                       [](const llvm::Function& f) { return !f.isDeclaration(); });
}

void Parse::check(const std::vector<std::string>& notes, const Parse* furthest) {
    for (const std::string& sentence : skipped_headers_) log_.add_note(sentence);
    for (const std::string& sentence : notes) log_.add_note(sentence);
    const std::string last = furthest != nullptr ? furthest->log_.first_error() : std::string();
    if (!last.empty() && last != log_.first_error()) {
        log_.add_note(
            fmt::format("with everything left out that may be, compiling stops at: {}", last));
    }
    if (failed()) log_.throw_errors();
    translation_.log += log_.log();
    check_expressions();
}

void Parse::check_expressions() const {
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
