// What an advanced index selects: a result shape, and for every point of it an element.
//
// The element of point p lies `offset[p]` bytes behind where the view leads at p. The view steps
// along the axes that slices kept, and stands still along those of the index arrays; `offset` is a
// lazy expression of these, which fuses into the kernel that reads or writes.
//
// Threading: any thread; see graph/graph.hpp.
#pragma once

#include <span>
#include <string_view>

#include "src/array/parts.hpp"

namespace warpwise::array {

struct Selection {
    graph::View view;        // of the whole result shape
    Array offset;            // int64; broadcasts to the shape
    bool is_unique = false;  // no element is selected twice
};

// Whether an entry of the index asks for a selection rather than a view.
bool is_advanced(std::span<const IndexItem> index) noexcept;
// Slices, integers, new axes and the ellipsis alone.
graph::View basic_view(const graph::View& from, std::span<const IndexItem> index);
// Throws ArgumentError of kind Index for indices out of range, of another dtype or shape, or on
// another device; `function` names what indexes. Masks evaluate.
Selection select(const Array& array, std::span<const IndexItem> index, std::string_view function);

// What lies outside of an axis.
enum class IndexMode : std::uint8_t {
    Raise,  // is an error, found when the kernel has run
    Wrap,   // is taken modulo the extent
    Clip,   // is the first or the last element
};
// Throws ArgumentError for another word.
IndexMode index_mode(std::string_view mode, std::string_view function);
// int64 from 0 on, inside of an axis of `extent` elements. `axis` and `function` are for messages.
Array bounded(const Array& index, std::int64_t extent, IndexMode mode, int axis,
              std::string_view function);
// The same; of indices in host memory, checked now.
Array inside(const IndexArray& index, std::int64_t extent, IndexMode mode, int axis,
             std::string_view function, runtime::Context& context);
const Shape& shape_of(const IndexArray& index) noexcept;
// With axes of extent 1 behind its own.
Array with_axes_behind(const Array& array, int count);
// Throws ArgumentError of kind Index where the array holds no integers.
void require_indices(const Array& index, std::string_view function);

// The elements at `index` (of any shape) along an axis, -1 the last.
Selection along(const Array& array, const IndexArray& index, int axis, IndexMode mode,
                std::string_view function);
// The elements at positions of the array in C order.
Selection positions(const Array& array, const IndexArray& index, IndexMode mode,
                    std::string_view function);
// For each point of `index`, which has the array's rank, the element there but for the coordinate
// along `axis`, which is the index.
Selection along_lines(const Array& array, const IndexArray& index, int axis,
                      std::string_view function);

// x[index] = value of an index that is_advanced(), with the checks of Array::assign.
void assign_selected(const Array& array, std::span<const IndexItem> index, const Operand& value);
// The value as elements of the array, for a target of `shape` in it; checked as Array::assign does.
Array assignable(const Array& array, const Shape& shape, const Operand& value);
// The selected elements as a new array.
Array gathered(const Array& array, const Selection& selection);
// array[selection] = value, which broadcasts to the shape, has the array's kind, and is read before
// anything is written. Of values for one element the last stays.
void scatter(const Array& array, const Selection& selection, const Array& value);

}  // namespace warpwise::array
