// See fast_call.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/interpreter/fast_call.hpp"

#include <cstddef>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct Object {
    PyObject_HEAD vectorcallfunc call;
    PyObject* target;  // null: none yet
};

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

Object& object_of(PyObject* self) {
    return *reinterpret_cast<Object*>(self);
}

nb::object target_of(PyObject* self) {
    const nb::ft_object_guard guard(self);  // another thread may replace it
    return nb::borrow(object_of(self).target);
}

[[gnu::hot]] PyObject* call(PyObject* self, PyObject* const* objects, std::size_t flags_and_count,
                            PyObject* names) noexcept {
    const nb::object target = target_of(self);
    if (!target.is_valid()) {
        PyErr_SetString(PyExc_AttributeError,
                        "this object has no _call_target yet: set it before a call");
        return nullptr;
    }
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count));
    return PyObject_Vectorcall(target.ptr(), objects, count, names);
}

PyObject* representation(PyObject* self) noexcept {
    try {
        const nb::object target = target_of(self);
        const std::string calls = target.is_valid() ? text_of(nb::repr(target)) : "nothing yet";
        const nb::object kind = nb::handle(self).type().attr("__name__");
        const std::string text = "<" + text_of(kind) + " that calls " + calls + ">";
        return nb::str(text.c_str(), text.size()).release().ptr();
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

PyObject* create(PyTypeObject* type, PyObject*, PyObject*) noexcept {
    PyObject* const self = PyType_GenericAlloc(type, 0);
    if (self != nullptr) object_of(self).call = call;
    return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    Py_VISIT(object_of(self).target);
    return 0;
}

int clear(PyObject* self) {
    PyObject* const target = object_of(self).target;
    object_of(self).target = nullptr;
    Py_XDECREF(target);
    return 0;
}

void deallocate(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    clear(self);
    free_object(self);
}

void describe_call(nb::handle type, nb::handle described) {
    // FastCall itself is the base of others' classes: it would be called through the function, too.
    if (!is_class_of(type, g_type) || type.is(reinterpret_cast<PyObject*>(g_type))) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "describe_call expects a class derived from FastCall for 'type', got " +
                                value_text(type));
    }
    if (PyCallable_Check(described.ptr()) == 0) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "describe_call expects a function for 'described', got " + value_text(described));
    }
    // Not as the class's own attributes are set: that would make it the function that is called.
    nb::object name = nb::str("__call__");
    if (PyObject_GenericSetAttr(type.ptr(), name.ptr(), described.ptr()) != 0) {
        throw nb::python_error();
    }
    PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

}  // namespace

void bind_fast_call(nb::module_& module) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Object, call), Py_READONLY, nullptr},
        {"_call_target", Py_T_OBJECT_EX, offsetof(Object, target), 0, nullptr},
        {}};
    static char words[] =
        "For layers of another interface over Warpwise: the base of a class whose instances are\n"
        "called. A call of one is a call of its `_call_target`, without a frame of Python.";
    static PyType_Slot slots[] = {{Py_tp_new, slot(create)},
                                  {Py_tp_call, slot(PyVectorcall_Call)},
                                  {Py_tp_repr, slot(representation)},
                                  {Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {Py_tp_members, members},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {
        "warpwise._core.FastCall", sizeof(Object), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
        slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("FastCall") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
    module.def("describe_call", &describe_call, "type"_a, "described"_a,
               nb::sig("def describe_call(type: type[FastCall], described: "
                       "collections.abc.Callable[..., typing.Any]) -> None"),
               "Sets the `__call__` that a class derived from FastCall shows, with its signature.\n"
               "Instances of the class itself are called as before; those of classes derived from\n"
               "it are called through the function.\n\n"
               "Parameters\n----------\n"
               "type : class derived from FastCall\n"
               "described : callable\n"
               "    Does what a call of an instance does.");
}

}  // namespace warpwise::python
