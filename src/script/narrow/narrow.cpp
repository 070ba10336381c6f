// The states of a function's statements until they stand still, then the statements anew.
//
// Passes over all statements, from the first to the last: the state at the head of a loop is what
// reached it in the passes before, made wider (Mode::Ascend) until none grows, then smaller
// (Mode::Descend) by what still reaches it. Mode::Check shows that the states at the heads hold
// what reaches them: only then anything is changed (Mode::Write).
#include "src/script/narrow/narrow.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "src/script/narrow/expressions.hpp"
#include "src/script/narrow/low_bits.hpp"
#include "src/script/narrow/relations.hpp"
#include "src/script/narrow/spelling.hpp"
#include "src/script/narrow/steps.hpp"
#include "src/script/resolve/magnitudes.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;
using Value = Expressions::Value;

constexpr int kMostPasses = 60;
constexpr int kPlainPasses = 3;       // before states are made wider than what reaches them
constexpr int kLastDifferences = 30;  // behind it the heads of loops know none
constexpr int kDescents = 3;
constexpr Wide kMostTurns = Wide{1} << 40;
constexpr Wide kMostStep = Wide{1} << 70;

enum class Mode { Ascend, Descend, Check, Write };

class Narrowing {
  public:
    Narrowing(Instance& instance, const NarrowOptions& options)
        : instance_(instance),
          options_(options),
          numbers_(instance.body),
          expressions_(numbers_, options.is_small_launch,
                       options.reinterprets ? kMostBytes32 : kMostItems32) {}

    std::map<const Instance*, std::vector<Interval>> run() {
        const bool holds = find_states();
        auto arguments = holds ? expressions_.arguments : Arguments();
        if (!holds) return all_arguments();
        choose();
        mode_ = Mode::Write;
        expressions_.writes = true;
        pass();
        return arguments;
    }

  private:
    using Arguments = std::map<const Instance*, std::vector<Interval>>;

    struct Head {
        State state;
        State back;  // from the ends of turns, in the last pass
        Changes changes;
        std::optional<Wide> turns;  // at most
        bool is_known = false;
    };

    bool find_states() {
        mode_ = Mode::Ascend;
        for (pass_ = 0; pass_ < kMostPasses; ++pass_) {
            changed_ = false;
            pass();
            if (!changed_) break;
        }
        if (changed_) return false;
        const std::map<const Statement*, Head> ascended = heads_;
        mode_ = Mode::Descend;
        for (int i = 0; i < kDescents; ++i) pass();
        if (is_checked()) return true;
        heads_ = ascended;
        return is_checked();
    }
    bool is_checked() {
        mode_ = Mode::Check;
        changed_ = false;
        std::ranges::fill(expressions_.assigned, Interval());
        expressions_.arguments.clear();
        pass();
        return !changed_;
    }
    Arguments all_arguments() const {
        Arguments none;
        for (const Instance* called : instance_.calls) none[called];
        return none;
    }

    void pass() {
        State& state = expressions_.state;
        state.is_reached = true;
        state.differences = {};
        std::ranges::fill(state.values, options_.zero_unset ? Interval{0, 0} : Interval());
        if (options_.zero_unset && mode_ == Mode::Check) {
            for (Interval& one : expressions_.assigned) one = joined(one, {0, 0});
        }
        for (std::size_t i = 0; i < instance_.parameters.size(); ++i) {
            const Variable& one = *instance_.parameters[i];
            if (!numbers_.has(&one)) continue;
            const bool is_natural = instance_.is_kernel && options_.is_small_launch &&
                                    is_signed_integer(instance_.arguments[i]);
            Interval range = is_whole_number(instance_.arguments[i])
                                 ? interval_of(instance_.arguments[i])
                                 : interval_of(one.type);
            if (is_natural) range = met(range, {0, INT32_MAX});
            if (i < options_.parameters.size() && !options_.parameters[i].is_empty()) {
                range = met(range, options_.parameters[i]);
            }
            expressions_.assign(one, range);
        }
        exits_.clear();
        nexts_.clear();
        block(instance_.body);
    }

    // Variables of 64 bits all of whose values have 32, or are asked for no more.
    void choose() {
        std::set<const Variable*> fixed;
        std::set<const Variable*> others;
        for (const auto& one : instance_.parameters) fixed.insert(one.get());
        for (std::size_t i = 0; i < numbers_.count(); ++i) {
            Variable& one = numbers_.variable(i);
            const Interval& range = expressions_.assigned[i];
            if (!is_wide(one.type) || range.is_empty() || fixed.contains(&one)) continue;
            const auto declare = [&](Kind kind) {
                one.type = number_type(kind);
                expressions_.narrow_variables[&one] = one.type;
            };
            const Kind kind = one.type->is_signed() ? Kind::Int32 : Kind::UInt32;
            const auto is_of = [&](Kind some) {
                return range.is_within(interval_of(number_type(some)));
            };
            if (is_of(kind)) {
                declare(kind);
            } else if (is_of(Kind::UInt32)) {
                declare(Kind::UInt32);
            } else {
                others.insert(&one);
            }
        }
        expressions_.low_variables = variables_of_low_bits(instance_.body, std::move(others));
        for (std::size_t i = 0; i < numbers_.count(); ++i) {
            Variable& one = numbers_.variable(i);
            if (!expressions_.low_variables.contains(&one)) continue;
            one.type = number_type(Kind::UInt32);
            expressions_.narrow_variables[&one] = one.type;
        }
    }

    void block(Block& statements) {
        for (Statement& one : statements) {
            // Behind what is never reached, only the types of variables matter.
            if (!expressions_.state.is_reached && mode_ != Mode::Write) return;
            statement(one);
        }
    }

    void statement(Statement& one) {
        State& state = expressions_.state;
        switch (one.op) {
            case Op::Assign:
                return assign(one);
            case Op::Store: {
                const Value value = expressions_.visit(one.value);
                const Value target = expressions_.visit(one.target);
                if (mode_ != Mode::Write) return;
                one.value = value.wide;
                one.target = target.wide;
                return;
            }
            case Op::Evaluate:
            case Op::Return: {
                if (!one.value) break;
                const Value value = expressions_.visit(one.value);
                if (mode_ == Mode::Write) one.value = value.wide;
                break;
            }
            case Op::If:
                return branch(one);
            case Op::While:
                return while_loop(one);
            case Op::For:
                return for_loop(one);
            case Op::Break:
                join(exits_[one.loop], state);
                break;
            case Op::Continue:
                join(nexts_[one.loop], state);
                break;
            case Op::End:
                break;
            case Op::Unrolled:
                block(one.body);
                if (instance_.copies.contains(one.loop)) {
                    join(state, nexts_[one.loop]);
                    return;
                }
                block(one.otherwise);
                join(state, exits_[one.loop]);
                return;
        }
        if (one.op != Op::Evaluate) state.is_reached = false;
    }

    void assign(Statement& one) {
        bool is_subtracted = false;
        if (mode_ != Mode::Write) {
            if (const ExpressionRef step = added(one, is_subtracted)) {
                const Interval by = expressions_.range(step);
                added_[&one] = is_subtracted ? Interval{-by.most, -by.least} : by;
            }
        }
        const Value value = expressions_.visit(one.value);
        const Variable& variable = *one.variable;
        if (numbers_.has(&variable)) expressions_.assign(variable, value.range, one.value);
        if (mode_ != Mode::Write) return;
        one.value = expressions_.given(variable, one.value, value);
    }

    void branch(Statement& one) {
        State& state = expressions_.state;
        const Value test = expressions_.visit(one.value);
        const ExpressionRef condition = one.value;
        if (mode_ == Mode::Write) one.value = test.wide;
        const State before = state;
        expressions_.assume(condition, true);
        block(one.body);
        const State after = std::exchange(state, before);
        expressions_.assume(condition, false);
        block(one.otherwise);
        join(state, after);
    }

    void while_loop(Statement& one) {
        State& state = expressions_.state;
        Head& head = enter(one, std::nullopt);
        const State entry = std::exchange(state, head.state);
        state.is_reached = entry.is_reached;
        const ExpressionRef condition = one.value;
        const Value test = expressions_.visit(condition);
        if (mode_ == Mode::Write) one.value = test.wide;
        State end = state;
        expressions_.assume(condition, true);
        block(one.body);
        leave(one, head, entry);
        state = std::move(end);
        expressions_.assume(condition, false);
        block(one.otherwise);
        join(state, exits_[one.loop]);
    }

    struct Counter {
        Interval range;             // in the body
        std::optional<Wide> turns;  // at most
        bool is_narrow = false;     // 32 bits hold it and what is compared with it
        int direction = 0;          // 1 up, -1 down, 0 nobody knows
    };

    static Counter counter_of(const Statement& loop, const Interval& start, const Interval& stop,
                              const Interval& step) {
        Counter counter{.range = interval_of(number_type(Kind::Int64))};
        const Interval narrow = interval_of(number_type(Kind::Int32));
        const bool are_narrow = start.is_within(narrow) && stop.is_within(narrow);
        if (is_surely_natural(loop.range[2]) && step.least >= 0) {
            counter.range = {start.least, stop.most - 1};
            counter.direction = 1;
            counter.is_narrow = are_narrow && stop.most + step.most - 1 <= narrow.most;
            if (step.least > 0) counter.turns = (stop.most - start.least - 1) / step.least + 1;
        } else if (loop.range[2]->constant && step.most < 0) {
            counter.range = {stop.least + 1, start.most};
            counter.direction = -1;
            counter.is_narrow = are_narrow && stop.least + step.least + 1 >= narrow.least;
            counter.turns = (start.most - stop.least - 1) / -step.most + 1;
        }
        if (counter.turns) counter.turns = std::max<Wide>(*counter.turns, 0);
        if (counter.turns && *counter.turns > kMostTurns) counter.turns.reset();
        return counter;
    }

    void for_loop(Statement& one) {
        State& state = expressions_.state;
        std::vector<Value> bounds;
        bounds.reserve(3);
        for (const ExpressionRef& bound : one.range) bounds.push_back(expressions_.visit(bound));
        const Counter counter = counter_of(one, bounds[0].range, bounds[1].range, bounds[2].range);
        const Variable& variable = *one.variable;
        if (mode_ == Mode::Write) write_bounds(one, bounds, counter);
        Head& head = enter(one, counter.turns);
        const std::vector<Difference> known =
            Relations(numbers_, state).of_counter(one, counter.direction, head.changes.assigned);
        const State entry = std::exchange(state, head.state);
        state.is_reached = entry.is_reached;
        State end = state;
        const bool has_turn = !counter.range.is_empty();
        const bool is_own = !one.keeps_counter && numbers_.has(&variable);
        if (is_own && !counter.is_narrow) note_wide(variable);
        if (has_turn && numbers_.has(&variable)) {
            expressions_.assign(variable, counter.range);
            for (const Difference& one : known) state.differences.raise(one);
        } else if (!has_turn) {
            state.is_reached = false;
        }
        block(one.body);
        leave(one, head, entry);
        state = std::move(end);
        block(one.otherwise);
        join(state, exits_[one.loop]);
    }

    void note_wide(const Variable& variable) {
        expressions_.assigned[numbers_.of(&variable)] = interval_of(variable.type);
    }

    void write_bounds(Statement& one, const std::vector<Value>& bounds, const Counter& counter) {
        const Type type = number_type(Kind::Int32);
        // A loop that is not reached may have the variable of one that is.
        one.is_narrow = one.keeps_counter ? counter.is_narrow && !counter.range.is_empty()
                                          : expressions_.narrow_type(*one.variable) == type;
        const ExpressionRef step = one.range[2];
        for (std::size_t i = 0; i < 3; ++i) {
            one.range[i] = one.is_narrow ? expressions_.as(bounds[i], type) : bounds[i].wide;
        }
        if (one.is_narrow || one.range[2] == step) return;
        // No other loop than before: a step of 0 has no turns, where its sign was not known.
        auto same = std::make_shared<Expression>(*one.range[2]);
        same->is_never_negative = step->is_never_negative;
        same->most = step->most;
        one.range[2] = std::move(same);
    }

    // What is added in all turns of a loop; empty: nobody knows.
    std::optional<Interval> total(const std::vector<Step>& steps, Wide turns) const {
        Interval all{0, 0};
        for (const Step& one : steps) {
            const auto found = added_.find(one.assignment);
            if (found == added_.end() || found->second.is_empty()) continue;
            Wide times = turns;
            for (const Statement* loop : one.loops) {
                const auto inner = heads_.find(loop);
                if (inner == heads_.end() || !inner->second.is_known) {
                    times = 0;
                    continue;
                }
                if (!inner->second.turns) return std::nullopt;
                times *= *inner->second.turns;
                if (times > kMostTurns) return std::nullopt;
            }
            const Interval by = found->second;
            all =
                sum(all, {std::min<Wide>(by.least, 0) * times, std::max<Wide>(by.most, 0) * times});
            if (all.least < -kMostStep || all.most > kMostStep) return std::nullopt;
        }
        return all;
    }

    // What reaches the head of a loop.
    State reaching(const Head& head, const State& entry) const {
        State next = entry;
        join(next, head.back);
        if (!head.turns) return next;
        for (const auto& [variable, steps] : head.changes.steps) {
            if (!numbers_.has(variable)) continue;
            const std::size_t number = numbers_.of(variable);
            const std::optional<Interval> by = total(steps, *head.turns);
            if (!by || entry.values[number].is_empty()) continue;
            const Interval range = sum(entry.values[number], *by);
            if (range.is_within(interval_of(variable->type))) next.values[number] = range;
        }
        return next;
    }

    Head& enter(const Statement& loop, std::optional<Wide> turns) {
        Head& head = heads_[&loop];
        if (!head.is_known) head.changes = changes_of(loop);
        head.turns = turns;
        const State& entry = expressions_.state;
        if (mode_ == Mode::Check || mode_ == Mode::Write) {
            if (!head.is_known) head.state = entry;
            head.is_known |= mode_ == Mode::Check;
            return head;
        }
        const State next = reaching(head, entry);
        if (!head.is_known) {
            head.state = next;
        } else if (mode_ == Mode::Ascend) {
            widen_differences(head.state, next);
            for (std::size_t i = 0; i < next.values.size(); ++i) {
                Interval& known = head.state.values[i];
                const Interval wider = joined(known, next.values[i]);
                known = pass_ < kPlainPasses ? wider : widened(known, wider);
            }
        } else {
            for (std::size_t i = 0; i < next.values.size(); ++i) {
                Interval& known = head.state.values[i];
                if (next.values[i].is_within(known)) known = next.values[i];
            }
            for (const Difference& one : next.differences.all()) head.state.differences.keep(one);
        }
        head.is_known = true;
        return head;
    }

    // Those that stay as they are; before the values of the state change.
    void widen_differences(State& known, const State& next) const {
        const Differences common = common_differences(known, next);
        Differences both;
        for (const Difference& one : common.all()) {
            const bool stays = one.least >= known.apart(one.first, one.second);
            if (pass_ < kPlainPasses || (stays && pass_ < kLastDifferences)) both.keep(one);
        }
        known.differences = std::move(both);
    }

    // The end of a turn; `entry` is what reached the loop.
    void leave(const Statement& loop, Head& head, const State& entry) {
        State& state = expressions_.state;
        join(state, nexts_[loop.loop]);
        if (mode_ == Mode::Write) return;
        head.back = state;
        const State next = reaching(head, entry);
        for (std::size_t i = 0; i < next.values.size(); ++i) {
            if (!next.values[i].is_within(head.state.values[i])) changed_ = true;
        }
        for (const auto& [first, second, least] : head.state.differences.all()) {
            if (next.apart(first, second) < least) changed_ = true;
        }
    }

    Instance& instance_;
    const NarrowOptions& options_;
    const Numbers numbers_;
    Expressions expressions_;
    Mode mode_ = Mode::Ascend;
    int pass_ = 0;
    bool changed_ = false;
    std::map<const Statement*, Head> heads_;
    std::map<const Statement*, Interval> added_;  // by a step, in the last pass
    std::map<int, State> exits_;                  // by the loops that are left
    std::map<int, State> nexts_;                  // by the loops whose next turn begins
};

bool reinterprets(const ExpressionRef& value) {
    if (!value) return false;
    if (value->op == Expression::Op::Call && value->text.starts_with("__ww_py_reinterpreted")) {
        return true;
    }
    return std::ranges::any_of(value->operands,
                               [](const ExpressionRef& one) { return reinterprets(one); });
}

}  // namespace

bool reinterprets(const Block& body) {
    return std::ranges::any_of(body, [](const Statement& one) {
        return reinterprets(one.value) || reinterprets(one.target) ||
               std::ranges::any_of(
                   one.range, [](const ExpressionRef& bound) { return reinterprets(bound); }) ||
               reinterprets(one.body) || reinterprets(one.otherwise);
    });
}

std::map<const Instance*, std::vector<Interval>> narrow(Instance& instance,
                                                        const NarrowOptions& options) {
    return Narrowing(instance, options).run();
}

}  // namespace warpwise::script
