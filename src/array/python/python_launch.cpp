// The launch of a kernel that was a Python function: arrays as structs, numbers, the record of what
// is raised.
#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/python/python_kernel.hpp"
#include "src/array/python/raised_record.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/launch/inline_list.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/scalar.hpp"

namespace warpwise {
namespace array {
namespace {

using script::Type;

// A strided type takes contiguous arrays too.
bool takes(Type wanted, Type given) {
    if (wanted == given) return true;
    return wanted->is_array() && given->is_array() && wanted->element == given->element &&
           wanted->rank == given->rank && wanted->layout == script::Layout::Strided;
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
class PythonLaunch {
  public:
    PythonLaunch(const PythonKernelState& kernel, const LaunchConfig& config,
                 std::span<const KernelOperand> operands)
        : kernel_(kernel), config_(config), operands_(operands) {
        config_.cooperative |= kernel.translated.is_cooperative;
    }

    // Whether the operands are exactly what it is compiled for; false where that is not plain.
    bool is_plain() const noexcept {
        const auto& wanted = kernel_.translated.arguments;
        if (operands_.size() != wanted.size()) return false;
        bool has_arrays = false;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (!is_plainly_of(operands_[i], wanted[i])) return false;
            const Array* const given = operands_[i].array();
            if (given != nullptr && &context_of(*given) != kernel_.context) return false;
            has_arrays |= given != nullptr;
        }
        if (needs_general()) return false;
        return has_arrays;  // without one, the current device chooses the kernel
    }

    bool is_for_some_launches() const noexcept {
        return kernel_.takes_small || !kernel_.last_extents.empty();
    }
    // Whether it is a kernel for some launches, and this is another.
    bool needs_general() const noexcept {
        for (std::size_t i = 0; i < kernel_.last_extents.size(); ++i) {
            const int wanted = kernel_.last_extents[i];
            if (wanted != 0 && few_items(operands_[i]) != wanted) return true;
        }
        return kernel_.takes_small &&
               !(is_small(operands_, kernel_.translated.arguments) && is_small(config_));
    }

    // Throws ArgumentError for what it does not take.
    void check() const {
        const auto& wanted = kernel_.translated.arguments;
        if (operands_.size() != wanted.size()) {
            refuse_type("{}() takes {} argument{}, got {}", name(), wanted.size(),
                        wanted.size() == 1 ? "" : "s", operands_.size());
        }
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Type given = type_of(operands_[i], i + 1);
            const bool are_numbers = wanted[i]->is_number() && given->is_number();
            if (!are_numbers && !takes(wanted[i], given)) {
                refuse_type("{}: argument {} is compiled as {}, got {}", name(), i + 1,
                            script::text_of(wanted[i]), script::text_of(given));
            }
            if (operands_[i].array() == nullptr) continue;
            runtime::Context& own = context_of(*operands_[i].array());
            if (&own != kernel_.context) {
                refuse_value("{}: argument {} is on {}, but the kernel is compiled for {}", name(),
                             i + 1, own.name(), kernel_.context->name());
            }
        }
    }

    void run() {
        const Stream stream =
            config_.stream ? *config_.stream : Stream(runtime::current_stream(*kernel_.context));
        if (&stream.state()->context() != kernel_.context) {
            refuse_value("{}: the stream is of {}, but the arrays are on {}", name(),
                         stream.state()->context().name(), kernel_.context->name());
        }
        // A graph may get other arguments later: GraphKernel::set_arguments().
        if (is_for_some_launches() && stream.state()->is_capturing()) {
            const std::shared_ptr<const PythonKernelState> general = general_kernel(kernel_);
            PythonLaunch(*general, config_, operands_).run();
            return;
        }
        runtime::InlineList<graph::Use, 16> uses;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Array* const given = operands_[i].array();
            if (given == nullptr) continue;
            const bool writes = kernel_.written[i];
            if (writes) require_writable(*given, name());
            uses.push_back({&given->value(), writes});
        }
        const std::optional<RaisedRecord> record =
            kernel_.translated.raises.empty()
                ? std::nullopt
                : std::optional<RaisedRecord>(kernel_.kernel.device());
        if (record) uses.push_back({&record->array().value(), true});
        graph::run_step(uses.view(), stream, [&](const graph::UsedMemory& memory) {
            std::array<std::byte, kMostArgumentBytes> packed;  // written by pack()
            pack(memory.addresses, packed.data());
            runtime::launch_generated(
                kernel_.state, *stream.state(), config_,
                std::span(packed.data(), kernel_.translated.signature.argument_bytes),
                [&memory] { return memory.buffers(); });
        });
        if (record) record->check(kernel_.translated);
    }

  private:
    const std::string& name() const { return kernel_.translated.signature.name; }

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
                const StructField* field = nullptr;
                const StructType* record = given->value().view.dtype.fields();
                for (const std::size_t item : words[i].path) {
                    field = &record->fields[item];
                    address += field->offset;
                    record = field->dtype.fields();
                }
                pack_array(*given, address, field, words[i].type, place);
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

    // `field`: the field of the records that the word shows; null for arrays of numbers.
    void pack_array(const Array& given, std::uint64_t address, const StructField* field, Type type,
                    std::byte* place) const {
        const graph::View& view = given.value().view;
        const auto [axes, element] = field != nullptr
                                         ? field_axes(*field)
                                         : std::pair(std::vector<std::size_t>(), view.dtype);
        if (!type->is_packed && address % element.alignment() != 0) {
            refuse_value(
                "{}: an array of {} lies at 0x{:x}, which is no multiple of {} bytes; "
                "pass a copy",
                name(), view.dtype.name(), address, element.alignment());
        }
        const auto put = [&place](std::uint64_t word) {
            std::memcpy(place, &word, sizeof(word));
            place += sizeof(word);
        };
        put(address);
        for (const std::int64_t extent : view.shape) put(static_cast<std::uint64_t>(extent));
        for (const std::size_t extent : axes) put(extent);
        if (type->layout != script::Layout::Strided) return;
        for (const std::int64_t stride : view.strides) put(static_cast<std::uint64_t>(stride));
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            std::size_t stride = element.size();
            for (std::size_t after = axis + 1; after < axes.size(); ++after) stride *= axes[after];
            put(stride);
        }
    }

    const PythonKernelState& kernel_;
    LaunchConfig config_;
    std::span<const KernelOperand> operands_;
};

}  // namespace
}  // namespace array

void PythonKernel::launch(const LaunchConfig& config,
                          std::span<const KernelOperand> operands) const {
    array::PythonLaunch launch(*state_, config, operands);
    if (!launch.is_plain()) {
        launch.check();
        if (launch.needs_general()) {
            PythonKernel(array::general_kernel(*state_)).launch(config, operands);
            return;
        }
    }
    launch.run();
}

bool PythonKernel::launch_plain(const LaunchConfig& config,
                                std::span<const KernelOperand> operands) const {
    array::PythonLaunch launch(*state_, config, operands);
    if (!launch.is_plain()) return false;
    launch.run();
    return true;
}

}  // namespace warpwise
