// See bound_kernel.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/kernels/bound_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "python/bindings/interpreter/construction.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"
#include "python/bindings/kernels/argument.hpp"
#include "python/bindings/kernels/plain_arguments.hpp"
#include "warpwise/error.hpp"
#include "warpwise/host_memory.hpp"

namespace warpwise::python {
namespace {

struct Head {
    PyObject_HEAD vectorcallfunc call;
};

struct Object {
    Head head;
    BoundKernel bound;
};

PyTypeObject* g_type = nullptr;  // owned for the life of the process, like its module

const BoundKernel& bound_of(PyObject* self) {
    return reinterpret_cast<const Object*>(self)->bound;
}

[[noreturn]] void refuse_keywords(const BoundKernel& bound, PyObject* names) {
    nb::object name = nb::borrow<nb::tuple>(names)[0];
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "kernel '" + bound.launch.kernel().name() +
            "' has its grid and block: its arguments are passed by position, got '" +
            text_of(name) + "='");
}

std::uint64_t pointers_of(const KernelSignature& signature) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < signature.parameters.size() && i < 64; ++i) {
        const bool is_pointer = signature.parameters[i].passing == Parameter::Passing::Pointer;
        if (is_pointer) bits |= std::uint64_t{1} << i;
    }
    return bits;
}

void refuse_freed(std::span<const Argument> arguments, std::uint64_t addresses,
                  const Kernel& kernel) {
    for (std::size_t i = 0; addresses >> i != 0 && i < arguments.size(); ++i) {
        const bool is_address =
            (addresses >> i & 1) != 0 && arguments[i].form() == Argument::Form::Pointer;
        if (!is_address || !is_freed_memory(arguments[i].as_uint(), kernel.device())) continue;
        throw ArgumentError(ArgumentError::Kind::Value,
                            "kernel '" + kernel.name() + "': the address for parameter '" +
                                kernel.signature().parameters[i].name +
                                "' lies in memory that was freed; allocate a new one");
    }
}

// All that PlainArguments does not take.
[[gnu::noinline]] void run_pack(const BoundKernel& bound, PyObject* const* objects,
                                std::size_t count, bool takes_addresses) {
    const std::uint64_t addresses = takes_addresses ? bound.pointers : 0;
    const Kernel& kernel = bound.launch.kernel();
    ArgumentPack pack(objects, count, stream_of(bound.launch.config()), addresses);
    if (pack.has_pointers()) refuse_freed(pack.view(), addresses, kernel);
    launch(kernel, bound.launch.config(), std::move(pack));
}

// Integers for the pointers among the first 64 parameters are addresses where `takes_addresses`.
[[gnu::hot]] void run(const BoundKernel& bound, PyObject* const* objects, std::size_t count,
                      bool takes_addresses) {
    if (bound.is_empty) return;
    PlainArguments plain;
    if (plain.take(objects, count, bound.pointers)) [[likely]] {
        bound.launch.launch(plain.view());
    } else {
        run_pack(bound, objects, count, takes_addresses);
    }
}

[[gnu::hot]] PyObject* call(PyObject* self, PyObject* const* objects, std::size_t flags_and_count,
                            PyObject* names) noexcept {
    const BoundKernel& bound = bound_of(self);
    try {
        if (names != nullptr && PyTuple_Size(names) != 0) [[unlikely]]
            refuse_keywords(bound, names);
        run(bound, objects, static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count)), false);
    } catch (...) {
        raise_current();
        return nullptr;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject* call_method(PyObject* self, PyObject* const* objects, Py_ssize_t count,
                      PyObject* names) noexcept {
    return call(self, objects, static_cast<std::size_t>(count), names);
}

std::string text(const Dim3& dim) {
    return "(" + std::to_string(dim.x) + ", " + std::to_string(dim.y) + ", " +
           std::to_string(dim.z) + ")";
}

PyObject* representation(PyObject* self) noexcept {
    const BoundKernel& bound = bound_of(self);
    try {
        const std::string words = "<BoundKernel " + bound.launch.kernel().name() +
                                  " grid=" + text(bound.launch.config().grid) +
                                  " block=" + text(bound.launch.config().block) + ">";
        return PyUnicode_FromStringAndSize(words.data(), static_cast<Py_ssize_t>(words.size()));
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

void deallocate(PyObject* self) noexcept {
    reinterpret_cast<Object*>(self)->bound.~BoundKernel();
    free_object(self);
}

}  // namespace

void bind_bound_kernel(nb::module_& module) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Head, call), Py_READONLY, nullptr}, {}};
    // In addition to the slot, which has no docstring, and without replacing it.
    static PyMethodDef methods[] = {{"__call__", reinterpret_cast<PyCFunction>(slot(call_method)),
                                     METH_FASTCALL | METH_KEYWORDS | METH_COEXIST,
                                     "__call__($self, /, *args)\n--\n\nLaunches it."},
                                    {}};
    static char words[] = "A kernel with its grid and block.";
    static PyType_Slot slots[] = {{Py_tp_new, slot(refused_new)},
                                  {Py_tp_call, slot(PyVectorcall_Call)},
                                  {Py_tp_repr, slot(representation)},
                                  {Py_tp_dealloc, slot(deallocate)},
                                  {Py_tp_members, members},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, words},
                                  {}};
    static PyType_Spec spec = {"warpwise._core.BoundKernel", sizeof(Object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    nb::object type = nb::steal(PyType_FromModuleAndSpec(module.ptr(), &spec, nullptr));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("BoundKernel") = type;
    g_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
}

nb::object make_bound(BoundKernel bound) {
    nb::object object = nb::steal(PyType_GenericAlloc(g_type, 0));
    if (!object.is_valid()) throw nb::python_error();
    auto* const made = reinterpret_cast<Object*>(object.ptr());
    bound.pointers = pointers_of(bound.launch.kernel().signature());
    new (&made->bound) BoundKernel(std::move(bound));
    made->head.call = call;
    return object;
}

[[gnu::hot]] bool launch_bound(nb::handle bound, PyObject* const* values,
                               std::size_t count) noexcept {
    if (Py_TYPE(bound.ptr()) != g_type) {
        return nb::steal(PyObject_Vectorcall(bound.ptr(), values, count, nullptr)).is_valid();
    }
    try {
        run(bound_of(bound.ptr()), values, count, true);
        return true;
    } catch (...) {
        raise_current();
        return false;
    }
}

[[gnu::hot]] void launch(const Kernel& kernel, const LaunchConfig& config, ArgumentPack&& pack) {
    if (pack.is_plain()) {
        kernel.launch(config, pack.view());
        return;
    }
    pack.wait_for_producers(kernel.device(), config);
    try {
        GilRelease unlocked;
        kernel.launch(config, pack.view());
    } catch (const Interrupted&) {
        // Queued work may still read and write the arrays.
        Event end(kernel.device(), {.timing = false});
        config.stream ? end.record(*config.stream) : end.record();
        pack.keep_until_done(end);
        throw;
    }
}

}  // namespace warpwise::python
