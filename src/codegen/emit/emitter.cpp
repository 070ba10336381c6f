// The parts of the text that all skeletons share. Invariant: a text depends on its group alone.
#include "src/codegen/emit/emitter.hpp"

#include <fmt/format.h>

#include <span>

#include "src/codegen/arguments.hpp"
#include "src/codegen/fused.hpp"
#include "src/ir/op.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::codegen {
namespace {

using ir::Instruction;

// Letters and digits: where a name in a spelling ends.
bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The spelling with operands in place of the names a, b and c, and the type of T.
std::string spelled(std::string_view spelling, const std::array<std::string, 3>& operands,
                    std::string_view type) {
    std::string text;
    for (std::size_t i = 0; i < spelling.size();) {
        std::size_t end = i;
        while (end < spelling.size() && is_of_name(spelling[end])) ++end;
        const std::string_view name = spelling.substr(i, end - i);
        if (name.empty()) {
            text += spelling[i++];
            continue;
        }
        if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'c') {
            text += operands[static_cast<std::size_t>(name[0] - 'a')];
        } else {
            text += name == "T" ? type : name;
        }
        i = end;
    }
    return text;
}

// Which parts of warpwise_array.h a group needs: parsing all of them takes longer than most
// kernels.
struct Parts {
    bool functions = false;
    bool sixteen_bits = false;
    bool complex = false;
    bool draws = false;
    bool rare_draws = false;

    void add(Kind kind) {
        sixteen_bits |= kind == Kind::Float16 || kind == Kind::BFloat16;
        complex |= types::is_complex(kind);
    }

    void add(const ir::Body& body) {
        for (const Instruction& one : body.instructions) {
            add(one.kind);
            if (one.form == Instruction::Form::Apply) functions |= is_function(one);
            if (one.form != Instruction::Form::Draw) continue;
            draws = true;
            rare_draws |= one.draw >= ir::Draw::NoncentralChisquare;
        }
    }

    void add(std::span<const Operand> operands) {
        for (const Operand& operand : operands) add(operand.kind);
    }

  private:
    // Of the ops with these rules arithmetic has the square root of real numbers alone.
    static bool is_function(const Instruction& one) {
        const ir::TypeRule rule = ir::row_of(one.op).rule;
        if (one.op == ir::Op::Pow) return !types::is_integer(one.kind);
        if (one.op == ir::Op::Sqrt) return types::is_complex(one.kind);
        return rule == ir::TypeRule::Floating || rule == ir::TypeRule::RealFloating;
    }
};

void ask_for_parts(const Group& group, Emitter& out) {
    Parts parts;
    for (const ir::Body* body : {&group.body, &group.epilogue}) parts.add(*body);
    for (const Kind kind : group.scalars) parts.add(kind);
    for (const Reducer& reducer : group.reducers) parts.add(reducer.accumulator);
    parts.add(group.inputs);
    parts.add(group.kept_inputs);
    out.line("#define __WW_ARRAY_PARTS");
    if (parts.functions) out.line("#define __WW_ARRAY_FUNCTIONS");
    if (parts.sixteen_bits) out.line("#define __WW_ARRAY_SIXTEEN_BITS");
    if (parts.complex) out.line("#define __WW_ARRAY_COMPLEX");
    if (parts.draws) out.line("#define __WW_ARRAY_DRAWS");
    if (parts.rare_draws) out.line("#define __WW_ARRAY_RARE_DRAWS");
}

}  // namespace

std::string_view type_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::Bool:
            return "bool";
        case Kind::Int8:
            return "signed char";
        case Kind::UInt8:
            return "unsigned char";
        case Kind::Int16:
            return "short";
        case Kind::UInt16:
            return "unsigned short";
        case Kind::Int32:
            return "int";
        case Kind::UInt32:
            return "unsigned int";
        case Kind::Int64:
            return "long long";
        case Kind::UInt64:
            return "unsigned long long";
        case Kind::Float16:
            return "__ww_half";
        case Kind::BFloat16:
            return "__ww_bfloat16";
        case Kind::Float32:
            return "float";
        case Kind::Float64:
            return "double";
        case Kind::Complex64:
            return "__ww_complex<float>";
        case Kind::Complex128:
            return "__ww_complex<double>";
        default:
            return "void";
    }
}

std::string_view memory_type_of(Kind kind) noexcept {
    return kind == Kind::Bool ? std::string_view("unsigned char") : type_of(kind);
}

namespace {

// What memory holds.
std::string element_type(const Operand& operand) {
    const std::string_view type = memory_type_of(operand.kind);
    return operand.unaligned ? fmt::format("__ww_unaligned<{}>", type) : std::string(type);
}

}  // namespace

void Emitter::line(std::string_view text) {
    if (!text.starts_with('#')) text_.append(static_cast<std::size_t>(depth_) * 4, ' ');
    text_ += text;
    text_ += '\n';
}

void Emitter::open(std::string_view text) {
    line(text);
    ++depth_;
}

void Emitter::close(std::string_view text) {
    --depth_;
    line(text);
}

void Emitter::prologue() {
    for (std::size_t i = 0; i < group_.scalars.size(); ++i) {
        const Kind kind = group_.scalars[i];
        const std::string second =
            kind == Kind::Complex128 ? fmt::format(", bits{}_1", i) : std::string();
        line(fmt::format("const {0} scalar{1} = __ww_from_bits<{0}>(bits{1}_0{2});", type_of(kind),
                         i, second));
    }
}

void Emitter::decompose(std::string_view from, int first, int end, std::string_view prefix) {
    if (first == end) return;
    const char* const type = group_.wide ? "unsigned long long" : "unsigned int";
    line(fmt::format("const {0} {1}rest{2} = ({0}){3};", type, prefix, end, from));
    for (int axis = end - 1; axis > first; --axis) {
        const std::string whole = fmt::format("{}rest{}", prefix, axis + 1);
        line(group_.wide
                 ? fmt::format("const {0} {1}rest{2} = {3} / ({0})extent{2};", type, prefix, axis,
                               whole)
                 : fmt::format(
                       "const {0} {1}rest{2} = __ww_divided({3}, (unsigned long long)divisor{2});",
                       type, prefix, axis, whole));
        line(fmt::format("const {0} {1}{2} = ({0})({3} - {1}rest{2} * ({4})extent{2});",
                         index_type(), prefix, axis, whole, type));
    }
    line(
        fmt::format("const {0} {1}{2} = ({0}){1}rest{3};", index_type(), prefix, first, first + 1));
}

std::string Emitter::offset(std::string_view name, const Operand& operand,
                            const std::vector<std::string>& coordinates) const {
    std::string offset;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
        if (static_cast<int>(axis) == operand.unit || (operand.fixed >> axis & 1) != 0) continue;
        offset += fmt::format("{0}({2}){1} * ({2}){3}_stride{4}", offset.empty() ? "" : " + ",
                              coordinates[axis], index_type(), name, axis);
    }
    return offset;
}

std::string Emitter::unit(const Operand& operand,
                          const std::vector<std::string>& coordinates) const {
    if (operand.unit < 0) return "0";
    const std::string& at = coordinates[static_cast<std::size_t>(operand.unit)];
    // Signed: it may lead backwards.
    return operand.step == 1 ? at : fmt::format("({}){} * {}", index_type(), at, operand.step);
}

std::string Emitter::gathered(std::size_t number, std::string_view offset,
                              const std::vector<std::string>& coordinates) const {
    const Operand& operand = group_.inputs[number];
    const std::string name = fmt::format("in{}", number);
    const std::string strided = this->offset(name, operand, coordinates);
    const std::string unit = this->unit(operand, coordinates);
    return fmt::format("((const {} *)((const char *){} + {}{}))[{}]{}", element_type(operand), name,
                       offset, strided.empty() ? "" : fmt::format(" + ({})", strided), unit,
                       operand.kind == Kind::Bool ? " != 0" : "");
}

std::string Emitter::element(std::string_view name, const Operand& operand, std::string_view linear,
                             const std::vector<std::string>& coordinates) const {
    const std::string type = element_type(operand);
    const bool is_read = name.find("in") != name.npos;
    const std::string pointer = fmt::format("{}{} *", is_read ? "const " : "", type);
    if (operand.access == Access::Linear) return fmt::format("(({}){})[{}]", pointer, name, linear);
    if (operand.access == Access::Broadcast) return fmt::format("(({}){})[0]", pointer, name);
    const std::string offset = this->offset(name, operand, coordinates);
    const std::string unit = this->unit(operand, coordinates);
    if (offset.empty()) return fmt::format("(({}){})[{}]", pointer, name, unit);
    return fmt::format("(({})(({}char *){} + ({})))[{}]", pointer, is_read ? "const " : "", name,
                       offset, unit);
}

std::string Emitter::counter(std::string_view name, const Operand& operand, std::string_view linear,
                             const std::vector<std::string>& coordinates) const {
    const std::string first = fmt::format("(long long){}", name);
    if (operand.access == Access::Linear) return fmt::format("{} + (long long)({})", first, linear);
    if (operand.access == Access::Broadcast) return first;
    const std::string offset = this->offset(name, operand, coordinates);
    const std::string unit = this->unit(operand, coordinates);
    return fmt::format("{} + (long long)({}) + (long long)({})", first,
                       offset.empty() ? "0" : offset, unit);
}

std::string Emitter::loaded(std::string_view name, const Operand& operand, std::string_view linear,
                            const std::vector<std::string>& coordinates) const {
    if (operand.is_counter) return counter(name, operand, linear, coordinates);
    const std::string place = element(name, operand, linear, coordinates);
    return operand.kind == Kind::Bool ? place + " != 0" : place;
}

std::string Emitter::draw(const Instruction& one, std::string_view place,
                          std::string_view prefix) const {
    const ir::DrawRow& row = ir::row_of(one.draw);
    std::string parameters;
    for (int i = 1; i <= row.parameters; ++i) {
        parameters += fmt::format(", {}{}", prefix, one.operands[static_cast<std::size_t>(i)]);
    }
    return fmt::format("{}<{}>({}, __ww_source{{scalar{}, scalar{}, scalar{}}}{})", row.spelling,
                       type_of(one.kind), place, one.number, one.number + 1, one.number + 2,
                       parameters);
}

std::string Emitter::expression(const Instruction& one, std::string_view prefix,
                                const std::vector<std::string>& inputs,
                                const std::vector<std::string>& coordinates) const {
    const auto value = [&](ir::ValueId id) { return fmt::format("{}{}", prefix, id); };
    switch (one.form) {
        case Instruction::Form::Input:
            return inputs[one.number];
        case Instruction::Form::Scalar:
            return fmt::format("scalar{}", one.number);
        case Instruction::Form::Index:
            return fmt::format("(long long)({})", coordinates[one.number]);
        case Instruction::Form::Cast:
            return fmt::format("__ww_cast<{}>({})", type_of(one.kind), value(one.operands[0]));
        case Instruction::Form::Draw:
            return draw(one, fmt::format("__ww_element_of({})", value(one.operands[0])), prefix);
        case Instruction::Form::Bound:
            return fmt::format("__ww_bounded({}, {}, {}, report)", value(one.operands[0]),
                               value(one.operands[1]), value(one.operands[2]));
        case Instruction::Form::Gather:
            return gathered(one.number, value(one.operands[0]), coordinates);
        case Instruction::Form::Apply:
            break;
    }
    const std::array<std::string, 3> operands{value(one.operands[0]), value(one.operands[1]),
                                              value(one.operands[2])};
    return spelled(ir::row_of(one.op).spelling, operands, type_of(one.kind));
}

void Emitter::draw_tiles(int count, std::string_view tile) {
    const auto& all = group_.body.instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_drawn_by_tiles(group_, all[i])) continue;
        // Parameters are scalars, which are there already.
        Instruction one = all[i];
        for (std::size_t k = 1; k < one.operands.size(); ++k) {
            one.operands[k] = all[one.operands[k]].number;
        }
        line(fmt::format("{} drawn{}[{}];", type_of(one.kind), i, count));
        // The items of one tile share blocks: their loop is unrolled as a whole.
        line("#pragma unroll");
        open(fmt::format("for (int part = 0; part < {}; ++part) {{", count / kItemsOfDraws));
        line("#pragma unroll");
        open(fmt::format("for (unsigned int item = 0; item < {}u; ++item) {{", kItemsOfDraws));
        const std::string place =
            fmt::format("__ww_element{{(unsigned long long)({}) + part, threadIdx.x, item}}", tile);
        line(fmt::format("drawn{}[part * {} + item] = {};", i, kItemsOfDraws,
                         draw(one, place, "scalar")));
        close();
        close();
    }
}

void Emitter::body(const ir::Body& body, std::string_view prefix,
                   const std::vector<std::string>& inputs,
                   const std::vector<std::string>& coordinates) {
    for (std::size_t i = 0; i < body.instructions.size(); ++i) {
        const Instruction& one = body.instructions[i];
        const bool is_drawn =
            reads_drawn_ && &body == &group_.body && is_drawn_by_tiles(group_, one);
        line(fmt::format("const {} {}{} = {};", type_of(one.kind), prefix, i,
                         is_drawn ? fmt::format("drawn{}[item]", i)
                                  : expression(one, prefix, inputs, coordinates)));
    }
}

std::string emit(const Group& group) {
    Emitter out(group);
    ask_for_parts(group, out);
    const bool reduces = group.skeleton == Skeleton::Reduction;
    out.line(reduces ? "#include <warpwise_reduction.h>" : "#include <warpwise_elementwise.h>");
    out.line("");
    if (reduces) {
        emit_reduction(group, out);
    } else {
        emit_elementwise(group, out);
    }
    return out.take();
}

}  // namespace warpwise::codegen
