// Means and variances, in one pass.
#include <algorithm>
#include <cmath>

#include "src/array/masked_reduction.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"

namespace warpwise {
namespace {

using array::Ending;
using codegen::Reduce;
using Form = ir::Instruction::Form;

// Of integers float64.
Kind kind_of_mean(const Array& array, const Reduction& options, const char* function) {
    Kind kind = array::kind_of(array);
    if (options.dtype) {
        array::require_array_dtype(*options.dtype);
        kind = options.dtype->kind();
    }
    if (types::is_integer(kind) || types::is_bool(kind)) {
        if (options.dtype) {
            array::refuse_type("{} got dtype={}; its results need a floating type", function,
                               options.dtype->name());
        }
        return Kind::Float64;
    }
    return kind;
}

// The reduced value divided by `divisor`, its root if asked for, as `result`.
Ending quotient(Kind accumulated, double divisor, bool has_root, Kind result) {
    Ending ending{.result = result};
    ir::Body& body = ending.epilogue;
    const ir::ValueId value = body.add({.form = Form::Input, .kind = accumulated, .number = 0});
    const ir::ValueId count = body.add({.form = Form::Scalar, .kind = accumulated, .number = 0});
    ir::ValueId last = body.add({.form = Form::Apply,
                                 .kind = accumulated,
                                 .op = ir::Op::Divide,
                                 .operands = {value, count}});
    if (has_root) {
        last = body.add(
            {.form = Form::Apply, .kind = accumulated, .op = ir::Op::Sqrt, .operands = {last}});
    }
    if (result != accumulated) {
        body.add({.form = Form::Cast, .kind = result, .operands = {last}});
    }
    ending.scalars.push_back(Scalar(divisor).typed(accumulated));
    return ending;
}

Array spread(const Array& array, const Reduction& options, double correction, bool has_root,
             const char* name) {
    const array::ReducedAxes axes(array, options.axes, name);
    if (!std::isfinite(correction)) {
        array::refuse_value("{} got correction={}; give a number such as 0 or 1", name, correction);
    }
    const Kind kind = kind_of_mean(array, options, name);
    const Kind accumulator = array::accumulator_of(kind);
    const Kind accumulated = types::real_kind(accumulator);
    const double divisor = std::max(static_cast<double>(axes.count) - correction, 0.0);
    const Array input = array::converted(array::converted(axes.input, kind), accumulator);
    return array::reduced(Reduce::SquaredDeviation, accumulator, axes, input,
                          quotient(accumulated, divisor, has_root, types::real_kind(kind)), options,
                          name);
}

// Sums of the elements that count over how many there are.
Array mean_of_some(const Array& array, const Reduction& options) {
    const Kind kind = kind_of_mean(array, options, "mean");
    const Kind accumulator = array::accumulator_of(kind);
    const Array values =
        array::selected(array::converted(array, kind), options.where, Scalar(0), "mean");
    const Array total = sum(
        values, {.axes = options.axes, .keepdims = options.keepdims, .dtype = DType(accumulator)});
    const Array counts =
        array::converted(array::counted(array, options, "mean"), types::real_kind(accumulator));
    return array::written(array::converted(divide(total, counts), kind), options, "mean");
}

// In two passes: the mean has to be known first.
Array spread_of_some(const Array& array, const Reduction& options, double correction, bool has_root,
                     const char* name) {
    if (!std::isfinite(correction)) {
        array::refuse_value("{} got correction={}; give a number such as 0 or 1", name, correction);
    }
    const Kind kind = kind_of_mean(array, options, name);
    const Kind accumulator = array::accumulator_of(kind);
    const Kind real = types::real_kind(accumulator);
    const Array input = array::converted(array::converted(array, kind), accumulator);
    const Array center =
        mean_of_some(input, {.axes = options.axes, .keepdims = true, .where = options.where});
    const Array distance =
        abs(array::selected(subtract(input, center), options.where, Scalar(0), name));
    const Array total =
        sum(multiply(distance, distance), {.axes = options.axes, .keepdims = options.keepdims});
    const Array left = maximum(
        subtract(array::converted(array::counted(array, options, name), real), Scalar(correction)),
        Scalar(0));
    Array result = divide(total, left);
    if (has_root) result = sqrt(result);
    return array::written(array::converted(result, types::real_kind(kind)), options, name);
}

}  // namespace

Array mean(const Array& array, const Reduction& options) {
    array::refuse_initial(options, "mean");
    if (options.where != nullptr) return mean_of_some(array, options);
    const array::ReducedAxes axes(array, options.axes, "mean");
    const Kind kind = kind_of_mean(array, options, "mean");
    const Kind accumulator = array::accumulator_of(kind);
    const Array input = array::converted(array::converted(axes.input, kind), accumulator);
    return array::reduced(Reduce::Sum, accumulator, axes, input,
                          quotient(accumulator, static_cast<double>(axes.count), false, kind),
                          options, "mean");
}

Array var(const Array& array, const Reduction& options, double correction) {
    array::refuse_initial(options, "var");
    if (options.where != nullptr) {
        return spread_of_some(array, options, correction, false, "var");
    }
    return spread(array, options, correction, false, "var");
}

Array std_(const Array& array, const Reduction& options, double correction) {
    array::refuse_initial(options, "std");
    if (options.where != nullptr) return spread_of_some(array, options, correction, true, "std");
    return spread(array, options, correction, true, "std");
}

}  // namespace warpwise
