// What sorting functions share: rows along an axis, sorting them, and taking elements by place.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/array/parts.hpp"

namespace warpwise::array {

// The axis moved to the end, in C order.
struct Rows {
    Array packed;
    std::int64_t rows = 1;
    std::int64_t length = 1;
};
Rows rows_along(const Array& array, int axis);
// The result of the shape of Rows::packed, with the axis where it was: in C order, or in the order
// of memory of `given`.
Array back_along(const Array& result, int axis);
Array back_like(const Array& given, const Array& result, int axis);

// What a caller looks at: a sort may leave the rest of each row out of order, or unwritten.
struct Wanted {
    std::optional<std::int64_t> limit = std::nullopt;  // the first elements alone are written
    // These are in their places, what is before them is not greater, what is behind not less.
    std::vector<std::int64_t> places = {};
};

// Of one axis: rows of `length` elements without gaps. Both are new arrays of that shape.
Array sort_rows(const Rows& rows, bool descending, const Wanted& wanted = {});
Array argsort_rows(const Rows& rows, bool descending, const Wanted& wanted = {});
// out[row, i] = rows[row, places[row, i]]; `places` (int64) has the rows' shape but for the last
// extent, and lies inside of the rows.
Array take_rows(const Rows& rows, const Array& places);
// target[places[i]] = values[i], of one axis.
void scatter(const Array& target, const Array& places, const Array& values);

// A type in device code for items that are only moved.
std::string item_type(std::size_t bytes);
// A type in device code that orders elements: "__ww_ordered<float>".
std::string order_of(Kind kind);
// The array, in C order, where a type of its size may read it.
Array aligned(const Array& array);

// Throws ArgumentError for structured arrays.
void require_sortable(const Array& array, std::string_view function);

}  // namespace warpwise::array
