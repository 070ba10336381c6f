// How signatures read.
#include "warpwise/signature.hpp"

#include <gtest/gtest.h>

namespace warpwise {
namespace {

Parameter parameter(const char* type, const char* name) {
    Parameter p;
    p.type = type;
    p.name = name;
    return p;
}

KernelSignature signature(std::vector<Parameter> parameters) {
    KernelSignature s;
    s.name = "scale<float>";
    s.parameters = std::move(parameters);
    return s;
}

TEST(Declaration, ReadsLikeTheSource) {
    EXPECT_EQ(signature({parameter("float *", "x"), parameter("float", "f"), parameter("int", "n")})
                  .declaration(),
              "scale<float>(float *x, float f, int n)");
}

TEST(Declaration, OfNoParametersIsEmptyParentheses) {
    EXPECT_EQ(signature({}).declaration(), "scale<float>()");
}

TEST(Declaration, LeavesOutNamesTheSourceLeavesOut) {
    EXPECT_EQ(signature({parameter("int", ""), parameter("const float *", "")}).declaration(),
              "scale<float>(int, const float *)");
}

}  // namespace
}  // namespace warpwise
