// Binary searches, membership, and the bins that elements are in.
#include <array>
#include <optional>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace array {

std::string order_of(Kind kind) {
    return fmt::format("{}<{}>", types::is_complex(kind) ? "__ww_complex_order" : "__ww_ordered",
                       algorithm::device_type(types::real_kind(kind)));
}

}  // namespace array

namespace {

constexpr int kThreads = 256;

std::int64_t blocks_for(std::int64_t count) {
    return (count + kThreads - 1) / kThreads;
}

// Both as their common type, in C order.
struct Pair {
    Array sorted;
    Array values;
    Kind kind = Kind::Void;
};
Pair common(const Array& sorted, const Operand& values, const char* function) {
    array::require_sortable(sorted, function);
    const Operand operands[] = {sorted, values};
    if (values.array() != nullptr) {
        array::require_sortable(*values.array(), function);
        array::require_same_device(sorted, *values.array(), function);
    }
    const Kind kind = result_type(operands).kind();
    Pair pair{.kind = kind};
    pair.sorted = ascontiguousarray(array::converted(sorted, kind));
    pair.values = values.array() != nullptr
                      ? ascontiguousarray(array::converted(*values.array(), kind))
                      : array::constant(values.scalar(), kind, Shape{}, array::context_of(sorted));
    return pair;
}

void require_one_axis(const Array& array, const char* function, const char* role) {
    if (array.ndim() == 1) return;
    array::refuse_value("{} got {} of shape {}; it must have one axis", function, role,
                        text_of(array.shape()));
}

// The sorter as int64, whose places were looked at.
Array checked_sorter(const Array& sorter, const Array& sorted) {
    array::require_same_device(sorted, sorter, "searchsorted");
    if (!(sorter.shape() == sorted.shape())) {
        array::refuse_value("searchsorted got a sorter of shape {} for {} elements",
                            text_of(sorter.shape()), sorted.size());
    }
    if (!types::is_integer(array::kind_of(sorter))) {
        array::refuse_type("searchsorted got a sorter of {}; it must be of integers",
                           sorter.dtype().name());
    }
    const Array places = ascontiguousarray(array::converted(sorter, Kind::Int64));
    if (places.size() == 0) return places;
    const std::int64_t least = min(places).item().as_int();
    const std::int64_t most = max(places).item().as_int();
    if (least < 0 || most >= sorted.size()) {
        array::refuse_value("searchsorted got a sorter with place {} for {} elements",
                            least < 0 ? least : most, sorted.size());
    }
    return places;
}

}  // namespace

Array searchsorted(const Array& sorted, const Operand& values, Side side, const Array* sorter) {
    require_one_axis(sorted, "searchsorted", "sorted elements");
    const Pair pair = common(sorted, values, "searchsorted");
    std::optional<Array> places;
    if (sorter != nullptr) places = checked_sorter(*sorter, sorted);
    runtime::Context& context = array::context_of(sorted);
    const Array out = array::empty_beside(sorted, pair.values.shape(), int64);
    if (out.size() == 0) return out;
    const auto kernel = algorithm::library_kernel(
        {.name = "ww_searchsorted",
         .header = "warpwise_library_sort.h",
         .parameters = "rrrwnn",
         .body = fmt::format("__ww_search_all<{}, {}>(a0, a1, a2, a3, a4, a5);",
                             array::order_of(pair.kind), side == Side::Right)},
        {}, context);
    array::LibraryStep step(kernel, context);
    step.read(pair.sorted);
    if (places) {
        step.read(*places);
    } else {
        step.number(0);  // a null pointer
    }
    step.read(pair.values)
        .write(out)
        .number(sorted.size())
        .number(out.size())
        .run(blocks_for(out.size()), kThreads);
    return out;
}

Array isin(const Array& elements, const Array& test, bool invert) {
    const Pair pair = common(test.reshape(Shape{-1}), elements, "isin");
    const Array sorted = sort(pair.sorted);
    runtime::Context& context = array::context_of(elements);
    const Array found = array::empty_beside(elements, pair.values.shape(), bool_);
    if (found.size() == 0) return found;
    const auto kernel = algorithm::library_kernel(
        {.name = "ww_isin",
         .header = "warpwise_library_sort.h",
         .parameters = "rrwnn",
         .body = fmt::format("__ww_find_all<{}>(a0, a1, a2, a3, a4);", array::order_of(pair.kind))},
        {}, context);
    array::LibraryStep(kernel, context)
        .read(sorted)
        .read(pair.values)
        .write(found)
        .number(sorted.size())
        .number(found.size())
        .run(blocks_for(found.size()), kThreads);
    // NaN is equal to nothing.
    const bool has_nan = types::is_real_float(pair.kind) || types::is_complex(pair.kind);
    const Array result = has_nan ? logical_and(found, equal(pair.values, pair.values)) : found;
    return invert ? logical_not(result) : result;
}

namespace {

// Whether the bins rise; empty where they neither rise nor fall. The first two that differ decide,
// and NaN, which is not less than anything, is no contradiction: rising bins may end with it.
std::optional<bool> direction(const Array& bins) {
    const std::int64_t last = std::max<std::int64_t>(bins.size() - 1, 0);
    const Array lower = bins.at({Slice{0, last, std::nullopt}});
    const Array upper = bins.at({Slice{bins.size() - last, bins.size(), std::nullopt}});
    const Array differs = not_equal(lower, upper);
    if (!any(differs).item().as_bool()) return true;
    const std::int64_t first = argmax(differs).item().as_int();
    const bool rises = less(lower, upper).at({first}).item().as_bool();
    const Array contradicts = rises ? greater(lower, upper) : less(lower, upper);
    if (any(contradicts).item().as_bool()) return std::nullopt;
    return rises;
}

}  // namespace

Array digitize(const Array& array, const Array& bins, bool right) {
    require_one_axis(bins, "digitize", "bins");
    array::require_sortable(array, "digitize");
    array::require_sortable(bins, "digitize");
    if (types::is_complex(array::kind_of(array)) || types::is_complex(array::kind_of(bins))) {
        array::refuse_type("digitize got {} and bins of {}; complex numbers have no bins",
                           array.dtype().name(), bins.dtype().name());
    }
    const std::optional<bool> rises = direction(bins);
    if (!rises) {
        array::refuse_value(
            "digitize got bins that neither increase nor decrease; sort them first");
    }
    const Side side = right ? Side::Left : Side::Right;
    if (*rises) return searchsorted(bins, array, side);
    return subtract(Scalar(bins.size()), searchsorted(flip(bins), array, side));
}

}  // namespace warpwise
