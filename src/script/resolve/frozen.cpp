// Values that are known when the function is compiled: globals, closures, defaults.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/base/text.hpp"
#include "src/script/identifiers.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// Of constants, which no function may be called for.
template <class T>
std::string real_text(T value, const char* suffix) {
    if (std::isnan(value)) return fmt::format("__builtin_nan{}(\"\")", suffix);
    if (std::isinf(value)) return fmt::format("{}__builtin_inf{}()", value < 0 ? "-" : "", suffix);
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text + suffix;
}

// The bytes of a constant array as initialisers.
std::string initializer_of(Kind kind, const std::string& hex) {
    // Parts of complex numbers one after the other: C++ lets braces inside go.
    if (kind == Kind::Complex64) kind = Kind::Float32;
    if (kind == Kind::Complex128) kind = Kind::Float64;
    const std::size_t bytes = DType(kind).size();
    std::string text;
    for (std::size_t at = 0; at + 2 * bytes <= hex.size(); at += 2 * bytes) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            const auto byte =
                static_cast<std::uint64_t>(std::stoul(hex.substr(at + 2 * i, 2), nullptr, 16));
            word |= byte << (8 * i);
        }
        if (!text.empty()) text += ", ";
        if (kind == Kind::Float64) {
            text += real_text(std::bit_cast<double>(word), "");
        } else if (kind == Kind::Float32) {
            text += real_text(std::bit_cast<float>(static_cast<std::uint32_t>(word)), "f");
        } else if (number_type(kind)->is_signed()) {
            const std::size_t unused = 64 - 8 * bytes;
            const auto value = static_cast<std::int64_t>(word << unused) >> unused;
            const bool is_least = value == std::numeric_limits<std::int64_t>::min();
            text += is_least ? "-0x7fffffffffffffffLL - 1" : fmt::format("{}LL", value);
        } else {
            text += fmt::format("{}ULL", word);
        }
    }
    return text;
}

}  // namespace

ExpressionRef Resolver::frozen(const Syntax& value, const Syntax& node, const std::string& name) {
    switch (value.form) {
        case Syntax::Form::None:
            return nothing(none_type());
        case Syntax::Form::Bool:
            return truth(value.flag);
        case Syntax::Form::Int: {
            std::int64_t number = 0;
            if (value.as_int(number)) return whole(number);
            std::uint64_t wide = 0;
            if (value.as_uint(wide)) return large(wide);
            fail(node, fmt::format("the integer {} has more than 64 bits", quote(value.text, 40)));
        }
        case Syntax::Form::Float:
            return real(value.real);
        case Syntax::Form::Complex:
            return call("", {real(value.real), real(value.imaginary)},
                        number_type(Kind::Complex128));
        case Syntax::Form::String:
            return nothing(intern({.family = Family::Text, .name = value.text}));
        default:
            break;
    }
    const auto text_at = [&](std::size_t i) -> const std::string& { return value.items[i]->text; };
    if (value.is_tagged("scalar")) {
        const Type type = parse_type(text_at(0));
        if (type->is_time()) {
            return call("__ww_py_time", {frozen(*value.items[1], node, name)}, type);
        }
        const Kind kind = type->kind;
        return cast(frozen(*value.items[1], node, name), number_type(kind));
    }
    if (value.is_tagged("member")) {
        auto member = std::make_shared<Expression>(*frozen(*value.items[0], node, name));
        member->is_member = true;
        return member;
    }
    if (value.is_tagged("known")) return known_object(text_at(0), node);
    if (value.is_tagged("dtype")) {
        // Python's types have names of their own: int is more than int64.
        return nothing(intern({.family = Family::Element,
                               .element = parse_type(text_at(0)),
                               .name = value.items.size() > 1 ? text_at(1) : ""}));
    }
    if (value.is_tagged("function")) {
        std::uint64_t number = 0;
        if (!value.items[0]->as_uint(number) ||
            number >= translation_.program().functions().size()) {
            fail(node, "the program lacks this function");
        }
        return nothing(intern({.family = Family::Function,
                               .name = translation_.program().functions()[number].name,
                               .number = number}));
    }
    if (value.is_tagged("method")) {
        TypeData method = *frozen(*value.items[0], node, name)->type;
        method.element = frozen(*value.items[1], node, name)->type;
        return nothing(intern(std::move(method)));
    }
    if (value.is_tagged("tuple") || value.is_tagged("named") || value.is_tagged("bytes")) {
        const bool is_named = value.is_tagged("named");
        Values items;
        TypeData type{.family = Family::Tuple};
        for (std::size_t i = is_named ? 3 : 0; i < value.items.size(); ++i) {
            items.push_back(frozen(*value.items[i], node, name));
            type.items.push_back(items.back()->type);
        }
        if (value.is_tagged("bytes")) type.name = "bytes";
        if (is_named) {
            type.name = text_at(0);
            for (const Syntax* field : value.items[1]->items) type.names.push_back(field->text);
            std::uint64_t number = 0;
            if (value.items[2]->as_uint(number)) type.number = static_cast<std::size_t>(number);
        }
        return tuple(std::move(items), intern(std::move(type)));
    }
    if (value.is_tagged("dict")) return frozen_dict(value, node, name);
    if (value.is_tagged("partial")) return frozen_partial(value, node, name);
    if (value.is_tagged("named_type")) {
        TypeData fields{.family = Family::Tuple, .name = text_at(0)};
        for (const Syntax* field : value.items[1]->items) {
            fields.names.push_back(field->text);
            fields.items.push_back(unknown_type());
        }
        std::int64_t number = 0;
        if (value.items.size() > 3 && value.items[2]->as_int(number)) {
            fields.number = static_cast<std::size_t>(number);
            translation_.set_defaults(fields.number, *value.items[3]);
        }
        return nothing(intern({.family = Family::Element, .element = intern(std::move(fields))}));
    }
    if (value.is_tagged("array")) return frozen_array(value, node, name);
    if (value.is_tagged("records")) return frozen_records(value, node, name);
    if (value.is_tagged("external")) return external(value);
    if (value.is_tagged("module")) {
        return nothing(intern({.family = Family::Module, .name = text_at(0)}));
    }
    return nothing(
        intern({.family = Family::Other, .name = value.items.empty() ? "an object" : text_at(0)}));
}

// {dict key value ...}
ExpressionRef Resolver::frozen_dict(const Syntax& value, const Syntax& node,
                                    const std::string& name) {
    Values keys;
    Values values;
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        keys.push_back(frozen(*value.items[i], node, name));
        values.push_back(decayed(frozen(*value.items[i + 1], node, name)));
    }
    const std::vector<const Syntax*> nodes(keys.size(), &node);
    return dict_value(keys, std::move(values), nodes);
}

// {partial ["keyword" ...] function value ...}
ExpressionRef Resolver::frozen_partial(const Syntax& value, const Syntax& node,
                                       const std::string& name) {
    TypeData type{.family = Family::Partial};
    for (const Syntax* keyword : value.items[0]->items) type.names.push_back(keyword->text);
    Values items;
    for (std::size_t i = 1; i < value.items.size(); ++i) {
        items.push_back(decayed(frozen(*value.items[i], node, name)));
        type.items.push_back(items.back()->type);
    }
    return tuple(std::move(items), intern(std::move(type)));
}

ExpressionRef Resolver::frozen_array(const Syntax& value, const Syntax& node,
                                     const std::string& name) {
    const Type element = parse_type(value.items[0]->text);
    TypeData type{
        .family = Family::Array, .element = element, .layout = Layout::Fixed, .is_constant = true};
    for (const Syntax* extent : value.items[1]->items) {
        std::int64_t length = 0;
        if (!extent->as_int(length) || length < 0) {
            fail(node, fmt::format("the global array '{}' has no shape", name));
        }
        type.shape.push_back(length);
    }
    type.rank = static_cast<int>(type.shape.size());
    if (type.rank == 0)
        fail(node, fmt::format("the global array '{}' has no axis; use its value", name));
    if (element->kind == Kind::Float16) {
        unsupported(node, fmt::format("the global array '{}' holds {}, which kernels do not take "
                                      "as a constant; pass it as an argument",
                                      name, text_of(element)));
    }
    type.name =
        translation_.constant_array(identifier(name.empty() ? "array" : name), element, type.shape,
                                    initializer_of(element->kind, value.items[2]->text));
    auto storage = std::make_shared<Expression>();
    storage->op = Expression::Op::Storage;
    storage->type = intern(std::move(type));
    storage->text = storage->type->name;
    return storage;
}

ExpressionRef Resolver::default_of(const TypeData& fields, std::size_t field, const Syntax& node) {
    const Syntax* const defaults = translation_.defaults(fields.number);
    const std::size_t without =
        defaults == nullptr ? fields.names.size() : fields.names.size() - defaults->items.size();
    if (field < without) return nullptr;
    return frozen(*defaults->items[field - without], node, fields.names[field]);
}

// {records ["field" ...] {array ...} ...}: an array for each field, as of arguments.
ExpressionRef Resolver::frozen_records(const Syntax& value, const Syntax& node,
                                       const std::string& name) {
    Values fields;
    TypeData type{.family = Family::Tuple, .is_fields = true};
    for (const Syntax* field : value.items[0]->items) {
        const std::string own = name + "_" + field->text;
        fields.push_back(decayed(frozen_array(*value.items[fields.size() + 1], node, own)));
        type.names.push_back(field->text);
        type.items.push_back(fields.back()->type);
        type.rank = fields.back()->type->rank;
    }
    return tuple(std::move(fields), intern(std::move(type)));
}

}  // namespace warpwise::script
