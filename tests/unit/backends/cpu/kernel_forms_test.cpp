// Which form of a kernel the blocks of a launch run in.
#include "src/backends/cpu/module/kernel_forms.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "src/base/processor_level.hpp"

namespace warpwise::cpu {
namespace {

constexpr KernelForms::Shape kShape = {64, 1, 1};

// A kernel of a module that has gone: what is requested is never made.
class KernelFormsTest : public testing::Test {
  protected:
    KernelFormsTest() {
        generic.info = better.info = &info;
        info.signature.symbol = "k";
        auto request = std::make_shared<compiler::CompileRequest>();
        request->mode.contraction = false;
        auto origin = std::make_shared<ProgramOrigin>();
        origin->request = std::move(request);
        generic.forms = std::make_unique<KernelForms>(generic, std::move(origin));
    }

    KernelForms::Form& awaited(const KernelForms::Shape& shape) {
        return *generic.forms->choose(shape, 0).better;
    }

    compiler::KernelInfo info;
    CpuKernel generic;
    CpuKernel better;
};

TEST_F(KernelFormsTest, ALaunchTakesUpAFormThatIsMadeMeanwhile) {
    LaunchForm launch(generic, kShape, 1000);
    ASSERT_EQ(&launch.next(), &generic);
    generic.forms->install(awaited(kShape), better);
    EXPECT_EQ(&launch.next(), &better);
}

TEST_F(KernelFormsTest, BlocksThatMayWaitForEachOtherStayInOneForm) {
    generic.record.flags = kKernelNeedsFibers;
    LaunchForm launch(generic, kShape, 1000);
    generic.forms->install(awaited(kShape), better);
    EXPECT_EQ(&launch.next(), &generic);
}

TEST_F(KernelFormsTest, ALaunchThatTakesLongAsksForAForm) {
    LaunchForm launch(generic, kShape, 1000);
    launch.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    launch.next();
    EXPECT_TRUE(awaited(kShape).is_requested);
}

TEST_F(KernelFormsTest, OneLargeLaunchAloneDoesNot) {
    const KernelForms::Form& form = awaited(kShape);
    LaunchForm launch(generic, kShape, std::uint64_t{1} << 30);
    launch.next();
    EXPECT_FALSE(form.is_requested);
}

TEST_F(KernelFormsTest, LaunchedAgainItDoes) {
    LaunchForm first(generic, kShape, 1 << 15);
    LaunchForm second(generic, kShape, 1 << 15);
    EXPECT_TRUE(awaited(kShape).is_requested);
}

TEST_F(KernelFormsTest, ManyShapesShareAForm) {
    for (std::uint32_t x = 1; x <= 8; ++x) awaited({x, 1, 1});
    EXPECT_EQ(&awaited({9, 1, 1}), &awaited({10, 1, 1}));
}

TEST_F(KernelFormsTest, TheFormForManyShapesIsForAny) {
    for (std::uint32_t x = 1; x <= 8; ++x) awaited({x, 1, 1});
    EXPECT_EQ(awaited({9, 1, 1}).mode.block, std::nullopt);
}

TEST_F(KernelFormsTest, AFormIsOfItsModulesModeInFullForOneKernelAndShape) {
    compiler::CompileMode expected;
    expected.contraction = false;  // as the module was compiled
    expected.tier = compiler::Tier::Full;
    expected.kernel = "k";
    expected.block = kShape;
    EXPECT_EQ(awaited(kShape).mode, expected);
}

TEST(CpuCompiler, CompilesQuicklyWhatIsForThisProcess) {
    const CpuCompiler compiler("x86-64-v3");
    for (const char* target : {"", "native", "x86-64-v3"}) {
        compiler::CompileRequest request;
        request.target = target;
        const auto local = compiler.for_this_host(request);
        EXPECT_EQ(local.mode.tier, compiler::Tier::Quick) << "target '" << target << "'";
        EXPECT_EQ(local.target, tuned_for_host("x86-64-v3"));
    }
}

TEST(CpuCompiler, LeavesTheTierOfOtherRequests) {
    const CpuCompiler compiler("x86-64-v3");
    compiler::CompileRequest elsewhere, text, full;
    elsewhere.target = "x86-64-v4";
    text.format = "asm";
    full.mode.tier = compiler::Tier::Full;
    EXPECT_EQ(compiler.for_this_host(elsewhere).mode.tier, std::nullopt);
    EXPECT_EQ(compiler.for_this_host(text).mode.tier, std::nullopt);
    EXPECT_EQ(compiler.for_this_host(full).mode.tier, compiler::Tier::Full);
}

TEST_F(KernelFormsTest, EqualModesShareAForm) {
    EXPECT_EQ(&awaited(kShape), &awaited(kShape));
    EXPECT_NE(&awaited(kShape), &awaited({32, 1, 1}));
}

}  // namespace
}  // namespace warpwise::cpu
