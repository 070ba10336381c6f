// Arithmetic on the elements of sparse matrices: places on the host, values on the device.
#include <utility>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/sparse/structure.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

void require_same_shape(const Matrix& a, const Matrix& b) {
    array::require_same_device(a.data(), b.data(), "multiply");
    if (a.rows() == b.rows() && a.columns() == b.columns()) return;
    array::refuse_value(
        "multiply got sparse matrices of shapes ({}, {}) and ({}, {}); they must be the same",
        a.rows(), a.columns(), b.rows(), b.columns());
}

// Where two matrices in CSR, without repeated places, both have an entry, and which entries.
struct Common {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int64_t> indices;
    std::vector<std::int64_t> of_a;
    std::vector<std::int64_t> of_b;
};

Common common_places(const Matrix& a, const Matrix& b) {
    const std::vector<std::int64_t> starts_a = fetch_indices(a.indptr());
    const std::vector<std::int64_t> starts_b = fetch_indices(b.indptr());
    const std::vector<std::int64_t> columns_a = fetch_indices(a.indices());
    const std::vector<std::int64_t> columns_b = fetch_indices(b.indices());
    Common common;
    // By column, the last entry of b seen there: one of this row is at starts_b[row] or behind.
    std::vector<std::int64_t> entry(static_cast<std::size_t>(a.columns()), -1);
    for (std::size_t row = 0; row + 1 < starts_a.size(); ++row) {
        for (std::int64_t i = starts_b[row]; i < starts_b[row + 1]; ++i) {
            entry[static_cast<std::size_t>(columns_b[static_cast<std::size_t>(i)])] = i;
        }
        for (std::int64_t i = starts_a[row]; i < starts_a[row + 1]; ++i) {
            const std::int64_t column = columns_a[static_cast<std::size_t>(i)];
            const std::int64_t other = entry[static_cast<std::size_t>(column)];
            if (other < starts_b[row]) continue;
            common.indices.push_back(column);
            common.of_a.push_back(i);
            common.of_b.push_back(other);
        }
        common.indptr.push_back(static_cast<std::int64_t>(common.indices.size()));
    }
    return common;
}

// The elements of a dense array at the entries of a matrix that is not in BSR.
Array at_entries(const Matrix& matrix, const Array& dense, const char* function) {
    array::require_same_device(matrix.data(), dense, function);
    const Shape shape{matrix.rows(), matrix.columns()};
    if (dense.ndim() > 2) {
        array::refuse_value("{} got an array of shape {} for a sparse matrix of shape ({}, {})",
                            function, text_of(dense.shape()), matrix.rows(), matrix.columns());
    }
    const Array spread = dense.broadcast_to(shape);
    if (matrix.format() == Format::Coo) return spread.at({matrix.row(), matrix.column()});
    const Array& indptr = matrix.indptr();
    const Array along =
        upload_indices(expand(fetch_indices(indptr)), indptr.dtype(), matrix.device());
    return matrix.format() == Format::Csr ? spread.at({along, matrix.indices()})
                                          : spread.at({matrix.indices(), along});
}

template <class Function>
Matrix with_dense(const Matrix& a, const Array& dense, const char* name, Function&& function) {
    const Matrix entries = a.format() == Format::Bsr ? a.to(Format::Coo) : a;
    const Matrix result =
        entries.with_data(function(entries.data(), at_entries(entries, dense, name)));
    return a.format() == Format::Bsr ? result.to_blocks(a.block_rows(), a.block_columns()) : result;
}

// As an operand of an operation whose result is dense.
Array spread(const Array& dense, const Matrix& a, const char* function) {
    array::require_same_device(a.data(), dense, function);
    return dense.broadcast_to(Shape{a.rows(), a.columns()});
}

}  // namespace

Array add(const Matrix& a, const Array& dense) {
    return warpwise::add(a.to_dense(), spread(dense, a, "add"));
}

Array subtract(const Matrix& a, const Array& dense) {
    return warpwise::subtract(a.to_dense(), spread(dense, a, "subtract"));
}

Array subtract(const Array& dense, const Matrix& a) {
    return warpwise::subtract(spread(dense, a, "subtract"), a.to_dense());
}

Matrix multiply(const Matrix& a, const Matrix& b) {
    require_same_shape(a, b);
    const Matrix left = a.to(Format::Csr).summed();
    const Matrix right = b.to(Format::Csr).summed();
    const Common common = common_places(left, right);
    const auto entries = static_cast<std::int64_t>(common.indices.size());
    const Format format = a.format() == Format::Bsr ? Format::Csr : a.format();
    const Operand operands[] = {left.data(), right.data()};
    if (entries == 0) {
        return Matrix::zeros(a.rows(), a.columns(), format, result_type(operands), a.device());
    }
    const Device device = a.device();
    const DType index = index_type(a.rows(), a.columns(), entries);
    const Array values =
        warpwise::multiply(take(left.data(), upload_indices(common.of_a, int64, device)),
                           take(right.data(), upload_indices(common.of_b, int64, device)));
    return Matrix::csr(values, upload_indices(common.indices, index, device),
                       upload_indices(common.indptr, index, device), a.rows(), a.columns())
        .to(format);
}

Matrix multiply(const Matrix& a, const Array& dense) {
    return with_dense(a, dense, "multiply", [](const Array& values, const Array& factors) {
        return warpwise::multiply(values, factors);
    });
}

Matrix divide(const Matrix& a, const Array& dense) {
    return with_dense(a, dense, "divide", [](const Array& values, const Array& divisors) {
        return warpwise::divide(values, divisors);
    });
}

Matrix power(const Matrix& a, const Scalar& exponent) {
    if (!exponent.as_bool()) {
        array::refuse_value("power got the exponent 0, of which every element is 1; use ww.ones");
    }
    return map(a, [&](const Array& values) { return pow(values, exponent); });
}

Matrix map(const Matrix& a, const std::function<Array(const Array&)>& function) {
    const Matrix entries = a.summed();
    return entries.with_data(function(entries.data()));
}

}  // namespace warpwise::sparse
