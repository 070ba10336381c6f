// Bodies: appending without duplicates, checking, printing.
#include "src/ir/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "src/types/promotion.hpp"
#include "warpwise/error.hpp"

namespace warpwise::ir {
namespace {

using Form = Instruction::Form;

int operands_of(const Instruction& instruction) {
    if (instruction.form == Form::Cast || instruction.form == Form::Gather) return 1;
    if (instruction.form == Form::Bound) return 3;
    if (instruction.form == Form::Draw && instruction.draw < Draw::kCount) {
        return 1 + row_of(instruction.draw).parameters;
    }
    if (instruction.form != Form::Apply || instruction.op >= Op::kCount) return 0;
    return row_of(instruction.op).arity;
}

std::string name_of(Kind kind) {
    return kind == Kind::Struct ? "struct" : DType(kind).name();  // which struct is not known here
}

[[noreturn]] void defect(std::size_t number, const std::string& what) {
    throw Error(fmt::format("defect of the library: value %{} of a body {}", number, what));
}

void check_number(std::size_t value, std::uint16_t number, int count, std::string_view what) {
    if (number >= count) defect(value, fmt::format("is {} {} of {}", what, number, count));
}

// Operands of an op are converted to the kind of computation by casts of their own.
void check_apply(const Body& body, std::size_t value) {
    const Instruction& instruction = body.instructions[value];
    if (instruction.op >= Op::kCount) defect(value, "applies no op");
    const OpRow& row = row_of(instruction.op);
    std::array<OperandType, 3> operands{};
    for (int i = 0; i < row.arity; ++i) {
        const ValueId id = instruction.operands[static_cast<std::size_t>(i)];
        operands[static_cast<std::size_t>(i)].kind = body.instructions[id].kind;
    }
    const std::span given(operands.data(), static_cast<std::size_t>(row.arity));
    OpTypes types;
    try {
        types = types_of(instruction.op, given);
    } catch (const ArgumentError& error) {
        defect(value, fmt::format("is mistyped: {}", error.what()));
    }
    const bool selects = row.rule == TypeRule::Select;
    for (const OperandType& operand : given.subspan(selects ? 1 : 0)) {
        if (operand.kind == types.computation) continue;
        defect(value, fmt::format("applies {} in {} to a {}", row.name, name_of(types.computation),
                                  name_of(operand.kind)));
    }
    if (instruction.kind != types.result) {
        defect(value, fmt::format("is {}, but {} gives {}", name_of(instruction.kind), row.name,
                                  name_of(types.result)));
    }
}

void check_draw(const Body& body, std::size_t value, int scalars) {
    const Instruction& instruction = body.instructions[value];
    if (instruction.draw >= Draw::kCount) defect(value, "draws nothing");
    if (instruction.number + static_cast<int>(kDrawScalars) > scalars) {
        defect(value, "has no state of a generator");
    }
    if (body.instructions[instruction.operands[0]].kind != Kind::Int64) {
        defect(value, "draws for an element whose number is no int64");
    }
}

// Operands that are indices and offsets.
void check_whole(const Body& body, std::size_t value, int count) {
    const Instruction& instruction = body.instructions[value];
    for (int i = 0; i < count; ++i) {
        const ValueId id = instruction.operands[static_cast<std::size_t>(i)];
        if (body.instructions[id].kind == Kind::Int64) continue;
        defect(value, fmt::format("takes the {} %{} as an index; it must be int64",
                                  name_of(body.instructions[id].kind), id));
    }
}

std::string_view word(Form form) {
    switch (form) {
        case Form::Input:
            return "input";
        case Form::Scalar:
            return "scalar";
        case Form::Index:
            return "index";
        case Form::Cast:
            return "cast";
        case Form::Apply:
            return "apply";
        case Form::Draw:
            return "draw";
        case Form::Bound:
            return "bound";
        case Form::Gather:
            return "gather";
    }
    return "?";
}

}  // namespace

ValueId Body::add(const Instruction& instruction) {
    const auto found = std::ranges::find(instructions, instruction);
    const auto number = static_cast<ValueId>(found - instructions.begin());
    if (found == instructions.end()) instructions.push_back(instruction);
    return number;
}

void verify(const Body& body, int inputs, int scalars, int axes) {
    for (std::size_t value = 0; value < body.instructions.size(); ++value) {
        const Instruction& instruction = body.instructions[value];
        if (!types::is_number(instruction.kind)) defect(value, "has no kind of numbers");
        for (int i = 0; i < operands_of(instruction); ++i) {
            const ValueId operand = instruction.operands[static_cast<std::size_t>(i)];
            if (operand >= value)
                defect(value, fmt::format("uses %{} before it is there", operand));
        }
        switch (instruction.form) {
            case Form::Input:
                check_number(value, instruction.number, inputs, "input");
                break;
            case Form::Scalar:
                check_number(value, instruction.number, scalars, "scalar");
                break;
            case Form::Index:
                check_number(value, instruction.number, axes, "index");
                if (instruction.kind != Kind::Int64) defect(value, "is an index but not int64");
                break;
            case Form::Cast:
                break;
            case Form::Apply:
                check_apply(body, value);
                break;
            case Form::Draw:
                check_draw(body, value, scalars);
                break;
            case Form::Bound:
                check_whole(body, value, 3);
                break;
            case Form::Gather:
                check_number(value, instruction.number, inputs, "gathered input");
                check_whole(body, value, 1);
                break;
        }
    }
}

std::string print(const Body& body) {
    std::string text;
    for (std::size_t value = 0; value < body.instructions.size(); ++value) {
        const Instruction& instruction = body.instructions[value];
        const bool applies = instruction.form == Form::Apply;
        const bool is_known = applies && instruction.op < Op::kCount;
        const bool draws = instruction.form == Form::Draw && instruction.draw < Draw::kCount;
        text += fmt::format("%{} = {}{} {}", value, draws ? "draw " : "",
                            is_known ? row_of(instruction.op).name
                            : draws  ? row_of(instruction.draw).name
                                     : word(instruction.form),
                            name_of(instruction.kind));
        const int count = operands_of(instruction);
        if (count == 0 || instruction.form == Form::Gather) {
            text += fmt::format(" {}", instruction.number);
        }
        for (int i = 0; i < count; ++i) {
            text += fmt::format(" %{}", instruction.operands[static_cast<std::size_t>(i)]);
        }
        text += '\n';
    }
    return text;
}

}  // namespace warpwise::ir
