// Sparse matrices: compressed rows (CSR), compressed columns (CSC), coordinates (COO) and blocks in
// compressed rows (BSR), and solvers of linear systems.
//
//   namespace ws = warpwise::sparse;
//   ws::Matrix a = ws::Matrix::csr(data, indices, indptr, rows, columns);
//   ww::Array y = a.dot(x);                              // a product with a vector: one kernel
//   ws::Matrix squared = a.dot(a);                       // a product of two sparse matrices
//   ws::Solution found = ws::cg(ws::LinearOperator(a), b, {.rtol = 1e-8});
//
// Values are of any type of numbers but bool and 16-bit floats; indices are int32 or int64. A
// matrix may hold several entries at one place; they add up.
//
// Where things run. Products, dense forms, diagonals and everything on values alone run on the
// device, in a fixed order: the same bits each time. What changes the structure (conversions
// between formats, selections of rows, sums of matrices of different structure, the places of a
// product of two) is computed on the host from indices that are fetched; the values never leave the
// device. A transpose shares all memory, but for BSR: CSR becomes CSC.
//
// Ownership: a handle; copies share arrays. Errors: ArgumentError for shapes, types and indices, at
// the call; making a matrix of arrays evaluates its indices to check them. Threading: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpwise/array.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::sparse {

enum class Format : std::uint8_t { Csr, Csc, Coo, Bsr };

struct Compressed;  // internal

class WARPWISE_API Matrix {
  public:
    // Rows (columns) i hold the entries indptr[i] to indptr[i + 1] - 1, in columns (rows) indices.
    static Matrix csr(const Array& data, const Array& indices, const Array& indptr,
                      std::int64_t rows, std::int64_t columns);
    static Matrix csc(const Array& data, const Array& indices, const Array& indptr,
                      std::int64_t rows, std::int64_t columns);
    static Matrix coo(const Array& data, const Array& row, const Array& column, std::int64_t rows,
                      std::int64_t columns);
    // Rows of dense blocks: data[k] of shape (b, c) is the block in the column of blocks
    // indices[k]. `data` has three axes; b divides `rows`, c divides `columns`.
    static Matrix bsr(const Array& data, const Array& indices, const Array& indptr,
                      std::int64_t rows, std::int64_t columns);
    // The elements that are not 0 of an array with two axes.
    static Matrix from_dense(const Array& dense, Format format = Format::Csr);
    // Without entries.
    static Matrix zeros(std::int64_t rows, std::int64_t columns, Format format = Format::Csr,
                        const DType& dtype = float64,
                        const std::optional<Device>& device = std::nullopt);

    Format format() const noexcept { return format_; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t columns() const noexcept { return columns_; }
    std::int64_t nnz() const noexcept { return data_.size(); }  // entries, those of all blocks
    // The extents of a BSR matrix' blocks; 1 for the other formats.
    std::int64_t block_rows() const noexcept;
    std::int64_t block_columns() const noexcept;
    DType dtype() const noexcept { return data_.dtype(); }
    Device device() const { return data_.device(); }
    const Array& data() const noexcept { return data_; }
    // CSR: of columns, CSC: of rows, BSR: of columns of blocks. Throw ArgumentError for COO.
    const Array& indices() const;
    const Array& indptr() const;
    // COO: coordinates of entries. Throw ArgumentError else.
    const Array& row() const;
    const Array& column() const;

    // The matrix itself where it has the format. From COO: entries at one place are summed, and
    // sorted. To BSR: in square blocks of 6, 4, 3 or 2, the largest of which 70 % are entries, or
    // of 1.
    Matrix to(Format format) const;
    // In BSR with blocks of these extents. Throws ArgumentError where they do not divide the
    // matrix' own.
    Matrix to_blocks(std::int64_t block_rows, std::int64_t block_columns) const;
    Matrix transpose() const;
    Array to_dense() const;
    // Elements (i, i + k).
    Array diagonal(std::int64_t k = 0) const;
    Matrix astype(const DType& dtype) const;
    // The same structure with other values, one for each entry.
    Matrix with_data(const Array& data) const;
    // Rows start to stop - 1, as views of a CSR matrix (others are converted).
    Matrix slice_rows(std::int64_t start, std::int64_t stop) const;
    // Those rows in CSR, in that order, some several times. `rows`: integers, which may count from
    // the end, or a mask with one bool for each row; fetched. Throws ArgumentError of kind Index.
    Matrix take_rows(const Array& rows) const;
    // The same of columns, in CSR.
    Matrix take_columns(const Array& columns) const;
    // Without several entries at one place; the matrix itself where it has none.
    Matrix summed() const;
    // Each row's entries (CSC: each column's, BSR: blocks) by their indices; COO: by rows, then
    // columns. Several at one place stay in their order.
    Matrix sorted() const;
    // Without entries that are 0; BSR: without blocks of nothing else.
    Matrix without_zeros() const;
    // Whether entries are as sorted() puts them, and besides none is at the place of another one.
    bool has_sorted_indices() const;
    bool has_canonical_format() const;
    // The same elements in rows of another length, in the order of `order`; BSR in CSR. One extent
    // may be -1. Throws ArgumentError where their number is another one.
    Matrix reshape(std::int64_t rows, std::int64_t columns, Order order = Order::C) const;

    // The product with a vector, or with a dense matrix.
    Array dot(const Array& x) const;
    // The product with a sparse matrix: in the format of this one, COO in CSR; of two BSR matrices
    // whose blocks fit in BSR. Entries that cancel to 0 stay.
    Matrix dot(const Matrix& other) const;

  private:
    Matrix(Format format, Array data, Array first, Array second, std::int64_t rows,
           std::int64_t columns);
    Matrix compressed_rows() const;
    Matrix in_rows(const Compressed& compressed) const;
    Matrix taken_rows(std::span<const std::int64_t> list) const;
    Matrix transposed_blocks() const;
    Array multiplied_by_blocks(const Array& x, const DType& dtype) const;

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
// With a dense array, which broadcasts to the matrix' shape: dense.
WARPWISE_API Array add(const Matrix& a, const Array& dense);
WARPWISE_API Array subtract(const Matrix& a, const Array& dense);
WARPWISE_API Array subtract(const Array& dense, const Matrix& a);
// The values times (divided by) a number.
WARPWISE_API Matrix multiply(const Matrix& a, const Scalar& factor);
WARPWISE_API Matrix divide(const Matrix& a, const Scalar& divisor);
// Element by element. Of two sparse matrices in the format of the first (of BSR in CSR), with
// entries where both have one; a dense array broadcasts to the matrix, whose entries stay.
WARPWISE_API Matrix multiply(const Matrix& a, const Matrix& b);
WARPWISE_API Matrix multiply(const Matrix& a, const Array& dense);
WARPWISE_API Matrix divide(const Matrix& a, const Array& dense);
// Each element to a power that is not 0. Throws ArgumentError for 0, of which no element is 0.
WARPWISE_API Matrix power(const Matrix& a, const Scalar& exponent);
// A function of each element, called with the values; it takes 0 to 0.
WARPWISE_API Matrix map(const Matrix& a, const std::function<Array(const Array&)>& function);

// --- Reductions: of all elements, or along axis 0 or 1. Results are dense. Elements without entry
// are 0 and count.

// Integers are summed in 64 bits, but for a `dtype` that the values are converted to first.
WARPWISE_API Array sum(const Matrix& a, std::optional<int> axis = std::nullopt,
                       const std::optional<DType>& dtype = std::nullopt);
WARPWISE_API Array mean(const Matrix& a, std::optional<int> axis = std::nullopt,
                        const std::optional<DType>& dtype = std::nullopt);
// Throw ArgumentError for matrices without elements, and for complex numbers.
WARPWISE_API Array max(const Matrix& a, std::optional<int> axis = std::nullopt);
WARPWISE_API Array min(const Matrix& a, std::optional<int> axis = std::nullopt);
WARPWISE_API Array count_nonzero(const Matrix& a, std::optional<int> axis = std::nullopt);
// Of the elements (i, i + k).
WARPWISE_API Array trace(const Matrix& a, std::int64_t k = 0);

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
    friend struct System;

    std::int64_t rows_;
    std::int64_t columns_;
    DType dtype_;
    Function product_;
    Function adjoint_;
    std::shared_ptr<const Matrix> matrix_ = nullptr;  // in CSR; null: of functions
};

// Division by the diagonal. Throws ArgumentError where that has zeros. What is better than it is in
// sparse_factors.hpp.
WARPWISE_API LinearOperator jacobi(const Matrix& matrix);

struct Solve {
    const Array* x0 = nullptr;  // where to begin; null: zeros
    double rtol = 1e-5;         // ends where |b - A x| <= max(rtol * |b|, atol)
    double atol = 0;
    std::optional<std::int64_t> maxiter = std::nullopt;  // default: 10 times the rows
    const LinearOperator* preconditioner = nullptr;      // an approximate inverse
    // After each iteration, with x; gmres: by `callback_type`. Makes every iteration wait.
    std::function<void(const Array&)> callback = {};
    // gmres alone.
    std::optional<std::int64_t> restart = std::nullopt;  // default 20
    std::function<void(double)> residual_callback = {};  // with |r| / |b| of each inner iteration
    bool counts_steps = false;  // maxiter counts inner iterations, not cycles
    // minres alone.
    double shift = 0;    // solves (A - shift I) x = b
    bool check = false;  // throws ArgumentError where A or the preconditioner is not symmetric
    // With each line of progress: a head, the first 10 iterations, then some, and the end.
    std::function<void(const std::string&)> show = {};
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
// maxiter counts cycles, unless `counts_steps` is set.
WARPWISE_API Solution gmres(const LinearOperator& a, const Array& b, const Solve& options = {});
// For symmetric matrices, which may be indefinite.
WARPWISE_API Solution minres(const LinearOperator& a, const Array& b, const Solve& options = {});

// --- Least squares.

struct LeastSquares {
    double damp = 0;     // minimises |A x - b|^2 + damp^2 |x - x0|^2
    double atol = 1e-6;  // of A and of b: relative errors of the data
    double btol = 1e-6;
    double conlim = 1e8;                                  // ends at this condition; 0: never
    std::optional<std::int64_t> iter_lim = std::nullopt;  // default: twice the columns
    bool calc_var = false;
    const Array* x0 = nullptr;
    // With each line of progress: a head, the start, the first 10 iterations, then some.
    std::function<void(const std::string&)> show = {};
};
// With the names of scipy.sparse.linalg.lsqr.
struct LeastSquaresSolution {
    Array x;
    // 0: x0 (or zeros) is exact; 1: A x = b holds within the tolerances; 2: a least-squares
    // solution within atol; 3: the condition reached conlim; 4, 5, 6: as 1, 2, 3 as exactly as the
    // machine can; 7: iter_lim.
    std::int64_t istop = 0;
    std::int64_t itn = 0;
    double r1norm = 0;  // |b - A x|
    double r2norm = 0;  // sqrt(|b - A x|^2 + damp^2 |x - x0|^2)
    double anorm = 0;   // estimates, of the Frobenius norm of [A; damp I], and of its condition
    double acond = 0;
    double arnorm = 0;  // |A' r - damp^2 (x - x0)|
    double xnorm = 0;
    Array var;  // of the diagonal of (A'A + damp^2 I)^-1; zeros without calc_var
};
// LSQR: C. C. Paige and M. A. Saunders, 1982. For operators of any shape that have an adjoint.
// Fetches two norms in each iteration.
WARPWISE_API LeastSquaresSolution lsqr(const LinearOperator& a, const Array& b,
                                       const LeastSquares& options = {});

}  // namespace warpwise::sparse
