// Covariances and correlations of variables, which are rows of observations.
#include <optional>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

// Float64, or what is wider among the observations' types.
Kind kind_of(const Array& array, const Covariance& options) {
    if (options.dtype) {
        array::require_array_dtype(*options.dtype);
        const Kind kind = options.dtype->kind();
        if (types::is_real_float(kind) || types::is_complex(kind)) return kind;
        array::refuse_type("cov got dtype={}; its results need a floating type",
                           options.dtype->name());
    }
    const Array double_precision =
        array::constant(Scalar(0.0), Kind::Float64, Shape{}, array::context_of(array));
    std::vector<Operand> all{array, double_precision};
    if (options.y != nullptr) all.emplace_back(*options.y);
    return result_type(all).kind();
}

// Rows of observations.
Array rows_of(const Array& array, const Covariance& options, Kind kind, bool is_second) {
    array::require_numbers(array, "cov");
    if (array.ndim() > 2) {
        array::refuse_value("cov got observations of shape {}; they have one axis or two",
                            text_of(array.shape()));
    }
    const Array rows = array::converted(atleast_2d(array), kind);
    const bool are_columns =
        !options.rowvar && (is_second ? rows.shape()[0] != 1 : array.ndim() != 1);
    return are_columns ? matrix_transpose(rows) : rows;
}

// Weights of observations, not negative.
void require_weights(const Array* weights, std::int64_t count, const char* name) {
    if (weights == nullptr) return;
    if (weights->ndim() != 1 || weights->size() != count) {
        array::refuse_value("cov got {} of shape {} for {} observations; give one for each", name,
                            text_of(weights->shape()), count);
    }
    if (any(less(*weights, Scalar(0))).item().as_bool()) {
        array::refuse_value("cov got {} with a negative weight", name);
    }
}

struct Weights {
    std::optional<Array> each;  // of observations, of the kind of the results
    Array total;                // what the sum of products is divided by
};

// As NumPy's: the count of observations, or the sum of weights, less the correction.
Weights weights_of(const Array& rows, const Covariance& options, double correction) {
    const Kind real = types::real_kind(array::kind_of(rows));
    const std::int64_t count = rows.shape()[1];
    require_weights(options.fweights, count, "fweights");
    require_weights(options.aweights, count, "aweights");
    if (options.fweights != nullptr && !types::is_integer(array::kind_of(*options.fweights))) {
        array::refuse_type("cov got fweights of {}; they count observations, and are integers",
                           options.fweights->dtype().name());
    }
    std::optional<Array> each;
    for (const Array* const weights : {options.fweights, options.aweights}) {
        if (weights == nullptr) continue;
        const Array typed = array::converted(*weights, real);
        each = each ? multiply(*each, typed) : typed;
    }
    if (!each) {
        const Scalar left(static_cast<double>(count) - correction);
        return {each, array::constant(left, real, Shape{}, array::context_of(rows))};
    }
    const Array total = sum(*each);
    if (options.aweights == nullptr) return {each, subtract(total, Scalar(correction))};
    const Array typed = array::converted(*options.aweights, real);
    const Array share = divide(sum(multiply(*each, typed)), total);
    return {each, subtract(total, multiply(share, Scalar(correction)))};
}

}  // namespace

Array cov(const Array& array, const Covariance& options) {
    const Kind kind = kind_of(array, options);
    Array rows = rows_of(array, options, kind, false);
    if (options.y != nullptr) {
        array::require_same_device(array, *options.y, "cov");
        const Array second = rows_of(*options.y, options, kind, true);
        if (second.shape()[1] != rows.shape()[1]) {
            array::refuse_value("cov got {} and {} observations; they must be as many",
                                rows.shape()[1], second.shape()[1]);
        }
        const Array* const both[] = {&rows, &second};
        rows = concat(both, 0);
    }
    const double correction = options.correction.value_or(options.bias ? 0.0 : 1.0);
    const Weights weights = weights_of(rows, options, correction);
    const Array* const each = weights.each ? &*weights.each : nullptr;
    const Array center = average(rows, std::vector<int>{1}, each, true).first;
    const Array distances = subtract(rows, center);
    const Array weighted = each == nullptr ? distances : multiply(distances, *each);
    const Array products = matmul(distances, conj(matrix_transpose(weighted)));
    // Of too few observations: infinite or NaN, as NumPy has it.
    const Array divisor = maximum(weights.total, Scalar(0.0));
    const Array result = divide(products, array::converted(divisor, types::real_kind(kind)));
    return rows.shape()[0] == 1 ? result.reshape(Shape{}) : result;
}

Array corrcoef(const Array& array, const Covariance& options) {
    const Array products = cov(array, options);
    if (products.ndim() == 0) return divide(products, products);
    const Array deviations = sqrt(real(diagonal(products)));
    const std::int64_t count = deviations.size();
    Array result = divide(divide(products, deviations.reshape(Shape{count, 1})), deviations);
    // Rounding must not lead beyond 1.
    if (!types::is_complex(array::kind_of(result))) {
        return clip(result, Scalar(-1.0), Scalar(1.0));
    }
    result.real().assign(clip(result.real(), Scalar(-1.0), Scalar(1.0)));
    result.imag().assign(clip(result.imag(), Scalar(-1.0), Scalar(1.0)));
    return result;
}

}  // namespace warpwise
