// Kernel: its launches and attributes.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/kernels/argument.hpp"
#include "python/bindings/kernels/bound_kernel.hpp"
#include "python/bindings/kernels/launch_config.hpp"
#include "warpwise/error.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {
namespace {

[[noreturn]] void refuse(ArgumentError::Kind kind, const std::string& message) {
    throw ArgumentError(kind, message);
}

// kernel((4,), (256,), (x, n)), as CuPy's kernels are called.
bool is_form_of_cupy(const nb::args& objects) {
    return objects.size() == 3 && nb::isinstance<nb::tuple>(objects[0]) &&
           nb::isinstance<nb::tuple>(objects[1]) && nb::isinstance<nb::tuple>(objects[2]);
}

[[noreturn]] void refuse_without_block(const Kernel& kernel, const nb::args& objects) {
    std::string message =
        "kernel '" + kernel.name() +
        "' expects block=, the threads of a block: "
        "kernel(..., grid=4, block=256), kernel[4, 256](...) or kernel.forall(n)(...)";
    if (is_form_of_cupy(objects))
        message += "; CuPy's kernel(grid, block, arguments) is kernel[grid, block](*arguments)";
    refuse(ArgumentError::Kind::Type, message);
}

void call(const Kernel& kernel, const nb::args& objects, nb::handle grid, nb::handle block,
          nb::handle stream, nb::handle shared, bool cooperative, nb::handle cluster,
          bool programmatic) {
    if (block.is_none()) refuse_without_block(kernel, objects);
    LaunchConfig config{.grid = dimensions(grid, "grid"),
                        .block = dimensions(block, "block"),
                        .shared = extent(shared, "shared"),
                        .cooperative = cooperative,
                        .programmatic = programmatic};
    if (!cluster.is_none()) config.cluster = dimensions(cluster, "cluster");
    set_stream(config, stream);
    launch(kernel, config, ArgumentPack(objects, stream_of(config)));
}

nb::object configure(const Kernel& kernel, nb::handle entries) {
    PyObject* const key = entries.ptr();
    const Py_ssize_t count = PyTuple_Check(key) ? PyTuple_Size(key) : 1;
    if (count < 2 || count > 4)
        refuse(ArgumentError::Kind::Type,
               "kernel[grid, block, stream, shared] expects 2 to 4 "
               "entries, got " +
                   std::to_string(count));
    const auto entry = [key](Py_ssize_t index) { return PyTuple_GetItem(key, index); };
    LaunchConfig config{.grid = dimensions(entry(0), "grid"),
                        .block = dimensions(entry(1), "block")};
    if (count > 2) set_stream(config, entry(2));
    if (count > 3) config.shared = extent(entry(3), "shared");
    return make_bound({RepeatedLaunch(kernel, std::move(config))});
}

// kernel(...) and kernel[...] in the type's own slots: through attributes of the class Python takes
// twice as long. Calls that are not of the usual form go to nanobind's functions.
PyObject* g_call = nullptr;       // owned for the life of the process
PyObject* g_configure = nullptr;  // the same

// The keywords of a call of the usual form. False for others, and for values of other types.
bool usual_words(PyObject* words, LaunchConfig& config) {
    static PyObject* const grid = PyUnicode_InternFromString("grid");
    static PyObject* const block = PyUnicode_InternFromString("block");
    static PyObject* const stream = PyUnicode_InternFromString("stream");
    static PyObject* const shared = PyUnicode_InternFromString("shared");
    bool has_block = false;
    Py_ssize_t place = 0;
    PyObject *name = nullptr, *value = nullptr;
    while (PyDict_Next(words, &place, &name, &value) != 0) {
        if (name == grid) {
            config.grid = dimensions(value, "grid");
        } else if (name == block && value != Py_None) {
            config.block = dimensions(value, "block");
            has_block = true;
        } else if (name == stream) {
            set_stream(config, value);
        } else if (name == shared) {
            config.shared = extent(value, "shared");
        } else {
            return false;
        }
    }
    return has_block;
}

nb::object with_first(nb::handle first, nb::handle rest) {
    const Py_ssize_t count = PyTuple_Size(rest.ptr());
    nb::object all = nb::steal(PyTuple_New(count + 1));
    if (!all.is_valid()) throw nb::python_error();
    PyTuple_SetItem(all.ptr(), 0, nb::borrow(first).release().ptr());
    for (Py_ssize_t i = 0; i < count; ++i) {
        nb::object value = nb::borrow(PyTuple_GetItem(rest.ptr(), i));
        PyTuple_SetItem(all.ptr(), i + 1, value.release().ptr());
    }
    return all;
}

PyObject* call_slot(PyObject* self, PyObject* objects, PyObject* words) noexcept {
    try {
        const Kernel* const kernel = exactly<Kernel>(self);
        LaunchConfig config;
        if (kernel != nullptr && words != nullptr && usual_words(words, config)) [[likely]] {
            launch(*kernel, config, ArgumentPack(nb::borrow<nb::args>(objects), stream_of(config)));
            return nb::none().release().ptr();
        }
        return PyObject_Call(g_call, with_first(self, objects).ptr(), words);
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

PyObject* configure_slot(PyObject* self, PyObject* key) noexcept {
    try {
        if (const Kernel* const kernel = exactly<Kernel>(self)) [[likely]]
            return configure(*kernel, key).release().ptr();
        return PyObject_CallFunctionObjArgs(g_configure, self, key, nullptr);
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

PyType_Slot g_slots[] = {{Py_tp_call, reinterpret_cast<void*>(&call_slot)},
                         {Py_mp_subscript, reinterpret_cast<void*>(&configure_slot)},
                         {}};

// nanobind's function under the name stays the slot's fallback; the slot, which binding replaced by
// a look-up of that name, is restored by the wrapper that Python made for it.
PyObject* put_back(nb::handle type, nb::handle wrapper, const char* name) {
    nb::object bound = type.attr(name);
    type.attr(name) = wrapper;
    return bound.release().ptr();
}

void prefer_cache(const Kernel& kernel, std::string_view preference) {
    constexpr std::pair<std::string_view, CachePreference> kWords[] = {
        {"none", CachePreference::None},
        {"shared", CachePreference::Shared},
        {"l1", CachePreference::L1},
        {"equal", CachePreference::Equal}};
    for (const auto& [word, meaning] : kWords) {
        if (word == preference) return kernel.prefer_cache(meaning);
    }
    refuse(ArgumentError::Kind::Value,
           "preference expects 'none', 'shared', 'l1' or 'equal', got '" + std::string(preference) +
               "'");
}

nb::object for_all(const Kernel& kernel, std::int64_t n, nb::handle stream, std::int64_t shared) {
    LaunchConfig config = kernel.cover(n, shared < 0 ? 0 : static_cast<std::uint32_t>(shared));
    config.shared = shared;
    set_stream(config, stream);
    return make_bound({.launch = RepeatedLaunch(kernel, std::move(config)), .is_empty = n == 0});
}

// What its compiler has noted of it.
void bind_attributes(nb::class_<Kernel>& type) {
    type.def_prop_ro(
            "num_regs", [](const Kernel& self) { return self.attributes().num_regs; },
            "Registers of a thread; 0 on the CPU device.")
        .def_prop_ro("max_threads_per_block",
                     [](const Kernel& self) { return self.attributes().max_threads_per_block; })
        .def_prop_ro("static_shared_bytes",
                     [](const Kernel& self) { return self.attributes().static_shared_bytes; })
        .def_prop_ro(
            "local_bytes", [](const Kernel& self) { return self.attributes().local_bytes; },
            "Local memory of a thread.")
        .def_prop_ro("constant_bytes",
                     [](const Kernel& self) { return self.attributes().constant_bytes; })
        .def_prop_ro(
            "executor", [](const Kernel& self) { return self.attributes().executor; },
            "How the CPU device runs it; empty elsewhere.")
        .def_prop_ro(
            "lane_by_lane", [](const Kernel& self) { return self.attributes().lane_by_lane; },
            "CPU device: the share of its instructions that run lane by lane.")
        .def_prop_ro(
            "max_dynamic_shared_bytes",
            [](const Kernel& self) { return self.attributes().max_dynamic_shared_bytes; },
            "Bytes of dynamic shared memory that a launch may request at most.")
        .def_prop_ro(
            "ptx_version", [](const Kernel& self) { return self.attributes().ptx_version; },
            "Ten times the virtual architecture it was compiled for; 0 on the CPU device.")
        .def_prop_ro(
            "binary_version", [](const Kernel& self) { return self.attributes().binary_version; },
            "Ten times the architecture of its machine code; 0 on the CPU device.")
        .def_prop_ro(
            "caches_globals_in_l1",
            [](const Kernel& self) { return self.attributes().caches_globals_in_l1; },
            "Whether it was compiled to keep global memory in the L1 cache.")
        .def_prop_ro(
            "cluster",
            [](const Kernel& self) -> nb::object {
                const auto& own = self.attributes().cluster;
                if (own[0] == 0) return nb::none();
                return nb::make_tuple(own[0], own[1], own[2]);
            },
            nb::sig("def cluster(self) -> tuple[int, int, int] | None"),
            "Its __cluster_dims__; None when it has none.");
}

}  // namespace

void bind_kernel(nb::module_& module) {
    using Unlocked = nb::call_guard<GilRelease>;
    bind_bound_kernel(module);
    nb::class_<Kernel> type(
        module, "Kernel",
        "A compiled __global__ function. kernel[grid, block, stream, shared](...), "
        "kernel(..., grid=, block=, stream=, shared=) and kernel.forall(n)(...) "
        "launch it; arguments are checked against its signature. "
        "cooperative=True runs all blocks concurrently, for kernels that "
        "synchronise the grid. cluster= groups blocks into clusters, and "
        "programmatic=True lets the kernel start before the preceding one has "
        "ended (GPUs since sm_90).",
        nb::type_slots(g_slots));
    const nb::object call_wrapper = type.attr("__call__");
    const nb::object configure_wrapper = type.attr("__getitem__");
    type.def("__call__", &call, "args"_a, "grid"_a = 1, "block"_a = nb::none(),
             "stream"_a = nb::none(), "shared"_a = 0, "cooperative"_a = false,
             "cluster"_a = nb::none(), "programmatic"_a = false,
             nb::sig(
                 "def __call__(self, *args: typing.Any, grid: int | "
                 "collections.abc.Sequence[int] = 1, block: int | "
                 "collections.abc.Sequence[int] | None = None, stream: Stream | typing.Any = None, "
                 "shared: int = 0, cooperative: bool = False, cluster: int | "
                 "collections.abc.Sequence[int] | None = None, programmatic: bool = False) "
                 "-> None"))
        .def("__getitem__", &configure, "key"_a,
             nb::sig("def __getitem__(self, key: tuple[typing.Any, ...]) -> BoundKernel"))
        .def("forall", &for_all, "n"_a, "stream"_a = nb::none(), "shared"_a = 0,
             nb::sig(
                 "def forall(self, n: int, stream: Stream | typing.Any = None, shared: int = 0) -> "
                 "BoundKernel"),
             "A launch of one thread for each of n elements; n = 0 launches nothing.")
        .def_prop_ro("name", &Kernel::name)
        .def_prop_ro("signature", &Kernel::signature, nb::rv_policy::reference_internal)
        .def_prop_ro("device", &Kernel::device)
        .def("report", &Kernel::report,
             "CPU device: the forms there are by now, and which source lines are not vector "
             "accesses. print(kernel.report()) is a table.")
        .def(
            "compile_fully",
            [](const Kernel& self, nb::handle block) {
                const Dim3 shape = dimensions(block, "block");
                GilRelease unlocked;
                self.compile_fully(shape);
            },
            "block"_a,
            nb::sig("def compile_fully(self, block: int | "
                    "collections.abc.Sequence[int]) -> None"),
            "CPU device: compiles the form for blocks of this shape now, instead of in the "
            "background after some launches. No effect on a GPU.")
        .def("prefer_cache", &prefer_cache, "preference"_a,
             nb::sig("def prefer_cache(self, preference: typing.Literal['none', 'shared', 'l1', "
                     "'equal']) -> None"),
             "How a multiprocessor's memory should be divided: a hint, for all later launches. "
             "Without effect on the CPU device.")
        .def("set_shared_carveout", &Kernel::set_shared_carveout, "percent"_a, Unlocked(),
             "The share of a multiprocessor's memory that is shared memory, 0 to 100; -1 leaves it "
             "to the driver. A hint, like prefer_cache().")
        .def("max_cooperative_blocks", &Kernel::max_cooperative_blocks, "block_size"_a,
             "shared"_a = 0, Unlocked(),
             "Blocks that run on the device concurrently: the limit of a cooperative launch.")
        .def_prop_ro(
            "suggested_block_size", [](const Kernel& self) { return self.suggested_block_size(); },
            "The block size that forall() uses.")
        .def("occupancy", &Kernel::occupancy, "block_size"_a, "shared"_a = 0,
             "Blocks of this size that fit a multiprocessor at once.")
        .def("__repr__", [](const Kernel& self) {
            return "<Kernel " + self.signature().declaration() + " on '" + self.device().name() +
                   "'>";
        });
    bind_attributes(type);
    g_call = put_back(type, call_wrapper, "__call__");
    g_configure = put_back(type, configure_wrapper, "__getitem__");
}

}  // namespace warpwise::python
