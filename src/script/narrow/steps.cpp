// Steps, found by their form.
#include "src/script/narrow/steps.hpp"

#include <set>

namespace warpwise::script {
namespace {

using Op = Expression::Op;

class Finder {
  public:
    explicit Finder(const Statement& loop) {
        add(loop.body);
        found.assigned = others_;
        for (const auto& [variable, unused] : found.steps) found.assigned.insert(variable);
        for (const Variable* one : others_) found.steps.erase(one);
    }

    Changes found;

  private:
    void add(const Block& block) {
        for (const Statement& one : block) add(one);
    }
    void add(const Statement& one) {
        add(one.target);
        add(one.value);
        for (const ExpressionRef& bound : one.range) add(bound);
        bool is_subtracted = false;
        if (one.op == Statement::Op::Assign && added(one, is_subtracted)) {
            found.steps[one.variable.get()].push_back({&one, loops_});
        } else if (one.variable) {
            others_.insert(one.variable.get());
        }
        const bool is_loop = one.op == Statement::Op::For || one.op == Statement::Op::While;
        if (is_loop) loops_.push_back(&one);
        add(one.body);
        if (is_loop) loops_.pop_back();
        add(one.otherwise);
    }
    void add(const ExpressionRef& value) {
        if (!value) return;
        if (value->op == Op::Let) others_.insert(value->variable.get());
        for (const ExpressionRef& operand : value->operands) add(operand);
    }

    std::vector<const Statement*> loops_;
    std::set<const Variable*> others_;
};

}  // namespace

ExpressionRef added(const Statement& assignment, bool& is_subtracted) {
    ExpressionRef value = assignment.value;
    if (value->op != Op::Infix || (value->text != "+" && value->text != "-")) return nullptr;
    is_subtracted = value->text == "-";
    const auto is_variable = [&](const ExpressionRef& one) {
        return one->op == Op::Variable && one->variable == assignment.variable &&
               one->type == assignment.variable->type;
    };
    if (is_variable(value->operands[0])) return value->operands[1];
    return !is_subtracted && is_variable(value->operands[1]) ? value->operands[0] : nullptr;
}

Changes changes_of(const Statement& loop) {
    return Finder(loop).found;
}

}  // namespace warpwise::script
