// See describe.hpp.
#include "python/bindings/describe.hpp"

#include <nanobind/stl/string.h>

#include "python/bindings/numpy_types.hpp"

namespace warpwise::python {

namespace nb = nanobind;

namespace {

// Python refuses to print ints of thousands of digits.
std::string integer_text(nb::handle object) {
    auto bits = nb::cast<std::size_t>(object.attr("bit_length")());
    return bits > 128 ? "an int of " + std::to_string(bits) + " bits" : text_of(object);
}

std::string short_repr(nb::handle text) {
    constexpr std::size_t kShown = 40;
    return nb::cast<std::string>(
               nb::repr(text[nb::slice(nb::int_(0), nb::int_(kShown), nb::none())])) +
           (nb::len(text) > kShown ? "..." : "");
}

}  // namespace

std::string describe(nb::handle object) {
    try {
        if (numpy_types().is_array(object)) {
            return "a NumPy array (" + text_of(object.attr("dtype")) + ", shape " +
                   text_of(object.attr("shape")) + ")";
        }
        nb::handle type = object.type();
        std::string module = text_of(type.attr("__module__"));
        std::string name = text_of(type.attr("__qualname__"));
        if (module == "warpwise._core") module = "warpwise";
        if (module != "builtins") name = module + "." + name;
        bool is_vowel = std::string("aeiouAEIOU").find(name[0]) != std::string::npos;
        return (is_vowel ? "an " : "a ") + name;
    } catch (nb::python_error&) {
        return "an object that cannot be described";
    }
}

std::string value_text(nb::handle object) {
    PyObject* value = object.ptr();
    try {
        if (object.is_none() || PyBool_Check(value) || PyFloat_Check(value)) return text_of(object);
        if (PyLong_Check(value)) return integer_text(object);
        if (PyUnicode_Check(value)) return short_repr(object);
        if (PyBytes_Check(value)) return short_repr(object) + " (bytes)";
    } catch (nb::python_error&) {
        return describe(object);
    }
    return describe(object);
}

std::string text_of(nb::handle object) {
    nb::object text = nb::steal(PyObject_Str(object.ptr()));
    if (!text.is_valid()) throw nb::python_error();
    return nb::cast<std::string>(text);
}

std::string fields_text(nb::handle object, std::initializer_list<const char*> fields) {
    std::string text;
    for (const char* field : fields) {
        text += text.empty() ? "" : ", ";
        text += std::string(field) + "=" + nb::cast<std::string>(nb::repr(object.attr(field)));
    }
    return text_of(object.type().attr("__name__")) + "(" + text + ")";
}

}  // namespace warpwise::python
