// Declarations of parameters.
#include "src/algorithm/parameters.hpp"

#include <gtest/gtest.h>

namespace warpwise::algorithm {
namespace {

KernelParameter one(std::string_view declaration) {
    return parse_parameters(declaration, "k").at(0);
}

TEST(Parameters, AreReadAsCDoes) {
    for (const char* const text : {"const float *x", "float const* x", "const float *const x",
                                   "const float *__restrict__ x", "const float x[]"}) {
        const KernelParameter x = one(text);
        EXPECT_TRUE(x.is_array && x.is_const) << text;
        EXPECT_EQ(x.type, "float") << text;
        EXPECT_EQ(x.dtype, float32) << text;
    }
    EXPECT_FALSE(one("float *const x").is_const);
    EXPECT_FALSE(one("const float a").is_array);
}

TEST(Parameters, HaveTypesOfSeveralWords) {
    EXPECT_EQ(one("unsigned long long int x").dtype, uint64);
    EXPECT_EQ(one("long unsigned x").dtype, uint64);
    EXPECT_EQ(one("char *x").dtype, int8);
    EXPECT_EQ(one("short unsigned int *x").dtype, uint16);
    EXPECT_EQ(one("thrust::complex<double> *x").dtype, complex128);
    EXPECT_EQ(one("const std::pair<int, float> *p").type, "std::pair<int,float>");
}

TEST(Parameters, AreSplitOutsideOfTemplates) {
    const auto all = parse_parameters("std::pair<int, float> *p, int n_2, float *x", "k");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[2].name, "x");
    EXPECT_TRUE(parse_parameters(" ", "k").empty());
}

TEST(Parameters, OfRegisteredTypesHaveTheirValues) {
    EXPECT_EQ(one("ParametersTestType *x").dtype.kind(), Kind::Void);
    register_dtype("ParametersTestType", float64);
    EXPECT_EQ(one("ParametersTestType *x").dtype, float64);
}

TEST(Includes, AreThoseOfTheTypes) {
    EXPECT_EQ(includes_of({"float", "half", "__half"}), "#include <cuda_fp16.h>\n");
    EXPECT_EQ(includes_of({"cuFloatComplex", "std::complex<float>"}),
              "#include <complex>\n#include <cuComplex.h>\n");
}

}  // namespace
}  // namespace warpwise::algorithm
