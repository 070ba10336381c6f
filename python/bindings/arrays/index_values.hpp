// Python objects as indices: ints, slices, None, ..., arrays of Warpwise, NumPy arrays, sequences.
//
// Needs the GIL; throws ArgumentError.
#pragma once

#include <optional>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "warpwise/array.hpp"

namespace warpwise::python {

// One entry of x[...]: integers of the host are read now, bools of the host become a mask on the
// device of the array.
IndexItem index_item(const Array& array, PyObject* object);
// The entries of x[key].
std::vector<IndexItem> index_items(const Array& array, nb::handle key);
// Integers alone. `role` names the argument.
IndexArray integer_indices(nb::handle object, const char* role);
// What lies along an axis, or in the raveled array, by an int, a slice, integers or bools; arrays
// are fetched.
Indices indices_along(const Array& array, nb::handle object, std::optional<int> axis,
                      const char* role);

}  // namespace warpwise::python
