// Products of vectors and matrices: of matrices by a library where there is one for the kind, else
// by a kernel of ours; of vectors and small matrices as a multiplication that is reduced over the
// common axis.
//
// Invariant: no product of elements is stored: multiplication and sum are one kernel.
#include <algorithm>
#include <array>
#include <numeric>

#include "src/array/product/library_product.hpp"
#include "src/array/product/tiled_product.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/axis_error.hpp"

namespace warpwise {
namespace {

// Sum of a * b over the last axis; the arrays broadcast.
Array contracted(const Array& a, const Array& b, const char* function) {
    array::require_same_device(a, b, function);
    array::require_numbers(a, function);
    array::require_numbers(b, function);
    const Kind kind = types::promote(array::kind_of(a), array::kind_of(b));
    Reduction last{.axes = std::vector<int>{-1}};
    if (kind == Kind::Bool) return any(logical_and(a, b), last);
    // Products of 16-bit floats are exact in float32, and added there.
    const Kind wide = array::accumulator_of(kind);
    const Array product = multiply(array::converted(a, wide), array::converted(b, wide));
    last.dtype = DType(wide);
    return array::converted(sum(product, last), kind);
}

Array with_axis(const Array& array, int axis) {
    return expand_dims(array, std::span(&axis, 1));
}

// Of (..., n, k) and (..., k, m).
Array product_of(const Array& left, const Array& right) {
    array::require_same_device(left, right, "matmul");
    array::require_numbers(left, "matmul");
    array::require_numbers(right, "matmul");
    if (auto product = array::library_product(left, right)) return *std::move(product);
    if (auto product = array::tiled_product(left, right)) return *std::move(product);
    return contracted(with_axis(left, -2), with_axis(matrix_transpose(right), -3), "matmul");
}

[[noreturn]] void refuse_shapes(const char* function, const Array& a, const Array& b) {
    array::refuse_value(
        "{} got shapes {} and {}; the last extent of the first and the {} of the "
        "second must be equal",
        function, text_of(a.shape()), text_of(b.shape()), b.ndim() > 1 ? "last but one" : "extent");
}

}  // namespace

Array matmul(const Array& x1, const Array& x2) {
    if (x1.ndim() == 0 || x2.ndim() == 0) {
        array::refuse_value("matmul got an array without axes; use multiply");
    }
    // (..., n, 1, k) and (..., 1, m, k)
    const Array left = x1.ndim() == 1 ? with_axis(x1, 0) : x1;
    const Array right = x2.ndim() == 1 ? with_axis(x2, 1) : x2;
    if (left.shape()[left.ndim() - 1] != right.shape()[right.ndim() - 2]) {
        refuse_shapes("matmul", x1, x2);
    }
    const int rank = std::max(left.ndim(), right.ndim());
    if (rank + 1 > kMaxRank) {
        array::refuse_value("matmul got arrays of {} axes; it takes {} at most", rank,
                            kMaxRank - 1);
    }
    Array result = product_of(left, right);
    std::vector<int> added;
    if (x1.ndim() == 1) added.push_back(-2);
    if (x2.ndim() == 1) added.push_back(-1);
    return added.empty() ? result : squeeze(result, added);
}

Array vecdot(const Array& x1, const Array& x2, int axis) {
    const int rank = std::min(x1.ndim(), x2.ndim());
    if (rank == 0) array::refuse_value("vecdot got an array without axes; use multiply");
    if (axis >= rank || axis < -rank) {
        throw AxisError(
            fmt::format("vecdot got axis {} for arrays of {} and {} axes; it must lie in both",
                        axis, x1.ndim(), x2.ndim()),
            axis, rank);
    }
    const int last = -1;
    const Array a = moveaxis(x1, std::span(&axis, 1), std::span(&last, 1));
    const Array b = moveaxis(x2, std::span(&axis, 1), std::span(&last, 1));
    if (a.shape()[a.ndim() - 1] != b.shape()[b.ndim() - 1]) {
        array::refuse_value("vecdot got shapes {} and {}; axis {} must have one extent in both",
                            text_of(x1.shape()), text_of(x2.shape()), axis);
    }
    const bool is_complex = types::is_complex(array::kind_of(a));
    return contracted(is_complex ? conj(a) : a, b, "vecdot");
}

Array tensordot(const Array& x1, const Array& x2, std::span<const int> axes1,
                std::span<const int> axes2) {
    const std::vector<int> summed1 = array::checked_axes(axes1, x1.ndim(), "tensordot");
    const std::vector<int> summed2 = array::checked_axes(axes2, x2.ndim(), "tensordot");
    if (summed1.size() != summed2.size()) {
        array::refuse_value("tensordot got {} and {} axes; give as many of both arrays",
                            summed1.size(), summed2.size());
    }
    std::int64_t count = 1;
    for (std::size_t i = 0; i < summed1.size(); ++i) {
        count *= x1.shape()[summed1[i]];
        if (x1.shape()[summed1[i]] == x2.shape()[summed2[i]]) continue;
        array::refuse_value("tensordot got shapes {} and {}; axes {} and {} must have one extent",
                            text_of(x1.shape()), text_of(x2.shape()), summed1[i], summed2[i]);
    }
    Shape shape;
    const auto matrix = [&](const Array& array, const std::vector<int>& summed) {
        std::vector<int> order;
        std::int64_t rows = 1;
        for (int axis = 0; axis < array.ndim(); ++axis) {
            if (std::ranges::find(summed, axis) != summed.end()) continue;
            order.push_back(axis);
            shape.push_back(array.shape()[axis]);
            rows *= array.shape()[axis];
        }
        order.insert(order.end(), summed.begin(), summed.end());
        return array.transpose(order).reshape(Shape{rows, count});
    };
    const Array left = matrix(x1, summed1);
    const Array right = matrix(x2, summed2);
    array::require_same_device(x1, x2, "tensordot");
    return product_of(left, matrix_transpose(right)).reshape(shape);
}

Array tensordot(const Array& x1, const Array& x2, int axes) {
    if (axes < 0 || axes > std::min(x1.ndim(), x2.ndim())) {
        array::refuse_value("tensordot got axes={} for arrays of {} and {} axes", axes, x1.ndim(),
                            x2.ndim());
    }
    std::vector<int> last(static_cast<std::size_t>(axes));
    std::vector<int> first(static_cast<std::size_t>(axes));
    std::iota(last.begin(), last.end(), x1.ndim() - axes);
    std::iota(first.begin(), first.end(), 0);
    return tensordot(x1, x2, last, first);
}

}  // namespace warpwise
