// match: which case a subject belongs to, and the names that its pattern gives.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

}  // namespace

bool Resolver::match(const Syntax& node, Block& out) {
    ExpressionRef subject = decayed(expression(node["subject"]));
    if (!is_simple(subject) && subject->type->has_value()) {
        subject = assigned(subject, "subject", node, out);
    }
    bool reached = false;
    Block* rest = &out;
    for (const Syntax* one : node.list("cases")) {
        Block bindings;
        // What a case establishes, and its names, hold in no other, and behind the statement where
        // it alone gets.
        const Facts before = facts_;
        ExpressionRef fits = pattern((*one)["pattern"], subject, bindings);
        if (is_false(fits)) {
            facts_ = before;
            continue;
        }
        const bool has_guard = !(*one)["guard"].is_none();
        if (has_guard && !bindings.empty()) {
            // The names are bound before the guard is asked.
            for (Statement& binding : bindings) rest->push_back(std::move(binding));
            bindings.clear();
        }
        if (has_guard) {
            ExpressionRef guard = condition((*one)["guard"]);
            fits = both(Expression::Op::And, std::move(fits), std::move(guard));
        }
        if (is_true(fits)) {
            for (Statement& binding : bindings) rest->push_back(std::move(binding));
            const bool ends = block(one->list("body"), *rest);
            if (reached) facts_ = before;
            return ends || reached;
        }
        Statement made{.op = Op::If,
                       .place = one->place.line != 0 ? one->place : (*one)["pattern"].place};
        made.value = std::move(fits);
        for (Statement& binding : bindings) made.body.push_back(std::move(binding));
        reached |= block(one->list("body"), made.body);
        facts_ = before;
        rest->push_back(std::move(made));
        rest = &rest->back().otherwise;
    }
    return true;
}

ExpressionRef Resolver::pattern(const Syntax& pattern, const ExpressionRef& subject,
                                Block& bindings) {
    if (pattern.is("MatchValue")) {
        return compare(operator_node("Eq"), subject, expression(pattern["value"]), pattern);
    }
    if (pattern.is("MatchSingleton")) {
        return compare(operator_node("Is"), subject, frozen(pattern["value"], pattern, ""),
                       pattern);
    }
    if (pattern.is("MatchOr")) {
        ExpressionRef any = truth(false);
        Block* rest = &bindings;
        for (const Syntax* one : pattern.list("patterns")) {
            Block own;
            const ExpressionRef next = this->pattern(*one, subject, own);
            if (is_false(next)) continue;
            any = both(Expression::Op::Or, std::move(any), next);
            if (is_true(next) || own.empty()) {
                for (Statement& binding : own) rest->push_back(std::move(binding));
                if (is_true(next)) break;
                continue;
            }
            // Names are those of the first alternative that fits.
            Statement choice{.op = Op::If, .place = one->place, .value = next};
            choice.body = std::move(own);
            rest->push_back(std::move(choice));
            rest = &rest->back().otherwise;
        }
        return any;
    }
    if (pattern.is("MatchAs")) {
        ExpressionRef fits = truth(true);
        if (!pattern["pattern"].is_none())
            fits = this->pattern(pattern["pattern"], subject, bindings);
        if (!pattern["name"].is_none()) {
            assign_variable(pattern, pattern["name"].text, subject, bindings);
        }
        return fits;
    }
    const bool is_sequence = subject->type->is_tuple() && subject->type->name != "bytes" &&
                             member_of(subject->type, "__dataclass_fields__") == nullptr;
    if (pattern.is("MatchSequence") && is_sequence) {
        return sequence_pattern(pattern, subject, bindings);
    }
    if (pattern.is("MatchClass")) return class_pattern(pattern, subject, bindings);
    // Arrays, strings and dataclasses are no sequences of patterns, as in Python.
    if (pattern.is("MatchSequence")) return truth(false);
    unsupported(pattern,
                "kernels match values, alternatives, names, tuples, and classes with fields");
}

// (a, b), (first, *rest)
ExpressionRef Resolver::sequence_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                         Block& bindings) {
    const auto parts = pattern.list("patterns");
    const std::size_t count = subject->type->items.size();
    const bool has_star =
        std::ranges::any_of(parts, [](const Syntax* one) { return one->is("MatchStar"); });
    if (has_star ? count + 1 < parts.size() : count != parts.size()) return truth(false);
    ExpressionRef all = truth(true);
    std::size_t next = 0;
    for (const Syntax* one : parts) {
        if (!one->is("MatchStar")) {
            all = both(Expression::Op::And, std::move(all),
                       this->pattern(*one, item(subject, next++), bindings));
            continue;
        }
        Values rest;
        for (std::size_t i = 0; i < count + 1 - parts.size(); ++i) {
            rest.push_back(item(subject, next++));
        }
        if ((*one)["name"].is_none()) continue;
        assign_variable(*one, (*one)["name"].text, tuple(std::move(rest)), bindings);
    }
    return all;
}

// Point(x, y=0) of a named tuple or a dataclass.
ExpressionRef Resolver::class_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                      Block& bindings) {
    const ExpressionRef cls = expression(pattern["cls"]);
    const Type wanted = cls->type;
    const auto by_position = pattern.list("patterns");
    const bool is_class = wanted->family == Family::Element && wanted->element->is_tuple();
    if (!is_class) {
        if (!pattern.list("kwd_attrs").empty() || by_position.size() > 1) {
            unsupported(pattern,
                        fmt::format("{} has no fields that kernels match", described(wanted)));
        }
        const auto fits = is_instance_of(subject, cls, pattern["cls"]);
        if (!fits) return nothing(unknown_type());
        if (!*fits || by_position.empty()) return truth(*fits);
        return this->pattern(*by_position[0], subject, bindings);
    }
    const Type fields = wanted->element;
    if (by_position.size() > fields->names.size()) {
        fail(pattern, fmt::format("{} has {} fields: {}", fields->name, fields->names.size(),
                                  join(fields->names)));
    }
    if (!is_of_class(subject->type, fields)) return truth(false);
    ExpressionRef all = truth(true);
    for (std::size_t i = 0; i < by_position.size(); ++i) {
        all = both(Expression::Op::And, std::move(all),
                   this->pattern(*by_position[i], item(subject, i), bindings));
    }
    const auto keywords = pattern.list("kwd_attrs");
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        const auto found = std::ranges::find(fields->names, keywords[i]->text);
        if (found == fields->names.end()) {
            fail(pattern, fmt::format("{} has no field '{}'{}", fields->name, keywords[i]->text,
                                      suggestion(keywords[i]->text, fields->names)));
        }
        const auto number = static_cast<std::size_t>(found - fields->names.begin());
        all =
            both(Expression::Op::And, std::move(all),
                 this->pattern(*pattern.list("kwd_patterns")[i], item(subject, number), bindings));
    }
    return all;
}

}  // namespace warpwise::script
