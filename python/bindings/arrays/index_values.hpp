// Python objects as indices: ints, slices, None, ..., arrays of Warpwise, NumPy arrays, sequences.
//
// Needs the GIL; throws ArgumentError.
#pragma once

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

}  // namespace warpwise::python
