// What uses ask of variables, and expressions whose last bits are computed alone.
#include "src/script/narrow/low_bits.hpp"

#include <algorithm>
#include <string_view>

#include "src/script/narrow/expressions.hpp"
#include "src/script/narrow/spelling.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

bool is_cut_to(Type type) {
    return is_whole_number(type) && !type->is_bool() && !is_wide(type);
}

class Uses {
  public:
    explicit Uses(std::set<const Variable*>& candidates) : candidates_(candidates) {}

    // False where a variable was no candidate.
    bool look(const Block& body) {
        const std::size_t before = candidates_.size();
        add(body);
        return candidates_.size() == before;
    }

  private:
    void add(const Block& block) {
        for (const Statement& one : block) {
            const bool is_given = one.op == Statement::Op::Assign;
            if (one.value) add(one.value, is_given && candidates_.contains(one.variable.get()));
            if (one.target) add(one.target, false);
            for (const ExpressionRef& bound : one.range) add(bound, false);
            if (one.op == Statement::Op::For) candidates_.erase(one.variable.get());
            add(one.body);
            add(one.otherwise);
        }
    }

    void add(const ExpressionRef& value, bool is_low) {
        if (value->op == Op::Variable) {
            if (!is_low) candidates_.erase(value->variable.get());
            return;
        }
        const bool is_cast = value->op == Op::Cast && is_whole_number(value->operands[0]->type);
        for (std::size_t i = 0; i < value->operands.size(); ++i) {
            add(value->operands[i], asks_low(*value, i, is_low, is_cast));
        }
    }

    bool asks_low(const Expression& value, std::size_t i, bool is_low, bool is_cast) const {
        if (is_cast) return is_cut_to(value.type) || (is_low && is_wide(value.type));
        if (value.op == Op::Let) {
            return i == 0 ? candidates_.contains(value.variable.get()) : is_low;
        }
        if (low_mask(value) != nullptr) return true;
        if (!is_low || !is_wide(value.type)) return false;
        if (value.op == Op::Select) return i > 0;
        if (exchanges(value)) return i == 1;
        const bool is_shift = value.op == Op::Infix && value.text == "<<";
        return keeps_low_bits(value) && !(is_shift && i == 1);
    }

    std::set<const Variable*>& candidates_;
};

}  // namespace

bool keeps_low_bits(const Expression& value) {
    if (!is_wide(value.type)) return false;
    if (value.op == Op::Prefix) return value.text == "-" || value.text == "~";
    if (value.op != Op::Infix) return false;
    const std::string_view op = value.text;
    if (op == "<<") {
        const auto& by = value.operands[1]->constant;
        return by && by->whole && *by->whole < 32;
    }
    return op == "+" || op == "-" || op == "*" || op == "&" || op == "|" || op == "^";
}

const Expression* low_mask(const Expression& value) {
    if (value.op != Op::Infix || value.text != "&" || !is_wide(value.type)) return nullptr;
    for (const ExpressionRef& one : value.operands) {
        const auto& whole = one->constant ? one->constant->whole : std::nullopt;
        if (whole && *whole >= 0 && *whole <= UINT32_MAX) return one.get();
        if (one->constant && one->constant->large.value_or(UINT64_MAX) <= UINT32_MAX) {
            return one.get();
        }
    }
    return nullptr;
}

bool exchanges(const Expression& value) {
    return value.op == Op::Call && is_wide(value.type) && value.text.starts_with("__shfl_");
}

// The last 32 bits, without sign. It asks of operands what Uses::asks_low() says.
ExpressionRef Expressions::low_bits(const ExpressionRef& value) {
    const Type type = number_type(Kind::UInt32);
    const auto cut = [&type](const ExpressionRef& given) {
        if (given->type == type) return given;
        auto made = std::make_shared<Expression>();
        made->op = Op::Cast;
        made->type = type;
        made->effect = given->effect;
        made->is_never_negative = true;
        made->operands = {given};
        return ExpressionRef(std::move(made));
    };
    if (value->op == Op::Variable && low_variables.contains(value->variable.get())) {
        auto made = std::make_shared<Expression>(*value);
        made->type = type;
        made->is_never_negative = true;
        made->most.reset();
        return made;
    }
    if (value->op == Op::Constant && is_wide(value->type)) return low_bits_of_operands(value);
    const Value visited = visit(value);
    if (visited.narrow) return cut(visited.narrow);
    if (ExpressionRef low = is_wide(value->type) ? low_bits_of_operands(value) : nullptr) {
        return low;
    }
    return cut(visited.wide);
}

// Null where they do not follow from those of operands.
ExpressionRef Expressions::low_bits_of_operands(const ExpressionRef& value) {
    const Type type = number_type(Kind::UInt32);
    auto made = std::make_shared<Expression>(*value);
    made->type = type;
    made->is_never_negative = true;
    made->most.reset();
    const std::vector<ExpressionRef>& given = value->operands;
    if (value->op == Op::Variable)
        return low_variables.contains(value->variable.get()) ? low_bits(value) : nullptr;
    if (value->op == Op::Constant) {
        const Constant& known = *value->constant;
        const auto bits =
            known.whole ? static_cast<std::uint64_t>(*known.whole) : known.large.value_or(0);
        made->constant = Constant{.whole = static_cast<std::int64_t>(bits & UINT32_MAX)};
    } else if (value->op == Op::Cast && is_whole_number(given[0]->type)) {
        return low_bits(given[0]);
    } else if (value->op == Op::Let) {
        const Value held = visit(given[0]);
        made->operands = {this->given(*value->variable, given[0], held), low_bits(given[1])};
    } else if (value->op == Op::Select) {
        made->operands = {visit(given[0]).wide, low_bits(given[1]), low_bits(given[2])};
    } else if (exchanges(*value)) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            made->operands[i] = i == 1 ? low_bits(given[i]) : visit(given[i]).wide;
        }
    } else if (keeps_low_bits(*value)) {
        const bool is_shift = value->text == "<<";
        for (std::size_t i = 0; i < given.size(); ++i) {
            made->operands[i] = is_shift && i == 1 ? given[i] : low_bits(given[i]);
        }
    } else {
        return nullptr;
    }
    return made;
}

ExpressionRef Expressions::given(const Variable& variable, const ExpressionRef& value,
                                 const Value& visited) {
    if (low_variables.contains(&variable)) return low_bits(value);
    const Type type = narrow_type(variable);
    return type != nullptr ? as(visited, type) : visited.wide;
}

std::set<const Variable*> variables_of_low_bits(const Block& body,
                                                std::set<const Variable*> candidates) {
    while (!candidates.empty() && !Uses(candidates).look(body)) {
    }
    return candidates;
}

}  // namespace warpwise::script
