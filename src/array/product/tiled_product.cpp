// The kernel of skeleton/product.cuh as a step of the graph. Its factors are copied where they are
// not in C order: n * k elements beside n * k * m multiplications.
#include "src/array/product/tiled_product.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/codegen/geometry.hpp"
#include "src/graph/memory.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {
namespace {

// Fewer multiplications are quicker as a reduction, which is fused and waits for no compiler.
constexpr std::int64_t kFewest = 32 * 32 * 32;
// As product.cuh has them.
constexpr std::int64_t kColumns = 64;
constexpr std::int64_t kRows = 8;
constexpr std::int64_t kTile = 64;

// Integers wrap, so that the narrow ones may be added in 32 bits.
Kind sums_of(Kind kind) {
    if (!types::is_integer(kind)) return accumulator_of(kind);
    if (DType(kind).size() > 4) return kind;
    return types::is_signed(kind) ? Kind::Int32 : Kind::UInt32;
}

// The matrices of `array` at every point of the batch, in C order; one where all are the same.
struct Factor {
    Array array;
    std::int64_t step = 0;
};
Factor factor_of(const Array& array, Kind kind, const Shape& batch) {
    const int rank = array.ndim();
    const std::int64_t elements = array.shape()[rank - 2] * array.shape()[rank - 1];
    Array same = converted(array, kind);
    if (same.size() == elements) return {ascontiguousarray(same), 0};
    Shape whole = batch;
    whole.push_back(array.shape()[rank - 2]);
    whole.push_back(array.shape()[rank - 1]);
    return {ascontiguousarray(same.broadcast_to(whole)), elements};
}

struct Launch {
    std::shared_ptr<runtime::KernelState> kernel;
    std::int64_t blocks = 0;
    std::uint32_t threads = 0;
    std::array<std::int64_t, 5> numbers{};  // rows, inner, columns, steps of both factors
};

void run(const graph::Step& step, const Launch& launch) {
    std::vector<std::uint64_t> words;
    std::vector<std::shared_ptr<runtime::BufferState>> buffers;
    const auto add = [&](const graph::Memory& memory, std::int64_t offset) {
        words.push_back(memory.address() + static_cast<std::uint64_t>(offset));
        if (memory.buffer().state()) buffers.push_back(memory.buffer().state());
    };
    add(*step.inputs[0], step.accesses[0].offset);
    add(*step.inputs[1], step.accesses[1].offset);
    add(*step.output, 0);
    for (const std::int64_t number : launch.numbers) {
        words.push_back(static_cast<std::uint64_t>(number));
    }
    runtime::launch_generated(launch.kernel, *step.stream,
                              {.grid = {static_cast<std::uint32_t>(launch.blocks), 1, 1},
                               .block = {launch.threads, 1, 1},
                               .arguments = std::as_bytes(std::span(words)),
                               .buffers = buffers});
}

Shape batch_of(const Array& array) {
    Shape batch;
    for (int axis = 0; axis < array.ndim() - 2; ++axis) batch.push_back(array.shape()[axis]);
    return batch;
}

Launch launch_of(Kind kind, std::int64_t rows, std::int64_t inner, std::int64_t columns,
                 std::int64_t count, runtime::Context& context) {
    const bool serial = algorithm::is_serial(context);
    const Kind sums = sums_of(kind);
    Launch launch{.threads = serial ? 64u : 256u, .numbers = {rows, inner, columns, 0, 0}};
    launch.blocks = count * codegen::divided_up(rows, serial ? kRows : kTile) *
                    codegen::divided_up(columns, serial ? kColumns : kTile);
    if (launch.blocks > std::numeric_limits<std::int32_t>::max() / 256) {
        refuse_value(
            "matmul got {} matrices of {} x {}, which are too many for one call; split them", count,
            rows, columns);
    }
    launch.kernel = algorithm::library_kernel(
        {.name = "ww_product",
         .header = "warpwise_library_product.h",
         .parameters = "rrwnnnnn",
         .body = fmt::format("const __ww_product_shape shape = {{a3, a4, a5, a6, a7}};\n"
                             "    __ww_matrix_product<{}, {}>::{}(a0, a1, a2, shape);",
                             algorithm::device_type(kind), algorithm::device_type(sums),
                             serial ? "by_columns" : "by_tiles"),
         .threads = static_cast<int>(launch.threads)},
        {kind, sums}, context);
    return launch;
}

}  // namespace

std::optional<Array> tiled_product(const Array& left, const Array& right) {
    const Kind kind = types::promote(kind_of(left), kind_of(right));
    if (kind == Kind::Bool) return std::nullopt;
    const std::int64_t rows = left.shape()[left.ndim() - 2];
    const std::int64_t inner = left.shape()[left.ndim() - 1];
    const std::int64_t columns = right.shape()[right.ndim() - 1];
    if (rows < 2 || columns < 2) return std::nullopt;
    const Shape batches[] = {batch_of(left), batch_of(right)};
    Shape shape = broadcast_shapes(batches);
    const std::int64_t count = count_of(shape);
    if (count * rows * inner * columns < kFewest) return std::nullopt;
    Launch launch = launch_of(kind, rows, inner, columns, count, context_of(left));
    const Factor a = factor_of(left, kind, shape);
    const Factor b = factor_of(right, kind, shape);
    launch.numbers[3] = a.step;
    launch.numbers[4] = b.step;
    shape.push_back(rows);
    shape.push_back(columns);
    const graph::Value* const inputs[] = {&a.array.value(), &b.array.value()};
    return Array(graph::opaque(inputs, kind, shape,
                               [launch](const graph::Step& step) { run(step, launch); }));
}

}  // namespace warpwise::array
