// A base of Python classes whose instances are called: what such a class has in the place of
//
//     def __call__(self, *args, **named):
//         return self._call_target(*args, **named)
//
// From Python 3.12 on, a call of an instance reaches the target, a prepared_call() for instance,
// without a tuple, a dictionary or a frame of Python; before, without the frame.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

void bind_fast_call(nb::module_& module);

}  // namespace warpwise::python
