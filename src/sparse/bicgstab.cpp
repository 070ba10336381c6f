// BiCGSTAB: H. A. van der Vorst, 1992, with the ends and breakdowns of scipy.sparse.linalg.
#include <cmath>

#include "src/sparse/solver.hpp"

namespace warpwise::sparse {
namespace {

constexpr std::int64_t kRhoBreakdown = -10;
constexpr std::int64_t kOmegaBreakdown = -11;

}  // namespace

Solution bicgstab(const LinearOperator& a, const Array& b, const Solve& options) {
    System system("bicgstab", a, b, options);
    if (system.norm_of_b == 0) return {system.b, 0, 0};
    const double least = system.epsilon() * system.epsilon();
    Array x = system.x;
    Array r = options.x0 != nullptr ? system.residual(x) : copy(system.b);
    const Array shadow = r;
    Array p, v;
    Number rho_before = 0, alpha = 0, omega = 0;
    const auto times = [&](Number factor, const Array& vector) {
        return warpwise::multiply(vector, system.scalar(factor));
    };
    for (std::int64_t iteration = 0; iteration < system.most; ++iteration) {
        if (norm_value(r) < system.goal) return {x, 0, iteration};
        const Number rho = inner_value(shadow, r);
        if (std::abs(rho) < least) return {x, kRhoBreakdown, iteration};
        if (iteration > 0) {
            if (std::abs(omega) < least) return {x, kOmegaBreakdown, iteration};
            const Number beta = rho / rho_before * (alpha / omega);
            p = warpwise::add(r, times(beta, warpwise::subtract(p, times(omega, v))));
        } else {
            p = r;
        }
        const Array p_hat = system.preconditioned(p);
        v = system.product(p_hat);
        const Number projection = inner_value(shadow, v);
        if (projection == Number(0)) return {x, kOmegaBreakdown, iteration};
        alpha = rho / projection;
        const Array s = warpwise::subtract(r, times(alpha, v));
        if (norm_value(s) < system.goal) {
            return {warpwise::add(x, times(alpha, p_hat)), 0, iteration + 1};
        }
        const Array s_hat = system.preconditioned(s);
        const Array t = system.product(s_hat);
        omega = inner_value(t, s) / inner_value(t, t);
        x = warpwise::add(x, warpwise::add(times(alpha, p_hat), times(omega, s_hat)));
        r = warpwise::subtract(s, times(omega, t));
        evaluate(x, r);
        rho_before = rho;
        if (options.callback) options.callback(x);
    }
    return {x, system.most, system.most};
}

}  // namespace warpwise::sparse
