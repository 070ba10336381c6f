// See array_holder.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/holders/array_holder.hpp"

#include <nanobind/stl/string.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/holders/array_holder_object.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace holder {

// In a catch block: sets the error that the layer has in the place of one of ours.
void raise_for_layer(PyObject* self) noexcept {
    try {
        throw;
    } catch (const Error&) {
        const nb::handle kind(reinterpret_cast<PyObject*>(Py_TYPE(self)));
        try {
            const nb::object translate = kind.attr("_translate");
            raise_current();
            raise_translated(translate);
        } catch (...) {
            raise_current();
        }
    } catch (...) {
        raise_current();
    }
}

const Array& array_in(const nb::object& member) {
    if (is_none(member)) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "this array has no elements yet: its __init__() was not called");
    }
    return array_of(member, "operator");
}

namespace {

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

// An operand, and what keeps its array.
struct Given {
    explicit Given(PyObject* object) {
        if (is_array_holder(object)) {
            array = member(object, &Object::array);
            operand.emplace(array_in(array));
        } else if (const auto number = number_in(object)) {
            operand.emplace(*number);
        }
    }

    nb::object array;
    std::optional<Operand> operand;  // empty for what is neither
};

// An object of the class of `self`, whose memory will be of the same allocator.
PyObject* like(PyObject* self, Array&& array) {
    nb::object made = nb::steal(PyType_GenericAlloc(Py_TYPE(self), 0));
    if (!made.is_valid()) throw nb::python_error();
    Object& result = object_of(made.ptr());
    result.array = new_array(std::move(array));
    result.allocator = member(self, &Object::allocator).release().ptr();
    return made.release().ptr();
}

using Unary = Array (*)(const Operand&, const Elementwise&);
using Binary = Array (*)(const Operand&, const Operand&, const Elementwise&);

template <Binary kFunction>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
    PyObject* const self = is_array_holder(a) ? a : b;
    return guarded(self, [&]() -> PyObject* {
        const Given left(a);
        if (!left.operand) return nb::borrow(Py_NotImplemented).release().ptr();
        const Given right(b);
        if (!right.operand) return nb::borrow(Py_NotImplemented).release().ptr();
        return like(self, kFunction(*left.operand, *right.operand, {}));
    });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
    if (modulus != Py_None) return nb::borrow(Py_NotImplemented).release().ptr();
    return binary<&pow>(a, b);
}

template <Unary kFunction>
PyObject* unary(PyObject* self) noexcept {
    return guarded(self, [&] {
        const Given given(self);
        return like(self, kFunction(*given.operand, {}));
    });
}

std::string class_name(PyObject* self) {
    return nb::cast<std::string>(nb::handle(self).type().attr("__name__"));
}

int initialize(PyObject* self, PyObject* args, PyObject* keywords) noexcept {
    if (PyTuple_Size(args) == 0 && (keywords == nullptr || PyDict_Size(keywords) == 0)) return 0;
    try {
        throw ArgumentError(ArgumentError::Kind::Type,
                            class_name(self) +
                                "() takes no arguments: derive from it a class whose __init__() "
                                "sets _array");
    } catch (...) {
        raise_current();
        return -1;
    }
}

PyObject* representation(PyObject* self) noexcept {
    return guarded(self, [&] {
        const nb::object array = member(self, &Object::array);
        const nb::str held = array.is_valid() ? nb::repr(array) : nb::repr(nb::none());
        const std::string text = class_name(self) + "(" + held.c_str() + ")";
        return nb::str(text.c_str(), text.size()).release().ptr();
    });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    const Object& object = object_of(self);
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    Py_VISIT(object.array);
    Py_VISIT(object.allocator);
    Py_VISIT(object.memory);
    Py_VISIT(object.base);
    return 0;
}

int clear(PyObject* self) {
    Object& object = object_of(self);
    for (PyObject** const one : {&object.array, &object.allocator, &object.memory, &object.base}) {
        PyObject* const old = std::exchange(*one, nullptr);
        Py_XDECREF(old);
    }
    return 0;
}

void deallocate(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    clear(self);
    free_object(self);
}

}  // namespace
}  // namespace holder

bool is_array_holder(nb::handle object) noexcept {
    return PyType_IsSubtype(Py_TYPE(object.ptr()), holder::g_type) != 0;
}

[[gnu::hot]] nb::object launched_for(nb::handle given) {
    nb::object array = holder::array_in_c_order(given.ptr());
    if (array.is_valid()) return array;
    return given.attr("_buffer");
}

void bind_array_holder(nb::module_& module) {
    using namespace holder;
    static PyMemberDef members[] = {
        {"_array", kObjectOrNone, offsetof(Object, array), 0, nullptr},
        {"_allocator", kObjectOrNone, offsetof(Object, allocator), 0, nullptr},
        {"_gpudata", kObjectOrNone, offsetof(Object, memory), 0, nullptr},
        {"base", kObjectOrNone, offsetof(Object, base), 0, nullptr},
        {}};
    static PyMethodDef methods[] = {
        {"_placed", placed_method, METH_NOARGS,
         "_placed(self, /)\n--\n\n"
         "The array, in memory that the allocator is asked for now if it was not before: `base`\n"
         "and `_gpudata` are None, and there are elements. `_gpudata` is then what it gave."},
        {}};
    static PyGetSetDef values[] = {
        {"gpudata", gpudata, set_gpudata,
         "The layer's object for the memory, or None for an array without elements. Evaluates.\n\n"
         "Of an array with a base it is what `_view_gpudata()` returns, of one with an allocator\n"
         "what that gave; of another one a `_memory_class`, made without a call of its\n"
         "`__init__`. What is assigned goes to `_set_gpudata(given)`.",
         nullptr},
        {}};
    static char words[] =
        "For layers of another interface over Warpwise that have an array class of their own: the\n"
        "base of that class. + - * ** and the negative of such objects, and of one with a number,\n"
        "are objects of its class over a lazy array, without a frame of Python.\n\n"
        "`_array` is the Array, `_allocator` whose memory results are for, `_gpudata` the layer's\n"
        "object for the memory, `base` what the array is a view of; each may be None. The class\n"
        "has `_buffer`, what a launch takes in the place of one not in C order; `_memory_class`,\n"
        "derived from Allocation, `_view_gpudata()` and `_set_gpudata(given)`, for `gpudata`;\n"
        "`_place_in(given)`, for what an allocator gave that is no Allocation, and\n"
        "`_place_strided()`, for arrays that are not in C order, both of which set `_array` and\n"
        "`_gpudata` and return the array; and `_translate(error)`, which returns the exception to\n"
        "raise in the place of one of ours.";
    static PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_init, slot(initialize)},
                                  {Py_tp_repr, slot(representation)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {Py_tp_members, members},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, values},
                                  {Py_nb_add, slot(binary<&add>)},
                                  {Py_nb_subtract, slot(binary<&subtract>)},
                                  {Py_nb_multiply, slot(binary<&multiply>)},
                                  {Py_nb_power, slot(power)},
                                  {Py_nb_negative, slot(unary<&negative>)},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {"warpwise._core.ArrayHolder", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                               slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("ArrayHolder") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
}

}  // namespace warpwise::python
