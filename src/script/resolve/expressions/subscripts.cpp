// Elements, views and shapes of arrays; items of tuples.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/library/unmade_arrays.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"

namespace warpwise::script {
namespace {

Type int64() {
    return number_type(Kind::Int64);
}

}  // namespace

const Syntax& Resolver::full_slice() {
    static const Syntax node = [] {
        Syntax made;
        made.form = Syntax::Form::Node;
        made.text = "Slice";
        return made;
    }();
    return node;
}

ExpressionRef Resolver::index_value(const Syntax& node) {
    ExpressionRef value = expression(node);
    if (value->type->family == Family::Unknown) return value;
    if (!value->type->is_number() || !value->type->is_whole()) {
        fail(node, fmt::format("an index is a whole number, got {}; convert it with int()",
                               described(value->type)));
    }
    return value;
}

std::vector<Resolver::Index> Resolver::indices(const Syntax& node, int rank) {
    std::vector<Index> found;
    std::optional<std::size_t> ellipsis;
    const auto add = [&](const Syntax& one) {
        if (one.is("Constant") && one["value"].form == Syntax::Form::Ellipsis) {
            if (ellipsis) fail(one, "an index has one '...' at most");
            ellipsis = found.size();
            return;
        }
        Index index{.at = nullptr, .node = &one};
        if (one.is("Slice")) {
            if (!one["lower"].is_none()) index.start = index_value(one["lower"]);
            if (!one["upper"].is_none()) index.stop = index_value(one["upper"]);
            if (!one["step"].is_none()) index.step = index_value(one["step"]);
            found.push_back(std::move(index));
            return;
        }
        const bool is_list = one.is("List") || one.is("ListComp") ||
                             (one.is("Name") && instance_.flow.lists.contains(one["id"].text));
        if (is_list) {
            unsupported(one,
                        "a list in an index takes several items, of which kernels make no "
                        "copy; write a loop, or x[i, j] for an item of two axes");
        }
        ExpressionRef value = expression(one);
        if (value->type->is_tuple()) {
            require_items(value->type, one);
            for (ExpressionRef& item : items_in_turn(value)) {
                Index part = index;
                part.at = std::move(item);
                if (!part.at->type->is_number() || !part.at->type->is_whole()) {
                    fail(one, fmt::format("an index is a whole number, got {}",
                                          described(part.at->type)));
                }
                found.push_back(std::move(part));
            }
            return;
        }
        index.is_new = value->type->family == Family::None;
        if (index.is_new) {
            found.push_back(std::move(index));
            return;
        }
        const bool is_whole =
            value->type->family == Family::Unknown || (is_whole_number(value->type));
        if (!is_whole) {
            fail(one, fmt::format("an index is a whole number or a slice, got {}; convert it with "
                                  "int()",
                                  described(value->type)));
        }
        index.at = std::move(value);
        found.push_back(std::move(index));
    };
    const Syntax& slice = node["slice"];
    if (slice.is("Tuple")) {
        for (const Syntax* one : slice.list("elts")) add(*one);
    } else {
        add(slice);
    }
    const auto axes = static_cast<std::size_t>(rank);
    const auto given = static_cast<std::size_t>(
        std::ranges::count_if(found, [](const Index& one) { return !one.is_new; }));
    if (ellipsis && given < axes) {
        const Index whole{.node = &full_slice()};
        found.insert(found.begin() + static_cast<std::ptrdiff_t>(*ellipsis), axes - given, whole);
    }
    return found;
}

bool Resolver::is_field(const Syntax& node) {
    if (node.is("Attribute")) return true;
    const Syntax& slice = node["slice"];
    return node.is("Subscript") && slice.is("Constant") &&
           slice["value"].form == Syntax::Form::String;
}

ExpressionRef Resolver::field(const ExpressionRef& records, const std::string& name,
                              const Syntax& node) {
    const std::vector<std::string>& names = records->type->names;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        fail(node, fmt::format("{} has no field '{}'{}", described(records->type), name,
                               suggestion(name, names)));
    }
    return field_at(records, static_cast<std::size_t>(found - names.begin()), node);
}

// A field by its number: of one record, a number is its value.
ExpressionRef Resolver::field_at(const ExpressionRef& records, std::size_t number,
                                 const Syntax& node) {
    ExpressionRef found = item(records, number);
    const bool is_number = found->type->is_array() && found->type->rank == 0;
    return is_number ? element(found, {}, node) : found;
}

// x[i], x[a:b] of records: views of the fields, numbers as places in memory.
ExpressionRef Resolver::records_at(const ExpressionRef& records, std::vector<Index> indices,
                                   const Syntax& node) {
    Lets lets;
    const ExpressionRef base = once(records, "records", lets);
    const ExpressionRef first = first_array(base);
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        Index& index = indices[axis];
        if (index.at) {
            ExpressionRef at = cast(index.at, int64());
            const ExpressionRef length = extent(first, static_cast<int>(axis));
            if (!at->is_never_negative) at = call("__ww_py_wrap", {at, length}, int64());
            at = once(checked_index(std::move(at), length, axis, node), "at", lets);
            if (!at->is_never_negative) {
                auto known = std::make_shared<Expression>(*at);
                known->is_never_negative = true;
                at = std::move(known);
            }
            index.at = std::move(at);
            index.is_checked = true;
        }
        for (ExpressionRef* part : {&index.start, &index.stop, &index.step}) {
            if (*part) *part = once(*part, "bound", lets);
        }
    }
    return wrapped(lets, fields_at(base, indices, node));
}

ExpressionRef Resolver::fields_at(const ExpressionRef& records, const std::vector<Index>& indices,
                                  const Syntax& node) {
    const auto gone =
        std::ranges::count_if(indices, [](const Index& one) { return one.at != nullptr; });
    Values fields;
    std::vector<Type> types;
    for (std::size_t i = 0; i < records->type->items.size(); ++i) {
        const ExpressionRef own = item(records, i);
        if (own->type->is_record()) {
            fields.push_back(fields_at(own, indices, node));
        } else if (own->type->rank == gone) {
            const Type type = with_axes(own->type, 0, Layout::C);
            fields.push_back(
                call("__ww_py_reference", {as_place(element(own, indices, node))}, type));
        } else {
            fields.push_back(view(own, indices));
        }
        types.push_back(fields.back()->type);
    }
    const int rank = records->type->rank - static_cast<int>(gone);
    return script::tuple(std::move(fields),
                         record_type(records->type->names, std::move(types), rank));
}

// An array that has the axes of the records first.
ExpressionRef Resolver::first_array(const ExpressionRef& records) {
    ExpressionRef found = records;
    while (found->type->is_record()) found = item(found, 0);
    return found;
}

// x[i] = v: field by field, of a record or of a tuple of numbers.
void Resolver::store_record(const ExpressionRef& place, const ExpressionRef& value,
                            const Syntax& node, Block& out) {
    if (place->type->rank > 0) {
        unsupported(node, "kernels assign to one record at a time; write a loop");
    }
    const bool is_same = value->type->is_record() && value->type->rank == 0 &&
                         value->type->names == place->type->names;
    const bool is_tuple =
        value->type->is_tuple() && value->type->items.size() == place->type->items.size();
    if (!is_same && !is_tuple) {
        fail(node, fmt::format("{} cannot be {}", described(place->type), described(value->type)));
    }
    const ExpressionRef source = is_simple(value) ? value : assigned(value, "record", node, out);
    const ExpressionRef target = is_simple(place) ? place : assigned(place, "place", node, out);
    for (std::size_t i = 0; i < target->type->items.size(); ++i) {
        const ExpressionRef to = field_at(target, i, node);
        const ExpressionRef from = is_same ? field_at(source, i, node) : item(source, i);
        if (to->type->is_record()) {
            store_record(to, from, node, out);
        } else if (to->type->is_array()) {
            copy_part(to, from, node, out);
        } else {
            store(to, from, node, out);
        }
    }
}

ExpressionRef Resolver::field_of_element(const Syntax& base, const std::string& name,
                                         const Syntax& node) {
    if (!base.is("Subscript") || is_field(base)) return nullptr;
    const ExpressionRef records = expression(base["value"]);
    if (!records->type->is_record()) return nullptr;
    return indexed(field(records, name, node), base);
}

ExpressionRef Resolver::place_of(const Syntax& target) {
    ExpressionRef place = target.is("Attribute") ? attribute(target) : subscript(target);
    const Expression* inner = place.get();
    while (inner->op == Expression::Op::Let) inner = inner->operands[1].get();
    const bool is_place = target.is("Subscript") || inner->op == Expression::Op::Element ||
                          place->type->is_record() || place->type->family == Family::Unknown ||
                          (place->type->is_array() && inner->op == Expression::Op::Call);
    if (!is_place) {
        const Type of = target.is("Attribute") ? expression(target["value"])->type : place->type;
        if (member_of(of, "__dataclass_fields__") != nullptr && !is_enum(of)) {
            const std::string& name = target["attr"].text;
            unsupported(target, fmt::format("kernels change no fields of a dataclass; make another "
                                            "value, p = dataclasses.replace(p, {}=...)",
                                            name));
        }
        unsupported(target,
                    "kernels assign to variables and elements of arrays, or of their fields, only");
    }
    return place;
}

ExpressionRef Resolver::subscript(const Syntax& node) {
    if (is_field(node)) {
        const std::string& name = node["slice"]["value"].text;
        if (ExpressionRef found = field_of_element(node["value"], name, node)) return found;
        const ExpressionRef base = expression(node["value"]);
        if (base->type->is_record()) return field(base, name, node);
    }
    if (ExpressionRef one = item_of_expression(node)) return one;
    const ExpressionRef base = expression(node["value"]);
    if (base->type->family == Family::Unknown) return base;
    if (base->type->family == Family::Dict) {
        if (!node["ctx"].is("Load")) unsupported(node, "kernels do not change dicts");
        const ExpressionRef key = expression(node["slice"]);
        return dict_item(base, key, nullptr, node);
    }
    const bool is_named = base->type->is_record() && node["slice"].is("Name");
    if (is_named) {
        const ExpressionRef name = expression(node["slice"]);
        if (name->type->family == Family::Text) return field(base, name->type->name, node);
    }
    return indexed(base, node);
}

ExpressionRef Resolver::indexed(const ExpressionRef& base, const Syntax& node) {
    const bool has_axes = base->type->is_array() || base->type->is_record();
    if (base->type->family == Family::Other && base->type->name.starts_with("list ")) {
        fail(node, fmt::format("kernels index no lists: {}; make it a tuple or a NumPy array",
                               base->type->name));
    }
    if (base->type->family == Family::Other) {
        fail(node,
             fmt::format("{}cannot be indexed: it is {}",
                         node["value"].is("Name") ? quote(node["value"]["id"].text) + " " : "",
                         described(base->type)));
    }
    if (member_of(base->type, "__getitem__") != nullptr) {
        const ExpressionRef key = expression(node["slice"]);
        if (key->type->family == Family::Unknown) return key;
        Lets lets;
        const ExpressionRef first = before(base, key, lets);
        return wrapped(lets, class_method("__getitem__", {first, key}, node));
    }
    if (base->type->is_array() && node["ctx"].is("Load")) {
        if (ExpressionRef few = UnmadeArrays(*this).gathered_few(base, node)) return few;
    }
    const std::vector<Index> found = indices(node, has_axes ? base->type->rank : 1);
    for (const Index& index : found) {
        for (const ExpressionRef& part : {index.at, index.start, index.stop, index.step}) {
            if (part && part->type->family == Family::Unknown) return part;
        }
    }
    if (std::ranges::any_of(found, &Index::is_new)) return view_with_axes(base, found, node);
    if (base->type->is_tuple()) {
        require_items(base->type, node);
        if (found.size() != 1) fail(node, "a tuple takes one index");
        return tuple_item(base, found[0], node);
    }
    if (base->type->is_chars()) {
        if (found.size() != 1) fail(node, "a string takes one index");
        return Chars(*this).item_of(base, found[0], node);
    }
    if (base->type->is_record() && base->type->rank == 0) {
        const auto& number = found[0].at ? found[0].at->constant : std::nullopt;
        const auto count = static_cast<std::int64_t>(base->type->items.size());
        const bool is_known = found.size() == 1 && number && number->whole &&
                              *number->whole >= -count && *number->whole < count;
        if (!is_known) fail(node, "the fields of a record have names, or constants as numbers");
        const std::int64_t at = *number->whole + (*number->whole < 0 ? count : 0);
        return field_at(base, static_cast<std::size_t>(at), node);
    }
    if (!base->type->is_array() && !base->type->is_record()) {
        const bool is_function = base->type->family == Family::Function;
        fail(node,
             fmt::format("{} cannot be indexed{}", described(base->type),
                         is_function ? "; kernels launch no kernels, but call functions" : ""));
    }
    const auto rank = static_cast<std::size_t>(base->type->rank);
    if (found.size() > rank) {
        fail(node, fmt::format("{} has {} ax{}, but the index has {}", described(base->type), rank,
                               rank == 1 ? "is" : "es", found.size()));
    }
    if (base->type->is_record()) return records_at(base, found, node);
    const bool is_element =
        found.size() == rank &&
        std::ranges::all_of(found, [](const Index& one) { return one.at != nullptr; });
    if (is_element) return element(base, found, node);
    const bool has_slice = std::ranges::any_of(found, [](const Index& one) { return !one.at; });
    if (base->type->is_list && has_slice) {
        if (rank != 1) {
            unsupported(node,
                        "a slice of a list of lists shares its items; write a loop, or take "
                        "cuda.local.array()");
        }
        if (base->type->layout != Layout::Fixed) {
            unsupported(node,
                        "the length of this list is not known here, in another function or a "
                        "comprehension; slice it before, or write a loop");
        }
        return tuple_item(items_as_tuple(base, node), found[0], node);  // a copy
    }
    return view(base, found);
}

ExpressionRef Resolver::extent(const ExpressionRef& array, int axis) {
    if (!array->type->shape.empty()) {
        return whole(array->type->shape[static_cast<std::size_t>(axis)]);
    }
    // Of what lies in memory.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
    return with_most(member(array, fmt::format("shape[{}]", axis), int64(), true), kMost);
}

// Whether the index is not negative where the axis has an item, as n - 1 and min(i, n - 1) are; an
// empty one has none at either number.
bool Resolver::is_from_start(const ExpressionRef& at, const ExpressionRef& length) const {
    if (translation_.has_checks()) return false;
    Facts with_item = facts_;
    with_item.raise(length, 1);
    return with_item.lower_bound(at).value_or(-1) >= 0;
}

ExpressionRef Resolver::element(const ExpressionRef& array, const std::vector<Index>& indices,
                                const Syntax& node) {
    Lets lets;
    ExpressionRef base = array;
    if (!indices.empty() && is_among_few(indices.back().at)) note_few_items(array);
    const bool is_wrapped =
        std::ranges::any_of(indices, [](const Index& one) { return !one.at->is_never_negative; });
    if (is_wrapped || translation_.has_checks()) base = once(array, "array", lets);
    auto made = std::make_shared<Expression>();
    made->op = Expression::Op::Element;
    made->type = array->type->element;
    made->effect = array->type->is_constant ? Effect::Pure : Effect::Reads;
    made->is_never_negative =
        made->type->is_bool() || (made->type->is_integer() && !made->type->is_signed());
    made->operands.push_back(base);
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        if (indices[axis].at->type->is_bool() && !array->type->is_list) {
            fail(node, "NumPy takes a bool in an index for a new axis; convert it with int()");
        }
        ExpressionRef at = cast(indices[axis].at, int64());
        if (!at->is_never_negative) {
            if (at->constant && at->constant->whole) {
                const ExpressionRef length = extent(base, static_cast<int>(axis));
                at = length->constant ? whole(*length->constant->whole + *at->constant->whole)
                                      : infix("-", length, whole(-*at->constant->whole), int64());
            } else if (!is_from_start(at, extent(base, static_cast<int>(axis)))) {
                at = call("__ww_py_wrap", {at, extent(base, static_cast<int>(axis))}, int64());
            }
        }
        if (!indices[axis].is_checked) {
            at = checked_index(std::move(at), extent(base, static_cast<int>(axis)), axis, node);
        }
        made->effect = std::max(made->effect, at->effect);
        made->operands.push_back(std::move(at));
    }
    made->effect = std::max(made->effect, base->effect);
    return wrapped(lets, std::move(made));
}

// The number of an item of `count`, negative ones from the end; out of range an error with checks.
ExpressionRef Resolver::item_number(const Index& index, const ExpressionRef& count,
                                    const std::string& error, const Syntax& node) {
    ExpressionRef at = cast(index.at, int64());
    if (!at->is_never_negative) at = call("__ww_py_wrap", {at, count}, int64());
    if (!translation_.has_checks()) return at;
    return checked("(unsigned long long){0} >= (unsigned long long){1}", {std::move(at), count},
                   implicit_raise("IndexError", error, node));
}

ExpressionRef Resolver::tuple_item(const ExpressionRef& tuple, const Index& index,
                                   const Syntax& node) {
    const auto count = static_cast<std::int64_t>(tuple->type->items.size());
    const auto constant = [](const ExpressionRef& value) -> std::optional<std::int64_t> {
        if (value->constant && value->constant->whole) return value->constant->whole;
        if (value->variable && value->variable->constant) return value->variable->constant;
        return std::nullopt;
    };
    if (!index.at) {
        const auto bound = [&](const ExpressionRef& value, std::int64_t least, std::int64_t most) {
            const auto known = constant(value);
            if (!known) fail(node, "the bounds of a slice of a tuple must be constants");
            return std::clamp<std::int64_t>(*known < 0 ? *known + count : *known, least, most);
        };
        const auto step = index.step ? constant(index.step) : 1;
        if (!step || *step == 0) fail(node, "the step of a slice of a tuple is a constant, not 0");
        Values items;
        Lets lets;
        const ExpressionRef all = opened(tuple, lets);
        const bool is_down = *step < 0;
        // Of a slice that goes down, the bounds are those of Python's slice.indices().
        const auto lower = [&](const ExpressionRef& value, std::int64_t unset) {
            if (!value) return unset;
            return is_down ? bound(value, -1, count - 1) : bound(value, 0, count);
        };
        const std::int64_t stop = lower(index.stop, is_down ? -1 : count);
        for (std::int64_t i = lower(index.start, is_down ? count - 1 : 0);
             is_down ? i > stop : i < stop; i += *step) {
            items.push_back(item(all, static_cast<std::size_t>(i)));
        }
        return wrapped(lets, script::tuple(std::move(items)));
    }
    if (const auto known = constant(index.at)) {
        const std::int64_t at = *known < 0 ? *known + count : *known;
        if (at < 0 || at >= count) {
            fail(node, fmt::format("the tuple has {} items, so it has no item {}", count, *known));
        }
        return item(tuple, static_cast<std::size_t>(at));
    }
    Type type = unknown_type();
    const bool is_uniform =
        count > 0 && std::ranges::all_of(tuple->type->items, [&](const Type one) {
            return one->is_tuple() || one->is_array();
        });
    for (const Type one : tuple->type->items) {
        const std::optional<Type> joint =
            is_uniform || one->is_number() ? unified(type, one) : std::nullopt;
        if (!joint) {
            fail(node, fmt::format("{} has items of several types that are no numbers, so its "
                                   "index must be a constant",
                                   described(tuple->type)));
        }
        type = *joint;
    }
    if (count == 0) fail(node, "an empty tuple has no items");
    const std::vector<Type> types(static_cast<std::size_t>(count), type);
    ExpressionRef items = cast(tuple, tuple_type(types));
    ExpressionRef at = item_number(index, whole(count), "tuple index out of range", node);
    return call(fmt::format("__ww_py_item<{}>", spelling_of(type)),
                {std::move(items), std::move(at)}, type);
}

ExpressionRef Resolver::shape_of(const ExpressionRef& array, int rank) {
    Values extents;
    for (int axis = 0; axis < rank; ++axis) extents.push_back(extent(array, axis));
    std::vector<Type> types(extents.size(), int64());
    return tuple(std::move(extents), tuple_type(std::move(types)));
}

ExpressionRef Resolver::size_of(const ExpressionRef& array, int rank) {
    ExpressionRef size = whole(1);
    for (int axis = 0; axis < rank; ++axis) {
        ExpressionRef length = extent(array, axis);
        if (axis == 0) {
            size = std::move(length);
        } else if (size->constant && length->constant) {
            size = whole(*size->constant->whole * *length->constant->whole);
        } else {
            size = infix("*", std::move(size), std::move(length), int64());
        }
    }
    return size;
}

}  // namespace warpwise::script
