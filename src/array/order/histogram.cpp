// Counting: elements by number, and by the bin they are in.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_accumulation.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

constexpr const char* kHeader = "warpwise_library_sort.h";
constexpr std::int64_t kSharedBins = 4096;  // __ww_shared_bins
constexpr int kThreads = 256;
constexpr std::int64_t kNarrowBins = 65534;
// Tables of a thread, for neighbours in turn.
constexpr std::int64_t kTurns = 4;

// Which bin each of `count` elements is in: as a functor in device code. Its parameters are the
// kernel's first ones.
struct Places {
    Array elements;
    std::optional<Array> edges;
    std::string functor;
    double scale = 0;
    double margin = 0;
    std::int64_t bins = 0;

    std::int64_t count() const { return elements.size(); }

    // "rrnnnnw": the elements, edges, `scale` and `margin` as bits, bins, count; then `out`.
    void run(const char* name, const std::string& body, const Array& out, bool clears,
             std::int64_t blocks, int threads) const {
        runtime::Context& context = array::context_of(elements);
        array::LibraryStep step(algorithm::library_kernel({.name = name,
                                                           .header = kHeader,
                                                           .parameters = "rrnnnnw",
                                                           .body = functor + body,
                                                           .threads = threads},
                                                          {}, context),
                                context);
        step.read(elements);
        if (edges) {
            step.read(*edges);
        } else {
            step.number(0);  // a null pointer
        }
        step.number(std::bit_cast<std::int64_t>(scale))
            .number(std::bit_cast<std::int64_t>(margin))
            .number(bins)
            .number(count());
        clears ? step.zeroed(out, out.nbytes()) : step.write(out);
        step.run(blocks, threads);
    }
};

// `places`: integers, in C order.
Places given_places(const Array& places, std::int64_t bins) {
    return {.elements = places,
            .functor = fmt::format("const __ww_given_place<{0}> place = {{(const {0} *)a0}};\n",
                                   algorithm::device_type(array::kind_of(places))),
            .bins = bins};
}

// Whether bins may be guessed in float: then a guess is off by less than a bin, as far as edges
// have one distance.
bool is_guessed_in_float(Kind kind, std::int64_t bins, double width, double scale) {
    constexpr double kLeast = std::numeric_limits<float>::min();
    constexpr double kMost = std::numeric_limits<float>::max();
    return kind == Kind::Float32 && bins <= kNarrowBins && width >= kLeast && width <= kMost &&
           scale >= kLeast && scale <= kMost;
}

// How much elements of a type, up to `greatest`, may differ from what they are rounded from.
double rounding_of(Kind kind, double greatest) {
    switch (kind) {
        case Kind::BFloat16:
            return 0x1p-9 * std::max(greatest, 0x1p-126);
        case Kind::Float16:
            return 0x1p-11 * std::max(greatest, 0x1p-14);
        case Kind::Float32:
            return 0x1p-24 * std::max(greatest, 0x1p-126);
        default:
            return 0x1p-53 * std::max(greatest, 0x1p-1022);
    }
}

// Of elements between edges that have nearly one distance.
Places places_between(const Array& flat, const Array& edges) {
    const Operand operands[] = {flat, edges};
    Kind kind = result_type(operands).kind();
    if (kind == Kind::Float16 || kind == Kind::BFloat16) kind = Kind::Float32;
    const std::int64_t bins = edges.size() - 1;
    const std::array<IndexItem, 1> last{bins};
    const std::array<IndexItem, 1> begin{std::int64_t{0}};
    const double lower = edges.at(begin).item().real();
    const double upper = edges.at(last).item().real();
    const double width = upper - lower;
    const double scale = width > 0 ? static_cast<double>(bins) / width : 0;
    const bool in_float = is_guessed_in_float(kind, bins, width, scale);
    // Roundings of the edges, the difference and the product.
    const double greatest = std::max({std::abs(lower), std::abs(upper), width});
    const double of_edges = rounding_of(array::kind_of(edges), greatest);
    const double of_guess = rounding_of(in_float ? Kind::Float32 : Kind::Float64, greatest);
    const double margin = 16 * std::max(of_edges, of_guess) * scale;
    return {.elements = ascontiguousarray(array::converted(flat, kind)),
            .edges = ascontiguousarray(array::converted(edges, kind)),
            .functor = fmt::format(
                "const __ww_place_between<{0}, {1}, {2}> place = {{(const {0} *)a0, (const {0} "
                "*)a1, ({2})a4, ({1})__longlong_as_double(a2), ({1})__longlong_as_double(a3)}};\n",
                algorithm::device_type(kind), in_float ? "float" : "double",
                bins <= kNarrowBins ? "int" : "long long"),
            .scale = scale,
            .margin = margin,
            .bins = bins};
}

// The bins as uint16; `bins` for what is in none.
Places narrow(const Places& places) {
    const Array result = array::empty_beside(places.elements, Shape{places.count()}, uint16);
    places.run("ww_narrow_places", "__ww_narrow_places(place, a6, a5, a4);", result, false,
               (result.size() + kThreads - 1) / kThreads, kThreads);
    return {.elements = result,
            .functor = "const __ww_narrow_place place = {(const unsigned short *)a0};\n",
            .bins = places.bins};
}

// How many elements are in each bin.
Array count_places(const Places& places) {
    runtime::Context& context = array::context_of(places.elements);
    const std::int64_t count = places.count();
    const std::int64_t bins = places.bins;
    if (count == 0 || bins == 0) {
        return zeros(Shape{bins}, int64, Device(context.shared()));
    }
    if (algorithm::is_serial(context)) {
        // Between edges, vectors of threads find the bins, and one thread counts them.
        if (places.edges && bins <= kNarrowBins && count >= kThreads) {
            return count_places(narrow(places));
        }
        // Tables together are no larger than what is counted.
        const std::int64_t turns = count >= 16 * bins ? kTurns : 1;
        const std::int64_t chunks =
            std::clamp<std::int64_t>(count / (4 * turns * bins + 4096), 1, 64);
        const Array tables =
            array::empty_beside(places.elements, Shape{turns * chunks, bins + 1}, int64);
        places.run("ww_count_chunk", fmt::format("__ww_count_chunk<{}>(place, a6, a5, a4);", turns),
                   tables, true, chunks, 1);
        const Array counts = tables.at({Ellipsis{}, Slice{0, bins, std::nullopt}});
        return ascontiguousarray(turns * chunks == 1 ? counts.reshape(Shape{bins})
                                                     : sum(counts, {.axes = std::vector{0}}));
    }
    const Array counts = array::empty_beside(places.elements, Shape{bins}, int64);
    const std::int64_t blocks = std::clamp<std::int64_t>(
        count / (16 * kThreads), 1, 8 * std::int64_t{context.info().multiprocessors});
    places.run("ww_count_places",
               fmt::format("__ww_count_places<{}>(place, a6, a5, a4);",
                           bins <= kSharedBins ? "true" : "false"),
               counts, true, blocks, kThreads);
    return counts;
}

Array written(const Places& places) {
    const Array result = array::empty_beside(places.elements, Shape{places.count()}, int64);
    if (result.size() == 0) return result;
    places.run("ww_write_places", "__ww_write_places(place, a6, a5);", result, false,
               (result.size() + kThreads - 1) / kThreads, kThreads);
    return result;
}

// Sums of float64 weights by place, in an order that does not depend on threads.
Array sum_by_place(const Array& places, const Array& weights, std::int64_t bins) {
    runtime::Context& context = array::context_of(places);
    if (places.size() == 0 || bins == 0) {
        return zeros(Shape{bins}, float64, Device(context.shared()));
    }
    // What is in no bin comes last. One after the other on processors; else in the order of a sort,
    // which takes fewer passes for narrow numbers.
    const Scalar none(bins);
    const Array inside =
        where(logical_and(greater_equal(places, Scalar(0)), less(places, none)), places, none);
    if (algorithm::is_serial(context)) {
        Array sums = zeros(Shape{bins + 1}, float64, Device(context.shared()));
        add_at(sums, {inside}, weights);
        return copy(sums.at({Slice{0, bins, std::nullopt}}));
    }
    const DType narrow = bins < 256 ? uint8 : bins < 65536 ? uint16 : int64;
    const array::Rows rows = array::rows_along(astype(inside, narrow), 0);
    const Array order = array::argsort_rows(rows, false);
    const Array ends =
        cumulative_sum(count_places(given_places(places, bins)), {.include_initial = true});
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

// Where each element is between edges of any distance.
Places places_among(const Array& flat, const Array& edges) {
    const std::int64_t bins = edges.size() - 1;
    const Array last = edges.at({Slice{bins, bins + 1, std::nullopt}});
    const Array found = subtract(searchsorted(edges, flat, Side::Right), Scalar(1));
    return given_places(
        ascontiguousarray(where(equal(flat, last), Scalar(bins - 1).typed(Kind::Int64), found)),
        bins);
}

Histogram counted(const Array& array, const Array& edges, const Places& places,
                  const HistogramOptions& options) {
    Histogram result;
    result.edges = edges;
    if (options.weights == nullptr) {
        result.counts = count_places(places);
    } else {
        const Array weights = checked_weights(*options.weights, array, "histogram");
        const Kind kind = array::kind_of(*options.weights);
        const Array numbers = places.edges ? written(places) : places.elements;
        result.counts = astype(sum_by_place(numbers, weights, places.bins),
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
    const Array places =
        ascontiguousarray(types::is_bool(kind) ? array::converted(array, Kind::UInt8) : array);
    if (weights == nullptr) return count_places(given_places(places, bins));
    return sum_by_place(array::converted(places, Kind::Int64),
                        checked_weights(*weights, array, "bincount"), bins);
}

Histogram histogram(const Array& array, std::int64_t bins, const HistogramOptions& options) {
    require_real(array);
    if (bins < 1) array::refuse_value("histogram got {} bins; give 1 or more", bins);
    const Limits limits = limits_of(array, options);
    const Kind kind = array::kind_of(array);
    const DType edge_type = types::is_real_float(kind) ? DType(kind) : float64;
    const Array edges = linspace(Scalar(limits.first), Scalar(limits.last), bins + 1, edge_type,
                                 true, array.device());
    return counted(array, edges, places_between(array.reshape(Shape{-1}), edges), options);
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
    return counted(array, edges, places_among(array.reshape(Shape{-1}), edges), options);
}

}  // namespace warpwise
