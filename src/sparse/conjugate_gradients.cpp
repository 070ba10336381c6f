// Conjugate gradients: M. R. Hestenes and E. Stiefel, 1952, with the rules of scipy.sparse.linalg.
//
// Invariant: numbers of an iteration stay on the device. An iteration that begins with a residual
// below the goal changes nothing, so that running past the end is harmless and x is that of the
// first such iteration.
#include <algorithm>
#include <cmath>

#include "src/sparse/solver.hpp"

namespace warpwise::sparse {
namespace {

// Iterations between looks at the residual, after the first ones.
constexpr std::int64_t kBetweenLooks = 16;

class Gradients {
  public:
    explicit Gradients(System& system)
        : system_(system),
          goal_(std::max(system.goal * system.goal, system.least_square())),
          x_(system.x),
          r_(system.options.x0 != nullptr ? system.residual(system.x) : copy(system.b)),
          p_(system.preconditioned(r_)),
          rho_(inner(r_, p_)),
          squares_(real(inner(r_, r_))),
          active_(greater_equal(squares_, goal_)) {
        evaluate(r_, p_, rho_, squares_, active_);
    }

    void iterate() {
        const Scalar zero = system_.scalar(0);
        const auto [q, projection] = system_.product_with_inner(p_);
        const Array alpha = where(active_, divide(rho_, projection), zero);
        const Array r = warpwise::subtract(r_, warpwise::multiply(alpha, q));
        const Array all = inner(r, r);
        const Array squares = real(all);
        const bool is_plain = system_.options.preconditioner == nullptr;
        const Array z = is_plain ? r : system_.preconditioned(r);
        const Array rho = is_plain ? all : inner(r, z);
        const Array beta = where(active_, divide(rho, rho_), zero);
        const Array active = greater_equal(squares, goal_);
        // Numbers are computed behind the sums that they are made of.
        evaluate(alpha, r, squares, rho, beta, active);
        // x beside the next direction, for which p is read anyway.
        const Array x = warpwise::add(x_, warpwise::multiply(alpha, p_));
        const Array p = warpwise::add(z, warpwise::multiply(beta, p_));
        evaluate(x, p);
        x_ = x;
        r_ = r;
        p_ = p;
        rho_ = rho;
        squares_ = squares;
        active_ = active;
    }

    // Whether the goal is reached; not a number means never. Waits.
    enum class Progress { Going, Reached, Lost };
    Progress look() const {
        const double squares = squares_.item().real();
        if (std::isnan(squares)) return Progress::Lost;
        return squares < goal_ ? Progress::Reached : Progress::Going;
    }
    const Array& x() const noexcept { return x_; }

  private:
    System& system_;
    const double goal_;  // of the square of the residual's length
    Array x_, r_, p_, rho_, squares_;
    Array active_;  // whether squares_ is not below the goal
};

}  // namespace

Solution cg(const LinearOperator& a, const Array& b, const Solve& options) {
    using Progress = Gradients::Progress;
    System system("cg", a, b, options);
    if (system.norm_of_b == 0) return {system.b, 0, 0};
    Gradients state(system);
    std::int64_t look = 0;
    for (std::int64_t iteration = 0; iteration < system.most; ++iteration) {
        if (iteration == look || options.callback) {
            const Progress progress = state.look();
            if (progress == Progress::Reached) return {state.x(), 0, iteration};
            if (progress == Progress::Lost) return {state.x(), system.most, iteration};
            look = iteration + std::min(std::max<std::int64_t>(iteration, 1), kBetweenLooks);
        }
        state.iterate();
        if (options.callback) options.callback(state.x());
    }
    const bool is_reached = state.look() == Progress::Reached;
    return {state.x(), is_reached ? 0 : system.most, system.most};
}

}  // namespace warpwise::sparse
