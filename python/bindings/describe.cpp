// See describe.hpp.
#include "python/bindings/describe.hpp"

#include <nanobind/stl/string.h>

#include "python/bindings/numpy_types.hpp"

namespace warpwise::python {

namespace nb = nanobind;

std::string describe(nb::handle object) {
    try {
        if (numpy_types().is_array(object)) {
            return "a NumPy array (" + text_of(object.attr("dtype")) + ", shape " +
                   text_of(object.attr("shape")) + ")";
        }
        nb::handle type = object.type();
        std::string module = text_of(type.attr("__module__"));
        std::string name = text_of(type.attr("__qualname__"));
        if (module != "builtins") name = module + "." + name;
        bool is_vowel = std::string("aeiouAEIOU").find(name[0]) != std::string::npos;
        return (is_vowel ? "an " : "a ") + name;
    } catch (nb::python_error&) {
        return "an object that cannot be described";
    }
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
