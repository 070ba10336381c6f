// Python functions over arrays: types of arguments, compiled kernels by type and device, launches.
#include "warpwise/python_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstring>
#include <future>
#include <map>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/raised_record.hpp"
#include "src/array/refuse.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/script/translate.hpp"
#include "warpwise/scalar.hpp"

namespace warpwise {

namespace array {

struct PythonKernelState {
    script::Translated translated;
    std::string types;
    runtime::Context* context = nullptr;
    std::shared_ptr<runtime::KernelState> state;
    Kernel kernel;
};

}  // namespace array

namespace {

using array::PythonKernelState;
using array::RaisedRecord;
using script::Type;

constexpr std::size_t kMostArgumentBytes = 4000;  // what a GPU takes

[[noreturn]] void refuse_argument(const Argument& argument) {
    array::refuse_type(
        "a Python function got {}, which is no argument of a kernel; pass arrays, "
        "numbers, tuples of numbers or None",
        runtime::described(argument));
}

Type type_of(const Argument& argument) {
    using Form = Argument::Form;
    const Kind given = argument.from().kind();
    switch (argument.form()) {
        case Form::Bool:
            return script::number_type(Kind::Bool);
        case Form::Int:
            return script::number_type(given == Kind::Void ? Kind::Int64 : given);
        case Form::UInt: {
            const bool is_small = argument.as_uint() <= INT64_MAX;
            if (given != Kind::Void) return script::number_type(given);
            return script::number_type(is_small ? Kind::Int64 : Kind::UInt64);
        }
        case Form::Float:
            return script::number_type(given == Kind::Void ? Kind::Float64 : given);
        case Form::Complex:
            return script::number_type(given == Kind::Void ? Kind::Complex128 : given);
        case Form::Null:
            return script::none_type();
        case Form::Tuple: {
            const auto& tuple = *static_cast<const NumberTuple*>(argument.object());
            std::vector<Type> items;
            for (std::size_t i = 0; i < tuple.count; ++i) items.push_back(type_of(tuple.values[i]));
            return script::tuple_type(std::move(items));
        }
        default:
            refuse_argument(argument);
    }
}

// Fields of records become arrays of their own, which the compiler reads as such.
Type record_type_of(const graph::View& view) {
    const StructType& record = *view.dtype.fields();
    std::vector<std::string> names;
    std::vector<Type> types;
    for (const StructField& one : record.fields) {
        const Kind kind = one.dtype.kind();
        const bool is_number = kind >= Kind::Bool && kind <= Kind::Complex128 &&
                               kind != Kind::BFloat16 && one.dtype.lanes() == 1;
        if (!is_number || one.count != 1) {
            array::refuse_type(
                "field '{}' of the records is no single number; kernels take records of numbers",
                one.name);
        }
        const std::size_t alignment = one.dtype.alignment();
        if (one.offset % alignment != 0 || record.size % alignment != 0) {
            array::refuse_value(
                "field '{}' of the records is not aligned to {} bytes; make their dtype with "
                "align=True",
                one.name, alignment);
        }
        names.push_back(one.name);
        types.push_back(script::number_type(kind));
    }
    if (names.empty() || view.shape.empty()) {
        array::refuse_type("kernels take arrays of records of one axis or more; got {}",
                           names.empty() ? "records without fields" : "a record alone");
    }
    return script::record_type(std::move(names), types, static_cast<int>(view.shape.size()));
}

Type type_of(const Array& array) {
    const graph::View& view = array.value().view;
    const Kind kind = view.dtype.kind();
    if (kind == Kind::Struct) return record_type_of(view);
    if (kind == Kind::BFloat16 || view.dtype.lanes() > 1) {
        array::refuse_type("Python functions take arrays of numbers, got one of {}",
                           view.dtype.name());
    }
    const bool is_dense =
        is_c_contiguous(view.shape, view.strides, static_cast<std::int64_t>(view.dtype.size()));
    return script::array_type(script::number_type(kind), static_cast<int>(view.shape.size()),
                              is_dense ? script::Layout::C : script::Layout::Strided);
}

Type type_of(const KernelOperand& operand) {
    return operand.array() != nullptr ? type_of(*operand.array()) : type_of(operand.value());
}

std::vector<Type> types_of_all(std::span<const KernelOperand> operands) {
    std::vector<Type> types;
    types.reserve(operands.size());
    for (const KernelOperand& one : operands) types.push_back(type_of(one));
    return types;
}

std::string text_of_all(const std::vector<Type>& types) {
    std::vector<std::string> texts;
    for (const Type type : types) texts.push_back(script::text_of(type));
    return join(texts);
}

// A strided type takes contiguous arrays too.
bool takes(Type wanted, Type given) {
    if (wanted == given) return true;
    return wanted->is_array() && given->is_array() && wanted->element == given->element &&
           wanted->rank == given->rank && wanted->layout == script::Layout::Strided;
}

std::shared_ptr<runtime::KernelState> load(const script::Translated& translated,
                                           const PythonFunctionOptions& options,
                                           runtime::Context& context) {
    if (translated.signature.argument_bytes > kMostArgumentBytes) {
        array::refuse_value(
            "{} takes {} bytes of arguments; a kernel takes {} at most, so pass "
            "fewer arrays",
            translated.signature.name, translated.signature.argument_bytes, kMostArgumentBytes);
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

Scalar complex_of(const Argument& value) {
    switch (value.form()) {
        case Argument::Form::Complex:
            return Scalar(std::complex<double>(value.real(), value.imaginary()));
        case Argument::Form::Float:
            return Scalar(value.real());
        case Argument::Form::UInt:
            return Scalar(value.as_uint());
        default:
            return Scalar(value.as_int());
    }
}

// The words of one launch.
class Launch {
  public:
    Launch(const PythonKernelState& kernel, const LaunchConfig& config,
           std::span<const KernelOperand> operands)
        : kernel_(kernel), config_(config), operands_(operands) {
        config_.cooperative |= kernel.translated.is_cooperative;
    }

    void run() {
        check();
        const Stream stream =
            config_.stream ? *config_.stream : Stream(runtime::current_stream(*kernel_.context));
        if (&stream.state()->context() != kernel_.context) {
            array::refuse_value("{}: the stream is of {}, but the arrays are on {}", name(),
                                stream.state()->context().name(), kernel_.context->name());
        }
        std::vector<graph::Use> uses;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Array* const given = operands_[i].array();
            if (given == nullptr) continue;
            const bool writes = kernel_.translated.written.contains(i);
            if (writes) array::require_writable(*given, name());
            uses.push_back({&given->value(), writes});
        }
        const std::optional<RaisedRecord> record =
            kernel_.translated.raises.empty()
                ? std::nullopt
                : std::optional<RaisedRecord>(kernel_.kernel.device());
        if (record) uses.push_back({&record->array().value(), true});
        graph::run_step(uses, stream, [&](const graph::UsedMemory& memory) {
            std::array<std::byte, kMostArgumentBytes> packed{};
            pack(memory.addresses, packed.data());
            runtime::launch_generated(
                kernel_.state, *stream.state(), config_,
                std::span(packed.data(), kernel_.translated.signature.argument_bytes),
                memory.buffers);
        });
        if (record) record->check(kernel_.translated);
    }

  private:
    const std::string& name() const { return kernel_.translated.signature.name; }

    void check() const {
        const auto& wanted = kernel_.translated.arguments;
        if (operands_.size() != wanted.size()) {
            array::refuse_type("{}() takes {} argument{}, got {}", name(), wanted.size(),
                               wanted.size() == 1 ? "" : "s", operands_.size());
        }
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Type given = type_of(operands_[i]);
            const bool are_numbers = wanted[i]->is_number() && given->is_number();
            if (!are_numbers && !takes(wanted[i], given)) {
                array::refuse_type("{}: argument {} is compiled as {}, got {}", name(), i + 1,
                                   script::text_of(wanted[i]), script::text_of(given));
            }
            if (operands_[i].array() == nullptr) continue;
            runtime::Context& own = array::context_of(*operands_[i].array());
            if (&own != kernel_.context) {
                array::refuse_value("{}: argument {} is on {}, but the kernel is compiled for {}",
                                    name(), i + 1, own.name(), kernel_.context->name());
            }
        }
    }

    void pack(std::span<const std::uint64_t> addresses, std::byte* packed) const {
        const auto& words = kernel_.translated.words;
        const KernelSignature& signature = kernel_.translated.signature;
        // The words of an argument stand together, and those of arrays are in their order.
        std::size_t next_address = 0;
        std::size_t last = operands_.size();
        std::uint64_t start = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::byte* const place = packed + signature.parameters[i].offset;
            if (words[i].argument == script::kSharedBytes) {
                std::memcpy(place, &config_.shared, sizeof(config_.shared));
                continue;
            }
            if (words[i].argument == script::kRaised) {
                std::memcpy(place, &addresses.back(), sizeof(std::uint64_t));
                continue;
            }
            const KernelOperand& operand = operands_[words[i].argument];
            if (const Array* const given = operand.array()) {
                if (words[i].argument != last) start = addresses[next_address++];
                last = words[i].argument;
                std::uint64_t address = start;
                if (!words[i].path.empty()) {
                    const StructType& record = *given->value().view.dtype.fields();
                    address += record.fields[words[i].path[0]].offset;
                }
                pack_array(*given, address, words[i].type, place);
                continue;
            }
            const Argument* value = &operand.value();
            for (const std::size_t item : words[i].path) {
                value = &static_cast<const NumberTuple*>(value->object())->values[item];
            }
            if (words[i].type->is_complex()) {
                const bool is_single = words[i].type->kind == Kind::Complex64;
                complex_of(*value).store(is_single ? Kind::Complex64 : Kind::Complex128, place);
            } else {
                runtime::pack_value(signature, i, *value, place);
            }
        }
    }

    void pack_array(const Array& given, std::uint64_t address, Type type, std::byte* place) const {
        const graph::View& view = given.value().view;
        const bool is_field = view.dtype.kind() == Kind::Struct;
        const std::size_t alignment =
            is_field ? DType(type->element->kind).alignment() : view.dtype.alignment();
        if (address % alignment != 0) {
            array::refuse_value(
                "{}: an array of {} lies at 0x{:x}, which is no multiple of {} bytes; "
                "pass a copy",
                name(), view.dtype.name(), address, alignment);
        }
        const auto put = [&place](std::uint64_t word) {
            std::memcpy(place, &word, sizeof(word));
            place += sizeof(word);
        };
        put(address);
        for (const std::int64_t extent : view.shape) put(static_cast<std::uint64_t>(extent));
        if (type->layout != script::Layout::Strided) return;
        for (const std::int64_t stride : view.strides) put(static_cast<std::uint64_t>(stride));
    }

    const PythonKernelState& kernel_;
    LaunchConfig config_;
    std::span<const KernelOperand> operands_;
};

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
        return {.zero_unset = options_.zero_unset, .checks = options_.debug};
    }
    std::shared_ptr<const PythonKernelState> compile(const std::vector<Type>& types,
                                                     runtime::Context& context) const {
        script::Translated translated = translate(types);
        std::shared_ptr<runtime::KernelState> state = load(translated, options_, context);
        return std::make_shared<const PythonKernelState>(PythonKernelState{
            std::move(translated), text_of_all(types), &context, state, Kernel(state)});
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

void PythonKernel::launch(const LaunchConfig& config,
                          std::span<const KernelOperand> operands) const {
    Launch(*state_, config, operands).run();
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
