// Functions of NumPy of small matrices and vectors, of a shape that is known when compiled:
// np.linalg.det(), inv() and solve(); np.flip(), roll(), tile(), repeat() and stack().
#include "src/script/resolve/library/small_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/shapes.hpp"

namespace warpwise::script {
namespace {

constexpr std::int64_t kMostRows = 16;

// What systems of equations are computed in.
Type real_type(Type a, Type b) {
    const auto is_short = [](Type type) { return type->kind == Kind::Float32; };
    return number_type(is_short(a) && is_short(b) ? Kind::Float32 : Kind::Float64);
}

}  // namespace

// A small square matrix of real numbers.
ExpressionRef SmallArrays::square_matrix(std::string_view name, const ExpressionRef& given,
                                         const Syntax& node) {
    const ExpressionRef value = given->type->is_tuple() ? resolver_.array_of(given, nullptr, node)
                                                        : resolver_.shaped(given, node);
    const Shape& shape = Resolver::known_shape(value);
    const bool is_square = shape.size() == 2 && shape[0] == shape[1] && shape[0] <= kMostRows;
    if (!is_square || value->type->element->is_complex()) {
        resolver_.unsupported(
            node, fmt::format("numpy.{}() takes a square matrix of real numbers in kernels, "
                              "of up to {} rows, whose shape is known when compiled; got {}",
                              name, kMostRows, described(given->type)));
    }
    return value;
}

// numpy.linalg.det(), inv() and solve(), numpy.trace(); null for others.
ExpressionRef SmallArrays::matrix(std::string_view name, const Arguments& arguments,
                                  const Syntax& node) {
    const bool is_solve = name == "linalg.solve";
    if (name == "trace") {
        const ExpressionRef value = resolver_.decayed(resolver_.only(arguments, node, name));
        if (!value->type->is_array() || value->type->rank != 2 ||
            !value->type->element->is_number()) {
            resolver_.fail(
                node, fmt::format("numpy.trace() takes a matrix, got {}", described(value->type)));
        }
        const Type element = value->type->element;
        const bool is_signed = element->is_bool() || element->is_signed();
        const Type type =
            element->is_whole() ? number_type(is_signed ? Kind::Int64 : Kind::UInt64) : element;
        return call(fmt::format("__ww_py_matrix_trace<{}>", spelling_of(type)), {value}, type,
                    Effect::Reads);
    }
    if (!is_solve && name != "linalg.det" && name != "linalg.inv") return nullptr;
    if (arguments.size() != (is_solve ? 2U : 1U) ||
        std::ranges::any_of(arguments, [](const auto& one) { return !one.keyword.empty(); })) {
        resolver_.fail(
            node, fmt::format("numpy.{}() takes {}", name, is_solve ? "two arrays" : "a matrix"));
    }
    Lets lets;
    const ExpressionRef matrix =
        resolver_.held_operand(square_matrix(name, arguments[0].value, node), "matrix", lets);
    const std::int64_t rows = Resolver::known_shape(matrix)[0];
    const Type element = matrix->type->element;
    if (name == "linalg.det") {
        const Type type = real_type(element, element);
        return Resolver::wrapped(
            lets, call(fmt::format("__ww_py_matrix_det<{}, {}>", rows, spelling_of(type)),
                       {resolver_.decayed(matrix)}, type, Effect::Reads));
    }
    Shape shape{rows, rows};
    Type type = real_type(element, element);
    Values operands{nullptr, resolver_.decayed(matrix)};
    std::string function = fmt::format("__ww_py_matrix_inverse<{}>", rows);
    if (is_solve) {
        const ExpressionRef& given = arguments[1].value;
        const ExpressionRef right = resolver_.held_operand(
            given->type->is_tuple() ? resolver_.array_of(given, nullptr, node)
                                    : resolver_.shaped(given, node),
            "right", lets);
        shape = Resolver::known_shape(right);
        if (shape.empty() || shape.size() > 2 || shape[0] != rows ||
            count_of(shape) > kMostWritten || right->type->element->is_complex()) {
            resolver_.unsupported(
                node, fmt::format("numpy.linalg.solve() takes a right side of {} real "
                                  "numbers in kernels, or as many rows, of a shape that is "
                                  "known when compiled; got {}",
                                  rows, described(given->type)));
        }
        type = real_type(element, right->type->element);
        function =
            fmt::format("__ww_py_matrix_solve<{}, {}>", rows, shape.size() == 1 ? 1 : shape[1]);
        operands.push_back(resolver_.decayed(right));
    }
    const ExpressionRef place = resolver_.made_place(type, shape, node, 0);
    operands[0] = resolver_.decayed(place);
    const int raise = resolver_.implicit_end("LinAlgError", "Singular matrix", node);
    ExpressionRef has_one = resolver_.checked(
        "!{0}", {call(function, operands, number_type(Kind::Bool), Effect::Acts)}, raise);
    auto made = std::make_shared<Expression>(*call("__ww_py_matrix_of",
                                                   {resolver_.decayed(place), std::move(has_one)},
                                                   resolver_.decayed(place)->type, Effect::Acts));
    made->storage = place;
    return Resolver::made_behind(lets, made);
}

// numpy.flip(), roll(), tile(), repeat() and stack() of one axis; null for others.
ExpressionRef SmallArrays::moved(std::string_view name, const Arguments& arguments,
                                 const Syntax& node) {
    const bool is_stack = name == "stack" || name == "vstack";
    const bool has_number = name == "roll" || name == "tile" || name == "repeat";
    if (!is_stack && !has_number && name != "flip") return nullptr;
    if (arguments.size() != (has_number ? 2U : 1U)) {
        resolver_.unsupported(node, fmt::format("numpy.{}() takes {} in kernels", name,
                                                is_stack     ? "a tuple of arrays"
                                                : has_number ? "an array of one axis and a number"
                                                             : "an array of one axis"));
    }
    Lets lets;
    Values rows{arguments[0].value};
    if (is_stack) {
        const ExpressionRef held = resolver_.opened(arguments[0].value, lets);
        rows.clear();
        for (std::size_t i = 0; held->type->is_tuple() && i < held->type->items.size(); ++i) {
            rows.push_back(item(held, i));
        }
    }
    Values items;
    std::size_t length = 0;
    for (const ExpressionRef& row : rows) {
        const Values some = vector_items(row, lets, node);
        if (some.empty() || (length != 0 && some.size() != length)) {
            resolver_.unsupported(
                node,
                fmt::format("numpy.{}() takes arrays of one axis in kernels, of one length "
                            "that is known when compiled{}; got {}",
                            name,
                            name == "roll" || name == "flip"
                                ? fmt::format(", or is a value of a part: z[:] = np.{}(x)", name)
                                : "",
                            described(row->type)));
        }
        length = some.size();
        items.insert(items.end(), some.begin(), some.end());
    }
    if (items.empty()) resolver_.fail(node, fmt::format("numpy.{}() takes arrays", name));
    const auto count = static_cast<std::int64_t>(items.size());
    if (is_stack) {
        const Shape shape{static_cast<std::int64_t>(rows.size()),
                          static_cast<std::int64_t>(length)};
        return Resolver::made_behind(lets,
                                     resolver_.made_of(nullptr, shape, std::move(items), node));
    }
    std::int64_t number = 0;
    if (has_number) {
        const auto known = arguments[1].value->type->is_number()
                               ? Resolver::constants_of(arguments[1].value)
                               : std::nullopt;
        if (!known && resolver_.want_constant(arguments[1].value)) return nothing(unknown_type());
        if (!known || (name != "roll" && (known->front() < 1 || known->front() > kMostWritten))) {
            resolver_.unsupported(*arguments[1].node,
                                  fmt::format("the number of numpy.{}() is a constant in kernels{}",
                                              name, name == "roll" ? "" : ", and natural"));
        }
        number = known->front();
    }
    Values made;
    const std::int64_t all = name == "tile" || name == "repeat" ? count * number : count;
    if (all > kMostWritten) {
        resolver_.unsupported(
            node, fmt::format("kernels make arrays of their elements of up to {}", kMostWritten));
    }
    for (std::int64_t i = 0; i < all; ++i) {
        const std::int64_t at = name == "flip"   ? count - 1 - i
                                : name == "roll" ? ((i - number) % count + count) % count
                                : name == "tile" ? i % count
                                                 : i / number;
        made.push_back(items[static_cast<std::size_t>(at)]);
    }
    return Resolver::made_behind(lets, resolver_.made_of(nullptr, {all}, std::move(made), node));
}

// numpy.select(conditions, values, default=0)
ExpressionRef SmallArrays::selected(const Arguments& arguments, const Syntax& node) {
    const bool fits =
        (arguments.size() == 2 || arguments.size() == 3) && arguments[0].keyword.empty() &&
        arguments[1].keyword.empty() && arguments[0].value->type->is_tuple() &&
        arguments[1].value->type->is_tuple() &&
        arguments[0].value->type->items.size() == arguments[1].value->type->items.size() &&
        (arguments.size() == 2 || arguments[2].keyword.empty() ||
         arguments[2].keyword == "default");
    if (!fits) {
        resolver_.fail(node, "numpy.select() takes as many conditions as values, and a default");
    }
    Lets lets;
    const ExpressionRef conditions = resolver_.opened(arguments[0].value, lets);
    const ExpressionRef values = resolver_.opened(arguments[1].value, lets);
    ExpressionRef result = arguments.size() == 3 ? arguments[2].value : whole(0);
    for (std::size_t i = conditions->type->items.size(); i-- > 0;) {
        const auto argument = [&node](const ExpressionRef& value) {
            return Argument{.keyword = "", .value = value, .node = &node};
        };
        result = resolver_.call_known(
            "numpy.where",
            {argument(item(conditions, i)), argument(item(values, i)), argument(result)}, node);
        if (is_unknown(result)) return result;
    }
    return Resolver::made_behind(lets, result);
}

}  // namespace warpwise::script
