// Launches: limits, streams, host arrays, capture, errors, lifetimes.
#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using null::Call;
using testing::AllOf;
using testing::HasSubstr;

Kernel empty_kernel() {
    return load_kernel(kernel_info("k", {}));
}

Kernel float_kernel() {
    return kernel_with(pointer_to("x", "float *", float32));
}

template <class E>
std::string refusal(const LaunchConfig& config) {
    return message_of<E>([&] { empty_kernel()(config); });
}

TEST(Launch, ReachesTheDeviceAsGiven) {
    const null::Recorder recorder;
    empty_kernel()({.grid = {4, 3, 2}, .block = {32, 2}, .shared = 100, .cooperative = true});
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kernel, "_Zk");
    EXPECT_THAT(launches[0].grid, testing::ElementsAre(4, 3, 2));
    EXPECT_THAT(launches[0].block, testing::ElementsAre(32, 2, 1));
    EXPECT_EQ(launches[0].shared_bytes, 100u);
    EXPECT_TRUE(launches[0].cooperative);
}

TEST(Launch, GoesToItsStreamElseTheCurrentOne) {
    const Kernel kernel = empty_kernel();
    const Stream first, second;
    const null::Recorder recorder;
    kernel({.stream = first});
    const StreamScope scope(second);
    kernel({});
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[1].queue, launches[0].queue + 1);
}

TEST(Launch, RefusesExtentsBelowOne) {
    EXPECT_EQ(refusal<ArgumentError>({.grid = {4, 0}}),
              "k: the grid is (4, 0, 1), but its y must be at least 1");
    EXPECT_THAT(refusal<ArgumentError>({.block = {1, 1, -3}}),
                HasSubstr("the block is (1, 1, -3), but its z must be at least 1"));
}

TEST(Launch, RefusesExtentsOverTheLimits) {
    EXPECT_EQ(refusal<LaunchError>({.grid = std::int64_t{1} << 31}),
              "k: the grid is (2147483648, 1, 1), but null allows at most 2147483647 in x");
    EXPECT_THAT(refusal<LaunchError>({.grid = {1, 65536}}), HasSubstr("at most 65535 in y"));
    EXPECT_THAT(refusal<LaunchError>({.block = {1, 1, 65}}), HasSubstr("at most 64 in z"));
}

TEST(Launch, RefusesTooManyThreads) {
    EXPECT_EQ(refusal<LaunchError>({.block = {64, 32}}),
              "k: a block of (64, 32, 1) has 2048 threads, but null allows at most 1024");
}

TEST(Launch, RespectsLaunchBounds) {
    auto info = kernel_info("bounded", {});
    info.signature.max_threads_per_block = 128;
    const Kernel kernel = load_kernel(info);
    EXPECT_EQ(kernel.attributes().max_threads_per_block, 128u);
    EXPECT_NO_THROW(kernel({.block = 128}));
    EXPECT_THAT(message_of<LaunchError>([&] { kernel({.block = 129}); }),
                HasSubstr("__launch_bounds__ or its registers) allows at most 128"));
}

TEST(Launch, RefusesTooMuchSharedMemory) {
    auto info = kernel_info("k", {});
    info.static_shared_bytes = 40000;
    const Kernel kernel = load_kernel(info);
    EXPECT_NO_THROW(kernel({.shared = 9152}));
    EXPECT_EQ(message_of<LaunchError>([&] { kernel({.shared = 9153}); }),
              "k: a block needs 49153 bytes of shared memory (40000 of the kernel's own and 9153 "
              "asked for at launch), but null has 49152");
    EXPECT_THAT(refusal<ArgumentError>({.shared = -1}), HasSubstr("must not be negative"));
}

TEST(Launch, NamesTheKernelInItsError) {
    try {
        empty_kernel()({.block = 5000});
        FAIL();
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.kernel(), "k");
    }
}

TEST(Launch, RefusesAStreamOfAnotherDevice) {
    EXPECT_THAT(refusal<ArgumentError>({.stream = Stream(Device("null:1"))}),
                HasSubstr("the stream is of null:1, but the kernel was loaded on null"));
}

TEST(Launch, ChecksArgumentsBeforeExtents) {
    EXPECT_THROW(float_kernel()({.grid = 0}, 1), ArgumentError);
    EXPECT_THAT(message_of<ArgumentError>([] { float_kernel()({.grid = 0}, 1); }),
                HasSubstr("parameter 'x'"));
}

TEST(Launch, RunsNothingWhenRefused) {
    const null::Recorder recorder;
    EXPECT_THROW(float_kernel()({}, 1), ArgumentError);
    EXPECT_THAT(recorder.calls(Call::Kind::Launch), testing::IsEmpty());
}

TEST(Launch, KeepsItsBuffersFromOthersUntilItHasRun) {
    const Stream stream({.non_blocking = true}), other({.non_blocking = true});
    const Kernel kernel = float_kernel();
    Buffer buffer = mem_alloc(1000, other);
    const auto address = buffer.address();
    const null::Pause pause;
    kernel({.stream = stream}, buffer);
    buffer.free();
    EXPECT_NE(mem_alloc(1000, other).address(), address);
}

TEST(Launch, KnowsTheMemoryBehindRawAddresses) {
    const Stream stream({.non_blocking = true}), other({.non_blocking = true});
    const Kernel kernel = float_kernel();
    Buffer buffer = mem_alloc(1000, other);
    const auto address = buffer.address();
    const null::Pause pause;
    kernel({.stream = stream}, Pointer{address + 8});
    buffer.free();
    EXPECT_NE(mem_alloc(1000, other).address(), address);
}

TEST(Launch, KeepsItsModuleUntilItHasRun) {
    auto program = std::make_shared<compiler::Program>();
    program->kernels.push_back(kernel_info("k", {}));
    std::weak_ptr<compiler::Program> watch = program;
    {
        const null::Pause pause;
        {
            const auto module =
                runtime::ModuleState::load(Device().context().shared(), std::move(program));
            Kernel(module->kernel(*module->kernels().front()))({});
        }
        EXPECT_FALSE(watch.expired());
    }
    Device().synchronize();
    EXPECT_TRUE(watch.expired());
}

TEST(Launch, ReportsAFailureAtTheNextWait) {
    const Stream stream;
    null::fail_launch(std::make_exception_ptr(LaunchError("it trapped")));
    empty_kernel()({.stream = stream});
    EXPECT_THAT(message_of<LaunchError>([&] { stream.synchronize(); }), HasSubstr("trapped"));
    EXPECT_NO_THROW(stream.synchronize());
}

HostArray host_array(std::vector<float>& values, bool in, bool out) {
    return {.data = values.data(),
            .bytes = values.size() * sizeof(float),
            .dtype = float32,
            .copies_in = in,
            .copies_out = out};
}

TEST(HostArrays, AreCopiedAroundTheLaunch) {
    std::vector<float> values(4, 1.0f);
    const Kernel kernel = float_kernel();
    const null::Recorder recorder;
    kernel({}, host_array(values, true, true));
    std::vector<Call::Kind> kinds;
    for (const auto& call : recorder.calls()) {
        if (call.kind == Call::Kind::Copy || call.kind == Call::Kind::Launch) {
            kinds.push_back(call.kind);
        }
    }
    EXPECT_THAT(kinds,
                testing::ElementsAre(Call::Kind::Copy, Call::Kind::Launch, Call::Kind::Copy));
}

TEST(HostArrays, ComeBackAsTheyWereWhenNothingRuns) {
    std::vector<float> values = {1, 2, 3, 4};
    float_kernel()({}, host_array(values, true, true));
    EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(HostArrays, PassTheirDeviceAddress) {
    std::vector<float> values(4);
    const Kernel kernel = float_kernel();
    const null::Recorder recorder;
    kernel({}, host_array(values, true, false));
    std::uint64_t address = 0;
    std::memcpy(&address, recorder.calls(Call::Kind::Launch)[0].arguments.data(), 8);
    EXPECT_EQ(address, recorder.calls(Call::Kind::Copy)[0].destination);
}

TEST(HostArrays, ThatOnlyGoInMayBeOverwrittenAfterwards) {
    std::vector<float> values(4, 7.0f);
    const Stream stream;
    const null::Recorder recorder;
    float_kernel()({.stream = stream}, host_array(values, true, false));
    values.assign(4, 0.0f);
    const auto copy = recorder.calls(Call::Kind::Copy)[0];
    EXPECT_EQ(*reinterpret_cast<const float*>(copy.destination), 7.0f);
}

TEST(HostArrays, MayBeEmpty) {
    std::vector<float> none;
    EXPECT_NO_THROW(float_kernel()({}, host_array(none, true, true)));
}

TEST(HostArrays, WithResultsReportTheFailureOfTheLaunch) {
    std::vector<float> values(4);
    null::fail_launch(std::make_exception_ptr(LaunchError("it trapped")));
    EXPECT_THROW(float_kernel()({}, host_array(values, false, true)), LaunchError);
    EXPECT_NO_THROW(float_kernel()({}, host_array(values, false, true)));
}

TEST(HostArrays, GiveTheirMemoryBack) {
    std::vector<float> values(1000);
    const auto before = Device().pool().active_bytes();
    float_kernel()({}, host_array(values, true, true));
    EXPECT_EQ(Device().pool().active_bytes(), before);
}

TEST(HostArrays, CannotBeCaptured) {
    std::vector<float> values(4);
    const Stream stream;
    stream.begin_capture();
    EXPECT_THAT(message_of<ArgumentError>(
                    [&] { float_kernel()({.stream = stream}, host_array(values, true, false)); }),
                HasSubstr("host arrays are copied at the launch, which cannot be captured"));
    EXPECT_EQ(stream.end_capture().size(), 0u);
}

TEST(CapturedLaunch, RunsWithTheArgumentsOfTheCapture) {
    const Stream stream;
    std::uint64_t address = 0;
    Graph graph = [&] {
        const Kernel kernel = float_kernel();
        const Buffer buffer = mem_alloc(16);
        address = buffer.address();
        stream.begin_capture();
        kernel({.grid = 2, .block = 8, .stream = stream}, buffer);
        return stream.end_capture();
    }();
    const null::Recorder recorder;
    graph.launch(stream);
    graph.launch(stream);
    stream.synchronize();
    const auto launches = recorder.calls(Call::Kind::Launch);
    ASSERT_EQ(launches.size(), 2u);
    std::uint64_t seen = 0;
    std::memcpy(&seen, launches[1].arguments.data(), 8);
    EXPECT_EQ(seen, address);
    EXPECT_EQ(launches[1].block[0], 8u);
}

TEST(Kernel, TellsWhatItIs) {
    const Kernel kernel = load_kernel(kernel_info("scale<float>", {value_of("n", "int", int32)}));
    EXPECT_EQ(kernel.name(), "scale<float>");
    EXPECT_EQ(kernel.signature().declaration(), "scale<float>(int n)");
    EXPECT_EQ(kernel.device().name(), "null");
}

TEST(Kernel, CoversElements) {
    const Kernel kernel = empty_kernel();
    EXPECT_EQ(kernel.cover(1000).grid, Dim3(4));
    EXPECT_EQ(kernel.cover(1000).block, Dim3(256));
    EXPECT_EQ(kernel.cover(256).grid, Dim3(1));
    EXPECT_EQ(kernel.cover(0).grid, Dim3(0));
    EXPECT_EQ(kernel.cover(std::numeric_limits<std::int64_t>::max()).grid,
              Dim3(std::int64_t{1} << 55));
    EXPECT_THAT(message_of<ArgumentError>([&] { kernel.cover(-1); }),
                HasSubstr("-1 elements cannot be covered"));
}

TEST(Kernel, SuggestsABlockWithinItsBounds) {
    auto info = kernel_info("k", {});
    info.signature.max_threads_per_block = 64;
    EXPECT_EQ(load_kernel(info).suggested_block_size(), 64u);
}

TEST(Kernel, HasAnOccupancyWhereABlockFits) {
    const Kernel kernel = empty_kernel();
    EXPECT_EQ(kernel.occupancy(256), 1u);
    EXPECT_EQ(kernel.occupancy(2048), 0u);
    const KernelAttributes most = kernel.attributes();
    EXPECT_EQ(kernel.occupancy(most.max_threads_per_block, most.max_dynamic_shared_bytes), 1u);
    EXPECT_EQ(kernel.occupancy(256, 1 << 20), 0u);
    EXPECT_THROW(kernel.occupancy(0), ArgumentError);
}

}  // namespace
}  // namespace warpwise
