// NumPy's strings of a fixed size, S and U: what Python's bytes and str do with them.
#include "src/script/resolve/values/chars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"

namespace warpwise::script {
namespace {

Type int64() {
    return number_type(Kind::Int64);
}

// The code points of a text in UTF-8.
std::vector<std::int64_t> code_points(std::string_view text) {
    std::vector<std::int64_t> codes;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) == 0x80U) {
            codes.back() = codes.back() * 64 + (byte & 0x3FU);
        } else {
            codes.push_back(byte < 0x80U ? byte
                                         : byte & (byte < 0xE0U   ? 0x1FU
                                                   : byte < 0xF0U ? 0x0FU
                                                                  : 7U));
        }
    }
    return codes;
}

}  // namespace

// A string of a fixed size: of one, of a text that is known, or of bytes; null of all else.
ExpressionRef Chars::of(const ExpressionRef& value) {
    const Type type = value->type;
    if (type->is_chars()) return value;
    std::vector<std::int64_t> codes;
    const bool is_text = type->family == Family::Text;
    if (is_text) {
        codes = code_points(type->name);
    } else if (type->is_tuple() && type->name == "bytes") {
        for (const ExpressionRef& one : value->operands) {
            if (!one->constant || !one->constant->whole) return nullptr;
            codes.push_back(*one->constant->whole);
        }
    } else {
        return nullptr;
    }
    if (codes.empty()) codes.push_back(0);
    Values operands;
    for (const std::int64_t code : codes) operands.push_back(whole(code));
    const Type made = chars_type(is_text ? Kind::UInt32 : Kind::UInt8, codes.size());
    return call(
        fmt::format("__ww_py_chars_of<{}, {}>", DType(made->kind).cuda_name(), codes.size()),
        std::move(operands), made);
}

// Both as strings of one kind.
std::pair<ExpressionRef, ExpressionRef> Chars::both(std::string_view what, const ExpressionRef& a,
                                                    const ExpressionRef& b, const Syntax& node) {
    ExpressionRef left = of(a), right = of(b);
    if (!left || !right || left->type->kind != right->type->kind) {
        const bool are_strings = left && right;
        resolver_.fail(
            node,
            fmt::format(
                "there is no {} for {} and {}{}", what, described(a->type), described(b->type),
                are_strings ? ": bytes (S) and str (U) differ; write b'...' or '...'" : ""));
    }
    return {std::move(left), std::move(right)};
}

ExpressionRef Chars::comparison(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                                const Syntax& node) {
    auto [left, right] = both(op, a, b, node);
    return call(fmt::format("__ww_py_chars_order({{0}}, {{1}}) {} 0", op),
                {std::move(left), std::move(right)}, number_type(Kind::Bool));
}

ExpressionRef Chars::sum(const ExpressionRef& a, const ExpressionRef& b, const Syntax& node) {
    auto [left, right] = both("+", a, b, node);
    const Type type = chars_type(left->type->kind, left->type->number + right->type->number);
    return call("__ww_py_chars_joined", {std::move(left), std::move(right)}, type);
}

ExpressionRef Chars::length(const ExpressionRef& value) {
    return call("__ww_py_chars_length", {value}, int64(), Effect::Pure, true);
}

// s[i], s[a:b]: of bytes, an item is a number.
ExpressionRef Chars::item_of(const ExpressionRef& value, const Index& index, const Syntax& node) {
    Lets lets;
    const ExpressionRef base = resolver_.once(value, "text", lets);
    if (!index.at) {
        if (index.step && !(index.step->constant && index.step->constant->whole == 1)) {
            resolver_.unsupported(node, "kernels take parts of strings without a step");
        }
        ExpressionRef start = index.start ? cast(index.start, int64()) : whole(0);
        ExpressionRef stop = index.stop ? cast(index.stop, int64()) : length(base);
        return Resolver::wrapped(lets, call("__ww_py_chars_part",
                                            {base, std::move(start), std::move(stop)}, base->type));
    }
    ExpressionRef at = resolver_.item_number(index, length(base), "index out of range", node);
    const bool is_code = base->type->kind == Kind::UInt8;
    const Type type = is_code ? int64() : chars_type(Kind::UInt32, 1);
    return Resolver::wrapped(lets, call(is_code ? "__ww_py_chars_code" : "__ww_py_chars_at",
                                        {base, std::move(at)}, type, Effect::Pure, is_code));
}

ExpressionRef Chars::method(const ExpressionRef& value, const std::string& name,
                            const Arguments& arguments, const Syntax& node) {
    const bool is_start = name == "startswith", is_end = name == "endswith";
    if (!is_start && !is_end && name != "find") {
        resolver_.unsupported(
            node, fmt::format("{} has no method '{}' in kernels; they have startswith(), "
                              "endswith(), find(), len(), comparisons, items and parts",
                              described(value->type), name));
    }
    if (value->type->family == Family::Text) {
        const ExpressionRef& given = resolver_.only(arguments, node, name);
        if (given->type->family == Family::Text) {
            const std::string& whole_text = value->type->name;
            const std::string& part = given->type->name;
            if (is_start) return truth(whole_text.starts_with(part));
            if (is_end) return truth(whole_text.ends_with(part));
            const std::size_t at = whole_text.find(part);
            if (at == std::string::npos) return whole(-1);
            const auto codes = code_points(std::string_view(whole_text).substr(0, at));
            return whole(static_cast<std::int64_t>(codes.size()));
        }
    }
    auto [text, part] = both(name + "()", value, resolver_.only(arguments, node, name), node);
    const Type boolean = number_type(Kind::Bool);
    if (is_start) {
        return call("__ww_py_chars_stands({0}, {1}, 0)", {std::move(text), std::move(part)},
                    boolean);
    }
    return call(is_end ? "__ww_py_chars_ends" : "__ww_py_chars_find",
                {std::move(text), std::move(part)}, is_end ? boolean : int64());
}

// An array of integers and characters as what the program has: see _stored_arguments.py.
ExpressionRef Chars::stored_as(const ExpressionRef& value, Type type, int gone,
                               const Syntax& node) {
    if (value->type->is_record()) {
        if (!type->is_record() || type->items.size() != value->type->items.size()) {
            resolver_.fail(node, "these records have other fields");
        }
        Lets lets;
        const ExpressionRef records = resolver_.once(value, "records", lets);
        Values fields;
        std::vector<Type> types;
        for (std::size_t i = 0; i < type->items.size(); ++i) {
            const Type field = type->items[i];
            const ExpressionRef own = item(records, i);
            const Type wanted = field->is_record() ? field : field->element;
            // One character alone is a number in a record.
            const bool has_axis = wanted->is_chars() && wanted->number > 1;
            fields.push_back(stored_as(own, wanted, has_axis ? 1 : 0, node));
            types.push_back(fields.back()->type);
        }
        return Resolver::wrapped(
            lets, tuple(std::move(fields),
                        record_type(value->type->names, std::move(types), value->type->rank)));
    }
    if (value->type == type || !value->type->is_array()) {
        return value->type == type ? value : call("__ww_py_time", {value}, type);
    }
    if (value->type->element == type) return value;
    TypeData data = *with_axes(value->type, value->type->rank - gone, value->type->layout);
    data.element = type;
    const Type made = intern(std::move(data));
    return call(fmt::format("__ww_py_chars_view<{}>::of", spelling_of(made)), {value}, made);
}

}  // namespace warpwise::script
