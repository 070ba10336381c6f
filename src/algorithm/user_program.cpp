// The request of a SourceModule, with the signature beside it.
#include "src/algorithm/user_program.hpp"

#include <fmt/format.h>

#include "src/algorithm/tokens.hpp"
#include "src/base/text.hpp"
#include "src/codegen/group.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/module/module_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::algorithm {

std::shared_ptr<runtime::KernelState> load_kernel(const std::string& source, const KernelText& text,
                                                  const KernelSignature& signature,
                                                  runtime::Context& context, bool is_serial) {
    if (signature.argument_bytes > codegen::kMostArgumentBytes) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("{} takes {} bytes of arguments with the strides of its arrays; a kernel "
                        "takes {} at most, so pass fewer arrays, or contiguous ones",
                        text.name, signature.argument_bytes, codegen::kMostArgumentBytes));
    }
    compiler::CompileRequest request = runtime::compile_request(
        source, {text.options, text.include_dirs, text.headers, text.name + ".cu"});
    request.target = context.info().architecture;
    request.mode.signatures = {signature};
    // A block of one thread gains nothing from vectors of threads.
    if (is_serial) {
        request.mode.executor = request.mode.executor.value_or(compiler::Executor::Reference);
        request.mode.block = compiler::BlockShape{1, 1, 1};
    }
    const auto program = std::make_shared<const compiler::Program>(
        runtime::compile_program(context.backend().compiler(), request));
    const auto module = runtime::ModuleState::load(
        context.shared(), program, std::make_shared<const compiler::CompileRequest>(request));
    return module->kernel(*module->kernels().front());
}

void check_text(const KernelText& text) {
    const auto tokens = tokens_of(text.name);
    if (tokens.size() == 1 && tokens[0].kind == Token::Kind::Name && tokens[0].text == text.name) {
        return;
    }
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("{} is no name of a kernel; use letters, digits and _", quote(text.name)));
}

}  // namespace warpwise::algorithm
