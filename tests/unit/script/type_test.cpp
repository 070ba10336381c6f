// Types and signatures as texts.
#include "src/script/type.hpp"

#include <gtest/gtest.h>

#include "src/script/identifiers.hpp"
#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

TEST(ScriptType, TextsComeBack) {
    for (const char* text :
         {"int32", "float64", "bool", "complex64", "float32[:]", "float32[::1]", "uint8[:, ::1]",
          "int64[:, :, :]", "Tuple(int64, float64)", "Tuple(int32, Tuple(bool))", "none"}) {
        EXPECT_EQ(text_of(parse_type(text)), text);
    }
    EXPECT_EQ(parse_type("f4[:,:]"), parse_type("float32[:, :]"));
    EXPECT_EQ(parse_type("boolean"), number_type(Kind::Bool));
    EXPECT_EQ(parse_type("UniTuple(int64 x 3)"), parse_type("Tuple(int64, int64, int64)"));
    // Columns: any strides.
    EXPECT_EQ(parse_type("float32[::1, :]"), parse_type("float32[:, :]"));
}

TEST(ScriptType, SignaturesMayNameTheResult) {
    for (const char* text :
         {"void(float32[:], int32)", "(float32[:], int32)", "float32[:], int32"}) {
        const auto types = parse_signature(text);
        ASSERT_EQ(types.size(), 2u) << text;
        EXPECT_EQ(types[0], parse_type("float32[:]"));
    }
    EXPECT_TRUE(parse_signature("void()").empty());
    EXPECT_TRUE(parse_signature("").empty());
    EXPECT_EQ(parse_signature("Tuple(int64, bool), int32").size(), 2u);
}

TEST(ScriptType, WrongTextsAreRefused) {
    for (const char* text : {"float33", "float32[", "float32[]", "int32]", "Tuple(int32", "[:]",
                             "int32 int32", "bfloat16", "float32[::2]"}) {
        EXPECT_THROW(parse_type(text), ArgumentError) << text;
    }
}

TEST(ScriptType, IdentifiersAvoidWhatCxxReserves) {
    EXPECT_EQ(identifier("x"), "x");
    EXPECT_EQ(identifier("int"), "int_");
    EXPECT_EQ(identifier("NULL"), "NULL_");
    EXPECT_EQ(identifier("π"), "u3c0_");
    EXPECT_EQ(identifier("πr"), "u3c0_r");
    EXPECT_EQ(identifier("€x"), "u20ac_x");
    EXPECT_EQ(identifier("a__b").find("__"), std::string::npos);
    EXPECT_EQ(global_identifier("exp"), "exp_kernel");
    EXPECT_EQ(global_identifier("sinf"), "sinf_kernel");
    EXPECT_EQ(global_identifier("saxpy"), "saxpy");
}

}  // namespace
}  // namespace warpwise::script
