// NumPy's functions that look values up in arrays, np.interp() and np.searchsorted(), and that join
// or add up small ones: np.concatenate(), np.cumsum(), np.diff(), np.polyval().
#include "src/script/resolve/library/small_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/shapes.hpp"

namespace warpwise::script {
namespace {

bool is_real_number(Type type) {
    return type->is_number() && !type->is_complex();
}

}  // namespace

// An array of one axis of real numbers, or a tuple of them as one.
ExpressionRef SmallArrays::table_of(const Argument& argument, Lets& lets) {
    ExpressionRef value = argument.value;
    if (value->type->is_tuple()) {
        value = resolver_.array_of(value, nullptr, *argument.node);
        if (value->type->family == Family::Unknown) return value;
    }
    const bool is_table =
        value->type->is_array() && value->type->rank == 1 && is_real_number(value->type->element);
    if (!is_table) {
        resolver_.fail(*argument.node,
                       fmt::format("an array of one axis of real numbers is looked up in, "
                                   "got {}",
                                   described(value->type)));
    }
    return resolver_.once(resolver_.decayed(value), "table", lets);
}

// numpy.interp(x, xp, fp, left=None, right=None)
ExpressionRef SmallArrays::interpolated(const Arguments& arguments, const Syntax& node) {
    static constexpr std::string_view kParameters[] = {"x", "xp", "fp", "left", "right"};
    const Argument* given[5] = {};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto named = std::ranges::find(kParameters, arguments[i].keyword);
        const std::size_t at = arguments[i].keyword.empty()
                                   ? i
                                   : static_cast<std::size_t>(named - std::begin(kParameters));
        if (at >= std::size(kParameters) || given[at] != nullptr) {
            resolver_.unsupported(*arguments[i].node,
                                  "numpy.interp() takes x, xp, fp, left and right in kernels");
        }
        given[at] = &arguments[i];
    }
    if (given[0] == nullptr || given[1] == nullptr || given[2] == nullptr) {
        resolver_.fail(node, "numpy.interp() takes a number and two arrays: x, xp, fp");
    }
    if (given[0]->value->type->is_array()) {
        const auto compute = [&](const Values& items) {
            Arguments one = arguments;
            one[static_cast<std::size_t>(given[0] - arguments.data())].value = items[0];
            return interpolated(one, node);
        };
        if (ExpressionRef made = resolver_.each_element({given[0]->value}, node, compute))
            return made;
    }
    if (!is_real_number(given[0]->value->type)) {
        resolver_.unsupported(*given[0]->node,
                              fmt::format("numpy.interp() takes one number in kernels, got "
                                          "{}; write a loop",
                                          described(given[0]->value->type)));
    }
    const Type type = number_type(Kind::Float64);
    Lets lets;
    const ExpressionRef at = resolver_.once(cast(given[0]->value, type), "at", lets);
    const ExpressionRef xp = table_of(*given[1], lets);
    const ExpressionRef fp = table_of(*given[2], lets);
    Values operands{at, xp, fp};
    for (const Argument* const other : {given[3], given[4]}) {
        if (other == nullptr || other->value->type->family == Family::None) continue;
        if (!is_real_number(other->value->type)) {
            resolver_.fail(*other->node, "left and right of numpy.interp() are numbers");
        }
        operands.push_back(cast(other->value, type));
    }
    const bool has_left = given[3] != nullptr && given[3]->value->type->family != Family::None;
    const bool has_right = given[4] != nullptr && given[4]->value->type->family != Family::None;
    const int raise = resolver_.implicit_end(
        "ValueError", "fp and xp are not of the same length, or empty", node);
    operands.push_back(resolver_.checked(
        "{0} == 0 || {0} != {1}", {resolver_.extent(xp, 0), resolver_.extent(fp, 0)}, raise));
    const std::string call_text =
        fmt::format("__ww_py_array_interp({{0}}, {{1}}, {{2}}, {}, {}, {{{}}})",
                    has_left ? "{3}" : "__ww_py_array_real({2}[0])",
                    has_right ? fmt::format("{{{}}}", has_left ? 4 : 3) : "__ww_py_array_last({2})",
                    operands.size() - 1);
    return Resolver::wrapped(lets, call(call_text, std::move(operands), type, Effect::Reads));
}

// numpy.searchsorted(a, v, side="left")
ExpressionRef SmallArrays::place_in_order(const Arguments& arguments, const Syntax& node) {
    const Argument* table = nullptr;
    const Argument* wanted = nullptr;
    bool is_right = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& one = arguments[i];
        if (one.keyword == "a" || (one.keyword.empty() && i == 0)) {
            table = &one;
        } else if (one.keyword == "v" || (one.keyword.empty() && i == 1)) {
            wanted = &one;
        } else if (one.keyword == "side" || (one.keyword.empty() && i == 2)) {
            const std::string& side = one.value->type->name;
            if (one.value->type->family != Family::Text || (side != "left" && side != "right")) {
                resolver_.fail(*one.node,
                               "the side of numpy.searchsorted() is \"left\" or \"right\"");
            }
            is_right = side == "right";
        } else {
            resolver_.unsupported(*one.node, "numpy.searchsorted() takes a, v and side in kernels");
        }
    }
    if (table == nullptr || wanted == nullptr) {
        resolver_.fail(node, "numpy.searchsorted() takes an array and a number");
    }
    const ExpressionRef& value = wanted->value;
    Lets lets;
    if (value->type->is_array()) {
        Argument held = *table;
        held.value = table_of(*table, lets);
        const auto compute = [&](const Values& items) {
            Argument one = *wanted;
            one.value = items[0];
            Argument side{
                .keyword = "side",
                .value =
                    nothing(intern({.family = Family::Text, .name = is_right ? "right" : "left"})),
                .node = &node};
            return place_in_order({held, one, side}, node);
        };
        if (ExpressionRef made = resolver_.each_element({value}, node, compute)) {
            return Resolver::made_behind(lets, made);
        }
    }
    if (!is_real_number(value->type)) {
        resolver_.unsupported(*wanted->node,
                              fmt::format("numpy.searchsorted() looks one number up in "
                                          "kernels, got {}; write a loop",
                                          described(value->type)));
    }
    const ExpressionRef array = table_of(*table, lets);
    if (array->type->family == Family::Unknown) return array;
    const Type joint = number_type(unified(array->type->element->kind, value->type->kind));
    return Resolver::wrapped(
        lets, call(fmt::format("__ww_py_array_search<{}, {}>", spelling_of(joint), is_right),
                   {array, cast(value, joint)}, number_type(Kind::Int64), Effect::Reads, true));
}

// numpy.concatenate((a, b)) of one axis.
ExpressionRef SmallArrays::joined(std::string_view name, const Arguments& arguments,
                                  const Syntax& node) {
    const ExpressionRef& parts = resolver_.only(arguments, node, name);
    if (!parts->type->is_tuple()) {
        resolver_.unsupported(node,
                              fmt::format("numpy.{}() takes a tuple of arrays in kernels", name));
    }
    Lets lets;
    Values values;
    const ExpressionRef held = resolver_.opened(parts, lets);
    for (std::size_t i = 0; i < held->type->items.size(); ++i) {
        const Values some = vector_items(item(held, i), lets, node);
        if (some.empty()) {
            resolver_.unsupported(
                node, fmt::format("numpy.{}() joins arrays of one axis in kernels whose "
                                  "shape is known when compiled, got {}",
                                  name, described(held->type->items[i])));
        }
        values.insert(values.end(), some.begin(), some.end());
    }
    if (values.empty()) resolver_.fail(node, "kernels make no empty arrays");
    const auto count = static_cast<std::int64_t>(values.size());
    return Resolver::made_behind(lets,
                                 resolver_.made_of(nullptr, {count}, std::move(values), node));
}

// numpy.polyval(p, x), of as many coefficients as are known when compiled.
ExpressionRef SmallArrays::polynomial(const Arguments& arguments, const Syntax& node) {
    if (arguments.size() != 2)
        resolver_.fail(node, "numpy.polyval() takes coefficients and a number");
    Lets lets;
    const Values factors = vector_items(arguments[0].value, lets, node);
    const ExpressionRef& given = arguments[1].value;
    if (factors.empty() || !given->type->is_number()) {
        resolver_.unsupported(
            node, fmt::format("numpy.polyval() takes coefficients in kernels, as "
                              "many as are known when compiled, and a number; got "
                              "{} and {}",
                              described(arguments[0].value->type), described(given->type)));
    }
    const ExpressionRef x = resolver_.once(given, "x", lets);
    ExpressionRef sum = factors[0];
    for (std::size_t i = 1; i < factors.size(); ++i) {
        sum = resolver_.binary("+", resolver_.binary("*", sum, x, node), factors[i], node);
    }
    return Resolver::wrapped(lets, sum);
}

// numpy.cumsum(), cumprod() and diff() of one axis.
ExpressionRef SmallArrays::running(std::string_view name, const ExpressionRef& value,
                                   const Syntax& node) {
    Lets lets;
    const Values items = vector_items(value, lets, node);
    const bool is_difference = name == "diff";
    if (items.size() < (is_difference ? 2U : 1U)) {
        resolver_.unsupported(node,
                              fmt::format("numpy.{}() takes an array of one axis in kernels whose "
                                          "shape is known when compiled, got {}; write a loop",
                                          name, described(value->type)));
    }
    Values values;
    for (std::size_t i = is_difference ? 1 : 0; i < items.size(); ++i) {
        if (is_difference) {
            values.push_back(resolver_.binary("-", items[i], items[i - 1], node));
        } else if (i == 0) {
            const Type type = items[0]->type;
            values.push_back(type->is_whole() ? resolver_.binary("+", items[0], whole(0), node)
                                              : items[0]);
        } else {
            // Of a variable: each sum is one operation.
            ExpressionRef sum =
                resolver_.binary(name == "cumsum" ? "+" : "*", values.back(), items[i], node);
            values.push_back(resolver_.once(std::move(sum), "sum", lets));
        }
    }
    const auto count = static_cast<std::int64_t>(values.size());
    return Resolver::made_behind(lets,
                                 resolver_.made_of(nullptr, {count}, std::move(values), node));
}

ExpressionRef SmallArrays::call_of(std::string_view name, const Arguments& arguments,
                                   const Syntax& node) {
    if (ExpressionRef ordered = order(name, arguments, node)) return ordered;
    if (ExpressionRef made = matrix(name, arguments, node)) return made;
    if (ExpressionRef made = moved(name, arguments, node)) return made;
    if (name == "select") return selected(arguments, node);
    if (name == "polyval") return polynomial(arguments, node);
    if (name == "interp") return interpolated(arguments, node);
    if (name == "searchsorted") return place_in_order(arguments, node);
    if (name == "concatenate" || name == "concat" || name == "hstack") {
        return joined(name, arguments, node);
    }
    if (name == "cumsum" || name == "cumprod" || name == "diff") {
        return running(name, resolver_.only(arguments, node, name), node);
    }
    return nullptr;
}

}  // namespace warpwise::script
