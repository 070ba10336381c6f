// Python functions over arrays: compiled kernels by type and device.
#include "warpwise/python_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/python/python_kernel.hpp"
#include "src/array/refuse.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/script/translate.hpp"

namespace warpwise {

namespace {

using array::PythonKernelState;
using script::Type;

std::vector<Type> types_of_all(std::span<const KernelOperand> operands) {
    std::vector<Type> types;
    types.reserve(operands.size());
    for (const KernelOperand& one : operands) {
        types.push_back(array::type_of(one, types.size() + 1));
    }
    return types;
}

std::string text_of_all(const std::vector<Type>& types) {
    std::vector<std::string> texts;
    texts.reserve(types.size());
    for (const Type type : types) texts.push_back(script::text_of(type));
    return join(texts);
}

std::shared_ptr<runtime::KernelState> load(const script::Translated& translated,
                                           const PythonFunctionOptions& options,
                                           runtime::Context& context) {
    if (translated.signature.argument_bytes > array::kMostArgumentBytes) {
        array::refuse_value(
            "{} takes {} bytes of arguments; a kernel takes {} at most, so pass "
            "fewer arrays",
            translated.signature.name, translated.signature.argument_bytes,
            array::kMostArgumentBytes);
    }
    std::vector<std::string> flags = options.compiler_options;
    if (options.fast_math) flags.emplace_back("--use_fast_math");
    if (options.line_info) flags.emplace_back("-lineinfo");
    if (options.max_registers > 0) {
        flags.push_back(fmt::format("--maxrregcount={}", options.max_registers));
    }
    compiler::CompileRequest request = runtime::compile_request(
        translated.source, {flags, {}, {}, translated.signature.name + ".cu"});
    request.target = context.info().architecture;
    request.mode.signatures = {translated.signature};
    const auto program = std::make_shared<const compiler::Program>(
        runtime::compile_program(context.backend().compiler(), request));
    const auto module = runtime::ModuleState::load(
        context.shared(), program, std::make_shared<const compiler::CompileRequest>(request));
    return module->kernel(*module->kernels().front());
}

}  // namespace

namespace array {

class PythonFunctionState {
  public:
    PythonFunctionState(std::string_view program, PythonFunctionOptions options)
        : program_(program), options_(std::move(options)) {}

    const std::string& name() const noexcept { return program_.kernel().name; }
    Type result_of(std::vector<Type> types) const {
        return script::result_of(program_, std::move(types), translate_options());
    }
    std::vector<PythonKernel> kernels() {
        std::vector<PythonKernel> found;
        MutexLock lock(mutex_);
        for (const auto& [key, kernel] : kernels_) {
            const bool is_made =
                kernel.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
            if (is_made) found.emplace_back(kernel.get());
        }
        return found;
    }
    std::string device_source(std::vector<Type> types, const std::string& name, bool returns_status,
                              Type declared) const {
        return script::device_source(program_, std::move(types), name, returns_status, declared,
                                     translate_options());
    }
    script::Translated translate(std::vector<Type> types) const {
        return script::translate(program_, std::move(types), translate_options());
    }

    // Compiled by the first thread that asks; others wait for it.
    std::shared_ptr<const PythonKernelState> kernel(const std::vector<Type>& types,
                                                    runtime::Context& context) {
        const Key key{types, &context};
        std::promise<std::shared_ptr<const PythonKernelState>> made;
        Future known;
        {
            MutexLock lock(mutex_);
            const auto [found, is_new] = kernels_.try_emplace(key);
            if (is_new) {
                found->second = made.get_future().share();
            } else {
                known = found->second;
            }
        }
        if (known.valid()) return known.get();
        try {
            auto kernel = compile(types, context);
            made.set_value(kernel);
            return kernel;
        } catch (...) {
            // The next call tries again.
            {
                MutexLock lock(mutex_);
                kernels_.erase(key);
            }
            made.set_exception(std::current_exception());
            throw;
        }
    }

  private:
    using Key = std::pair<std::vector<Type>, runtime::Context*>;
    using Future = std::shared_future<std::shared_ptr<const PythonKernelState>>;

    script::TranslateOptions translate_options() const {
        return {.zero_unset = options_.zero_unset,
                .checks = options_.debug,
                .checks_divisors = !options_.fast_math,
                .launch_bounds = options_.launch_bounds,
                .preamble = options_.preamble};
    }
    std::shared_ptr<const PythonKernelState> compile(const std::vector<Type>& types,
                                                     runtime::Context& context) const {
        script::Translated translated = translate(types);
        std::shared_ptr<runtime::KernelState> state = load(translated, options_, context);
        std::vector<bool> written(translated.arguments.size());
        for (const std::size_t argument : translated.written) written[argument] = true;
        return std::make_shared<const PythonKernelState>(
            PythonKernelState{std::move(translated), text_of_all(types), &context, state,
                              Kernel(state), std::move(written)});
    }

    const script::Program program_;
    const PythonFunctionOptions options_;
    Mutex mutex_;
    std::map<Key, Future> kernels_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace array

PythonKernel::PythonKernel(std::shared_ptr<const PythonKernelState> state) noexcept
    : state_(std::move(state)) {}

const std::string& PythonKernel::source() const noexcept {
    return state_->translated.source;
}

const std::string& PythonKernel::types() const noexcept {
    return state_->types;
}

bool PythonKernel::writes(std::size_t argument) const noexcept {
    return state_->translated.written.contains(argument);
}

const Kernel& PythonKernel::kernel() const noexcept {
    return state_->kernel;
}

PythonFunction::PythonFunction(std::string_view program, PythonFunctionOptions options)
    : state_(std::make_shared<array::PythonFunctionState>(program, std::move(options))) {}

const std::string& PythonFunction::name() const noexcept {
    return state_->name();
}

std::string PythonFunction::types_of(std::span<const KernelOperand> operands) {
    return text_of_all(types_of_all(operands));
}

std::string PythonFunction::source(std::string_view signature) const {
    return state_->translate(script::parse_signature(signature)).source;
}

std::string PythonFunction::device_source(std::string_view signature, const std::string& name,
                                          bool returns_status, std::string_view result) const {
    const Type declared = result.empty() ? nullptr : script::parse_type(result);
    return state_->device_source(script::parse_signature(signature), name, returns_status,
                                 declared);
}

std::vector<bool> PythonFunction::written(std::string_view signature) const {
    const script::Translated translated = state_->translate(script::parse_signature(signature));
    std::vector<bool> written(translated.arguments.size());
    for (const std::size_t argument : translated.written) written[argument] = true;
    return written;
}

PythonKernel PythonFunction::compile(std::string_view signature) const {
    return PythonKernel(
        state_->kernel(script::parse_signature(signature), array::context_of(std::nullopt)));
}

PythonKernel PythonFunction::compile(std::string_view signature, const Device& device) const {
    return PythonKernel(state_->kernel(script::parse_signature(signature),
                                       array::context_of(std::optional(device))));
}

std::vector<PythonKernel> PythonFunction::kernels() const {
    return state_->kernels();
}

std::string PythonFunction::result_of(std::string_view signature) const {
    return script::text_of(state_->result_of(script::parse_signature(signature)));
}

PythonKernel PythonFunction::kernel_for(std::span<const KernelOperand> operands) const {
    runtime::Context* context = nullptr;
    for (const KernelOperand& one : operands) {
        if (one.array() != nullptr && context == nullptr)
            context = &array::context_of(*one.array());
    }
    if (context == nullptr) context = &array::context_of(std::nullopt);
    return PythonKernel(state_->kernel(types_of_all(operands), *context));
}

}  // namespace warpwise
