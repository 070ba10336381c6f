// Where the elements of an array_holder lie: `gpudata`, and memory of the layer's allocator.
#include <utility>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/holders/array_holder_object.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/memory/allocation.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python::holder {
namespace {

nb::object memory_class(PyObject* self) {
    static PyObject* const name = PyUnicode_InternFromString("_memory_class");
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    nb::object kind = type.attr(nb::handle(name));
    if (!is_allocation_class(kind)) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "_memory_class is a class derived from ww.Allocation, got " + value_text(kind));
    }
    return kind;
}

void set_member(PyObject* self, PyObject* Object::* which, nb::object value) {
    nb::object old;
    const nb::ft_object_guard guard(self);
    old = nb::steal(std::exchange(object_of(self).*which, value.release().ptr()));
}

bool evaluate_into(const Array& array, const Buffer& place) {
    const GilRelease unlocked;
    return array.evaluate_into(place);
}

// The array, in memory that its allocator is asked for now if it was not before.
nb::object placed(PyObject* self) {
    nb::object held = member(self, &Object::array);
    const Array& array = array_in(held);
    const nb::object allocator = member(self, &Object::allocator);
    if (is_none(allocator) || !is_none(member(self, &Object::memory)) ||
        !is_none(member(self, &Object::base)) || array.size() == 0) {
        return held;
    }
    if (!array.is_c_contiguous()) return nb::handle(self).attr("_place_strided")();
    nb::object memory = allocator(array.nbytes());
    const Buffer* const place = buffer_of_allocation(memory);
    if (place == nullptr) return nb::handle(self).attr("_place_in")(memory);
    if (!evaluate_into(array, *place)) {
        Array moved = from_buffer(*place, array.shape(), array.dtype());
        moved.assign(array);
        held = nb::steal(new_array(std::move(moved)));
        set_member(self, &Object::array, held);
    }
    set_member(self, &Object::memory, std::move(memory));
    return held;
}

}  // namespace

nb::object array_in_c_order(PyObject* self) {
    nb::object held = placed(self);
    if (!array_in(held).is_c_contiguous()) return {};
    return held;
}

PyObject* placed_method(PyObject* self, PyObject*) noexcept {
    return guarded(self, [&] { return placed(self).release().ptr(); });
}

PyObject* gpudata(PyObject* self, void*) noexcept {
    return guarded(self, [&]() -> PyObject* {
        if (!is_none(member(self, &Object::base)))
            return nb::handle(self).attr("_view_gpudata")().release().ptr();
        const nb::object held = placed(self);
        const Array& array = array_in(held);
        if (array.size() == 0) return nb::none().release().ptr();
        Buffer buffer;
        {
            const GilRelease unlocked;
            buffer = array.buffer();
        }
        nb::object memory = member(self, &Object::memory);
        if (!is_none(memory)) return memory.release().ptr();
        memory = make_allocation(memory_class(self), std::move(buffer));
        const nb::ft_object_guard guard(self);
        PyObject*& kept = object_of(self).memory;
        if (kept == nullptr || kept == Py_None) {
            Py_XDECREF(kept);
            kept = nb::object(memory).release().ptr();
        }
        return nb::borrow(kept).release().ptr();
    });
}

int set_gpudata(PyObject* self, PyObject* given, void*) noexcept {
    try {
        if (given == nullptr) {
            throw ArgumentError(ArgumentError::Kind::Type, "gpudata cannot be deleted");
        }
        nb::handle(self).attr("_set_gpudata")(nb::handle(given));
        return 0;
    } catch (...) {
        raise_for_layer(self);
        return -1;
    }
}

}  // namespace warpwise::python::holder
