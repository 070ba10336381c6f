// Sparse matrices: compressed rows (CSR), compressed columns (CSC) and coordinates (COO), and
// solvers of linear systems.
//
//   namespace ws = warpwise::sparse;
//   ws::Matrix a = ws::Matrix::csr(data, indices, indptr, rows, columns);
//   ww::Array y = a.dot(x);                              // a product with a vector: one kernel
//   ws::Solution found = ws::cg(ws::LinearOperator(a), b, {.rtol = 1e-8});
//
// Values are of any type of numbers but bool and 16-bit floats; indices are int32 or int64. A
// matrix may hold several entries at one place; they add up.
//
// Where things run. Products, dense forms, diagonals and everything on values alone run on the
// device, in a fixed order: the same bits each time. What changes the structure (conversions
// between CSR, CSC and COO, sums of matrices of different structure) is computed on the host from
// indices that are fetched. A transpose shares all memory: CSR becomes CSC.
//
// Ownership: a handle; copies share arrays. Errors: ArgumentError for shapes, types and indices, at
// the call; making a matrix of arrays evaluates its indices to check them. Threading: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "warpwise/array.hpp"

namespace warpwise::sparse {

enum class Format : std::uint8_t { Csr, Csc, Coo };

class WARPWISE_API Matrix {
  public:
    // Rows (columns) i hold the entries indptr[i] to indptr[i + 1] - 1, in columns (rows) indices.
    static Matrix csr(const Array& data, const Array& indices, const Array& indptr,
                      std::int64_t rows, std::int64_t columns);
    static Matrix csc(const Array& data, const Array& indices, const Array& indptr,
                      std::int64_t rows, std::int64_t columns);
    static Matrix coo(const Array& data, const Array& row, const Array& column, std::int64_t rows,
                      std::int64_t columns);
    // The elements that are not 0 of an array with two axes.
    static Matrix from_dense(const Array& dense, Format format = Format::Csr);
    // Without entries.
    static Matrix zeros(std::int64_t rows, std::int64_t columns, Format format = Format::Csr,
                        const DType& dtype = float64,
                        const std::optional<Device>& device = std::nullopt);

    Format format() const noexcept { return format_; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t columns() const noexcept { return columns_; }
    std::int64_t nnz() const noexcept { return data_.size(); }  // entries
    DType dtype() const noexcept { return data_.dtype(); }
    Device device() const { return data_.device(); }
    const Array& data() const noexcept { return data_; }
    // CSR: of columns, CSC: of rows. Throw ArgumentError for COO.
    const Array& indices() const;
    const Array& indptr() const;
    // COO: coordinates of entries. Throw ArgumentError else.
    const Array& row() const;
    const Array& column() const;

    // The matrix itself where it has the format. From COO: entries at one place are summed, and
    // sorted.
    Matrix to(Format format) const;
    Matrix transpose() const;
    Array to_dense() const;
    // Elements (i, i + k).
    Array diagonal(std::int64_t k = 0) const;
    Matrix astype(const DType& dtype) const;
    // The same structure with other values, one for each entry.
    Matrix with_data(const Array& data) const;
    // Rows start to stop - 1, as views of a CSR matrix (others are converted).
    Matrix slice_rows(std::int64_t start, std::int64_t stop) const;

    // The product with a vector, or with a dense matrix.
    Array dot(const Array& x) const;

  private:
    Matrix(Format format, Array data, Array first, Array second, std::int64_t rows,
           std::int64_t columns);
    Matrix compressed_rows() const;

    Format format_ = Format::Csr;
    Array data_;
    Array first_;   // indices; COO: rows
    Array second_;  // indptr; COO: columns
    std::int64_t rows_ = 0;
    std::int64_t columns_ = 0;
    // Of a CSC or COO matrix, the same in CSR, when it was needed first.
    struct Cache;
    std::shared_ptr<Cache> cache_;
};

WARPWISE_API Matrix add(const Matrix& a, const Matrix& b);
WARPWISE_API Matrix subtract(const Matrix& a, const Matrix& b);
// The values times (divided by) a number.
WARPWISE_API Matrix multiply(const Matrix& a, const Scalar& factor);
WARPWISE_API Matrix divide(const Matrix& a, const Scalar& divisor);

// --- Linear systems.

// What multiplies vectors: a matrix, or a function.
class WARPWISE_API LinearOperator {
  public:
    using Function = std::function<Array(const Array&)>;
    LinearOperator(const Matrix& matrix);
    // `adjoint` (may be empty): of the conjugate transpose.
    LinearOperator(std::int64_t rows, std::int64_t columns, const DType& dtype, Function product,
                   Function adjoint = {});

    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t columns() const noexcept { return columns_; }
    DType dtype() const noexcept { return dtype_; }
    // Throws ArgumentError for vectors of other lengths, and results of the function that are none.
    Array operator()(const Array& x) const;
    Array adjoint(const Array& x) const;

  private:
    std::int64_t rows_;
    std::int64_t columns_;
    DType dtype_;
    Function product_;
    Function adjoint_;
};

// Division by the diagonal. Throws ArgumentError where that has zeros.
WARPWISE_API LinearOperator jacobi(const Matrix& matrix);

struct Solve {
    const Array* x0 = nullptr;  // where to begin; null: zeros
    double rtol = 1e-5;         // ends where |b - A x| <= max(rtol * |b|, atol)
    double atol = 0;
    std::optional<std::int64_t> maxiter = std::nullopt;  // default: 10 times the rows
    const LinearOperator* preconditioner = nullptr;      // an approximate inverse
    // After each iteration, with x; gmres: as `callback_type` says. Makes every iteration wait.
    std::function<void(const Array&)> callback = {};
    // gmres alone.
    std::optional<std::int64_t> restart = std::nullopt;  // default 20
    std::function<void(double)> residual_callback = {};  // with |r| / |b| of each inner iteration
    double shift = 0;                                    // minres alone: solves (A - shift I) x = b
};
struct Solution {
    Array x;
    // 0: converged. Above 0: iterations without convergence. Below: breakdown.
    std::int64_t info = 0;
    std::int64_t iterations = 0;  // that were run; of cg some may lie behind the end
};

// The methods of scipy.sparse.linalg, with its rules for ends and its values of info. The numbers
// of an iteration of cg stay on the device: the host looks at them every 16 iterations, and x is
// that of the first one that reached the goal. The others fetch numbers in every iteration.
WARPWISE_API Solution cg(const LinearOperator& a, const Array& b, const Solve& options = {});
WARPWISE_API Solution bicgstab(const LinearOperator& a, const Array& b, const Solve& options = {});
// maxiter counts cycles.
WARPWISE_API Solution gmres(const LinearOperator& a, const Array& b, const Solve& options = {});
// For symmetric matrices, which may be indefinite.
WARPWISE_API Solution minres(const LinearOperator& a, const Array& b, const Solve& options = {});

}  // namespace warpwise::sparse
