// Expressions. Operands are C++ operands where their order is not defined, else lines before.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/script/emit/function_emitter.hpp"
#include "src/script/resolve/magnitudes.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

constexpr int kPrefix = 3;
constexpr int kSelect = 16;

int precedence_of(std::string_view op) {
    if (op == "*" || op == "/" || op == "%") return 5;
    if (op == "+" || op == "-") return 6;
    if (op == "<<" || op == ">>") return 7;
    if (op == "<" || op == ">" || op == "<=" || op == ">=") return 9;
    if (op == "==" || op == "!=") return 10;
    if (op == "&") return 11;
    if (op == "^") return 12;
    return op == "|" ? 13 : 15;
}

bool is_mixed_text(std::string_view op) {
    return op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>";
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else {
            result += c;
        }
    }
    return result + "\"";
}

bool is_builtin_number(Type type) {
    return type->is_number() && !type->is_complex() && type->kind != Kind::Float16;
}

// Whether C++'s own conversions make `from` what it is cast to, beside an operand of that type.
bool is_implicit(Type from, Type to) {
    if (!is_builtin_number(from) || !is_builtin_number(to)) return false;
    if (to->kind == Kind::Float64) return true;
    if (to->kind == Kind::Float32) return from->is_whole();
    return (to->kind == Kind::Int64 || to->kind == Kind::UInt64) && from->is_whole() &&
           from->kind != Kind::UInt64;
}

}  // namespace

std::string FunctionEmitter::wrapped(const Text& text, int most) {
    return text.precedence > most ? "(" + text.text + ")" : text.text;
}

FunctionEmitter::Text FunctionEmitter::constant(const Expression& value, bool is_strict) {
    const Constant& constant = *value.constant;
    if (constant.truth) return {*constant.truth ? "true" : "false", 2};
    if (constant.whole) {
        const std::int64_t number = *constant.whole;
        if (number == INT64_MIN) return {"(-9223372036854775807LL - 1)", 2};
        if (value.type->kind == Kind::UInt32) return {fmt::format("{}U", number), 2};
        const bool is_small = number >= -INT32_MAX && number <= INT32_MAX;
        const bool is_plain = !is_strict || value.type->kind == Kind::Int32;
        return {fmt::format("{}{}", number, is_small && is_plain ? "" : "LL"),
                number < 0 ? kPrefix : 2};
    }
    if (constant.large) return {fmt::format("{}ULL", *constant.large), 2};
    const double number = *constant.real;
    const bool is_single = value.type->kind == Kind::Float32;
    if (std::isnan(number))
        return {is_single ? "__ww_py_float(0x7fc00000U)" : "__ww_py_double(0x7ff8000000000000ULL)",
                2};
    if (std::isinf(number)) {
        const std::string text =
            is_single ? "__ww_py_float(0x7f800000U)" : "__ww_py_double(0x7ff0000000000000ULL)";
        return {number < 0 ? "-" + text : text, number < 0 ? kPrefix : 2};
    }
    std::string text =
        is_single ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    if (is_single) text += 'f';
    return {text, std::signbit(number) ? kPrefix : 2};
}

std::vector<FunctionEmitter::Text> FunctionEmitter::operands(
    const std::vector<ExpressionRef>& values, bool drops_casts) {
    std::vector<Text> texts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t start = out_->size();
        texts.push_back(drops_casts ? plain(values[i], false) : expression(values[i]));
        const bool acted = std::any_of(out_->begin() + static_cast<std::ptrdiff_t>(start),
                                       out_->end(), [](const Line& line) { return line.acts; });
        if (!acted) continue;
        // What stands before it is evaluated before it.
        std::size_t at = start;
        for (std::size_t before = 0; before < i; ++before) {
            if (values[before]->effect == Effect::Pure) continue;
            Lines held;
            Lines* const outer = std::exchange(out_, &held);
            texts[before] = spill(texts[before], values[before]->type, "before", false);
            out_ = outer;
            out_->insert(out_->begin() + static_cast<std::ptrdiff_t>(at), held.begin(), held.end());
            at += held.size();
        }
    }
    return texts;
}

FunctionEmitter::Text FunctionEmitter::expression(const ExpressionRef& value, bool is_top) {
    switch (value->op) {
        case Op::Constant:
            return constant(*value, true);
        case Op::Variable:
            return {value->variable->text, 2};
        case Op::Storage:
            return {value->text, 2};
        case Op::Cast:
            return cast(*value);
        case Op::Prefix: {
            const Text inner = expression(value->operands[0]);
            return {value->text + wrapped(inner, 2), kPrefix};
        }
        case Op::Infix:
            return infix(*value);
        case Op::Call:
            return call(*value, is_top);
        case Op::Element:
            return element(*value);
        case Op::Member:
            return {wrapped(expression(value->operands[0]), 2) + "." + value->text, 2};
        case Op::Tuple: {
            std::string text = spelling_of(value->type) + "{";
            bool is_first = true;
            const std::vector<Text> items = operands(value->operands);
            for (std::size_t i = 0; i < items.size(); ++i) {
                const bool is_nothing = value->operands[i]->op == Op::Nothing;
                text += (is_first ? "" : ", ") + (is_nothing ? "__ww_py_nothing{}" : items[i].text);
                is_first = false;
            }
            return {text + "}", 2};
        }
        case Op::Select:
            return selection(*value);
        case Op::And:
        case Op::Or:
            return condition_pair(*value);
        case Op::Let:
            return let(*value);
        case Op::Check:
            return check(*value);
        case Op::Nothing:
            return {value->type->family == Family::Text ? quoted(value->type->name)
                                                        : "__ww_py_nothing{}",
                    2};
    }
    return {};
}

// Where C++ converts a number to the declared type by itself.
FunctionEmitter::Text FunctionEmitter::plain(const ExpressionRef& value, bool is_top) {
    if (value->op == Op::Constant) return constant(*value, false);
    const bool is_number = value->op == Op::Cast && is_builtin_number(value->type) &&
                           is_builtin_number(value->operands[0]->type) && !value->type->is_bool();
    return expression(is_number ? value->operands[0] : value, is_top);
}

FunctionEmitter::Text FunctionEmitter::converted(const Text& value, Type from, Type to) const {
    if (from == to) return value;
    if (to->is_number()) {
        if (to->is_complex() || to->kind == Kind::Float16) {
            return {fmt::format("__ww_py_to<{}>({})", spelling_of(to), value.text), 2};
        }
        if (from->kind == Kind::Float16) {
            return {fmt::format("({})__half2float({})", spelling_of(to), value.text), kPrefix};
        }
        if (to->is_bool()) return {wrapped(value, 9) + " != 0", 10};
        return {fmt::format("({}){}", spelling_of(to), wrapped(value, kPrefix)), kPrefix};
    }
    // Types that differ in what is known of an array.
    if (to->is_array() && from->layout == to->layout && from->is_constant == to->is_constant &&
        from->is_packed == to->is_packed && from->element == to->element) {
        return value;
    }
    if (to->is_array() && from->layout == Layout::Fixed) {
        std::string extents;
        for (const std::int64_t extent : from->shape) {
            extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
        }
        const std::string element =
            (from->is_constant ? "const " : "") + spelling_of(from->element);
        const std::string dense = fmt::format("__ww_py_array<{}, {}>{{({}*){}, {{{}}}}}", element,
                                              from->rank, element, value.text, extents);
        if (to->layout == Layout::C && to->is_constant == from->is_constant) return {dense, 2};
        return {fmt::format("__ww_py_to<{}>({})", spelling_of(to), dense), 2};
    }
    return {fmt::format("__ww_py_to<{}>({})", spelling_of(to), value.text), 2};
}

FunctionEmitter::Text FunctionEmitter::cast(const Expression& value) {
    return converted(expression(value.operands[0]), value.operands[0]->type, value.type);
}

FunctionEmitter::Text FunctionEmitter::infix(const Expression& value) {
    const int own = precedence_of(value.text);
    const ExpressionRef& a = value.operands[0];
    const ExpressionRef& b = value.operands[1];
    // One of two operands may be written shorter than its type: C++ converts it to the other's.
    const bool a_constant = a->op == Op::Constant;
    const bool b_constant = b->op == Op::Constant;
    const bool is_shift = value.text == "<<" || value.text == ">>";
    std::vector<ExpressionRef> values{a, b};
    const auto shortened = [&](const ExpressionRef& one, const ExpressionRef& other) {
        const bool drops = one->op == Op::Cast && !is_shift && other->op != Op::Cast &&
                           !(other->op == Op::Constant && other->type->is_whole()) &&
                           is_implicit(one->operands[0]->type, one->type) &&
                           one->type == other->type;
        return drops ? one->operands[0] : one;
    };
    values[0] = shortened(a, b);
    values[1] = values[0] == a ? shortened(b, a) : b;
    std::vector<Text> texts = operands(values);
    if (a_constant && !b_constant && !is_shift) texts[0] = constant(*a, false);
    if (b_constant && !a_constant) texts[1] = constant(*b, false);
    if (is_cut(value)) {
        const char* const name = value.text == "+" ? "__ww_py_cut_sum" : "__ww_py_cut_product";
        return {fmt::format("{}({}, {})", name, texts[0].text, texts[1].text), 2};
    }
    // a & b == c and the like are written with parentheses, which readers look for.
    const int tight = is_mixed_text(value.text) ? kPrefix : own;
    const bool is_same = values[0]->op == Op::Infix && values[0]->text == value.text;
    return {wrapped(texts[0], is_same ? own : tight) + " " + value.text + " " +
                wrapped(texts[1], std::min(tight, own - 1)),
            own};
}

FunctionEmitter::Text FunctionEmitter::called(const Expression& value,
                                              const std::vector<Text>& operands) const {
    if (value.target != nullptr) {
        std::string text = "::" + value.target->text + "(";
        bool is_first = true;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Type type = value.operands[i]->type;
            if (!type->has_value()) continue;
            text += (is_first ? "" : ", ") + operands[i].text;
            is_first = false;
        }
        if (value.target->may_end) {
            text += is_first ? "ended" : ", ended";
            if (value.target->is_checked) text += ", __ww_raised";
        }
        return {text + ")", 2};
    }
    if (value.text.find('{') == std::string::npos) {
        const bool is_built = value.text.empty();
        std::string text = is_built ? spelling_of(value.type) + "{" : value.text + "(";
        bool is_first = true;
        if (value.format) {
            text += quoted(*value.format);
            is_first = false;
        }
        for (const Text& one : operands) {
            text += (is_first ? "" : ", ") + one.text;
            is_first = false;
        }
        return {text + (is_built ? "}" : ")"), 2};
    }
    std::string text;
    for (std::size_t at = 0; at < value.text.size(); ++at) {
        if (value.text[at] != '{') {
            text += value.text[at];
            continue;
        }
        const std::size_t end = value.text.find('}', at);
        if (end > at + 1) {
            const Text& one = operands[std::stoul(value.text.substr(at + 1, end - at - 1))];
            const bool is_enclosed = !text.empty() &&
                                     (text.back() == '(' || text.ends_with(", ")) &&
                                     (value.text[end + 1] == ')' || value.text[end + 1] == ',');
            text += is_enclosed ? one.text : wrapped(one, 2);
        }
        at = end;
    }
    const bool is_closed = text.ends_with(')') || value.text.ends_with("{}");
    return {text, is_closed ? 2 : kSelect};
}

FunctionEmitter::Text FunctionEmitter::call(const Expression& value, bool is_top) {
    const std::vector<Text> texts = operands(value.operands, value.target != nullptr);
    const bool ends = value.target != nullptr && value.target->may_end;
    const bool acts_itself = value.effect == Effect::Acts &&
                             (value.target == nullptr || value.target->effect == Effect::Acts ||
                              value.target->is_running);
    Text text = called(value, texts);
    if (ends) {
        text = spill(text, value.type, "result", true);
        open("if (ended) {");
        end_thread();
        close();
        return text;
    }
    if (!acts_itself || is_top) return text;
    // An operand that acts has been written before; the call itself may only compute.
    const bool operands_act = std::ranges::any_of(
        value.operands, [](const ExpressionRef& one) { return one->effect == Effect::Acts; });
    const bool is_pure_row =
        value.target == nullptr && operands_act && value.text.starts_with("::");
    if (is_pure_row) return text;
    return spill(text, value.type, "result", true);
}

FunctionEmitter::Text FunctionEmitter::element(const Expression& value) {
    const std::vector<Text> texts = operands(value.operands, true);
    const Type array = value.operands[0]->type;
    std::string text = wrapped(texts[0], 2);
    if (array->layout == Layout::Fixed || array->rank == 1) {
        for (std::size_t i = 1; i < texts.size(); ++i) text += "[" + texts[i].text + "]";
    } else {
        for (std::size_t i = 1; i < texts.size(); ++i) {
            text += (i == 1 ? "(" : ", ") + texts[i].text;
        }
        text += texts.size() == 1 ? "()" : ")";
    }
    return {array->is_packed && !value.is_place ? text + ".get()" : text, 2};
}

// The thread ends before the value is used where the condition holds.
FunctionEmitter::Text FunctionEmitter::check(const Expression& value) {
    std::vector<Text> texts = operands(value.operands);
    const bool is_held =
        value.operands[0]->op == Op::Constant || value.operands[0]->op == Op::Variable;
    if (!is_held) texts[0] = spill(texts[0], value.type, "at", false);
    std::string condition;
    for (std::size_t at = 0; at < value.text.size(); ++at) {
        const bool is_operand = value.text[at] == '{';
        condition += is_operand
                         ? wrapped(texts[static_cast<std::size_t>(value.text[at + 1] - '0')], 2)
                         : std::string(1, value.text[at]);
        if (is_operand) at += 2;
    }
    line(fmt::format("if ({}) {{", condition), true);
    ++depth_;
    if (texts.size() > 1 && value.raise != 0) {
        line(fmt::format("__ww_py_raise(__ww_raised, {}, {}, {});", value.raise, texts[0].text,
                         texts[1].text),
             true);
        end_thread();
    } else {
        end_thread(value.raise);
    }
    close();
    return texts[0];
}

// a && b: b's lines run only where a leaves the answer open.
FunctionEmitter::Text FunctionEmitter::condition_pair(const Expression& value) {
    const bool is_and = value.op == Op::And;
    const Text first = expression(value.operands[0]);
    Lines lines;
    Lines* const outer = std::exchange(out_, &lines);
    ++depth_;
    const Text second = expression(value.operands[1]);
    --depth_;
    out_ = outer;
    const int own = is_and ? 14 : 15;
    if (lines.empty()) {
        // Also && in ||: compilers warn of it without parentheses.
        constexpr int kTight = 13;
        const bool is_same = value.operands[0]->op == value.op;
        return {wrapped(first, is_same ? own : kTight) + (is_and ? " && " : " || ") +
                    wrapped(second, kTight),
                own};
    }
    const std::string held = unique("both");
    line(fmt::format("bool {} = {};", held, first.text));
    line(fmt::format("if ({}{}) {{", is_and ? "" : "!", held), value.effect == Effect::Acts);
    out_->insert(out_->end(), lines.begin(), lines.end());
    ++depth_;
    line(fmt::format("{} = {};", held, second.text));
    close();
    return {held, 2};
}

FunctionEmitter::Text FunctionEmitter::selection(const Expression& value) {
    const Text test = expression(value.operands[0]);
    std::array<Lines, 2> lines;
    std::array<Text, 2> texts;
    Lines* const outer = out_;
    ++depth_;
    for (std::size_t i = 0; i < 2; ++i) {
        out_ = &lines[i];
        texts[i] = expression(value.operands[i + 1]);
    }
    --depth_;
    out_ = outer;
    if (lines[0].empty() && lines[1].empty()) {
        return {
            wrapped(test, 15) + " ? " + wrapped(texts[0], 15) + " : " + wrapped(texts[1], kSelect),
            kSelect};
    }
    const std::string held = unique("chosen");
    line(fmt::format("{} {};", spelling_of(value.type), held));
    line(fmt::format("if ({}) {{", test.text), value.effect == Effect::Acts);
    for (std::size_t i = 0; i < 2; ++i) {
        out_->insert(out_->end(), lines[i].begin(), lines[i].end());
        ++depth_;
        line(fmt::format("{} = {};", held, texts[i].text));
        close(i == 0 ? "} else {" : "}");
    }
    return {held, 2};
}

FunctionEmitter::Text FunctionEmitter::let(const Expression& value) {
    const ExpressionRef& given = value.operands[0];
    if (value.variable->is_temporary) {
        const Text text = expression(given, true);
        value.variable->text = unique(value.variable->name);
        line(fmt::format("const {} {} = {};", spelling_of(value.variable->type),
                         value.variable->text, text.text),
             given->effect == Effect::Acts);
    } else {
        line(fmt::format("{} = {};", value.variable->text, plain(given).text), true);
    }
    return expression(value.operands[1]);
}

}  // namespace warpwise::script
