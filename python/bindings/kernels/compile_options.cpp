// See compile_options.hpp.
#include "python/bindings/kernels/compile_options.hpp"

#include "python/bindings/interpreter/describe.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {

std::string string_in(nb::handle value, const char* role) {
    if (PyUnicode_Check(value.ptr()) == 0)
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects strings, got " + value_text(value));
    return utf8_of(value, role);
}

std::string path_text(nb::handle value, const char* role) {
    nb::object text = nb::steal(PyOS_FSPath(value.ptr()));
    if (!text.is_valid()) PyErr_Clear();
    return string_in(text.is_valid() ? text : nb::borrow(value), role);
}

std::vector<std::string> string_list(nb::handle values, const char* role) {
    std::vector<std::string> result;
    if (values.is_none()) return result;
    // An array without axes claims to be a sequence, but has no length.
    const bool is_list = PySequence_Check(values.ptr()) != 0 && PySequence_Size(values.ptr()) >= 0;
    PyErr_Clear();
    if (PyUnicode_Check(values.ptr()) || !is_list)
        throw ArgumentError(
            ArgumentError::Kind::Type,
            std::string(role) + " expects a list of strings, got " + value_text(values));
    for (nb::handle value : values) result.push_back(path_text(value, role));
    return result;
}

std::vector<std::pair<std::string, std::string>> header_list(nb::handle headers) {
    std::vector<std::pair<std::string, std::string>> result;
    if (headers.is_none()) return result;
    nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
    if (PyObject_IsInstance(headers.ptr(), mapping.ptr()) != 1)
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "headers expects a dict from file names to their text, got " + value_text(headers));
    for (nb::handle name : headers)
        result.emplace_back(string_in(name, "headers"), string_in(headers[name], "headers"));
    return result;
}

CompileOptions compile_options(nb::handle options, nb::handle include_dirs, std::string name,
                               nb::handle headers) {
    CompileOptions result;
    result.options = string_list(options, "options");
    result.include_dirs = string_list(include_dirs, "include_dirs");
    result.name = std::move(name);
    result.headers = header_list(headers);
    return result;
}

}  // namespace warpwise::python
