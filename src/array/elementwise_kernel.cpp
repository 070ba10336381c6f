// Calls of ElementwiseKernels: shapes, outputs, overlaps; then one step of the graph.
#include "warpwise/elementwise_kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/algorithm/elementwise_state.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/array/kernel_operands.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {
namespace {

using algorithm::ArrayUse;
using algorithm::ElementwiseForm;
using array::ArrayOperand;

// The elements that a call visits.
struct Points {
    std::int64_t count = 0;
    std::int64_t start = 0;
    std::int64_t step = 1;
};

Points clipped(const Slice& slice, std::int64_t n, std::int64_t step) {
    const std::int64_t least = step > 0 ? 0 : -1;
    const std::int64_t most = step > 0 ? n : n - 1;
    const auto bound = [&](const std::optional<std::int64_t>& given, std::int64_t unset) {
        if (!given) return unset;
        return std::clamp(*given < 0 ? *given + n : *given, least, most);
    };
    const std::int64_t start = bound(slice.start, step > 0 ? least : most);
    const std::int64_t stop = bound(slice.stop, step > 0 ? most : least);
    const std::int64_t reach = step > 0 ? stop - start : start - stop;
    const std::int64_t size = step > 0 ? step : -step;
    return {reach <= 0 ? 0 : (reach + size - 1) / size, start, step};
}

Points exact(const Slice& slice, std::int64_t n, std::int64_t step, const std::string& kernel) {
    if (!slice.start || !slice.stop) {
        array::refuse_value("{}: range= needs start and stop; slice= clips and fills in", kernel);
    }
    const std::int64_t start = *slice.start;
    const std::int64_t reach = step > 0 ? *slice.stop - start : start - *slice.stop;
    if (reach <= 0) return {0, start, step};
    const std::int64_t size = step > 0 ? step : -step;
    const std::int64_t count = (reach + size - 1) / size;
    const std::int64_t last = start + (count - 1) * step;
    if (std::min(start, last) < 0 || std::max(start, last) >= n) {
        array::refuse_index(
            "{}: range={}:{}:{} visits elements {} to {} of {}; stay inside of 0 to {}", kernel,
            start, *slice.stop, step, start, last, n, n - 1);
    }
    return {count, start, step};
}

class Call {
  public:
    Call(algorithm::ElementwiseState& state, std::span<const KernelOperand> given,
         const ElementwiseCall& options)
        : state_(state),
          definition_(state.definition()),
          name_(definition_.text.name),
          options_(options) {
        read(given);
        stream_ = array::stream_of(options_.stream, operands_, name_);
        find_shape();
    }

    std::vector<Array> run() {
        if (left_out_) make_output();
        refuse_addresses();
        separate();
        Points points{.count = count_of(shape_)};
        auto range = ElementwiseForm::Range::All;
        if (options_.elements) {
            const std::int64_t step = options_.elements->step.value_or(1);
            if (step == 0) array::refuse_value("{}: the step of a range cannot be 0", name_);
            points = options_.clips ? clipped(*options_.elements, points.count, step)
                                    : exact(*options_.elements, points.count, step, name_);
            range = step == 1 ? ElementwiseForm::Range::Unit : ElementwiseForm::Range::Steps;
        }
        if (points.count > 0) launch(points, range);
        std::vector<Array> outputs;
        for (const ArrayOperand& one : operands_.arrays) {
            if (!definition_.parameters[one.parameter].is_const) outputs.push_back(original(one));
        }
        return outputs;
    }

  private:
    const ArrayUse& use(const ArrayOperand& one) const {
        return definition_.usage.arrays[one.parameter];
    }
    const Parameter& parameter(const ArrayOperand& one) const {
        return state_.signature().parameters[one.parameter];
    }
    Array original(const ArrayOperand& one) const { return one.array; }

    // The only output may be left out, wherever it stands.
    void read(std::span<const KernelOperand> given) {
        const auto& parameters = definition_.parameters;
        std::vector<const KernelOperand*> all;
        for (const KernelOperand& one : given) all.push_back(&one);
        const auto is_output = [](const KernelParameter& one) {
            return one.is_array && !one.is_const;
        };
        const bool has_one = std::ranges::count_if(parameters, is_output) == 1;
        if (has_one && given.size() + 1 == parameters.size()) {
            const auto at = std::ranges::find_if(parameters, is_output) - parameters.begin();
            left_out_ = static_cast<std::size_t>(at);
            all.insert(all.begin() + at, nullptr);
        }
        if (all.size() != parameters.size()) {
            runtime::refuse_count(state_.signature(), given.size());
        }
        operands_ = array::read_operands(state_.signature(), all);
        if (operands_.arrays.empty()) {
            array::refuse_value(
                "{} got no array, so it has no elements to visit; pass the output too", name_);
        }
    }

    // Of what is used at x[i]; where nothing is, of the first array.
    void find_shape() {
        std::vector<Shape> shapes;
        for (const ArrayOperand& one : operands_.arrays) {
            if (use(one).is_at_index) shapes.push_back(one.shape);
        }
        shape_ = shapes.empty() ? operands_.arrays[0].shape : broadcast(shapes);
        for (const ArrayOperand& one : operands_.arrays) {
            if (!use(one).is_at_index || !use(one).may_write || one.shape == shape_) continue;
            array::refuse_value(
                "{}: the output '{}' has shape {}, but the arrays have {} together; pass one of "
                "that shape",
                name_, parameter(one).name, text_of(one.shape), text_of(shape_));
        }
    }

    Shape broadcast(const std::vector<Shape>& shapes) const {
        try {
            return broadcast_shapes(shapes);
        } catch (const ArgumentError& error) {
            throw ArgumentError(error.kind(), fmt::format("{}: {}", name_, error.what()));
        }
    }

    void make_output() {
        const Parameter& parameter = state_.signature().parameters[*left_out_];
        if (options_.elements) {
            array::refuse_value(
                "{}: the output '{}' is left out, but a range leaves elements of it undefined; "
                "pass it",
                name_, parameter.name);
        }
        const array::NewElements elements = array::new_elements(parameter, name_);
        const auto item = static_cast<std::int64_t>(parameter.dtype.size());
        std::vector<Strides> kept;
        const bool keeps_order = definition_.usage.is_plain && !definition_.usage.uses_index;
        for (const ArrayOperand& one : operands_.arrays) {
            if (!keeps_order || !use(one).is_at_index) continue;
            kept.push_back(broadcast_strides(one.shape, one.strides, shape_));
        }
        std::vector<const Strides*> strides;
        strides.reserve(kept.size());
        for (const Strides& one : kept) strides.push_back(&one);
        ArrayOperand made{.parameter = *left_out_, .shape = shape_, .item_bytes = item};
        made.strides =
            kept.empty() ? c_strides(shape_, item) : graph::keep_order(shape_, item, strides);
        Shape whole = shape_;
        Strides steps = made.strides;
        if (elements.lanes > 1) {
            whole.push_back(elements.lanes);
            steps.push_back(static_cast<std::int64_t>(elements.dtype.size()));
        }
        made.array =
            Array(graph::empty(whole, elements.dtype, *operands_.context, &steps, &*stream_));
        const auto at = std::ranges::find_if(
            operands_.arrays, [&](const ArrayOperand& one) { return one.parameter > *left_out_; });
        operands_.arrays.insert(at, std::move(made));
    }

    // x + 1 and &x[i] need elements side by side, as many as the call has.
    void refuse_addresses() const {
        for (const ArrayOperand& one : operands_.arrays) {
            if (!use(one).address) continue;
            const bool is_repeated = use(one).is_at_index && one.shape != shape_;
            if (!is_repeated && is_c_contiguous(one.shape, one.strides, one.item_bytes)) continue;
            const algorithm::TextPlace place =
                algorithm::place_of(definition_.operation, *use(one).address);
            array::refuse_value(
                "{}: the operation takes an address of '{}' (line {}, column {}: {}), so its array "
                "must be contiguous and have the shape {}; got shape {} and strides {}: pass "
                "ascontiguousarray(x), or use x[...] alone",
                name_, parameter(one).name, place.line, place.column, place.text, text_of(shape_),
                text_of(one.shape), text_of(one.strides));
        }
    }

    // Inputs that a write may change before they are read are copied.
    void separate() {
        for (ArrayOperand& written : operands_.arrays) {
            if (!use(written).may_write) continue;
            for (ArrayOperand& other : operands_.arrays) {
                if (&other == &written || !array::overlap(written, other)) continue;
                if (use(other).may_write) {
                    array::refuse_value(
                        "{}: the outputs '{}' and '{}' overlap, so the result depends on the order "
                        "of threads; pass separate arrays",
                        name_, parameter(written).name, parameter(other).name);
                }
                const bool is_safe = array::is_same_place(written, other) &&
                                     !use(other).is_elsewhere && !use(other).address &&
                                     !use(written).is_elsewhere;
                if (is_safe) {
                    may_alias_ = true;
                } else {
                    take_copy(other);
                }
            }
        }
    }

    void take_copy(ArrayOperand& operand) const {
        Array copied = copy(operand.array, Order::C);
        operand.strides = c_strides(operand.shape, operand.item_bytes);
        operand.array = std::move(copied);
    }

    void launch(const Points& points, ElementwiseForm::Range range) {
        std::vector<algorithm::ElementwiseArray> arrays;
        for (const ArrayOperand& one : operands_.arrays) {
            const bool takes_part = use(one).is_at_index;
            arrays.push_back({.shape = takes_part ? shape_ : one.shape,
                              .strides = takes_part
                                             ? broadcast_strides(one.shape, one.strides, shape_)
                                             : one.strides,
                              .item_bytes = one.item_bytes,
                              .checked_bytes = one.checked_bytes,
                              .takes_part = takes_part});
        }
        const algorithm::ElementwiseLayout layout =
            algorithm::lay_out(definition_, shape_, arrays, may_alias_, range);
        const auto program = state_.program(layout.form, *operands_.context);
        std::vector<graph::Use> uses;
        uses.reserve(operands_.arrays.size());
        for (const ArrayOperand& one : operands_.arrays) {
            uses.push_back({&one.array.value(), use(one).may_write});
        }
        graph::run_step(uses, *stream_, [&](const graph::UsedMemory& memory) {
            for (std::size_t i = 0; i < memory.addresses.size(); ++i) {
                array::check_alignment(parameter(operands_.arrays[i]), memory.addresses[i], name_);
            }
            program->launch(*stream_->state(), {.layout = &layout,
                                                .points = points.count,
                                                .start = points.start,
                                                .step = points.step,
                                                .addresses = memory.addresses,
                                                .scalars = operands_.scalars,
                                                .buffers = memory.buffers()});
        });
    }

    algorithm::ElementwiseState& state_;
    const algorithm::ElementwiseDefinition& definition_;
    const std::string& name_;
    const ElementwiseCall& options_;
    array::KernelOperands operands_;
    std::optional<std::size_t> left_out_;
    std::optional<Stream> stream_;
    Shape shape_;
    bool may_alias_ = false;
};

}  // namespace

ElementwiseKernel::ElementwiseKernel(std::string_view arguments, std::string_view operation,
                                     const KernelText& text)
    : ElementwiseKernel(algorithm::parse_parameters(arguments, text.name), operation, text) {}

ElementwiseKernel::ElementwiseKernel(std::vector<KernelParameter> arguments,
                                     std::string_view operation, const KernelText& text)
    : state_(std::make_shared<algorithm::ElementwiseState>(algorithm::ElementwiseDefinition{
          std::move(arguments), std::string(operation), text, {}})) {}

std::vector<Array> ElementwiseKernel::call(std::span<const KernelOperand> operands,
                                           const ElementwiseCall& options) const {
    return Call(*state_, operands, options).run();
}

const std::string& ElementwiseKernel::name() const noexcept {
    return state_->definition().text.name;
}

const std::vector<KernelParameter>& ElementwiseKernel::parameters() const noexcept {
    return state_->definition().parameters;
}

std::string ElementwiseKernel::source() const {
    const algorithm::ElementwiseDefinition& definition = state_->definition();
    std::vector<algorithm::ElementwiseArray> arrays;
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        const KernelParameter& one = definition.parameters[i];
        if (!one.is_array) continue;
        const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(one.dtype.size(), 1));
        arrays.push_back({.shape = Shape{2},
                          .strides = Strides{bytes},
                          .item_bytes = bytes,
                          .takes_part = definition.usage.arrays[i].is_at_index});
    }
    const auto layout =
        algorithm::lay_out(definition, Shape{2}, arrays, false, ElementwiseForm::Range::All);
    return algorithm::emit(definition, layout.form);
}

}  // namespace warpwise
