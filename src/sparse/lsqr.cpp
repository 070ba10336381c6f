// LSQR: C. C. Paige and M. A. Saunders, "LSQR: an algorithm for sparse linear equations and sparse
// least squares", 1982, with the ends of scipy.sparse.linalg.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/sparse/solver.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::sparse {
namespace {

constexpr double kEpsilon = 2.220446049250313e-16;

Array scaled(const Array& vector, double factor) {
    return warpwise::multiply(vector, Scalar(factor));
}

// A vector of length 1 in place of one, and what its length was.
double normalise(Array& vector) {
    const double length = norm_value(vector);
    if (length > 0) {
        vector = scaled(vector, 1 / length);
        evaluate(vector);
    }
    return length;
}

// The numbers of an iteration, named as in the paper.
struct Numbers {
    double alpha = 0, beta = 0, rho_bar = 0, phi_bar = 0;
    double damp = 0, dd = 0, residual2 = 0, xx = 0, z = 0, cosine2 = -1, sine2 = 0;
    double rho = 0, theta = 0, phi = 0, tau = 0, psi = 0;

    // Turns the row of the bidiagonal matrix that alpha and beta extend.
    void turn() {
        double rho_1 = rho_bar;
        psi = 0;
        if (damp > 0) {
            rho_1 = std::hypot(rho_bar, damp);
            psi = damp / rho_1 * phi_bar;
            phi_bar *= rho_bar / rho_1;
        }
        rho = std::hypot(rho_1, beta);
        const double cosine = rho_1 / rho;
        const double sine = beta / rho;
        theta = sine * alpha;
        rho_bar = -cosine * alpha;
        phi = cosine * phi_bar;
        phi_bar *= sine;
        tau = sine * phi;
    }
    // The norm of x, by turning the upper bidiagonal matrix from the right.
    double norm_of_x() {
        const double delta = sine2 * rho;
        const double gamma_bar = -cosine2 * rho;
        const double right = phi - delta * z;
        const double norm = std::sqrt(xx + std::pow(right / gamma_bar, 2));
        const double gamma = std::hypot(gamma_bar, theta);
        cosine2 = gamma_bar / gamma;
        sine2 = theta / gamma;
        z = right / gamma;
        xx += z * z;
        return norm;
    }
};

// As the numbers of scipy's istop; 0: goes on.
std::int64_t end_of(const LeastSquaresSolution& found, const LeastSquares& options, double norm_b,
                    double residual, std::int64_t most) {
    const double test1 = residual / norm_b;
    const double test2 = found.arnorm / (found.anorm * residual + kEpsilon);
    const double test3 = 1 / (found.acond + kEpsilon);
    const double share = found.anorm * found.xnorm / norm_b;
    if (test1 <= options.btol + options.atol * share) return 1;
    if (test2 <= options.atol) return 2;
    if (options.conlim > 0 && test3 <= 1 / options.conlim) return 3;
    if (1 + test1 / (1 + share) <= 1) return 4;
    if (1 + test2 <= 1) return 5;
    if (1 + test3 <= 1) return 6;
    return found.itn >= most ? 7 : 0;
}

// A line for a reader: of the first iterations, then of every tenth, and of the last.
void show(const LeastSquaresSolution& found, const LeastSquares& options, double norm_b) {
    if (!options.show || !is_shown(found.itn, found.istop != 0)) return;
    // Before the first iteration the norm of A is not known; of the start it is alpha / beta.
    const double scale = found.itn == 0 ? found.r2norm : found.anorm;
    options.show(fmt::format("{:6} {:10.3e} {:10.3e} {:10.3e} {:10.3e} {:9.2e} {:9.2e}", found.itn,
                             found.r1norm, found.r2norm, norm_b > 0 ? found.r2norm / norm_b : 0,
                             found.arnorm / (scale * found.r2norm + kEpsilon), found.anorm,
                             found.acond));
}

void show_head(const LinearOperator& a, const LeastSquares& options) {
    if (!options.show) return;
    options.show(fmt::format(
        "lsqr of a {} x {} system: damp = {:.3e}, atol = {:.1e}, btol = "
        "{:.1e}, conlim = {:.1e}",
        a.rows(), a.columns(), options.damp, options.atol, options.btol, options.conlim));
    options.show(fmt::format("{:>6} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}", "itn", "r1norm",
                             "r2norm", "compatible", "LS", "norm A", "cond A"));
}

void show_end(const LeastSquaresSolution& found, const LeastSquares& options) {
    if (!options.show) return;
    constexpr std::array kEnds{"x = x0 is the exact solution",
                               "A x = b holds within atol and btol",
                               "the least-squares solution holds within atol",
                               "the condition of A seems to exceed conlim",
                               "A x = b holds as exactly as the machine can",
                               "the least-squares solution is as exact as the machine can",
                               "the condition of A is too large for the machine",
                               "the limit of iterations was reached"};
    options.show(fmt::format("istop = {}, itn = {}: {}", found.istop, found.itn,
                             kEnds[static_cast<std::size_t>(found.istop)]));
}

struct Problem {
    Kind kind;
    Array b;
    Array x;
    bool has_start = false;

    Problem(const LinearOperator& a, const Array& given, const LeastSquares& options) {
        array::require_numbers(given, "lsqr");
        for (const double value : {options.damp, options.atol, options.btol, options.conlim}) {
            if (value >= 0) continue;
            array::refuse_value("lsqr got {}; damp, atol, btol and conlim must be 0 or more",
                                value);
        }
        if (options.iter_lim && *options.iter_lim < 0) {
            array::refuse_value("lsqr got iter_lim={}; it must be 0 or more", *options.iter_lim);
        }
        kind =
            types::promote(at_least_float(a.dtype().kind()), at_least_float(array::kind_of(given)));
        b = vector(given, a.rows(), "b");
        has_start = options.x0 != nullptr;
        if (!has_start) {
            x = warpwise::zeros(Shape{a.columns()}, DType(kind), b.device());
            return;
        }
        array::require_same_device(b, *options.x0, "lsqr");
        kind = types::promote(kind, at_least_float(array::kind_of(*options.x0)));
        b = array::converted(b, kind);
        x = vector(*options.x0, a.columns(), "x0");
    }
    Array vector(const Array& given, std::int64_t extent, const char* role) const {
        const bool is_column = given.ndim() == 2 && given.shape()[1] == 1;
        if ((given.ndim() != 1 && !is_column) || given.shape()[0] != extent) {
            array::refuse_value("lsqr got {} of shape {}; it must have shape ({},)", role,
                                text_of(given.shape()), extent);
        }
        return array::converted(is_column ? given.reshape(Shape{extent}) : given, kind);
    }
};

}  // namespace

LeastSquaresSolution lsqr(const LinearOperator& a, const Array& given,
                          const LeastSquares& options) {
    const Problem problem(a, given, options);
    const auto times = [&](const Array& v) { return array::converted(a(v), problem.kind); };
    const auto adjoint = [&](const Array& u) {
        return array::converted(a.adjoint(u), problem.kind);
    };
    const double norm_b = norm_value(problem.b);
    Numbers n;
    n.damp = options.damp;
    Array x = problem.x;
    Array u = problem.has_start ? warpwise::subtract(problem.b, times(x)) : problem.b;
    n.beta = normalise(u);
    Array v = n.beta > 0 ? adjoint(u) : x;
    n.alpha = n.beta > 0 ? normalise(v) : 0;
    Array w = v;
    n.rho_bar = n.alpha;
    n.phi_bar = n.beta;
    Array var = warpwise::zeros(x.shape(), DType(types::real_kind(problem.kind)), x.device());
    LeastSquaresSolution found{.x = x, .r1norm = n.beta, .r2norm = n.beta, .var = var};
    found.arnorm = n.alpha * n.beta;
    show_head(a, options);
    show(found, options, norm_b);
    if (found.arnorm == 0) {
        show_end(found, options);
        return found;
    }
    const std::int64_t most = options.iter_lim.value_or(2 * a.columns());
    while (found.itn < most && found.istop == 0) {
        ++found.itn;
        u = warpwise::subtract(times(v), scaled(u, n.alpha));
        n.beta = normalise(u);
        if (n.beta > 0) {
            found.anorm = std::sqrt(found.anorm * found.anorm + n.alpha * n.alpha +
                                    n.beta * n.beta + n.damp * n.damp);
            v = warpwise::subtract(adjoint(u), scaled(v, n.beta));
            n.alpha = normalise(v);
        }
        n.turn();
        const Array direction = scaled(w, 1 / n.rho);
        x = warpwise::add(x, scaled(w, n.phi / n.rho));
        const double length = norm_value(direction);
        n.dd += length * length;
        if (options.calc_var) {
            const Array magnitude = abs(direction);
            var = warpwise::add(var, warpwise::multiply(magnitude, magnitude));
        }
        w = warpwise::subtract(v, scaled(w, n.theta / n.rho));
        evaluate(x, w, var);
        found.xnorm = n.norm_of_x();
        found.acond = found.anorm * std::sqrt(n.dd);
        n.residual2 += n.psi * n.psi;
        found.r2norm = std::sqrt(n.phi_bar * n.phi_bar + n.residual2);
        found.arnorm = n.alpha * std::abs(n.tau);
        const double square = found.r2norm * found.r2norm - n.damp * n.damp * n.xx;
        found.r1norm =
            n.damp > 0 ? std::copysign(std::sqrt(std::abs(square)), square) : found.r2norm;
        found.istop = end_of(found, options, norm_b, found.r2norm, most);
        show(found, options, norm_b);
    }
    found.x = x;
    found.var = var;
    show_end(found, options);
    return found;
}

}  // namespace warpwise::sparse
