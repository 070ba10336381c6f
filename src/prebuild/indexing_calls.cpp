// Elements by indices and masks, and products that no BLAS computes.
#include "src/prebuild/calls.hpp"
#include "warpwise/array_accumulation.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise::prebuild {

void call_indexing(Kind kind) {
    Array array = numbers(24, kind);
    Array rows = copy(array.reshape(Shape{4, 6}));
    const Array places = numbers(3, Kind::Int64);
    const Array mask = greater(array, 3);
    evaluate(array.at({places}));
    evaluate(array.at({mask}));
    evaluate(rows.at({places}));
    evaluate(rows.at({Ellipsis(), places}));
    evaluate(rows.at({places, places}));
    evaluate(take(array, places));
    evaluate(take(rows, places, 1));
    evaluate(compact(array, mask));
    evaluate(take_along_axis(rows, argmin(rows, 1, true), 1));
    array.assign({places}, 1);
    array.assign({places}, numbers(3, kind));
    array.assign({mask}, 1);
    rows.assign({places}, 1);
    rows.assign({places, places}, 1);
    add_at(array, {places}, 1);
    evaluate(array);
    evaluate(rows);
    evaluate(repeat(array, places.at({std::int64_t{1}})));
    evaluate(matmul(rows, matrix_transpose(rows)));
    evaluate(matmul(rows, numbers(6, kind)));
}

}  // namespace warpwise::prebuild
