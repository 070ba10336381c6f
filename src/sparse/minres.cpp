// MINRES: C. C. Paige and M. A. Saunders, "Solution of sparse indefinite systems of linear
// equations", 1975, with the ends of scipy.sparse.linalg.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "src/sparse/solver.hpp"

namespace warpwise::sparse {
namespace {

// The reasons for an end.
enum class End { None, Solved, LeastSquares, Accuracy, Condition, Limit, Eigenvector };

// Numbers of the QR factorisation of the tridiagonal matrix, row by row.
struct Numbers {
    double alfa = 0, beta = 0, old_beta = 0, first_beta = 0;
    double delta_bar = 0, epsilon = 0, phi_bar = 0;
    double cosine = -1, sine = 0;
    double squares = 0, greatest = 0, least = std::numeric_limits<double>::max();
    // of the row that was turned last
    double old_epsilon = 0, delta = 0, gamma = 0, phi = 0, root = 0;

    void turn(double eps) {
        squares += alfa * alfa + old_beta * old_beta + beta * beta;
        old_epsilon = epsilon;
        delta = cosine * delta_bar + sine * alfa;
        const double gamma_bar = sine * delta_bar - cosine * alfa;
        epsilon = sine * beta;
        delta_bar = -cosine * beta;
        root = std::hypot(gamma_bar, delta_bar);
        gamma = std::max(std::hypot(gamma_bar, beta), eps);
        cosine = gamma_bar / gamma;
        sine = beta / gamma;
        phi = cosine * phi_bar;
        phi_bar = sine * phi_bar;
        greatest = std::max(greatest, gamma);
        least = std::min(least, gamma);
    }

    // `size`: the norm of x.
    End end(double size, double tolerance, double eps) const {
        const double norm = std::sqrt(squares);
        const double infinity = std::numeric_limits<double>::infinity();
        const double first = size == 0 || norm == 0 ? infinity : phi_bar / (norm * size);
        const double second = norm == 0 ? infinity : root / norm;
        if (first <= tolerance) return End::Solved;
        if (second <= tolerance) return End::LeastSquares;
        if (norm * size * eps >= first_beta) return End::Accuracy;
        if (greatest / least >= 0.1 / eps) return End::Condition;
        if (1 + first <= 1) return End::Solved;
        return 1 + second <= 1 ? End::LeastSquares : End::None;
    }
};

double root_of(Number value, const char* what) {
    if (value.real() < 0) array::refuse_value("minres found {}", what);
    return std::sqrt(value.real());
}

// Refuses the operator where <A v, A v> is not <v, A A v>, as far as the type's numbers tell: the
// test of the paper's code.
void check_symmetry(const Array& v, const Array& product, const Array& second, double eps,
                    const char* what) {
    const double one = inner_value(product, product).real();
    const double other = inner_value(v, second).real();
    if (std::abs(one - other) <= (one + eps) * std::cbrt(eps)) return;
    array::refuse_value("minres got {} that is not symmetric: <A v, A v> is {}, <v, A A v> is {}",
                        what, one, other);
}

const char* reason_of(End end) {
    switch (end) {
        case End::Solved:
            return "A x = b holds within rtol";
        case End::LeastSquares:
            return "a least-squares solution within rtol";
        case End::Accuracy:
            return "as exact as the machine can";
        case End::Condition:
            return "the condition of A is too large for the machine";
        case End::Eigenvector:
            return "b is an eigenvector";
        case End::Limit:
        case End::None:
            break;
    }
    return "the limit of iterations was reached";
}

void show_head(const LinearOperator& a, const Solve& options) {
    if (!options.show) return;
    options.show(fmt::format("minres of a {} x {} system: shift = {:.3e}, rtol = {:.1e}", a.rows(),
                             a.columns(), options.shift, options.rtol));
    options.show(
        fmt::format("{:>6} {:>10} {:>10} {:>9} {:>9}", "itn", "|r|", "|x|", "norm A", "cond A"));
}

void show_line(std::int64_t iteration, const Numbers& numbers, double size, End end,
               const Solve& options) {
    if (!options.show || !is_shown(iteration, end != End::None)) return;
    options.show(fmt::format("{:6} {:10.3e} {:10.3e} {:9.2e} {:9.2e}", iteration, numbers.phi_bar,
                             size, std::sqrt(numbers.squares), numbers.greatest / numbers.least));
}

}  // namespace

Solution minres(const LinearOperator& a, const Array& b, const Solve& options) {
    Solve with_limit = options;
    if (!options.maxiter) with_limit.maxiter = 5 * a.rows();
    System system("minres", a, b, with_limit);
    if (system.norm_of_b == 0) return {system.b, 0, 0};
    const auto times = [&](double factor, const Array& vector) {
        return warpwise::multiply(vector, Scalar(factor));
    };
    const double eps = system.epsilon();
    Array x = system.x;
    Array before = options.x0 != nullptr ? system.residual(x) : copy(system.b);
    Array y = system.preconditioned(before);
    Numbers numbers;
    numbers.first_beta = numbers.beta = numbers.phi_bar = root_of(
        inner_value(before, y), "an indefinite preconditioner; it must be positive definite");
    if (numbers.beta == 0) return {x, 0, 0};
    if (options.check) {
        const Array once = system.product(y);
        check_symmetry(y, once, system.product(once), eps, "a matrix");
        check_symmetry(before, y, system.preconditioned(y), eps, "a preconditioner");
    }
    show_head(a, options);
    Array current = before;
    Array w = warpwise::zeros(Shape{system.n}, DType(system.kind), system.b.device());
    Array w_before = w;
    End end = End::None;
    std::int64_t iteration = 0;
    while (iteration < system.most && end == End::None) {
        ++iteration;
        const Array v = times(1 / numbers.beta, y);
        y = system.product(v);
        if (options.shift != 0) y = warpwise::subtract(y, times(options.shift, v));
        if (iteration > 1) {
            y = warpwise::subtract(y, times(numbers.beta / numbers.old_beta, before));
        }
        numbers.alfa = inner_value(v, y).real();
        y = warpwise::subtract(y, times(numbers.alfa / numbers.beta, current));
        before = current;
        current = y;
        y = system.preconditioned(current);
        numbers.old_beta = numbers.beta;
        numbers.beta = root_of(inner_value(current, y), "that the operator is not symmetric");
        const bool is_eigenvector = iteration == 1 && numbers.beta / numbers.first_beta <= 10 * eps;
        numbers.turn(eps);
        const Array inner_part =
            warpwise::subtract(times(numbers.old_epsilon, w_before), times(-numbers.delta, w));
        const Array next = times(1 / numbers.gamma, warpwise::subtract(v, inner_part));
        w_before = w;
        w = next;
        x = warpwise::add(x, times(numbers.phi, w));
        evaluate(x, w, y, current);
        const double size = norm_value(x);
        end = is_eigenvector ? End::Eigenvector : numbers.end(size, options.rtol, eps);
        if (end == End::None && iteration >= system.most) end = End::Limit;
        show_line(iteration, numbers, size, end, options);
        if (options.callback) options.callback(x);
    }
    if (options.show) options.show(fmt::format("itn = {}: {}", iteration, reason_of(end)));
    const bool has_converged = end != End::Limit && end != End::None;
    return {x, has_converged ? 0 : system.most, iteration};
}

}  // namespace warpwise::sparse
