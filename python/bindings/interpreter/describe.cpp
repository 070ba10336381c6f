// See describe.hpp.
#include "python/bindings/interpreter/describe.hpp"

#include <optional>
#include <utility>

#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {

namespace nb = nanobind;

namespace {

// Nothing for a str with a lone surrogate, '\udcff' for one: what os.fsdecode() makes of a name
// that is no UTF-8.
std::optional<std::string> utf8_in(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes != nullptr) return std::string(bytes, static_cast<std::size_t>(size));
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw nb::python_error();
    PyErr_Clear();
    return std::nullopt;
}

// Python refuses to print ints of thousands of digits.
std::string integer_text(nb::handle object) {
    auto bits = nb::cast<std::size_t>(object.attr("bit_length")());
    return bits > 128 ? "an int of " + std::to_string(bits) + " bits" : text_of(object);
}

std::string short_repr(nb::handle text) {
    constexpr std::size_t kShown = 40;
    return text_of(nb::repr(text[nb::slice(nb::int_(0), nb::int_(kShown), nb::none())])) +
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
    const nb::object text = nb::steal(PyObject_Str(object.ptr()));
    if (!text.is_valid()) throw nb::python_error();
    if (auto valid = utf8_in(text)) return *std::move(valid);
    const nb::object escaped =
        nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (!escaped.is_valid() || PyBytes_AsStringAndSize(escaped.ptr(), &bytes, &size) != 0) {
        throw nb::python_error();
    }
    return {bytes, static_cast<std::size_t>(size)};
}

std::string utf8_of(nb::handle text, const std::string& role) {
    if (auto valid = utf8_in(text)) return *std::move(valid);
    const nb::object found = nb::module_::import_("warpwise._calls").attr("surrogate_text")(text);
    throw ArgumentError(ArgumentError::Kind::Value,
                        role + " expects Unicode text, got " + text_of(found));
}

std::string raised_text(const nb::python_error& error) {
    const nb::object trace = error.traceback();
    const nb::object lines = nb::module_::import_("traceback")
                                 .attr("format_exception")(error.type(), error.value(),
                                                           trace.is_valid() ? trace : nb::none());
    std::string text = text_of(nb::str("").attr("join")(lines));
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

std::string fields_text(nb::handle object, std::initializer_list<const char*> fields) {
    std::string text;
    for (const char* field : fields) {
        text += text.empty() ? "" : ", ";
        text += std::string(field) + "=" + text_of(nb::repr(object.attr(field)));
    }
    return text_of(object.type().attr("__name__")) + "(" + text + ")";
}

}  // namespace warpwise::python
