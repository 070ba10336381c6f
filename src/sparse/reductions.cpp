// Reductions of sparse matrices. Elements without entry are 0.
#include <span>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_accumulation.hpp"
#include "warpwise/axis_error.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

int checked_axis(int axis) {
    const int along = axis < 0 ? axis + 2 : axis;
    if (along == 0 || along == 1) return along;
    throw AxisError(fmt::format("axis {} of a sparse matrix; axes are 0 and 1", axis), axis, 2);
}

// How many elements each result is of; throws where there are none.
std::int64_t counted_elements(const Matrix& a, std::optional<int> axis, const char* name) {
    const std::int64_t count = !axis                      ? a.rows() * a.columns()
                               : checked_axis(*axis) == 1 ? a.columns()
                                                          : a.rows();
    if (count > 0) return count;
    array::refuse_value("{} of no elements, of a sparse matrix of shape ({}, {})", name, a.rows(),
                        a.columns());
}

// In CSR, so that a reduction along the axis is one of each row.
Matrix in_rows_along(const Matrix& a, int axis) {
    return (checked_axis(axis) == 1 ? a : a.transpose()).to(Format::Csr);
}

// In which integers are summed.
DType summing_type(const DType& dtype) {
    const Kind kind = dtype.kind();
    if (!types::is_integer(kind)) return dtype;
    return types::is_signed(kind) ? int64 : uint64;
}

using Limit = Array (*)(const Operand&, const Operand&, const Elementwise&);
using LimitAt = void (*)(Array&, std::span<const IndexItem>, const Operand&);
using Reduced = Array (*)(const Array&, const Reduction&);

struct Extreme {
    const char* name;
    Reduced of_all;
    Limit of_two;
    LimitAt at;
};

Array extreme_of_all(const Matrix& a, const Extreme& extreme) {
    const Matrix entries = a.summed();
    if (entries.nnz() == 0) return warpwise::zeros(Shape{}, a.dtype(), a.device());
    const Array found = extreme.of_all(entries.data(), {});
    return entries.nnz() == a.rows() * a.columns() ? found : extreme.of_two(found, Scalar(0), {});
}

// Each row begins with 0, or where it is full with its first entry.
Array extreme_of_rows(const Matrix& rows, const Extreme& extreme) {
    if (rows.nnz() == 0) {
        return warpwise::zeros(Shape{rows.rows()}, rows.dtype(), rows.device());
    }
    const Array starts = rows.indptr().at({Slice{0, rows.rows(), std::nullopt}});
    const Array ends = rows.indptr().at({Slice{1, std::nullopt, std::nullopt}});
    const Array is_full = equal(warpwise::subtract(ends, starts), Scalar(rows.columns()));
    const Array first = take(rows.data(), minimum(starts, Scalar(rows.nnz() - 1)));
    Array result = copy(where(is_full, first, zeros_like(first)));
    const Array row = upload_indices(expand(fetch_indices(rows.indptr())), int64, rows.device());
    const IndexItem index = row;
    extreme.at(result, std::span(&index, 1), rows.data());
    return result;
}

Array extreme_of(const Matrix& a, std::optional<int> axis, const Extreme& extreme) {
    counted_elements(a, axis, extreme.name);
    if (types::is_complex(array::kind_of(a.data()))) {
        array::refuse_type("{} got {}; complex numbers have no order", extreme.name,
                           a.dtype().name());
    }
    if (!axis) return extreme_of_all(a, extreme);
    return extreme_of_rows(in_rows_along(a, *axis).summed(), extreme);
}

}  // namespace

Array sum(const Matrix& a, std::optional<int> axis, const std::optional<DType>& dtype) {
    if (dtype) return warpwise::astype(sum(a.astype(*dtype), axis), *dtype, false);
    const DType wide = summing_type(a.dtype());
    if (!axis) return warpwise::sum(a.data(), {.dtype = wide});
    const bool is_along = checked_axis(*axis) == 1;
    const Matrix rows = is_along ? a : a.transpose();
    return rows.dot(ones(Shape{rows.columns()}, wide, a.device()));
}

Array mean(const Matrix& a, std::optional<int> axis, const std::optional<DType>& dtype) {
    const std::int64_t count = counted_elements(a, axis, "mean");
    const Array result = warpwise::divide(sum(dtype ? a.astype(*dtype) : a, axis), Scalar(count));
    return dtype ? warpwise::astype(result, *dtype, false) : result;
}

Array max(const Matrix& a, std::optional<int> axis) {
    return extreme_of(a, axis, {"max", &warpwise::max, &maximum, &maximum_at});
}

Array min(const Matrix& a, std::optional<int> axis) {
    return extreme_of(a, axis, {"min", &warpwise::min, &minimum, &minimum_at});
}

Array count_nonzero(const Matrix& a, std::optional<int> axis) {
    const Matrix entries = a.summed();
    const Array counted = astype(not_equal(entries.data(), Scalar(0)), int64);
    return sum(entries.with_data(counted), axis);
}

Array trace(const Matrix& a, std::int64_t k) {
    return warpwise::sum(a.diagonal(k));
}

}  // namespace warpwise::sparse
