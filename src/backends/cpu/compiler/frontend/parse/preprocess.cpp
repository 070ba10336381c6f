// Clang's preprocessor alone: a source's text as its parser would see it, without the prelude's.
#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/PreprocessorOutputOptions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <charconv>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/backends/cpu/compiler/frontend/parse/header_skipper.hpp"
#include "src/backends/cpu/compiler/frontend/parse/invocation.hpp"
#include "src/backends/cpu/compiler/frontend/parse/parse.hpp"
#include "src/backends/cpu/compiler/frontend/parse/prelude.hpp"
#include "src/backends/cpu/compiler/guard.hpp"

namespace warpwise::cpu_compiler {

namespace {

// What the skipper notes, of which a text needs nothing.
struct Skipped {
    std::vector<std::string> headers;
    std::vector<TextRange> lines;
    bool has_partial = false;
};

// No action of clang's for the preprocessor: those would print the prelude instead of taking its
// macros from the image.
class PrintAction final : public clang::ASTFrontendAction {
  public:
    explicit PrintAction(std::string& text) : text_(text) {}

  protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        clang::Preprocessor& preprocessor = compiler.getPreprocessor();
        preprocessor.addPPCallbacks(
            std::make_unique<HeaderSkipper>(preprocessor, skipped_.headers, skipped_.lines,
                                            skipped_.has_partial, /*may_skip_own=*/false));
        preprocessor.setTokenWatcher([](const clang::Token&) { leave_if_abandoned(); });
        return std::make_unique<clang::ASTConsumer>();
    }
    void ExecuteAction() override {
        clang::PreprocessorOutputOptions options;
        options.ShowCPP = 1;
        options.ShowLineMarkers = 0;
        llvm::raw_string_ostream out(text_);
        clang::DoPrintPreprocessedInput(getCompilerInstance().getPreprocessor(), &out, options);
    }

  private:
    std::string& text_;
    Skipped skipped_;
};

// For GPUs that are later than clang, "sm_100" or "sm_103a": what nvcc defines there.
std::string architecture_line(std::string_view target) {
    const std::string_view digits = target.substr(std::string_view("sm_").size());
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return fmt::format("#undef __CUDA_ARCH__\n#define __CUDA_ARCH__ {}0", number);
}

}  // namespace

compiler::Program preprocess(const compiler::CompileRequest& request) {
    enter_stage("reading options");
    FrontendOptions options = parse_options(request.options);
    options.device_by_default = false;  // a pragma, which would be printed
    const bool is_for_gpu = request.target.starts_with("sm_");
    std::string target = request.target;
    if (is_for_gpu && !is_known_gpu(target)) {
        options.macro_lines.insert(options.macro_lines.begin(), architecture_line(target));
        target = "sm_90";
    }
    const std::vector<std::string> language =
        language_flags(options, request.mode, target, is_for_gpu ? "ptx" : "object");
    const ParseInput input{request, options, language, prelude_image(language)};

    enter_stage("preprocessing");
    DiagnosticCollector log;
    clang::CompilerInstance compiler;
    configure(compiler, input, /*late_lookup=*/false, log);
    const std::string macros = options_text(options, {});
    compiler.createFileManager(make_file_system(
        request, {{kPreludePch, input.prelude}, {kOptionsFile, macros}}, options.include_dirs));
    compiler.createSourceManager(compiler.getFileManager());
    std::string text;
    PrintAction action(text);
    const std::string name = request.name.empty() ? "kernel.cu" : request.name;
    const clang::FrontendInputFile file(llvm::MemoryBufferRef(request.source, name),
                                        clang::InputKind(clang::Language::CUDA));
    compiler::Program program{.target = request.target, .format = request.format};
    if (compiler.createTarget() && action.BeginSourceFile(compiler, file)) {
        if (llvm::Error error = action.Execute()) {
            log.report_failure(llvm::toString(std::move(error)));
        }
        log.flush();
        program.dependencies = read_dependencies(compiler.getSourceManager());
        action.EndSourceFile();
    }
    if (log.has_errors()) log.throw_errors();
    program.log = log.log();
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    program.binary.assign(bytes, bytes + text.size());
    return program;
}

}  // namespace warpwise::cpu_compiler
