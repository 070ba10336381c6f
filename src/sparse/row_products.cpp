// Products with vectors, and what repeated ones of a matrix keep.
#include "src/sparse/row_products.hpp"

#include <fmt/format.h>

#include "src/codegen/geometry.hpp"
#include "src/sparse/kernels.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::sparse {
namespace {

// Rows of more entries than this are divided among the lanes of a warp.
constexpr std::int64_t kLongRow = 12;
// Rows that a thread takes where a block is one.
constexpr std::int64_t kTogether = 1024;
// Distances are made before this product, of matrices of so many entries: others lie in caches. For
// GPUs: processors take as long with them (16 cores, 4,000,000 rows of 5 entries).
constexpr std::int64_t kProductsBefore = 2;
constexpr std::int64_t kLeastEntries = std::int64_t{1} << 18;

// Threads of a block that take a row each: on an H200 1 to 3 % faster than kThreads.
constexpr int kRowThreads = 128;

// How a kernel of a thread for each row is launched.
struct Rows {
    int threads;            // of a block
    std::int64_t together;  // rows of a thread
    std::int64_t blocks;

    Rows(std::int64_t rows, bool is_serial)
        : threads(is_serial ? 1 : kRowThreads),
          together(is_serial ? kTogether : 1),
          blocks(codegen::divided_up(rows, threads * together)) {}
};

bool has_long_rows(const Matrix& rows, const runtime::Context& context) {
    return !algorithm::is_serial(context) && rows.nnz() > kLongRow * rows.rows();
}

std::string type_of_rows(const Matrix& rows, const Array* distances) {
    return fmt::format("{}<{}>", distances != nullptr ? "__ww_near_rows" : "__ww_rows",
                       algorithm::device_type(rows.indptr().dtype().kind()));
}

// The distances of all entries; nothing where one has no place in 16 bits. Waits.
std::optional<Array> distances_of(const Matrix& rows) {
    const Array distances = array::empty_beside(rows.data(), Shape{rows.nnz()}, int16);
    const Array far = array::empty_beside(rows.data(), Shape{}, int32);
    runtime::Context& context = array::context_of(rows.data());
    const Rows shape(rows.rows(), algorithm::is_serial(context));
    const std::string body = fmt::format("__ww_distances<{}>(a0, a1, a2, a3, a4, a5);",
                                         algorithm::device_type(rows.indptr().dtype().kind()));
    array::LibraryStep(kernel("ww_distances", "rrwwnn", body, {}, context, shape.threads), context)
        .read(rows.indptr())
        .read(rows.indices())
        .write(distances)
        .zeroed(far, far.nbytes())
        .number(rows.rows())
        .number(shape.together)
        .run(shape.blocks, shape.threads);
    if (far.item().as_int() != 0) return std::nullopt;
    return distances;
}

}  // namespace

void multiply_vector(const Matrix& rows, const Array* distances, const Array& x, const Array& y) {
    runtime::Context& context = array::context_of(x);
    const Kind own = rows.dtype().kind();
    const Kind vector = array::kind_of(x);
    const Kind result = array::kind_of(y);
    const std::string types =
        fmt::format("{}, {}, {}, {}", algorithm::device_type(result), type_of_rows(rows, distances),
                    algorithm::device_type(own), algorithm::device_type(vector));
    const Rows shape(rows.rows(), algorithm::is_serial(context));
    const bool is_long = has_long_rows(rows, context);
    const int threads = is_long ? kThreads : shape.threads;
    const std::string body =
        is_long ? fmt::format("__ww_spmv_warps<{}>(a0, a1, a2, a3, a4, a5);", types)
                : fmt::format("__ww_spmv_threads<{}>(a0, a1, a2, a3, a4, a5, a6);", types);
    const char* const name = distances != nullptr ? "ww_near_spmv" : "ww_spmv";
    array::LibraryStep(kernel(name, "rrrrwnn", body, {own, vector, result}, context, threads),
                       context)
        .read(rows.indptr())
        .read(distances != nullptr ? *distances : rows.indices())
        .read(rows.data())
        .read(x)
        .write(y)
        .number(rows.rows())
        .number(shape.together)
        .run(is_long ? codegen::divided_up(rows.rows(), kThreads / 32) : shape.blocks, threads);
}

void RowProducts::prepare() {
    const bool is_serial = algorithm::is_serial(array::context_of(rows_.data()));
    if (products_++ != kProductsBefore || rows_.nnz() < kLeastEntries || is_serial) return;
    distances_ = distances_of(rows_);
}

Array RowProducts::dot(const Array& x) {
    const DType dtype(types::promote(rows_.dtype().kind(), array::kind_of(x)));
    const bool is_plain = x.ndim() == 1 && x.shape()[0] == rows_.columns() && dtype == x.dtype();
    if (!is_plain || rows_.nnz() == 0) return rows_.dot(x);
    array::require_same_device(rows_.data(), x, "a sparse product");
    prepare();
    if (!distances_) return rows_.dot(x);
    const Array y = array::empty_beside(x, Shape{rows_.rows()}, dtype);
    multiply_vector(rows_, &*distances_, ascontiguousarray(x), y);
    return y;
}

std::optional<RowProducts::WithInner> RowProducts::dot_with_inner(const Array& x) {
    const Kind kind = rows_.dtype().kind();
    runtime::Context& context = array::context_of(rows_.data());
    const bool is_real = kind == Kind::Float32 || kind == Kind::Float64;
    const bool is_plain = is_real && array::kind_of(x) == kind && x.ndim() == 1;
    const bool is_square = rows_.rows() == rows_.columns() && x.shape() == Shape{rows_.rows()};
    if (!is_plain || !is_square || rows_.nnz() == 0 || has_long_rows(rows_, context)) return {};
    array::require_same_device(rows_.data(), x, "a sparse product");
    prepare();
    const Array* const distances = distances_ ? &*distances_ : nullptr;
    const Rows shape(rows_.rows(), algorithm::is_serial(context));
    const auto type = algorithm::device_type(kind);
    const std::string rows = type_of_rows(rows_, distances);
    const std::string body =
        shape.threads == 1
            ? fmt::format("__ww_spmv_inner_rows<{}, {}>(a0, a1, a2, a3, a4, a5, a6, a7);", type,
                          rows)
            : fmt::format("__ww_spmv_inner<{}, {}, {}>(a0, a1, a2, a3, a4, a5, a6);", type, rows,
                          shape.threads);
    const Array y = array::empty_beside(x, Shape{rows_.rows()}, rows_.dtype());
    const Array parts = array::empty_beside(x, Shape{shape.blocks}, rows_.dtype());
    const char* const name = distances != nullptr ? "ww_near_spmv_inner" : "ww_spmv_inner";
    array::LibraryStep(kernel(name, "rrrrwwnn", body, {kind}, context, shape.threads), context)
        .read(rows_.indptr())
        .read(distances != nullptr ? *distances : rows_.indices())
        .read(rows_.data())
        .read(ascontiguousarray(x))
        .write(y)
        .write(parts)
        .number(rows_.rows())
        .number(shape.together)
        .run(shape.blocks, shape.threads);
    return WithInner{y, sum(parts)};
}

}  // namespace warpwise::sparse
