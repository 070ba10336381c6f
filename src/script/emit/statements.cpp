// Statements.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/script/emit/function_emitter.hpp"
#include "src/script/resolve/magnitudes.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

// Cheap to evaluate before every turn of a loop, with the same result each time.
bool is_stable(const ExpressionRef& value) {
    if (value->effect != Effect::Pure) return false;
    if (value->op == Expression::Op::Call) return false;
    return std::ranges::all_of(value->operands, is_stable);
}

bool is_constant(const ExpressionRef& value, std::int64_t number) {
    return value->constant && value->constant->whole == number;
}

}  // namespace

void FunctionEmitter::block(const Block& block) {
    const auto declared = declarations_.at_head.find(&block);
    if (declared != declarations_.at_head.end()) {
        const int kept = std::exchange(python_line_, 0);
        for (const Variable* variable : declared->second) {
            const bool is_value =
                variable->type->is_scalar() || variable->type->has_items() ||
                (variable->type->is_array() && variable->type->layout != Layout::Fixed);
            if (!is_value) continue;
            line(fmt::format("{} {}{};", spelling_of(variable->type), variable->text,
                             zero_unset_ ? "{}" : ""));
        }
        python_line_ = kept;
    }
    for (const Statement& one : block) statement(one);
}

void FunctionEmitter::statement(const Statement& statement) {
    python_line_ = statement.place.line;
    switch (statement.op) {
        case Op::Assign:
            assign(statement);
            return;
        case Op::Store: {
            const std::vector<Text> texts = operands({statement.value, statement.target}, true);
            line(fmt::format("{} = {};", texts[1].text, texts[0].text));
            return;
        }
        case Op::Evaluate: {
            const Text text = expression(statement.value, true);
            if (!text.text.empty()) line(text.text + ";");
            return;
        }
        case Op::If:
            branch(statement, false);
            return;
        case Op::While:
            while_loop(statement);
            return;
        case Op::For:
            for_loop(statement);
            return;
        case Op::Break:
            if (statement.breaks_past_else) {
                ends_.insert(statement.loop);
                line(fmt::format("goto end_{};", statement.loop));
            } else {
                line("break;");
            }
            return;
        case Op::Continue:
            if (statement.breaks_past_else && instance_.copies.contains(statement.loop)) {
                nexts_.insert(statement.loop);
                line(fmt::format("goto next_{};", statement.loop));
            } else {
                line("continue;");
            }
            return;
        case Op::Return:
            if (statement.value) {
                const Text text = plain(statement.value);
                line(fmt::format("return {};", text.text));
            } else {
                line("return;");
            }
            return;
        case Op::End:
            end_thread(statement.raise);
            return;
        case Op::Unrolled:
            unrolled(statement);
            return;
    }
}

void FunctionEmitter::end_thread(int raise) {
    if (raise != 0) line(fmt::format("__ww_py_raise(__ww_raised, {});", raise), true);
    if (instance_.is_kernel) {
        line("return;", true);
        return;
    }
    line("ended = true;", true);
    line(instance_.result->family == Family::None ? "return;" : "return {};", true);
}

void FunctionEmitter::assign(const Statement& statement) {
    Variable& variable = *statement.variable;
    const Text value = plain(statement.value);
    if (variable.is_temporary) {
        variable.text = unique(variable.name);
        line(fmt::format("const {} {} = {};", spelling_of(variable.type), variable.text,
                         value.text));
    } else if (declarations_.at_assignment.contains(&statement)) {
        line(fmt::format("{} {} = {};", spelling_of(variable.type), variable.text, value.text));
    } else {
        line(fmt::format("{} = {};", variable.text, value.text));
    }
}

void FunctionEmitter::branch(const Statement& statement, bool is_chained) {
    const Text test = expression(statement.value);
    open(fmt::format("{}if ({}) {{", is_chained ? "} else " : "", test.text));
    block(statement.body);
    if (!statement.otherwise.empty()) {
        // else if, where the condition needs no lines of its own.
        const bool is_alone = statement.otherwise.size() == 1 &&
                              statement.otherwise[0].op == Op::If &&
                              !declarations_.at_head.contains(&statement.otherwise);
        if (is_alone) {
            Lines lines;
            Lines* const outer = std::exchange(out_, &lines);
            const std::set<std::string> names = used_;
            expression(statement.otherwise[0].value);
            out_ = outer;
            used_ = names;
            if (lines.empty()) {
                --depth_;
                python_line_ = statement.otherwise[0].place.line;
                branch(statement.otherwise[0], true);
                return;
            }
        }
        close("} else {");
        ++depth_;
        block(statement.otherwise);
    }
    close();
}

void FunctionEmitter::otherwise(const Statement& statement) {
    if (!statement.otherwise.empty()) {
        python_line_ = 0;
        open("{");
        block(statement.otherwise);
        close();
    }
    if (ends_.contains(statement.loop)) {
        python_line_ = 0;
        line(fmt::format("end_{}:;", statement.loop));
    }
}

void FunctionEmitter::while_loop(const Statement& statement) {
    Lines lines;
    Lines* const outer = std::exchange(out_, &lines);
    ++depth_;
    const Text test = expression(statement.value);
    --depth_;
    out_ = outer;
    if (lines.empty()) {
        open(fmt::format("while ({}) {{", test.text));
    } else {
        open("while (true) {");
        out_->insert(out_->end(), lines.begin(), lines.end());
        const Text negated{"!" + wrapped(test, 2), 3};
        line(fmt::format("if ({}) break;", negated.text));
    }
    block(statement.body);
    close();
    otherwise(statement);
}

void FunctionEmitter::for_loop(const Statement& statement) {
    const ExpressionRef& step = statement.range[2];
    const std::size_t start_line = out_->size();
    (void)start_line;
    std::vector<ExpressionRef> bounds = {statement.range[0], statement.range[1], step};
    std::vector<Text> texts = operands(bounds);
    const Type type = number_type(statement.is_narrow ? Kind::Int32 : Kind::Int64);
    static constexpr std::array<const char*, 3> kNames = {"start", "stop", "step"};
    for (std::size_t i = 0; i < 3; ++i) {
        if (bounds[i]->op == Expression::Op::Constant) texts[i] = constant(*bounds[i], false);
        const bool is_kept = i == 0 || is_stable(bounds[i]);
        if (!is_kept) texts[i] = spill(texts[i], type, kNames[i], false);
    }
    const bool goes_up = is_surely_natural(step);
    const bool goes_down = step->constant && step->constant->whole.value_or(0) < 0;
    Variable& variable = *statement.variable;
    if (!goes_up && !goes_down) {
        if (!is_stable(bounds[0])) texts[0] = spill(texts[0], type, "start", false);
        const Text count = spill({fmt::format("__ww_py_range_length({}, {}, {})", texts[0].text,
                                              texts[1].text, texts[2].text),
                                  2},
                                 type, "count", false);
        const std::string turn = unique("turn");
        open(fmt::format("for (long long {0} = 0; {0} < {1}; ++{0}) {{", turn, count.text));
        const std::string declared = "const " + spelling_of(variable.type) + " ";
        line(fmt::format("{}{} = {} + {} * {};", statement.keeps_counter ? "" : declared,
                         variable.text, wrapped(texts[0], 6), turn, wrapped(texts[2], 4)));
    } else {
        const std::string counter =
            statement.keeps_counter || variable.is_temporary ? unique("turn") : variable.text;
        if (variable.is_temporary) variable.text = counter;
        const std::string advance = is_constant(step, 1)    ? "++" + counter
                                    : is_constant(step, -1) ? "--" + counter
                                    : goes_down
                                        ? fmt::format("{} -= {}", counter, -*step->constant->whole)
                                        : fmt::format("{} += {}", counter, texts[2].text);
        open(fmt::format("for ({5} {0} = {1}; {0} {2} {3}; {4}) {{", counter, texts[0].text,
                         goes_down ? ">" : "<", wrapped(texts[1], 8), advance, spelling_of(type)));
        if (statement.keeps_counter && !variable.is_temporary) {
            line(fmt::format("{} = {};", variable.text, counter));
        }
    }
    block(statement.body);
    close();
    otherwise(statement);
}

void FunctionEmitter::unrolled(const Statement& statement) {
    const bool is_copy = instance_.copies.contains(statement.loop);
    open("{");
    block(statement.body);
    close();
    if (is_copy) {
        if (nexts_.contains(statement.loop)) {
            python_line_ = 0;
            line(fmt::format("next_{}:;", statement.loop));
        }
        return;
    }
    otherwise(statement);
}

}  // namespace warpwise::script
