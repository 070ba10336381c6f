// See plain_arguments.hpp.
#include "python/bindings/kernels/plain_arguments.hpp"

#include <new>

#include "python/bindings/interpreter/exact_numbers.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/kernels/scalar_argument.hpp"
#include "python/bindings/memory/allocation.hpp"
#include "warpwise/buffer.hpp"

namespace warpwise::python {

[[gnu::hot]] bool PlainArguments::take(PyObject* const* objects, std::size_t count,
                                       std::uint64_t pointers) {
    if (count > kMost) return false;
    auto* place = reinterpret_cast<Argument*>(storage_);
    for (std::size_t i = 0; i < count; ++i, ++place, pointers >>= 1) {
        const nb::handle object = objects[i];
        if ((pointers & 1) != 0) {
            const Buffer* buffer = exactly<Buffer>(object);
            if (buffer == nullptr) buffer = buffer_of_allocation(object);
            if (buffer == nullptr) return false;
            new (place) Argument(*buffer);
        } else if (PyLong_CheckExact(object.ptr())) {
            int overflow = 0;
            new (place) Argument(Argument::python_int(value_of_int(object, overflow)));
            if (overflow != 0) return false;
        } else if (PyFloat_CheckExact(object.ptr())) {
            new (place) Argument(Argument::python_float(value_of_float(object)));
        } else {
            const Kind kind = numpy_types().scalar_kind(object);
            if (kind == Kind::Void) return false;
            new (place) Argument(numpy_scalar_argument(object, kind));
        }
    }
    count_ = count;
    return true;
}

}  // namespace warpwise::python
