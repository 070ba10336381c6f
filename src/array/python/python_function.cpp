// Python functions over arrays: compiled kernels by type and device.
#include "warpwise/python_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <set>
#include <tuple>
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

// Combinations of last extents that one combination of types is compiled for.
constexpr std::size_t kMostExtents = 4;

// What a kernel takes for granted of its arguments. The general one: nothing.
struct Assumed {
    bool is_small = false;          // the launch: see is_small()
    std::vector<int> last_extents;  // by argument, where few_items(); empty: none

    auto operator<=>(const Assumed&) const = default;
    bool operator==(const Assumed&) const = default;
};

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

class PythonFunctionState : public std::enable_shared_from_this<PythonFunctionState> {
  public:
    PythonFunctionState(std::string_view program, PythonFunctionOptions options)
        : program_(program), options_(std::move(options)) {}

    const std::string& name() const noexcept { return program_.kernel().name; }
    Type result_of(std::vector<Type> types) const {
        return script::result_of(program_, std::move(types), translate_options());
    }
    std::vector<PythonKernel> kernels() {
        std::vector<PythonKernel> found;
        const PythonKernelState* last = nullptr;
        MutexLock lock(mutex_);
        for (const auto& [key, future] : kernels_) {
            const bool is_made =
                future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
            if (!is_made) continue;
            // Of the same types, the general one is first.
            const PythonKernelState& kernel = *future.get();
            const bool is_shown = last == nullptr || last->context != kernel.context ||
                                  last->translated.arguments != kernel.translated.arguments;
            if (is_shown) found.emplace_back(future.get());
            last = &kernel;
        }
        return found;
    }
    std::string device_source(std::vector<Type> types, const std::string& name, bool returns_status,
                              Type declared) const {
        return script::device_source(program_, std::move(types), name, returns_status, declared,
                                     translate_options());
    }
    script::Translated translate(std::vector<Type> types, const Assumed& assumed = {}) const {
        script::TranslateOptions options = translate_options();
        options.is_small_launch = assumed.is_small;
        options.last_extents = assumed.last_extents;
        return script::translate(program_, std::move(types), options);
    }

    // For these operands: a more general one, where it was asked for before.
    std::shared_ptr<const PythonKernelState> kernel_for(std::span<const KernelOperand> operands,
                                                        runtime::Context& context) {
        const std::vector<Type> types = types_of_all(operands);
        if (options_.debug) return kernel(types, context);
        Assumed assumed{.is_small = is_small(operands, types),
                        .last_extents = last_extents(types, operands)};
        {
            MutexLock lock(mutex_);
            if (!has_room(types, assumed, context)) assumed.last_extents.clear();
            const Assumed any_number{.last_extents = assumed.last_extents};
            if (kernels_.contains({types, &context, any_number})) assumed = any_number;
            if (kernels_.contains({types, &context, {}})) assumed = {};
        }
        return kernel(types, context, assumed);
    }

    // Compiled by the first thread that asks; others wait for it.
    std::shared_ptr<const PythonKernelState> kernel(const std::vector<Type>& types,
                                                    runtime::Context& context,
                                                    const Assumed& assumed = {}) {
        const Key key{types, &context, assumed};
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
            auto kernel = compile(types, context, assumed);
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
    using Key = std::tuple<std::vector<Type>, runtime::Context*, Assumed>;
    using Future = std::shared_future<std::shared_ptr<const PythonKernelState>>;

    script::TranslateOptions translate_options() const {
        return {.zero_unset = options_.zero_unset,
                .checks = options_.debug,
                .checks_divisors = !options_.fast_math,
                .launch_bounds = options_.launch_bounds,
                .preamble = options_.preamble};
    }
    // Of arrays in C order with few items along the last axis, where the kernel gains by that.
    std::vector<int> last_extents(const std::vector<Type>& types,
                                  std::span<const KernelOperand> operands) {
        std::vector<int> found(types.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            const bool is_plain = types[i]->is_array() && types[i]->layout == script::Layout::C;
            if (is_plain) found[i] = few_items(operands[i]);
        }
        const auto is_none = [&found] { return std::ranges::count(found, 0) == std::ssize(found); };
        if (is_none()) return {};
        const std::set<std::size_t> wanted = arrays_of_few_items(types);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!wanted.contains(i)) found[i] = 0;
        }
        if (is_none()) found.clear();
        return found;
    }
    std::set<std::size_t> arrays_of_few_items(const std::vector<Type>& types) {
        {
            MutexLock lock(mutex_);
            const auto known = few_items_.find(types);
            if (known != few_items_.end()) return known->second;
        }
        std::set<std::size_t> found = translate(types).few_items;
        MutexLock lock(mutex_);
        return few_items_.try_emplace(types, std::move(found)).first->second;
    }
    // Whether it has been compiled for few enough extents to be for these as well.
    bool has_room(const std::vector<Type>& types, const Assumed& assumed,
                  runtime::Context& context) const WARPWISE_REQUIRES(mutex_) {
        const auto first = kernels_.lower_bound({types, &context, {}});
        std::size_t others = 0;
        for (auto one = first; one != kernels_.end(); ++one) {
            const auto& [own_types, own_context, own] = one->first;
            if (own_types != types || own_context != &context) break;
            const bool is_other =
                !own.last_extents.empty() && own.last_extents != assumed.last_extents;
            others += is_other ? 1 : 0;
        }
        return others < kMostExtents;
    }
    std::shared_ptr<const PythonKernelState> compile(const std::vector<Type>& types,
                                                     runtime::Context& context,
                                                     const Assumed& assumed) {
        script::Translated translated = translate(types, assumed);
        std::shared_ptr<runtime::KernelState> state = load(translated, options_, context);
        std::vector<bool> written(translated.arguments.size());
        for (const std::size_t argument : translated.written) written[argument] = true;
        return std::make_shared<const PythonKernelState>(PythonKernelState{
            std::move(translated), text_of_all(types), &context, state, Kernel(state),
            std::move(written), assumed.is_small, assumed.last_extents, weak_from_this()});
    }

    const script::Program program_;
    const PythonFunctionOptions options_;
    Mutex mutex_;
    std::map<Key, Future> kernels_ WARPWISE_GUARDED_BY(mutex_);
    // By types: see Translated.
    std::map<std::vector<Type>, std::set<std::size_t>> few_items_ WARPWISE_GUARDED_BY(mutex_);
};

std::shared_ptr<const PythonKernelState> general_kernel(const PythonKernelState& kernel) {
    const std::shared_ptr<PythonFunctionState> function = kernel.function.lock();
    if (!function) {
        refuse_value(
            "{}: the kernel is compiled for other integers or extents, and its function is gone; "
            "keep the function, or compile() it for the types",
            kernel.translated.signature.name);
    }
    return function->kernel(kernel.translated.arguments, *kernel.context);
}

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
    return PythonKernel(state_->kernel_for(operands, *context));
}

}  // namespace warpwise
