// Loops: while, and for over ranges, arrays and tuples. What they go over: sequences.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

constexpr std::size_t kMostCopies = 256;

Type int64() {
    return number_type(Kind::Int64);
}

std::optional<std::int64_t> turns_of(const Statement& loop) {
    if (loop.op != Op::For) return std::nullopt;
    std::int64_t bounds[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const ExpressionRef& one = loop.range[i];
        if (one->constant && one->constant->whole) {
            bounds[i] = *one->constant->whole;
        } else if (one->variable && one->op == Expression::Op::Variable &&
                   one->variable->constant) {
            bounds[i] = *one->variable->constant;
        } else {
            return std::nullopt;
        }
    }
    const auto [start, stop, step] = bounds;
    if (step == 0 || (step > 0 ? start >= stop : start <= stop)) return 0;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    for (const std::int64_t one : bounds) {
        if (one > kMost || one < -kMost) return std::nullopt;
    }
    return step > 0 ? (stop - start - 1) / step + 1 : (start - stop - 1) / -step + 1;
}

// Whether a statement of `value` is a `leave`, "Break" or "Continue", of the loop around it.
bool leaves_loop(const Syntax& value, std::string_view leave) {
    if (value.is(leave)) return true;
    if (value.is("For") || value.is("While")) {
        const auto rest = value.list("orelse");
        return std::ranges::any_of(rest,
                                   [&](const Syntax* one) { return leaves_loop(*one, leave); });
    }
    if (value.is("FunctionDef") || value.is("Lambda")) return false;
    for (const Syntax* item : value.items) {
        if (leaves_loop(*item, leave)) return true;
    }
    return std::ranges::any_of(
        value.fields, [&](const auto& field) { return leaves_loop(*field.second, leave); });
}

}  // namespace

bool Resolver::leave(const Syntax& node, Block& out) {
    const Loop& loop = loops_.back();
    const bool is_break = node.is("Break");
    out.push_back({.op = is_break ? Op::Break : Op::Continue,
                   .place = node.place,
                   .loop = is_break ? loop.number : loop.copy,
                   .breaks_past_else = loop.has_else || loop.copy != loop.number});
    return false;
}

// The least number of a range that goes up or down, in the state before the loop.
std::optional<std::int64_t> Resolver::bounds_of(const Statement& loop) const {
    const auto& step = loop.range[2]->constant;
    if (!step || !step->whole) return std::nullopt;
    if (*step->whole > 0) return facts_.lower_bound(loop.range[0]);
    const auto behind = facts_.lower_bound(loop.range[1]);
    return behind ? std::optional(*behind + 1) : std::nullopt;
}

// Of the counter, in each turn; of other variables where the body does not assign them.
void Resolver::assume_range(const Statement& loop, std::optional<std::int64_t> least) {
    const ExpressionRef counter = variable(loop.variable);
    if (least) facts_.raise(counter, *least);
    const auto& step = loop.range[2]->constant;
    if (!step || !step->whole) return;
    const bool goes_up = *step->whole > 0;
    const auto first = loop.range[0]->constant;
    const auto end = loop.range[1]->constant;
    const bool is_known = first && first->whole && end && end->whole;
    if (is_known && loop.variable->assignments == 1) {
        const std::int64_t last = goes_up ? *end->whole - 1 : *end->whole + 1;
        facts_.confine(*loop.variable, std::min(*first->whole, last),
                       std::max(*first->whole, last));
    }
    const auto is_fixed = [](const ExpressionRef& bound) { return bound->effect == Effect::Pure; };
    if (is_fixed(loop.range[0])) {
        facts_.part(goes_up ? counter : loop.range[0], goes_up ? loop.range[0] : counter, 0);
    }
    if (is_fixed(loop.range[1])) {
        facts_.part(goes_up ? loop.range[1] : counter, goes_up ? counter : loop.range[1], 1);
    }
}

// `before`: what is known where the loop may have had no turn, of its target, too.
// False where the end of the statement is not reached: `else` or the first turn leaves, and nothing
// breaks.
bool Resolver::loop_body(const Syntax& node, Statement& loop, const Facts& before, Block& out) {
    loop.loop = ++loop_count_;
    const auto range = loop.op == Op::For ? bounds_of(loop) : std::nullopt;
    facts_.enter_loop();
    if (loop.op == Op::While) facts_.assume(loop.value, true);
    if (loop.op == Op::For) {
        assume_range(loop, range);
        assume_presence(node["target"]);
    }
    loops_.push_back({.number = loop.loop,
                      .copy = loop.loop,
                      .has_else = !node.list("orelse").empty(),
                      .test = loop.op == Op::While ? &node["test"] : nullptr,
                      .turns = turns_of(loop)});
    const bool body_ends =
        block(node.list("body"), loop.body) || leaves_loop(node["body"], "Continue");
    const bool is_endless = loop.op == Op::While && known_truth(node["test"]) == 1;
    const bool is_passed = !is_endless && (body_ends || loops_.back().turns.value_or(0) == 0);
    loops_.pop_back();
    facts_ = before;
    const bool is_reached = is_passed && otherwise(node, loop.otherwise);
    out.push_back(std::move(loop));
    return is_reached || leaves_loop(node["body"], "Break");
}

// The `else` of a loop; what it establishes does not hold where the loop was left.
bool Resolver::otherwise(const Syntax& loop, Block& out) {
    const Facts before = facts_;
    const bool is_reached = block(loop.list("orelse"), out);
    if (leaves_loop(loop["body"], "Break")) facts_ = before;
    return is_reached;
}

bool Resolver::is_in(const Syntax& node, const Variable& variable) const {
    const auto number = instance_.flow.variable_of.find(&node);
    if (number != instance_.flow.variable_of.end()) {
        return instance_.variables[number->second].get() == &variable;
    }
    return std::ranges::any_of(node.items,
                               [&](const Syntax* one) { return is_in(*one, variable); }) ||
           std::ranges::any_of(node.fields,
                               [&](const auto& field) { return is_in(*field.second, variable); });
}

bool Resolver::bounds(const Syntax& test, const Variable& variable) const {
    if (test.is("BoolOp") && test["op"].is("And")) {
        return std::ranges::any_of(test.list("values"),
                                   [&](const Syntax* one) { return bounds(*one, variable); });
    }
    if (!test.is("Compare")) return false;
    const auto ops = test.list("ops");
    const Syntax* left = &test["left"];
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Syntax* const right = test.list("comparators")[i];
        const bool is_less = ops[i]->is("Lt") || ops[i]->is("LtE");
        const bool is_more = ops[i]->is("Gt") || ops[i]->is("GtE");
        if ((is_less && is_in(*left, variable)) || (is_more && is_in(*right, variable))) {
            return true;
        }
        left = right;
    }
    return false;
}

bool Resolver::is_bounded(const Variable& variable) const {
    return std::ranges::any_of(loops_, [&](const Loop& loop) {
        return loop.test != nullptr && bounds(*loop.test, variable);
    });
}

bool Resolver::while_loop(const Syntax& node, Block& out) {
    const int known = known_truth(node["test"]);
    if (known == 0) return block(node.list("orelse"), out);
    Statement made{.op = Op::While, .place = node.place};
    const Facts before = facts_;
    facts_.enter_loop();  // the condition is of each turn
    made.value = known == 1 ? truth(true) : condition(node["test"]);
    facts_ = before;
    note_effect(made.value->effect);
    const bool is_reached = loop_body(node, made, before, out);
    return known == 1 ? leaves_loop(node["body"], "Break") : is_reached;
}

bool Resolver::for_loop(const Syntax& node, Block& out) {
    const Syntax& iter = node["iter"];
    static const std::set<std::string_view> kByNumber = {"ndindex", "ndenumerate", "flat",
                                                         "chain",   "pairwise",    "count",
                                                         "cycle",   "islice",      "repeat"};
    const std::string sequence_of_call = sequence_name(iter);
    if (kByNumber.contains(sequence_of_call)) return composed_loop(node, out);
    if (is_selection(sequence_of_call)) {
        const auto items = items_of(iter);
        return items ? unrolled_loop(node, *items, out) : composed_loop(node, out);
    }
    if (iter.is("Call")) {
        const Type callee = callee_type(iter);
        const std::string& name = callee->name;
        const bool is_known = callee->family == Family::Known;
        if (is_known && name == "builtins.range") return range_loop(node, arguments_of(iter), out);
        const bool is_sequence =
            is_known &&
            (name == "builtins.enumerate" || name == "builtins.zip" || name == "builtins.reversed");
        const auto parts = iter.list("args");
        const bool is_composed = is_sequence && std::ranges::any_of(parts, [this](const auto* one) {
                                     return !sequence_name(*one).empty();
                                 });
        if (is_composed) {
            const auto items = items_of(iter);
            return items ? unrolled_loop(node, *items, out) : composed_loop(node, out);
        }
        if (is_sequence) return combined_loop(node, name.substr(9), arguments_of(iter), out);
    }
    const ExpressionRef sequence = expression(iter);
    if (sequence->type->family == Family::Unknown) return true;
    if (sequence->type->is_tuple()) {
        require_items(sequence->type, iter);
        require_few_copies(sequence->type->items.size(), iter);
        Values items;
        ExpressionRef held = sequence;
        if (held->op == Expression::Op::Tuple) {
            held = kept(held, iter, out);
        } else if (!is_simple(held)) {
            held = assigned(held, "items", iter, out);
        }
        for (std::size_t i = 0; i < sequence->type->items.size(); ++i)
            items.push_back(item(held, i));
        return unrolled_loop(node, items, out);
    }
    const bool are_records = sequence->type->is_record() && sequence->type->rank > 0;
    if (const auto items = items_of(iter)) return unrolled_loop(node, *items, out);
    if (sequence->type->is_chars()) return composed_loop(node, out);
    if (!sequence->type->is_array() && !are_records) {
        unsupported(iter, fmt::format("kernels loop over range(), arrays and tuples, not over {}",
                                      described(sequence->type)));
    }
    return sequence_loop(node, {sequence}, false, nullptr, out);
}

bool Resolver::range_loop(const Syntax& node, const Arguments& range, Block& out) {
    if (range.empty() || range.size() > 3) fail(node["iter"], "range() takes one to three numbers");
    for (const Argument& one : range) {
        if (one.value->type->family == Family::Unknown) {
            note_body(node);
            return true;
        }
        if (!one.value->type->is_number() || !one.value->type->is_whole()) {
            fail(*one.node,
                 fmt::format("range() takes whole numbers, got {}; convert it with int()",
                             described(one.value->type)));
        }
    }
    if (!node["target"].is("Name")) fail(node["target"], "the items of range() are single numbers");
    Statement made{.op = Op::For, .place = node.place};
    const bool has_start = range.size() > 1;
    made.range = {has_start ? cast(range[0].value, int64()) : whole(0),
                  cast(range[has_start ? 1 : 0].value, int64()),
                  range.size() == 3 ? cast(range[2].value, int64()) : whole(1)};
    for (const ExpressionRef& bound : made.range) note_effect(bound->effect);
    note_loop_to(made.range[1]);
    const auto& step = made.range[2]->constant;
    const auto& stop = made.range[1]->constant;
    if (step && step->whole == 0) fail(*range[2].node, "the step of range() cannot be 0");
    if (stop && magnitude(made.range[1]) <= kFewItems) {
        const std::size_t counter = instance_.flow.variable_of.at(&node["target"]);
        few_counters_.insert(instance_.variables[counter].get());
    }
    const bool goes_up = step && *step->whole > 0;
    const bool goes_down = step && *step->whole < 0;
    const bool never_negative =
        (goes_up && made.range[0]->is_never_negative) ||
        (goes_down && stop && stop->whole && *stop->whole >= -1) ||
        (!step && made.range[0]->is_never_negative && is_surely_natural(made.range[2]));
    made.variable = instance_.variables[instance_.flow.variable_of.at(&node["target"])];
    auto value = std::make_shared<Expression>();
    value->type = int64();
    value->is_never_negative = never_negative;
    value->most = magnitude_of_range(made.range);
    set_type(*made.variable, value, node["target"]);
    const Facts before = facts_;
    if (made.variable->has_value) set_presence(*made.variable, truth(true), node, made.body);
    made.keeps_counter =
        instance_.flow.used_after.contains(&node) || made.variable->type != int64();
    const bool is_split = goes_up && !made.range[0]->constant &&
                          facts_.lower_bound(made.range[0]).value_or(-1) < 0 && indexes(node);
    if (is_split) return split_loop(node, std::move(made), out);
    return loop_body(node, made, before, out);
}

// A loop along the last axis of an array.
void Resolver::note_loop_to(const ExpressionRef& stop) {
    const bool is_held = stop->op == Expression::Op::Variable && stop->variable->extent;
    const ExpressionRef& read = is_held ? stop->variable->extent : stop;
    if (!is_fixed_extent(read)) return;
    const ExpressionRef& array = read->operands[0];
    if (read->text == fmt::format("shape[{}]", array->type->rank - 1)) note_few_items(array);
}

// Once for a natural start, where the counter is no index from the end, and once for others.
bool Resolver::split_loop(const Syntax& node, Statement loop, Block& out) {
    loop.range[0] = assigned(loop.range[0], "start", node, out);
    Statement choice{.op = Op::If, .place = node.place};
    choice.value = infix(">=", loop.range[0], whole(0), number_type(Kind::Bool));
    const Facts before = facts_;
    Statement natural = loop;
    facts_.assume(choice.value, true);
    bool is_reached = loop_body(node, natural, Facts(facts_), choice.body);
    facts_ = before;
    is_reached |= loop_body(node, loop, before, choice.otherwise);
    facts_ = before;
    out.push_back(std::move(choice));
    return is_reached;
}

// Whether the body of an innermost loop has an index with its counter.
bool Resolver::indexes(const Syntax& loop) const {
    if (translation_.has_checks()) return false;
    const Variable& counter = *instance_.variables[instance_.flow.variable_of.at(&loop["target"])];
    bool has_index = false;
    const std::function<bool(const Syntax&)> is_plain = [&](const Syntax& part) {
        const bool repeats = part.is("For") || part.is("While") || part.is("Lambda") ||
                             part.is("FunctionDef") || part.text.ends_with("Comp") ||
                             part.is("GeneratorExp");
        if (repeats) return false;
        if (part.is("Subscript")) has_index |= is_in(part["slice"], counter);
        const auto is_plain_part = [&](const Syntax* one) { return is_plain(*one); };
        return std::ranges::all_of(part.items, is_plain_part) &&
               std::ranges::all_of(part.fields,
                                   [&](const auto& field) { return is_plain(*field.second); });
    };
    const auto body = loop.list("body");
    return std::ranges::all_of(body, [&](const Syntax* one) { return is_plain(*one); }) &&
           has_index;
}

// The types in a loop whose range is not known yet.
void Resolver::note_body(const Syntax& node) {
    translation_.note_unknown(function_.source, node["iter"].place, "the range of this loop");
}

bool Resolver::combined_loop(const Syntax& node, const std::string& name,
                             const Arguments& arguments, Block& out) {
    std::vector<ExpressionRef> arrays;
    ExpressionRef start;
    bool is_strict = false;
    for (const Argument& one : arguments) {
        const bool is_start = name == "enumerate" && !arrays.empty();
        if (one.value->type->family == Family::Unknown) return true;
        if (one.keyword == "strict") {
            if (!is_false(one.value) && !is_true(one.value)) {
                unsupported(*one.node, "strict= of zip() is a constant in kernels");
            }
            is_strict = is_true(one.value);
            continue;
        }
        if (is_start) {
            start = kept(cast(one.value, int64()), *one.node, out);
            continue;
        }
        const bool is_made = one.value->type->is_tuple() && !is_simple(one.value);
        arrays.push_back(is_made ? kept(one.value, *one.node, out) : one.value);
    }
    const bool are_arrays = !arrays.empty() && std::ranges::all_of(arrays, [](const auto& one) {
        return (one->type->is_array() || one->type->is_record()) && one->type->rank > 0;
    });
    if (name == "enumerate" && !start) start = whole(0);
    if (are_arrays && name == "reversed" && arguments.size() == 1) return composed_loop(node, out);
    if (are_arrays && name != "reversed" && !is_strict) {
        return sequence_loop(node, std::move(arrays), name == "zip", start, out);
    }
    const bool are_tuples = !arrays.empty() && std::ranges::all_of(arrays, [](const auto& one) {
        return one->type->is_tuple();
    });
    if (!are_tuples) {
        const auto items = is_strict ? std::nullopt : items_of(node["iter"]);
        return items ? unrolled_loop(node, *items, out) : composed_loop(node, out);
    }
    std::size_t length = arrays[0]->type->items.size();
    for (const auto& one : arrays) {
        if (is_strict && one->type->items.size() != length) {
            fail(node["iter"], "zip() of tuples of other lengths, with strict=True");
        }
        length = std::min(length, one->type->items.size());
    }
    Values items;
    for (std::size_t i = 0; i < length; ++i) {
        if (name == "reversed") {
            items.push_back(item(arrays[0], length - 1 - i));
            continue;
        }
        Values parts;
        if (name == "enumerate") {
            parts.push_back(binary("+", start, whole(static_cast<std::int64_t>(i)), node["iter"]));
        }
        for (const auto& one : arrays) parts.push_back(item(one, i));
        items.push_back(tuple(std::move(parts)));
    }
    return unrolled_loop(node, items, out);
}

bool Resolver::composed_loop(const Syntax& node, Block& out) {
    const Sequence sequence = sequence_of(node["iter"], out);
    if (!sequence.length) {
        note_body(node);
        return true;
    }
    Statement made{.op = Op::For, .place = node.place};
    made.variable = counter_of(node);
    made.range = {whole(0), sequence.length, whole(1)};
    note_effect(Effect::Reads);
    const Facts before = facts_;
    const ExpressionRef counter = variable(made.variable);
    if (sequence.step) sequence.step(counter, made.body);
    assign(node["target"], sequence.at(counter), made.body);
    return loop_body(node, made, before, out);
}

std::shared_ptr<Variable> Resolver::counter_of(const Syntax& node) {
    std::shared_ptr<Variable>& counter = counters_[&node];
    if (!counter) {
        counter = temporary("k", int64());
        counter->is_never_negative = true;
        counter->assignments = 2;
    }
    return counter;
}

// Along the first axes of arrays, with a counter of our own.
bool Resolver::sequence_loop(const Syntax& node, std::vector<ExpressionRef> arrays, bool is_zip,
                             const ExpressionRef& start, Block& out) {
    Statement made{.op = Op::For, .place = node.place};
    ExpressionRef length;
    for (ExpressionRef& array : arrays) {
        if (array->type->rank == 0)
            fail(node["iter"], "an array without axes cannot be looped over");
        if (!is_fixed(array)) {
            array = assigned(decayed(array), "sequence", node, out);
        }
        note_few_items(array);
        ExpressionRef own = extent(first_array(array), 0);
        length = length ? call("__ww_py_min", {length, own}, int64(), Effect::Pure, true) : own;
    }
    const std::shared_ptr<Variable> counter = counter_of(node);
    made.variable = counter;
    made.range = {whole(0), length, whole(1)};
    Values items;
    for (const ExpressionRef& array : arrays) {
        items.push_back(row_of(array, variable(counter), node));
    }
    if (start) items.insert(items.begin(), binary("+", start, variable(counter), node["iter"]));
    ExpressionRef value = items[0];
    if (is_zip || start) {
        value = tuple(std::move(items));
    }
    note_effect(Effect::Reads);
    const Facts before = facts_;
    assign(node["target"], value, made.body);
    return loop_body(node, made, before, out);
}

// The value as it is now, whatever happens to the variables in it.
ExpressionRef Resolver::kept(const ExpressionRef& value, const Syntax& node, Block& out) {
    if (value->effect == Effect::Pure || value->type->family == Family::Unknown) return value;
    if (value->op == Expression::Op::Tuple) {
        Values items;
        for (const ExpressionRef& one : value->operands) items.push_back(kept(one, node, out));
        return tuple(std::move(items), value->type);
    }
    return assigned(decayed(value), "item", node, out);
}

void Resolver::require_few_copies(std::size_t count, const Syntax& node) const {
    if (count <= kMostCopies) return;
    fail(node, fmt::format("a loop over a tuple is written out, and this one has {} items; "
                           "loop over range()",
                           count));
}

// Names in the target of a loop that is written out whose items have no common type, or are known
// when compiled: they stand for the item itself in each copy of the body.
void Resolver::bind_copies(const Syntax& target, const Values& items) {
    if (target.is("Tuple") || target.is("List")) {
        const auto targets = target.list("elts");
        const bool are_alike = std::ranges::all_of(items, [&](const ExpressionRef& one) {
            return one->type->is_tuple() && one->type->items.size() == targets.size();
        });
        const bool has_star =
            std::ranges::any_of(targets, [](const Syntax* one) { return one->is("Starred"); });
        if (!are_alike || has_star) return;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            Values parts;
            for (const ExpressionRef& one : items) parts.push_back(item(one, i));
            bind_copies(*targets[i], parts);
        }
        return;
    }
    if (!target.is("Name") || items.empty()) return;
    const std::size_t number = instance_.flow.variable_of.at(&target);
    std::optional<Type> type = items[0]->type;
    for (const ExpressionRef& one : items) {
        if (one->type->family == Family::Unknown) return;
        if (type) type = unified(*type, one->type);
    }
    const bool has_one = type && ((*type)->has_value() || items.size() == 1);
    if (!has_one && instance_.flow.assignments[number] == 1) bound_[number] = items[0];
}

void Resolver::assign_item(const Syntax& target, const ExpressionRef& value, Block& out) {
    if (target.is("Name")) {
        const auto found = bound_.find(instance_.flow.variable_of.at(&target));
        if (found == bound_.end()) {
            assign(target, value, out);
        } else {
            found->second = value;
        }
        return;
    }
    const auto targets = target.list("elts");
    const bool is_plain = !(target.is("Tuple") || target.is("List")) || !value->type->is_tuple() ||
                          value->type->items.size() != targets.size() || bound_.empty();
    if (is_plain) return assign(target, value, out);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        assign_item(*targets[i], item(value, i), out);
    }
}

// What a copy of the body knows of its item.
void Resolver::assume_item(const Syntax& target, const ExpressionRef& value) {
    const auto targets = target.list("elts");
    if (value->type->is_tuple() && value->type->items.size() == targets.size()) {
        for (std::size_t i = 0; i < targets.size(); ++i) assume_item(*targets[i], item(value, i));
    }
    if (!target.is("Name") || !value->constant || !value->constant->whole) return;
    const std::size_t number = instance_.flow.variable_of.at(&target);
    if (bound_.contains(number) || instance_.variables[number]->type != int64()) return;
    facts_.raise(variable(instance_.variables[number]), *value->constant->whole);
}

bool Resolver::unrolled_loop(const Syntax& node, const Values& items, Block& out) {
    require_few_copies(items.size(), node["iter"]);
    // The items are evaluated before the first turn.
    Values held;
    for (const ExpressionRef& value : items) held.push_back(kept(value, node, out));
    Statement all{.op = Op::Unrolled, .place = node.place};
    all.loop = ++loop_count_;
    bool is_reached = true;  // what follows the last copy
    const auto before_loop = bound_;
    bind_copies(node["target"], held);
    for (const ExpressionRef& value : held) {
        Statement copy{.op = Op::Unrolled, .place = node.place};
        copy.loop = ++loop_count_;
        instance_.copies.insert(copy.loop);
        const Facts before = facts_;  // behind the loop an earlier copy's item may be the last one
        assign_item(node["target"], value, copy.body);
        assume_item(node["target"], value);
        loops_.push_back({.number = all.loop, .copy = copy.loop, .has_else = true, .turns = 1});
        is_reached = block(node.list("body"), copy.body) || leaves_loop(node["body"], "Continue");
        facts_ = before;
        loops_.pop_back();
        all.body.push_back(std::move(copy));
        if (!is_reached) break;
    }
    bound_ = before_loop;
    is_reached = is_reached && otherwise(node, all.otherwise);
    out.push_back(std::move(all));
    return is_reached || leaves_loop(node["body"], "Break");
}

}  // namespace warpwise::script
