// Names, literals and variables.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/base/text.hpp"
#include "src/script/identifiers.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/optional.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
Resolver::Resolver(Translation& translation, Instance& instance)
    : translation_(translation),
      instance_(instance),
      function_(*instance.function),
      locals_(local_names(*instance.node)) {}

void Resolver::fail(const Syntax& node, const std::string& message) const {
    refuse(function_.source, node.place, message);
}

void Resolver::unsupported(const Syntax& node, const std::string& message) const {
    refuse_unsupported(function_.source, node.place, message);
}

void Resolver::run() {
    set_up();
    Block body;
    if (instance_.node->is("Lambda")) {
        Statement statement{.op = Statement::Op::Return, .place = instance_.node->place};
        const Syntax& result = (*instance_.node)["body"];
        statement.value = closed(decayed(without_arrays(may_be_none(result), result, body)));
        note_effect(statement.value->effect);
        const std::optional<Type> type = result_with(statement.value->type);
        if (!type) fail(*instance_.node, "its result has several types");
        if (*type != instance_.result) translation_.note_change();
        instance_.result = *type;
        for (const std::size_t origin : origins(statement.value)) instance_.returned.insert(origin);
        note_result(statement.value);
        body.push_back(std::move(statement));
    } else if (block(instance_.node->list("body"), body)) {
        // Its end is reached: None is a result.
        const std::optional<Type> result = result_with(none_type());
        if (!result) {
            fail(*instance_.node,
                 fmt::format("'{}' returns {} on one path and ends without return on another; "
                             "return a value on every path",
                             function_.name, described(instance_.result)));
        }
        if (*result != instance_.result) translation_.note_change();
        instance_.result = *result;
        if (is_optional(*result)) {
            body.push_back({.op = Statement::Op::Return,
                            .place = instance_.node->place,
                            .value = as_result(nothing(none_type()), *result)});
        }
    }
    note_lengths();
    instance_.body = std::move(body);
}

namespace {

constexpr std::size_t kMostItems = 1024;  // of a tuple that is an argument

std::size_t number_of_items(Type type) {
    if (!type->is_tuple()) return 1;
    std::size_t count = 0;
    for (const Type item : type->items) count += number_of_items(item);
    return count;
}

}  // namespace

void Resolver::set_up() {
    const Syntax& node = *instance_.node;
    const std::vector<const Syntax*> parameters = parameters_of(node);
    if (instance_.passes == 0) {
        instance_.flow = analyse_flow(node, instance_.captured,
                                      [this](const Syntax& test) { return known_truth(test); });
        for (const std::size_t assignments : instance_.flow.assignments) {
            auto made = std::make_shared<Variable>();
            made->assignments = assignments;
            made->most = 0;
            instance_.variables.push_back(std::move(made));
        }
        for (const auto& [place, number] : instance_.flow.variable_of) {
            Variable& variable = *instance_.variables[number];
            if (place->is("Name")) variable.name = (*place)["id"].text;
            if (place->is("arg")) variable.name = (*place)["arg"].text;
            if (place->is("FunctionDef") || place->is("MatchAs") || place->is("MatchStar")) {
                variable.name = (*place)["name"].text;
            }
        }
        for (std::size_t i = 0; i < instance_.arguments.size(); ++i) {
            std::shared_ptr<Variable> variable;
            if (i < parameters.size()) {
                variable = instance_.variables[instance_.flow.variable_of.at(parameters[i])];
            } else {
                variable = std::make_shared<Variable>();
                variable->name = instance_.captured[i - parameters.size()];
                variable->assignments = 1;
            }
            variable->is_parameter = true;
            variable->most = 0;
            if (instance_.is_kernel) {
                const Type type = instance_.arguments[i];
                const bool is_natural = translation_.is_small_launch() && is_signed_integer(type);
                variable->is_never_negative = is_natural;
                variable->most =
                    is_natural ? std::optional<std::uint64_t>(INT32_MAX) : std::nullopt;
            }
            if (instance_.is_kernel && number_of_items(instance_.arguments[i]) > kMostItems) {
                fail(*parameters[i],
                     fmt::format("{} is a tuple of {} values; a kernel takes {} at most, so pass "
                                 "an array",
                                 quote(variable->name), number_of_items(instance_.arguments[i]),
                                 kMostItems));
            }
            if (instance_.arguments[i]->is_array() || instance_.arguments[i]->has_items()) {
                variable->origins.insert(i);
            }
            const auto known = instance_.constants.find(i);
            if (known != instance_.constants.end() && variable->assignments == 1) {
                const bool is_number = instance_.arguments[i]->is_number();
                if (!is_number) variable->constant_items = known->second;
                if (is_number) variable->constant = known->second[0];
            }
            instance_.parameters.push_back(std::move(variable));
        }
    }
    for (std::size_t i = 0; i < instance_.arguments.size(); ++i) {
        Variable& variable = *instance_.parameters[i];
        const std::optional<Type> type = unified(variable.type, instance_.arguments[i]);
        if (!type) {
            fail(i < parameters.size() ? *parameters[i] : node,
                 fmt::format("'{}' is {} as an argument and {} later; use another name",
                             variable.name, described(instance_.arguments[i]),
                             described(variable.type)));
        }
        variable.type = *type;
    }
    instance_.storage.clear();
    instance_.totals.clear();
    if (instance_.passes == 0) find_optional();
    for (const auto& variable : instance_.variables) {
        if (variable->has_value) instance_.totals.push_back(variable->has_value);
    }
    instance_.few_items.clear();  // what the first passes know of numbers is too little
    instance_.calls.clear();
    instance_.copies.clear();
}

std::shared_ptr<Variable> Resolver::temporary(std::string_view name, Type type) {
    auto made = std::make_shared<Variable>();
    made->assignments = 1;
    made->name = name;
    made->type = type;
    made->is_temporary = true;
    made->is_never_negative = false;
    return made;
}

// One that changes.
std::shared_ptr<Variable> Resolver::total(std::string_view name, Type type) {
    std::shared_ptr<Variable> made = temporary(name, type);
    made->assignments = 2;
    made->is_temporary = false;
    instance_.totals.push_back(made);
    return made;
}

std::shared_ptr<Variable> Resolver::temporary_for(const ExpressionRef& value,
                                                  std::string_view name) const {
    std::shared_ptr<Variable> made = temporary(name, value->type);
    made->is_never_negative = value->is_never_negative;
    made->most = value->constant ? magnitude(value) : value->most;
    made->origins = origins(value);
    const bool is_variable = value->op == Expression::Op::Variable;
    made->unit_axes = is_variable ? value->variable->unit_axes : value->unit_axes;
    return made;
}

std::optional<std::string> Resolver::dotted(const Syntax& node) const {
    if (node.is("Name")) {
        const std::string& name = node["id"].text;
        if (locals_.contains(name)) return std::nullopt;
        if (std::ranges::find(instance_.captured, name) != instance_.captured.end()) {
            return std::nullopt;
        }
        return name;
    }
    if (!node.is("Attribute")) return std::nullopt;
    std::optional<std::string> base = dotted(node["value"]);
    if (base) *base += "." + node["attr"].text;
    return base;
}

const Syntax* Resolver::scope_value(const std::string& name) const {
    const auto found = function_.scope.find(name);
    return found == function_.scope.end() ? nullptr : found->second;
}

ExpressionRef Resolver::name(const Syntax& node) {
    const std::string& id = node["id"].text;
    if (instance_.flow.locals.contains(id)) {
        const auto found = instance_.flow.variable_of.find(&node);
        if (found == instance_.flow.variable_of.end()) {
            fail(node, fmt::format("'{}' has no value here; assign it first", id));
        }
        return read(node, found->second);
    }
    const auto captured = std::ranges::find(instance_.captured, id);
    if (captured != instance_.captured.end()) {
        const std::size_t at = static_cast<std::size_t>(captured - instance_.captured.begin()) +
                               parameters_of(*instance_.node).size();
        if (!instance_.arguments[at]->has_value()) {
            return nothing(instance_.arguments[at]);
        }
        return variable(instance_.parameters[at]);
    }
    const Syntax* const value = scope_value(id);
    if (value != nullptr) return frozen(*value, node, id);
    std::vector<std::string> known(instance_.flow.locals.begin(), instance_.flow.locals.end());
    for (const auto& [name, other] : function_.scope) known.push_back(name);
    fail(node, fmt::format("the name '{}' is not defined{}", id, suggestion(id, known)));
}

ExpressionRef Resolver::read(const Syntax& node, std::size_t number) {
    if (const auto item = bound_.find(number); item != bound_.end()) return item->second;
    const std::shared_ptr<Variable>& found = instance_.variables[number];
    if (instance_.flow.maybe_unset.contains(&node) && !translation_.zero_unset()) {
        fail(node, fmt::format("'{}' has no value on some path to this line; give it one before",
                               found->name));
    }
    Type type = found->type;
    if (type->family == Family::Unknown)
        translation_.note_unknown(function_.source, node.place, quote(found->name));
    if (type->is_array() && type->layout == Layout::Fixed) {
        auto storage = std::make_shared<Expression>();
        storage->op = Expression::Op::Storage;
        storage->type = type;
        storage->text = type->name;
        return storage;
    }
    if (!type->has_value()) return nothing(type);
    return present(node, bounded(variable(found)));
}

ExpressionRef Resolver::literal(const Syntax& node) {
    const Syntax& value = node["value"];
    if (value.form == Syntax::Form::Ellipsis)
        return nothing(intern({.family = Family::Slice, .name = "..."}));
    return frozen(value, node, "");
}

// The conditions that flow and statements leave a branch out for: they depend on constants alone.
int Resolver::known_truth(const Syntax& test) const {
    if (test.is("Constant")) {
        const Syntax& value = test["value"];
        if (value.form == Syntax::Form::Bool) return value.flag ? 1 : 0;
        if (value.form == Syntax::Form::Int) return value.text != "0" ? 1 : 0;
        return value.is_none() ? 0 : -1;
    }
    if (test.is("Name") || test.is("Attribute")) {
        const std::optional<std::string> name = dotted(test);
        const Syntax* value = name ? scope_value(*name) : nullptr;
        if (value == nullptr) return -1;
        if (value->is_tagged("member")) value = value->items[0];
        if (value->form == Syntax::Form::Bool) return value->flag ? 1 : 0;
        if (value->form == Syntax::Form::Int) return value->text != "0" ? 1 : 0;
        return value->is_none() ? 0 : -1;
    }
    if (test.is("UnaryOp") && test["op"].is("Not")) {
        const int truth = known_truth(test["operand"]);
        return truth == -1 ? -1 : 1 - truth;
    }
    if (test.is("BoolOp")) {
        const int decisive = test["op"].is("And") ? 0 : 1;
        int all = 1 - decisive;
        for (const Syntax* value : test.list("values")) {
            const int truth = known_truth(*value);
            if (truth == decisive) return decisive;
            if (truth == -1) all = -1;
        }
        return all;
    }
    if (!test.is("Compare") || test.list("ops").size() != 1) return -1;
    const Syntax& op = *test.list("ops")[0];
    const Syntax& right = *test.list("comparators")[0];
    const bool is_with_none = right.is("Constant") && right["value"].is_none();
    if (!is_with_none || (!op.is("Is") && !op.is("IsNot")) || !test["left"].is("Name")) return -1;
    const std::string& name = test["left"]["id"].text;
    const std::vector<const Syntax*> parameters = parameters_of(*instance_.node);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if ((*parameters[i])["arg"].text != name) continue;
        if (assigned_names(*instance_.node).contains(name)) return -1;
        const bool is_none = instance_.arguments[i]->family == Family::None;
        return is_none == op.is("Is") ? 1 : 0;
    }
    const std::optional<std::string> global = dotted(test["left"]);
    const Syntax* const value = global ? scope_value(*global) : nullptr;
    if (value == nullptr) return -1;
    return value->is_none() == op.is("Is") ? 1 : 0;
}

std::set<std::size_t> Resolver::origins(const ExpressionRef& value) const {
    using Op = Expression::Op;
    if (value->op == Op::Variable) return value->variable->origins;
    std::set<std::size_t> found;
    if (value->op == Op::Element && value->is_place) return origins(value->operands[0]);
    if (value->op == Op::Let && value->is_place) return origins(value->operands[1]);
    if (value->type->is_scalar() || value->op == Op::Storage) return found;
    for (const ExpressionRef& operand : value->operands) found.merge(origins(operand));
    return found;
}

void Resolver::note_written(const ExpressionRef& array, const Syntax& node) {
    if (array->type->is_array() && array->type->is_constant) {
        fail(node, "this array cannot be written: it is a constant");
    }
    for (const std::size_t origin : origins(array)) {
        if (instance_.written.insert(origin).second) translation_.note_change();
    }
    note_effect(Effect::Acts);
}

void Resolver::note_few_items(const ExpressionRef& array) {
    instance_.few_items.merge(origins(array));
}

bool Resolver::is_among_few(const ExpressionRef& index) const {
    if (index->constant) return magnitude(index) <= kFewItems;
    return index->op == Expression::Op::Variable && few_counters_.contains(index->variable.get());
}

void Resolver::note_effect(Effect effect) {
    if (effect <= instance_.effect) return;
    instance_.effect = effect;
    translation_.note_change();
}

void Resolver::note_may_end() {
    note_effect(Effect::Acts);
    if (instance_.may_end) return;
    instance_.may_end = true;
    translation_.note_change();
}

void Resolver::set_type(Variable& variable, const ExpressionRef& value, const Syntax& node) {
    facts_.forget(variable);
    // A list whose elements have become larger.
    const Type before = variable.type;
    const bool is_same_list = before->is_list && value->type->is_list && before->number != 0 &&
                              before->number == value->type->number;
    if (is_same_list) variable.type = value->type;
    const std::optional<Type> type = unified(variable.type, value->type);
    if (!type && variable.type->family == Family::Text && value->type->family == Family::Text) {
        fail(node, fmt::format("'{}' is another string here than before; strings are known when "
                               "compiled, so use another name",
                               variable.name));
    }
    if (!type && variable.name.starts_with('.')) {
        fail(node, fmt::format("this joins {} and {}; its items, and its start or default, need "
                               "one type",
                               described(variable.type), described(value->type)));
    }
    if (!type) {
        fail(node, fmt::format("'{}' is {} here and {} before; use one type, or another name",
                               variable.name, described(value->type), described(variable.type)));
    }
    bool changed = *type != before;
    variable.type = *type;
    const bool stays = value->is_never_negative &&
                       (loops_.empty() || !grows(value, variable) || is_bounded(variable));
    if (variable.is_never_negative && !stays && value->type->family != Family::Unknown) {
        variable.is_never_negative = false;
        changed = true;
    }
    changed |= enlarge(variable, value, is_bounded(variable));
    for (const std::size_t origin : origins(value))
        changed |= variable.origins.insert(origin).second;
    if (changed) translation_.note_change();
}

ExpressionRef Resolver::decayed(const ExpressionRef& value) {
    const Type type = value->type;
    if (!type->is_array() || type->layout != Layout::Fixed) return value;
    TypeData data = *with_axes(type, type->rank, Layout::C);
    if (type->is_made) data.shape = type->shape;
    return cast(value, intern(std::move(data)));
}

}  // namespace warpwise::script
