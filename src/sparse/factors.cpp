// Preconditioners that are factors: ILU(0), and inverses of blocks of the diagonal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "src/array/refuse.hpp"
#include "src/base/mutex.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/solver.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/sparse_factors.hpp"

namespace warpwise::sparse {
namespace {

void require_square(const Matrix& matrix, const char* function) {
    if (matrix.rows() == matrix.columns()) return;
    array::refuse_value("{} got a matrix of shape ({}, {}); it must be square", function,
                        matrix.rows(), matrix.columns());
}

// Rows on the host, columns sorted, each place once.
template <class Value>
struct HostRows {
    std::vector<std::int64_t> indptr;
    std::vector<std::int64_t> indices;
    std::vector<Value> values;

    explicit HostRows(const Matrix& matrix) {
        Compressed places = compress(places_of(matrix), matrix.rows(), matrix.columns());
        const Array sums = gather_sums(matrix.data().reshape(Shape{matrix.nnz()}), places);
        values = array::converted(sums, DType(type_of<Value>()).kind()).template to_vector<Value>();
        indptr = std::move(places.indptr);
        indices = std::move(places.indices);
    }
    HostRows() = default;

    std::int64_t rows() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
    std::size_t begin(std::int64_t row) const {
        return static_cast<std::size_t>(indptr[static_cast<std::size_t>(row)]);
    }
    std::size_t end(std::int64_t row) const { return begin(row + 1); }
    Matrix uploaded(const DType& dtype, const Device& device) const {
        const auto count = static_cast<std::int64_t>(indices.size());
        const DType index = index_type(rows(), rows(), count);
        const Array data =
            from_host(values.data(), Shape{count}, type_of<Value>(), nullptr, device);
        return Matrix::csr(astype(data, dtype, false), upload_indices(indices, index, device),
                           upload_indices(indptr, index, device), rows(), rows());
    }
};

// Where the diagonal of each row is.
template <class Value>
std::vector<std::size_t> diagonals_of(const HostRows<Value>& a) {
    std::vector<std::size_t> places;
    for (std::int64_t row = 0; row < a.rows(); ++row) {
        std::size_t k = a.begin(row);
        while (k < a.end(row) && a.indices[k] < row) ++k;
        if (k == a.end(row) || a.indices[k] != row) {
            array::refuse_value(
                "ilu0 got a matrix without an entry on the diagonal of row {}; number the rows "
                "otherwise, or use another preconditioner",
                row);
        }
        places.push_back(k);
    }
    return places;
}

// Row by row, each by those before it; in place.
template <class Value>
void eliminate(HostRows<Value>& a, const std::vector<std::size_t>& diagonal) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(a.rows()), -1);
    for (std::int64_t row = 0; row < a.rows(); ++row) {
        const auto column = [&](std::size_t k) { return static_cast<std::size_t>(a.indices[k]); };
        for (std::size_t k = a.begin(row); k < a.end(row); ++k) {
            place[column(k)] = static_cast<std::int64_t>(k);
        }
        for (std::size_t k = a.begin(row); a.indices[k] < row; ++k) {
            const std::size_t pivot = diagonal[column(k)];
            a.values[k] /= a.values[pivot];
            for (std::size_t other = pivot + 1; other < a.end(a.indices[k]); ++other) {
                const std::int64_t at = place[column(other)];
                if (at < 0) continue;
                a.values[static_cast<std::size_t>(at)] -= a.values[k] * a.values[other];
            }
        }
        if (a.values[diagonal[static_cast<std::size_t>(row)]] == Value(0)) {
            array::refuse_value("ilu0 found a pivot of 0 in row {}; use another preconditioner",
                                row);
        }
        for (std::size_t k = a.begin(row); k < a.end(row); ++k) place[column(k)] = -1;
    }
}

// The part below the diagonal with ones on it, and the part from the diagonal on.
template <class Value>
std::pair<HostRows<Value>, HostRows<Value>> parted(const HostRows<Value>& a) {
    std::pair<HostRows<Value>, HostRows<Value>> parts;
    const auto append = [](HostRows<Value>& to, std::int64_t column, Value value) {
        to.indices.push_back(column);
        to.values.push_back(value);
    };
    parts.first.indptr.push_back(0);
    parts.second.indptr.push_back(0);
    for (std::int64_t row = 0; row < a.rows(); ++row) {
        for (std::size_t k = a.begin(row); k < a.end(row); ++k) {
            append(a.indices[k] < row ? parts.first : parts.second, a.indices[k], a.values[k]);
        }
        append(parts.first, row, Value(1));
        for (HostRows<Value>* const part : {&parts.first, &parts.second}) {
            part->indptr.push_back(static_cast<std::int64_t>(part->indices.size()));
        }
    }
    return parts;
}

template <class Value>
std::pair<Matrix, Matrix> incomplete(const Matrix& matrix) {
    HostRows<Value> rows(matrix);
    eliminate(rows, diagonals_of(rows));
    const auto parts = parted(rows);
    const DType dtype(at_least_float(matrix.dtype().kind()));
    return {parts.first.uploaded(dtype, matrix.device()),
            parts.second.uploaded(dtype, matrix.device())};
}

// The inverse of a block in C order, by Gauss and Jordan with exchanged rows. False: singular.
template <class Value>
bool invert(std::vector<Value>& block, std::size_t extent) {
    std::vector<Value> inverse(extent * extent, Value(0));
    for (std::size_t i = 0; i < extent; ++i) inverse[i * extent + i] = Value(1);
    for (std::size_t column = 0; column < extent; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column + 1; row < extent; ++row) {
            const bool is_greater =
                std::abs(block[row * extent + column]) > std::abs(block[pivot * extent + column]);
            if (is_greater) pivot = row;
        }
        const Value divisor = block[pivot * extent + column];
        if (divisor == Value(0) || !std::isfinite(std::abs(divisor))) return false;
        for (std::size_t k = 0; k < extent; ++k) {
            for (std::vector<Value>* const side : {&block, &inverse}) {
                std::swap((*side)[pivot * extent + k], (*side)[column * extent + k]);
                (*side)[column * extent + k] /= divisor;
            }
        }
        for (std::size_t row = 0; row < extent; ++row) {
            const Value factor = block[row * extent + column];
            if (row == column || factor == Value(0)) continue;
            for (std::size_t k = 0; k < extent; ++k) {
                block[row * extent + k] -= factor * block[column * extent + k];
                inverse[row * extent + k] -= factor * inverse[column * extent + k];
            }
        }
    }
    block = std::move(inverse);
    return true;
}

// All inverses, `extent` numbers for each row of the matrix.
template <class Value>
Array inverted_blocks(const Matrix& matrix, std::int64_t extent) {
    const HostRows<Value> rows(matrix);
    std::vector<Value> all(static_cast<std::size_t>(rows.rows() * extent), Value(0));
    for (std::int64_t first = 0; first < rows.rows(); first += extent) {
        const std::int64_t end = std::min(first + extent, rows.rows());
        const auto own = static_cast<std::size_t>(end - first);
        std::vector<Value> block(own * own, Value(0));
        for (std::int64_t row = first; row < end; ++row) {
            for (std::size_t k = rows.begin(row); k < rows.end(row); ++k) {
                if (rows.indices[k] < first || rows.indices[k] >= end) continue;
                const auto column = static_cast<std::size_t>(rows.indices[k] - first);
                block[static_cast<std::size_t>(row - first) * own + column] = rows.values[k];
            }
        }
        if (!invert(block, own)) {
            array::refuse_value(
                "block_jacobi got a matrix whose block of rows {} to {} is "
                "singular; use another block size or preconditioner",
                first, end - 1);
        }
        for (std::size_t i = 0; i < own; ++i) {
            for (std::size_t k = 0; k < own; ++k) {
                const std::size_t row = static_cast<std::size_t>(first) + i;
                all[row * static_cast<std::size_t>(extent) + k] = block[i * own + k];
            }
        }
    }
    return from_host(all.data(), Shape{rows.rows(), extent}, type_of<Value>(), nullptr,
                     matrix.device());
}

Array times_blocks(const Array& blocks, const Array& given) {
    const Kind kind = types::promote(array::kind_of(blocks), array::kind_of(given));
    const Array x = ascontiguousarray(array::converted(given, kind));
    const Array own = array::converted(blocks, kind);
    Array y = array::empty_beside(x, x.shape(), x.dtype());
    if (y.size() == 0) return y;
    runtime::Context& context = array::context_of(x);
    const std::string body = fmt::format("__ww_diagonal_blocks<{}>(a0, a1, a2, a3, a4, a5);",
                                         algorithm::device_type(kind));
    array::LibraryStep(kernel("ww_diagonal_blocks", "rrwnnn", body, {kind}, context), context)
        .read(own)
        .read(x)
        .write(y)
        .number(x.shape()[0])
        .number(x.ndim() == 2 ? x.shape()[1] : 1)
        .number(blocks.shape()[1])
        .run((y.size() + kThreads - 1) / kThreads, kThreads);
    return y;
}

// Conjugates too. Rows that the last block lacks are 0 in it, and stay so.
Array transposed(const Array& blocks) {
    const std::int64_t extent = blocks.shape()[1];
    const std::int64_t count = (blocks.shape()[0] + extent - 1) / extent;
    Array whole = zeros(Shape{count * extent, extent}, blocks.dtype(), blocks.device());
    whole.assign({Slice{0, blocks.shape()[0], std::nullopt}}, conj(blocks));
    const Array turned = whole.reshape(Shape{count, extent, extent}).transpose({0, 2, 1});
    const Array flat = ascontiguousarray(turned).reshape(Shape{count * extent, extent});
    return ascontiguousarray(flat.at({Slice{0, blocks.shape()[0], std::nullopt}}));
}

}  // namespace

struct IncompleteLu::State {
    State(Matrix l, Matrix u)
        : lower(std::move(l)),
          upper(std::move(u)),
          first(lower, {.lower = true, .unit_diagonal = true}),
          second(upper, {.lower = false}) {}

    Matrix lower;
    Matrix upper;
    TriangularSolver first;
    TriangularSolver second;
    Mutex mutex;
    // Of U' and L', made when first needed.
    std::optional<std::pair<TriangularSolver, TriangularSolver>> transposed
        WARPWISE_GUARDED_BY(mutex);

    std::pair<TriangularSolver, TriangularSolver> transposes() {
        MutexLock lock(mutex);
        if (!transposed) {
            transposed.emplace(
                TriangularSolver(upper.transpose(), {.lower = true}),
                TriangularSolver(lower.transpose(), {.lower = false, .unit_diagonal = true}));
        }
        return *transposed;
    }
};

const Matrix& IncompleteLu::lower() const noexcept {
    return state_->lower;
}
const Matrix& IncompleteLu::upper() const noexcept {
    return state_->upper;
}

Array IncompleteLu::solve(const Array& b, bool transposed, bool conjugated) const {
    if (conjugated) return conj(solve(conj(b), transposed));
    if (!transposed) return state_->second.solve(state_->first.solve(b));
    const auto [first, second] = state_->transposes();
    return second.solve(first.solve(b));
}

LinearOperator IncompleteLu::inverse() const {
    const IncompleteLu factors = *this;
    return {rows(), rows(), dtype(), [factors](const Array& x) { return factors.solve(x); },
            [factors](const Array& x) { return factors.solve(x, true, true); }};
}

IncompleteLu ilu0(const Matrix& matrix) {
    require_square(matrix, "ilu0");
    auto [lower, upper] = types::is_complex(matrix.dtype().kind())
                              ? incomplete<std::complex<double>>(matrix)
                              : incomplete<double>(matrix);
    return IncompleteLu(std::make_shared<IncompleteLu::State>(std::move(lower), std::move(upper)));
}

LinearOperator block_jacobi(const Matrix& matrix, std::int64_t block_size) {
    require_square(matrix, "block_jacobi");
    if (block_size < 1) {
        array::refuse_value("block_jacobi got block_size={}; it must be 1 or more", block_size);
    }
    const std::int64_t extent = std::min(block_size, std::max<std::int64_t>(matrix.rows(), 1));
    const DType dtype(at_least_float(matrix.dtype().kind()));
    const Array inverse = astype(types::is_complex(dtype.kind())
                                     ? inverted_blocks<std::complex<double>>(matrix, extent)
                                     : inverted_blocks<double>(matrix, extent),
                                 dtype, false);
    evaluate(inverse);
    return {matrix.rows(), matrix.columns(), dtype,
            [inverse](const Array& x) { return times_blocks(inverse, x); },
            [inverse](const Array& x) { return times_blocks(transposed(inverse), x); }};
}

}  // namespace warpwise::sparse
