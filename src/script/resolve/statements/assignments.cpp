// What gets a value: variables, elements, tuples of targets, one by one or with an operator.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/script/promotion.hpp"
#include "src/script/resolve/optional.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"
#include "src/script/resolve/values/times.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

bool reads(const ExpressionRef& value, const Variable* variable) {
    if (value->variable.get() == variable) return true;
    return std::ranges::any_of(
        value->operands, [&](const ExpressionRef& operand) { return reads(operand, variable); });
}

}  // namespace

void Resolver::assign(const Syntax& target, ExpressionRef value, Block& out) {
    if (value->type->family == Family::Unknown) {
        if (target.is("Name"))
            set_type(*instance_.variables[instance_.flow.variable_of.at(&target)], value, target);
        if (!target.is("Tuple") && !target.is("List")) return;
        for (const Syntax* one : target.list("elts")) assign(*one, value, out);
        return;
    }
    if (target.is("Name")) {
        assign_variable(target, target["id"].text, std::move(value), out);
    } else if (target.is("Tuple") || target.is("List")) {
        unpack(target, value, out);
    } else if (target.is("Subscript") || target.is("Attribute")) {
        // Python evaluates the value before the place.
        if (value->storage) {
            evaluate(value, target, out);
            value = value->storage;
        } else if (!is_simple(value) && value->effect == Effect::Acts) {
            value = assigned(value, "value", target, out);
        }
        const ExpressionRef place = place_of(target);
        if (place->type->is_record()) {
            store_record(place, value, target, out);
        } else if (target["slice"].is("Slice") && place->type->is_tuple()) {
            store_slice(place, value, target, out);
        } else if (place->type->is_array()) {
            store_part(place, std::move(value), target, statement_value_, out);
        } else {
            store(place, std::move(value), target, out);
        }
    } else {
        unsupported(target, "kernels assign to variables and elements of arrays only");
    }
}

bool Resolver::may_be_unset(const Variable& variable) const {
    return std::ranges::any_of(instance_.flow.maybe_unset, [&](const Syntax* use) {
        const auto number = instance_.flow.variable_of.find(use);
        return number != instance_.flow.variable_of.end() &&
               instance_.variables[number->second].get() == &variable;
    });
}

void Resolver::assign_variable(const Syntax& node, const std::string&, ExpressionRef value,
                               Block& out) {
    if (is_optional(value->type)) return assign_result(node, value, out);
    const std::shared_ptr<Variable>& variable =
        instance_.variables[instance_.flow.variable_of.at(&node)];
    if (variable->has_value && value->type->family == Family::None) {
        if (value->effect == Effect::Acts) evaluate(std::move(value), node, out);
        return assign_none(variable, node, out);
    }
    if (variable->has_value) require_optional(*variable, value->type, node);
    // An array that is made here: the variable stands for where it lies.
    const bool is_made = value->storage != nullptr;
    if (!is_made) check_other_name(value->type, node);
    set_type(*variable, is_made ? value->storage : value, node);
    if (value->type->is_number()) facts_.assigned(script::variable(variable), value);
    if (variable->assignments == 1 && value->constant && value->constant->whole) {
        variable->constant = value->constant->whole;
    }
    if (variable->assignments == 1) {
        variable->bounded_shape = value->bounded_shape;
        variable->is_whole_part = value->is_whole_part;
        variable->unit_axes = value->unit_axes;
        variable->extent = is_fixed_extent(value) && !may_be_unset(*variable) ? value : nullptr;
    }
    note_effect(value->effect);
    const bool is_storage = variable->type->is_array() && variable->type->layout == Layout::Fixed;
    if (!variable->type->has_value() || is_storage) {
        if (value->effect == Effect::Acts) evaluate(std::move(value), node, out);
        return;
    }
    ExpressionRef converted = cast(std::move(value), variable->type);
    out.push_back({.op = Op::Assign,
                   .place = node.place,
                   .variable = variable,
                   .value = std::move(converted)});
    if (variable->has_value) set_presence(*variable, truth(true), node, out);
}

ExpressionRef Resolver::held(const ExpressionRef& value, std::string_view name, const Syntax& node,
                             Block& out) {
    const bool stays =
        value->op == Expression::Op::Constant || value->op == Expression::Op::Variable ||
        value->op == Expression::Op::Storage || value->type->family == Family::Unknown;
    return stays ? value : assigned(value, name, node, out);
}

ExpressionRef Resolver::assigned(const ExpressionRef& value, std::string_view name,
                                 const Syntax& node, Block& out) {
    std::shared_ptr<Variable> held = temporary_for(value, name);
    note_effect(value->effect);
    out.push_back({.op = Op::Assign, .place = node.place, .variable = held, .value = value});
    return variable(held);
}

void Resolver::store(const ExpressionRef& target, ExpressionRef value, const Syntax& node,
                     Block& out) {
    if (target->type->family == Family::Unknown) return;
    Expression const* place = target.get();
    while (place->op == Expression::Op::Let) place = place->operands[1].get();
    if (place->op != Expression::Op::Element)
        fail(node,
             "tuples cannot be changed; the items of a list can by the function that makes it, "
             "or take cuda.local.array()");
    note_written(place->operands[0], node);
    const Type element = target->type;
    const Type array = place->operands[0]->type;
    if (array->is_list && !fits_list(array, value->type, node)) return;
    if (element->is_time() && value->type->is_time())
        value = Times(*this).in_unit(value, element, node);
    if (element->is_chars()) {
        const ExpressionRef text = Chars::of(value);
        if (text && text->type->kind == element->kind) value = cast(text, element);
    }
    if (value->type != element && !(value->type->is_number() && element->is_number())) {
        fail(node, fmt::format("an element of {} cannot be {}", text_of(element),
                               described(value->type)));
    }
    if (value->type->is_complex() && !element->is_complex()) {
        fail(node, fmt::format("an element of {} cannot hold {}; store its real part",
                               text_of(element), text_of(value->type)));
    }
    out.push_back(
        {.op = Op::Store,
         .place = node.place,
         .target = place->operands[0]->type->is_packed ? as_place(target) : target,
         .value = element->is_bool() ? truth_of(value, node) : cast(std::move(value), element)});
}

// The thread ends unless an array's axis has so many items, as at an exception.
void Resolver::require_length(const ExpressionRef& length, std::int64_t count, std::string message,
                              const Syntax& node, Block& out) {
    if (length->constant && length->constant->whole) {
        if (*length->constant->whole != count) fail(node, message);
        return;
    }
    end_if(infix("!=", length, whole(count), number_type(Kind::Bool)), std::move(message), node,
           out);
}

// x[i] = a, b: an item for each of the first axis, or one for all. All are evaluated before.
void Resolver::store_row(const ExpressionRef& view, const ExpressionRef& values,
                         const Syntax& target, Block& out) {
    require_items(values->type, target);
    const auto count = static_cast<std::int64_t>(values->type->items.size());
    if (count == 0) fail(target, "a part of an array cannot be an empty tuple");
    const ExpressionRef items = assigned(values, "items", target, out);
    if (count == 1) return store_part(view, item(items, 0), target, nullptr, out);
    const std::string error = fmt::format("could not broadcast {} values to another shape", count);
    ExpressionRef part = row_of_length(view, count, error, target, out);
    if (!part) {
        part = held_array(view, "part", target, out);
        require_length(extent(part, 0), count, error, target, out);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const ExpressionRef place = row_of(part, whole(i), target);
        const ExpressionRef one = item(items, static_cast<std::size_t>(i));
        if (place->type->is_array()) {
            store_part(place, one, target, nullptr, out);
        } else {
            store(place, one, target, out);
        }
    }
}

// a[1:3] = x, y, of a list: `places` are its elements.
void Resolver::store_slice(const ExpressionRef& places, const ExpressionRef& values,
                           const Syntax& target, Block& out) {
    const bool are_elements = places->op == Expression::Op::Tuple &&
                              std::ranges::all_of(places->operands, [](const ExpressionRef& one) {
                                  return one->op == Expression::Op::Element;
                              });
    if (!are_elements) fail(target, "tuples cannot be changed; make another one of its items");
    if (!values->type->is_tuple() || values->type->items.size() != places->operands.size()) {
        unsupported(target, fmt::format("lists of kernels keep their length: a slice of {} items "
                                        "takes a tuple of as many, got {}",
                                        places->operands.size(), described(values->type)));
    }
    const ExpressionRef items = assigned(values, "items", target, out);
    for (std::size_t i = 0; i < places->operands.size(); ++i) {
        store(places->operands[i], item(items, i), target, out);
    }
}

// The items of an array. Where its length is not known, the thread ends unless they are as many as
// the targets, as at an exception.
ExpressionRef Resolver::array_items(const ExpressionRef& value, const Syntax& target, Block& out) {
    const auto targets = target.list("elts");
    ExpressionRef array = value;
    auto count = static_cast<std::int64_t>(targets.size());
    if (array->type->layout == Layout::Fixed) {
        count = array->type->shape[0];
    } else {
        const auto is_starred = [](const Syntax* one) { return one->is("Starred"); };
        if (std::ranges::any_of(targets, is_starred)) {
            fail(target, fmt::format("{} has no length that is known when compiled, so nothing "
                                     "takes the rest of it; take a part, x[1:]",
                                     described(array->type)));
        }
        const std::string error = fmt::format("expected {} values to unpack", count);
        if (ExpressionRef row = row_of_length(array, count, error, target, out)) {
            array = std::move(row);
        } else {
            array = held_array(array, "values", target, out);
            require_length(extent(array, 0), count, error, target, out);
        }
    }
    Values items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(row_of(array, whole(i), target));
    return tuple(std::move(items));
}

void Resolver::unpack(const Syntax& target, const ExpressionRef& value, Block& out) {
    const auto targets = target.list("elts");
    ExpressionRef source = value;
    if (source->type->is_array() && source->type->rank > 0)
        source = array_items(source, target, out);
    if (!source->type->is_tuple()) {
        fail(target, fmt::format("{} cannot be unpacked; only tuples and arrays can",
                                 described(source->type)));
    }
    require_items(source->type, target);
    const std::size_t count = source->type->items.size();
    const auto starred =
        std::ranges::find_if(targets, [](const Syntax* one) { return one->is("Starred"); });
    const bool has_star = starred != targets.end();
    if (has_star ? count + 1 < targets.size() : count != targets.size()) {
        fail(target, fmt::format("{} values are unpacked to {} targets", count, targets.size()));
    }
    if (source->op != Expression::Op::Tuple && !is_simple(source)) {
        source = assigned(source, "values", target, out);
    }
    // One after the other, unless an assignment changes what a later item reads.
    Values items = items_in_turn(source);
    bool is_direct = !has_star;
    for (std::size_t i = 0; i < count && is_direct; ++i) {
        if (!targets[i]->is("Name")) {
            is_direct = items.size() == 1;
            continue;
        }
        const auto& variable = instance_.variables[instance_.flow.variable_of.at(targets[i])];
        for (std::size_t later = i + 1; later < count; ++later) {
            is_direct &= !reads(items[later], variable.get());
        }
    }
    if (!is_direct) {
        for (ExpressionRef& one : items) {
            if (one->op == Expression::Op::Constant || !one->type->has_value()) continue;
            one = assigned(decayed(one), "item", target, out);
        }
    }
    std::size_t next = 0;
    for (const Syntax* one : targets) {
        if (!one->is("Starred")) {
            assign(*one, items[next++], out);
            continue;
        }
        Values rest;
        for (std::size_t k = 0; k < count + 1 - targets.size(); ++k) {
            rest.push_back(items[next++]);
        }
        assign((*one)["value"], tuple(std::move(rest)), out);
    }
}

void Resolver::augmented(const Syntax& node, Block& out) {
    const Syntax& target = node["target"];
    static const std::map<std::string_view, std::string_view> ops = {
        {"Add", "+"},     {"Sub", "-"},     {"Mult", "*"},   {"Div", "/"},   {"FloorDiv", "//"},
        {"Mod", "%"},     {"Pow", "**"},    {"BitAnd", "&"}, {"BitOr", "|"}, {"BitXor", "^"},
        {"LShift", "<<"}, {"RShift", ">>"}, {"MatMult", "@"}};
    const std::string_view op = ops.at(node["op"].text);
    if (target.is("Name")) {
        const std::string& id = target["id"].text;
        if (!instance_.flow.variable_of.contains(&target))
            fail(target, fmt::format("'{}' has no value", id));
        ExpressionRef before = read(target, instance_.flow.variable_of.at(&target));
        GrownList* const grown = grown_list(target);
        if (grown != nullptr && op == "+") {  // near += (v, w)
            const ExpressionRef value = expression(node["value"]);
            if (value->type->family == Family::Unknown) return;
            if (!value->type->is_tuple()) {
                unsupported(target, "a list that grows takes tuples and lists of known length");
            }
            require_items(value->type, target);
            const ExpressionRef held = assigned(value, "items", target, out);
            Values items;
            for (std::size_t i = 0; i < value->type->items.size(); ++i) {
                items.push_back(item(held, i));
            }
            append_items(*grown, target, items, node, out);
            return;
        }
        if (before->type->is_array() && !before->type->is_list) {  // in its place, as x[:] += v
            if (change_elements(op, before, target, node["value"], out)) return;
            change_part(op, before, expression(node["value"]), target, node["value"], out);
            return;
        }
        const ExpressionRef other = expression(node["value"]);
        ExpressionRef value = class_update(op, before, other, node);
        if (!value) value = binary(op, std::move(before), other, node);
        assign(target, std::move(value), out);
        return;
    }
    if (is_field(target)) {
        const ExpressionRef place = place_of(target);
        if (place->type->family == Family::Unknown) return;
        ExpressionRef value = expression(node["value"]);
        if (place->effect == Effect::Acts || value->effect == Effect::Acts) {
            unsupported(target, "the index and the value call functions that act; give them names");
        }
        store(place, binary(op, place, std::move(value), node), target, out);
        return;
    }
    if (!target.is("Subscript"))
        unsupported(target, "kernels assign to variables and elements only");
    if (store_scattered(op, target, node["value"], out)) return;
    if (store_where(op, target, node["value"], out)) return;
    const ExpressionRef base = held(expression(target["value"]), "array", node, out);
    const bool has_axes = base->type->is_array() || base->type->is_record();
    std::vector<Index> places = indices(target, has_axes ? base->type->rank : 1);
    if (base->type->family == Family::Unknown) {
        expression(node["value"]);
        return;
    }
    if (!base->type->is_array()) {
        unsupported(target, fmt::format("kernels change elements of arrays, not of {}",
                                        described(base->type)));
    }
    const bool is_part = places.size() < static_cast<std::size_t>(base->type->rank) ||
                         std::ranges::any_of(places, [](const Index& one) { return !one.at; });
    if (is_part) {
        const ExpressionRef part = indexed(base, target);
        if (part->type->family == Family::Unknown) return;
        if (part->type->is_tuple()) refuse_growth(target);
        if (change_elements(op, part, target, node["value"], out)) return;
        change_part(op, part, expression(node["value"]), target, node["value"], out);
        return;
    }
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
        ExpressionRef& at = places[axis].at;
        if (at->type->family == Family::Unknown) return;
        if (!at->is_never_negative && !at->constant) {
            at = call("__ww_py_wrap",
                      {cast(at, number_type(Kind::Int64)), extent(base, static_cast<int>(axis))},
                      number_type(Kind::Int64), Effect::Pure, true);
        }
        at = checked_index(std::move(at), extent(base, static_cast<int>(axis)), axis, target);
        places[axis].is_checked = true;
        at = held(at, "at", node, out);
    }
    const ExpressionRef place = element(base, places, target);
    store(place, binary(op, place, expression(node["value"]), node), target, out);
}

}  // namespace warpwise::script
