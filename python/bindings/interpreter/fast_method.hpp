// A method that is a call kept by each instance: what a class of Python has in the place of
//
//     def __call__(self, *args, **named):
//         return self._plain_call(*args, **named)
//
// CPython calls it without a frame of Python and without a bound method, so that an instance's
// prepared_call() is reached at the price of one attribute.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

void bind_fast_method(nb::module_& module);

}  // namespace warpwise::python
