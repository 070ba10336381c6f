// Memory of arrays for other libraries: the buffer protocol, NumPy, CUDA libraries, DLPack.
//
// Each export holds an Export, until the object that was handed out is gone.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/bind_array_operators.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/memory/foreign_array.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

bool is_on_host(const Array& array) {
    return array.device().info().shares_host_memory;
}

// NumPy's int64 is C's long where that has 64 bits. By "q" it would read long long, an equal type
// with another number, which compiled modules that choose by the number do not know.
constexpr bool kLongIs64 = sizeof(long) == 8;

// The struct module's letters; records have none here, but NumPy reads them (__array_interface__).
const char* format_of(const Array& array) {
    switch (array.dtype().kind()) {
        case Kind::Bool:
            return "?";
        case Kind::Int8:
            return "b";
        case Kind::UInt8:
            return "B";
        case Kind::Int16:
            return "h";
        case Kind::UInt16:
            return "H";
        case Kind::Int32:
            return "i";
        case Kind::UInt32:
            return "I";
        case Kind::Int64:
            return kLongIs64 ? "l" : "q";
        case Kind::UInt64:
            return kLongIs64 ? "L" : "Q";
        case Kind::Float16:
            return "e";
        case Kind::Float32:
            return "f";
        case Kind::Float64:
            return "d";
        case Kind::Complex64:
            return "Zf";
        case Kind::Complex128:
            return "Zd";
        default:
            return nullptr;
    }
}

// What a Py_buffer refers to.
struct Exposed {
    explicit Exposed(const Array& array) : memory(array) {
        for (int axis = 0; axis < array.ndim(); ++axis) {
            shape[static_cast<std::size_t>(axis)] = static_cast<Py_ssize_t>(array.shape()[axis]);
            strides[static_cast<std::size_t>(axis)] =
                static_cast<Py_ssize_t>(array.strides()[axis]);
        }
    }
    Export memory;
    std::array<Py_ssize_t, kMaxRank> shape{}, strides{};
};

void expose(PyObject* object, Py_buffer* view, int flags) {
    const Array& array = array_of(object, "memoryview");
    const auto refuse = [](const std::string& message) {
        PyErr_SetString(PyExc_BufferError, message.c_str());
        throw nb::python_error();
    };
    if (!is_on_host(array)) {
        refuse("an array on " + array.device().name() +
               " is not in the host's memory; fetch it with .get()");
    }
    if (format_of(array) == nullptr) refuse(array.dtype().name() + " has no buffer format");
    if ((flags & PyBUF_WRITABLE) != 0 && array.is_read_only()) refuse("the array is read-only");
    const bool is_c = array.is_c_contiguous();
    const bool is_f = array.is_f_contiguous();
    const bool wants_c = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const bool wants_f = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    const bool wants_any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if ((wants_c && !is_c) || (wants_f && !is_f) || (wants_any && !is_c && !is_f) ||
        (!takes_strides && !is_c)) {
        refuse("the array is not contiguous; export a copy");
    }
    std::unique_ptr<Exposed> exposed;
    {
        const GilRelease unlocked;
        exposed = std::make_unique<Exposed>(array);
    }
    *view = Py_buffer{};
    static char nothing = 0;  // an address for arrays without elements
    view->buf = array.size() > 0 ? reinterpret_cast<void*>(exposed->memory.address()) : &nothing;
    view->len = static_cast<Py_ssize_t>(array.nbytes());
    view->itemsize = static_cast<Py_ssize_t>(array.dtype().size());
    view->readonly = array.is_read_only() ? 1 : 0;
    view->ndim = array.ndim();
    view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(array)) : nullptr;
    view->shape = (flags & PyBUF_ND) != 0 ? exposed->shape.data() : nullptr;
    view->strides = takes_strides ? exposed->strides.data() : nullptr;
    view->internal = exposed.release();
    view->obj = new_reference(object);
}

int get_buffer(PyObject* object, Py_buffer* view, int flags) noexcept {
    view->obj = nullptr;
    try {
        expose(object, view, flags);
        return 0;
    } catch (...) {
        raise_current();
        return -1;
    }
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
    delete static_cast<Exposed*>(view->internal);
}

// An object with __array_interface__, which NumPy keeps as the base of its array.
struct HostExport {
    explicit HostExport(const Array& array) : memory(array) {}
    Export memory;
};

nb::object typestr(const Array& array) {
    return numpy_dtype(array.dtype()).attr("str");
}

nb::dict host_description(const HostExport& self) {
    const Array& array = self.memory.array();
    nb::dict description;
    description["version"] = 3;
    description["shape"] = tuple_of(array.shape());
    description["strides"] = tuple_of(array.strides());
    description["typestr"] = typestr(array);
    if (array.dtype().kind() == Kind::Struct) {
        description["descr"] = numpy_dtype(array.dtype()).attr("descr");
    }
    description["data"] = nb::make_tuple(self.memory.address(), array.is_read_only());
    return description;
}

// NumPy's array over the memory, which lives as long as it does.
nb::object host_array(const Array& self) {
    std::unique_ptr<HostExport> exported;
    {
        const GilRelease unlocked;
        exported = std::make_unique<HostExport>(self);
    }
    const nb::object owner = nb::cast(exported.release(), nb::rv_policy::take_ownership);
    const nb::object numpy = nb::module_::import_("numpy");
    if (self.size() == 0) {
        return numpy.attr("empty")(tuple_of(self.shape()), numpy_dtype(self.dtype()));
    }
    const nb::object array = numpy.attr("asarray")(owner);
    // bfloat16 and records with gaps: the bytes are right, NumPy's reading of the type is not.
    return array.attr("dtype").equal(numpy_dtype(self.dtype()))
               ? array
               : array.attr("view")(numpy_dtype(self.dtype()));
}

nb::object as_numpy(const Array& self, nb::handle dtype, nb::handle copy) {
    if (!is_on_host(self)) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "an array on " + self.device().name() +
                " is not converted to a NumPy array by itself; fetch it with .get()");
    }
    nb::object array = host_array(self);
    const bool converts = !dtype.is_none() && !array.attr("dtype").equal(dtype);
    if (converts && copy.ptr() == Py_False) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "copy=False, but a conversion to " + text_of(dtype) + " is a copy");
    }
    if (converts) return array.attr("astype")(dtype);
    return copy.ptr() == Py_True ? array.attr("copy")() : array;
}

nb::dict cuda_description(const Array& self) {
    const Device device = self.device();
    if (device.kind() != "cuda") {
        throw nb::attribute_error("an array of the CPU device has no __cuda_array_interface__");
    }
    nb::dict description;
    description["version"] = 3;
    description["shape"] = tuple_of(self.shape());
    description["strides"] =
        self.is_c_contiguous() ? nb::none() : nb::object(tuple_of(self.strides()));
    description["typestr"] = typestr(self);
    description["data"] = nb::make_tuple(self.size() > 0 ? self.address() : 0, self.is_read_only());
    description["stream"] = Stream::current(device).handle();
    return description;
}

}  // namespace

std::span<const PyType_Slot> array_buffer_slots() {
    static const PyType_Slot slots[] = {
        {Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
        {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
    };
    return slots;
}

void bind_array_interop(nb::module_& module, nb::class_<Array>& array) {
    nb::class_<HostExport>(module, "_HostExport", "Memory of an array that NumPy uses.")
        .def_prop_ro("__array_interface__", &host_description,
                     nb::sig("def __array_interface__(self) -> dict[str, typing.Any]"));
    array
        .def(
            "__array__", &as_numpy, "dtype"_a = nb::none(), nb::kw_only(), "copy"_a = nb::none(),
            nb::sig("def __array__(self, dtype: typing.Any = None, *, copy: bool | None = None) -> "
                    "typing.Any"),
            "A NumPy array over the memory. On the CPU device only: elsewhere use get().")
        .def_prop_ro(kForeignArray, &cuda_description,
                     nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                     "For CuPy, Numba and PyTorch. GPUs only.")
        .def(
            "__dlpack__",
            [](const Array& self, nb::handle stream, nb::handle max_version, nb::handle dl_device,
               std::optional<bool> copy) {
                if (!dl_device.is_none() && !dl_device.equal(dlpack_device(self))) {
                    throw ArgumentError(ArgumentError::Kind::Value,
                                        "__dlpack__ got another device; use to_device first");
                }
                return export_dlpack(self, stream, max_version, copy);
            },
            nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
            "dl_device"_a = nb::none(), "copy"_a = nb::none(),
            nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, "
                    "int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | "
                    "None = None) -> typing.Any"))
        .def("__dlpack_device__", &dlpack_device,
             nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
    module.def(
        "from_dlpack",
        [](nb::handle x, nb::handle device, std::optional<bool> copy) {
            const Array array = import_dlpack(x);
            const std::optional<Device> on = optional_device(device);
            if (on && !(array.device() == *on)) {
                if (copy == false) {
                    throw ArgumentError(ArgumentError::Kind::Value,
                                        "from_dlpack got copy=False for another device");
                }
                return to_device(array, *on);
            }
            return copy == true ? warpwise::copy(array) : array;
        },
        nb::arg(), nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
        nb::sig("def from_dlpack(x: typing.Any, /, *, device: Device | str | None = None, copy: "
                "bool | None = None) -> Array"),
        "An array over the memory of another library's tensor, or a copy of it.");
}

}  // namespace warpwise::python
