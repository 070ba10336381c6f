// Triangular systems and preconditioners of sparse matrices: incomplete LU, blocks of the diagonal.
//
//   const ws::IncompleteLu factors = ws::ilu0(a);
//   const ws::LinearOperator inverse = factors.inverse();
//   ws::Solution found = ws::gmres(ws::LinearOperator(a), b, {.preconditioner = &inverse});
//
// Where things run. Structures are read and factors computed on the host, once, in double
// precision. Solving runs on the device: on a GPU the unknowns of one level (those that need only
// earlier ones) in one launch, on the CPU device one after the other in one launch.
//
// Ownership: handles; copies share what they hold. Errors: ArgumentError where the object is made.
// Threading: any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "warpwise/array.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

struct Triangle {
    bool lower = true;
    bool unit_diagonal = false;  // ones, whatever the matrix holds there
};

// Solves with one triangular matrix, many times.
class WARPWISE_API TriangularSolver {
  public:
    // Throws ArgumentError for matrices that are not square, have entries on the other side, or
    // zeros on the diagonal.
    explicit TriangularSolver(const Matrix& matrix, const Triangle& triangle = {});

    std::int64_t rows() const noexcept;
    // Steps of which each needs the one before.
    std::int64_t levels() const noexcept;
    // Of a vector, or of the columns of a matrix. In float64 for integers, else in the common type.
    Array solve(const Array& b) const;

  private:
    struct State;
    std::shared_ptr<const State> state_;
};

// The same at once: scipy.sparse.linalg.spsolve_triangular.
WARPWISE_API Array solve_triangular(const Matrix& matrix, const Array& b,
                                    const Triangle& triangle = {});

// L U, as exact as the places of a matrix' own entries allow: ILU(0). J. A. Meijerink and
// H. A. van der Vorst, "An iterative solution method for linear systems of which the coefficient
// matrix is a symmetric M-matrix", 1977.
class WARPWISE_API IncompleteLu {
  public:
    const Matrix& lower() const noexcept;  // CSR, with ones on the diagonal
    const Matrix& upper() const noexcept;  // CSR
    std::int64_t rows() const noexcept { return lower().rows(); }
    std::int64_t nnz() const noexcept { return lower().nnz() + upper().nnz(); }
    DType dtype() const noexcept { return upper().dtype(); }
    // x of L U x = b; `transposed`: of its transpose, or `conjugated` too.
    Array solve(const Array& b, bool transposed = false, bool conjugated = false) const;
    // solve() as a preconditioner, which shares the factors.
    LinearOperator inverse() const;

  private:
    friend WARPWISE_API IncompleteLu ilu0(const Matrix& matrix);
    struct State;
    explicit IncompleteLu(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

// Throws ArgumentError for matrices that are not square, and naming the row of a pivot that is 0 or
// not there: no pivots are exchanged.
WARPWISE_API IncompleteLu ilu0(const Matrix& matrix);

// The inverses of square blocks along the diagonal, the last of which may be cut. Throws
// ArgumentError for matrices that are not square, and naming a singular block.
WARPWISE_API LinearOperator block_jacobi(const Matrix& matrix, std::int64_t block_size);

}  // namespace warpwise::sparse
