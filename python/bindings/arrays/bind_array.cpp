// The class ww.Array: what an array is. Its operators and methods are in the files beside.
#include "python/bindings/arrays/bind_array.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array_operators.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

// Slots are read while the class is made.
const PyType_Slot* all_slots() {
    static std::vector<PyType_Slot>& slots = *new std::vector<PyType_Slot>;
    if (!slots.empty()) return slots.data();
    for (const auto part : {array_operator_slots(), array_index_slots(), array_buffer_slots()}) {
        slots.insert(slots.end(), part.begin(), part.end());
    }
    slots.push_back({0, nullptr});
    return slots.data();
}

// Elements are made as they are asked for: programs ask iter() whether it works.
nb::object iterate(nb::handle object) {
    const Array& self = array_of(object, "iter");
    if (self.ndim() == 0) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "an array without axes cannot be iterated; fetch its value with item()");
    }
    const nb::handle map(reinterpret_cast<PyObject*>(&PyMap_Type));
    const nb::handle range(reinterpret_cast<PyObject*>(&PyRange_Type));
    return map(object.attr("__getitem__"), range(self.shape()[0]));
}

Scalar item(const Array& self) {
    const GilRelease unlocked;
    return self.item();
}

// One reduction; without it Python would compare one element after the other.
bool contains(const Array& self, nb::handle value) {
    const std::optional<Operand> wanted = operand_in(value);
    return wanted && item(any(equal(self, *wanted))).as_bool();
}

nb::object matrix_transposed(const Array& self) {
    return nb::steal(new_array(matrix_transpose(self)));
}

bool is_complex(const Array& self) {
    const Kind kind = self.dtype().kind();
    return kind == Kind::Complex64 || kind == Kind::Complex128;
}

nb::object imaginary(const Array& self) {
    return nb::steal(new_array(imaginary_parts(self)));
}

void set_real(Array& self, nb::handle values) {
    std::optional<Array> list;
    Array part = self.real();
    part.assign({}, operand_beside(values, self, list));
}

void set_imaginary(Array& self, nb::handle values) {
    if (!is_complex(self)) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "imag of " + self.dtype().name() +
                                " cannot be set: real numbers have no imaginary part; use astype");
    }
    std::optional<Array> list;
    Array part = self.imag();
    part.assign({}, operand_beside(values, self, list));
}

void bind_layout(nb::class_<Array>& array) {
    array
        .def_prop_ro(
            "shape", [](const Array& self) { return tuple_of(self.shape()); },
            nb::sig("def shape(self) -> tuple[int, ...]"), "Extents of the axes.")
        .def_prop_ro(
            "strides", [](const Array& self) { return tuple_of(self.strides()); },
            nb::sig("def strides(self) -> tuple[int, ...]"),
            "Bytes from one element to the next along each axis.")
        .def_prop_ro(
            "dtype", [](const Array& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of an element.")
        .def_prop_ro("ndim", &Array::ndim, "The number of axes.")
        .def_prop_ro("size", &Array::size, "The number of elements.")
        .def_prop_ro("nbytes", &Array::nbytes, "Bytes of all elements.")
        .def_prop_ro(
            "itemsize", [](const Array& self) { return self.dtype().size(); },
            "Bytes of an element.")
        .def_prop_ro("device", &Array::device)
        .def_prop_ro("is_c_contiguous", &Array::is_c_contiguous,
                     "Whether the elements lie without gaps, the last axis fastest.")
        .def_prop_ro("is_f_contiguous", &Array::is_f_contiguous,
                     "Whether the elements lie without gaps, the first axis fastest.")
        .def_prop_ro("is_read_only", &Array::is_read_only);
}

void bind_views(nb::class_<Array>& array) {
    array
        .def_prop_ro(
            "T", [](const Array& self) { return self.transpose(); },
            "A view with the axes reversed.")
        .def_prop_ro("mT", &matrix_transposed, nb::sig("def mT(self) -> Array"),
                     "A view with the last two axes exchanged.")
        .def_prop_rw("real", &Array::real, &set_real, "The real parts, a view.")
        .def_prop_rw("imag", &imaginary, &set_imaginary,
                     nb::for_getter(nb::sig("def imag(self) -> Array")),
                     "The imaginary parts, a view; zeros for real types.");
}

void bind_values(nb::class_<Array>& array) {
    array
        .def(
            "item", [](const Array& self) { return to_python(item(self)); },
            nb::sig("def item(self) -> typing.Any"), "The only element, as a Python number.")
        .def(
            "__complex__",
            [](const Array& self) {
                const Scalar value = item(self);
                return nb::steal(PyComplex_FromDoubles(value.real(), value.imaginary()));
            },
            nb::sig("def __complex__(self) -> complex"))
        .def("__iter__", &iterate, nb::sig("def __iter__(self) -> typing.Iterator[Array]"))
        .def("__contains__", &contains, nb::arg().none(),
             nb::sig("def __contains__(self, value: object, /) -> bool"))
        .def_prop_ro(
            "ptr",
            [](const Array& self) {
                const GilRelease unlocked;
                return self.address();
            },
            "The address of the first element. Evaluates; from then on operations on the memory "
            "run at once.")
        .def_prop_ro(
            "gpudata",
            [](const Array& self) {
                const GilRelease unlocked;
                return self.buffer();
            },
            "The memory that the elements lie in, as a Buffer. Evaluates.");
}

// Python's side of the package, which formats values and knows NumPy's functions.
nb::object ours(const char* module, const char* name) {
    return nb::module_::import_(module).attr(name);
}

void bind_protocols(nb::class_<Array>& array) {
    array
        .def(
            "__repr__",
            [](nb::handle_t<Array> self) {
                return ours("warpwise._printing", "representation")(self);
            },
            nb::sig("def __repr__(self) -> str"))
        .def(
            "__str__",
            [](nb::handle_t<Array> self) { return ours("warpwise._printing", "text")(self); },
            nb::sig("def __str__(self) -> str"))
        .def(
            "__format__",
            [](nb::handle_t<Array> self, nb::handle spec) {
                return ours("warpwise._printing", "formatted")(self, spec);
            },
            nb::sig("def __format__(self, spec: str, /) -> str"))
        .def(
            "__array_namespace__",
            [](const Array&, nb::handle version) {
                return ours("warpwise._array_api", "namespace")(version);
            },
            nb::kw_only(), "api_version"_a = nb::none(),
            nb::sig(
                "def __array_namespace__(self, *, api_version: str | None = None) -> typing.Any"))
        .def(
            "__array_ufunc__",
            [](nb::handle_t<Array> self, const nb::args& args, const nb::kwargs& options) {
                return ours("warpwise._numpy.dispatch", "array_ufunc")(self, *args, **options);
            },
            nb::sig("def __array_ufunc__(self, *args: typing.Any, **options: typing.Any) -> "
                    "typing.Any"))
        .def(
            "__array_function__",
            [](const Array&, nb::handle function, nb::handle, nb::handle args, nb::handle options) {
                return ours("warpwise._numpy.dispatch", "array_function")(function, args, options);
            },
            nb::sig("def __array_function__(self, function: typing.Any, types: typing.Any, args: "
                    "typing.Any, options: typing.Any) -> typing.Any"))
        .def(
            "__reduce__",
            [](nb::handle_t<Array> self) {
                const nb::object values = self.attr("get")();
                const nb::object device = self.attr("device").attr("name");
                return nb::make_tuple(ours("warpwise._arrays", "restored"),
                                      nb::make_tuple(values, device));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("__copy__", [](const Array& self) { return copy(self); })
        .def(
            "__deepcopy__", [](const Array& self, nb::handle) { return copy(self); },
            nb::sig("def __deepcopy__(self, memo: typing.Any, /) -> Array"));
}

// evaluate(array)
PyObject* usual_evaluate(const HotArguments& given) {
    if (given.count != 1 || given.names != nullptr) return unusual();
    const Array* const array = exactly<Array>(given.values[0]);
    if (array == nullptr) return unusual();
    {
        const GilRelease unlocked;
        evaluate({&array, 1});
    }
    return new_reference(given.values[0]);
}

void bind_running(nb::module_& module) {
    module.def(
        "evaluate",
        [](const nb::args& arrays) -> nb::object {
            nb::object holder;
            const std::vector<const Array*> list = arrays_of(arrays, holder, "evaluate");
            {
                const GilRelease unlocked;
                evaluate(list);
            }
            if (list.size() == 1) return nb::borrow(arrays[0]);
            return nb::borrow(arrays);
        },
        nb::sig("def evaluate(*arrays: Array) -> typing.Any"),
        "Computes the arrays, in as few kernels as possible, and returns them.");
    HotCall<usual_evaluate>::install(module.attr("evaluate"));
    module.def(
        "explain",
        [](const nb::args& arrays) {
            nb::object holder;
            const std::vector<const Array*> list = arrays_of(arrays, holder, "explain");
            const GilRelease unlocked;
            return explain(list);
        },
        nb::sig("def explain(*arrays: Array) -> str"),
        "The kernels that evaluate() would launch: what is fused, why not more, and the source.");
    module.def("set_lazy", &set_lazy, "lazy"_a,
               "Whether operations of this thread are recorded; returns what it was.");
}

}  // namespace

Array imaginary_parts(const Array& array) {
    return is_complex(array) ? array.imag() : zeros_like(array);
}

void bind_array(nb::module_& module) {
    nb::class_<Array> array(module, "Array", nb::type_slots(const_cast<PyType_Slot*>(all_slots())),
                            "An array on a device. Operations are recorded and computed, fused, "
                            "when their values are needed.");
    array.def(nb::init<const Array&>(), "array"_a,
              "Another object for the same array: what classes derived from it start from.");
    bind_layout(array);
    bind_views(array);
    bind_values(array);
    bind_protocols(array);
    bind_array_methods(array);
    bind_array_numpy_methods(array);
    bind_array_flags(module, array);
    bind_array_reductions(module, array);
    bind_array_scans(module, array);
    bind_array_sorting(module, array);
    bind_array_interop(module, array);
    array.attr("__array_priority__") = 1000.0;
    module.attr("MAX_RANK") = kMaxRank;
    bind_running(module);
    bind_array_creation(module);
    bind_array_functions(module);
    bind_array_histograms(module);
    bind_array_gather(module);
    bind_array_movement(module);
    bind_array_nan(module);
    bind_array_numeric(module);
    bind_array_quantiles(module);
    bind_array_shapes(module);
    bind_array_spacing(module);
}

}  // namespace warpwise::python
