// GMRES with restarts: Y. Saad and M. H. Schultz, 1986, with the ends of scipy.sparse.linalg.
// Orthogonalisation is Gram and Schmidt's, classical and done twice: two products with the basis at
// a time instead of one inner product after the other.
#include <algorithm>
#include <cmath>
#include <vector>

#include "src/sparse/solver.hpp"

namespace warpwise::sparse {
namespace {

constexpr std::int64_t kRestart = 20;

// One cycle: a basis, and the projected system as a triangle.
class Cycle {
  public:
    Cycle(System& system, std::int64_t size)
        : system_(system),
          size_(static_cast<std::size_t>(size)),
          basis_(
              warpwise::zeros(Shape{size + 1, system.n}, DType(system.kind), system.b.device())) {}

    // From a preconditioned residual.
    void begin(const Array& vector) {
        const double length = norm_value(vector);
        right_.assign(1, length);
        columns_.clear();
        turns_.clear();
        store(0, length > 0 ? warpwise::divide(vector, Scalar(length)) : vector);
        breaks_down_ = length == 0;
    }

    void step() {
        const std::size_t k = columns_.size();
        Array w = system_.preconditioned(system_.product(vector(k)));
        const double before = norm_value(w);
        std::vector<Number> column(k + 2, 0);
        for (int pass = 0; pass < 2; ++pass) {
            const Array known = rows(k + 1);
            const Array parts = matmul(conj(known), w);
            w = warpwise::subtract(w, matmul(known.transpose(), parts));
            const std::vector<Number> values = fetched(parts);
            for (std::size_t i = 0; i <= k; ++i) column[i] += values[i];
        }
        const double length = norm_value(w);
        breaks_down_ = !(length > system_.epsilon() * before);
        column[k + 1] = breaks_down_ ? 0 : length;
        store(k + 1, breaks_down_ ? w : warpwise::divide(w, Scalar(length)));
        turn(column);
    }

    double residual() const { return std::abs(right_.back()); }
    bool breaks_down() const noexcept { return breaks_down_; }
    std::size_t count() const noexcept { return columns_.size(); }
    bool is_full() const noexcept { return count() == size_; }

    // What the cycle adds to x.
    Array correction() const {
        const std::size_t n = count();
        std::vector<Number> y(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(n));
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = i + 1; j < n; ++j) y[i] -= columns_[j][i] * y[j];
            y[i] = columns_[i][i] == Number(0) ? 0 : y[i] / columns_[i][i];
        }
        const Array factors =
            array::converted(from_host(y.data(), Shape{static_cast<std::int64_t>(n)}, complex128,
                                       nullptr, system_.b.device()),
                             Kind::Complex128);
        const bool is_complex = system_.kind == Kind::Complex64 || system_.kind == Kind::Complex128;
        const Array typed = array::converted(is_complex ? factors : real(factors), system_.kind);
        return matmul(rows(n).transpose(), typed);
    }

  private:
    struct Turn {
        double cosine = 1;
        Number sine = 0;
    };

    Array rows(std::size_t count) const {
        return basis_.at({Slice{0, static_cast<std::int64_t>(count), std::nullopt}});
    }
    Array vector(std::size_t i) const {
        return basis_.at({IndexItem{static_cast<std::int64_t>(i)}});
    }
    void store(std::size_t i, const Array& vector) {
        Array row = this->vector(i);
        row.assign(vector);
    }
    std::vector<Number> fetched(const Array& array) const {
        return warpwise::astype(array, complex128).to_vector<Number>();
    }

    // Applies the turns there are, and a new one that makes the last number 0.
    void turn(std::vector<Number>& column) {
        for (std::size_t i = 0; i < turns_.size(); ++i) apply(turns_[i], column[i], column[i + 1]);
        const std::size_t k = turns_.size();
        const double length = std::hypot(std::abs(column[k]), std::abs(column[k + 1]));
        Turn next;
        if (length > 0 && column[k] == Number(0)) {
            next = {0, std::conj(column[k + 1]) / std::abs(column[k + 1])};
        } else if (length > 0) {
            next.cosine = std::abs(column[k]) / length;
            next.sine = column[k] / std::abs(column[k]) * std::conj(column[k + 1]) / length;
        }
        apply(next, column[k], column[k + 1]);
        right_.push_back(0);
        apply(next, right_[k], right_[k + 1]);
        turns_.push_back(next);
        columns_.push_back(column);
    }
    static void apply(const Turn& turn, Number& a, Number& b) {
        const Number first = turn.cosine * a + turn.sine * b;
        b = -std::conj(turn.sine) * a + turn.cosine * b;
        a = first;
    }

    System& system_;
    const std::size_t size_;
    Array basis_;
    std::vector<Number> right_;
    std::vector<std::vector<Number>> columns_;
    std::vector<Turn> turns_;
    bool breaks_down_ = false;
};

}  // namespace

Solution gmres(const LinearOperator& a, const Array& b, const Solve& options) {
    System system("gmres", a, b, options);
    if (system.norm_of_b == 0) return {system.b, 0, 0};
    const std::int64_t restart = options.restart.value_or(kRestart);
    if (restart < 1) array::refuse_value("gmres got restart={}; it must be 1 or more", restart);
    Array x = system.x;
    Array r = options.x0 != nullptr ? system.residual(x) : copy(system.b);
    double length = norm_value(r);
    if (length < system.goal) return {x, 0, 0};
    // The goal for preconditioned residuals, which is adapted from cycle to cycle.
    double factor = 1;
    double goal = norm_value(system.preconditioned(system.b)) *
                  std::min(factor, system.goal / system.norm_of_b);
    Cycle cycle(system, std::min(restart, system.n));
    std::int64_t iterations = 0;
    const auto is_last = [&] { return options.counts_steps && iterations == system.most; };
    for (std::int64_t turn = 0; turn < system.most; ++turn) {
        cycle.begin(system.preconditioned(r));
        while (!cycle.is_full() && !cycle.breaks_down()) {
            cycle.step();
            ++iterations;
            if (options.residual_callback) {
                options.residual_callback(cycle.residual() / system.norm_of_b);
            }
            if (is_last() || cycle.residual() <= goal) break;
        }
        if (cycle.count() > 0) x = warpwise::add(x, cycle.correction());
        r = system.residual(x);
        evaluate(x, r);
        length = norm_value(r);
        if (options.callback) options.callback(x);
        if (length <= system.goal) return {x, 0, iterations};
        if (is_last() || cycle.breaks_down() || std::isnan(length)) break;
        const bool is_small = cycle.residual() <= goal;
        factor = is_small ? std::max(system.epsilon(), 0.25 * factor) : std::min(1.0, 1.5 * factor);
        goal = cycle.residual() * std::min(factor, system.goal / length);
    }
    return {x, std::max<std::int64_t>(system.most, 1), iterations};
}

}  // namespace warpwise::sparse
