// Counting: elements by number, and by the bin they are in.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/device/context.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

constexpr const char* kHeader = "warpwise_library_sort.h";
constexpr std::int64_t kSharedBins = 4096;  // __ww_shared_bins
constexpr int kThreads = 256;

// How many of `places` (int64, one axis) are 0, 1, ..., bins - 1.
Array count_places(const Array& places, std::int64_t bins) {
    runtime::Context& context = array::context_of(places);
    const std::int64_t count = places.size();
    if (count == 0 || bins == 0) {
        return zeros(Shape{bins}, int64, Device(context.shared()));
    }
    if (algorithm::is_serial(context)) {
        // Tables together are no larger than what is counted.
        const std::int64_t chunks = std::clamp<std::int64_t>(count / (4 * bins + 4096), 1, 64);
        const Array tables = array::empty_beside(places, Shape{chunks, bins}, int64);
        array::LibraryStep(algorithm::library_kernel({.name = "ww_count_chunk",
                                                      .header = kHeader,
                                                      .parameters = "rwnn",
                                                      .body = "__ww_count_chunk(a0, a1, a2, a3);",
                                                      .threads = 1},
                                                     {}, context),
                           context)
            .read(places)
            .zeroed(tables, tables.nbytes())
            .number(count)
            .number(bins)
            .run(chunks, 1);
        return chunks == 1 ? tables.reshape(Shape{bins}) : sum(tables, {.axes = std::vector{0}});
    }
    const Array counts = array::empty_beside(places, Shape{bins}, int64);
    const std::int64_t blocks = std::clamp<std::int64_t>(
        count / (16 * kThreads), 1, 8 * std::int64_t{context.info().multiprocessors});
    array::LibraryStep(
        algorithm::library_kernel(
            {.name = "ww_count_places",
             .header = kHeader,
             .parameters = "rwnn",
             .body = fmt::format("__ww_count_places<{}>(a0, a1, a2, a3);", bins <= kSharedBins)},
            {}, context),
        context)
        .read(places)
        .zeroed(counts, counts.nbytes())
        .number(count)
        .number(bins)
        .run(blocks, kThreads);
    return counts;
}

// Sums of float64 weights by place, in an order that does not depend on threads.
Array sum_by_place(const Array& places, const Array& weights, std::int64_t bins) {
    runtime::Context& context = array::context_of(places);
    if (places.size() == 0 || bins == 0) {
        return zeros(Shape{bins}, float64, Device(context.shared()));
    }
    // What is in no bin comes last. Narrow numbers are sorted in fewer passes.
    const Scalar none(bins);
    const Array inside =
        where(logical_and(greater_equal(places, Scalar(0)), less(places, none)), places, none);
    const DType narrow = bins < 256 ? uint8 : bins < 65536 ? uint16 : int64;
    const array::Rows rows = array::rows_along(astype(inside, narrow), 0);
    const Array order = array::argsort_rows(rows, false);
    const Array ends = cumulative_sum(count_places(places, bins), {.include_initial = true});
    const Array values = ascontiguousarray(weights);
    const Array sums = array::empty_beside(places, Shape{bins}, float64);
    array::LibraryStep(algorithm::library_kernel({.name = "ww_sum_ranges",
                                                  .header = kHeader,
                                                  .parameters = "rrrw",
                                                  .body = "__ww_sum_ranges(a0, a1, a2, a3);"},
                                                 {}, context),
                       context)
        .read(values)
        .read(order)
        .read(ends)
        .write(sums)
        .run(bins, kThreads);
    return sums;
}

// As float64, of one axis.
Array checked_weights(const Array& weights, const Array& array, const char* function) {
    array::require_numbers(weights, function);
    array::require_same_device(array, weights, function);
    if (!(weights.shape() == array.shape())) {
        array::refuse_value("{} got weights of shape {} for an array of shape {}", function,
                            text_of(weights.shape()), text_of(array.shape()));
    }
    if (types::is_complex(array::kind_of(weights))) {
        array::refuse_type("{} got weights of {}; sum real and imaginary parts apart", function,
                           weights.dtype().name());
    }
    return ravel(array::converted(weights, Kind::Float64));
}

Array with_density(const Array& counts, const Array& edges) {
    const Array numbers = astype(counts, float64, false);
    const Array widths = astype(diff(edges), float64, false);
    return divide(divide(numbers, widths), sum(numbers));
}

struct Limits {
    double first = 0;
    double last = 1;
};

Limits limits_of(const Array& array, const HistogramOptions& options) {
    Limits limits;
    if (options.range) {
        std::tie(limits.first, limits.last) = *options.range;
        if (!(limits.first <= limits.last)) {
            array::refuse_value("histogram got the range {} to {}; it must increase", limits.first,
                                limits.last);
        }
    } else if (array.size() > 0) {
        limits.first = min(array).item().real();
        limits.last = max(array).item().real();
    }
    if (!std::isfinite(limits.first) || !std::isfinite(limits.last)) {
        array::refuse_value("histogram got the range {} to {}{}, which is not finite; give range",
                            limits.first, limits.last, options.range ? "" : " of the elements");
    }
    if (limits.first == limits.last) {
        limits.first -= 0.5;
        limits.last += 0.5;
    }
    return limits;
}

void require_real(const Array& array) {
    array::require_numbers(array, "histogram");
    if (!types::is_complex(array::kind_of(array))) return;
    array::refuse_type("histogram got {}; complex numbers have no bins", array.dtype().name());
}

Histogram between(const Array& array, const Array& edges, const HistogramOptions& options) {
    const Array flat = ravel(array);
    const std::int64_t bins = edges.size() - 1;
    const Array last = edges.at({Slice{bins, bins + 1, std::nullopt}});
    const Array found = subtract(searchsorted(edges, flat, Side::Right), Scalar(1));
    const Array places =
        ascontiguousarray(where(equal(flat, last), Scalar(bins - 1).typed(Kind::Int64), found));
    Histogram result;
    result.edges = edges;
    if (options.weights == nullptr) {
        result.counts = count_places(places, bins);
    } else {
        const Array weights = checked_weights(*options.weights, array, "histogram");
        const Kind kind = array::kind_of(*options.weights);
        result.counts = astype(sum_by_place(places, weights, bins),
                               DType(types::is_bool(kind) ? Kind::Float64 : kind), false);
    }
    if (options.density) result.counts = with_density(result.counts, edges);
    return result;
}

}  // namespace

Array bincount(const Array& array, const Array* weights, std::int64_t minlength) {
    array::require_numbers(array, "bincount");
    const Kind kind = array::kind_of(array);
    if (!types::is_integer(kind) && !types::is_bool(kind)) {
        array::refuse_type("bincount got an array of {}; it counts integers", array.dtype().name());
    }
    if (array.ndim() != 1) {
        array::refuse_value("bincount got an array of shape {}; it must have one axis",
                            text_of(array.shape()));
    }
    if (minlength < 0) array::refuse_value("bincount got minlength={}; give 0 or more", minlength);
    std::int64_t bins = minlength;
    if (array.size() > 0) {
        const Scalar least = min(array).item();
        if (types::is_signed(kind) && least.as_int() < 0) {
            array::refuse_value("bincount got the element {}; it counts numbers from 0 on",
                                least.text());
        }
        bins = std::max(bins, max(array).item().as_int() + 1);
    }
    const Array places = ascontiguousarray(array::converted(array, Kind::Int64));
    if (weights == nullptr) return count_places(places, bins);
    return sum_by_place(places, checked_weights(*weights, array, "bincount"), bins);
}

Histogram histogram(const Array& array, std::int64_t bins, const HistogramOptions& options) {
    require_real(array);
    if (bins < 1) array::refuse_value("histogram got {} bins; give 1 or more", bins);
    const Limits limits = limits_of(array, options);
    const Kind kind = array::kind_of(array);
    const DType edge_type = types::is_real_float(kind) ? DType(kind) : float64;
    const Array edges = linspace(Scalar(limits.first), Scalar(limits.last), bins + 1, edge_type,
                                 true, array.device());
    return between(array, edges, options);
}

Histogram histogram(const Array& array, const Array& edges, const HistogramOptions& options) {
    require_real(array);
    require_real(edges);
    array::require_same_device(array, edges, "histogram");
    if (edges.ndim() != 1 || edges.size() < 2) {
        array::refuse_value("histogram got edges of shape {}; give two or more in one axis",
                            text_of(edges.shape()));
    }
    const Array lower = edges.at({Slice{0, edges.size() - 1, std::nullopt}});
    const Array upper = edges.at({Slice{1, edges.size(), std::nullopt}});
    if (!all(less_equal(lower, upper)).item().as_bool()) {
        array::refuse_value("histogram got edges that do not increase; sort them first");
    }
    return between(array, edges, options);
}

}  // namespace warpwise
