// See launch_config.hpp.
#include "python/bindings/kernels/launch_config.hpp"

#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

[[noreturn]] void refuse(ArgumentError::Kind kind, const std::string& message) {
    throw ArgumentError(kind, message);
}

}  // namespace

std::int64_t extent(nb::handle value, const char* role, const char* expected) {
    int overflow = 0;
    if (PyLong_CheckExact(value.ptr())) [[likely]] {
        const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (overflow == 0) return number;
    }
    nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        refuse(ArgumentError::Kind::Type,
               std::string(role) + " expects " + expected + ", got " + value_text(value));
    }
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0)
        refuse(ArgumentError::Kind::Value,
               std::string(role) + " got " + value_text(value) + ", which exceeds every limit");
    return number;
}

Dim3 dimensions(nb::handle value, const char* role) {
    bool is_list = PyTuple_Check(value.ptr()) || PyList_Check(value.ptr());
    if (!is_list) return {extent(value, role, "an int or a tuple of 1 to 3 ints")};
    const std::size_t count = nb::len(value);
    if (count < 1 || count > 3)
        refuse(ArgumentError::Kind::Value,
               std::string(role) + " expects 1 to 3 ints, got " + std::to_string(count));
    std::int64_t numbers[3] = {1, 1, 1};
    for (std::size_t i = 0; i < count; ++i) numbers[i] = extent(nb::object(value[i]), role);
    return {numbers[0], numbers[1], numbers[2]};
}

void set_stream(LaunchConfig& config, nb::handle stream) {
    if (!stream.is_none()) config.stream = stream_of(stream);
}

}  // namespace warpwise::python
