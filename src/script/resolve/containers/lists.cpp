// Lists whose items the function assigns: acc = [0.0] * 3; acc[k] += x.
//
// Such a list is an array of the function's own, as cuda.local.array() makes one. What makes it
// differ from an array: its elements have the type that all items stored to it need, and its slices
// would be copies. Other lists are tuples.
#include <fmt/format.h>

#include <algorithm>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr std::int64_t kMostItems = 65536;

bool is_product(const Syntax& node) {
    return node.is("BinOp") && node["op"].is("Mult") &&
           (node["left"].is("List") || node["right"].is("List"));
}

// The extents of tuples in tuples, and the type of the numbers in them; false: there are none.
bool measure(Type type, std::size_t axis, std::vector<std::int64_t>& shape, Type& element) {
    const auto count = static_cast<std::int64_t>(type->items.size());
    if (axis == shape.size()) shape.push_back(count);
    if (shape[axis] != count) return false;
    return std::ranges::all_of(type->items, [&](const Type one) {
        if (one->is_tuple()) return measure(one, axis + 1, shape, element);
        const std::optional<Type> joint =
            one->is_number() && axis + 1 == shape.size() ? unified(element, one) : std::nullopt;
        if (joint) element = *joint;
        return joint.has_value();
    });
}

}  // namespace

bool Resolver::is_changed_list(const Syntax& node) const {
    const Syntax& value = node["value"];
    // list(x) and, of a list, x[a:b] are new lists.
    const bool is_copy = value.is("Subscript")
                             ? value["slice"].is("Slice")
                             : value.is("Call") && value["func"].is("Name") &&
                                   value["func"]["id"].text == "list" &&
                                   !instance_.flow.variable_of.contains(&value["func"]);
    if (!value.is("List") && !value.is("ListComp") && !is_product(value) && !is_copy) return false;
    return std::ranges::any_of(node.list("targets"), [this](const Syntax* target) {
        return target->is("Name") && instance_.flow.changed.contains((*target)["id"].text);
    });
}

// The array of a list that is written there, whose elements hold `items`, and what is stored later.
ExpressionRef Resolver::list_storage(const Syntax& node, Type items,
                                     const std::vector<std::int64_t>& shape) {
    const auto found = std::ranges::find(instance_.lists, &node, &Instance::List::node);
    const auto number = static_cast<std::size_t>(found - instance_.lists.begin());
    if (found == instance_.lists.end()) instance_.lists.push_back({.node = &node});
    instance_.lists[number].is_in_loop |= !loops_.empty();
    Type& element = instance_.lists[number].element;
    const std::optional<Type> joint = unified(element, items);
    if (joint && *joint != element) {
        element = *joint;
        translation_.note_change();
    }
    // The copies of a loop that is written out have one.
    ExpressionRef& place = list_places_[&node];
    if (place && place->type->shape != shape) {
        unsupported(node, "a list that is made in a loop over a tuple has one length in kernels");
    }
    if (place && place->type->element == element) return place;
    auto made = std::make_shared<Expression>(*declared_storage("", element, shape, storage_name_));
    TypeData data = *made->type;
    data.is_list = true;
    data.number = number + 1;
    made->type = intern(std::move(data));
    return place = made;
}

// Of append() and its like.
void Resolver::refuse_growth(const Syntax& node) const {
    unsupported(node,
                "lists of kernels have a fixed length; make it as long as it gets, [0] * n, and "
                "count the items");
}

// False: nothing of a list of numbers.
bool Resolver::assign_list(const Syntax& node, Block& out) {
    const Syntax& value = node["value"];
    ExpressionRef list;
    if (is_product(value)) {
        const bool is_left = value["left"].is("List");
        const ExpressionRef items = expression(is_left ? value["left"] : value["right"]);
        const Syntax& times = is_left ? value["right"] : value["left"];
        const ExpressionRef count = expression(times);
        if (items->type->family == Family::Unknown || count->type->family == Family::Unknown) {
            assign_all(node, nothing(unknown_type()), out);
            return true;
        }
        if (items->type->items.size() != 1 || !items->type->items[0]->is_number()) return false;
        const Type element = items->type->items[0];
        const ExpressionRef filling = kept(item(items, 0), node, out);
        const std::vector<std::int64_t> shape =
            constant_shape({.keyword = "", .value = count, .node = &times});
        if (shape.empty()) {  // known in the next pass
            assign_all(node, nothing(unknown_type()), out);
            return true;
        }
        if (shape.size() != 1 || shape[0] > kMostItems) {
            fail(times, fmt::format("lists of kernels have up to {} items", kMostItems));
        }
        list = list_storage(node, element, shape);
        store_part(list, filling, node, nullptr, out);
    } else {
        if (value.is("Subscript")) {
            const Type of = expression(value["value"])->type;
            if (of->family != Family::Unknown && !(of->is_array() && of->is_list)) return false;
        }
        const ExpressionRef items = expression(value);
        if (items->type->family == Family::Unknown) {
            assign_all(node, items, out);
            return true;
        }
        std::vector<std::int64_t> shape;
        Type element = unknown_type();
        if (items->type->items.empty() || !measure(items->type, 0, shape, element)) return false;
        // An item may read the list that was in its place.
        const ExpressionRef held = assigned(items, "items", node, out);
        list = list_storage(node, element, shape);
        store_items(list, held, node, out);
    }
    assign_all(node, list, out);
    return true;
}

void Resolver::assign_all(const Syntax& node, const ExpressionRef& value, Block& out) {
    makes_list_ = true;
    for (const Syntax* target : node.list("targets")) assign(*target, value, out);
    makes_list_ = false;
}

// A list that a loop makes is another one in each turn in Python; here it has one place.
void Resolver::check_other_name(Type type, const Syntax& node) const {
    if (makes_list_) return;
    if (type->is_tuple()) {
        for (const Type one : type->items) check_other_name(one, node);
    }
    if (type->is_array() && type->is_made && type->number == 2) {
        unsupported(node,
                    "an array that is made in a loop has one name in kernels; take a copy, "
                    "a.copy(), or make it before the loop and assign its elements, b[:] = a");
    }
    if (!type->is_array() || !type->is_list) return;
    if (type->number != 0 && instance_.lists[type->number - 1].is_grown) {
        unsupported(node, "a list that grows has one name in kernels; copy its items in a loop");
    }
    const auto is_in_loop = [](const Instance::List& one) { return one.is_in_loop; };
    const bool may_be_in_loop = type->number == 0 ? std::ranges::any_of(instance_.lists, is_in_loop)
                                                  : instance_.lists[type->number - 1].is_in_loop;
    if (!may_be_in_loop) return;
    unsupported(node,
                "a list that is made in a loop has one name in kernels; make both lists "
                "before the loop and swap them: a, b = b, a");
}

void Resolver::store_items(const ExpressionRef& list, const ExpressionRef& items,
                           const Syntax& node, Block& out) {
    std::vector<Index> places;
    const std::function<void(const ExpressionRef&)> add = [&](const ExpressionRef& part) {
        for (std::size_t i = 0; i < part->type->items.size(); ++i) {
            places.push_back({.at = whole(static_cast<std::int64_t>(i)), .node = &node});
            const ExpressionRef one = item(part, i);
            if (one->type->is_tuple()) {
                add(one);
            } else {
                store(element(list, places, node), one, node, out);
            }
            places.pop_back();
        }
    };
    add(items);
}

// Whether a value may be stored to the list as it is: the next pass has larger elements otherwise.
bool Resolver::fits_list(Type list, Type value, const Syntax& node) {
    const std::optional<Type> joint = unified(list->element, value);
    if (!joint || *joint == list->element) return true;
    if (list->number == 0) {
        fail(node, fmt::format("a list of {} holds no {} here; begin it with items of that type",
                               text_of(list->element), text_of(value)));
    }
    instance_.lists[list->number - 1].element = *joint;
    translation_.note_change();
    return false;
}

// As other functions get it: a list that is no longer theirs to widen.
ExpressionRef Resolver::lent(const ExpressionRef& value) {
    const Type type = value->type;
    if (!type->is_array() || type->number == 0) return value;
    TypeData data = *type;
    data.number = 0;
    return cast(value, intern(std::move(data)));
}

// The items of an array of a known shape.
ExpressionRef Resolver::items_as_tuple(const ExpressionRef& array, const Syntax& node) {
    std::vector<Index> places;
    const std::function<ExpressionRef(std::size_t)> from = [&](std::size_t axis) {
        if (axis == array->type->shape.size()) return element(array, places, node);
        Values items;
        for (std::int64_t i = 0; i < array->type->shape[axis]; ++i) {
            places.push_back({.at = whole(i), .node = &node});
            items.push_back(from(axis + 1));
            places.pop_back();
        }
        return tuple(std::move(items));
    };
    return from(0);
}

// Lists that a function returns are read there: tuples.
ExpressionRef Resolver::returned_list(const ExpressionRef& value, const Syntax& node) {
    if (!value->type->is_array() || !value->type->is_list) return value;
    if (value->type->layout != Layout::Fixed) {
        unsupported(node,
                    "which list is returned is not known when the kernel is compiled; return "
                    "a tuple");
    }
    return items_as_tuple(value, node);
}

}  // namespace warpwise::script
