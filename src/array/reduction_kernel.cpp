// Calls of ReductionKernels: shapes, axes, the result; then one step of the graph.
#include "warpwise/reduction_kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/algorithm/elementwise_state.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/reduction.hpp"
#include "src/array/kernel_operands.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {
namespace {

using algorithm::ArrayUse;
using array::ArrayOperand;

class Call {
  public:
    Call(algorithm::ReductionState& state, std::span<const KernelOperand> given,
         const ReductionCall& options)
        : state_(state),
          definition_(state.definition()),
          name_(definition_.text.name),
          options_(options) {
        operands_ = array::read_all_operands(state.signature(), given, "reduce");
        stream_ = array::stream_of(options_.stream, operands_, name_);
        find_shape();
        find_axes();
        if (options_.out != nullptr) check_out();
        make_contiguous();
    }

    Array run() {
        const auto item = static_cast<std::int64_t>(definition_.dtype.size());
        const bool is_direct =
            options_.out != nullptr && options_.out->is_c_contiguous() && !out_is_read();
        const Strides strides = c_strides(kept_, item);
        Array result = is_direct ? *options_.out
                                 : Array(graph::empty(kept_, definition_.dtype, *operands_.context,
                                                      &strides, &*stream_));
        if (count_of(kept_) > 0) launch(result);
        if (options_.out == nullptr) return result;
        if (!is_direct) options_.out->assign(result);
        return *options_.out;
    }

  private:
    const ArrayUse& use(const ArrayOperand& one) const {
        return definition_.usage.arrays[one.parameter];
    }

    void find_shape() {
        std::vector<Shape> shapes;
        for (const ArrayOperand& one : operands_.arrays) {
            if (use(one).is_at_index) shapes.push_back(one.shape);
        }
        if (shapes.empty()) shapes.push_back(operands_.arrays[0].shape);
        try {
            shape_ = broadcast_shapes(shapes);
        } catch (const ArgumentError& error) {
            throw ArgumentError(error.kind(), fmt::format("{}: {}", name_, error.what()));
        }
    }

    void find_axes() {
        if (!options_.axes) {
            mask_ = (1u << shape_.size()) - 1;
        } else {
            for (const int axis : array::checked_axes(*options_.axes, shape_.size(), name_)) {
                mask_ |= 1u << axis;
            }
        }
        for (int axis = 0; axis < shape_.size(); ++axis) {
            if ((mask_ >> axis & 1) == 0) kept_.push_back(shape_[axis]);
            if ((mask_ >> axis & 1) != 0 && options_.keepdims) kept_.push_back(1);
        }
    }

    void check_out() const {
        const Array& out = *options_.out;
        array::require_writable(out, name_);
        if (&array::context_of(out) != operands_.context) {
            array::require_same_device(operands_.arrays[0].array, out, name_);
        }
        if (out.shape() != kept_ || !(out.dtype() == definition_.dtype)) {
            array::refuse_value("{} got out of shape {} and type {}, but the result has {} and {}",
                                name_, text_of(out.shape()), out.dtype().name(), text_of(kept_),
                                definition_.dtype.name());
        }
    }

    // Whether the result lies where elements are read from.
    bool out_is_read() const {
        return std::ranges::any_of(operands_.arrays, [&](const ArrayOperand& one) {
            return one.array.value().storage == options_.out->value().storage;
        });
    }

    // What is used at other indices than i is read through a pointer.
    void make_contiguous() {
        for (ArrayOperand& one : operands_.arrays) {
            const bool is_pointer = use(one).is_elsewhere || use(one).address;
            const Shape shape = use(one).is_at_index ? shape_ : one.shape;
            const bool is_plain =
                one.shape == shape && is_c_contiguous(one.shape, one.strides, one.item_bytes);
            if (!is_pointer || is_plain) continue;
            if (use(one).may_write) {
                array::refuse_value(
                    "{}: '{}' may be written at other indices than i, so its array must be "
                    "contiguous and of shape {}; make the parameter const, or pass such an array",
                    name_, definition_.parameters[one.parameter].name, text_of(shape));
            }
            Shape whole = shape;
            if (one.array.ndim() > one.shape.size()) {
                whole.push_back(one.array.shape()[one.array.ndim() - 1]);
            }
            one.array = copy(one.array.broadcast_to(whole), Order::C);
            one.shape = shape;
            one.strides = c_strides(shape, one.item_bytes);
        }
    }

    void launch(const Array& result) {
        std::vector<algorithm::ElementwiseArray> arrays;
        std::vector<graph::Use> uses;
        for (const ArrayOperand& one : operands_.arrays) {
            const bool takes_part = use(one).is_at_index;
            arrays.push_back({.shape = takes_part ? shape_ : one.shape,
                              .strides = takes_part
                                             ? broadcast_strides(one.shape, one.strides, shape_)
                                             : one.strides,
                              .item_bytes = one.item_bytes,
                              .checked_bytes = one.checked_bytes,
                              .takes_part = takes_part});
            uses.push_back({&one.array.value(), use(one).may_write});
        }
        uses.push_back({&result.value(), true});
        const algorithm::ReductionLayout layout =
            algorithm::lay_out(definition_, shape_, mask_, arrays);
        const auto program = state_.program(layout.form, *operands_.context);
        graph::run_step(uses, *stream_, [&](const graph::UsedMemory& memory) {
            for (std::size_t i = 0; i < arrays.size(); ++i) {
                array::check_alignment(state_.signature().parameters[operands_.arrays[i].parameter],
                                       memory.addresses[i], name_);
            }
            program->launch(*stream_->state(), {.layout = &layout,
                                                .result = memory.addresses.back(),
                                                .addresses = memory.addresses,
                                                .scalars = operands_.scalars,
                                                .buffers = memory.buffers()});
        });
    }

    algorithm::ReductionState& state_;
    const algorithm::ReductionDefinition& definition_;
    const std::string& name_;
    const ReductionCall& options_;
    array::KernelOperands operands_;
    std::optional<Stream> stream_;
    Shape shape_;
    Shape kept_;
    std::uint32_t mask_ = 0;
};

algorithm::ReductionDefinition definition_of(std::string_view type, std::string_view neutral,
                                             std::string_view reduce_expr,
                                             std::string_view map_expr, std::string_view arguments,
                                             const KernelText& text) {
    algorithm::ReductionDefinition definition;
    const std::string declared =
        arguments.empty() ? fmt::format("const {} *in", type) : std::string(arguments);
    definition.parameters = algorithm::parse_parameters(declared, text.name);
    const KernelParameter value = array::value_type(type, text.name);
    definition.type = value.type;
    definition.dtype = value.dtype;
    definition.neutral = neutral;
    definition.reduce_expr = reduce_expr;
    definition.map_expr = map_expr.empty() ? std::string_view("in[i]") : map_expr;
    definition.text = text;
    return definition;
}

}  // namespace

ReductionKernel::ReductionKernel(std::string_view type, std::string_view neutral,
                                 std::string_view reduce_expr, std::string_view map_expr,
                                 std::string_view arguments, const KernelText& text)
    : state_(std::make_shared<algorithm::ReductionState>(
          definition_of(type, neutral, reduce_expr, map_expr, arguments, text))) {}

ReductionKernel::ReductionKernel(const DType& dtype, std::string_view neutral,
                                 std::string_view reduce_expr, std::string_view map_expr,
                                 std::string_view arguments, const KernelText& text)
    : ReductionKernel(array::cpp_type_of(dtype, text.name), neutral, reduce_expr, map_expr,
                      arguments, text) {}

Array ReductionKernel::call(std::span<const KernelOperand> operands,
                            const ReductionCall& options) const {
    return Call(*state_, operands, options).run();
}

const std::string& ReductionKernel::name() const noexcept {
    return state_->definition().text.name;
}

DType ReductionKernel::dtype() const noexcept {
    return state_->definition().dtype;
}

const std::vector<KernelParameter>& ReductionKernel::parameters() const noexcept {
    return state_->definition().parameters;
}

std::string ReductionKernel::source() const {
    const algorithm::ReductionDefinition& definition = state_->definition();
    std::vector<algorithm::ElementwiseArray> arrays;
    for (const KernelParameter& one : definition.parameters) {
        if (!one.is_array) continue;
        const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(one.dtype.size(), 1));
        arrays.push_back({.shape = Shape{2}, .strides = Strides{bytes}, .item_bytes = bytes});
    }
    return algorithm::emit(definition, algorithm::lay_out(definition, Shape{2}, 1, arrays).form);
}

}  // namespace warpwise
