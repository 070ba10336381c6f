// Views of an array's memory with elements of another type: x.real, x.imag, x.view(dtype).
#include <fmt/format.h>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

Type with_element(Type array, Type element, Layout layout, bool is_packed) {
    TypeData data = *with_axes(array, array->rank, layout);
    data.element = element;
    data.is_packed = is_packed;
    return intern(std::move(data));
}

}  // namespace

ExpressionRef Resolver::complex_parts(const ExpressionRef& array, bool is_imaginary,
                                      const Syntax& node) {
    const Type type = array->type;
    if (!type->element->is_complex()) {
        if (!is_imaginary) return array;
        fail(node, fmt::format("{} has no imaginary parts", described(type)));
    }
    if (type->rank == 0 || type->is_packed) {
        unsupported(node, "the parts of a field of complex numbers are read from its value");
    }
    const Type part =
        number_type(type->element->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64);
    const Type view = with_element(type, part, Layout::Strided, false);
    const std::size_t bytes = is_imaginary ? bytes_of(part) : 0;
    return call(fmt::format("__ww_py_component<{}>({{0}}, {})", spelling_of(view), bytes),
                {decayed(array)}, view);
}

ExpressionRef Resolver::reinterpreted(const ExpressionRef& array, const Arguments& arguments,
                                      const Syntax& node) {
    only(arguments, node, "view");
    const Type element = element_type(arguments[0]);
    const Type type = array->type;
    const std::size_t from = bytes_of(type->element), to = bytes_of(element);
    if (type->rank == 0) unsupported(node, "a field of a record has no method 'view' in kernels");
    const Layout layout = type->layout == Layout::Strided ? Layout::Strided : Layout::C;
    if (from != to && layout != Layout::C) {
        fail(node, fmt::format("{} has elements of {} bytes and strides of its own: its view as {} "
                               "would have others; only contiguous arrays, {}, have one",
                               described(type), from, text_of(element),
                               text_of(with_axes(type, type->rank, Layout::C))));
    }
    // Larger elements may lie at addresses that are no multiple of their size.
    const Type view = with_element(type, element, layout, type->is_packed || to > from);
    return call(fmt::format("__ww_py_reinterpreted<{}>", spelling_of(view)), {decayed(array)},
                view);
}

}  // namespace warpwise::script
