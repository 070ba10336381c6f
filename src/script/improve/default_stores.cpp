// Joins stores, block by block, from the innermost outwards.
#include "src/script/improve/default_stores.hpp"

#include <algorithm>
#include <string>

#include "src/script/resolve/build.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

// The name of the kernel's own memory that a statement stores to and nothing else; empty: none.
std::string stored_memory(const Statement& one) {
    if (one.op != Statement::Op::Store || one.target->op != Op::Element) return {};
    const ExpressionRef& array = one.target->operands[0];
    return array->op == Op::Storage ? array->text : std::string();
}

// Whether evaluating it neither reads the memory nor changes anything. Variables that are assigned
// may show the memory, also parameters.
bool leaves_alone(const ExpressionRef& value, const std::string& memory) {
    if (value->effect == Effect::Acts || value->op == Op::Check) return false;
    if (value->op == Op::Storage) return value->text != memory;
    if (value->op == Op::Let && !value->variable->is_temporary) return false;
    if (value->op == Op::Variable && value->type->is_array()) {
        return value->variable->is_parameter && value->variable->assignments == 1;
    }
    return std::ranges::all_of(value->operands, [&](const ExpressionRef& operand) {
        return leaves_alone(operand, memory);
    });
}

bool has_own_memory(const ExpressionRef& value) {
    return value->op == Op::Storage || std::ranges::any_of(value->operands, has_own_memory);
}

// Whether the store may be made behind the other one.
bool may_pass(const Statement& other, const std::string& memory) {
    const std::string others = stored_memory(other);
    return !others.empty() && others != memory && leaves_alone(other.value, memory) &&
           leaves_alone(other.target, memory);
}

// The memory that the branch stores one value to where its condition holds; empty: it does more.
std::string replaced_memory(const Statement& branch) {
    if (branch.op != Statement::Op::If || branch.body.size() != 1 || !branch.otherwise.empty()) {
        return {};
    }
    const Statement& store = branch.body[0];
    const std::string memory = stored_memory(store);
    if (memory.empty() || !leaves_alone(branch.value, memory) ||
        !leaves_alone(store.value, memory)) {
        return {};
    }
    // Indices are the same before other stores to memory of the kernel's own.
    const std::vector<ExpressionRef>& place = store.target->operands;
    const bool is_fixed_place =
        std::none_of(place.begin() + 1, place.end(), [&](const ExpressionRef& index) {
            return has_own_memory(index) || !leaves_alone(index, memory);
        });
    return is_fixed_place ? memory : std::string();
}

bool is_constant(const ExpressionRef& value) {
    return value->op == Op::Cast ? is_constant(value->operands[0]) : value->op == Op::Constant;
}

// The store of a constant to the same place before the branch; null: there is none.
const Statement* default_before(const Block& block, std::size_t branch, const std::string& memory) {
    for (std::size_t i = branch; i-- > 0;) {
        const Statement& one = block[i];
        if (stored_memory(one) == memory) {
            const Statement& store = block[branch].body[0];
            const bool is_default = is_constant(one.value) &&
                                    one.value->type == store.value->type &&
                                    is_same(one.target, store.target);
            return is_default ? &one : nullptr;
        }
        if (!may_pass(one, memory)) return nullptr;
    }
    return nullptr;
}

}  // namespace

void join_default_stores(Block& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        join_default_stores(body[i].body);
        join_default_stores(body[i].otherwise);
        const std::string memory = replaced_memory(body[i]);
        if (memory.empty()) continue;
        const Statement* const before = default_before(body, i, memory);
        if (before == nullptr) continue;
        Statement joined = body[i].body[0];
        joined.value = select(body[i].value, joined.value, before->value, joined.value->type);
        body[i] = std::move(joined);
        body.erase(body.begin() + (before - body.data()));
        --i;
    }
}

}  // namespace warpwise::script
