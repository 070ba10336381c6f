// Ranges and weighted means.
#include "src/array/masked_reduction.hpp"
#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"

namespace warpwise {

Array ptp(const Array& array, const Reduction& options) {
    array::refuse_mask(options, "ptp");
    Reduction inner = options;
    inner.out = nullptr;
    return array::written(subtract(max(array, inner), min(array, inner)), options, "ptp");
}

std::pair<Array, Array> average(const Array& array, const std::optional<std::vector<int>>& axes,
                                const Array* weights, bool keepdims) {
    const Reduction over{.axes = axes, .keepdims = keepdims};
    const array::ReducedAxes reduced(array, axes, "average");
    if (weights == nullptr) {
        const Array result = mean(array, over);
        const Scalar count(static_cast<double>(reduced.count));
        return {result, array::constant(count, array::kind_of(result), result.shape(),
                                        array::context_of(array))};
    }
    array::require_same_device(array, *weights, "average");
    Array lying = *weights;
    if (!(weights->shape() == array.shape())) {
        const bool is_of_axis =
            axes && axes->size() == 1 && weights->ndim() == 1 && weights->size() == reduced.count;
        if (!is_of_axis) {
            array::refuse_value(
                "average got weights of shape {} for an array of shape {}; give that shape, or one "
                "weight for each element along the one axis",
                text_of(weights->shape()), text_of(array.shape()));
        }
        Shape shape = Axes::filled(array.ndim(), 1);
        shape[checked_axis((*axes)[0], array.ndim())] = weights->size();
        lying = weights->reshape(shape).broadcast_to(array.shape());
    }
    const Operand both[] = {array, lying};
    Kind kind = result_type(both).kind();
    if (types::is_integer(array::kind_of(array)) || types::is_bool(array::kind_of(array))) {
        const Array in_floats =
            array::constant(Scalar(0.0), Kind::Float64, Shape{}, array::context_of(array));
        const Operand wider[] = {array, lying, in_floats};
        kind = result_type(wider).kind();
    }
    const Reduction typed{.axes = axes, .keepdims = keepdims, .dtype = DType(kind)};
    const Array total = sum(lying, typed);
    const Array product = multiply(array::converted(array, kind), array::converted(lying, kind));
    return {divide(sum(product, typed), total), total};
}

}  // namespace warpwise
