// See prepared_call.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/kernels/prepared_call.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"
#include "python/bindings/kernels/bound_kernel.hpp"
#include "python/bindings/kernels/call_parts.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct State {
    // The last call's kernel, grid, block and stream: what a call like it reads is in one place.
    nb::object bound;
    std::array<nb::object, 3> where;
    Form form = Form::Positional;
    // Whether the launch took the last values as they were.
    std::atomic<bool> is_plain = true;
    std::size_t count = 0;  // of values; any where grid and block have names
    nb::object bind;        // (grid, block, stream or None) -> BoundKernel
    nb::object otherwise;   // takes what the call got
    nb::object refused;     // the class of errors after which nothing has run
    nb::object translate;   // what is raised for an error
};

struct Object {
    PyObject_HEAD vectorcallfunc call;
    State state;
};

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

State& state_of(PyObject* self) {
    return reinterpret_cast<Object*>(self)->state;
}

bool is_equal(PyObject* a, PyObject* b) {
    if (a == b) return true;
    if (PyTuple_CheckExact(a) == 0 || PyTuple_CheckExact(b) == 0) return false;
    const int result = PyObject_RichCompareBool(a, b, Py_EQ);
    if (result < 0) PyErr_Clear();
    return result > 0;
}

// The kernel bound to this grid, block and stream; null with an error set.
[[gnu::hot]] nb::object bound_to(PyObject* self, const Parts& parts) {
    const nb::ft_object_guard guard(self);  // against other calls, in Pythons without a GIL
    State& state = state_of(self);
    if (state.bound.is_valid() && is_equal(parts.grid, state.where[0].ptr()) &&
        is_equal(parts.block, state.where[1].ptr()) && parts.stream == state.where[2].ptr()) {
        return state.bound;
    }
    nb::object bound = nb::steal(PyObject_CallFunctionObjArgs(state.bind.ptr(), parts.grid,
                                                              parts.block, parts.stream, nullptr));
    if (!bound.is_valid()) return {};
    state.where = {nb::borrow(parts.grid), nb::borrow(parts.block), nb::borrow(parts.stream)};
    state.bound = bound;
    return bound;
}

enum class Outcome { Launched, NotLaunched, Refused, Raised };

// Where it is not launched or refused nothing has run, and no error is set.
[[gnu::hot]] Outcome launch_plain(PyObject* self, const Parts& parts) {
    const State& state = state_of(self);
    const bool is_plain = state.is_plain.load(std::memory_order_relaxed);
    if (parts.values == nullptr || !is_plain) return Outcome::NotLaunched;
    const nb::object bound = bound_to(self, parts);
    if (!bound.is_valid()) return Outcome::Raised;
    if (launch_bound(bound, parts.values, parts.count)) return Outcome::Launched;
    if (PyErr_ExceptionMatches(state.refused.ptr()) == 0) return Outcome::Raised;
    PyErr_Clear();
    return Outcome::Refused;
}

[[gnu::hot]] PyObject* call(PyObject* self, PyObject* const* objects, std::size_t flags_and_count,
                            PyObject* names) noexcept {
    try {
        State& state = state_of(self);
        const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count));
        const Outcome outcome =
            launch_plain(self, parts_of(state.form, state.count, objects, count, names));
        if (outcome == Outcome::Launched) {
            Py_INCREF(Py_None);
            return Py_None;
        }
        if (outcome == Outcome::Raised) {
            raise_translated(state.translate);
            return nullptr;
        }
        PyObject* const result = PyObject_Vectorcall(state.otherwise.ptr(), objects, count, names);
        // Values like these need what `otherwise` does: the next call goes there at once.
        if (outcome == Outcome::Refused && result != nullptr) state.is_plain = false;
        return result;
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    const State& state = state_of(self);
    Py_VISIT(state.bind.ptr());
    Py_VISIT(state.otherwise.ptr());
    for (const nb::object& one : state.where) Py_VISIT(one.ptr());
    return 0;
}

int clear(PyObject* self) {
    State& state = state_of(self);
    const nb::object bind = std::exchange(state.bind, nb::none());
    const nb::object otherwise = std::exchange(state.otherwise, nb::none());
    return 0;
}

void deallocate(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    state_of(self).~State();
    free_object(self);
}

void require(bool holds, const char* name, const char* what, nb::handle given) {
    if (holds) return;
    throw ArgumentError(ArgumentError::Kind::Type, std::string("prepared_call expects ") + what +
                                                       " for '" + name + "', got " +
                                                       value_text(given));
}

bool is_error_class(nb::handle object) {
    return is_class_of(object, reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
}

nb::object make(nb::object bind, nb::object otherwise, nb::object refused, nb::object translate,
                const nb::object& given_count, const std::string& form) {
    require(PyCallable_Check(bind.ptr()) != 0, "bind", "a function", bind);
    require(PyCallable_Check(otherwise.ptr()) != 0, "otherwise", "a function", otherwise);
    require(is_error_class(refused), "refused", "a class of exceptions", refused);
    require(PyCallable_Check(translate.ptr()) != 0, "translate", "a function", translate);
    require(PyLong_CheckExact(given_count.ptr()) != 0, "count", "an int", given_count);
    const std::size_t count = PyLong_AsSize_t(given_count.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        require(false, "count", "a number of arguments", given_count);
    }
    if (count > kMostValues) return otherwise;
    const Form named = form_named(form);
    nb::object object = nb::steal(PyType_GenericAlloc(g_type, 0));
    if (!object.is_valid()) throw nb::python_error();
    auto* const made = reinterpret_cast<Object*>(object.ptr());
    made->call = call;
    // Until here the collector sees zeros, which are empty objects.
    State& state = *new (&made->state) State;
    state.bind = std::move(bind);
    state.otherwise = std::move(otherwise);
    state.refused = std::move(refused);
    state.translate = std::move(translate);
    state.count = count;
    state.form = named;
    return object;
}

}  // namespace

void bind_prepared_call(nb::module_& module) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Object, call), Py_READONLY, nullptr}, {}};
    static char words[] = "A kernel, called with grid, block, perhaps a stream, and its arguments.";
    static PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                                  {Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {Py_tp_members, members},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {"warpwise._core.PreparedCall", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                   Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("PreparedCall") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
    module.def(
        "prepared_call", &make, "bind"_a, "otherwise"_a, "refused"_a, "translate"_a, "count"_a,
        "form"_a,
        nb::sig("def prepared_call(bind: collections.abc.Callable[..., BoundKernel], "
                "otherwise: collections.abc.Callable[..., typing.Any], refused: "
                "type[BaseException], translate: "
                "collections.abc.Callable[[BaseException], BaseException], count: int, "
                "form: typing.Literal['positional', 'on_stream', 'named']) "
                "-> collections.abc.Callable[..., typing.Any]"),
        "A function for layers of another interface over Warpwise, whose calls give grid and\n"
        "block.\n\n"
        "Parameters\n----------\n"
        "bind : callable\n"
        "    Gives the BoundKernel of a grid, a block and a stream or None. Integers for its\n"
        "    pointers are addresses.\n"
        "otherwise : callable\n"
        "    Gets every call that is not like the last one, and those whose values the\n"
        "    launch refuses.\n"
        "refused : class of exceptions\n"
        "    After it nothing has run.\n"
        "translate : callable\n"
        "    Gives the exception to raise for one that a launch has raised.\n"
        "count : int\n"
        "    Of values; any number where grid and block are named.\n"
        "form : {'positional', 'on_stream', 'named'}\n"
        "    `call(grid, block, *values)`, `call(grid, block, stream, *values)`, or\n"
        "    `call(*values, grid=grid, block=block)`, where the grid is (1, 1) unless given.");
}

}  // namespace warpwise::python
