// Reductions: sums, products, extrema, truth, positions.
#include "src/array/reduction.hpp"

#include <numeric>

#include "src/array/masked_reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"

namespace warpwise {
namespace array {

using codegen::Reduce;

ReducedAxes::ReducedAxes(const Array& array, const std::optional<std::vector<int>>& axes,
                         std::string_view function)
    : input(array) {
    require_numbers(array, function);
    std::vector<int> reduced(static_cast<std::size_t>(array.ndim()));
    std::iota(reduced.begin(), reduced.end(), 0);
    if (axes) reduced = checked_axes(*axes, array.ndim(), function);
    kept = array.shape();
    for (const int axis : reduced) {
        mask |= std::uint32_t{1} << axis;
        count *= kept[axis];
        kept[axis] = 1;
    }
    for (int axis = 0; axis < kept.size(); ++axis) {
        if ((mask >> axis & 1) == 0) results.push_back(kept[axis]);
    }
    has_results = count_of(kept) > 0;
    if (mask != 0) return;
    // A place for an axis more is there: what has 16 axes reduces at least one of them, or is
    // flattened first.
    if (array.ndim() == kMaxRank) input = array.reshape(Shape{-1});
    const int last = input.ndim();
    input = expand_dims(input, std::span(&last, 1));
    mask = std::uint32_t{1} << last;
}

Kind accumulator_of(Kind kind) {
    return kind == Kind::Float16 || kind == Kind::BFloat16 ? Kind::Float32 : kind;
}

Array reduced(Reduce reduce, Kind accumulator, const ReducedAxes& axes, const Array& input,
              const Ending& ending, const Reduction& options, std::string_view function) {
    graph::ReduceCall call;
    call.reduce = reduce;
    call.accumulator = accumulator;
    call.result = ending.result;
    call.axes = axes.mask;
    call.epilogue = ending.epilogue;
    call.scalars = ending.scalars;
    const Array result(graph::reduce(call, input.value()));
    const Shape& shape = options.keepdims ? axes.kept : axes.results;
    return written(result.reshape(shape, false), options, function);
}

namespace {

// The result, where the accumulator is wider: converted.
Ending plain_ending(Kind accumulator, Kind result) {
    Ending ending{.result = result};
    if (accumulator == result) return ending;
    using Form = ir::Instruction::Form;
    ending.epilogue.add({.form = Form::Input, .kind = accumulator, .number = 0});
    ending.epilogue.add({.form = Form::Cast, .kind = result, .operands = {0}});
    return ending;
}

Kind forced_kind(const Reduction& options, std::string_view function) {
    if (!options.dtype) return Kind::Void;
    require_array_dtype(*options.dtype);
    if (!types::is_number(options.dtype->kind())) {
        refuse_type("{} got dtype={}; it must be a type of numbers", function,
                    options.dtype->name());
    }
    return options.dtype->kind();
}

// int64 or uint64 for narrower integers and bool.
Kind widened(Kind kind) {
    if (types::is_bool(kind) || types::is_signed(kind)) return Kind::Int64;
    if (types::is_unsigned(kind)) return Kind::UInt64;
    return kind;
}

Array add_up(Reduce reduce, const Array& array, const Reduction& options, std::string_view name) {
    const ReducedAxes axes(array, without_axis_of_scalar(array, options.axes), name);
    const Kind forced = forced_kind(options, name);
    const Kind result = forced != Kind::Void ? forced : widened(kind_of(array));
    // A bool accumulator: sums are "any", products "all".
    if (result == Kind::Bool) {
        const Reduce logical = reduce == Reduce::Sum ? Reduce::Any : Reduce::All;
        return reduced(logical, result, axes, converted(axes.input, result), {.result = result},
                       options, name);
    }
    const Kind accumulator = accumulator_of(result);
    // Values are converted to the type asked for before they are added.
    const Array input = converted(converted(axes.input, result), accumulator);
    return reduced(reduce, accumulator, axes, input, plain_ending(accumulator, result), options,
                   name);
}

Array extremum(Reduce reduce, const Array& array, const Reduction& options, std::string_view name) {
    const ReducedAxes axes(array, without_axis_of_scalar(array, options.axes), name);
    const Kind forced = forced_kind(options, name);
    const Kind kind = forced != Kind::Void ? forced : kind_of(array);
    if (types::is_complex(kind)) {
        refuse_type("{} got {}; complex numbers have no order", name, DType(kind).name());
    }
    if (axes.count == 0 && axes.has_results) {
        refuse_value("{} over no elements, of an array of shape {}, has no value", name,
                     text_of(array.shape()));
    }
    return reduced(reduce, kind, axes, converted(axes.input, kind), {.result = kind}, options,
                   name);
}

Array truth(Reduce reduce, const Array& array, const Reduction& options, std::string_view name) {
    const ReducedAxes axes(array, without_axis_of_scalar(array, options.axes), name);
    return reduced(reduce, Kind::Bool, axes, converted(axes.input, Kind::Bool),
                   {.result = Kind::Bool}, options, name);
}

Array position(Reduce reduce, const Array& array, std::optional<int> axis, bool keepdims,
               std::string_view name) {
    Reduction options{.keepdims = keepdims};
    if (axis) options.axes = std::vector<int>{*axis};
    const ReducedAxes axes(array, without_axis_of_scalar(array, options.axes), name);
    if (types::is_complex(kind_of(array))) {
        refuse_type("{} got {}; complex numbers have no order", name, array.dtype().name());
    }
    if (axes.count == 0 && axes.has_results) {
        refuse_value("{} over no elements, of an array of shape {}, has no value", name,
                     text_of(array.shape()));
    }
    return reduced(reduce, kind_of(array), axes, axes.input, {.result = Kind::Int64}, options,
                   name);
}

}  // namespace
}  // namespace array

using codegen::Reduce;

Array sum(const Array& array, const Reduction& options) {
    if (array::is_masked(options)) {
        return array::masked({&sum, ir::Op::Add, 0}, array, options, "sum");
    }
    return array::add_up(Reduce::Sum, array, options, "sum");
}
Array prod(const Array& array, const Reduction& options) {
    if (array::is_masked(options)) {
        return array::masked({&prod, ir::Op::Multiply, 1}, array, options, "prod");
    }
    return array::add_up(Reduce::Product, array, options, "prod");
}
Array min(const Array& array, const Reduction& options) {
    if (array::is_masked(options)) {
        return array::masked({&min, ir::Op::Minimum, std::nullopt}, array, options, "min");
    }
    return array::extremum(Reduce::Minimum, array, options, "min");
}
Array max(const Array& array, const Reduction& options) {
    if (array::is_masked(options)) {
        return array::masked({&max, ir::Op::Maximum, std::nullopt}, array, options, "max");
    }
    return array::extremum(Reduce::Maximum, array, options, "max");
}
Array any(const Array& array, const Reduction& options) {
    array::refuse_initial(options, "any");
    return array::truth(Reduce::Any, array::selected(array, options.where, Scalar(false), "any"),
                        options, "any");
}
Array all(const Array& array, const Reduction& options) {
    array::refuse_initial(options, "all");
    return array::truth(Reduce::All, array::selected(array, options.where, Scalar(true), "all"),
                        options, "all");
}
Array count_nonzero(const Array& array, const Reduction& options) {
    Reduction counting = options;
    if (!counting.dtype) counting.dtype = int64;
    array::require_numbers(array, "count_nonzero");
    array::refuse_initial(options, "count_nonzero");
    const Array truth = array::selected(array::converted(array, Kind::Bool), options.where,
                                        Scalar(false), "count_nonzero");
    return array::add_up(Reduce::Sum, truth, counting, "count_nonzero");
}
Array argmin(const Array& array, std::optional<int> axis, bool keepdims) {
    return array::position(Reduce::ArgMin, array, axis, keepdims, "argmin");
}
Array argmax(const Array& array, std::optional<int> axis, bool keepdims) {
    return array::position(Reduce::ArgMax, array, axis, keepdims, "argmax");
}

}  // namespace warpwise
