// New arguments, grids and blocks for captured launches: what runs afterwards, and what is refused.
#include <cstring>

#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using null::Call;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

template <class T>
T argument(const Call& call, std::size_t offset) {
    T value{};
    std::memcpy(&value, call.arguments.data() + offset, sizeof value);
    return value;
}

// A graph of fill(x, 1) and fill(x, 2), launched any number of times.
class GraphKernels : public testing::Test {
  protected:
    GraphKernels() {
        stream.begin_capture();
        kernel({.grid = 4, .block = 32, .stream = stream, .shared = 16}, x, 1);
        kernel({.grid = 2, .block = 64, .stream = stream}, x, 2);
        graph.emplace(stream.end_capture());
    }
    std::vector<Call> launch() {
        const null::Recorder recorder;
        graph->launch(stream);
        stream.synchronize();
        return recorder.calls(Call::Kind::Launch);
    }
    template <class E, class F>
    void refuses(F&& change, const char* text) {
        EXPECT_THAT(message_of<E>(change), HasSubstr(text));
        const auto calls = launch();
        EXPECT_EQ(argument<int>(calls[0], 8), 1);
        EXPECT_EQ(calls[0].grid[0], 4u);
    }

    Stream stream;
    Kernel kernel = load_kernel(
        kernel_info("fill", {pointer_to("x", "int *", int32), value_of("value", "int", int32)}));
    Buffer x = mem_alloc(16);
    std::optional<Graph> graph;
};

TEST_F(GraphKernels, AreListedInOrder) {
    ASSERT_THAT(graph->kernels(), SizeIs(2));
    const GraphKernel first = graph->kernels()[0];
    EXPECT_EQ(first.name(), "fill");
    EXPECT_EQ(first.signature().parameters[1].name, "value");
    EXPECT_EQ(first.config().grid, Dim3(4));
    EXPECT_EQ(first.config().block, Dim3(32));
    EXPECT_EQ(first.config().shared, 16);
    EXPECT_EQ(graph->kernels()[1].config().block, Dim3(64));
}

TEST_F(GraphKernels, AreNotOtherOperations) {
    stream.begin_capture();
    x.fill(0, 4, 4, stream);
    EXPECT_THAT(stream.end_capture().kernels(), IsEmpty());
}

TEST_F(GraphKernels, TakeNewArguments) {
    const Buffer y = mem_alloc(16);
    launch();
    graph->kernels()[0].set_arguments(y, 7);
    const auto calls = launch();
    EXPECT_EQ(argument<std::uint64_t>(calls[0], 0), y.address());
    EXPECT_EQ(argument<int>(calls[0], 8), 7);
    EXPECT_EQ(argument<int>(calls[1], 8), 2);
    EXPECT_EQ(calls[0].grid[0], 4u);
}

TEST_F(GraphKernels, TakeAnotherGridAndBlock) {
    graph->kernels()[1].set_config({.grid = 9, .block = {8, 4}, .shared = 100});
    const auto calls = launch();
    EXPECT_EQ(calls[1].grid[0], 9u);
    EXPECT_EQ(calls[1].block[1], 4u);
    EXPECT_EQ(calls[1].shared_bytes, 100u);
    EXPECT_EQ(argument<int>(calls[1], 8), 2);
}

TEST_F(GraphKernels, ChangeEveryCopyOfTheGraph) {
    const Graph copy = *graph;
    copy.kernels()[0].set_arguments(x, 5);
    EXPECT_EQ(argument<int>(launch()[0], 8), 5);
}

TEST_F(GraphKernels, ChangeNoGraphThatHasCapturedThem) {
    stream.begin_capture();
    graph->launch(stream);
    const Graph outer = stream.end_capture();
    graph->kernels()[0].set_arguments(x, 5);
    const null::Recorder recorder;
    outer.launch(stream);
    EXPECT_EQ(argument<int>(recorder.calls(Call::Kind::Launch)[0], 8), 1);
    EXPECT_THAT(outer.kernels(), SizeIs(2));
}

TEST_F(GraphKernels, KeepTheirNewBuffersAlive) {
    const std::uint64_t address = [&] {
        const Buffer y = mem_alloc(1 << 20);
        graph->kernels()[0].set_arguments(y, 7);
        return y.address();
    }();
    const Buffer other = mem_alloc(1 << 20);
    EXPECT_NE(other.address(), address);
    EXPECT_EQ(argument<std::uint64_t>(launch()[0], 0), address);
}

TEST_F(GraphKernels, LetTheOldBuffersBeFreed) {
    const Buffer y = mem_alloc(16);
    x.free();
    EXPECT_THAT(message_of<ArgumentError>([&] { graph->launch(stream); }),
                HasSubstr("freed after the capture"));
    for (const GraphKernel& one : graph->kernels()) one.set_arguments(y, 3);
    EXPECT_THAT(launch(), SizeIs(2));
    Buffer again = y;
    again.free();
    EXPECT_THROW(graph->launch(stream), ArgumentError);
}

TEST_F(GraphKernels, CheckArgumentsAsALaunchDoes) {
    const GraphKernel first = graph->kernels()[0];
    refuses<ArgumentError>([&] { first.set_arguments(x); }, "takes 2 arguments");
    refuses<ArgumentError>([&] { first.set_arguments(x, 1.5); }, "value");
    const DeviceScope other(Device("null:1"));
    const Buffer far = mem_alloc(16);
    refuses<ArgumentError>([&] { first.set_arguments(far, 1); }, "null:1");
}

TEST_F(GraphKernels, RefuseHostArrays) {
    int value = 0;
    const HostArray array{.data = &value, .bytes = 4, .dtype = int32, .copies_in = true};
    refuses<ArgumentError>([&] { graph->kernels()[0].set_arguments(array, 1); },
                           "host arrays are copied");
}

TEST_F(GraphKernels, RefuseWhatAGraphCannotChange) {
    const GraphKernel first = graph->kernels()[0];
    refuses<ArgumentError>([&] { first.set_config({.grid = 1, .block = 1, .stream = stream}); },
                           "no stream of its own");
    refuses<ArgumentError>([&] { first.set_config({.cooperative = true}); }, "capture it again");
    refuses<ArgumentError>([&] { first.set_config({.grid = 0}); }, "must be at least 1");
    refuses<LaunchError>([&] { first.set_config({.block = 2048}); }, "at most 1024");
}

TEST_F(GraphKernels, OutliveTheGraph) {
    const GraphKernel first = graph->kernels()[0];
    graph.reset();
    first.set_arguments(x, 4);
    EXPECT_EQ(first.name(), "fill");
}

}  // namespace
}  // namespace warpwise
