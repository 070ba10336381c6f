// The clang run of one request: source in, module and facts out. Invariant: every object of clang's
// lives on the stack of translate() and is gone when it returns.
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

#include "src/backends/cpu/compiler/frontend/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/harvest.hpp"
#include "src/backends/cpu/compiler/frontend/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/name_expressions.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/frontend/prelude.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu_compiler {

namespace {

// What the user's macros come to: a file that is read after the prelude and before the source.
std::string options_text(const FrontendOptions& options) {
    std::string text;
    for (const std::string& line : options.macro_lines) text += line + "\n";
    for (const std::string& file : options.forced_includes) {
        text += fmt::format("#include \"{}\"\n", file);
    }
    if (options.device_by_default) text += "#pragma clang force_cuda_host_device begin\n";
    return text;
}

class TranslateAction final : public clang::ASTFrontendAction {
  public:
    TranslateAction(Translation& translation, NameExpressions& names, DiagnosticCollector& log,
                    HarvestResult& result)
        : translation_(translation), names_(names), log_(log), result_(result) {}

  protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
            compiler.getDiagnostics(), translation_.name, &compiler.getVirtualFileSystem(),
            compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
            compiler.getCodeGenOpts(), *translation_.context));
        auto harvester =
            std::make_unique<Harvester>(*generator, translation_, names_, log_, result_);
        std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
        consumers.push_back(std::move(generator));
        consumers.push_back(std::move(harvester));
        return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
    }

  private:
    Translation& translation_;
    NameExpressions& names_;
    DiagnosticCollector& log_;
    HarvestResult& result_;
};

void check_expressions(const NameExpressions& names, const DiagnosticCollector& log,
                       const HarvestResult& result) {
    std::string problem;
    if (const auto& error = log.expression_error()) {
        problem = fmt::format("{} names no kernel of the source: {}",
                              quote(names.expression(error->line - 1)), error->message);
    } else if (!result.failures.empty()) {
        problem = result.failures.front();
    } else {
        return;
    }
    const std::vector<std::string>& candidates = result.candidates;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{}; the source has {}", problem,
                                    candidates.empty() ? "no kernels" : join(candidates)));
}

void configure(clang::CompilerInstance& compiler, const FrontendOptions& options,
               const compiler::CompileRequest& request, const std::vector<std::string>& language,
               DiagnosticCollector& log) {
    std::vector<std::string> flags = language;
    const std::vector<std::string> search = search_flags(options, request);
    flags.insert(flags.end(), search.begin(), search.end());
    compiler.setInvocation(make_invocation(flags));
    compiler.getPreprocessorOpts().ImplicitPCHInclude = std::string(kPreludePch);
    compiler.getPreprocessorOpts().DisablePCHOrModuleValidation =
        clang::DisableValidationForModuleKind::PCH;
    compiler.getPreprocessorOpts().Includes = {std::string(kOptionsFile)};
    compiler.getCodeGenOpts().MainFileName = request.name;
    compiler.createDiagnostics(&log, /*ShouldOwnClient=*/false);
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
    NameExpressions names(request.name_expressions);
    const std::vector<std::string> language =
        language_flags(options, request.target, request.format);
    const std::string_view prelude = prelude_image(language);

    enter_stage("parsing");
    Translation result;
    result.context = std::make_unique<llvm::LLVMContext>();
    result.name = request.name.empty() ? "kernel.cu" : request.name;
    result.source = request.source;
    result.executor = options.executor.empty() ? settings().executor : options.executor;
    for (const std::string& note : options.notes) result.log += note + "\n";

    // The blank line ends a source that stops in the middle of one.
    std::string text = request.source;
    if (!names.empty()) text += fmt::format("\n\n#include \"{}\"\n", kExpressionsFile);
    const std::string macros = options_text(options);

    DiagnosticCollector log;
    clang::CompilerInstance compiler;
    configure(compiler, options, request, language, log);
    compiler.createFileManager(make_file_system(
        request,
        {{kPreludePch, prelude}, {kOptionsFile, macros}, {kExpressionsFile, names.text()}}));
    compiler.createSourceManager(compiler.getFileManager());
    HarvestResult found;
    TranslateAction action(result, names, log, found);
    const clang::FrontendInputFile input(llvm::MemoryBufferRef(text, result.name),
                                         clang::InputKind(clang::Language::CUDA));
    if (compiler.createTarget() && action.BeginSourceFile(compiler, input)) {
        if (llvm::Error error = action.Execute()) {
            log.report_failure(llvm::toString(std::move(error)));
        }
        log.flush();
        result.dependencies = read_dependencies(compiler.getSourceManager());
        action.EndSourceFile();
    }
    result.log += log.log();
    if (log.has_errors() && !log.only_expressions_fail()) log.throw_errors();
    check_expressions(names, log, found);
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
