// print(): the format of printf() that a value and its format of Python's stand for.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/base/text.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// [[fill]align][sign][0][width][.precision][type], as Python has it.
struct Format {
    char fill = ' ';
    char align = 0;
    char sign = 0;
    bool has_zeros = false;
    std::string width;
    std::string precision;  // with the point
    char letter = 0;
};

std::optional<Format> parsed(std::string_view text) {
    constexpr std::string_view kAligns = "<>^=";
    Format format;
    const auto take = [&text](std::string_view any) {
        const bool is_any = !text.empty() && any.find(text[0]) != any.npos;
        const char found = is_any ? text[0] : '\0';
        if (is_any) text.remove_prefix(1);
        return found;
    };
    const auto digits = [&text] {
        const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
        const std::string_view found = text.substr(0, count);
        text.remove_prefix(count);
        return std::string(found);
    };
    if (text.size() > 1 && kAligns.find(text[1]) != kAligns.npos) {
        format.fill = text[0];
        text.remove_prefix(1);
    }
    format.align = take(kAligns);
    format.sign = take("+- ");
    format.has_zeros = take("0") != 0;
    format.width = digits();
    if (take(".") != 0) {
        format.precision = "." + digits();
        if (format.precision.size() == 1) return std::nullopt;
    }
    if (!text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
        format.letter = text[0];
        text.remove_prefix(1);
    }
    const bool is_short = format.width.size() < 4 && format.precision.size() < 5;
    if (!text.empty() || !is_short) return std::nullopt;
    return format;
}

// Of printf(); empty where it has none of that meaning.
std::optional<std::string> number_flags(const Format& format) {
    if (format.fill != ' ' || format.align == '^' || format.align == '=') return std::nullopt;
    if (format.has_zeros && format.align != 0) return std::nullopt;
    std::string flags;
    if (format.align == '<') flags += '-';
    if (format.sign == '+' || format.sign == ' ') flags += format.sign;
    if (format.has_zeros) flags += '0';
    return flags + format.width + format.precision;
}

std::string escaped(std::string text) {
    for (std::size_t at = 0; (at = text.find('%', at)) != text.npos; at += 2)
        text.insert(at, 1, '%');
    return text;
}

// A string in its width.
std::optional<std::string> padded(std::string text, const Format& format) {
    const bool has_other = format.sign != 0 || format.has_zeros || format.align == '=' ||
                           (format.letter != 0 && format.letter != 's') ||
                           static_cast<unsigned char>(format.fill) > 127;
    const bool is_ascii =
        std::ranges::all_of(text, [](char one) { return static_cast<unsigned char>(one) < 128; });
    if (has_other || !is_ascii) return std::nullopt;
    if (!format.precision.empty()) {
        text.resize(std::min(text.size(),
                             static_cast<std::size_t>(std::stoul(format.precision.substr(1)))));
    }
    const std::size_t width = format.width.empty() ? 0 : std::stoul(format.width);
    const std::size_t missing = width > text.size() ? width - text.size() : 0;
    std::size_t before = 0;
    if (format.align == '>') before = missing;
    if (format.align == '^') before = missing / 2;
    return std::string(before, format.fill) + text + std::string(missing - before, format.fill);
}

// A string within a tuple; empty where Python writes it otherwise.
std::optional<std::string> quoted(const std::string& text) {
    const bool is_plain = std::ranges::all_of(
        text, [](char one) { return one >= ' ' && one < 127 && one != '\'' && one != '\\'; });
    return is_plain ? std::optional("'" + text + "'") : std::nullopt;
}

}  // namespace

// Empty: printf() writes it otherwise than Python.
std::optional<std::string> Resolver::number_format(const ExpressionRef& value,
                                                   const std::string& spec, Values& operands) {
    const Type type = value->type;
    const std::optional<Format> format = parsed(spec);
    const std::optional<std::string> flags = format ? number_flags(*format) : std::nullopt;
    if (!flags) return std::nullopt;
    const char letter = format->letter;
    const bool is_real =
        letter != 0 && std::string_view("fFeEgG").find(letter) != std::string::npos;
    if (is_real && !type->is_complex()) {
        operands.push_back(cast(value, number_type(Kind::Float64)));
        return fmt::format("%{}{}", *flags, letter);
    }
    if (!type->is_whole() || !format->precision.empty()) return std::nullopt;
    const bool is_unsigned = type->is_integer() && !type->is_signed();
    if (letter == 0 || letter == 'd') {
        operands.push_back(cast(value, number_type(is_unsigned ? Kind::UInt64 : Kind::Int64)));
        return fmt::format("%{}ll{}", *flags, is_unsigned ? 'u' : 'd');
    }
    if (letter != 'x' && letter != 'X' && letter != 'o') return std::nullopt;
    if (format->sign == '+' || format->sign == ' ') return std::nullopt;
    const ExpressionRef digits = cast(value, number_type(Kind::UInt64));
    if (is_unsigned || is_surely_natural(value)) {
        operands.push_back(digits);
        return fmt::format("%{}ll{}", *flags, letter);
    }
    // Python writes a sign and the magnitude.
    if (!format->width.empty() || value->effect == Effect::Acts) return std::nullopt;
    operands.push_back(call("({0} < 0 ? \"-\" : \"\")", {value}, intern({.family = Family::Text})));
    operands.push_back(call("({0} < 0 ? 0 - {1} : {1})", {value, digits}, digits->type));
    return fmt::format("%s%ll{}", letter);
}

std::string Resolver::format_of(const ExpressionRef& value, const std::string& spec,
                                const Syntax& node, Values& operands) {
    const Type type = value->type;
    if (type->is_number() && type->is_bool() && spec.empty()) {
        operands.push_back(
            call("({0} ? \"True\" : \"False\")", {value}, intern({.family = Family::Text})));
        return "%s";
    }
    if (type->is_number() && type->is_real() && spec.empty()) {
        operands.push_back(cast(value, number_type(Kind::Float64)));
        return "%f";
    }
    const auto refuse_format = [&] {
        const bool is_number = type->is_number() && !type->is_complex();
        const bool is_hexadecimal =
            is_number && type->is_whole() && spec.find_first_of("xXo") != spec.npos;
        const char* advice = "";
        if (is_number && type->is_real()) advice = "; give floats a letter, .3f, 8.2e or .4g";
        if (is_hexadecimal) {
            advice = "; a number that may be negative takes no width, and h & 0xffffffff may";
        }
        unsupported(node, fmt::format("kernels cannot print {} with the format {}{}",
                                      described(type), quote(spec), advice));
    };
    if (type->is_number() && !type->is_complex()) {
        if (auto made = number_format(value, spec, operands)) return *made;
        refuse_format();
    }
    if (type->family == Family::Text || type->family == Family::None) {
        const std::optional<Format> format = parsed(spec);
        const bool is_text = type->family == Family::Text;
        if (spec.empty()) return escaped(is_text ? type->name : "None");
        const auto text = is_text && format ? padded(type->name, *format) : std::nullopt;
        if (!text) refuse_format();
        return escaped(*text);
    }
    if (type->is_tuple() && spec.empty()) return tuple_format(value, node, operands);
    if (type->is_tuple()) refuse_format();
    unsupported(node, fmt::format("kernels cannot print {}", described(type)));
}

std::string Resolver::tuple_format(const ExpressionRef& value, const Syntax& node,
                                   Values& operands) {
    const Type type = value->type;
    const Syntax* const name = member_of(type, "__text__");
    if (is_enum(type) || (type->number != 0 && name == nullptr)) {
        unsupported(node, fmt::format("kernels cannot print {}, whose class says how; print its {}",
                                      described(type), is_enum(type) ? ".value" : "fields"));
    }
    std::string text = name == nullptr ? "(" : escaped(name->text) + "(";
    for (std::size_t i = 0; i < type->items.size(); ++i) {
        const Type one = type->items[i];
        if (i != 0) text += ", ";
        if (name != nullptr) text += type->names[i] + "=";
        if (one->family != Family::Text) {
            text += format_of(item(value, i), "", node, operands);
            continue;
        }
        const std::optional<std::string> inner = quoted(one->name);
        if (!inner) unsupported(node, "kernels cannot print this string within a tuple");
        text += escaped(*inner);
    }
    return text + (name == nullptr && type->items.size() == 1 ? ",)" : ")");
}

// f"{x!r}" and f"{x=}", of what has one text.
void Resolver::require_plain_conversion(const Syntax& part) {
    const bool has_conversion = part["conversion"].text != "-1";
    if (!has_conversion) return;
    const ExpressionRef value = expression(part["value"]);
    const bool is_text = value->type->family == Family::Text && part["conversion"].text != "115";
    if (is_text || !part["format_spec"].is_none()) {
        unsupported(part, "print() takes no !r, !a or = of strings, and none with a format");
    }
}

ExpressionRef Resolver::print(const Arguments& arguments) {
    std::string format;
    std::string separator = " ";
    std::string end = "\n";
    Values operands;
    for (const Argument& one : arguments) {
        if (one.keyword.empty()) continue;
        const bool is_text = one.value->type->family == Family::Text;
        if (one.keyword == "sep" && is_text) {
            separator = one.value->type->name;
        } else if (one.keyword == "end" && is_text) {
            end = one.value->type->name;
        } else {
            unsupported(*one.node, fmt::format("print() takes no {}= in kernels", one.keyword));
        }
    }
    separator = escaped(separator);
    end = escaped(end);
    bool is_first = true;
    for (const Argument& one : arguments) {
        if (!one.keyword.empty()) continue;
        if (!is_first) format += separator;
        is_first = false;
        if (!one.node->is("JoinedStr")) {
            format += format_of(one.value, "", *one.node, operands);
            continue;
        }
        for (const Syntax* part : one.node->list("values")) {
            if (part->is("Constant")) {
                format += format_of(literal(*part), "", *part, operands);
                continue;
            }
            require_plain_conversion(*part);
            std::string spec;
            for (const Syntax* piece : (*part)["format_spec"].list("values")) {
                if (!piece->is("Constant")) unsupported(*piece, "formats must be constants");
                spec += (*piece)["value"].text;
            }
            format += format_of(expression((*part)["value"]), spec, *part, operands);
        }
    }
    format += end;
    note_effect(Effect::Acts);
    auto made = std::make_shared<Expression>(
        *call("::printf", std::move(operands), none_type(), Effect::Acts));
    made->format = format;
    return made;
}

}  // namespace warpwise::script
