// A base for the array classes of layers of another interface: an array in an object of the layer's
// own class, whose usual operators Python calls without a frame of Python.
//
// A holder has four members, each an object or None: the array, whose memory results are for, the
// layer's object for the array's memory, and what the array is a view of. The class derived from it
// says what such an object is and how errors are named; array_holder.cpp lists the attributes.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

void bind_array_holder(nb::module_& module);

bool is_array_holder(nb::handle object) noexcept;

// What a launch takes in the place of a holder: its array where that is in C order, in memory that
// its allocator is asked for now if it was not before, else what its `_buffer` is. Throws what
// computing it raises.
nb::object launched_for(nb::handle holder);

}  // namespace warpwise::python
