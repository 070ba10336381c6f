// Calls of users' scans: arrays in C order, overlaps; then one step of the graph.
#include "warpwise/scan_kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/scan/scan.hpp"
#include "src/array/kernel_operands.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {
namespace {

using algorithm::ArrayUse;
using algorithm::ScanDefinition;
using array::ArrayOperand;

class Call {
  public:
    Call(algorithm::ScanState& state, std::span<const KernelOperand> given,
         const GenericScanCall& options)
        : state_(state),
          definition_(state.definition()),
          name_(definition_.text.name),
          options_(options) {
        operands_ = array::read_all_operands(state.signature(), given, "scan");
        stream_ = array::stream_of(options_.stream, operands_, name_);
        find_count();
        refuse_moving_inputs();
        separate();
        pack();
    }

    void run() {
        if (count_ == 0) return;
        std::vector<graph::Use> uses;
        uses.reserve(operands_.arrays.size());
        for (const ArrayOperand& one : operands_.arrays) {
            uses.push_back({&one.array.value(), may_write(one)});
        }
        const auto program = state_.program(*operands_.context);
        graph::run_step(uses, *stream_, [&](const graph::UsedMemory& memory) {
            for (std::size_t i = 0; i < uses.size(); ++i) {
                array::check_alignment(state_.signature().parameters[operands_.arrays[i].parameter],
                                       memory.addresses[i], name_);
            }
            program->launch(*stream_->state(), {.count = count_,
                                                .addresses = memory.addresses,
                                                .scalars = operands_.scalars,
                                                .buffers = memory.buffers()});
        });
        for (auto& [target, packed] : written_back_) target.assign(packed);
    }

  private:
    const ArrayUse& input(const ArrayOperand& one) const {
        return definition_.inputs.arrays[one.parameter];
    }
    const ArrayUse& output(const ArrayOperand& one) const {
        return definition_.outputs.arrays[one.parameter];
    }
    bool is_at_index(const ArrayOperand& one) const {
        return input(one).is_at_index || output(one).is_at_index;
    }
    bool may_write(const ArrayOperand& one) const {
        return !definition_.parameters[one.parameter].is_const;
    }
    static bool reads_elsewhere(const ArrayUse& use) { return use.is_elsewhere || use.address; }

    void find_count() {
        const ArrayOperand* first = nullptr;
        for (const ArrayOperand& one : operands_.arrays) {
            if (!is_at_index(one)) continue;
            if (first == nullptr) first = &one;
            if (one.shape == first->shape) continue;
            array::refuse_value(
                "{}: '{}' has shape {} and '{}' has shape {}; what is used as x[i] must have one "
                "shape",
                name_, definition_.parameters[first->parameter].name, text_of(first->shape),
                definition_.parameters[one.parameter].name, text_of(one.shape));
        }
        if (first != nullptr) count_ = count_of(first->shape);
        if (first == nullptr && !options_.size) {
            array::refuse_value(
                "{}: no array is used as x[i], so the number of elements is not known; give size",
                name_);
        }
        if (!options_.size) return;
        if (*options_.size < 0 || (first != nullptr && *options_.size > count_)) {
            array::refuse_value("{} got size {} for arrays of {} elements", name_, *options_.size,
                                count_);
        }
        count_ = *options_.size;
    }

    // Other blocks may have written the elements that an input expression reads.
    void refuse_moving_inputs() const {
        for (const ArrayOperand& one : operands_.arrays) {
            if (!may_write(one) || !output(one).may_write) continue;
            if (!reads_elsewhere(input(one))) continue;
            array::refuse_value(
                "{}: '{}' is read at other indices than i and written; read a copy of it, as a "
                "parameter of its own",
                name_, definition_.parameters[one.parameter].name);
        }
    }

    // Inputs that a write may change before they are read are copied.
    void separate() {
        for (const ArrayOperand& written : operands_.arrays) {
            if (!may_write(written)) continue;
            for (ArrayOperand& other : operands_.arrays) {
                if (&other == &written || !array::overlap(written, other)) continue;
                if (may_write(other)) {
                    array::refuse_value(
                        "{}: the outputs '{}' and '{}' overlap, so the result depends on the order "
                        "of threads; pass separate arrays",
                        name_, definition_.parameters[written.parameter].name,
                        definition_.parameters[other.parameter].name);
                }
                const bool is_safe =
                    array::is_same_place(written, other) && !reads_elsewhere(input(other)) &&
                    !reads_elsewhere(output(other)) && !reads_elsewhere(output(written));
                if (!is_safe) replace(other, copy(other.array, Order::C));
            }
        }
    }

    // Pointers refer to elements in C order, without gaps.
    void pack() {
        for (ArrayOperand& one : operands_.arrays) {
            if (is_c_contiguous(one.shape, one.strides, one.item_bytes)) continue;
            const Array original = one.array;
            replace(one, copy(one.array, Order::C));
            if (may_write(one)) written_back_.emplace_back(original, one.array);
        }
    }

    static void replace(ArrayOperand& operand, const Array& packed) {
        operand.strides = c_strides(operand.shape, operand.item_bytes);
        operand.array = packed;
    }

    algorithm::ScanState& state_;
    const ScanDefinition& definition_;
    const std::string& name_;
    const GenericScanCall& options_;
    array::KernelOperands operands_;
    std::optional<Stream> stream_;
    std::int64_t count_ = 0;
    std::vector<std::pair<Array, Array>> written_back_;
};

struct Texts {
    std::string_view arguments;
    std::string_view input_expr;
    std::string_view scan_expr;
    std::string_view neutral;
    std::string_view output_statement;
    std::string_view segment_start;
};

std::shared_ptr<algorithm::ScanState> state_of(std::string_view type, const Texts& texts,
                                               const KernelText& text) {
    ScanDefinition definition;
    definition.parameters = algorithm::parse_parameters(texts.arguments, text.name);
    const KernelParameter value = array::value_type(type, text.name);
    definition.type = value.type;
    definition.dtype = value.dtype;
    definition.input_expr = texts.input_expr;
    definition.scan_expr = texts.scan_expr;
    definition.neutral = texts.neutral;
    definition.output_statement = texts.output_statement;
    definition.segment_start = texts.segment_start;
    definition.text = text;
    return std::make_shared<algorithm::ScanState>(std::move(definition));
}

std::shared_ptr<algorithm::ScanState> plain_state(std::string_view type, std::string_view scan_expr,
                                                  std::string_view neutral,
                                                  std::string_view statement,
                                                  const KernelText& text) {
    const std::string arguments = fmt::format("const {0} *in, {0} *out", type);
    return state_of(type, {arguments, "in[i]", scan_expr, neutral, statement, {}}, text);
}

std::string source_of(const algorithm::ScanState& state) {
    const ScanDefinition& definition = state.definition();
    const bool serial = algorithm::is_serial(*runtime::current_context());
    return algorithm::emit(definition,
                           algorithm::scan_layout(serial, definition.value_bytes(), 1, 1));
}

std::string_view required(std::string_view neutral, const KernelText& text) {
    if (!neutral.empty()) return neutral;
    array::refuse_value("{}: an exclusive scan begins with the neutral value, which is empty",
                        text.name);
}

}  // namespace

InclusiveScanKernel::InclusiveScanKernel(std::string_view type, std::string_view scan_expr,
                                         const KernelText& text)
    : ScanKernel(plain_state(type, scan_expr, {}, "out[i] = item", text)) {}
InclusiveScanKernel::InclusiveScanKernel(const DType& dtype, std::string_view scan_expr,
                                         const KernelText& text)
    : InclusiveScanKernel(array::cpp_type_of(dtype, text.name), scan_expr, text) {}

ExclusiveScanKernel::ExclusiveScanKernel(std::string_view type, std::string_view scan_expr,
                                         std::string_view neutral, const KernelText& text)
    : ScanKernel(
          plain_state(type, scan_expr, required(neutral, text), "out[i] = prev_item", text)) {}
ExclusiveScanKernel::ExclusiveScanKernel(const DType& dtype, std::string_view scan_expr,
                                         std::string_view neutral, const KernelText& text)
    : ExclusiveScanKernel(array::cpp_type_of(dtype, text.name), scan_expr, neutral, text) {}

Array ScanKernel::call(const Array& input, const ScanCall& options) const {
    const std::string& name = state_->definition().text.name;
    if (options.out != nullptr && !(options.out->shape() == input.shape())) {
        array::refuse_value("{} got out of shape {} for an array of shape {}; both must be equal",
                            name, text_of(options.out->shape()), text_of(input.shape()));
    }
    const DType dtype = state_->definition().dtype;
    Array result = options.out != nullptr
                       ? *options.out
                       : Array(graph::empty(input.shape(), dtype, array::context_of(input)));
    const KernelOperand operands[] = {input, result};
    Call(*state_, operands, {.stream = options.stream}).run();
    return result;
}

const std::string& ScanKernel::name() const noexcept {
    return state_->definition().text.name;
}
DType ScanKernel::dtype() const noexcept {
    return state_->definition().dtype;
}
std::string ScanKernel::source() const {
    return source_of(*state_);
}

GenericScanKernel::GenericScanKernel(std::string_view type, std::string_view arguments,
                                     std::string_view input_expr, std::string_view scan_expr,
                                     std::string_view neutral, std::string_view output_statement,
                                     std::string_view is_segment_start_expr, const KernelText& text)
    : state_(state_of(
          type,
          {arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr},
          text)) {}
GenericScanKernel::GenericScanKernel(const DType& dtype, std::string_view arguments,
                                     std::string_view input_expr, std::string_view scan_expr,
                                     std::string_view neutral, std::string_view output_statement,
                                     std::string_view is_segment_start_expr, const KernelText& text)
    : GenericScanKernel(array::cpp_type_of(dtype, text.name), arguments, input_expr, scan_expr,
                        neutral, output_statement, is_segment_start_expr, text) {}

void GenericScanKernel::call(std::span<const KernelOperand> operands,
                             const GenericScanCall& options) const {
    Call(*state_, operands, options).run();
}
const std::string& GenericScanKernel::name() const noexcept {
    return state_->definition().text.name;
}
const std::vector<KernelParameter>& GenericScanKernel::parameters() const noexcept {
    return state_->definition().parameters;
}
std::string GenericScanKernel::source() const {
    return source_of(*state_);
}

}  // namespace warpwise
