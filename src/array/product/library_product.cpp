// Matrices as the library reads them, and the step that calls it.
#include "src/array/product/library_product.hpp"

#include <algorithm>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/graph/memory.hpp"
#include "src/runtime/blas.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {
namespace {

// Fewer multiplications are quicker as a kernel, which is fused with what is around it.
constexpr std::int64_t kFewest = 16 * 16 * 16;

// The last two axes as a matrix, without an address; empty where the library cannot read them.
std::optional<runtime::Matrix> matrix_in(const Array& array) {
    const int rank = array.ndim();
    const std::int64_t item = static_cast<std::int64_t>(array.dtype().size());
    const std::int64_t rows = array.shape()[rank - 2];
    const std::int64_t columns = array.shape()[rank - 1];
    const auto try_with = [&](std::int64_t outer, std::int64_t inner, std::int64_t outer_extent,
                              std::int64_t inner_extent) -> std::optional<std::int64_t> {
        if (inner_extent > 1 && inner != item) return std::nullopt;
        if (outer_extent == 1) return std::max<std::int64_t>(inner_extent, 1);
        if (outer % item != 0 || outer < inner_extent * item) return std::nullopt;
        return outer / item;
    };
    const std::int64_t by_row = array.strides()[rank - 2];
    const std::int64_t by_column = array.strides()[rank - 1];
    if (const auto stride = try_with(by_row, by_column, rows, columns)) {
        return runtime::Matrix{0, *stride, false};
    }
    if (const auto stride = try_with(by_column, by_row, columns, rows)) {
        return runtime::Matrix{0, *stride, true};
    }
    return std::nullopt;
}

struct Factor {
    Array array;
    runtime::Matrix matrix;
};

Factor factor_of(const Array& array, Kind kind) {
    Array same = converted(array, kind);
    if (const auto matrix = matrix_in(same)) return {std::move(same), *matrix};
    Array packed = copy(same);
    if (!packed.is_c_contiguous()) packed = ascontiguousarray(packed);
    const std::int64_t columns = packed.shape()[packed.ndim() - 1];
    return {std::move(packed), {0, columns, false}};
}

Shape without_matrix(const Shape& shape) {
    Shape batch;
    for (int axis = 0; axis < shape.size() - 2; ++axis) batch.push_back(shape[axis]);
    return batch;
}

// Bytes from the first matrix of `array` to that of every point of the batch, in C order.
std::vector<std::int64_t> batch_offsets(const Array& array, const Shape& batch) {
    Strides own;
    for (int axis = 0; axis < array.ndim() - 2; ++axis) own.push_back(array.strides()[axis]);
    const Strides strides = broadcast_strides(without_matrix(array.shape()), own, batch);
    std::vector<std::int64_t> offsets{0};
    for (int axis = 0; axis < batch.size(); ++axis) {
        std::vector<std::int64_t> longer;
        longer.reserve(offsets.size() * static_cast<std::size_t>(batch[axis]));
        for (const std::int64_t offset : offsets) {
            for (std::int64_t i = 0; i < batch[axis]; ++i) {
                longer.push_back(offset + i * strides[axis]);
            }
        }
        offsets = std::move(longer);
    }
    return offsets;
}

void run(const graph::Step& step, runtime::MatrixProducts products) {
    const auto address = [&](std::size_t input) {
        return step.inputs[input]->address() +
               static_cast<std::uint64_t>(step.accesses[input].offset);
    };
    products.a.address = address(0);
    products.b.address = address(1);
    products.c.address = step.output->address();
    runtime::Context& context = step.stream->context();
    runtime::BlasSupport& blas = *runtime::blas_of(context.backend());
    Buffer workspace;  // freed in the order of the stream
    if (const std::size_t bytes = blas.workspace_bytes(context.ordinal()); bytes > 0) {
        workspace = mem_alloc(bytes, Stream(step.stream->shared_from_this()));
        workspace.state()->note_use(step.stream->core());
    }
    blas.multiply(context.ordinal(), step.stream->core()->queue(), products,
                  workspace.state() ? runtime::address_of(workspace) : 0);
}

}  // namespace

std::optional<Array> library_product(const Array& left, const Array& right) {
    const Kind kind = types::promote(kind_of(left), kind_of(right));
    if (kind == Kind::Bool || types::is_integer(kind)) return std::nullopt;
    const Kind wide = accumulator_of(kind);
    runtime::MatrixProducts products{.kind = wide};
    products.rows = left.shape()[left.ndim() - 2];
    products.inner = left.shape()[left.ndim() - 1];
    products.columns = right.shape()[right.ndim() - 1];
    if (products.rows < 2 || products.columns < 2 || products.inner < 1) return std::nullopt;
    const Shape batches[] = {without_matrix(left.shape()), without_matrix(right.shape())};
    Shape shape = broadcast_shapes(batches);
    const std::int64_t count = count_of(shape);
    const std::int64_t all = count * products.rows * products.columns * products.inner;
    if (count == 0 || all < kFewest) return std::nullopt;
    runtime::Context& context = context_of(left);
    runtime::BlasSupport* const blas = runtime::blas_of(context.backend());
    if (blas == nullptr || runtime::current_stream(context)->is_capturing() ||
        !blas->has_products(wide)) {
        return std::nullopt;
    }
    const Factor a = factor_of(left, wide);
    const Factor b = factor_of(right, wide);
    products.a = a.matrix;
    products.b = b.matrix;
    products.c = {0, products.columns, false};
    const auto of_a = batch_offsets(a.array, shape);
    const auto of_b = batch_offsets(b.array, shape);
    const std::int64_t bytes =
        products.rows * products.columns * static_cast<std::int64_t>(DType(wide).size());
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        products.offsets.push_back({of_a[i], of_b[i], static_cast<std::int64_t>(i) * bytes});
    }
    shape.push_back(products.rows);
    shape.push_back(products.columns);
    const graph::Value* const inputs[] = {&a.array.value(), &b.array.value()};
    Array result(graph::opaque(inputs, wide, shape,
                               [products](const graph::Step& step) { run(step, products); }));
    return converted(result, kind);
}

}  // namespace warpwise::array
