// NumPy's ufunc.reduceat: what lies between places along an axis, joined.
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/elementwise.hpp"
#include "src/array/index/selection.hpp"
#include "src/array/order/joins.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/codegen/geometry.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {
namespace {

constexpr int kThreads = 256;

std::shared_ptr<runtime::KernelState> kernel_of(const array::Join& join, Kind in, Kind kind,
                                                runtime::Context& context) {
    const Kind accumulator = array::accumulator_of(kind);
    return algorithm::library_kernel(
        {.name = "ww_join_between",
         .header = "warpwise_library_scan.h",
         .parameters = "rrwnnnn",
         .body = fmt::format("__ww_join_between<{0}, {1}, {2}, {1}>(a0, (const long long *)a1, a2, "
                             "a3, a4, a5, a6, {3}());",
                             algorithm::device_type(in), algorithm::device_type(kind),
                             algorithm::device_type(accumulator), join.functor),
         .threads = kThreads},
        {in, kind, accumulator}, context);
}

}  // namespace

Array reduceat(std::string_view ufunc, const Array& array, const IndexArray& indices, int axis,
               const std::optional<DType>& dtype) {
    const array::Join join = array::join_named(ufunc, "reduceat");
    const Kind kind = array::joined_kind(join, array, dtype);
    const int at = checked_axis(axis, array.ndim());
    if (array::shape_of(indices).size() != 1) {
        array::refuse_value("{} got indices of shape {}; give one axis of them", join.name,
                            text_of(array::shape_of(indices)));
    }
    runtime::Context& context = array::context_of(array);
    const std::int64_t length = array.shape()[at];
    const Array places = ascontiguousarray(
        array::inside(indices, length, array::IndexMode::Raise, at, join.name, context));
    Shape shape = array.shape();
    shape[at] = places.size();
    const Array result(graph::empty(shape, DType(kind), context));
    if (result.size() == 0) return result;
    const Array in = ascontiguousarray(array);
    std::int64_t inner = 1;
    for (int i = at + 1; i < shape.size(); ++i) inner *= shape[i];
    array::LibraryStep(kernel_of(join, array::kind_of(in), kind, context), context)
        .read(in)
        .read(places)
        .write(result)
        .number(length)
        .number(inner)
        .number(places.size())
        .number(result.size())
        .run(codegen::divided_up(result.size(), kThreads), kThreads);
    return result;
}

}  // namespace warpwise
