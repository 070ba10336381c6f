// The entry point of libwarpwise_compiler. Invariant: no exception but those of warpwise/error.hpp
// and std::bad_alloc leaves it, and no crash either.
#include "src/compiler/service.hpp"

#include <fmt/format.h>

#include "src/backends/cpu/compiler/frontend/parse/prelude.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/text.hpp"
#include "src/compiler/worker/child.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu_compiler {

namespace {

// The level code is generated for: the request's, else the host's own. One that the request names
// may be above the host's: its code is not for this machine.
std::string resolve_target(const compiler::CompileRequest& request) {
    const std::string& target = request.target;
    const bool is_for_gpu = request.format == "preprocessed" && target.starts_with("sm_");
    if (request.format == "ptx" || is_for_gpu) return target;
    if (target.empty() || target == "cpu" || target == "native") {
        return native_level();
    }
    if (is_processor_level(level_of(target))) return target;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("target {} is not known; use cpu, native, {}",
                                    quote(request.target), fmt::join(processor_levels(), ", ")));
}

compiler::Program signatures_only(Translation&& translation, std::string target) {
    compiler::Program program;
    program.target = std::move(target);
    program.format = "signatures";
    const auto* const text = reinterpret_cast<const std::byte*>(translation.device_text.data());
    program.binary.assign(text, text + translation.device_text.size());
    program.log = std::move(translation.log);
    program.kernels = std::move(translation.kernels);
    program.globals = std::move(translation.globals);
    program.templates = std::move(translation.templates);
    program.dependencies = std::move(translation.dependencies);
    return program;
}

compiler::Program run_job(compiler::Job job, const compiler::CompileRequest& request) {
    if (job == compiler::Job::ReadSignatures)
        return signatures_only(translate(request), request.target);
    if (request.format == "preprocessed") return preprocess(request);
    return generate(translate(request), request.target, request.format);
}

class Service final : public compiler::CompilerService {
  public:
    compiler::Program compile(const compiler::CompileRequest& request) override {
        compiler::CompileRequest resolved = request;
        resolved.target = resolve_target(request);
        return dispatch(compiler::Job::Compile, resolved);
    }

    compiler::Program read_signatures(const compiler::CompileRequest& request) override {
        compiler::CompileRequest resolved = request;
        resolved.format = "signatures";
        return dispatch(compiler::Job::ReadSignatures, resolved);
    }

    void write_default_prelude(const std::string& path) override {
        run_guarded([&] { cpu_compiler::write_default_prelude(path); });
    }

  private:
    compiler::Program dispatch(compiler::Job job, const compiler::CompileRequest& request) {
        compiler::require_supported(request.mode);
        const WorkAtExit::Scope compiling(compiles_);
        if (crashed()) return compiler::run_in_child(job, request);
        compiler::Program program;
        run_guarded([&] { program = run_job(job, request); });
        return program;
    }

    WorkAtExit compiles_;  // with what LLVM and clang destroy at the end
};

}  // namespace

}  // namespace warpwise::cpu_compiler

// nullptr when the caller was built for another version of the interface.
extern "C" WARPWISE_API warpwise::compiler::CompilerService* warpwise_compiler_service(
    std::uint32_t version) {
    // Never destroyed: a thread may still be in it.
    static auto* const service = new warpwise::cpu_compiler::Service;
    return version == warpwise::compiler::kServiceVersion ? service : nullptr;
}
