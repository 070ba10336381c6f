// What the solvers share: the system, checked, and numbers of vectors.
#pragma once

#include <complex>
#include <optional>
#include <string_view>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/sparse/row_products.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

using Number = std::complex<double>;

// What systems with values of a kind are solved in: float64 for integers.
Kind at_least_float(Kind kind);

// The arguments of one call, in the kind of the computation.
struct System {
    System(std::string_view solver, const LinearOperator& a, const Array& right,
           const Solve& options);

    const LinearOperator& a;
    const Solve& options;
    Kind kind;
    Array b;
    Array x;
    std::int64_t n = 0;
    std::int64_t most = 0;  // iterations
    double norm_of_b = 0;
    double goal = 0;  // of the norm of the residual

    Array product(const Array& vector);
    // And conj(vector) . product, lazy.
    std::pair<Array, Array> product_with_inner(const Array& vector);
    Array preconditioned(const Array& vector) const;
    Array residual(const Array& at) { return warpwise::subtract(b, product(at)); }
    // A number beside vectors of this kind.
    Scalar scalar(Number value) const;
    double epsilon() const noexcept;
    // The least normal number of the kind: squares below it are as good as 0.
    double least_square() const noexcept;

  private:
    std::optional<RowProducts> repeated_;  // of a matrix
};

// conj(a) . b as an array without axes, and the same for the length of a vector; both lazy.
Array inner(const Array& a, const Array& b);
Array norm(const Array& a);
// The same, fetched.
Number inner_value(const Array& a, const Array& b);
double norm_value(const Array& a);

// Whether a line about the iteration is shown: of the first 10, then of each tenth, and of the
// last.
inline bool is_shown(std::int64_t iteration, bool is_last) {
    constexpr std::int64_t kAll = 10;
    return is_last || iteration <= kAll || iteration % kAll == 0;
}

}  // namespace warpwise::sparse
