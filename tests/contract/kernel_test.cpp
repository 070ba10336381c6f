// Modules and kernels from real source: signatures, variables, limits, results and faults.
#include <map>
#include <thread>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

using testing::HasSubstr;

constexpr const char* kSource = R"(
__constant__ float factors[4];
__device__ int counter = 3;
namespace ns { __device__ int inner; }

__global__ void scale(float *x, float f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f * factors[0];
}
template <class T> __global__ void put(T *x, T value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
    if (i == 0) atomicAdd(&counter, 1);
}
__global__ void reverse(int *x) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(64) bounded(int *x) { x[threadIdx.x] = 1; }
__global__ void shared_hog() { __shared__ int a[1000]; a[threadIdx.x] = 1; }
__global__ void fault(int *x) { if (threadIdx.x == 3) *x = 1; }
__global__ void over(float *x) {}
__global__ void over(int *x) {}
)";

class KernelTest : public ContractTest {
  protected:
    // One compile for all tests of a device.
    const SourceModule& module() {
        static std::map<std::string, SourceModule> modules;
        return modules.try_emplace(GetParam(), kSource, CompileOptions{.name = "contract.cu"})
            .first->second;
    }
    bool runs_kernels() const { return device.info().executes_kernels; }
    void set_factor(float factor) {
        module().get_global("factors").copy_from(&factor, sizeof factor);
    }
};
WARPWISE_CONTRACT(KernelTest);

#define NEEDS_KERNELS() \
    if (!runs_kernels()) GTEST_SKIP() << "this device runs no kernels"

TEST_P(KernelTest, HaveTheSignaturesOfTheSource) {
    const Kernel kernel = module().get_function("scale");
    EXPECT_EQ(kernel.signature().declaration(), "scale(float *x, float f, int n)");
    EXPECT_EQ(kernel.device().name(), GetParam());
}

TEST_P(KernelTest, AreFoundByOverloadAndTemplate) {
    EXPECT_EQ(module().get_function("over(int *)").signature().parameters[0].dtype, int32);
    EXPECT_EQ(module().get_function("put<double>").signature().parameters[1].dtype, float64);
    EXPECT_THROW(module().get_function("over"), ArgumentError);
    EXPECT_THROW(module().get_function("nothing"), ArgumentError);
}

TEST_P(KernelTest, RefuseWrongArguments) {
    const Kernel kernel = module().get_function("scale");
    const Buffer x = mem_alloc(16);
    EXPECT_THROW(kernel({}, x, 1.0f), ArgumentError);
    EXPECT_THROW(kernel({}, 5, 1.0f, 4), ArgumentError);
    EXPECT_THROW(kernel({}, x, 1.0f, 2.5), ArgumentError);
}

TEST_P(KernelTest, RefuseWhatIsOverTheLimits) {
    const Kernel kernel = module().get_function("reverse");
    const Buffer x = mem_alloc(4096);
    const DeviceLimits& limits = device.info().limits;
    EXPECT_THROW(kernel({.grid = 0}, x), ArgumentError);
    EXPECT_THROW(kernel({.block = 0}, x), ArgumentError);
    EXPECT_THROW(kernel({.block = limits.max_threads_per_block + 1}, x), LaunchError);
    EXPECT_THROW(kernel({.block = {limits.max_threads_per_block, 2}}, x), LaunchError);
    EXPECT_THROW(kernel({.shared = limits.max_shared_bytes_per_block + 1}, x), LaunchError);
    EXPECT_THROW(module().get_function("bounded")({.block = 65}, x), LaunchError);
    EXPECT_EQ(module().get_function("bounded").attributes().max_threads_per_block, 64u);
}

TEST_P(KernelTest, HaveVariablesThatKeepTheirValues) {
    Buffer inner = module().get_global("ns::inner");
    ASSERT_EQ(inner.size(), sizeof(int));
    inner.fill(41, 4, 1, Stream::current());
    EXPECT_EQ(first_int(module().get_global("inner")), 41);
    EXPECT_EQ(module().get_global("factors").size(), 16u);
    EXPECT_THROW(module().get_global("nothing"), ArgumentError);
}

TEST_P(KernelTest, HaveAnOccupancy) {
    const Kernel kernel = module().get_function("scale");
    EXPECT_GE(kernel.occupancy(kernel.suggested_block_size()), 1u);
    EXPECT_EQ(kernel.occupancy(device.info().limits.max_threads_per_block + 1), 0u);
}

TEST_P(KernelTest, ComputeOnDeviceMemory) {
    NEEDS_KERNELS();
    set_factor(2.0f);
    constexpr int kCount = 10'000;
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), 0.0f);
    Buffer x = mem_alloc(kCount * sizeof(float));
    x.copy_from(values.data(), x.size());
    const Kernel kernel = module().get_function("scale");
    kernel(kernel.cover(kCount), x, 3.0f, kCount);
    x.copy_to(values.data(), x.size());
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 6.0f * i);
}

TEST_P(KernelTest, TakeArraysAndCoverElements) {
    NEEDS_KERNELS();
    set_factor(1);
    const Kernel scale = module().get_function("scale");
    Array x = ones({1000}, float32) * 3.0f;  // nothing has run
    scale({.grid = 4, .block = 256}, x, 2.0f, 1000);
    x += 1.0f;
    scale.forall(1000)(x, 10.0f, 1000);
    const Stream stream(device);
    scale({.grid = 4, .block = 256, .stream = stream}, x, 0.5f, 1000);
    EXPECT_THAT(x.to_vector<float>(), testing::Each(35.0f));
    const Array halves = ones({1000}, float64);
    EXPECT_THROW(scale.forall(1000)(halves, 1.0f, 1000), ArgumentError);
    EXPECT_THROW(scale.forall(10)(ones({1}, float32).broadcast_to({10}), 1.0f, 10), ArgumentError);
    scale.forall(0)(x, 2.0f, 0);

    stream.begin_capture();
    scale({.grid = 4, .block = 256, .stream = stream}, x, 2.0f, 1000);
    Graph graph = stream.end_capture();
    const Array y = ones({1000}, float32) + 1.0f;
    graph.kernels()[0].set_arguments(y, 4.0f, 1000);
    graph.launch(stream);
    EXPECT_THAT(y.to_vector<float>(), testing::Each(8.0f));
    EXPECT_THAT(x.to_vector<float>(), testing::Each(35.0f));
}

TEST_P(KernelTest, ComputeOnHostArrays) {
    NEEDS_KERNELS();
    set_factor(1.0f);
    std::vector<float> values = {1, 2, 3};
    const HostArray array{.data = values.data(),
                          .bytes = 12,
                          .dtype = float32,
                          .copies_in = true,
                          .copies_out = true};
    module().get_function("scale")({.block = 32}, array, 10, 3);
    EXPECT_EQ(values, (std::vector<float>{10, 20, 30}));
}

TEST_P(KernelTest, SharedMemoryAndBarriersWork) {
    NEEDS_KERNELS();
    std::vector<int> values(96);
    std::iota(values.begin(), values.end(), 0);
    Buffer x = mem_alloc(96 * sizeof(int));
    x.copy_from(values.data(), x.size());
    module().get_function("reverse")({.block = 96, .shared = 96 * sizeof(int)}, x);
    x.copy_to(values.data(), x.size());
    for (int i = 0; i < 96; ++i) ASSERT_EQ(values[i], 95 - i);
}

TEST_P(KernelTest, InstancesShareTheVariablesOfTheModule) {
    NEEDS_KERNELS();
    const SourceModule fresh(kSource, {.options = {"-DFRESH"}, .name = "contract.cu"});
    EXPECT_EQ(first_int(fresh.get_global("counter")), 3);
    const Buffer x = mem_alloc(4);
    fresh.get_function("put<float>")({}, x, 1.0f, 1);
    fresh.get_function("put<int>")({}, x, 7, 1);
    EXPECT_EQ(first_int(x), 7);
    EXPECT_EQ(first_int(fresh.get_global("counter")), 5);
}

TEST_P(KernelTest, RunInStreamOrder) {
    NEEDS_KERNELS();
    const Stream stream;
    const Kernel put = module().get_function("put<int>");
    const Buffer x = mem_alloc(4, stream);
    int seen = 0;
    Gate gate;
    gate.hold(stream);
    for (int i = 1; i <= 10; ++i) put({.stream = stream}, x, i, 1);
    x.copy_to_async(&seen, 4, stream);
    gate.open();
    stream.synchronize();
    EXPECT_EQ(seen, 10);
}

TEST_P(KernelTest, RunFromManyThreads) {
    NEEDS_KERNELS();
    const Kernel put = module().get_function("put<int>");
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const DeviceScope here(device);
            const Stream stream;
            const StreamScope current(stream);
            for (int i = 0; i < 25; ++i) {
                const Buffer x = mem_alloc(4000);
                put(put.cover(1000), x, t * 100 + i, 1000);
                std::vector<int> values(1000);
                x.copy_to(values.data(), 4000);
                if (values == std::vector<int>(1000, t * 100 + i)) ++right;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 100);
}

TEST_P(KernelTest, RunInGraphs) {
    NEEDS_KERNELS();
    const Stream stream;
    const Kernel put = module().get_function("put<int>");
    const Buffer x = mem_alloc(4);
    int seen = 0;
    stream.begin_capture();
    put({.stream = stream}, x, 12, 1);
    x.copy_to_async(&seen, 4, stream);
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(seen, 12);
}

TEST_P(KernelTest, InGraphsTakeNewArguments) {
    NEEDS_KERNELS();
    const Kernel put = module().get_function("put<int>");
    Buffer first = mem_alloc(400), second = mem_alloc(400);
    first.fill(0, 1, 400, Stream::current());
    second.fill(0, 1, 400, Stream::current());
    Device().synchronize();
    const Stream stream;
    stream.begin_capture();
    put({.grid = 1, .block = 32, .stream = stream}, first, 1, 100);
    const Graph graph = stream.end_capture();
    const GraphKernel launch = graph.kernels()[0];
    Gate gate;
    gate.hold(stream);
    graph.launch(stream);
    launch.set_arguments(second, 2, 100);
    graph.launch(stream);
    launch.set_config({.grid = 4, .block = 25});
    launch.set_arguments(second.slice(4, 396), 3, 99);
    gate.open();
    stream.synchronize();
    EXPECT_EQ(first_int(first), 1);
    EXPECT_EQ(first_int(second), 2);
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(first_int(second), 2);
    EXPECT_EQ(first_int(second.slice(4, 4)), 3);
    EXPECT_EQ(first_int(second.slice(396, 4)), 3);
}

TEST_P(KernelTest, RunInGraphsTogether) {
    NEEDS_KERNELS();
    Buffer buffer = mem_alloc(16);
    std::vector<int> values = {1, 2, 3, 4};
    buffer.copy_from(values.data(), 16);
    const Kernel reverse = module().get_function("reverse");
    const Stream stream;
    stream.begin_capture();
    reverse({.block = 4, .stream = stream, .shared = 16, .cooperative = true}, buffer);
    buffer.copy_to_async(values.data(), 16, stream);
    const Graph graph = stream.end_capture();
    for (int i = 0; i < 3; ++i) graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(values, (std::vector<int>{4, 3, 2, 1}));
}

TEST_P(KernelTest, ThatFaultAreReportedOnceAndLeaveTheDeviceWhole) {
    NEEDS_KERNELS();
    if (!device.info().survives_faults) GTEST_SKIP() << "a fault ends " << device.name();
    const Stream stream;
    module().get_function("fault")({.block = 32, .stream = stream}, nullptr);
    try {
        stream.synchronize();
        FAIL() << "the fault was not reported";
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.kernel(), "fault");
    }
    EXPECT_NO_THROW(stream.synchronize());
    const Buffer x = mem_alloc(4);
    module().get_function("put<int>")({.stream = stream}, x, 1, 1);
    stream.synchronize();
    EXPECT_EQ(first_int(x), 1);
}

// In a process of its own, which a fault ends the device for.
TEST_P(KernelTest, ThatFaultAreReportedAndEndADeviceThatDoesNotSurvive) {
    NEEDS_KERNELS();
    if (device.info().survives_faults) GTEST_SKIP() << device.name() << " survives faults";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto run = [this] {
        const Stream stream;
        module().get_function("fault")({.block = 32, .stream = stream}, nullptr);
        try {
            stream.synchronize();
        } catch (const LaunchError& error) {
            std::fprintf(stderr, "LaunchError of %s, ", error.kernel().c_str());
        }
        try {
            mem_alloc(4);
        } catch (const DeviceError& error) {
            std::fprintf(stderr, "then DeviceError: %s\n", error.what());
        }
        std::exit(0);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                "LaunchError of fault, then DeviceError: .*lost");
}

TEST_P(KernelTest, ThatFaultAreReportedByAnEventAfterThem) {
    NEEDS_KERNELS();
    if (!device.info().survives_faults) GTEST_SKIP() << "a fault ends " << device.name();
    const Stream stream;
    module().get_function("fault")({.block = 32, .stream = stream}, nullptr);
    const Event event = stream.record();
    Gate gate;
    gate.hold(stream);
    EXPECT_THROW(event.synchronize(), LaunchError);
    gate.open();
    EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(KernelTest, FromSourceWithAnErrorAreRefusedWithTheUsersLine) {
    try {
        const SourceModule broken("\n__global__ void k() { int x = ; }\n", {.name = "mine.cu"});
        FAIL() << "the error was not found";
    } catch (const CompileError& error) {
        EXPECT_EQ(error.file(), "mine.cu");
        EXPECT_EQ(error.line(), 2);
        EXPECT_THAT(error.log(), HasSubstr("mine.cu"));
    }
}

}  // namespace
}  // namespace warpwise::contract
