// Cumulative sums and the like, segments, and compaction.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "src/algorithm/library_kernel.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise::python {
namespace {

using Scan = Array (*)(const Array&, const Cumulative&);

template <Scan kFunction>
nb::object run(const Array& array, const Cumulative& options, nb::handle out) {
    return result_or_out(without_gil([&] { return kFunction(array, options); }), out);
}

template <Scan kFunction>
nb::object standard(const Array& array, std::optional<int> axis, nb::handle dtype,
                    bool include_initial, nb::handle out) {
    return run<kFunction>(array,
                          {.axis = axis,
                           .dtype = optional_dtype(dtype),
                           .include_initial = include_initial,
                           .out = optional_array(out, "out")},
                          out);
}

template <Scan kFunction>
nb::object numpys(const Array& array, std::optional<int> axis, nb::handle dtype, nb::handle out) {
    return run<kFunction>(
        array, {.axis = axis, .dtype = optional_dtype(dtype), .out = optional_array(out, "out")},
        out);
}

void bind_cumulative(nb::module_& module, nb::class_<Array>& array) {
    module.def("cumulative_sum", &standard<&cumulative_sum>, nb::arg(), nb::kw_only(),
               "axis"_a = nb::none(), "dtype"_a = nb::none(), "include_initial"_a = false,
               "out"_a = nb::none(),
               nb::sig("def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: "
                       "typing.Any = None, include_initial: bool = False, out: Array | None = "
                       "None) -> Array"),
               "The sums of all elements up to each, along an axis; types as those of sum.");
    module.def("cumulative_prod", &standard<&cumulative_prod>, nb::arg(), nb::kw_only(),
               "axis"_a = nb::none(), "dtype"_a = nb::none(), "include_initial"_a = false,
               "out"_a = nb::none(),
               nb::sig("def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: "
                       "typing.Any = None, include_initial: bool = False, out: Array | None = "
                       "None) -> Array"),
               "The products of all elements up to each, along an axis; types as those of prod.");
    module.def("cumsum", &numpys<&cumsum>, nb::arg(), "axis"_a = nb::none(), "dtype"_a = nb::none(),
               "out"_a = nb::none(),
               nb::sig("def cumsum(x: Array, /, axis: int | None = None, dtype: typing.Any = "
                       "None, out: Array | None = None) -> Array"),
               "cumulative_sum, without an axis of the raveled array.");
    module.def("cumprod", &numpys<&cumprod>, nb::arg(), "axis"_a = nb::none(),
               "dtype"_a = nb::none(), "out"_a = nb::none(),
               nb::sig("def cumprod(x: Array, /, axis: int | None = None, dtype: typing.Any = "
                       "None, out: Array | None = None) -> Array"),
               "cumulative_prod, without an axis of the raveled array.");
    array.def("cumsum", &numpys<&cumsum>, "axis"_a = nb::none(), "dtype"_a = nb::none(),
              "out"_a = nb::none(),
              nb::sig("def cumsum(self, axis: int | None = None, dtype: typing.Any = None, out: "
                      "Array | None = None) -> Array"),
              "The sums of all elements up to each.");
    array.def("cumprod", &numpys<&cumprod>, "axis"_a = nb::none(), "dtype"_a = nb::none(),
              "out"_a = nb::none(),
              nb::sig("def cumprod(self, axis: int | None = None, dtype: typing.Any = None, out: "
                      "Array | None = None) -> Array"),
              "The products of all elements up to each.");
}

// NumPy's ufunc.accumulate and reduceat.
void bind_joining(nb::module_& module) {
    module.def(
        "accumulate",
        [](const std::string& ufunc, const Array& x, std::optional<int> axis, nb::handle dtype,
           nb::handle out) {
            const Cumulative options{
                .axis = axis, .dtype = optional_dtype(dtype), .out = optional_array(out, "out")};
            return result_or_out(without_gil([&] { return accumulate(ufunc, x, options); }), out);
        },
        nb::arg(), nb::arg(), "axis"_a = 0, "dtype"_a = nb::none(), "out"_a = nb::none(),
        nb::sig("def accumulate(ufunc: str, x: Array, /, axis: int = 0, dtype: typing.Any = None, "
                "out: Array | None = None) -> Array"),
        "All elements up to each, joined by a function such as 'maximum', 'logical_or' or "
        "'bitwise_xor'.");
    module.def(
        "reduceat",
        [](const std::string& ufunc, const Array& x, nb::handle indices, int axis,
           nb::handle dtype) {
            const IndexArray places = integer_indices(indices, "indices");
            const std::optional<DType> kind = optional_dtype(dtype);
            return without_gil([&] { return reduceat(ufunc, x, places, axis, kind); });
        },
        nb::arg(), nb::arg(), "indices"_a, "axis"_a = 0, "dtype"_a = nb::none(),
        nb::sig("def reduceat(ufunc: str, x: Array, /, indices: typing.Any, axis: int = 0, dtype: "
                "typing.Any = None) -> Array"),
        "The elements from each index to before the next, joined by a function that accumulate() "
        "takes; the element at the index where the next is not greater.");
}

void bind_compaction(nb::module_& module, nb::class_<Array>& array) {
    module.def(
        "compress",
        [](nb::handle condition, const Array& a, std::optional<int> axis, nb::handle out) {
            const Array mask = array_beside(condition, a, "condition");
            return written_or_new(without_gil([&] { return compress(mask, a, axis); }), out,
                                  "compress");
        },
        "condition"_a, "a"_a, "axis"_a = nb::none(), "out"_a = nb::none(),
        nb::sig("def compress(condition: typing.Any, a: Array, axis: int | None = None, out: Array "
                "| None = None) -> Array"),
        "The slices along an axis where the condition (1-D) is true; without an axis, elements of "
        "the raveled array.");
    module.def(
        "extract",
        [](nb::handle condition, const Array& values) {
            const Array mask = array_beside(condition, values, "condition");
            return without_gil([&] { return extract(mask, values); });
        },
        "condition"_a, "arr"_a, nb::sig("def extract(condition: typing.Any, arr: Array) -> Array"),
        "The elements where the condition is true, both raveled.");
    module.def("nonzero", &places_of, nb::arg(),
               nb::sig("def nonzero(x: Array, /) -> tuple[Array, ...]"),
               "The indices of elements that are not 0, in C order: an int64 array for each axis.");
    module.def(
        "flatnonzero",
        [](const Array& values) { return without_gil([&] { return flatnonzero(values); }); },
        nb::arg(), nb::sig("def flatnonzero(x: Array, /) -> Array"),
        "The indices of elements of the raveled array that are not 0.");
    module.def(
        "argwhere",
        [](const Array& values) { return without_gil([&] { return argwhere(values); }); },
        nb::arg(), nb::sig("def argwhere(x: Array, /) -> Array"),
        "The indices of elements that are not 0, as rows.");
    array.def("nonzero", &places_of, nb::sig("def nonzero(self) -> tuple[Array, ...]"),
              "The indices of elements that are not 0.");
    array.def(
        "compress",
        [](const Array& self, nb::handle condition, std::optional<int> axis, nb::handle out) {
            const Array mask = array_beside(condition, self, "condition");
            return written_or_new(without_gil([&] { return compress(mask, self, axis); }), out,
                                  "compress");
        },
        "condition"_a, "axis"_a = nb::none(), "out"_a = nb::none(),
        nb::sig("def compress(self, condition: typing.Any, axis: int | None = None, out: Array | "
                "None = None) -> Array"),
        "The slices along an axis where the condition is true.");
}

void bind_test_switches(nb::module_& module) {
    module.def("set_block_forms", &algorithm::set_block_forms, "always"_a,
               "For tests: whether the CPU device runs the kernels of GPUs; returns what it was.");
    module.def(
        "library_sources",
        [] {
            nb::list texts;
            for (const std::string& text : algorithm::library_sources()) texts.append(text);
            return texts;
        },
        nb::sig("def library_sources() -> list[str]"),
        "For tests: the texts of the library's own kernels that this process has compiled.");
}

}  // namespace

nb::tuple places_of(const Array& condition) {
    return nb::tuple(list_of(without_gil([&] { return nonzero(condition); })));
}

void bind_array_scans(nb::module_& module, nb::class_<Array>& array) {
    bind_cumulative(module, array);
    bind_joining(module);
    bind_compaction(module, array);
    bind_test_switches(module);
}

}  // namespace warpwise::python
