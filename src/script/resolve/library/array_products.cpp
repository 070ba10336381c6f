// Products and reductions along an axis of small arrays, which make others: a @ b, np.cross(a, b),
// x.sum(axis=0).
#include "src/script/resolve/library/small_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/shapes.hpp"

namespace warpwise::script {

// The elements of an array of one axis, or the numbers of a tuple.
std::vector<ExpressionRef> SmallArrays::vector_items(const ExpressionRef& given, Lets& lets,
                                                     const Syntax& node) {
    const ExpressionRef value = resolver_.shaped(given, node);
    Values items;
    if (value->type->is_array() && Resolver::known_shape(value).size() == 1) {
        const Shape shape = Resolver::known_shape(value);
        const ExpressionRef held = resolver_.held_operand(value, "operand", lets);
        for (Shape place{0}; place[0] < shape[0]; ++place[0]) {
            items.push_back(resolver_.broadcast_item(held, shape, place, node));
        }
    } else if (value->type->is_tuple()) {
        add_numbers(resolver_.opened(value, lets), items);
    }
    return items;
}

// numpy.cross() and outer()
ExpressionRef SmallArrays::product(const std::string& name, const ExpressionRef& left,
                                   const ExpressionRef& right, const Syntax& node) {
    Lets lets;
    const Values a = vector_items(left, lets, node);
    const Values b = vector_items(right, lets, node);
    Values values;
    Shape shape;
    if (name == "cross" && a.size() == 3 && b.size() == 3) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3;
            const std::size_t k = (i + 2) % 3;
            values.push_back(resolver_.binary("-", resolver_.binary("*", a[j], b[k], node),
                                              resolver_.binary("*", a[k], b[j], node), node));
        }
        shape = {3};
    } else if (name == "outer" && !a.empty() && !b.empty()) {
        for (const ExpressionRef& one : a) {
            for (const ExpressionRef& other : b)
                values.push_back(resolver_.binary("*", one, other, node));
        }
        shape = {static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size())};
    } else {
        resolver_.unsupported(
            node, fmt::format("numpy.{}() takes two {} in kernels, tuples or arrays whose "
                              "shape is known when compiled, as of np.array([x, y, z]); "
                              "got {} and {}",
                              name, name == "cross" ? "vectors of 3 numbers" : "vectors",
                              described(left->type), described(right->type)));
    }
    return Resolver::made_behind(lets, resolver_.made_of(nullptr, shape, std::move(values), node));
}

// Of matrices and vectors of known shapes; null for others.
ExpressionRef SmallArrays::matrix_product(const ExpressionRef& one, const ExpressionRef& other,
                                          const Syntax& node) {
    if (!one->type->is_array() || !other->type->is_array()) return nullptr;
    const bool has_matrix = one->type->rank + other->type->rank >= 3;
    const ExpressionRef left = has_matrix ? resolver_.shaped(one, node) : one;
    const ExpressionRef right = has_matrix ? resolver_.shaped(other, node) : other;
    const Shape a = Resolver::known_shape(left);
    const Shape b = Resolver::known_shape(right);
    if (a.empty() || b.empty() || a.size() > 2 || b.size() > 2 || a.size() + b.size() < 3) {
        return nullptr;
    }
    if (a.back() != b[0]) {
        resolver_.fail(node, fmt::format("shapes {} and {} are not aligned", text_of_shape(a),
                                         text_of_shape(b)));
    }
    const std::int64_t rows = a.size() == 2 ? a[0] : 1;
    const std::int64_t columns = b.size() == 2 ? b[1] : 1;
    if (rows * columns * a.back() > 4 * kMostWritten) {
        resolver_.unsupported(node,
                              "the product of such large arrays is a loop in kernels; write one");
    }
    Lets lets;
    const ExpressionRef first = resolver_.held_operand(left, "left", lets);
    const ExpressionRef second = resolver_.held_operand(right, "right", lets);
    Values values;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            ExpressionRef sum;
            for (std::int64_t k = 0; k < a.back(); ++k) {
                ExpressionRef product =
                    resolver_.binary("*",
                                     resolver_.broadcast_item(
                                         first, a, a.size() == 2 ? Shape{i, k} : Shape{k}, node),
                                     resolver_.broadcast_item(
                                         second, b, b.size() == 2 ? Shape{k, j} : Shape{k}, node),
                                     node);
                sum =
                    sum ? resolver_.binary("+", sum, std::move(product), node) : std::move(product);
            }
            values.push_back(std::move(sum));
        }
    }
    Shape shape;
    if (a.size() == 2) shape.push_back(rows);
    if (b.size() == 2) shape.push_back(columns);
    const Type element =
        number_type(unified(left->type->element->kind, right->type->element->kind));
    return Resolver::made_behind(lets, resolver_.made_of(element, shape, std::move(values), node));
}

// x.sum(axis=0) of an array of a known shape.
ExpressionRef SmallArrays::reduced_axis(std::string_view name, const ExpressionRef& given,
                                        std::int64_t axis, bool keeps_axis,
                                        const Resolver::Arguments& others, const Syntax& node) {
    const auto rank = static_cast<std::int64_t>(given->type->rank);
    const ExpressionRef value = rank == 1 ? given : resolver_.shaped(given, node);
    if (axis < -rank || axis >= rank) {
        resolver_.fail(
            node, fmt::format("axis {} is out of bounds for array of dimension {}", axis, rank));
    }
    if (rank == 1 && !keeps_axis) return resolver_.array_reduction(name, value, others, node);
    const Shape all = Resolver::known_shape(value);
    if (all.empty()) {
        resolver_.unsupported(
            node,
            fmt::format("{}() along an axis of {} makes an array whose size is not known "
                        "when the kernel is compiled; assign it to a part of an array, z[:] = "
                        "x.{}(axis={})",
                        name, described(value->type), name, axis));
    }
    const auto gone = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    Shape shape = all;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(gone));
    if (count_of(shape) > kMostWritten) {
        resolver_.unsupported(node, "such a large array is a loop in kernels; write one");
    }
    Lets lets;
    const ExpressionRef array = resolver_.held_operand(value, "array", lets);
    Values values;
    Shape place(shape.size(), 0);
    do {
        std::vector<Index> line;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t at = i > gone ? i - 1 : i;
            line.push_back(i == gone ? Index{.node = &Resolver::full_slice()}
                                     : Index{.at = whole(place[at]), .node = &node});
        }
        values.push_back(
            resolver_.array_reduction(name, resolver_.view(array, line), others, node));
    } while (advance(place, shape));
    const Type element = values[0]->type;
    if (keeps_axis) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(gone), 1);
    return Resolver::made_behind(lets, resolver_.made_of(element, shape, std::move(values), node));
}

}  // namespace warpwise::script
