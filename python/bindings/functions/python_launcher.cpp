// See python_launcher.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/functions/python_launcher.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "python/bindings/algorithms/kernel_operands.hpp"
#include "python/bindings/functions/frozen_values.hpp"
#include "python/bindings/functions/launch_table.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"

namespace warpwise::python {
namespace {

// What calls have used, the newest first: all of one program, made with the same values.
struct Prepared {
    struct Entry {
        PythonKernel kernel;
        LaunchConfig config;
    };
    static constexpr std::size_t kMost = 8;  // combinations of types that take turns

    nb::object values;                     // FrozenValues, or None
    const FrozenValues* frozen = nullptr;  // in `values`
    std::vector<Entry> entries;
};

struct State {
    nb::object function;  // of _script.py
    nb::object where;     // grid and block, or the number of elements: for launch_anew()
    // Null before the first call. Destroyed with the GIL.
    std::atomic<std::shared_ptr<const Prepared>> prepared;
};

struct Object {
    PyObject_HEAD vectorcallfunc call;
    State* state;
};

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

State& state_of(PyObject* self) {
    return *reinterpret_cast<Object*>(self)->state;
}

bool launch_plain(const State& state, std::span<PyObject* const> objects) {
    const std::shared_ptr<const Prepared> prepared = state.prepared.load();
    if (!prepared || (prepared->frozen != nullptr && !prepared->frozen->are_current())) {
        return false;
    }
    for (PyObject* const one : objects) {
        if (!is_direct(one)) return false;
    }
    const KernelCall given(objects);
    GilRelease unlocked;
    return std::ranges::any_of(prepared->entries, [&](const Prepared::Entry& one) {
        return one.kernel.launch_plain(one.config, given.operands());
    });
}

PyObject* call(PyObject* self, PyObject* const* objects, std::size_t flags_and_count,
               PyObject* names) noexcept {
    try {
        State& state = state_of(self);
        const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count));
        if (names != nullptr && PyTuple_Size(names) != 0) {
            PyErr_SetString(PyExc_TypeError,
                            "kernels take their arguments by position, not by name");
            return nullptr;
        }
        if (!launch_plain(state, {objects, count})) {
            nb::list arguments;
            for (std::size_t i = 0; i < count; ++i) arguments.append(nb::handle(objects[i]));
            state.function.attr("launch_anew")(nb::handle(self), state.where, arguments);
        }
    } catch (...) {
        raise_current();
        return nullptr;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

// keep(kernel, launch, values): calls with these types use it from now on. Two threads that keep
// one at once may lose one of them: the next call with its types brings it back.
PyObject* keep(PyObject* self, PyObject* arguments) noexcept {
    try {
        const nb::tuple given = nb::borrow<nb::tuple>(arguments);
        auto made = std::make_shared<Prepared>();
        made->values = given[2];
        if (!made->values.is_none()) made->frozen = &nb::cast<const FrozenValues&>(made->values);
        made->entries.push_back({nb::cast<const PythonKernel&>(given[0]),
                                 nb::cast<const PythonLaunch&>(given[1]).config});
        State& state = state_of(self);
        const std::shared_ptr<const Prepared> before = state.prepared.load();
        if (before && before->values.is(made->values)) {
            const std::size_t kept = std::min(before->entries.size(), Prepared::kMost - 1);
            made->entries.insert(made->entries.end(), before->entries.begin(),
                                 before->entries.begin() + static_cast<std::ptrdiff_t>(kept));
        }
        state.prepared = std::move(made);
    } catch (...) {
        raise_current();
        return nullptr;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

// What makes the same launcher again, for pickle.
PyObject* reduced(PyObject* self, PyObject*) noexcept {
    try {
        const State& state = state_of(self);
        const nb::object make = nb::module_::import_("warpwise._script").attr("restored_launcher");
        return nb::make_tuple(make, nb::make_tuple(state.function, state.where)).release().ptr();
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

// The grid or the block, of three axes; None for one thread per element.
PyObject* extents(PyObject* self, void* entry) noexcept {
    try {
        const nb::object& where = state_of(self).where;
        if (!nb::object(where[0]).is_none()) return nb::none().release().ptr();
        const nb::object given = where[entry == nullptr ? 1 : 2];
        nb::list all(PySequence_Check(given.ptr()) != 0 ? given : nb::make_tuple(given));
        while (nb::len(all) < 3) all.append(1);
        return nb::tuple(all).release().ptr();
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

PyObject* representation(PyObject* self) noexcept {
    try {
        const nb::object name = state_of(self).function.attr("__name__");
        return PyUnicode_FromFormat("<Launch of %U>", name.ptr());
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    if (const State* const state = reinterpret_cast<Object*>(self)->state) {
        Py_VISIT(state->function.ptr());
        Py_VISIT(state->where.ptr());
        if (const auto prepared = state->prepared.load()) Py_VISIT(prepared->values.ptr());
    }
    return 0;
}

// The function alone closes cycles; calls that are under way keep a reference to the launcher.
int clear(PyObject* self) {
    if (State* const state = reinterpret_cast<Object*>(self)->state) {
        const nb::object function = std::exchange(state->function, nb::none());
    }
    return 0;
}

void deallocate(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    delete std::exchange(reinterpret_cast<Object*>(self)->state, nullptr);
    free_object(self);
}

nb::object make_launcher(nb::object function, nb::object where) {
    auto state = std::make_unique<State>();
    state->function = std::move(function);
    state->where = std::move(where);
    nb::object object = nb::steal(PyType_GenericAlloc(g_type, 0));
    if (!object.is_valid()) throw nb::python_error();
    auto* const made = reinterpret_cast<Object*>(object.ptr());
    made->call = call;
    made->state = state.release();
    return object;
}

void bind_launcher_type(nb::module_& module) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Object, call), Py_READONLY, nullptr}, {}};
    static PyMethodDef methods[] = {
        {"keep", keep, METH_VARARGS,
         "keep($self, kernel, launch, values, /)\n--\n\nThe kernel that later calls use."},
        {"__reduce__", reduced, METH_NOARGS, nullptr},
        {}};
    static char is_block;
    static PyGetSetDef properties[] = {
        {"griddim", extents, nullptr, "The grid's extents along x, y and z.", nullptr},
        {"blockdim", extents, nullptr, "A block's extents along x, y and z.", &is_block},
        {}};
    static char words[] = "A function with its grid and block; called with the arguments.";
    static PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                                  {Py_tp_repr, slot(representation)},
                                  {Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {Py_tp_members, members},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, properties},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {"warpwise._core.PythonLauncher", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                   Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("PythonLauncher") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
}

}  // namespace

void bind_python_launcher(nb::module_& module) {
    bind_frozen_values(module);
    bind_launcher_type(module);
    bind_launch_table(module);
    module.def("make_launcher", &make_launcher, "function"_a, "where"_a,
               nb::sig("def make_launcher(function: typing.Any, where: tuple[typing.Any, ...]) -> "
                       "PythonLauncher"),
               "A launcher of the function, which calls its launch_anew().");
}

}  // namespace warpwise::python
