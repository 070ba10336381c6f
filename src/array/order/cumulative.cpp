// Cumulative sums, products and the like: along the last axis as rows, along others as columns.
#include <algorithm>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/algorithm/scan/scan_layout.hpp"
#include "src/array/elementwise.hpp"
#include "src/array/order/joins.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/codegen/geometry.hpp"
#include "src/runtime/context.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {
namespace {

using algorithm::device_type;
using array::Join;

constexpr int kThreads = 256;
// Rows up to this length take a warp, or a part of a thread's time, each.
constexpr std::int64_t kShortRow = 1024;
constexpr std::int64_t kTogether = 8192;  // elements that a block takes of short rows
// Columns below which a long axis is moved to the end instead.
constexpr std::int64_t kFewColumns = 1024;

struct Types {
    Kind in = Kind::Void;
    Kind value = Kind::Void;        // inputs are converted to it
    Kind accumulator = Kind::Void;  // and joined in this
    Kind out = Kind::Void;
};

Join sums(const char* function) {
    return {function, "__ww_joined_sum", ir::Op::Add, 0};
}
Join products(const char* function) {
    return {function, "__ww_joined_product", ir::Op::Multiply, 1};
}

// Between arrays of the same shape whose elements lie in runs of `length` elements, `inner` apart.
class Scan {
  public:
    Scan(const Types& types, const Join& join, runtime::Context& context)
        : types_(types), join_(join), context_(context) {}

    void columns(const Array& in, const Array& out, std::int64_t length, std::int64_t inner,
                 std::int64_t outer, std::int64_t out_stride) const {
        const std::string body =
            fmt::format("__ww_scan_columns<{}, {}, {}, {}>(a0, a1, a2, a3, a4, a5, a6, {}());",
                        device_type(types_.in), device_type(types_.value),
                        device_type(types_.accumulator), device_type(types_.out), join_.functor);
        const std::int64_t columns = inner * outer;
        array::LibraryStep(kernel("ww_scan_columns", "rwnnnnn", body, kThreads), context_)
            .read(in)
            .write(out)
            .number(length)
            .number(inner)
            .number(columns)
            .number(length * inner)
            .number(out_stride)
            .run(codegen::divided_up(columns, kThreads), kThreads);
    }

    void rows(const Array& in, const Array& out, std::int64_t rows, std::int64_t length,
              std::int64_t out_stride) const {
        const bool serial = algorithm::is_serial(context_);
        const std::string functors = fmt::format(
            "const __ww_cumulative_load<{0}, {1}, {2}> load = {{(const __ww_memory<{0}>::type "
            "*)a0, "
            "a2}};\nconst __ww_cumulative_store<{3}, {2}> store = {{(__ww_memory<{3}>::type *)a1, "
            "a3}};\n",
            device_type(types_.in), device_type(types_.value), device_type(types_.accumulator),
            device_type(types_.out));
        const std::string type(device_type(types_.accumulator));
        if (rows > 1 && length <= kShortRow) {
            const std::int64_t together = std::max<std::int64_t>(1, kTogether / length);
            const int threads = serial ? 1 : kThreads;
            const std::string body =
                functors +
                fmt::format("__ww_scan_short_rows<{}, {}>(a4, a5, a6, load, store, {}());", type,
                            serial, join_.functor);
            array::LibraryStep(kernel("ww_scan_short_rows", "rwnnnnn", body, threads), context_)
                .read(in)
                .write(out)
                .number(length)
                .number(out_stride)
                .number(rows)
                .number(length)
                .number(together)
                .run(codegen::divided_up(rows, together), threads);
            return;
        }
        const std::size_t bytes = DType(types_.accumulator).size();
        const algorithm::ScanLayout layout =
            algorithm::ahead_layout(context_.info(), bytes, rows, length)
                .value_or(algorithm::scan_layout(serial, bytes, rows, length));
        const std::string body =
            functors + fmt::format(
                           "const __ww_scan_work work = {{a5, a6, a4, a7}};\n{}::run(work, load, "
                           "store, {}());",
                           layout.instance(type, false), join_.functor);
        const Array workspace = array::scratch(layout.workspace_bytes, context_);
        array::LibraryStep(
            kernel("ww_scan_rows", "rwnnnnnw", body, layout.threads, layout.resident_blocks()),
            context_)
            .read(in)
            .write(out)
            .number(length)
            .number(out_stride)
            .number(rows)
            .number(length)
            .number(layout.tiles)
            .zeroed(workspace, layout.cleared_bytes)
            .run(layout.blocks(), layout.threads);
    }

  private:
    std::shared_ptr<runtime::KernelState> kernel(const char* name, const char* parameters,
                                                 std::string body, int threads,
                                                 int resident_blocks = 0) const {
        return algorithm::library_kernel({.name = name,
                                          .header = "warpwise_library_scan.h",
                                          .parameters = parameters,
                                          .body = std::move(body),
                                          .threads = threads,
                                          .resident_blocks = resident_blocks},
                                         {types_.in, types_.value, types_.accumulator, types_.out},
                                         context_);
    }

    Types types_;
    Join join_;
    runtime::Context& context_;
};

// `part` is the result, behind the initial elements where there are any; both in C order.
void run(const Scan& scan, const Array& in, const Array& part, int axis, std::int64_t out_length) {
    const Shape& shape = in.shape();
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const std::int64_t length = shape[axis];
    if (inner == 1) {
        scan.rows(in, part, outer, length, out_length);
    } else {
        scan.columns(in, part, length, inner, outer, out_length * inner);
    }
}

void check_out(const Array& out, const Shape& shape, const Array& given,
               std::string_view function) {
    array::require_writable(out, function);
    array::require_same_device(given, out, function);
    if (out.shape() == shape) return;
    array::refuse_value("{} got out= of shape {} for a result of shape {}; it must have that shape",
                        function, text_of(out.shape()), text_of(shape));
}

// Whether the kernel may write to `out` while it reads `in`.
bool takes(const Array& out, const DType& dtype, const Array& in) {
    if (!(out.dtype() == dtype) || !out.is_c_contiguous()) return false;
    return out.value().storage != in.value().storage || out.shows_same(in);
}

Array cumulative(const Array& elements, const Cumulative& options, const Join& join) {
    const Array given = array::with_axis_of_scalar(elements, options.axis);
    const Kind kind = array::joined_kind(join, given, options.dtype);
    if (options.include_initial && !join.identity) {
        array::refuse_value("{} got include_initial, but has no initial value", join.name);
    }
    if (!options.axis && given.ndim() != 1) {
        array::refuse_value("{} got no axis for an array of shape {}; give axis=", join.name,
                            text_of(given.shape()));
    }
    const int axis = checked_axis(options.axis.value_or(0), given.ndim());
    const std::int64_t length = given.shape()[axis];
    Shape shape = given.shape();
    if (options.include_initial) shape[axis] += 1;
    runtime::Context& context = array::context_of(given);
    // The axis goes to the end where columns are too few to be scanned by a thread each.
    if (axis != given.ndim() - 1 && length > kShortRow && given.size() / length < kFewColumns) {
        Cumulative last = options;
        last.axis = -1;
        last.out = nullptr;
        const int from = axis;
        const int to = -1;
        const Array moved =
            cumulative(moveaxis(given, std::span(&from, 1), std::span(&to, 1)), last, join);
        const Array result = moveaxis(moved, std::span(&to, 1), std::span(&from, 1));
        if (options.out == nullptr) return ascontiguousarray(result);
        array::write_out(*options.out, result, nullptr, join.name);
        return *options.out;
    }
    const Array in = ascontiguousarray(given);
    if (options.out != nullptr) check_out(*options.out, shape, given, join.name);
    const bool is_direct = options.out != nullptr && takes(*options.out, DType(kind), in);
    const Array result =
        is_direct ? *options.out : Array(graph::empty(shape, DType(kind), context));
    Array part = result;
    if (options.include_initial) {
        graph::View first = result.value().view;
        first.shape[axis] = 1;
        array::write_into(
            array::show(result, first),
            array::constant(Scalar(join.identity.value_or(0)), kind, first.shape, context));
        graph::View rest = result.value().view;
        rest.shape[axis] = length;
        if (length > 0) rest.offset += rest.strides[axis];
        part = array::show(result, rest);
    }
    if (in.size() > 0) {
        const Types types{.in = array::kind_of(in),
                          .value = kind,
                          .accumulator = array::accumulator_of(kind),
                          .out = kind};
        run(Scan(types, join, context), in, part, axis, shape[axis]);
    }
    if (options.out == nullptr || is_direct) return result;
    array::write_out(*options.out, result, nullptr, join.name);
    return *options.out;
}

Array raveled(const Array& array, const Cumulative& options, const Join& join) {
    if (options.axis) return cumulative(array, options, join);
    Cumulative flat = options;
    flat.axis = 0;
    return cumulative(array.reshape(Shape{-1}), flat, join);
}

}  // namespace

Array cumulative_sum(const Array& array, const Cumulative& options) {
    return cumulative(array, options, sums("cumulative_sum"));
}
Array cumulative_prod(const Array& array, const Cumulative& options) {
    return cumulative(array, options, products("cumulative_prod"));
}
Array cumsum(const Array& array, const Cumulative& options) {
    return raveled(array, options, sums("cumsum"));
}
Array cumprod(const Array& array, const Cumulative& options) {
    return raveled(array, options, products("cumprod"));
}

Array accumulate(std::string_view ufunc, const Array& array, const Cumulative& options) {
    return cumulative(array, options, array::join_named(ufunc, "accumulate"));
}

}  // namespace warpwise
