// Sorting, searching, counting and running sums.
#include <array>
#include <cstdint>
#include <vector>

#include "src/prebuild/calls.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise::prebuild {
namespace {

void call_sorts(const Array& array, int axis) {
    evaluate(sort(array, {.axis = axis}));
    evaluate(sort(array, {.axis = axis, .descending = true}));
    evaluate(argsort(array, {.axis = axis}));
    const TopK most = topk(array, 2, axis);
    evaluate(most.values);
    evaluate(most.indices);
    const std::array<std::int64_t, 1> middle{2};
    evaluate(partition(array, middle, axis));
    evaluate(argpartition(array, middle, axis));
}

void call_searches(const Array& array) {
    evaluate(searchsorted(array, array));
    evaluate(searchsorted(array, array, Side::Right));
    evaluate(isin(array, array));
    evaluate(digitize(array, array));
    const Unique all = unique_all(array);
    evaluate(all.values);
    evaluate(*all.indices);
    evaluate(*all.inverse);
    evaluate(*all.counts);
    evaluate(unique_values(array));
    evaluate(unique_counts(array).second);
    evaluate(unique_inverse(array).second);
    evaluate(intersect1d(array, array));
    evaluate(union1d(array, array));
    evaluate(setdiff1d(array, array));
}

void call_counts(const Array& array) {
    evaluate(histogram(array).counts);
    for (const Array& one : nonzero(array)) evaluate(one);
    evaluate(flatnonzero(array));
    evaluate(argwhere(array));
}

void call_running_sums(const Array& array, int axis) {
    evaluate(cumsum(array, {.axis = axis}));
    evaluate(cumprod(array, {.axis = axis}));
}

void call_statistics(const Array& array) {
    evaluate(median(array));
    evaluate(quantile(array, 0.25));
    evaluate(percentile(array, 25.0));
    evaluate(nanmedian(array));
    evaluate(interp(array, array, array));
    evaluate(convolve(array, array));
    evaluate(correlate(array, array));
}

}  // namespace

void call_order(Kind kind) {
    const Array few = numbers(8, kind);
    const Array many = numbers(100'000, kind);
    const Array rows = numbers(24, kind).reshape(Shape{4, 6});
    for (const Array* const one : {&few, &many}) {
        call_sorts(*one, 0);
        call_running_sums(*one, 0);
        call_searches(*one);
        call_counts(*one);
        if (kind == Kind::Int32 || kind == Kind::Int64) evaluate(bincount(*one));
    }
    for (const int axis : {0, 1}) {
        call_sorts(rows, axis);
        call_running_sums(rows, axis);
    }
    call_counts(rows);
    call_statistics(few);
    // A block of a GPU sorts a row whole, for which it has kernels by the length.
    for (const std::int64_t length : {500, 1000, 2000, 4000}) {
        const Array row = numbers(length, kind);
        evaluate(sort(row));
        evaluate(argsort(row));
    }
}

}  // namespace warpwise::prebuild
