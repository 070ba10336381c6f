// Launches that repeat, given to the fake driver as graphs.
#include "src/backends/cuda/stream/launch_graphs.hpp"

#include <array>
#include <memory>

#include "src/backends/cuda/device/in_flight.hpp"
#include "src/backends/cuda/module/module.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kEnough = 100;  // launches, after which one of a shape has a graph

class LaunchGraphsTest : public OnFakeCuda {
  protected:
    LaunchGraphsTest() {
        auto program = std::make_shared<compiler::Program>();
        program->format = "cubin";
        program->binary.resize(16);
        program->kernels.push_back(kernel_info("k", {pointer_to("x", "float *", float32)}));
        module_->extend(program);
        kernel_ = module_->kernel(program->kernels.front().signature.symbol);
        device_.add(stream_);
    }
    ~LaunchGraphsTest() override { device_.remove(kLegacyStream); }

    runtime::Launch launch() const {
        runtime::Launch launch;
        launch.kernel = kernel_;
        launch.grid = launch.block = {1, 1, 1};
        launch.arguments = arguments_;
        return launch;
    }
    // Whether the last of `count` launches was given as a graph.
    bool repeat(const runtime::Launch& launch, int count = kEnough) {
        bool is_graph = false;
        for (int i = 0; i < count; ++i) {
            is_graph = graphs_.launch(driver(), launch, kLegacyStream).has_value();
        }
        return is_graph;
    }

    DeviceState device_{0};
    const PrimaryContext::Scope scope_{device_.context()};
    std::array<std::byte, 8> arguments_{};
    LaunchGraphs graphs_{device_.context(), true};
    InFlight launches_;
    const DeviceState::OpenStream stream_{kLegacyStream, {}, &launches_, &graphs_};
    std::unique_ptr<CudaModule> module_ = std::make_unique<CudaModule>(device_);
    runtime::KernelImpl* kernel_ = nullptr;
};

TEST_F(LaunchGraphsTest, ALaunchThatRepeatsIsGivenAsAGraph) {
    EXPECT_FALSE(repeat(launch(), 3));
    EXPECT_TRUE(repeat(launch()));
    EXPECT_GT(calls("cuGraphLaunch"), kEnough / 2);
    EXPECT_EQ(calls("cuGraphInstantiateWithFlags"), 1);
}

TEST_F(LaunchGraphsTest, ArgumentsAreSetWhereTheyHaveChanged) {
    repeat(launch());
    EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams"), 0);
    for (int i = 0; i < 3; ++i) {
        arguments_[0] = std::byte(i + 1);
        EXPECT_TRUE(repeat(launch(), 2));
    }
    EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams"), 3);
}

TEST_F(LaunchGraphsTest, AnotherShapeIsAnotherLaunch) {
    repeat(launch());
    runtime::Launch other = launch();
    other.block[1] = 2;
    EXPECT_FALSE(repeat(other, 1));
    EXPECT_TRUE(repeat(launch(), 1)) << "the first one has its graph still";
}

TEST_F(LaunchGraphsTest, WhatIsLaunchedMoreOftenTakesThePlace) {
    repeat(launch());
    runtime::Launch other = launch();
    other.block[1] = 2;
    EXPECT_TRUE(repeat(other, 2 * kEnough));
    EXPECT_EQ(calls("cuGraphExecDestroy"), 1);
}

TEST_F(LaunchGraphsTest, LaunchesWithAttributesStayLaunches) {
    runtime::Launch with = launch();
    with.cooperative = true;
    EXPECT_FALSE(repeat(with));
    with = launch();
    with.cluster = {1, 1, 1};
    EXPECT_FALSE(repeat(with));
}

TEST_F(LaunchGraphsTest, APreferenceThatChangesIsAnotherLaunch) {
    repeat(launch());
    kernel_->set_shared_carveout(50);
    EXPECT_FALSE(repeat(launch(), 1));
}

TEST_F(LaunchGraphsTest, GraphsEndBeforeTheModule) {
    repeat(launch());
    module_.reset();
    EXPECT_EQ(calls("cuGraphExecDestroy"), 1);
    EXPECT_EQ(calls("cuGraphDestroy"), 1);
}

TEST_F(LaunchGraphsTest, NothingIsGivenWhereAnotherContextIsCurrent) {
    repeat(launch());
    driver().context_set_current(nullptr);
    EXPECT_FALSE(repeat(launch(), 1));
    driver().context_set_current(device_.context().handle());
    EXPECT_TRUE(repeat(launch(), 1));
}

TEST_F(LaunchGraphsTest, AGraphThatTheDriverRefusesIsNotTriedAgain) {
    fail("cuGraphInstantiateWithFlags", Status::OutOfMemory);
    EXPECT_FALSE(repeat(launch()));
    EXPECT_EQ(calls("cuGraphInstantiateWithFlags"), 1);
    EXPECT_EQ(calls("cuGraphDestroy"), 1);
}

TEST_F(LaunchGraphsTest, ArgumentsThatTheDriverRefusesAreLaunched) {
    repeat(launch());
    fail("cuGraphExecKernelNodeSetParams", Status::InvalidValue);
    arguments_[0] = std::byte(1);
    EXPECT_FALSE(repeat(launch()));
    EXPECT_EQ(calls("cuGraphExecDestroy"), 1);
}

TEST_F(LaunchGraphsTest, WhatTheDriverAnswersIsTheLaunchs) {
    repeat(launch());
    fail("cuGraphLaunch", Status::OutOfMemory);
    EXPECT_EQ(graphs_.launch(driver(), launch(), kLegacyStream), Status::OutOfMemory);
}

TEST_F(LaunchGraphsTest, StreamsOfOthersHaveNone) {
    LaunchGraphs none(device_.context(), false);
    for (int i = 0; i < kEnough; ++i) {
        EXPECT_FALSE(none.launch(driver(), launch(), kLegacyStream).has_value());
    }
}

TEST_F(LaunchGraphsTest, TheirNumberIsLimited) {
    std::vector<std::unique_ptr<LaunchGraphs>> streams;
    for (int i = 0; i < 300; ++i) {
        streams.push_back(std::make_unique<LaunchGraphs>(device_.context(), true));
        for (int j = 0; j < 20; ++j) streams.back()->launch(driver(), launch(), kLegacyStream);
    }
    EXPECT_EQ(calls("cuGraphInstantiateWithFlags"), 256);
    streams.clear();
    EXPECT_TRUE(repeat(launch()));
}

}  // namespace
}  // namespace warpwise::cuda
