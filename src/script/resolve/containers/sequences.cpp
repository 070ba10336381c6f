// What loops go over besides range(): enumerate(), zip() and reversed() of arrays, tuples and each
// other, numpy.ndindex(), numpy.ndenumerate() and x.flat.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"

namespace warpwise::script {
namespace {

constexpr std::size_t kMostCopies = 256;

// Of a text in UTF-8.
std::vector<std::string> characters_of(std::string_view text) {
    std::vector<std::string> characters;
    for (const char c : text) {
        const bool is_first = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (is_first) characters.emplace_back();
        characters.back() += c;
    }
    return characters;
}

Type int64() {
    return number_type(Kind::Int64);
}

}  // namespace

// What a call calls, unless that is a method of a value.
Type Resolver::callee_type(const Syntax& call) {
    const Syntax& function = call["func"];
    if (function.is("Name")) return expression(function)->type;
    if (!function.is("Attribute")) return none_type();
    const std::optional<std::string> path = dotted(function);
    if (!path || scope_value(*path) == nullptr) {
        const Family family = expression(function["value"])->type->family;
        if (family != Family::Known && family != Family::Module) return none_type();
    }
    return expression(function)->type;
}

// "range", "enumerate", "zip", "reversed", "ndindex", "ndenumerate" or a name of itertools, of a
// call of one; "flat" of that attribute of an array that is not contiguous; else empty.
std::string Resolver::sequence_name(const Syntax& node) {
    if (node.is("Attribute") && node["attr"].text == "flat") {
        const Type type = expression(node["value"])->type;
        return type->is_array() && type->layout == Layout::Strided && type->rank > 1 ? "flat" : "";
    }
    if (!node.is("Call")) return "";
    const Type callee = callee_type(node);
    if (callee->family != Family::Known) return "";
    if (callee->name == "numpy.ndindex" || callee->name == "numpy.ndenumerate") {
        return callee->name.substr(6);
    }
    if (callee->name.starts_with("itertools.")) return callee->name.substr(10);
    if (!callee->name.starts_with("builtins.")) return "";
    const std::string name = callee->name.substr(9);
    const bool is_one =
        name == "range" || name == "enumerate" || name == "zip" || name == "reversed";
    return is_one ? name : "";
}

Resolver::Sequence Resolver::range_sequence(const Arguments& range, const Syntax& node,
                                            Block& out) {
    if (range.empty() || range.size() > 3) fail(node, "range() takes one to three numbers");
    Values bounds{whole(0), whole(0), whole(1)};
    for (std::size_t i = 0; i < range.size(); ++i) {
        const ExpressionRef& value = range[i].value;
        if (value->type->family == Family::Unknown) return {};
        if (!value->type->is_number() || !value->type->is_whole()) {
            fail(*range[i].node,
                 fmt::format("range() takes whole numbers, got {}", described(value->type)));
        }
        bounds[range.size() == 1 ? 1 : i] = kept(cast(value, int64()), node, out);
    }
    const ExpressionRef start = bounds[0];
    const ExpressionRef step = bounds[2];
    if (step->constant && step->constant->whole == 0) fail(node, "the step of range() cannot be 0");
    ExpressionRef length =
        call("__ww_py_range_length", {start, bounds[1], step}, int64(), Effect::Pure, true);
    return {std::move(length), [start, step](const ExpressionRef& k) {
                return infix("+", start, infix("*", k, step, int64()), int64());
            }};
}

// The items of tuples and texts, the keys of dicts, and those of enumerate(), zip() and reversed()
// of them and of ranges that are known: nothing where the number of items is not known, or there is
// no tuple.
std::optional<Resolver::Values> Resolver::items_of(const Syntax& node) {
    bool has_tuple = false;
    std::optional<Values> items = items_of(node, has_tuple);
    return has_tuple ? items : std::nullopt;
}

std::optional<Resolver::Values> Resolver::items_of(const Syntax& node, bool& has_tuple) {
    const std::string name = sequence_name(node);
    Values items;
    if (name == "range") {
        std::int64_t bounds[] = {0, 0, 1};
        const auto given = node.list("args");
        for (std::size_t i = 0; i < given.size() && i < 3; ++i) {
            const ExpressionRef bound = expression(*given[i]);
            const auto known = bound->type->is_number() ? constants_of(bound) : std::nullopt;
            if (!known) return std::nullopt;
            bounds[given.size() == 1 ? 1 : i] = (*known)[0];
        }
        for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];
             i += bounds[2]) {
            if (bounds[2] == 0 || items.size() == kMostCopies) return std::nullopt;
            items.push_back(whole(i));
        }
        return items;
    }
    if (is_selection(name)) return selected_items(name, node, has_tuple);
    static const std::set<std::string_view> kByNumber = {"ndindex", "ndenumerate", "flat",
                                                         "chain",   "pairwise",    "count",
                                                         "cycle",   "islice",      "repeat"};
    if (kByNumber.contains(name)) return std::nullopt;
    if (name.empty()) {
        const ExpressionRef value = expression(node);
        if (value->type->family == Family::Text) {
            has_tuple = true;
            for (const std::string& one : characters_of(value->type->name)) {
                items.push_back(nothing(intern({.family = Family::Text, .name = one})));
            }
            return items;
        }
        if (value->type->family == Family::Dict && value->effect == Effect::Pure) {
            has_tuple = true;
            for (const std::string& one : value->type->names)
                items.push_back(dict_key(one, value->type));
            return items;
        }
        if (!value->type->is_tuple() || (value->op != Expression::Op::Tuple && !is_simple(value))) {
            return std::nullopt;
        }
        has_tuple = true;
        require_items(value->type, node);
        return items_in_turn(value);
    }
    std::vector<Values> parts;
    ExpressionRef start = whole(0);
    for (const Syntax* one : node.list("args")) {
        if (name == "enumerate" && !parts.empty()) {
            start = cast(expression(*one), int64());
            continue;
        }
        const std::optional<Values> part = items_of(*one, has_tuple);
        if (!part) return std::nullopt;
        parts.push_back(*part);
    }
    for (const Syntax* one : node.list("keywords")) {
        const ExpressionRef value = expression((*one)["value"]);
        const bool is_start = name == "enumerate" && (*one)["arg"].text == "start";
        if (is_start) start = cast(value, int64());
        if (!is_start && !is_false(value)) return std::nullopt;
    }
    if (parts.empty()) return std::nullopt;
    std::size_t length = parts[0].size();
    for (const Values& one : parts) length = std::min(length, one.size());
    for (std::size_t i = 0; i < length; ++i) {
        if (name == "reversed") {
            items.push_back(parts[0][length - 1 - i]);
            continue;
        }
        Values row;
        if (name == "enumerate") {
            row.push_back(binary("+", start, whole(static_cast<std::int64_t>(i)), node));
        }
        for (const Values& one : parts) row.push_back(one[i]);
        items.push_back(tuple(std::move(row)));
    }
    return items;
}

// The items of a tuple, or the characters of a string, by a counter.
Resolver::Sequence Resolver::sequence_of_items(ExpressionRef items, const Syntax& node,
                                               Block& out) {
    if (!is_fixed(items)) items = assigned(decayed(items), "sequence", node, out);
    ExpressionRef length = items->type->is_chars()
                               ? Chars::length(items)
                               : whole(static_cast<std::int64_t>(items->type->items.size()));
    if (items->type->is_tuple()) require_items(items->type, node);
    return {std::move(length), [this, items, &node](const ExpressionRef& k) {
                const Index at{.at = k, .node = &node};
                return items->type->is_chars() ? Chars(*this).item_of(items, at, node)
                                               : tuple_item(items, at, node);
            }};
}

// x[k] of an array or records, where k lies inside of the first axis.
ExpressionRef Resolver::row_of(const ExpressionRef& array, const ExpressionRef& k,
                               const Syntax& node) {
    const std::vector<Index> at = {{.at = k, .node = &node}};
    return array->type->is_record() ? records_at(array, at, node)
           : array->type->rank == 1 ? element(array, at, node)
                                    : view(array, at);
}

// What enumerate(), zip(), reversed() and range() of each other give, by a counter.
Resolver::Sequence Resolver::sequence_of(const Syntax& node, Block& out) {
    const std::string name = sequence_name(node);
    if (name.empty()) {
        ExpressionRef array = expression(node);
        if (array->type->family == Family::Unknown) return {};
        const bool is_array =
            (array->type->is_array() || array->type->is_record()) && array->type->rank > 0;
        if (array->type->is_tuple() || array->type->is_chars())
            return sequence_of_items(array, node, out);
        if (!is_array) {
            unsupported(node, fmt::format("kernels loop over range(), arrays, tuples and strings, "
                                          "not over {}",
                                          described(array->type)));
        }
        array = held_array(array, "sequence", node, out);
        return {extent(first_array(array), 0),
                [this, array, &node](const ExpressionRef& k) { return row_of(array, k, node); }};
    }
    if (name == "range") return range_sequence(arguments_of(node), node, out);
    if (name == "ndindex") return index_sequence(arguments_of(node), node, out);
    if (name == "ndenumerate" || name == "flat") {
        const bool has_index = name == "ndenumerate";
        const ExpressionRef array =
            has_index ? only(arguments_of(node), node, name) : expression(node["value"]);
        return element_sequence(array, has_index, node, out);
    }
    if (name == "accumulate") return accumulated_sequence(node, out);
    if (name == "chain" || name == "pairwise" || is_selection(name)) {
        return joined_sequence(name, node, out);
    }
    if (name == "count" || name == "cycle" || name == "islice" || name == "repeat") {
        return counted_sequence(name, node, out);
    }
    std::vector<Sequence> parts;
    ExpressionRef start = whole(0);
    bool is_strict = false;
    for (const Syntax* one : node.list("args")) {
        if (name == "enumerate" && !parts.empty()) {
            start = kept(cast(expression(*one), int64()), node, out);
            continue;
        }
        parts.push_back(sequence_of(*one, out));
        if (!parts.back().length) return {};
    }
    for (const Syntax* one : node.list("keywords")) {
        const ExpressionRef value = expression((*one)["value"]);
        const bool is_start = name == "enumerate" && (*one)["arg"].text == "start";
        if (is_start) start = kept(cast(value, int64()), node, out);
        const bool is_plain =
            name == "zip" && (*one)["arg"].text == "strict" && (is_false(value) || is_true(value));
        is_strict |= is_plain && is_true(value);
        if (!is_start && !is_plain) {
            unsupported(node,
                        fmt::format("{}() takes no {}= here in kernels", name, (*one)["arg"].text));
        }
    }
    if (parts.empty() || (name != "zip" && parts.size() != 1)) {
        fail(node, fmt::format("{}() takes {}", name, name == "zip" ? "sequences" : "a sequence"));
    }
    ExpressionRef length = parts[0].length;
    for (std::size_t i = 1; i < parts.size() && is_strict; ++i) {
        end_if(infix("!=", length, parts[i].length, number_type(Kind::Bool)),
               "zip() of sequences of other lengths, with strict=True", node, out);
    }
    for (std::size_t i = 1; i < parts.size() && !is_strict; ++i) {
        length = call("__ww_py_min", {length, parts[i].length}, int64(), Effect::Pure, true);
    }
    if (name == "reversed") {
        refuse_steps(parts[0], node);
        return {length, [length, part = parts[0]](const ExpressionRef& k) {
                    auto at = std::make_shared<Expression>(
                        *infix("-", infix("-", length, whole(1), int64()), k, int64()));
                    at->is_never_negative = true;
                    return part.at(at);
                }};
    }
    const bool counts = name == "enumerate";
    Sequence made{length, [parts, counts, start](const ExpressionRef& k) {
                      Values items;
                      if (counts) items.push_back(infix("+", start, k, int64()));
                      for (const Sequence& one : parts) items.push_back(one.at(k));
                      return tuple(std::move(items));
                  }};
    if (std::ranges::any_of(parts, [](const Sequence& one) { return one.step != nullptr; })) {
        made.step = [parts](const ExpressionRef& k, Block& body) {
            for (const Sequence& one : parts) {
                if (one.step) one.step(k, body);
            }
        };
    }
    return made;
}

// The place of an element of these extents by its number, the last axis fastest.
Resolver::Values Resolver::place_of_number(const ExpressionRef& number, const Values& extents) {
    Values place(extents.size());
    ExpressionRef rest = number;
    const auto natural = [](std::string_view op, const ExpressionRef& a, const ExpressionRef& b) {
        auto made = std::make_shared<Expression>(*infix(op, a, b, int64()));
        made->is_never_negative = true;
        return made;
    };
    for (std::size_t axis = extents.size(); axis-- > 1;) {
        place[axis] = natural("%", rest, extents[axis]);
        rest = natural("/", rest, extents[axis]);
    }
    place[0] = rest;
    return place;
}

// numpy.ndindex(n, m), numpy.ndindex(x.shape)
Resolver::Sequence Resolver::index_sequence(const Arguments& arguments, const Syntax& node,
                                            Block& out) {
    Values extents;
    const auto add = [&](const ExpressionRef& value, const Syntax& at) {
        if (!value->type->is_number() || !value->type->is_whole()) {
            fail(at, fmt::format("numpy.ndindex() takes whole numbers, or a tuple of them, got {}",
                                 described(value->type)));
        }
        const ExpressionRef length = cast(value, int64());
        const ExpressionRef natural =
            length->is_never_negative
                ? length
                : call("__ww_py_max", {length, whole(0)}, int64(), Effect::Pure, true);
        extents.push_back(kept(natural, node, out));
    };
    for (const Argument& one : arguments) {
        if (one.value->type->family == Family::Unknown) return {};
        if (!one.value->type->is_tuple()) {
            add(one.value, *one.node);
            continue;
        }
        const ExpressionRef held = held_items(one.value, node, out);
        for (std::size_t i = 0; i < held->type->items.size(); ++i) add(item(held, i), *one.node);
    }
    if (extents.empty()) fail(node, "numpy.ndindex() takes the extents of the axes");
    ExpressionRef length = extents[0];
    for (std::size_t i = 1; i < extents.size(); ++i)
        length = infix("*", length, extents[i], int64());
    return {kept(length, node, out), [extents](const ExpressionRef& k) {
                Values place = place_of_number(k, extents);
                const std::vector<Type> types(place.size(), int64());
                return tuple(std::move(place), tuple_type(types));
            }};
}

ExpressionRef Resolver::held_items(const ExpressionRef& value, const Syntax& node, Block& out) {
    const bool stays = value->op == Expression::Op::Tuple || is_fixed(value);
    return stays ? value : assigned(decayed(value), "items", node, out);
}

// numpy.ndenumerate(x), and x.flat.
Resolver::Sequence Resolver::element_sequence(const ExpressionRef& value, bool has_index,
                                              const Syntax& node, Block& out) {
    if (value->type->family == Family::Unknown) return {};
    if (!value->type->is_array() || value->type->rank == 0) {
        fail(node,
             fmt::format("numpy.ndenumerate() takes an array, got {}", described(value->type)));
    }
    const ExpressionRef array = held_array(value, "sequence", node, out);
    Values extents;
    for (int axis = 0; axis < array->type->rank; ++axis) extents.push_back(extent(array, axis));
    return {size_of(array, array->type->rank),
            [this, array, extents, has_index, &node](const ExpressionRef& k) {
                Values place = place_of_number(k, extents);
                std::vector<Index> at;
                for (const ExpressionRef& one : place) {
                    at.push_back({.at = one, .node = &node, .is_checked = true});
                }
                ExpressionRef one = element(array, at, node);
                if (!has_index) return one;
                const std::vector<Type> types(place.size(), int64());
                const Type pair = tuple_type({tuple_type(types), one->type});
                return tuple({tuple(std::move(place), tuple_type(types)), std::move(one)}, pair);
            }};
}

}  // namespace warpwise::script
