// ReductionKernel from C++.
#include <array>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ReductionKernel& dot() {
    static const ReductionKernel kernel(float64, "0", "a+b", "x[i]*y[i]",
                                        "const double *x, const double *y", {.name = "dot"});
    return kernel;
}

TEST(ReductionKernel, ReducesToOneValue) {
    const Array x = numbers({1, 2, 3});
    EXPECT_EQ(dot()(x, x + 1).item().real(), 20);
    EXPECT_EQ(ReductionKernel("int", "0", "a+b")(arange(0, 100, 1, int32)).item().as_int(), 4950);
}

TEST(ReductionKernel, ReducesAxes) {
    const Array x = numbers({1, 2, 3, 4, 5, 6}).reshape({2, 3});
    const std::array<KernelOperand, 2> operands{x, x};
    EXPECT_THAT(values_of(dot().call(operands, {.axes = std::vector{1}})), ElementsAre(14, 77));
    EXPECT_EQ(dot().call(operands, {.axes = std::vector{0}, .keepdims = true}).shape(),
              (Shape{1, 3}));
    Array out = zeros({3});
    dot().call(operands, {.axes = std::vector{0}, .out = &out});
    EXPECT_THAT(values_of(out), ElementsAre(17, 29, 45));
}

TEST(ReductionKernel, RefusesWhatDoesNotFit) {
    const Array x = numbers({1, 2, 3});
    EXPECT_THAT(refusal([&] { dot()(x); }), HasSubstr("dot takes 2 arguments, but 1 was given"));
    EXPECT_THAT(refusal([&] { dot()(x, zeros({2})); }), HasSubstr("broadcast"));
    EXPECT_THAT(refusal([] { ReductionKernel("Unheard", "0", "a+b"); }),
                HasSubstr("the type Unheard of the values is not known"));
}

TEST(ReductionKernel, ShowsItsTextAndParameters) {
    EXPECT_EQ(dot().name(), "dot");
    EXPECT_EQ(dot().dtype(), float64);
    EXPECT_EQ(dot().parameters().size(), 2u);
    EXPECT_THAT(dot().source(), HasSubstr("x[i]*y[i];"));
}

}  // namespace
}  // namespace warpwise
