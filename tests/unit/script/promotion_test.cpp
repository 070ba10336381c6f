// Types of operators and of variables: what Numba's dispatcher answers.
#include "src/script/promotion.hpp"

#include <gtest/gtest.h>

namespace warpwise::script {
namespace {

struct Row {
    const char* op;
    const char* a;
    const char* b;
    const char* result;
};

class Operators : public testing::TestWithParam<Row> {};

TEST_P(Operators, GiveNumbasTypes) {
    const auto [op, a, b, result] = GetParam();
    const auto kind = binary_kind(op, parse_type(a)->kind, parse_type(b)->kind);
    if (std::string_view(result).empty()) {
        EXPECT_FALSE(kind);
    } else {
        ASSERT_TRUE(kind);
        EXPECT_EQ(text_of(number_type(*kind)), result);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Operators,
    testing::Values(
        Row{"+", "bool", "bool", "int64"}, Row{"+", "int32", "int32", "int64"},
        Row{"+", "uint32", "uint32", "uint64"}, Row{"*", "int32", "uint32", "int64"},
        Row{"-", "int64", "uint64", "int64"}, Row{"+", "int32", "float32", "float64"},
        Row{"+", "int8", "float32", "float32"}, Row{"+", "bool", "float32", "float32"},
        Row{"*", "float32", "float32", "float32"}, Row{"*", "float32", "float64", "float64"},
        Row{"/", "int32", "int32", "float64"}, Row{"/", "float32", "float32", "float32"},
        Row{"//", "int32", "int32", "int64"}, Row{"%", "uint32", "uint32", "uint64"},
        Row{"**", "float32", "int64", "float32"}, Row{"**", "int32", "int32", "int64"},
        Row{"&", "bool", "bool", "bool"}, Row{"&", "bool", "int8", "int64"},
        Row{"^", "uint32", "uint32", "uint64"}, Row{"&", "float32", "int32", ""},
        Row{"<<", "uint32", "int64", "uint64"}, Row{">>", "int32", "uint64", "int64"},
        Row{"+", "complex64", "int32", "complex128"}, Row{"+", "complex64", "float32", "complex64"},
        Row{"//", "complex64", "int32", ""}));

TEST(Unified, HoldsAllValues) {
    const auto joined = [](const char* a, const char* b) {
        const auto type = unified(parse_type(a), parse_type(b));
        return type ? text_of(*type) : std::string("none of both");
    };
    EXPECT_EQ(joined("int8", "uint8"), "int16");
    EXPECT_EQ(joined("int32", "uint32"), "int64");
    EXPECT_EQ(joined("int64", "uint64"), "float64");
    EXPECT_EQ(joined("bool", "int32"), "int32");
    EXPECT_EQ(joined("int32", "float32"), "float64");
    EXPECT_EQ(joined("int16", "float32"), "float32");
    EXPECT_EQ(joined("complex64", "float64"), "complex128");
    EXPECT_EQ(joined("float32[::1]", "float32[:]"), "float32[:]");
    EXPECT_EQ(joined("Tuple(int32, bool)", "Tuple(int64, bool)"), "Tuple(int64, bool)");
    EXPECT_EQ(joined("float32[:]", "float64[:]"), "none of both");
    EXPECT_EQ(joined("int32", "float32[:]"), "none of both");
    EXPECT_EQ(joined("Tuple(int32)", "Tuple(int32, int32)"), "none of both");
    EXPECT_EQ(unified(unknown_type(), none_type()), none_type());
}

TEST(Unary, WidensWholeNumbers) {
    EXPECT_EQ(unary_kind("-", Kind::Int32), Kind::Int64);
    EXPECT_EQ(unary_kind("-", Kind::UInt32), Kind::UInt64);
    EXPECT_EQ(unary_kind("-", Kind::Float32), Kind::Float32);
    EXPECT_EQ(unary_kind("~", Kind::Bool), Kind::Int64);
    EXPECT_FALSE(unary_kind("~", Kind::Float64));
}

}  // namespace
}  // namespace warpwise::script
