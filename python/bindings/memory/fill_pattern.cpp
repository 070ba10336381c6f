// See fill_pattern.hpp. NumPy converts.
#include "python/bindings/memory/fill_pattern.hpp"

#include <cstring>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

// Whether an integer dtype has lost part of the value: 1.5 as uint8.
bool is_cut(nb::handle value, nb::handle element) {
    const std::string kind = text_of(element.attr("dtype").attr("kind"));
    return (kind == "i" || kind == "u" || kind == "b") && PyFloat_Check(value.ptr()) != 0 &&
           !element.equal(value);
}

nb::object element_of(nb::handle value, nb::handle dtype) {
    try {
        nb::object element = nb::module_::import_("numpy").attr("asarray")(value, dtype);
        if (is_cut(value, element)) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "fill got " + value_text(value) + ", which is no " +
                                    text_of(element.attr("dtype")) +
                                    "; give the type to fill with, for example dtype='float32'");
        }
        return element;
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw ArgumentError(ArgumentError::Kind::Value,
                            "fill expects a number and a dtype that holds it, got " +
                                value_text(value) + " and " + value_text(dtype) + ": " +
                                text_of(error.value()));
    }
}

}  // namespace

FillPattern fill_pattern(nb::handle value, nb::handle dtype) {
    const HostMemory memory(element_of(value, dtype), HostMemory::Access::Read, "fill");
    if (memory.size() != 1 && memory.size() != 2 && memory.size() != 4 && memory.size() != 8)
        throw ArgumentError(ArgumentError::Kind::Value,
                            "fill expects one value of 1, 2, 4 or 8 bytes, got " +
                                std::to_string(memory.size()) + " bytes");
    FillPattern pattern{.bytes = memory.size()};
    std::memcpy(&pattern.value, memory.data(), memory.size());
    return pattern;
}

}  // namespace warpwise::python
