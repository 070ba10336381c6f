// ElementwiseKernel from C++.
#include <array>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Pair {
    float value;
    int index;
};

const ElementwiseKernel& scaled_sum() {
    static const ElementwiseKernel kernel("double a, const double *x, const double *y, double *z",
                                          "z[i] = a*x[i] + y[i]", {.name = "scaled_sum"});
    return kernel;
}

TEST(ElementwiseKernel, MakesAndWritesOutputs) {
    const Array x = numbers({1, 2, 3});
    EXPECT_THAT(values_of(scaled_sum()(2.0, x, x + 1)), ElementsAre(4, 7, 10));
    Array z = zeros({3});
    EXPECT_TRUE(scaled_sum()(2, x, x, z).shows_same(z));
    EXPECT_THAT(values_of(z), ElementsAre(3, 6, 9));
}

TEST(ElementwiseKernel, BroadcastsAndReadsStrides) {
    const Array x = numbers({1, 2, 3, 4}).reshape({2, 2});
    EXPECT_THAT(values_of(scaled_sum()(1, x.transpose(), numbers({10, 20})).reshape({4})),
                ElementsAre(11, 23, 12, 24));
}

TEST(ElementwiseKernel, VisitsParts) {
    const ElementwiseKernel fill("double *z, double value", "z[i] = value");
    const Array z = zeros({5});
    const std::array<KernelOperand, 2> operands{z, 7};
    fill.call(operands, {.elements = Slice{.start = 1, .step = 2}});
    EXPECT_THAT(values_of(z), ElementsAre(0, 7, 0, 7, 0));
    EXPECT_THAT(refusal([&] {
                    fill.call(operands, {.elements = Slice{.start = 1, .stop = 9}, .clips = false});
                }),
                HasSubstr("visits elements 1 to 8 of 5"));
}

TEST(ElementwiseKernel, TakesStructsByValue) {
    register_dtype("PairOfTest", DType::structure(lay_out_struct(
                                     "PairOfTest", {{"value", float32}, {"index", int32}})));
    const ElementwiseKernel kernel("PairOfTest p, double *z", "z[i] = p.value + p.index * (int)i",
                                   {.preamble = "struct PairOfTest { float value; int index; };"});
    Array z = zeros({3});
    kernel(Pair{0.5, 2}, z);
    EXPECT_THAT(values_of(z), ElementsAre(0.5, 2.5, 4.5));
}

TEST(ElementwiseKernel, RefusesWhatDoesNotFit) {
    const Array x = numbers({1, 2, 3});
    EXPECT_THAT(refusal([&] { scaled_sum()(1, x); }),
                HasSubstr("scaled_sum takes 4 arguments, but 2 were given"));
    EXPECT_THAT(refusal([&] { scaled_sum()(1, x, astype(x, float32)); }),
                HasSubstr("parameter 'y' expects const double *, got an array of float32"));
    EXPECT_THAT(refusal([&] { scaled_sum()(1, x, zeros({2})); }), HasSubstr("broadcast"));
}

TEST(ElementwiseKernel, ShowsItsTextAndParameters) {
    EXPECT_EQ(scaled_sum().name(), "scaled_sum");
    ASSERT_EQ(scaled_sum().parameters().size(), 4u);
    EXPECT_TRUE(scaled_sum().parameters()[1].is_const);
    EXPECT_THAT(scaled_sum().source(), HasSubstr("z[i] = a*x[i] + y[i];"));
}

}  // namespace
}  // namespace warpwise
