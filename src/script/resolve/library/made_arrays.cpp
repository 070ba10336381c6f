// Small arrays that functions of NumPy and operators make: np.zeros(3), np.array([x, y]), a + b.
//
// Each is an array of the function's own, as cuda.local.array() makes one, of a shape that is known
// when compiled. What makes it differ: types carry its shape, and functions return its elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/shapes.hpp"
#include "src/script/resolve/library/small_arrays.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

bool is_or_has_made(Type type) {
    if (type->is_array()) return type->is_made;
    return type->is_tuple() && std::ranges::any_of(type->items, is_or_has_made);
}

bool was_made(Type type) {
    return type->is_tuple() && (type->is_made || std::ranges::any_of(type->items, was_made));
}

}  // namespace

const std::vector<std::int64_t>& Resolver::known_shape(const ExpressionRef& array) {
    static const Shape none;
    if (!array->type->is_array() || !array->type->element->is_number()) return none;
    return array->type->shape;
}

// The memory of an array that this node makes; the `part`-th of several.
ExpressionRef Resolver::made_place(Type element, const Shape& shape, const Syntax& node,
                                   std::size_t part) {
    ExpressionRef& place = made_places_[{&node, part}];
    if (!place || place->type->element != element || place->type->shape != shape) {
        auto made = std::make_shared<Expression>(
            *declared_storage("", element, shape, storage_name_.empty() ? "array" : storage_name_));
        TypeData data = *made->type;
        data.is_made = true;
        data.number = loops_.empty() ? 1 : 2;
        made->type = intern(std::move(data));
        place = made;
    }
    return place;
}

// An array of which elements are computed: bound to a name, as its variable is already.
ExpressionRef Resolver::held_operand(const ExpressionRef& value, std::string_view name,
                                     Lets& lets) {
    return once(is_simple(value) ? value : decayed(value), name, lets);
}

// Of its elements in the order of C; of a type that takes all of them where `element` is null.
ExpressionRef Resolver::made_of(Type element, const Shape& shape, Values values, const Syntax& node,
                                std::size_t part) {
    if (values.size() > kMostWritten) {
        unsupported(node, fmt::format("kernels make arrays of their elements of up to {}, this one "
                                      "has {}; write a loop",
                                      kMostWritten, values.size()));
    }
    if (element == nullptr) {
        element = unknown_type();
        for (const ExpressionRef& one : values) element = *unified(element, one->type);
    }
    const ExpressionRef place = made_place(element, shape, node, part);
    Values operands{decayed(place)};
    for (ExpressionRef& one : values) {
        operands.push_back(element->is_bool() ? truth_of(one, node)
                                              : cast(std::move(one), element));
    }
    auto made = std::make_shared<Expression>(
        *call("__ww_py_stored", std::move(operands), decayed(place)->type, Effect::Acts));
    made->storage = place;
    return made;
}

ExpressionRef Resolver::filled(Type element, const Shape& shape, const ExpressionRef& value,
                               const Syntax& node) {
    const ExpressionRef place = made_place(element, shape, node, 0);
    Values operands{decayed(place)};
    if (value) {
        operands.push_back(element->is_bool() ? truth_of(value, node) : cast(value, element));
    }
    auto made = std::make_shared<Expression>(*call(value ? "__ww_py_filled" : "__ww_py_unfilled",
                                                   std::move(operands), decayed(place)->type,
                                                   Effect::Acts));
    made->storage = place;
    return made;
}

// The expression again, wrapped in what is evaluated before it.
ExpressionRef Resolver::made_behind(Lets& lets, const ExpressionRef& made) {
    if (lets.empty()) return made;
    auto all = std::make_shared<Expression>(*wrapped(lets, made));
    all->storage = made->storage;
    return all;
}

// An element of an array of a known shape, at a place in the shape that it broadcasts to.
ExpressionRef Resolver::broadcast_item(const ExpressionRef& value, const Shape& shape,
                                       const Shape& place, const Syntax& node) {
    if (!value->type->is_array()) return value;
    std::vector<Index> places;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t at = place[place.size() - shape.size() + axis];
        places.push_back(
            {.at = whole(shape[axis] == 1 ? 0 : at), .node = &node, .is_checked = true});
    }
    return element(value, places, node);
}

// What `compute` makes of the elements of numbers and arrays; null where a shape is not known.
ExpressionRef Resolver::each_element(const Values& given, const Syntax& node,
                                     const std::function<ExpressionRef(const Values&)>& compute) {
    Values values;
    for (const ExpressionRef& value : given) values.push_back(shaped(value, node));
    Shape shape;
    std::vector<Shape> shapes;
    for (const ExpressionRef& value : values) {
        const bool is_array = value->type->is_array();
        shapes.push_back(is_array ? known_shape(value) : Shape());
        const Shape& own = shapes.back();
        if (is_array ? own.empty() || value->type->is_list : !value->type->is_number()) {
            return nullptr;
        }
        if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
        for (std::size_t axis = 0; axis < own.size(); ++axis) {
            std::int64_t& extent = shape[shape.size() - own.size() + axis];
            if (extent != 1 && own[axis] != 1 && extent != own[axis]) {
                fail(node, fmt::format("operands could not be broadcast together with shapes {} {}",
                                       text_of_shape(shapes[0]), text_of_shape(own)));
            }
            extent = std::max(extent, own[axis]);
        }
    }
    if (count_of(shape) > kMostWritten) {
        unsupported(node,
                    fmt::format("kernels compute with arrays of up to {} elements as a whole, "
                                "this has the shape {}; write a loop",
                                kMostWritten, text_of_shape(shape)));
    }
    Lets lets;
    Values held;
    for (const ExpressionRef& value : values) held.push_back(held_operand(value, "operand", lets));
    Values results;
    Shape place(shape.size(), 0);
    do {
        Values items;
        for (std::size_t i = 0; i < held.size(); ++i) {
            items.push_back(broadcast_item(held[i], shapes[i], place, node));
        }
        results.push_back(compute(items));
        const Type type = results.back()->type;
        if (type->family == Family::Unknown) return results.back();
        if (!type->is_number()) return nullptr;
    } while (advance(place, shape));
    return made_behind(lets, made_of(nullptr, shape, std::move(results), node));
}

namespace {

struct Maker {
    std::vector<std::string_view> parameters;
    bool is_like = false;
};

const std::map<std::string_view, Maker> kMakers = {
    {"zeros", {.parameters = {"shape", "dtype"}}},
    {"ones", {.parameters = {"shape", "dtype"}}},
    {"empty", {.parameters = {"shape", "dtype"}}},
    {"full", {.parameters = {"shape", "fill_value", "dtype"}}},
    {"zeros_like", {.parameters = {"a", "dtype"}, .is_like = true}},
    {"ones_like", {.parameters = {"a", "dtype"}, .is_like = true}},
    {"empty_like", {.parameters = {"a", "dtype"}, .is_like = true}},
    {"full_like", {.parameters = {"a", "fill_value", "dtype"}, .is_like = true}},
    {"array", {.parameters = {"object", "dtype"}}},
    {"asarray", {.parameters = {"a", "dtype"}}},
    {"copy", {.parameters = {"a"}}},
    {"eye", {.parameters = {"N", "M", "k", "dtype"}}},
    {"identity", {.parameters = {"n", "dtype"}}},
    {"arange", {.parameters = {"start", "stop", "step", "dtype"}}},
    {"linspace", {.parameters = {"start", "stop", "num"}}},
    {"cross", {.parameters = {"a", "b"}}},
    {"outer", {.parameters = {"a", "b"}}},
};

}  // namespace

// An array of the numbers of tuples in tuples, or of another array.
ExpressionRef Resolver::array_of(const ExpressionRef& given, Type wanted, const Syntax& node) {
    const ExpressionRef value = shaped(given, node);
    Lets lets;
    Values items;
    Shape shape;
    if (value->type->is_array()) {
        shape = known_shape(value);
        if (shape.empty()) {
            unsupported(node, fmt::format("a copy of {} has no size that is known when the kernel "
                                          "is compiled; assign its elements to another array",
                                          described(value->type)));
        }
        const ExpressionRef held = held_operand(value, "source", lets);
        Shape place(shape.size(), 0);
        if (count_of(shape) <= kMostWritten) {
            do {
                items.push_back(broadcast_item(held, shape, place, node));
            } while (advance(place, shape));
        }
    } else {
        for (Type type = value->type; type->is_tuple(); type = type->items[0]) {
            require_items(type, node);
            shape.push_back(static_cast<std::int64_t>(type->items.size()));
            if (type->items.empty()) break;
        }
        if (shape.empty() || std::ranges::find(shape, 0) != shape.end()) {
            fail(node, fmt::format("kernels make arrays of numbers in tuples and lists, got {}",
                                   described(value->type)));
        }
        const ExpressionRef held = opened(value, lets);
        const std::function<bool(Type, std::size_t)> fits = [&](Type type, std::size_t axis) {
            if (axis == shape.size()) return type->is_number();
            return type->is_tuple() &&
                   type->items.size() == static_cast<std::size_t>(shape[axis]) &&
                   std::ranges::all_of(type->items,
                                       [&](const Type one) { return fits(one, axis + 1); });
        };
        if (!fits(held->type, 0)) {
            fail(node,
                 "kernels make arrays of numbers, in rows of one length: this one has others");
        }
        add_numbers(held, items);
    }
    if (items.empty()) {
        unsupported(node, fmt::format("kernels copy arrays of up to {} elements; write a loop",
                                      kMostWritten));
    }
    return made_behind(lets, made_of(wanted, shape, std::move(items), node));
}

// np.arange(), linspace() and eye(): of constants.
ExpressionRef Resolver::series(const std::string& name,
                               const std::map<std::string_view, const Argument*>& given,
                               Type wanted, const Syntax& node) {
    const auto find = [&](std::string_view parameter) -> const Argument* {
        const auto found = given.find(parameter);
        return found == given.end() ? nullptr : found->second;
    };
    bool is_unknown = false;
    const auto constant = [&](const Argument* one, std::int64_t otherwise) {
        if (one == nullptr) return otherwise;
        const auto known = constants_of(one->value);
        if (known && known->size() == 1) return (*known)[0];
        if (want_constant(one->value)) {
            is_unknown = true;
            return std::int64_t{1};
        }
        fail(*one->node, fmt::format("numpy.{}() takes whole numbers that are constants in kernels "
                                     "here, so that the size of the array is known",
                                     name));
    };
    Values values;
    if (name == "eye" || name == "identity") {
        const std::int64_t rows = constant(find(name == "eye" ? "N" : "n"), 1);
        const std::int64_t columns = constant(find("M"), rows);
        const std::int64_t shift = constant(find("k"), 0);
        if (is_unknown) return nothing(unknown_type());
        if (rows < 1 || columns < 1 || rows * columns > kMostWritten) {
            unsupported(node,
                        fmt::format("kernels make such arrays of 1 to {} elements", kMostWritten));
        }
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                values.push_back(whole(column == row + shift ? 1 : 0));
            }
        }
        const Type element = wanted != nullptr ? wanted : number_type(Kind::Float64);
        return made_of(element, {rows, columns}, std::move(values), node);
    }
    const Argument* start = find("start");
    const Argument* stop = find("stop");
    if (name == "arange") {
        if (stop == nullptr) std::swap(start, stop);
        const std::int64_t first = constant(start, 0);
        const std::int64_t last = constant(stop, 0);
        const std::int64_t step = constant(find("step"), 1);
        if (is_unknown) return nothing(unknown_type());
        if (step == 0) fail(node, "the step of arange() cannot be 0");
        for (std::int64_t at = first; step > 0 ? at < last : at > last; at += step) {
            values.push_back(whole(at));
            if (values.size() > kMostWritten) break;
        }
        if (values.empty()) fail(node, "kernels make no empty arrays");
    } else {
        const std::int64_t count = constant(find("num"), 50);
        if (is_unknown) return nothing(unknown_type());
        if (count < 2 || count > kMostWritten || start == nullptr || stop == nullptr) {
            unsupported(node, fmt::format("kernels make 2 to {} numbers with linspace(start, stop, "
                                          "num)",
                                          kMostWritten));
        }
        Lets lets;
        const Type type = number_type(Kind::Float64);
        const ExpressionRef first = once(cast(start->value, type), "start", lets);
        const ExpressionRef last = once(cast(stop->value, type), "stop", lets);
        const ExpressionRef step =
            once(binary("/", binary("-", last, first, node), whole(count - 1), node), "step", lets);
        for (std::int64_t i = 0; i < count; ++i) {
            values.push_back(i + 1 == count
                                 ? last
                                 : binary("+", binary("*", whole(i), step, node), first, node));
        }
        return made_behind(lets, made_of(type, {count}, std::move(values), node));
    }
    const auto count = static_cast<std::int64_t>(values.size());
    return made_of(wanted != nullptr ? wanted : number_type(Kind::Int64), {count},
                   std::move(values), node);
}

// numpy.zeros(3) and its like; null for other functions.
ExpressionRef Resolver::numpy_array(const std::string& name, const Arguments& arguments,
                                    const Syntax& node) {
    static const std::set<std::string_view> kOthers = {"diag", "meshgrid"};
    if (kOthers.contains(name)) {
        unsupported(node, fmt::format("numpy.{}() makes an array, for which kernels have no "
                                      "memory; take numpy.zeros(shape, dtype) of constants and "
                                      "assign its elements, or pass it as an argument",
                                      name));
    }
    const auto found = kMakers.find(name);
    if (found == kMakers.end()) return nullptr;
    const Maker& maker = found->second;
    std::map<std::string_view, const Argument*> given;
    std::size_t next = 0;
    for (const Argument& one : arguments) {
        std::string_view parameter = one.keyword;
        if (parameter.empty() && next < maker.parameters.size()) {
            parameter = maker.parameters[next++];
        }
        const bool is_known =
            std::ranges::find(maker.parameters, parameter) != maker.parameters.end();
        if (!is_known || given.contains(parameter)) {
            unsupported(*one.node, fmt::format("numpy.{}() takes {} in kernels", name,
                                               fmt::join(maker.parameters, ", ")));
        }
        given[parameter] = &one;
    }
    const auto need = [&](std::string_view parameter) -> const Argument& {
        const auto one = given.find(parameter);
        if (one == given.end()) {
            fail(node, fmt::format("numpy.{}() lacks its argument '{}'", name, parameter));
        }
        return *one->second;
    };
    Type wanted = nullptr;
    if (const auto dtype = given.find("dtype"); dtype != given.end()) {
        if (dtype->second->value->type->family != Family::None) {
            wanted = element_type(*dtype->second);
        }
        if (wanted != nullptr && !wanted->is_number()) {
            unsupported(*dtype->second->node, "kernels make arrays of numbers");
        }
    }
    if (name == "array" || name == "asarray" || name == "copy") {
        return array_of(need(maker.parameters[0]).value, wanted, node);
    }
    if (name == "cross" || name == "outer") {
        return SmallArrays(*this).product(name, need("a").value, need("b").value, node);
    }
    if (name == "arange" || name == "linspace" || name == "eye" || name == "identity") {
        return series(name, given, wanted, node);
    }
    Shape shape;
    if (maker.is_like) {
        const ExpressionRef& like = need("a").value;
        shape = known_shape(like);
        if (shape.empty()) {
            unsupported(node, fmt::format("{} has no size that is known when the kernel is "
                                          "compiled; pass an array for the results",
                                          described(like->type)));
        }
        if (wanted == nullptr) wanted = like->type->element;
    } else {
        shape = constant_shape(need("shape"));
        if (shape.empty()) return nothing(unknown_type());
        if (std::ranges::find(shape, 0) != shape.end()) fail(node, "kernels make no empty arrays");
    }
    ExpressionRef value;
    if (name.starts_with("full")) {
        value = need("fill_value").value;
        if (!value->type->is_number()) {
            fail(node,
                 fmt::format("numpy.{}() takes a number, got {}", name, described(value->type)));
        }
        if (wanted == nullptr) wanted = value->type;
    } else if (!name.starts_with("empty")) {
        value = whole(name.starts_with("zeros") ? 0 : 1);
    }
    return filled(wanted != nullptr ? wanted : number_type(Kind::Float64), shape, value, node);
}

// What a function returns: the elements of its arrays, in tuples.
ExpressionRef Resolver::without_arrays(const ExpressionRef& value, const Syntax& node, Block& out) {
    if (!is_or_has_made(value->type)) return value;
    const ExpressionRef held =
        value->type->is_array() ? held_array(value, "result", node, out)
                                : (is_simple(value) ? value : assigned(value, "result", node, out));
    if (value->type->is_tuple()) {
        Values items;
        TypeData data = *value->type;
        for (std::size_t i = 0; i < data.items.size(); ++i) {
            items.push_back(without_arrays(item(held, i), node, out));
            data.items[i] = items.back()->type;
        }
        return tuple(std::move(items), intern(std::move(data)));
    }
    const Shape& shape = value->type->shape;
    if (shape.empty() || count_of(shape) > kMostWritten) {
        unsupported(node, fmt::format("functions of kernels return arrays of up to {} elements, of "
                                      "a shape that is known when compiled; pass an array for "
                                      "the results",
                                      kMostWritten));
    }
    const ExpressionRef items = items_as_tuple(held, node);
    TypeData data = *items->type;
    data.is_made = true;
    return tuple(items->operands, intern(std::move(data)));
}

// The arrays of which a function returned the elements.
ExpressionRef Resolver::with_arrays(const ExpressionRef& value, const Syntax& node,
                                    std::size_t& part) {
    if (!was_made(value->type)) return value;
    Lets lets;
    const ExpressionRef held = once(value, "result", lets);
    if (!value->type->is_made) {
        Values items;
        TypeData data = *value->type;
        for (std::size_t i = 0; i < data.items.size(); ++i) {
            items.push_back(with_arrays(item(held, i), node, part));
            data.items[i] = items.back()->type;
        }
        return wrapped(lets, tuple(std::move(items), intern(std::move(data))));
    }
    Shape shape;
    Type element = value->type;
    for (; element->is_tuple(); element = element->items[0]) {
        shape.push_back(static_cast<std::int64_t>(element->items.size()));
    }
    Values items;
    add_numbers(held, items);
    return made_behind(lets, made_of(element, shape, std::move(items), node, part++));
}

}  // namespace warpwise::script
