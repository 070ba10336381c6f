// Names, literals, and values that are known when the function is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/base/text.hpp"
#include "src/script/identifiers.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// Of constants, which no function may be called for.
template <class T>
std::string real_text(T value, const char* suffix) {
    if (std::isnan(value)) return fmt::format("__builtin_nan{}(\"\")", suffix);
    if (std::isinf(value)) return fmt::format("{}__builtin_inf{}()", value < 0 ? "-" : "", suffix);
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text + suffix;
}

// The bytes of a constant array as initialisers.
std::string initializer_of(Kind kind, const std::string& hex) {
    // Parts of complex numbers one after the other: C++ lets braces inside go.
    if (kind == Kind::Complex64) kind = Kind::Float32;
    if (kind == Kind::Complex128) kind = Kind::Float64;
    const std::size_t bytes = DType(kind).size();
    std::string text;
    for (std::size_t at = 0; at + 2 * bytes <= hex.size(); at += 2 * bytes) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            const auto byte =
                static_cast<std::uint64_t>(std::stoul(hex.substr(at + 2 * i, 2), nullptr, 16));
            word |= byte << (8 * i);
        }
        if (!text.empty()) text += ", ";
        if (kind == Kind::Float64) {
            text += real_text(std::bit_cast<double>(word), "");
        } else if (kind == Kind::Float32) {
            text += real_text(std::bit_cast<float>(static_cast<std::uint32_t>(word)), "f");
        } else if (number_type(kind)->is_signed()) {
            const std::size_t unused = 64 - 8 * bytes;
            const auto value = static_cast<std::int64_t>(word << unused) >> unused;
            const bool is_least = value == std::numeric_limits<std::int64_t>::min();
            text += is_least ? "-0x7fffffffffffffffLL - 1" : fmt::format("{}LL", value);
        } else {
            text += fmt::format("{}ULL", word);
        }
    }
    return text;
}

}  // namespace

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
        statement.value = closed(decayed(without_arrays(expression(result), result, body)));
        note_effect(statement.value->effect);
        const std::optional<Type> type = unified(instance_.result, statement.value->type);
        if (!type) fail(*instance_.node, "its result has several types");
        if (*type != instance_.result) translation_.note_change();
        instance_.result = *type;
        for (const std::size_t origin : origins(statement.value)) instance_.returned.insert(origin);
        note_result(statement.value);
        body.push_back(std::move(statement));
    } else if (block(instance_.node->list("body"), body)) {
        // Its end is reached: None is a result.
        const std::optional<Type> result = unified(instance_.result, none_type());
        if (!result) {
            fail(*instance_.node,
                 fmt::format("'{}' returns {} on one path and ends without return on another; "
                             "return a value on every path",
                             function_.name, described(instance_.result)));
        }
        if (*result != instance_.result) translation_.note_change();
        instance_.result = *result;
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

std::shared_ptr<Variable> Resolver::temporary_for(const ExpressionRef& value,
                                                  std::string_view name) const {
    std::shared_ptr<Variable> made = temporary(name, value->type);
    made->is_never_negative = value->is_never_negative;
    made->most = value->constant ? magnitude(value) : value->most;
    made->origins = origins(value);
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
    return bounded(variable(found));
}

ExpressionRef Resolver::literal(const Syntax& node) {
    const Syntax& value = node["value"];
    if (value.form == Syntax::Form::Ellipsis)
        return nothing(intern({.family = Family::Slice, .name = "..."}));
    return frozen(value, node, "");
}

ExpressionRef Resolver::frozen(const Syntax& value, const Syntax& node, const std::string& name) {
    switch (value.form) {
        case Syntax::Form::None:
            return nothing(none_type());
        case Syntax::Form::Bool:
            return truth(value.flag);
        case Syntax::Form::Int: {
            std::int64_t number = 0;
            if (value.as_int(number)) return whole(number);
            std::uint64_t wide = 0;
            if (value.as_uint(wide)) return large(wide);
            fail(node, fmt::format("the integer {} has more than 64 bits", quote(value.text, 40)));
        }
        case Syntax::Form::Float:
            return real(value.real);
        case Syntax::Form::Complex:
            return call("", {real(value.real), real(value.imaginary)},
                        number_type(Kind::Complex128));
        case Syntax::Form::String:
            return nothing(intern({.family = Family::Text, .name = value.text}));
        default:
            break;
    }
    const auto text_at = [&](std::size_t i) -> const std::string& { return value.items[i]->text; };
    if (value.is_tagged("scalar")) {
        const Type type = parse_type(text_at(0));
        if (type->is_time()) {
            return call("__ww_py_time", {frozen(*value.items[1], node, name)}, type);
        }
        const Kind kind = type->kind;
        return cast(frozen(*value.items[1], node, name), number_type(kind));
    }
    if (value.is_tagged("member")) {
        auto member = std::make_shared<Expression>(*frozen(*value.items[0], node, name));
        member->is_member = true;
        return member;
    }
    if (value.is_tagged("known")) return known_object(text_at(0), node);
    if (value.is_tagged("dtype")) {
        // Python's types have names of their own: int is more than int64.
        return nothing(intern({.family = Family::Element,
                               .element = parse_type(text_at(0)),
                               .name = value.items.size() > 1 ? text_at(1) : ""}));
    }
    if (value.is_tagged("function")) {
        std::uint64_t number = 0;
        if (!value.items[0]->as_uint(number) ||
            number >= translation_.program().functions().size()) {
            fail(node, "the program lacks this function");
        }
        return nothing(intern({.family = Family::Function,
                               .name = translation_.program().functions()[number].name,
                               .number = number}));
    }
    if (value.is_tagged("method")) {
        TypeData method = *frozen(*value.items[0], node, name)->type;
        method.element = frozen(*value.items[1], node, name)->type;
        return nothing(intern(std::move(method)));
    }
    if (value.is_tagged("tuple") || value.is_tagged("named") || value.is_tagged("bytes")) {
        const bool is_named = value.is_tagged("named");
        Values items;
        TypeData type{.family = Family::Tuple};
        for (std::size_t i = is_named ? 3 : 0; i < value.items.size(); ++i) {
            items.push_back(frozen(*value.items[i], node, name));
            type.items.push_back(items.back()->type);
        }
        if (value.is_tagged("bytes")) type.name = "bytes";
        if (is_named) {
            type.name = text_at(0);
            for (const Syntax* field : value.items[1]->items) type.names.push_back(field->text);
            std::uint64_t number = 0;
            if (value.items[2]->as_uint(number)) type.number = static_cast<std::size_t>(number);
        }
        return tuple(std::move(items), intern(std::move(type)));
    }
    if (value.is_tagged("dict")) return frozen_dict(value, node, name);
    if (value.is_tagged("partial")) return frozen_partial(value, node, name);
    if (value.is_tagged("named_type")) {
        TypeData fields{.family = Family::Tuple, .name = text_at(0)};
        for (const Syntax* field : value.items[1]->items) {
            fields.names.push_back(field->text);
            fields.items.push_back(unknown_type());
        }
        std::int64_t number = 0;
        if (value.items.size() > 3 && value.items[2]->as_int(number)) {
            fields.number = static_cast<std::size_t>(number);
            translation_.set_defaults(fields.number, *value.items[3]);
        }
        return nothing(intern({.family = Family::Element, .element = intern(std::move(fields))}));
    }
    if (value.is_tagged("array")) return frozen_array(value, node, name);
    if (value.is_tagged("records")) return frozen_records(value, node, name);
    if (value.is_tagged("external")) return external(value);
    if (value.is_tagged("module")) {
        return nothing(intern({.family = Family::Module, .name = text_at(0)}));
    }
    return nothing(
        intern({.family = Family::Other, .name = value.items.empty() ? "an object" : text_at(0)}));
}

// {dict key value ...}
ExpressionRef Resolver::frozen_dict(const Syntax& value, const Syntax& node,
                                    const std::string& name) {
    std::vector<std::string> keys;
    Values values;
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        keys.push_back(key_text(frozen(*value.items[i], node, name), node));
        values.push_back(decayed(frozen(*value.items[i + 1], node, name)));
    }
    return dict_value(std::move(keys), std::move(values));
}

// {partial ["keyword" ...] function value ...}
ExpressionRef Resolver::frozen_partial(const Syntax& value, const Syntax& node,
                                       const std::string& name) {
    TypeData type{.family = Family::Partial};
    for (const Syntax* keyword : value.items[0]->items) type.names.push_back(keyword->text);
    Values items;
    for (std::size_t i = 1; i < value.items.size(); ++i) {
        items.push_back(decayed(frozen(*value.items[i], node, name)));
        type.items.push_back(items.back()->type);
    }
    return tuple(std::move(items), intern(std::move(type)));
}

ExpressionRef Resolver::frozen_array(const Syntax& value, const Syntax& node,
                                     const std::string& name) {
    const Type element = parse_type(value.items[0]->text);
    TypeData type{
        .family = Family::Array, .element = element, .layout = Layout::Fixed, .is_constant = true};
    for (const Syntax* extent : value.items[1]->items) {
        std::int64_t length = 0;
        if (!extent->as_int(length) || length < 0) {
            fail(node, fmt::format("the global array '{}' has no shape", name));
        }
        type.shape.push_back(length);
    }
    type.rank = static_cast<int>(type.shape.size());
    if (type.rank == 0)
        fail(node, fmt::format("the global array '{}' has no axis; use its value", name));
    if (element->kind == Kind::Float16) {
        unsupported(node, fmt::format("the global array '{}' holds {}, which kernels do not take "
                                      "as a constant; pass it as an argument",
                                      name, text_of(element)));
    }
    type.name =
        translation_.constant_array(identifier(name.empty() ? "array" : name), element, type.shape,
                                    initializer_of(element->kind, value.items[2]->text));
    auto storage = std::make_shared<Expression>();
    storage->op = Expression::Op::Storage;
    storage->type = intern(std::move(type));
    storage->text = storage->type->name;
    return storage;
}

ExpressionRef Resolver::default_of(const TypeData& fields, std::size_t field, const Syntax& node) {
    const Syntax* const defaults = translation_.defaults(fields.number);
    const std::size_t without =
        defaults == nullptr ? fields.names.size() : fields.names.size() - defaults->items.size();
    if (field < without) return nullptr;
    return frozen(*defaults->items[field - without], node, fields.names[field]);
}

// {records ["field" ...] {array ...} ...}: an array for each field, as of arguments.
ExpressionRef Resolver::frozen_records(const Syntax& value, const Syntax& node,
                                       const std::string& name) {
    Values fields;
    TypeData type{.family = Family::Tuple, .is_fields = true};
    for (const Syntax* field : value.items[0]->items) {
        const std::string own = name + "_" + field->text;
        fields.push_back(decayed(frozen_array(*value.items[fields.size() + 1], node, own)));
        type.names.push_back(field->text);
        type.items.push_back(fields.back()->type);
        type.rank = fields.back()->type->rank;
    }
    return tuple(std::move(fields), intern(std::move(type)));
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
