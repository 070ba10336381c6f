// Triangular systems: E. Anderson and Y. Saad, "Solving sparse triangular linear systems on
// parallel computers", 1989: unknowns are numbered by the level from which they can be solved.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/array/refuse.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/solver.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/sparse_factors.hpp"

namespace warpwise::sparse {
namespace {

// Unknowns sorted by level; those of level l are order[starts[l]] to order[starts[l + 1] - 1].
struct Levels {
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> starts;
};

Levels levels_of(const Compressed& triangle, bool lower) {
    const auto count = static_cast<std::int64_t>(triangle.indptr.size()) - 1;
    std::vector<std::int64_t> level(static_cast<std::size_t>(count), 0);
    std::int64_t most = count > 0 ? 1 : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(lower ? i : count - 1 - i);
        std::int64_t own = 0;
        for (std::int64_t k = triangle.indptr[row]; k < triangle.indptr[row + 1]; ++k) {
            const auto other =
                static_cast<std::size_t>(triangle.indices[static_cast<std::size_t>(k)]);
            own = std::max(own, level[other] + 1);
        }
        level[row] = own;
        most = std::max(most, own + 1);
    }
    Levels levels;
    levels.starts.assign(static_cast<std::size_t>(most) + 1, 0);
    for (const std::int64_t own : level) ++levels.starts[static_cast<std::size_t>(own) + 1];
    std::partial_sum(levels.starts.begin(), levels.starts.end(), levels.starts.begin());
    std::vector<std::int64_t> next(levels.starts.begin(), levels.starts.end() - 1);
    levels.order.resize(level.size());
    for (std::size_t row = 0; row < level.size(); ++row) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(level[row])]++);
        levels.order[place] = static_cast<std::int64_t>(row);
    }
    return levels;
}

// One unknown after the other.
Levels in_order(std::int64_t count, bool lower) {
    Levels levels{std::vector<std::int64_t>(static_cast<std::size_t>(count)), {0, count}};
    std::iota(levels.order.begin(), levels.order.end(), 0);
    if (!lower) std::ranges::reverse(levels.order);
    return levels;
}

// Without the diagonal. Throws for entries on the other side.
Compressed strict_part(const Compressed& all, bool lower) {
    Compressed part;
    part.order = all.order;
    part.indptr.push_back(0);
    part.starts.clear();
    std::vector<std::int64_t> order;
    for (std::size_t row = 0; row + 1 < all.indptr.size(); ++row) {
        for (std::int64_t k = all.indptr[row]; k < all.indptr[row + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::int64_t column = all.indices[at];
            if (column == static_cast<std::int64_t>(row)) continue;
            if ((column < static_cast<std::int64_t>(row)) != lower) {
                array::refuse_value("a matrix that should be {} triangular has an entry ({}, {})",
                                    lower ? "lower" : "upper", row, column);
            }
            part.indices.push_back(column);
            part.starts.push_back(static_cast<std::int64_t>(order.size()));
            for (std::int64_t i = all.starts[at]; i < all.starts[at + 1]; ++i) {
                order.push_back(all.order[static_cast<std::size_t>(i)]);
            }
        }
        part.indptr.push_back(static_cast<std::int64_t>(part.indices.size()));
    }
    part.starts.push_back(static_cast<std::int64_t>(order.size()));
    part.order = std::move(order);
    return part;
}

std::int64_t first_zero(const Array& diagonal) {
    const std::vector<std::int64_t> zero =
        astype(equal(diagonal, Scalar(0)), int64).to_vector<std::int64_t>();
    return std::ranges::find(zero, 1) - zero.begin();
}

Array inverse_of(const Matrix& matrix, Kind kind, bool unit) {
    if (unit || matrix.rows() == 0) return ones(Shape{matrix.rows()}, DType(kind), matrix.device());
    const Array diagonal = matrix.diagonal();
    const std::int64_t zero = first_zero(diagonal);
    if (zero < matrix.rows()) {
        array::refuse_value("a triangular matrix is singular: its diagonal is 0 in row {}", zero);
    }
    const Array inverse = reciprocal(array::converted(diagonal, kind));
    evaluate(inverse);
    return inverse;
}

}  // namespace

struct TriangularSolver::State {
    std::int64_t rows = 0;
    Array starts;
    Array columns;
    Array values;   // without the diagonal
    Array inverse;  // of the diagonal
    Array order;
    std::vector<std::int64_t> level_starts;
};

TriangularSolver::TriangularSolver(const Matrix& matrix, const Triangle& triangle) {
    if (matrix.rows() != matrix.columns()) {
        array::refuse_value("a triangular system got a matrix of shape ({}, {}); it must be square",
                            matrix.rows(), matrix.columns());
    }
    const Kind kind = at_least_float(matrix.dtype().kind());
    const Compressed part =
        strict_part(compress(places_of(matrix), matrix.rows(), matrix.columns()), triangle.lower);
    const bool serial = algorithm::is_serial(array::context_of(matrix.data()));
    const Levels levels =
        serial ? in_order(matrix.rows(), triangle.lower) : levels_of(part, triangle.lower);
    const Device device = matrix.device();
    const auto entries = static_cast<std::int64_t>(part.indices.size());
    const DType index = index_type(matrix.rows(), matrix.columns(), entries);
    const Array values =
        array::converted(gather_sums(matrix.data().reshape(Shape{matrix.nnz()}), part), kind);
    evaluate(values);
    state_ = std::make_shared<const State>(
        State{matrix.rows(), upload_indices(part.indptr, index, device),
              upload_indices(part.indices, index, device), values,
              inverse_of(matrix, kind, triangle.unit_diagonal),
              upload_indices(levels.order, int64, device), levels.starts});
}

std::int64_t TriangularSolver::rows() const noexcept {
    return state_->rows;
}
std::int64_t TriangularSolver::levels() const noexcept {
    return static_cast<std::int64_t>(state_->level_starts.size()) - 1;
}

Array TriangularSolver::solve(const Array& b) const {
    const State& state = *state_;
    array::require_numbers(b, "a triangular system");
    array::require_same_device(state.values, b, "a triangular system");
    if (b.ndim() < 1 || b.ndim() > 2 || b.shape()[0] != state.rows) {
        array::refuse_value(
            "a triangular system of {} unknowns got b of shape {}; its first axis must have as "
            "many elements",
            state.rows, text_of(b.shape()));
    }
    const Kind kind =
        types::promote(array::kind_of(state.values), at_least_float(array::kind_of(b)));
    const std::int64_t width = b.ndim() == 2 ? b.shape()[1] : 1;
    const Array x = ascontiguousarray(copy(array::converted(b, kind)));
    if (x.size() == 0) return x;
    const Array values = array::converted(state.values, kind);
    const Array inverse = array::converted(state.inverse, kind);
    evaluate(x, values, inverse);
    runtime::Context& context = array::context_of(x);
    const bool serial = algorithm::is_serial(context);
    const std::string body = fmt::format(
        "__ww_solve_triangle<{}, {}>(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);",
        algorithm::device_type(kind), algorithm::device_type(array::kind_of(state.columns)));
    const int threads = serial ? 1 : kThreads;
    const auto solver = kernel("ww_solve_triangle", "rrrrrwnnnn", body, {kind}, context, threads);
    for (std::size_t level = 0; level + 1 < state.level_starts.size(); ++level) {
        const std::int64_t first = state.level_starts[level];
        const std::int64_t count = state.level_starts[level + 1] - first;
        const std::int64_t work = count * width;
        array::LibraryStep(solver, context)
            .read(state.starts)
            .read(state.columns)
            .read(values)
            .read(inverse)
            .read(state.order)
            .write(x)
            .number(first)
            .number(count)
            .number(width)
            .number(serial ? work : 1)
            .run(serial ? 1 : (work + kThreads - 1) / kThreads, threads);
    }
    return x;
}

Array solve_triangular(const Matrix& matrix, const Array& b, const Triangle& triangle) {
    return TriangularSolver(matrix, triangle).solve(b);
}

}  // namespace warpwise::sparse
