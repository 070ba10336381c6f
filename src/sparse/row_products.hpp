// Products of one matrix in rows with many vectors: what solvers of linear systems spend their time
// in.
//
// From the third product on, the columns of a matrix whose entries all lie near its diagonal are
// read as 16-bit distances from the row: the same sums in the same order, of fewer bytes. Distances
// are made once, so the arrays of indices must not change while this object lives (values may).
//
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

class RowProducts {
  public:
    // `rows`: in CSR.
    explicit RowProducts(const Matrix& rows) : rows_(rows) {}

    DType dtype() const noexcept { return rows_.dtype(); }
    // As rows.dot(x).
    Array dot(const Array& x);

    struct WithInner {
        Array y;
        Array inner;  // of x and y; an array without axes, lazy
    };
    // The product and its inner product with x, which is not read again for it; nothing where that
    // needs an operation of its own (long rows, complex numbers, values of another type than x's).
    std::optional<WithInner> dot_with_inner(const Array& x);

  private:
    // Counts a product; makes distances when it is time.
    void prepare();

    Matrix rows_;
    std::int64_t products_ = 0;
    std::optional<Array> distances_;
};

// y = rows x for a contiguous vector. `distances`: of columns from rows, or null.
void multiply_vector(const Matrix& rows, const Array* distances, const Array& x, const Array& y);

}  // namespace warpwise::sparse
