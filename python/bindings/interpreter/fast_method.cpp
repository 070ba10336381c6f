// See fast_method.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/interpreter/fast_method.hpp"

#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct Object {
    PyObject_HEAD vectorcallfunc call;
    PyObject* attribute;  // the name of the instances' call
    PyObject* described;  // the function whose signature is shown
};

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

Object& object_of(PyObject* self) {
    return *reinterpret_cast<Object*>(self);
}

PyObject* call(PyObject* self, PyObject* const* objects, std::size_t flags_and_count,
               PyObject* names) noexcept {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count));
    if (count == 0) {
        PyErr_SetString(PyExc_TypeError, "a method is called with an instance before the values");
        return nullptr;
    }
    PyObject* const target = PyObject_GetAttr(objects[0], object_of(self).attribute);
    if (target == nullptr) return nullptr;
    PyObject* const result = PyObject_Vectorcall(target, objects + 1, count - 1, names);
    Py_DECREF(target);
    return result;
}

// instance.method, where it is not called at once.
PyObject* bind_to(PyObject* self, PyObject* instance, PyObject*) noexcept {
    if (instance == nullptr || instance == Py_None) {
        Py_INCREF(self);
        return self;
    }
    return PyObject_GetAttr(instance, object_of(self).attribute);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    Py_VISIT(object_of(self).described);
    return 0;
}

int clear(PyObject* self) {
    PyObject* const described = object_of(self).described;
    object_of(self).described = nullptr;
    Py_XDECREF(described);
    return 0;
}

void deallocate(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_XDECREF(object_of(self).attribute);
    PyTypeObject* const type = Py_TYPE(self);
    const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
    release(self);
    Py_DECREF(reinterpret_cast<PyObject*>(type));
}

nb::object make(nb::object described, const std::string& attribute) {
    if (PyCallable_Check(described.ptr()) == 0) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "fast_method expects a function for 'described', got " + value_text(described));
    }
    nb::object object = nb::steal(PyType_GenericAlloc(g_type, 0));
    if (!object.is_valid()) throw nb::python_error();
    Object& made = object_of(object.ptr());
    made.call = call;
    made.attribute = PyUnicode_InternFromString(attribute.c_str());
    made.described = described.release().ptr();
    if (made.attribute == nullptr) throw nb::python_error();
    return object;
}

}  // namespace

void bind_fast_method(nb::module_& module) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Object, call), Py_READONLY, nullptr},
        {"__wrapped__", Py_T_OBJECT_EX, offsetof(Object, described), Py_READONLY, nullptr},
        {}};
    static char words[] = "A method that is a call kept by each instance.";
    static PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                                  {Py_tp_descr_get, slot(bind_to)},
                                  {Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {Py_tp_members, members},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {"warpwise._core.FastMethod", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                   Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_HAVE_GC |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("FastMethod") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
    module.def(
        "fast_method", &make, "described"_a, "attribute"_a,
        nb::sig("def fast_method(described: collections.abc.Callable[..., typing.Any], "
                "attribute: str) -> collections.abc.Callable[..., typing.Any]"),
        "A method for layers of another interface over Warpwise: a call of it is a call of the\n"
        "instance's attribute, without a frame of Python.\n\n"
        "Parameters\n----------\n"
        "described : callable\n"
        "    Its signature is shown, as `__wrapped__`.\n"
        "attribute : str\n"
        "    The instances' own callable; AttributeError where one has none.");
}

}  // namespace warpwise::python
