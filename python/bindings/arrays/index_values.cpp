// See index_values.hpp.
#include "python/bindings/arrays/index_values.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

bool is_sequence(nb::handle object) {
    return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyRange_Check(object.ptr());
}

// A NumPy array; NumPy's rule that an empty list holds integers.
nb::object host_array(nb::handle object, const std::string& role) {
    if (numpy_types().is_array(object)) return nb::borrow(object);
    const nb::object numpy = nb::module_::import_("numpy");
    try {
        nb::object array = numpy.attr("asarray")(object);
        if (nb::cast<std::int64_t>(nb::object(array.attr("size"))) > 0) return array;
        return array.attr("astype")("int64");
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw ArgumentError(ArgumentError::Kind::Index, role + " expects integers or bools, got " +
                                                            value_text(object) + ": " +
                                                            text_of(error.value()));
    }
}

std::string kind_of(const nb::object& array) {
    return text_of(array.attr("dtype").attr("kind"));
}

// int64 in C order. What no int64 holds is out of every axis, and so is its nearest.
Indices indices_of(nb::object array, const std::string& role) {
    const std::string kind = kind_of(array);
    if (kind != "i" && kind != "u") {
        throw ArgumentError(
            ArgumentError::Kind::Index,
            role + " expects integers, got an array of " + text_of(array.attr("dtype")));
    }
    const nb::object numpy = nb::module_::import_("numpy");
    if (kind == "u") array = numpy.attr("minimum")(array, numpy.attr("uint64")(INT64_MAX));
    const Shape shape = shape_of(nb::object(array.attr("shape")));
    array = numpy.attr("ascontiguousarray")(array, "dtype"_a = "int64");
    const nb::object interface = array.attr("__array_interface__");
    const auto address = nb::cast<std::uintptr_t>(nb::object(nb::object(interface["data"])[0]));
    std::vector<std::int64_t> values(static_cast<std::size_t>(count_of(shape)));
    if (!values.empty()) {
        std::memcpy(values.data(), reinterpret_cast<const void*>(address),
                    values.size() * sizeof(std::int64_t));
    }
    return {shape, std::move(values)};
}

std::optional<std::int64_t> bound_of(PyObject* object) {
    if (object == Py_None) return std::nullopt;
    const nb::object index = nb::steal(PyNumber_Index(object));
    if (!index.is_valid()) {
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            "a slice expects ints or None, got " + value_text(object));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    return overflow > 0 ? INT64_MAX : overflow < 0 ? INT64_MIN : value;
}

Slice slice_of(PyObject* object) {
    const nb::handle slice(object);
    return {bound_of(nb::object(slice.attr("start")).ptr()),
            bound_of(nb::object(slice.attr("stop")).ptr()),
            bound_of(nb::object(slice.attr("step")).ptr())};
}

}  // namespace

namespace {

bool is_index_array(nb::handle object) {
    return is_sequence(object) || array_in(object) != nullptr || numpy_types().is_array(object);
}

IndexItem index_array(nb::handle object, const Device& device) {
    if (const Array* const array = array_in(object)) return *array;
    nb::object array = host_array(object, "an index");
    if (kind_of(array) != "b") return indices_of(std::move(array), "an index");
    if (nb::cast<int>(nb::object(array.attr("ndim"))) == 0) {
        return nb::cast<bool>(array.attr("item")());
    }
    return import_array(array, std::nullopt, device, std::nullopt);
}

}  // namespace

IndexItem index_item(const Array& array, PyObject* object) {
    if (PyLong_CheckExact(object)) return integer_of(object, "an index");
    if (PySlice_Check(object)) return slice_of(object);
    if (object == Py_None) return NewAxis{};
    if (object == Py_Ellipsis) return Ellipsis{};
    if (PyBool_Check(object) || numpy_types().scalar_kind(object) == Kind::Bool) {
        return PyObject_IsTrue(object) == 1;
    }
    if (is_index_array(object)) return index_array(object, array.device());
    if (PyIndex_Check(object) != 0) return integer_of(object, "an index");
    throw ArgumentError(ArgumentError::Kind::Index,
                        "an index expects ints, slices, None, ..., arrays of integers or bools, or "
                        "the name of a field, got " +
                            value_text(object));
}

std::vector<IndexItem> index_items(const Array& array, nb::handle key) {
    std::vector<IndexItem> items;
    if (!PyTuple_Check(key.ptr())) {
        items.push_back(index_item(array, key.ptr()));
        return items;
    }
    for (const nb::handle each : key) items.push_back(index_item(array, each.ptr()));
    return items;
}

IndexArray integer_indices(nb::handle object, const char* role) {
    if (const Array* const array = array_in(object)) return *array;
    if (PyIndex_Check(object.ptr()) != 0 && !numpy_types().is_array(object)) {
        return Indices(Shape{}, {integer_of(object, role)});
    }
    return indices_of(host_array(object, role), role);
}

Indices indices_along(const Array& array, nb::handle object, std::optional<int> axis,
                      const char* role) {
    if (PySlice_Check(object.ptr())) {
        const std::int64_t extent =
            axis ? array.shape()[checked_axis(*axis, array.ndim())] : array.size();
        const auto [start, stop, step, count] =
            nb::borrow<nb::slice>(object).compute(static_cast<std::size_t>(extent));
        std::vector<std::int64_t> all;
        all.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(start + static_cast<std::int64_t>(i) * step);
        }
        return {std::move(all)};
    }
    if (const Array* const given = array_in(object)) {
        if (given->dtype() == bool_) return flatnonzero(*given).to_vector<std::int64_t>();
        const Kind kind = given->dtype().kind();
        const bool is_whole = kind >= Kind::Int8 && kind <= Kind::UInt64;
        if (is_whole)
            return {given->shape(), ravel(astype(*given, int64)).to_vector<std::int64_t>()};
    } else if (is_sequence(object) || numpy_types().is_array(object)) {
        nb::object host = host_array(object, role);
        if (kind_of(host) != "b") return indices_of(std::move(host), role);
        return indices_of(nb::module_::import_("numpy").attr("flatnonzero")(host), role);
    } else if (PyIndex_Check(object.ptr()) != 0) {
        return Indices(Shape{}, {integer_of(object, role)});
    }
    throw ArgumentError(ArgumentError::Kind::Type, std::string(role) +
                                                       " expects an int, a slice, integers or "
                                                       "bools, got " +
                                                       value_text(object));
}

}  // namespace warpwise::python
