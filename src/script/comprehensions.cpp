// Writing loops as syntax.
#include "src/script/comprehensions.hpp"

#include <fmt/format.h>

namespace warpwise::script {

Syntax& Comprehensions::node(std::string_view kind, Fields fields) {
    Syntax& made = nodes_.emplace_back();
    made.form = Syntax::Form::Node;
    made.text = kind;
    made.place = place_;
    made.fields.assign(fields.begin(), fields.end());
    return made;
}

const Syntax& Comprehensions::list(Nodes items) {
    Syntax& made = nodes_.emplace_back();
    made.form = Syntax::Form::List;
    made.items = std::move(items);
    return made;
}

const Syntax& Comprehensions::string(std::string_view text) {
    Syntax& made = nodes_.emplace_back();
    made.form = Syntax::Form::String;
    made.text = text;
    return made;
}

const Syntax& Comprehensions::name(std::string_view id, bool is_stored) {
    return node("Name", {{"id", &string(id)}, {"ctx", &node(is_stored ? "Store" : "Load")}});
}

const Syntax& Comprehensions::constant(std::int64_t value) {
    Syntax& number = nodes_.emplace_back();
    number.form = Syntax::Form::Int;
    number.text = fmt::format("{}", value);
    return node("Constant", {{"value", &number}});
}

const Syntax& Comprehensions::truth(bool value) {
    Syntax& flag = nodes_.emplace_back();
    flag.form = Syntax::Form::Bool;
    flag.flag = value;
    return node("Constant", {{"value", &flag}});
}

const Syntax& Comprehensions::assign(std::string_view id, const Syntax& value) {
    return node("Assign", {{"targets", &list({&name(id, true)})}, {"value", &value}});
}

const Syntax& Comprehensions::operation(std::string_view op, const Syntax& a, const Syntax& b) {
    return node("BinOp", {{"left", &a}, {"op", &node(op)}, {"right", &b}});
}

const Syntax& Comprehensions::if_true(const Syntax& test, Nodes body) {
    return node("If", {{"test", &test}, {"body", &list(std::move(body))}, {"orelse", &list({})}});
}

const Syntax& Comprehensions::if_not(const Syntax& test, Nodes body) {
    return if_true(node("UnaryOp", {{"op", &node("Not")}, {"operand", &test}}), std::move(body));
}

const Syntax& Comprehensions::returned(const Syntax& value) {
    return node("Return", {{"value", &value}});
}

const Syntax& Comprehensions::called(const Syntax& function, Nodes arguments) {
    return node(
        "Call",
        {{"func", &function}, {"args", &list(std::move(arguments))}, {"keywords", &list({})}});
}

const Syntax& Comprehensions::raised(std::string_view exception, std::string_view message) {
    const Syntax& text = node("Constant", {{"value", &string(message)}});
    return node("Raise", {{"exc", &called(name(exception), {&text})}});
}

const Syntax& Comprehensions::item_of(const Syntax& items) {
    return is_comprehension(items) ? items["elt"] : name(".item");
}

// `body` for each item.
const Syntax& Comprehensions::loop(const Syntax& items, Nodes body) {
    const auto over = [this](const Syntax& target, const Syntax& iter, Nodes inner) {
        return &node("For", {{"target", &target},
                             {"iter", &iter},
                             {"body", &list(std::move(inner))},
                             {"orelse", &list({})}});
    };
    if (!is_comprehension(items)) return *over(name(".item", true), items, std::move(body));
    const auto generators = items.list("generators");
    for (auto one = generators.rbegin(); one != generators.rend(); ++one) {
        const auto tests = (*one)->list("ifs");
        for (auto test = tests.rbegin(); test != tests.rend(); ++test) {
            body = {&if_true(**test, std::move(body))};
        }
        body = {over((**one)["target"], (**one)["iter"], std::move(body))};
    }
    return *body[0];
}

// min() and max(): the first of equal items, as in Python.
Comprehensions::Nodes Comprehensions::extreme(const Consumer& consumer) {
    const bool has_key = consumer.key != nullptr;
    const char* const by = has_key ? ".key" : ".value";
    const char* const best = has_key ? ".best_key" : ".best";
    const Syntax& is_better =
        node("Compare", {{"left", &name(by)},
                         {"ops", &list({&node(consumer.name == "min" ? "Lt" : "Gt")})},
                         {"comparators", &list({&name(best)})}});
    const Syntax& is_first = node("UnaryOp", {{"op", &node("Not")}, {"operand", &name(".found")}});
    const Syntax& takes =
        node("BoolOp", {{"op", &node("Or")}, {"values", &list({&is_first, &is_better})}});
    Nodes take{&assign(".best", name(".value")), &assign(".found", truth(true))};
    if (has_key) take.push_back(&assign(".best_key", name(".key")));
    Nodes turn{&assign(".value", item_of(*consumer.items))};
    if (has_key) turn.push_back(&assign(".key", called(*consumer.key, {&name(".value")})));
    turn.push_back(&if_true(takes, std::move(take)));
    const Syntax& none =
        consumer.otherwise != nullptr
            ? returned(*consumer.otherwise)
            : raised("ValueError", consumer.name + "() iterable argument is empty");
    return {&assign(".found", truth(false)), &loop(*consumer.items, std::move(turn)),
            &if_not(name(".found"), {&none}), &returned(name(".best"))};
}

// functools.reduce()
Comprehensions::Nodes Comprehensions::reduced(const Consumer& consumer) {
    const Syntax& item = item_of(*consumer.items);
    const Syntax& joined = assign(".result", called(*consumer.function, {&name(".result"), &item}));
    if (consumer.start != nullptr) {
        return {&assign(".result", *consumer.start), &loop(*consumer.items, {&joined}),
                &returned(name(".result"))};
    }
    Syntax& turn = node("If", {{"test", &name(".found")},
                               {"body", &list({&joined})},
                               {"orelse", &list({&assign(".result", item)})}});
    return {&assign(".found", truth(false)),
            &loop(*consumer.items, {&turn, &assign(".found", truth(true))}),
            &if_not(name(".found"), {&raised("TypeError",
                                             "reduce() of empty iterable with no "
                                             "initial value")}),
            &returned(name(".result"))};
}

Comprehensions::Nodes Comprehensions::body_of(const Consumer& consumer) {
    if (consumer.name == "min" || consumer.name == "max") return extreme(consumer);
    if (consumer.name == "reduce") return reduced(consumer);
    const Syntax& item = item_of(*consumer.items);
    if (consumer.name == "next") {
        return {&loop(*consumer.items, {&returned(item)}), consumer.otherwise != nullptr
                                                               ? &returned(*consumer.otherwise)
                                                               : &raised("StopIteration", "")};
    }
    if (consumer.name == "any") {
        return {&loop(*consumer.items, {&if_true(item, {&returned(truth(true))})}),
                &returned(truth(false))};
    }
    if (consumer.name == "all") {
        return {&loop(*consumer.items, {&if_not(item, {&returned(truth(false))})}),
                &returned(truth(true))};
    }
    const bool is_count = consumer.name == "len";
    const bool is_product = consumer.name == "prod";
    Nodes turn;
    if (is_count) turn.push_back(&node("Expr", {{"value", &item}}));
    turn.push_back(&assign(".result", operation(is_product ? "Mult" : "Add", name(".result"),
                                                is_count ? constant(1) : item)));
    const Syntax& start =
        consumer.start != nullptr ? *consumer.start : constant(is_product ? 1 : 0);
    return {&assign(".result", start), &loop(*consumer.items, std::move(turn)),
            &returned(name(".result"))};
}

const Syntax& Comprehensions::function(const std::string& name, Nodes body, const Syntax& call) {
    const Syntax& none = list({});
    const Syntax& args = node("arguments", {{"posonlyargs", &none},
                                            {"args", &none},
                                            {"kwonlyargs", &none},
                                            {"kw_defaults", &none},
                                            {"defaults", &none}});
    const Syntax& made = node("FunctionDef", {{"name", &string(name)},
                                              {"args", &args},
                                              {"body", &list(std::move(body))},
                                              {"decorator_list", &none}});
    return *(functions_[&call] = &made);
}

const Syntax& Comprehensions::generator_of(std::string_view function, const Syntax& call) {
    const auto found = generators_.find(&call);
    if (found != generators_.end()) return *found->second;
    place_ = call.place;
    const Syntax& by = *call.list("args")[0];
    const bool is_none = by.is("Constant") && by["value"].is_none();
    const Syntax& item = name(".given");
    const Syntax& value = is_none ? item : called(by, {&item});
    const bool is_map = function == "map";
    const Syntax& generator =
        node("comprehension", {{"target", &name(".given", true)},
                               {"iter", call.list("args")[1]},
                               {"ifs", &list(is_map ? Nodes{} : Nodes{&value})}});
    return *(generators_[&call] = &node("GeneratorExp", {{"elt", is_map ? &value : &item},
                                                         {"generators", &list({&generator})}}));
}

const Syntax& Comprehensions::call_of_known(std::string_view function, const Syntax& call) {
    const auto found = renamed_.find(&call);
    if (found != renamed_.end()) return *found->second;
    place_ = call.place;
    const Syntax& known = node("Known", {{"name", &string(function)}});
    return *(
        renamed_[&call] = &node(
            "Call", {{"func", &known}, {"args", &call["args"]}, {"keywords", &call["keywords"]}}));
}

const Syntax& Comprehensions::choice_of(const Syntax& statement) {
    const auto found = choices_.find(&statement);
    if (found != choices_.end()) return *found->second;
    place_ = statement.place;
    const Syntax& value = statement["value"];
    const auto with_value = [&](const Syntax& one) -> const Syntax* {
        if (statement.is("Return")) return &returned(one);
        if (statement.is("Expr")) return &node("Expr", {{"value", &one}});
        return &node("Assign",
                     {{"targets", &list({statement.list("targets")[0]})}, {"value", &one}});
    };
    // a and b, a or b: the last one is evaluated by the truth of the others.
    if (value.is("BoolOp")) {
        const auto all = value.list("values");
        const Syntax& others = list({all.begin(), all.end() - 1});
        const Syntax& test =
            all.size() == 2 ? *all[0] : node("BoolOp", {{"op", &value["op"]}, {"values", &others}});
        const Syntax& last = *with_value(*all.back());
        const bool is_and = value["op"].is("And");
        return *(choices_[&statement] = is_and ? &if_true(test, {&last}) : &if_not(test, {&last}));
    }
    return *(choices_[&statement] =
                 &node("If", {{"test", &value["test"]},
                              {"body", &list({with_value(value["body"])})},
                              {"orelse", &list({with_value(value["orelse"])})}}));
}

const Syntax& Comprehensions::function_of(const Consumer& consumer, const Syntax& call) {
    const auto found = functions_.find(&call);
    if (found != functions_.end()) return *found->second;
    place_ = call.place;
    return function(consumer.name + "_of_items", body_of(consumer), call);
}

const Syntax& Comprehensions::number_function_of(std::string_view name,
                                                 std::span<const Syntax* const> given,
                                                 const Syntax& call) {
    const auto found = functions_.find(&call);
    if (found != functions_.end()) return *found->second;
    place_ = call.place;
    const Syntax& value = given.size() == 1 ? *given[0] : operation("Mult", *given[0], *given[1]);
    const Syntax& made = node("ReturnNumber", {{"name", &string(name)}, {"value", &value}});
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return function(fmt::format("{}_of_elements", last), {&made}, call);
}

const Syntax& Comprehensions::list_function_of(const Syntax& comprehension) {
    const auto found = functions_.find(&comprehension);
    if (found != functions_.end()) return *found->second;
    place_ = comprehension.place;
    const Syntax& items =
        node("ReturnItems", {{"elt", &comprehension["elt"]},
                             {"generators", &list({comprehension.list("generators").begin(),
                                                   comprehension.list("generators").end()})}});
    return function("items", {&items}, comprehension);
}

}  // namespace warpwise::script
