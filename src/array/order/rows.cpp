// Rows along an axis, and elements of them by place.
#include <algorithm>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/array/shapes/layouts.hpp"
#include "src/codegen/geometry.hpp"

namespace warpwise::array {
namespace {

constexpr int kThreads = 256;

}  // namespace

std::string item_type(std::size_t bytes) {
    switch (bytes) {
        case 1:
            return "unsigned char";
        case 2:
            return "unsigned short";
        case 4:
            return "unsigned int";
        case 8:
            return "unsigned long long";
        case 16:
            return "__ww_both_words";
        default:
            return fmt::format("__ww_bytes_of<{}>", bytes);
    }
}

Array aligned(const Array& array) {
    const Array packed = ascontiguousarray(array);
    const std::size_t bytes = packed.dtype().size();
    const bool is_plain = bytes <= 16 && (bytes & (bytes - 1)) == 0;
    const std::size_t unit = std::min<std::size_t>(bytes, 8);
    if (!is_plain || static_cast<std::uint64_t>(packed.value().view.offset) % unit == 0) {
        return packed;
    }
    return copy(packed, Order::C);
}

void require_sortable(const Array& array, std::string_view function) {
    require_numbers(array, function);
}

Rows rows_along(const Array& array, int axis) {
    const int last = -1;
    Rows rows;
    rows.packed = ascontiguousarray(moveaxis(array, std::span(&axis, 1), std::span(&last, 1)));
    rows.length = array.shape()[axis];
    rows.rows = rows.length == 0 ? 0 : array.size() / rows.length;
    return rows;
}

Array back_along(const Array& result, int axis) {
    const int last = -1;
    return ascontiguousarray(moveaxis(result, std::span(&last, 1), std::span(&axis, 1)));
}

Array back_like(const Array& given, const Array& result, int axis) {
    const int last = -1;
    const Array moved = moveaxis(result, std::span(&last, 1), std::span(&axis, 1));
    const Strides wanted = strides_like(given, given.shape(), given.dtype());
    if (moved.size() <= 1 || moved.strides() == wanted) return moved;
    const Array out(graph::empty(given.shape(), given.dtype(), context_of(given), &wanted));
    write_into(out, moved);
    return out;
}

Array take_rows(const Rows& rows, const Array& places) {
    runtime::Context& context = context_of(rows.packed);
    const Array out = empty_beside(rows.packed, places.shape(), rows.packed.dtype());
    if (out.size() == 0) return out;
    const Array in = aligned(rows.packed);
    const Array at = ascontiguousarray(places);
    const std::string body = fmt::format(
        "typedef {} item;\n"
        "const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "if (i >= a5) return;\n"
        "((item *)a2)[i] = ((const item *)a0)[i / a3 * a4 + ((const long long *)a1)[i]];",
        item_type(rows.packed.dtype().size()));
    LibraryStep(algorithm::library_kernel({.name = "ww_take_rows",
                                           .header = "warpwise_library_scan.h",
                                           .parameters = "rrwnnn",
                                           .body = body},
                                          {}, context),
                context)
        .read(in)
        .read(at)
        .write(out)
        .number(at.shape()[at.ndim() - 1])
        .number(rows.length)
        .number(at.size())
        .run(codegen::divided_up(at.size(), kThreads), kThreads);
    return out;
}

void scatter(const Array& target, const Array& places, const Array& values) {
    if (places.size() == 0) return;
    runtime::Context& context = context_of(target);
    const Array at = ascontiguousarray(places);
    const Array from = aligned(values);
    const std::string body = fmt::format(
        "typedef {} item;\n"
        "const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "if (i >= a3) return;\n"
        "((item *)a2)[((const long long *)a0)[i]] = ((const item *)a1)[i];",
        item_type(values.dtype().size()));
    LibraryStep(algorithm::library_kernel({.name = "ww_scatter",
                                           .header = "warpwise_library_scan.h",
                                           .parameters = "rrwn",
                                           .body = body},
                                          {}, context),
                context)
        .read(at)
        .read(from)
        .write(target)
        .number(at.size())
        .run(codegen::divided_up(at.size(), kThreads), kThreads);
}

}  // namespace warpwise::array
