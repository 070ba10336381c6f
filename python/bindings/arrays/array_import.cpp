// See array_import.hpp.
#include "python/bindings/arrays/array_import.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/memory/foreign_array.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

bool has(nb::handle object, const char* name) {
    return PyObject_HasAttrString(object.ptr(), name) != 0;
}

[[noreturn]] void refuse_copy(const std::string& why) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        "asarray got copy=False, but " + why + "; let it copy");
}

// Of nested sequences and what else NumPy makes arrays of.
nb::object as_ndarray(nb::handle object, const std::optional<DType>& dtype) {
    if (numpy_types().is_array(object)) return nb::borrow(object);
    try {
        nb::object asarray = nb::module_::import_("numpy").attr("asarray");
        return dtype ? asarray(object, numpy_dtype(*dtype)) : asarray(object);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw ArgumentError(ArgumentError::Kind::Value, "asarray cannot make an array of " +
                                                            value_text(object) + ": " +
                                                            text_of(error.value()));
    }
}

// Files of astronomy hold numbers of the other byte order; no device computes with them.
nb::object in_native_order(nb::object array) {
    const nb::object dtype = array.attr("dtype");
    if (nb::cast<bool>(dtype.attr("isnative"))) return array;
    return array.attr("astype")(dtype.attr("newbyteorder")("="));
}

// A NumPy array: its memory.
struct HostView {
    explicit HostView(nb::handle array) {
        const nb::object described = array.attr("__array_interface__");
        const nb::object data = described["data"];
        address = nb::cast<std::uint64_t>(nb::object(data[0]));
        is_read_only = nb::cast<bool>(nb::object(data[1]));
        shape = shape_of(nb::object(array.attr("shape")));
        strides = shape_of(nb::object(array.attr("strides")));
        dtype = dtype_from_numpy(array.attr("dtype"));
    }
    std::uint64_t address = 0;
    bool is_read_only = false;
    Shape shape;
    Strides strides;
    DType dtype;
};

Array from_ndarray(nb::handle object, const std::optional<Device>& device,
                   std::optional<bool> copy) {
    const HostView host(object);
    const Device on = device.value_or(Device());
    if (!copy.value_or(true)) {
        if (!on.info().shares_host_memory) refuse_copy(on.name() + " does not reach host memory");
        return from_pointer(host.address, host.shape, host.dtype, &host.strides, on, share(object),
                            host.is_read_only);
    }
    const auto* const data = reinterpret_cast<const void*>(host.address);
    const GilRelease unlocked;  // `object` is the caller's
    return from_host(data, host.shape, host.dtype, &host.strides, on);
}

Array from_cuda_interface(nb::handle object) {
    const ForeignArray found = foreign_array(object);
    const nb::object description = object.attr(kForeignArray);
    const Shape shape = shape_of(nb::object(description["shape"]));
    std::optional<Strides> strides;
    const nb::object given = description.attr("get")("strides");
    if (!given.is_none()) strides = shape_of(given, "strides");
    const Device device;
    if (device.kind() != "cuda") {
        throw ArgumentError(ArgumentError::Kind::Value, "asarray got " + describe(object) +
                                                            " in a GPU's memory, and the "
                                                            "current device is " +
                                                            device.name() +
                                                            "; enter `with ww.Device('cuda')`");
    }
    if (found.stream) {
        const Stream producer = Stream::from_handle(*found.stream, device);
        const Stream consumer = Stream::current(device);
        if (!(producer == consumer)) consumer.wait(producer.record());
    }
    return from_pointer(found.array.address, shape, found.array.dtype,
                        strides ? &*strides : nullptr, device, share(object),
                        found.array.read_only);
}

// The conversions that are left once it is an array.
Array finished(Array array, bool is_new, const std::optional<DType>& dtype,
               const std::optional<Device>& device, std::optional<bool> copy) {
    const bool moves = device && !(array.device() == *device);
    const bool converts = dtype && !(array.dtype() == *dtype);
    if (copy == false && moves) refuse_copy("the array is on " + array.device().name());
    if (copy == false && converts) refuse_copy("its elements are " + array.dtype().name());
    if (moves) array = to_device(array, *device);
    if (converts) array = astype(array, *dtype);
    if (copy == true && !is_new && !moves && !converts) array = warpwise::copy(array);
    return array;
}

}  // namespace

Array import_array(nb::handle object, const std::optional<DType>& dtype,
                   const std::optional<Device>& device, std::optional<bool> copy) {
    if (const Array* const array = array_in(object)) {
        return finished(*array, false, dtype, device, copy);
    }
    const bool is_host_array = numpy_types().is_array(object);  // it has memory, without axes too
    if (const auto number = is_host_array ? std::nullopt : number_in(object)) {
        if (copy == false) refuse_copy("a number has no memory");
        return full(Shape{}, *number, dtype, device);
    }
    if (!is_host_array) {
        if (has(object, "__dlpack__"))
            return finished(import_dlpack(object), false, dtype, device, copy);
        if (has(object, kForeignArray)) {
            return finished(from_cuda_interface(object), false, dtype, device, copy);
        }
    }
    nb::object host = as_ndarray(object, dtype);
    if (copy != false) host = in_native_order(std::move(host));
    return finished(from_ndarray(host, device, copy), true, dtype, device, copy);
}

Array array_beside(nb::handle object, const Array& beside, const char* role) {
    if (is_list(object) || number_in(object)) {
        return import_array(object, std::nullopt, beside.device(), std::nullopt);
    }
    return array_of(object, role);
}

Operand operand_beside(nb::handle object, const Array& beside, std::optional<Array>& holder) {
    if (!is_list(object)) return operand_of(object);
    holder = import_array(object, std::nullopt, beside.device(), std::nullopt);
    return *holder;
}

std::vector<double> doubles_of(nb::handle object, const char* role,
                               std::vector<std::int64_t>& extents) {
    nb::object values = nb::borrow(object);
    if (array_in(object) != nullptr) values = object.attr("get")();
    const nb::object numpy = nb::module_::import_("numpy");
    bool is_real = true;
    try {
        values = numpy.attr("asarray")(values);
        is_real = nb::cast<std::string>(values.attr("dtype").attr("kind")) != "c";
        if (is_real) values = numpy.attr("asarray")(values, "dtype"_a = "float64", "order"_a = "C");
    } catch (const nb::python_error&) {
        is_real = false;
    }
    if (!is_real) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects real numbers, got " + value_text(object));
    }
    extents.clear();
    for (nb::handle extent : nb::iter(values.attr("shape"))) {
        extents.push_back(nb::cast<std::int64_t>(extent));
    }
    const auto bytes = nb::cast<nb::bytes>(values.attr("tobytes")());
    std::vector<double> result(bytes.size() / sizeof(double));
    std::memcpy(result.data(), bytes.c_str(), bytes.size());
    return result;
}

}  // namespace warpwise::python
