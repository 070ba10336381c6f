// The innermost block that has all uses of a variable.
#include "src/script/emit/declarations.hpp"

namespace warpwise::script {
namespace {

using Variables = std::set<Variable*>;

bool is_declared_here(const Variable& variable) {
    return !variable.is_parameter && !variable.is_temporary;
}

void add(const ExpressionRef& value, Variables& found) {
    if (!value) return;
    if (value->variable && is_declared_here(*value->variable)) found.insert(value->variable.get());
    for (const ExpressionRef& operand : value->operands) add(operand, found);
}

bool has_own_counter(const Statement& statement) {
    return statement.op == Statement::Op::For && !statement.keeps_counter;
}

// Of the statement itself, without the blocks in it.
Variables own_variables(const Statement& statement) {
    Variables found;
    add(statement.target, found);
    add(statement.value, found);
    for (const ExpressionRef& bound : statement.range) add(bound, found);
    if (statement.variable && is_declared_here(*statement.variable) &&
        !has_own_counter(statement)) {
        found.insert(statement.variable.get());
    }
    return found;
}

Variables all_variables(const Block& block);

Variables all_variables(const Statement& statement) {
    Variables found = own_variables(statement);
    for (const Block* block : {&statement.body, &statement.otherwise}) {
        for (Variable* variable : all_variables(*block)) {
            const bool is_counter =
                has_own_counter(statement) && variable == statement.variable.get();
            if (!is_counter) found.insert(variable);
        }
    }
    return found;
}

Variables all_variables(const Block& block) {
    Variables found;
    for (const Statement& statement : block) found.merge(all_variables(statement));
    return found;
}

void place(Variable* variable, const Block& block, Declarations& result) {
    const Statement* first = nullptr;
    int users = 0;
    for (const Statement& statement : block) {
        if (!all_variables(statement).contains(variable)) continue;
        if (first == nullptr) first = &statement;
        ++users;
    }
    if (first == nullptr) return;
    const bool is_own = own_variables(*first).contains(variable);
    if (users == 1 && !is_own) {
        const bool in_body = all_variables(first->body).contains(variable);
        const bool in_other = all_variables(first->otherwise).contains(variable);
        if (in_body != in_other) {
            place(variable, in_body ? first->body : first->otherwise, result);
            return;
        }
    }
    Variables read;
    add(first->value, read);
    const bool is_given = first->op == Statement::Op::Assign && first->variable.get() == variable &&
                          !read.contains(variable);
    if (is_given) {
        result.at_assignment.insert(first);
    } else {
        result.at_head[&block].push_back(variable);
    }
}

}  // namespace

Declarations place_declarations(const Block& body, bool at_top) {
    Declarations result;
    for (Variable* variable : all_variables(body)) {
        if (at_top) {
            result.at_head[&body].push_back(variable);
        } else {
            place(variable, body, result);
        }
    }
    return result;
}

}  // namespace warpwise::script
