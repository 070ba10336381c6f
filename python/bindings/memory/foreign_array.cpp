// See foreign_array.hpp.
#include "python/bindings/memory/foreign_array.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {
namespace nb = nanobind;
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string("its ") + kForeignArray + " " + what);
}

// Null when it is missing or None.
nb::object entry(const nb::dict& description, const char* name) {
    if (!description.contains(name)) return {};
    nb::object value = description[name];
    return value.is_none() ? nb::object() : value;
}

nb::object needed(const nb::dict& description, const char* name) {
    nb::object value = entry(description, name);
    if (!value.is_valid()) refuse(std::string("has no '") + name + "'");
    return value;
}

template <class T>
T number(nb::handle value, const char* name) {
    T result = 0;
    if (!nb::try_cast(value, result)) {
        refuse(std::string("has '") + name + "' with " + value_text(value) +
               ", which is not such a number");
    }
    return result;
}

std::vector<std::int64_t> numbers(nb::handle value, const char* name) {
    if (PySequence_Check(value.ptr()) == 0) {
        refuse(std::string("has '") + name + "' that is not a tuple: " + value_text(value));
    }
    std::vector<std::int64_t> result;
    for (const nb::handle each : value) result.push_back(number<std::int64_t>(each, name));
    return result;
}

// A struct's type has its fields in 'descr'; its typestr has the size only.
DType dtype_of(const nb::dict& description) {
    const nb::object type = needed(description, "typestr");
    const nb::object fields = entry(description, "descr");
    const bool is_record = nb::isinstance<nb::str>(type) && fields.is_valid() &&
                           text_of(type).find('V') != std::string::npos;
    const nb::object numpy = nb::module_::import_("numpy");
    try {
        return dtype_from_numpy(numpy.attr("dtype")(is_record ? fields : type));
    } catch (const nb::python_error&) {
        refuse("has the typestr " + value_text(type) + ", which is not a NumPy type");
    }
}

bool is_contiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                   std::size_t item) {
    if (strides.size() != shape.size()) refuse("must have as many strides as axes, or none");
    auto expected = static_cast<std::int64_t>(item);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != expected) return false;
        expected *= shape[axis];
    }
    return true;
}

}  // namespace

ForeignArray foreign_array(nb::handle object) {
    const nb::object given = object.attr(kForeignArray);
    if (!nb::isinstance<nb::dict>(given)) refuse("is no dict");
    const auto description = nb::cast<nb::dict>(given);
    if (entry(description, "mask").is_valid()) {
        refuse("has a mask, which a plain pointer cannot represent; pass a filled copy");
    }
    const nb::object data = needed(description, "data");
    if (PySequence_Check(data.ptr()) == 0 || nb::len(data) != 2) {
        refuse("has 'data' that is not (address, read-only): " + value_text(data));
    }
    ForeignArray result;
    DeviceArray& array = result.array;
    array.address = number<std::uint64_t>(nb::object(data[0]), "data");
    array.read_only = PyObject_IsTrue(nb::object(data[1]).ptr()) == 1;
    array.dtype = dtype_of(description);
    const std::vector<std::int64_t> shape = numbers(needed(description, "shape"), "shape");
    array.bytes = array.dtype.size();
    for (const std::int64_t extent : shape) {
        if (extent < 0) refuse("has a negative extent");
        array.bytes *= static_cast<std::size_t>(extent);
    }
    if (!shape.empty()) array.inner_extent = shape.back();
    const nb::object strides = entry(description, "strides");
    if (strides.is_valid() && array.bytes > 0) {
        array.contiguous = is_contiguous(shape, numbers(strides, "strides"), array.dtype.size());
    }
    const nb::object stream = entry(description, "stream");
    if (stream.is_valid() && array.bytes > 0) {
        result.stream = number<std::uint64_t>(stream, "stream");
        if (*result.stream == 0)
            refuse("has stream 0, which the protocol forbids; 1 is the default stream");
    }
    return result;
}

nb::dict description_of(const Buffer& buffer) {
    if (buffer.device().kind() != "cuda") {
        const std::string text = std::string("a buffer of ") + std::string(buffer.device().name()) +
                                 " has no " + kForeignArray;
        throw nb::attribute_error(text.c_str());
    }
    nb::dict description;
    description["shape"] = nb::make_tuple(buffer.size());
    description["typestr"] = "|u1";
    description["data"] = nb::make_tuple(buffer.address(), false);
    description["version"] = 3;
    description["stream"] = Stream::current(buffer.device()).handle();
    return description;
}

}  // namespace warpwise::python
