// Types of operations, compared with NumPy's; weak scalars; dtype=; refusals.
#include <gmock/gmock.h>

#include <optional>
#include <vector>

#include "src/ir/op.hpp"
#include "tests/unit/ir/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::ir {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

OperandType of(Kind kind) {
    return {.kind = kind};
}

OperandType of(const Scalar& weak) {
    return {.kind = weak.kind(), .weak = &weak};
}

OpTypes typed(Op op, std::vector<OperandType> operands, Kind forced = Kind::Void) {
    return types_of(op, operands, forced);
}

// The letter of the result, '-' where the rule refuses.
char letter_of(std::string_view name, const std::vector<OperandType>& operands) {
    try {
        const Kind kind = types_of(*op_named(name), operands).result;
        for (std::size_t i = 0; i < kKinds.size(); ++i) {
            if (kKinds[i] == kind) return kLetters[i];
        }
        return ' ';
    } catch (const ArgumentError&) {
        return '-';
    }
}

TEST(OpTypes, OfTwoArraysAreNumPys) {
    for (const Table& table : kBinary) {
        for (std::size_t a = 0; a < kKinds.size(); ++a) {
            for (std::size_t b = 0; b < kKinds.size(); ++b) {
                EXPECT_EQ(letter_of(table.name, {of(kKinds[a]), of(kKinds[b])}), table.rows[a][b])
                    << table.name << ' ' << kLetters[a] << ' ' << kLetters[b];
            }
        }
    }
}

TEST(OpTypes, BesidePythonNumbersAreNumPys) {
    const std::vector<Scalar> numbers{true, 1, 1.5, std::complex<double>(0, 2)};
    for (const Table& table : kBinary) {
        for (std::size_t a = 0; a < kKinds.size(); ++a) {
            for (std::size_t b = 0; b < numbers.size(); ++b) {
                const char expected = table.rows[a][kKinds.size() + 1 + b];
                EXPECT_EQ(letter_of(table.name, {of(kKinds[a]), of(numbers[b])}), expected)
                    << table.name << ' ' << kLetters[a] << ' ' << numbers[b].text();
                EXPECT_EQ(letter_of(table.name, {of(numbers[b]), of(kKinds[a])}), expected)
                    << table.name << ' ' << numbers[b].text() << ' ' << kLetters[a];
            }
        }
    }
}

TEST(OpTypes, OfOneArrayAreNumPys) {
    for (const Row& row : kUnary) {
        for (std::size_t a = 0; a < kKinds.size(); ++a) {
            EXPECT_EQ(letter_of(row.name, {of(kKinds[a])}), row.results[a])
                << row.name << ' ' << kLetters[a];
        }
    }
}

TEST(OpTypes, OfNumbersAloneAreTheDefaults) {
    const Scalar two(2);
    const Scalar half(0.5);
    const Scalar yes(true);
    EXPECT_EQ(typed(Op::Add, {of(two), of(half)}).result, Kind::Float64);
    EXPECT_EQ(typed(Op::Add, {of(yes), of(yes)}).result, Kind::Bool);
    EXPECT_EQ(typed(Op::Divide, {of(two), of(two)}).result, Kind::Float64);
    EXPECT_EQ(typed(Op::Atan2, {of(two), of(two)}).result, Kind::Float64);
}

TEST(OpTypes, SeparateComputationFromResult) {
    const OpTypes less = typed(Op::Less, {of(Kind::Int8), of(Kind::Float32)});
    EXPECT_EQ(less.computation, Kind::Float32);
    EXPECT_EQ(less.result, Kind::Bool);
    const OpTypes abs = typed(Op::Abs, {of(Kind::Complex128)});
    EXPECT_EQ(abs.computation, Kind::Complex128);
    EXPECT_EQ(abs.result, Kind::Float64);
    const OpTypes both = typed(Op::LogicalAnd, {of(Kind::Float16), of(Kind::Complex64)});
    EXPECT_EQ(both.computation, Kind::Bool);
    const OpTypes where = typed(Op::Where, {of(Kind::Bool), of(Kind::Int8), of(Kind::UInt8)});
    EXPECT_EQ(where.computation, Kind::Int16);
    EXPECT_EQ(where.result, Kind::Int16);
}

TEST(OpTypes, CompareIntegersOutOfRangeInAKindThatHoldsThem) {
    const Scalar large(300);
    const Scalar negative(-1);
    const Scalar huge(1ULL << 63);
    EXPECT_EQ(typed(Op::Less, {of(Kind::Int8), of(large)}).computation, Kind::Int64);
    EXPECT_EQ(typed(Op::Less, {of(Kind::UInt8), of(negative)}).computation, Kind::Int64);
    EXPECT_EQ(typed(Op::Equal, {of(huge), of(Kind::UInt8)}).computation, Kind::UInt64);
    EXPECT_EQ(typed(Op::Equal, {of(Kind::UInt64), of(negative)}).computation, Kind::Float64);
    EXPECT_THROW(typed(Op::Less, {of(Kind::Int64), of(huge)}), ArgumentError);
    EXPECT_THROW(typed(Op::Add, {of(Kind::Int8), of(large)}), ArgumentError);
}

TEST(OpTypes, TakeTheKindTheUserForces) {
    EXPECT_EQ(typed(Op::Sin, {of(Kind::Int8)}, Kind::Float32).result, Kind::Float32);
    EXPECT_EQ(typed(Op::Add, {of(Kind::Float64), of(Kind::Float64)}, Kind::Float32).computation,
              Kind::Float32);
    EXPECT_THAT([] { typed(Op::Add, {of(Kind::Float64), of(Kind::Int8)}, Kind::Int32); },
                ThrowsMessage<ArgumentError>(
                    AllOf(HasSubstr("add cannot convert float64 to dtype int32"))));
    EXPECT_THAT([] { typed(Op::Sin, {of(Kind::Int8)}, Kind::Int32); },
                ThrowsMessage<ArgumentError>(HasSubstr("sin does not compute in int32")));
    EXPECT_THROW(typed(Op::Sin, {of(Kind::Int8)}, Kind::Struct), ArgumentError);
}

TEST(OpTypes, NameOpAndOperandsTheyRefuse) {
    EXPECT_THAT([] { typed(Op::Subtract, {of(Kind::Bool), of(Kind::Bool)}); },
                ThrowsMessage<ArgumentError>(
                    HasSubstr("subtract is not defined for bool and bool; convert bools")));
    EXPECT_THAT([] { typed(Op::Less, {of(Kind::Complex64), of(Kind::Int8)}); },
                ThrowsMessage<ArgumentError>(HasSubstr("complex64 and int8; it takes real")));
    EXPECT_THAT([] { typed(Op::BitwiseAnd, {of(Kind::Int64), of(Kind::UInt64)}); },
                ThrowsMessage<ArgumentError>(HasSubstr("integers only")));
    EXPECT_THAT([] { typed(Op::Add, {of(Kind::Int8)}); },
                ThrowsMessage<ArgumentError>(HasSubstr("add takes 2 operands, not 1")));
    EXPECT_THAT([] { typed(Op::Where, {of(Kind::Int8), of(Kind::Int8), of(Kind::Int8)}); },
                ThrowsMessage<ArgumentError>(HasSubstr("condition is int8; it must be bool")));
    EXPECT_THROW(typed(Op::Conj, {of(Kind::Struct)}), ArgumentError);
}

}  // namespace
}  // namespace warpwise::ir
