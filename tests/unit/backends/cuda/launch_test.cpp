// Launches and streams of the fake driver's devices through the public API.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "tests/unit/runtime/programs.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

Kernel load(std::vector<Parameter> parameters) {
    auto program = std::make_shared<compiler::Program>();
    program->format = "cubin";
    program->binary.resize(16);
    program->kernels.push_back(kernel_info("k", std::move(parameters)));
    const auto module = runtime::ModuleState::load(Device().context().shared(), program);
    return Kernel(module->kernel(program->kernels.front()));
}

class CudaLaunch : public OnFakeCuda {
  protected:
    ~CudaLaunch() override { set_interrupt_handler({}); }

    // Work of `stream` that ends when the gate is opened.
    void hold(const Stream& stream) {
        stream.call_host([opened = gate_.get_future().share()] { opened.wait(); });
    }
    void open() { gate_.set_value(); }

    const DeviceScope scope_{Device("cuda:0")};
    std::promise<void> gate_;
};

TEST_F(CudaLaunch, TakesEveryNumberOfArguments) {
    const Buffer buffer = mem_alloc(64);
    for (std::size_t count : {0, 1, 4, 16, 200}) {
        const Kernel kernel =
            load(std::vector<Parameter>(count, pointer_to("x", "float *", float32)));
        kernel.launch({.grid = 1, .block = 1}, std::vector<Argument>(count, Argument(buffer)));
    }
    EXPECT_EQ(calls("cuLaunchKernel"), 5);
}

TEST_F(CudaLaunch, IsRefusedRightBehindOneThatIsRight) {
    const Kernel kernel = load({pointer_to("x", "float *", float32)});
    const warpwise::LaunchConfig config{.grid = 1, .block = 1};
    const Buffer buffer = mem_alloc(64), small = mem_alloc(2), odd = mem_alloc(64).slice(2, 8);
    Buffer freed = mem_alloc(64);
    freed.free();
    const Buffer elsewhere = mem_alloc(64, Device("cuda:1").default_stream());
    for (const Buffer& wrong : {small, odd, freed, elsewhere}) {
        kernel(config, buffer);
        EXPECT_THROW(kernel(config, wrong), ArgumentError);
    }
    EXPECT_EQ(calls("cuLaunchKernel"), 4);
}

// Calls `work` in a thread in which `context` is current; returns what is current afterwards.
template <class Work>
ContextHandle left_current_by(ContextHandle context, Work&& work) {
    ContextHandle left = nullptr;
    std::thread([&] {
        driver().context_set_current(context);
        work();
        driver().context_get_current(&left);
    }).join();
    return left;
}

TEST_F(CudaLaunch, AsksForTheCurrentContextOnlyWhereItMatters) {
    const Kernel kernel = load({});
    const Stream stream;
    Event event;
    const HostBuffer host(64);
    Buffer buffer = mem_alloc(64);
    ContextHandle own = nullptr;
    driver().context_get_current(&own);
    const auto all = [&] {
        kernel({.grid = 1, .block = 1});
        kernel({.grid = 1, .block = 1, .stream = stream});
        event.record(stream);
        stream.wait(event);
        buffer.copy_from_async(host.data(), 64, stream);
        buffer.copy_to_async(host.data(), 64, stream);
    };
    all();
    const int asked = calls("cuCtxGetCurrent");
    all();
    EXPECT_EQ(calls("cuCtxGetCurrent"), asked);
    EXPECT_EQ(left_current_by(nullptr, all), own) << "nothing was current";
    const auto foreign = reinterpret_cast<ContextHandle>(&own);
    EXPECT_EQ(left_current_by(foreign, all), foreign);
    const int launched = calls("cuLaunchKernel");
    all();
    EXPECT_EQ(calls("cuLaunchKernel"), launched + 2);
    // Once another library has had its own current, asking is cheaper than being refused.
    left_current_by(foreign, all);
    EXPECT_EQ(calls("cuLaunchKernel"), launched + 4);
    Device().synchronize();
}

TEST_F(CudaLaunch, OnAnotherDeviceLeavesTheContextAsItWas) {
    ContextHandle own = nullptr;
    mem_alloc(64);
    driver().context_get_current(&own);
    const DeviceScope scope{Device("cuda:1")};
    const Kernel kernel = load({});
    kernel({.grid = 1, .block = 1});
    kernel({.grid = 1, .block = 1});
    ContextHandle left = nullptr;
    driver().context_get_current(&left);
    EXPECT_EQ(left, own);
    Device().synchronize();
}

TEST_F(CudaLaunch, WaitsForAnEventOfAnotherDeviceInTheDriver) {
    const Stream here, there{Device("cuda:1")};
    hold(there);
    const Event event = there.record();
    here.wait(event);
    EXPECT_EQ(calls("cuStreamWaitEvent"), 1);
    EXPECT_EQ(calls("cuLaunchHostFunc"), 1) << "the one that holds the other stream";
    EXPECT_FALSE(here.is_done());
    open();
    here.synchronize();
    EXPECT_TRUE(event.is_done());
}

TEST_F(CudaLaunch, WaitsForHostArraysAfterTheFirstInterrupt) {
    const Kernel kernel = load({pointer_to("x", "float *", float32)});
    std::vector<float> values(4);
    const Stream stream;
    hold(stream);
    std::atomic<int> asked = 0;
    set_interrupt_handler([&] { return asked++ == 0; });
    std::jthread opener([&] {
        while (asked < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        open();
    });
    const HostArray array{.data = values.data(),
                          .bytes = 16,
                          .dtype = float32,
                          .copies_in = true,
                          .copies_out = true};
    EXPECT_THROW(kernel({.grid = 1, .block = 1, .stream = stream}, array), Interrupted);
    EXPECT_GE(asked, 3) << "it waited for the gate";
}

TEST_F(CudaLaunch, LetsTheSecondInterruptThrough) {
    const Kernel kernel = load({pointer_to("x", "float *", float32)});
    std::vector<float> values(4);
    const Stream stream;
    hold(stream);
    set_interrupt_handler([] { return true; });
    const HostArray array{.data = values.data(),
                          .bytes = 16,
                          .dtype = float32,
                          .copies_in = true,
                          .copies_out = true};
    EXPECT_THROW(kernel({.grid = 1, .block = 1, .stream = stream}, array), Interrupted);
    EXPECT_FALSE(stream.is_done()) << "values must live on";
    set_interrupt_handler({});
    open();
    stream.synchronize();
}

// A kernel of a GPU cannot be stopped: the wait ends, the kernel goes on.
TEST_F(CudaLaunch, EndsAWaitAfterTheTimeLimitOfTheStream) {
    const Kernel kernel = load({});
    const Stream stream({.time_limit = std::chrono::duration<double>(0.01)});
    hold(stream);
    kernel({.grid = 1, .block = 1, .stream = stream});
    try {
        stream.synchronize();
        FAIL();
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.kernel(), kernel.name());
        EXPECT_THAT(error.what(), ::testing::HasSubstr("within its time limit of 0.01 s"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr(error.kernel()));
    }
    EXPECT_FALSE(stream.is_done());
    open();
    while (!stream.is_done()) std::this_thread::yield();
    stream.synchronize();
}

// An error of the launch comes first, unless the wait behind it is interrupted.
TEST_F(CudaLaunch, LetsAnInterruptBehindAnErrorThrough) {
    const Kernel kernel = load({pointer_to("x", "float *", float32)});
    std::vector<float> values(4);
    const Stream stream;
    hold(stream);
    fail("cuLaunchKernel", Status::LaunchOutOfResources);
    set_interrupt_handler([] { return true; });
    const HostArray array{.data = values.data(), .bytes = 16, .dtype = float32, .copies_in = true};
    EXPECT_THROW(kernel({.grid = 1, .block = 1, .stream = stream}, array), Interrupted);
    set_interrupt_handler({});
    open();
    stream.synchronize();
}

}  // namespace
}  // namespace warpwise::cuda
