// The table of ops: one row is all that an op needs to be known everywhere in ir/.
#include "src/ir/op.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "src/ir/body.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/error.hpp"

namespace warpwise::ir {
namespace {

constexpr std::array kNumbers{Kind::Bool,    Kind::Int8,      Kind::UInt8,     Kind::Int16,
                              Kind::UInt16,  Kind::Int32,     Kind::UInt32,    Kind::Int64,
                              Kind::UInt64,  Kind::Float16,   Kind::BFloat16,  Kind::Float32,
                              Kind::Float64, Kind::Complex64, Kind::Complex128};

// A body that applies the op to inputs of the kind; false where its rule refuses the kind.
bool apply_to_inputs(const OpRow& row, Kind kind, Body& body) {
    std::array<OperandType, 3> operands{};
    Instruction apply{.form = Instruction::Form::Apply, .op = row.op};
    for (int i = 0; i < row.arity; ++i) {
        const bool is_condition = row.rule == TypeRule::Select && i == 0;
        const auto at = static_cast<std::size_t>(i);
        operands[at].kind = is_condition ? Kind::Bool : kind;
        apply.operands[at] = body.add({.form = Instruction::Form::Input,
                                       .kind = operands[at].kind,
                                       .number = static_cast<std::uint16_t>(i)});
    }
    try {
        const OpTypes types = types_of(row.op, {operands.data(), std::size_t(row.arity)});
        if (types.computation != kind) return false;
        apply.kind = types.result;
    } catch (const ArgumentError&) {
        return false;
    }
    body.add(apply);
    return true;
}

TEST(Ops, AreFoundByNameAndNumber) {
    std::set<std::string_view> names;
    for (const OpRow& row : all_ops()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(op_named(row.name), row.op);
        EXPECT_EQ(&row_of(row.op), &row);
    }
    EXPECT_EQ(op_named("no_such_op"), std::nullopt);
    EXPECT_EQ(op_named(""), std::nullopt);
}

// What every consumer of the table relies on, so that a row alone makes an op.
TEST(Ops, HaveASpellingOverTheirOperandsAndASentence) {
    for (const OpRow& row : all_ops()) {
        const std::string_view operands = std::array<std::string_view, 3>{
            "(a)", "(a, b)", "(a, b, c)"}[std::size_t(row.arity - 1)];
        EXPECT_TRUE(row.spelling.ends_with(operands)) << row.spelling;
        EXPECT_TRUE(row.spelling.starts_with("__ww_")) << row.spelling;
        EXPECT_TRUE(row.documentation.ends_with('.')) << row.name;
    }
}

TEST(Ops, HaveAKindTheyComputeInAndMakeValidBodies) {
    for (const OpRow& row : all_ops()) {
        int kinds = 0;
        for (const Kind kind : kNumbers) {
            Body body;
            if (!apply_to_inputs(row, kind, body)) continue;
            ++kinds;
            EXPECT_NO_THROW(verify(body, 3, 0, 0)) << row.name << ' ' << DType(kind).name();
            EXPECT_NE(print(body).find(std::string(row.name)), std::string::npos);
        }
        EXPECT_GT(kinds, 0) << row.name;
    }
}

// The elementwise functions of the array API standard 2025.12.
TEST(Ops, CoverTheArrayApi) {
    for (const char* name : {"abs",
                             "acos",
                             "acosh",
                             "add",
                             "asin",
                             "asinh",
                             "atan",
                             "atan2",
                             "atanh",
                             "bitwise_and",
                             "bitwise_invert",
                             "bitwise_left_shift",
                             "bitwise_or",
                             "bitwise_right_shift",
                             "bitwise_xor",
                             "ceil",
                             "clip",
                             "conj",
                             "copysign",
                             "cos",
                             "cosh",
                             "divide",
                             "equal",
                             "exp",
                             "expm1",
                             "floor",
                             "floor_divide",
                             "greater",
                             "greater_equal",
                             "hypot",
                             "imag",
                             "isfinite",
                             "isinf",
                             "isnan",
                             "less",
                             "less_equal",
                             "log",
                             "log1p",
                             "log2",
                             "log10",
                             "logaddexp",
                             "logical_and",
                             "logical_not",
                             "logical_or",
                             "logical_xor",
                             "maximum",
                             "minimum",
                             "multiply",
                             "negative",
                             "nextafter",
                             "not_equal",
                             "positive",
                             "pow",
                             "real",
                             "reciprocal",
                             "remainder",
                             "round",
                             "sign",
                             "signbit",
                             "sin",
                             "sinh",
                             "square",
                             "sqrt",
                             "subtract",
                             "tan",
                             "tanh",
                             "trunc",
                             "where"}) {
        EXPECT_TRUE(op_named(name).has_value()) << name;
    }
}

}  // namespace
}  // namespace warpwise::ir
