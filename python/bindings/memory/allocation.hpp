// Memory in objects of a layer's own class.
#pragma once

#include "python/bindings/bindings.hpp"
#include "warpwise/buffer.hpp"

namespace warpwise::python {

// The memory of an instance of ww.Allocation or of a class derived from it, which owns the result;
// null for other objects and for an instance that has no value yet.
const Buffer* buffer_of_allocation(nb::handle object) noexcept;

// Whether an object is ww.Allocation or a class derived from it.
bool is_allocation_class(nb::handle object) noexcept;
// A new instance of such a class, without a call of its __init__().
nb::object make_allocation(nb::handle kind, Buffer buffer);

}  // namespace warpwise::python
