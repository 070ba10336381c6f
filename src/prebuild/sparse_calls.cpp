// Products of sparse matrices, changes of their format, and solvers.
#include "src/prebuild/calls.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::prebuild {

void call_sparse(Kind kind) {
    using sparse::Format;
    using sparse::Matrix;
    constexpr std::int64_t kRows = 8;
    const Array dense = add(eye(kRows, kRows, 0, DType(kind)),
                            multiply(eye(kRows, kRows, 1, DType(kind)), Scalar(0.25)));
    const Array x = numbers(kRows, kind);
    const Array columns = matmul(dense, dense);
    for (const Format format : {Format::Csr, Format::Csc, Format::Coo}) {
        const Matrix matrix = Matrix::from_dense(dense, format);
        evaluate(matrix.dot(x));
        evaluate(matrix.dot(columns));
        evaluate(matrix.to_dense());
        evaluate(matrix.diagonal());
        evaluate(matrix.to(Format::Csr).data());
        evaluate(matrix.transpose().to(Format::Csr).data());
    }
    const Matrix matrix = Matrix::from_dense(add(dense, matrix_transpose(dense)));
    evaluate(matrix.dot(matrix).data());
    evaluate(sparse::sum(matrix));
    evaluate(sparse::sum(matrix, 0));
    evaluate(sparse::sum(matrix, 1));
    for (const auto solve : {&sparse::cg, &sparse::bicgstab, &sparse::gmres, &sparse::minres}) {
        evaluate(solve(matrix, x, {}).x);
    }
    evaluate(sparse::lsqr(matrix, x).x);
}

}  // namespace warpwise::prebuild
