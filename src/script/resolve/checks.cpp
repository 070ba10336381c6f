// What kernels with checks raise: the program's own exceptions, bad indices, divisions by zero.
#include <fmt/format.h>

#include <algorithm>

#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

std::string constant_text(const Constant& value) {
    if (value.truth) return *value.truth ? "True" : "False";
    if (value.whole) return fmt::format("{}", *value.whole);
    if (value.large) return fmt::format("{}", *value.large);
    return fmt::format("{}", value.real.value_or(0));
}

}  // namespace

// An argument of an exception, which is made on the host: the values that threads have are gone.
std::string Resolver::raised_text(const Syntax& node) {
    if (node.is("JoinedStr")) {
        std::string text;
        for (const Syntax* part : node.list("values")) {
            text += raised_text(part->is("FormattedValue") ? (*part)["value"] : *part);
        }
        return text;
    }
    const ExpressionRef value = expression(node);
    if (value->type->family == Family::Text) return value->type->name;
    if (value->op == Expression::Op::Constant) return constant_text(*value->constant);
    unsupported(node,
                "arguments of exceptions are constants in kernels with debug=True; print() the "
                "values of the thread before");
}

int Resolver::raise_number(const Syntax& statement) {
    if (!translation_.has_checks()) return 0;
    if (statement.is("Assert")) {
        const Syntax& message = statement["msg"];
        return implicit_raise("AssertionError", message.is_none() ? "" : raised_text(message),
                              statement);
    }
    const Syntax& raised = statement["exc"];
    if (raised.is_none()) {
        return implicit_raise("RuntimeError", "No active exception to reraise", statement);
    }
    const bool is_call = raised.is("Call");
    const std::optional<std::string> name = dotted(is_call ? raised["func"] : raised);
    if (!name) unsupported(raised, "kernels raise exceptions by the names of their classes");
    std::string message;
    if (is_call) {
        for (const Syntax* one : raised.list("args")) {
            message += (message.empty() ? "" : ", ") + raised_text(*one);
        }
        for (const Syntax* one : raised.list("keywords")) raised_text((*one)["value"]);
    }
    return implicit_raise(*name, std::move(message), statement);
}

int Resolver::implicit_raise(std::string exception, std::string message, const Syntax& node,
                             Raise::Detail detail) {
    note_may_end();
    return translation_.add_raise({.exception = std::move(exception),
                                   .message = std::move(message),
                                   .function = function_.name,
                                   .file = function_.source.file,
                                   .place = node.place,
                                   .detail = detail});
}

int Resolver::implicit_end(std::string exception, std::string message, const Syntax& node) {
    note_may_end();
    if (!translation_.has_checks()) return 0;
    return implicit_raise(std::move(exception), std::move(message), node);
}

void Resolver::end_if(ExpressionRef condition, std::string message, const Syntax& node,
                      Block& out) {
    Statement made{.op = Statement::Op::If, .place = node.place, .value = std::move(condition)};
    const int raise = implicit_end("ValueError", std::move(message), node);
    made.body.push_back({.op = Statement::Op::End, .place = node.place, .raise = raise});
    out.push_back(std::move(made));
}

ExpressionRef Resolver::checked(std::string_view condition, std::vector<ExpressionRef> operands,
                                int raise) {
    auto made = std::make_shared<Expression>();
    made->op = Expression::Op::Check;
    made->type = operands[0]->type;
    made->effect = effect_of(operands, Effect::Reads);
    made->is_never_negative = operands[0]->is_never_negative;
    made->most = operands[0]->constant ? magnitude(operands[0]) : operands[0]->most;
    made->text = condition;
    made->operands = std::move(operands);
    made->raise = raise;
    return made;
}

ExpressionRef Resolver::checked_index(ExpressionRef at, const ExpressionRef& extent,
                                      std::size_t axis, const Syntax& node) {
    if (!translation_.has_checks()) return at;
    const bool are_known = at->constant && at->constant->whole && extent->constant &&
                           extent->constant->whole && *at->constant->whole >= 0;
    if (are_known && *at->constant->whole < *extent->constant->whole) return at;
    const int number =
        implicit_raise("IndexError", fmt::format("axis {}", axis), node, Raise::Detail::Index);
    return checked("(unsigned long long){0} >= (unsigned long long){1}", {std::move(at), extent},
                   number);
}

ExpressionRef Resolver::checked_divisor(ExpressionRef divisor, const Syntax& node) {
    if (!translation_.checks_divisors() || divisor->type->is_complex()) return divisor;
    if (divisor->constant) {
        const Constant& value = *divisor->constant;
        if (value.whole.value_or(0) != 0 || value.real.value_or(0) != 0 || value.large) {
            return divisor;
        }
    }
    const int number = implicit_raise("ZeroDivisionError", "division by zero", node);
    return checked("{0} == 0", {std::move(divisor)}, number);
}

}  // namespace warpwise::script
