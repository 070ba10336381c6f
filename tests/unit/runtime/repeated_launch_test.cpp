// Repeated launches do what the kernel's own launches do, whether or not they take the short way.
#include "warpwise/repeated_launch.hpp"

#include "src/runtime/pending_work.hpp"
#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using null::Call;
using testing::ElementsAreArray;
using testing::HasSubstr;

// k(char c, float *x, int n, double d): with padding among its arguments.
Kernel mixed_kernel() {
    return load_kernel(
        kernel_info("k", {value_of("c", "char", int8), pointer_to("x", "float *", float32),
                          value_of("n", "int", int32), value_of("d", "double", float64)}));
}

Kernel float_kernel() {
    return kernel_with(pointer_to("x", "float *", float32));
}

TEST(RepeatedLaunch, ReachesTheDeviceAsTheKernelsOwn) {
    const Kernel kernel = mixed_kernel();
    const Buffer buffer = mem_alloc(64);
    const LaunchConfig config{.grid = {4, 3, 2}, .block = {32, 2}, .shared = 100};
    const null::Recorder recorder;
    kernel(config, std::int8_t{1}, buffer, 7, 2.5);
    RepeatedLaunch(kernel, config)(std::int8_t{1}, buffer, 7, 2.5);
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[1].kernel, launches[0].kernel);
    EXPECT_EQ(launches[1].grid, launches[0].grid);
    EXPECT_EQ(launches[1].block, launches[0].block);
    EXPECT_EQ(launches[1].shared_bytes, 100u);
    EXPECT_THAT(launches[1].arguments, ElementsAreArray(launches[0].arguments));
}

TEST(RepeatedLaunch, TakesEachTimeTheStreamThatIsCurrent) {
    const RepeatedLaunch launch(load_kernel(kernel_info("k", {})), {});
    const Stream first, second;
    const null::Recorder recorder;
    for (const Stream& stream : {first, second}) {
        const StreamScope scope(stream);
        launch();
    }
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[1].queue, launches[0].queue + 1);
}

TEST(RepeatedLaunch, IsCooperativeWhereItsConfigurationIs) {
    const null::Recorder recorder;
    RepeatedLaunch(load_kernel(kernel_info("k", {})), {.cooperative = true})();
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_TRUE(launches[0].cooperative);
}

TEST(RepeatedLaunch, RefusesItsConfigurationAtEachLaunch) {
    const RepeatedLaunch launch(load_kernel(kernel_info("k", {})), {.block = {64, 32}});
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(message_of<LaunchError>([&] { launch(); }),
                  "k: a block of (64, 32, 1) has 2048 threads, but null allows at most 1024");
    }
}

TEST(RepeatedLaunch, RefusesArgumentsAsTheKernelDoes) {
    const RepeatedLaunch launch(float_kernel(), {});
    const null::Recorder recorder;
    EXPECT_THAT(message_of<ArgumentError>([&] { launch(1); }), HasSubstr("parameter 'x'"));
    EXPECT_THAT(message_of<ArgumentError>([&] { launch(); }), HasSubstr("takes 1 argument"));
    EXPECT_THAT(recorder.calls(Call::Kind::Launch), testing::IsEmpty());
}

TEST(RepeatedLaunch, RefusesMemoryThatWasFreedInBetween) {
    const RepeatedLaunch launch(float_kernel(), {});
    Buffer buffer = mem_alloc(64);
    EXPECT_NO_THROW(launch(buffer));
    buffer.free();
    EXPECT_THAT(message_of<ArgumentError>([&] { launch(buffer); }), HasSubstr("was freed before"));
}

TEST(RepeatedLaunch, KeepsItsBuffersFromOthersUntilItHasRun) {
    const Stream stream({.non_blocking = true}), other({.non_blocking = true});
    const RepeatedLaunch launch(float_kernel(), {.stream = stream});
    Buffer buffer = mem_alloc(1000, other);
    const auto address = buffer.address();
    const null::Pause pause;
    launch(buffer);
    buffer.free();
    EXPECT_NE(mem_alloc(1000, other).address(), address);
}

class Counted final : public runtime::PendingWork {
  public:
    void flush(const runtime::FlushRequest& /*request*/) override { ++requests; }
    int requests = 0;
};

TEST(RepeatedLaunch, AsksForWorkPendingOnItsBuffers) {
    const RepeatedLaunch launch(float_kernel(), {});
    const Buffer buffer = mem_alloc(64);
    const auto pending = std::make_shared<Counted>();
    buffer.state()->set_pending(pending);
    launch(buffer);
    EXPECT_EQ(pending->requests, 1);
    buffer.state()->set_pending(nullptr);
}

TEST(RepeatedLaunch, IsRecordedInACapture) {
    const Stream stream;
    const RepeatedLaunch launch(float_kernel(), {.stream = stream});
    const Buffer buffer = mem_alloc(64);
    const null::Recorder recorder;
    stream.begin_capture();
    launch(buffer);
    EXPECT_EQ(stream.end_capture().size(), 1u);
    EXPECT_THAT(recorder.calls(Call::Kind::Launch), testing::IsEmpty());
}

}  // namespace
}  // namespace warpwise
