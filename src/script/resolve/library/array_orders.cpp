// Orders of numbers in arrays: np.sort(a), a.sort(), np.argsort(a), and what follows from them:
// np.median(a), np.percentile(a, q). NaN comes last, as in NumPy.
#include "src/script/resolve/library/small_arrays.hpp"

#include <fmt/format.h>

#include <set>

#include "src/script/resolve/library/shapes.hpp"

namespace warpwise::script {
namespace {

bool has_order(Type element) {
    return element->is_number() && !element->is_complex();
}

}  // namespace

// x.sort(): of one axis of any length, by the calling thread.
ExpressionRef SmallArrays::sort_in_place(const ExpressionRef& array, const Arguments& arguments,
                                         const Syntax& node) {
    const Type type = array->type;
    if (!arguments.empty() || resolver_.statement_call_ != &node) {
        resolver_.unsupported(node,
                              "x.sort() is a statement of its own in kernels, without arguments");
    }
    if (type->rank != 1 || type->is_packed || !has_order(type->element)) {
        resolver_.unsupported(node,
                              fmt::format("kernels sort arrays of one axis of real numbers, not {}",
                                          described(type)));
    }
    resolver_.note_written(array, node);
    resolver_.evaluate(call("__ww_py_array_sorted", {resolver_.decayed(array)},
                            resolver_.decayed(array)->type, Effect::Acts),
                       node, *resolver_.statement_lines_);
    return nothing(none_type());
}

// np.argsort(): equal numbers stay in their order.
ExpressionRef SmallArrays::places_in_order(const ExpressionRef& keys, const Syntax& node) {
    Lets lets;
    ExpressionRef made_keys =
        keys->type->is_array() ? keys : resolver_.array_of(keys, nullptr, node);
    const Shape shape = Resolver::known_shape(made_keys);
    const ExpressionRef place = resolver_.made_place(number_type(Kind::Int64), shape, node, 1);
    auto made = std::make_shared<Expression>(
        *call("__ww_py_array_order", {resolver_.decayed(place), resolver_.decayed(made_keys)},
              resolver_.decayed(place)->type, Effect::Acts));
    made->storage = place;
    return Resolver::made_behind(lets, made);
}

// Of a copy that is sorted on the way.
ExpressionRef SmallArrays::quantile(std::string_view name, const ExpressionRef& copy,
                                    const Argument* place, const Syntax& node) {
    const Type type = copy->type->element;
    if (name == "median") return call("__ww_py_array_median", {copy}, type, Effect::Acts);
    if (!place->value->type->is_number() || place->value->type->is_complex()) {
        resolver_.unsupported(*place->node,
                              fmt::format("numpy.{}() takes one number for the place in "
                                          "kernels, got {}",
                                          name, described(place->value->type)));
    }
    Lets lets;
    ExpressionRef at = cast(place->value, type);
    if (name == "percentile") at = resolver_.binary("/", at, cast(whole(100), type), node);
    const int raise =
        resolver_.implicit_end("ValueError",
                               name == "percentile" ? "Percentiles must be in the range [0, 100]"
                                                    : "Quantiles must be in the range [0, 1]",
                               node);
    at = resolver_.checked("!({0} >= 0 && {0} <= 1)",
                           {resolver_.once(std::move(at), "place", lets)}, raise);
    return Resolver::wrapped(
        lets, call("__ww_py_array_quantile", {copy, std::move(at)}, type, Effect::Acts));
}

ExpressionRef SmallArrays::order(std::string_view name, const Arguments& arguments,
                                 const Syntax& node) {
    static const std::set<std::string_view> kNames = {"sort", "argsort", "median", "percentile",
                                                      "quantile"};
    if (!kNames.contains(name)) return nullptr;
    const bool has_place = name == "percentile" || name == "quantile";
    const bool are_plain = arguments.size() == (has_place ? 2U : 1U) &&
                           arguments[0].keyword.empty() && arguments.back().keyword.empty();
    if (!are_plain) {
        resolver_.unsupported(node,
                              fmt::format("numpy.{}() takes an array{} in kernels, and no other "
                                          "arguments",
                                          name, has_place ? " and a place" : ""));
    }
    const ExpressionRef given = resolver_.shaped(arguments[0].value, node);
    const bool is_known = given->type->is_tuple() ||
                          (given->type->is_array() && Resolver::known_shape(given).size() == 1 &&
                           has_order(given->type->element));
    if (!is_known) {
        resolver_.unsupported(
            node, fmt::format("numpy.{}() takes real numbers of one axis in kernels whose "
                              "length is known when compiled, got {}; x.sort() sorts an "
                              "array of any length",
                              name, described(given->type)));
    }
    if (name == "argsort") return places_in_order(given, node);
    if (name != "sort") {
        const Type element = resolver_.array_of(given, nullptr, node)->type->element;
        if (!has_order(element)) resolver_.fail(node, "complex numbers have no order in kernels");
        const bool is_half = element->kind == Kind::Float16;
        const Type exact = number_type(element->is_whole() ? Kind::Float64
                                       : is_half           ? Kind::Float32
                                                           : element->kind);
        const ExpressionRef copy = resolver_.array_of(given, exact, node);
        ExpressionRef number = quantile(name, copy, has_place ? &arguments[1] : nullptr, node);
        return is_half ? cast(std::move(number), element) : number;
    }
    const ExpressionRef copy = resolver_.array_of(given, nullptr, node);
    if (!has_order(copy->type->element))
        resolver_.fail(node, "complex numbers have no order in kernels");
    auto made = std::make_shared<Expression>(
        *call("__ww_py_array_sorted", {copy}, copy->type, Effect::Acts));
    made->storage = copy->storage;
    return made;
}

}  // namespace warpwise::script
