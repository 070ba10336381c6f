// Dicts whose keys are numbers, strings and members of an enum that are known when compiled:
// {1: 0.5, 2: 0.25}[k].
//
// A dict is a tuple of its values; its type has the keys, and the enum as its element. A key that
// is known chooses a value, one that is not is compared with all of them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr std::size_t kMostKeys = 256;

}  // namespace

// The constant that a member of an enum holds; null for what is none, and for unknown members.
const Expression* Resolver::held_of(const ExpressionRef& member) const {
    const bool is_written = is_enum(member->type) && member->op == Expression::Op::Tuple;
    return is_written && member->operands[0]->constant ? member->operands[0].get() : nullptr;
}

// As keys are in types: equal keys have one text, 2 and 2.0 and True and 1 too.
std::string Resolver::key_text(const ExpressionRef& key, const Syntax& node) const {
    if (held_of(key) != nullptr) return "m" + key_text(key->operands[0], node);
    if (key->type->family == Family::Text) return "s" + key->type->name;
    if (key->constant && key->type->is_number()) {
        const Constant& value = *key->constant;
        if (value.whole) return fmt::format("i{}", *value.whole);
        if (value.truth) return *value.truth ? "i1" : "i0";
        if (value.real) {
            const bool is_whole = *value.real == std::floor(*value.real) &&
                                  std::abs(*value.real) < 9007199254740992.0;
            return is_whole ? fmt::format("i{}", static_cast<std::int64_t>(*value.real))
                            : fmt::format("f{}", std::bit_cast<std::uint64_t>(*value.real));
        }
    }
    unsupported(node, fmt::format("the keys of dicts are constants in kernels, numbers, strings "
                                  "and members of enums, got {}; write it with tuples and loops",
                                  described(key->type)));
}

ExpressionRef Resolver::dict_key(const std::string& text, Type dict) {
    if (text[0] == 'm') {
        const ExpressionRef held = dict_key(text.substr(1), dict);
        return tuple({cast(held, dict->element->items[0])}, dict->element);
    }
    if (text[0] == 's') {
        return nothing(intern({.family = Family::Text, .name = text.substr(1)}));
    }
    const char* const first = text.data() + 1;
    const char* const last = text.data() + text.size();
    if (text[0] == 'i') {
        std::int64_t value = 0;
        std::from_chars(first, last, value);
        return whole(value);
    }
    std::uint64_t bits = 0;
    std::from_chars(first, last, bits);
    return real(std::bit_cast<double>(bits));
}

ExpressionRef Resolver::dict_value(const Values& keys, Values values,
                                   const std::vector<const Syntax*>& nodes) {
    TypeData type{.family = Family::Dict};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Type of = is_enum(keys[i]->type) ? keys[i]->type : nullptr;
        if (i > 0 && of != type.element) {
            unsupported(*nodes[i],
                        "the keys of a dict are members of one enum in kernels, or none");
        }
        type.element = of;
        type.names.push_back(key_text(keys[i], *nodes[i]));
        if (std::ranges::count(type.names, type.names.back()) > 1) {
            unsupported(*nodes[i], "a dict of a kernel has one value for each key");
        }
    }
    for (const ExpressionRef& one : values) type.items.push_back(one->type);
    return tuple(std::move(values), intern(std::move(type)));
}

// {key: value, ...}
ExpressionRef Resolver::dict_of(const Syntax& node) {
    const auto keys = node.list("keys");
    const auto values = node.list("values");
    if (keys.size() > kMostKeys) {
        unsupported(node, fmt::format("dicts of kernels have up to {} keys", kMostKeys));
    }
    Values names;
    Values items;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i]->is_none()) unsupported(node, "kernels make no dicts of other ones, **other");
        names.push_back(expression(*keys[i]));
        items.push_back(decayed(expression(*values[i])));
        for (const ExpressionRef& one : {names.back(), items.back()}) {
            if (one->type->family == Family::Unknown) return one;
        }
    }
    return dict_value(names, std::move(items), {keys.begin(), keys.end()});
}

// Whether it is one of the keys.
ExpressionRef Resolver::has_key(const ExpressionRef& dict, const ExpressionRef& key,
                                const Syntax& node) {
    Values keys;
    for (const std::string& one : dict->type->names) keys.push_back(dict_key(one, dict->type));
    return contained(key, tuple(std::move(keys)), node);
}

// dict[key], and dict.get(key, otherwise) where that is not null. Without it the thread ends where
// the dict lacks the key, as at an exception.
ExpressionRef Resolver::dict_item(const ExpressionRef& dict, const ExpressionRef& key,
                                  const ExpressionRef& otherwise, const Syntax& node) {
    if (key->type->family == Family::Unknown) return key;
    const std::vector<std::string>& names = dict->type->names;
    const bool is_known =
        key->constant || key->type->family == Family::Text || held_of(key) != nullptr;
    if (is_known) {
        const auto found = std::ranges::find(names, key_text(key, node));
        if (found != names.end()) {
            return item(dict, static_cast<std::size_t>(found - names.begin()));
        }
        if (otherwise) return otherwise;
        std::vector<std::string> keys;
        for (const std::string& one : names) {
            if (one[0] == 'm') fail(node, "the dict lacks this member of the enum");
            const ExpressionRef each = dict_key(one, dict->type);
            keys.push_back(one[0] == 's'           ? quote(one.substr(1))
                           : each->constant->whole ? fmt::format("{}", *each->constant->whole)
                                                   : fmt::format("{}", *each->constant->real));
        }
        fail(node, fmt::format("the dict lacks this key; its keys are {}", join(keys)));
    }
    if (names.empty() && otherwise) return otherwise;
    if (names.empty()) fail(node, "the dict is empty");
    Lets lets;
    const ExpressionRef values = opened(dict, lets);
    ExpressionRef wanted = once(key, "key", lets);
    Type type = otherwise ? otherwise->type : unknown_type();
    for (const Type one : values->type->items) {
        const std::optional<Type> joint = unified(type, one);
        if (!joint || !(*joint)->has_value()) {
            fail(node, fmt::format("the values of this dict have several types, or are known when "
                                   "compiled only, so its key must be a constant: {} and {}",
                                   described(type), described(one)));
        }
        type = *joint;
    }
    ExpressionRef last = otherwise;
    if (!otherwise) {
        const int raise = implicit_end("KeyError", "the dict lacks the key", node);
        ExpressionRef holds = checked("!{0}", {has_key(dict, wanted, node)}, raise);
        lets.emplace_back(temporary_for(holds, "has_key"), holds);
        last = item(values, names.size() - 1);
    }
    ExpressionRef result = cast(last, type);
    for (std::size_t i = names.size() - (otherwise ? 0 : 1); i-- > 0;) {
        ExpressionRef same =
            compare(operator_node("Eq"), wanted, dict_key(names[i], dict->type), node);
        result = select(std::move(same), item(values, i), std::move(result), type);
    }
    return wrapped(lets, std::move(result));
}

// get(), keys(), values() and items(): the last three are tuples.
ExpressionRef Resolver::dict_method(const ExpressionRef& dict, const std::string& name,
                                    const Arguments& arguments, const Syntax& node) {
    if (name == "get" && !arguments.empty() && arguments.size() <= 2) {
        const bool is_plain =
            std::ranges::all_of(arguments, [](const Argument& one) { return one.keyword.empty(); });
        if (!is_plain) unsupported(node, "get() takes its arguments by position");
        Lets lets;
        const ExpressionRef key = arguments.size() == 2
                                      ? before(arguments[0].value, arguments[1].value, lets)
                                      : arguments[0].value;
        const ExpressionRef otherwise = arguments.size() == 2
                                            ? once(arguments[1].value, "otherwise", lets)
                                            : nothing(none_type());
        return wrapped(lets, dict_item(dict, key, otherwise, node));
    }
    const bool has_keys = name == "keys" || name == "items";
    const bool has_values = name == "values" || name == "items";
    if (!arguments.empty() || !(has_keys || has_values)) {
        unsupported(node, fmt::format("dicts have get(), keys(), values() and items() in kernels, "
                                      "not {}()",
                                      name));
    }
    Lets lets;
    const ExpressionRef values = opened(dict, lets);
    Values items;
    for (std::size_t i = 0; i < dict->type->items.size(); ++i) {
        const ExpressionRef key = dict_key(dict->type->names[i], dict->type);
        const ExpressionRef value = has_values ? item(values, i) : nullptr;
        if (has_keys && has_values) {
            items.push_back(tuple({key, value}));
        } else {
            items.push_back(has_keys ? key : value);
        }
    }
    return wrapped(lets, tuple(std::move(items)));
}

}  // namespace warpwise::script
