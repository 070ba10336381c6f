// Operators, and the systems of solvers.
#include "src/sparse/solver.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/types/promotion.hpp"

namespace warpwise::sparse {

Kind at_least_float(Kind kind) {
    return types::is_complex(kind) || kind == Kind::Float32 ? kind : Kind::Float64;
}

namespace {

Kind common(Kind a, Kind b) {
    return types::promote(a, b);
}

Array conjugate(const Array& array) {
    return types::is_complex(array::kind_of(array)) ? conj(array) : array;
}

Matrix adjoint_of(const Matrix& matrix) {
    const Matrix transposed = matrix.transpose();
    if (!types::is_complex(matrix.dtype().kind())) return transposed;
    return transposed.with_data(conj(transposed.data()));
}

}  // namespace

LinearOperator::LinearOperator(const Matrix& matrix)
    : rows_(matrix.rows()),
      columns_(matrix.columns()),
      dtype_(matrix.dtype()),
      adjoint_([matrix](const Array& x) { return adjoint_of(matrix).dot(x); }),
      matrix_(std::make_shared<const Matrix>(matrix.to(Format::Csr))) {
    product_ = [rows = matrix_](const Array& x) { return rows->dot(x); };
}

LinearOperator::LinearOperator(std::int64_t rows, std::int64_t columns, const DType& dtype,
                               Function product, Function adjoint)
    : rows_(rows),
      columns_(columns),
      dtype_(dtype),
      product_(std::move(product)),
      adjoint_(std::move(adjoint)) {
    if (rows < 0 || columns < 0) {
        array::refuse_value("a linear operator got shape ({}, {}); extents are 0 or more", rows,
                            columns);
    }
    if (!product_) array::refuse_type("a linear operator got no function for products");
}

namespace {

Array checked(const LinearOperator::Function& function, const Array& x, std::int64_t from,
              std::int64_t to) {
    if (x.ndim() < 1 || x.ndim() > 2 || x.shape()[0] != from) {
        array::refuse_value(
            "a linear operator of {} columns got an array of shape {}; it takes "
            "vectors of {}",
            from, text_of(x.shape()), from);
    }
    Array y = function(x);
    const bool is_column = x.ndim() == 1 && y.ndim() == 2 && y.shape()[1] == 1;
    if (is_column) y = y.reshape(Shape{y.shape()[0]});
    if (y.ndim() != x.ndim() || y.shape()[0] != to) {
        array::refuse_value("the function of a linear operator gave shape {}; it must give {} rows",
                            text_of(y.shape()), to);
    }
    return y;
}

}  // namespace

Array LinearOperator::operator()(const Array& x) const {
    return checked(product_, x, columns_, rows_);
}

Array LinearOperator::adjoint(const Array& x) const {
    if (!adjoint_) {
        array::refuse_type("the linear operator has no adjoint; give rmatvec where it is made");
    }
    return checked(adjoint_, x, rows_, columns_);
}

LinearOperator jacobi(const Matrix& matrix) {
    if (matrix.rows() != matrix.columns()) {
        array::refuse_value("jacobi got a matrix of shape ({}, {}); it must be square",
                            matrix.rows(), matrix.columns());
    }
    const Array diagonal = matrix.diagonal();
    if (diagonal.size() > 0 && any(equal(diagonal, Scalar(0))).item().as_bool()) {
        array::refuse_value(
            "jacobi got a matrix with zeros on the diagonal; use another "
            "preconditioner");
    }
    const Array inverse =
        reciprocal(array::converted(diagonal, at_least_float(array::kind_of(diagonal))));
    evaluate(inverse);
    const auto scaled = [](const Array& factors, const Array& x) {
        return warpwise::multiply(x.ndim() == 2 ? factors.reshape(Shape{-1, 1}) : factors, x);
    };
    return {matrix.rows(), matrix.columns(), inverse.dtype(),
            [=](const Array& x) { return scaled(inverse, x); },
            [=](const Array& x) { return scaled(conjugate(inverse), x); }};
}

System::System(std::string_view solver, const LinearOperator& matrix, const Array& right,
               const Solve& solve)
    : a(matrix), options(solve), kind(Kind::Float64) {
    array::require_numbers(right, solver);
    n = a.rows();
    if (a.rows() != a.columns()) {
        array::refuse_value("{} got an operator of shape ({}, {}); it must be square", solver,
                            a.rows(), a.columns());
    }
    const auto vector = [&](const Array& given, const char* role) {
        const bool is_column = given.ndim() == 2 && given.shape()[1] == 1;
        if ((given.ndim() != 1 && !is_column) || given.shape()[0] != n) {
            array::refuse_value(
                "{} got {} of shape {} for an operator of shape ({}, {}); it must "
                "have shape ({},)",
                solver, role, text_of(given.shape()), n, n, n);
        }
        return is_column ? given.reshape(Shape{n}) : given;
    };
    b = vector(right, "b");
    kind = at_least_float(common(a.dtype().kind(), array::kind_of(b)));
    if (options.x0 != nullptr) {
        array::require_same_device(b, *options.x0, solver);
        kind = common(kind, at_least_float(array::kind_of(*options.x0)));
    }
    if (options.preconditioner != nullptr) {
        const LinearOperator& m = *options.preconditioner;
        if (m.rows() != n || m.columns() != n) {
            array::refuse_value(
                "{} got a preconditioner of shape ({}, {}); it must have that of "
                "the operator, ({}, {})",
                solver, m.rows(), m.columns(), n, n);
        }
        kind = common(kind, at_least_float(m.dtype().kind()));
    }
    for (const double tolerance : {options.rtol, options.atol}) {
        if (tolerance >= 0) continue;
        array::refuse_value("{} got a tolerance of {}; it must be 0 or more", solver, tolerance);
    }
    most = options.maxiter.value_or(10 * n);
    if (most < 0) array::refuse_value("{} got maxiter={}; it must be 0 or more", solver, most);
    b = array::converted(b, kind);
    x = options.x0 != nullptr ? copy(array::converted(vector(*options.x0, "x0"), kind))
                              : warpwise::zeros(Shape{n}, DType(kind), b.device());
    norm_of_b = n > 0 ? norm_value(b) : 0;
    goal = std::max(options.atol, options.rtol * norm_of_b);
    if (a.matrix_) repeated_.emplace(*a.matrix_);
}

Array System::product(const Array& vector) {
    return array::converted(repeated_ ? repeated_->dot(vector) : a(vector), kind);
}

std::pair<Array, Array> System::product_with_inner(const Array& vector) {
    if (repeated_ && repeated_->dtype().kind() == kind) {
        if (auto both = repeated_->dot_with_inner(vector)) return {both->y, both->inner};
    }
    const Array y = product(vector);
    return {y, inner(vector, y)};
}

Array System::preconditioned(const Array& vector) const {
    return options.preconditioner == nullptr
               ? vector
               : array::converted((*options.preconditioner)(vector), kind);
}

Scalar System::scalar(Number value) const {
    return types::is_complex(kind) ? Scalar(value) : Scalar(value.real());
}

double System::epsilon() const noexcept {
    return types::real_kind(kind) == Kind::Float32
               ? static_cast<double>(std::numeric_limits<float>::epsilon())
               : std::numeric_limits<double>::epsilon();
}

double System::least_square() const noexcept {
    return types::real_kind(kind) == Kind::Float32
               ? static_cast<double>(std::numeric_limits<float>::min())
               : std::numeric_limits<double>::min();
}

Array inner(const Array& a, const Array& b) {
    return sum(warpwise::multiply(conjugate(a), b));
}

Array norm(const Array& a) {
    return sqrt(real(inner(a, a)));
}

Number inner_value(const Array& a, const Array& b) {
    const Scalar value = inner(a, b).item();
    return {value.real(), value.imaginary()};
}

double norm_value(const Array& a) {
    return norm(a).item().real();
}

}  // namespace warpwise::sparse
