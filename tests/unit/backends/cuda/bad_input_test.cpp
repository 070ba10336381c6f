// What users and machines get wrong on a GPU, through the public API: the class of the error, and
// that it says what, which and what to do. Faults of kernels and of GPUs: fault_test.cpp.
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "tests/unit/runtime/programs.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaBadInput : public OnFakeCuda {
  protected:
    const DeviceScope scope_{Device("cuda:0")};
};

Kernel make_kernel() {
    auto program = std::make_shared<compiler::Program>();
    program->format = "cubin";
    program->binary.resize(16);
    program->kernels.push_back(kernel_info("k", {pointer_to("x", "float *", float32)}));
    const auto module = runtime::ModuleState::load(Device().context().shared(), program);
    return Kernel(module->kernel(program->kernels.front()));
}

// The fake has 1 GiB a device.
TEST_F(CudaBadInput, MoreMemoryThanThereIsShowsWhoHoldsWhat) {
    const Buffer large = mem_alloc(std::size_t{900} << 20);
    EXPECT_THAT(
        message_of<OutOfMemoryError>([] { mem_alloc(std::size_t{200} << 20); }),
        AllOf(HasSubstr("cannot allocate 200.0 MiB (209715200 bytes)"), HasSubstr("on cuda:0"),
              HasSubstr("of them in use"), HasSubstr("free buffers, or ask"),
              HasSubstr("in use, largest first: 1 x 9")));
}

TEST_F(CudaBadInput, AStreamOfAnotherGpu) {
    const Kernel kernel = make_kernel();
    const Buffer buffer = mem_alloc(64);
    const Stream stream(Device("cuda:1"));
    EXPECT_THAT(message_of<ArgumentError>(
                    [&] { kernel({.grid = 1, .block = 1, .stream = stream}, buffer); }),
                HasSubstr("k: the stream is of cuda:1, but the kernel was loaded on cuda:0"));
    EXPECT_EQ(calls("cuLaunchKernel"), 0);
}

TEST_F(CudaBadInput, AGraphWhoseBufferWasFreed) {
    const Kernel kernel = make_kernel();
    Buffer buffer = mem_alloc(64);
    const Stream stream;
    stream.begin_capture();
    kernel({.grid = 1, .block = 1, .stream = stream}, buffer);
    const Graph graph = stream.end_capture();
    buffer.free();
    EXPECT_THAT(message_of<ArgumentError>([&] { graph.launch(stream); }),
                HasSubstr("freed after the capture"));
    EXPECT_EQ(calls("cuGraphLaunch"), 0);
}

TEST_F(CudaBadInput, ASynchronousCallInACapture) {
    Buffer buffer = mem_alloc(64);
    std::vector<std::byte> host(64);
    const Stream stream;
    stream.begin_capture();
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.synchronize(); }),
                AllOf(HasSubstr("cannot be synchronized"), HasSubstr("end the capture first")));
    {
        const StreamScope current(stream);
        EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_to(host.data(), host.size()); }),
                    HasSubstr("being captured"));
    }
    buffer.fill(1, 1, 64, stream);
    EXPECT_EQ(stream.end_capture().size(), 1u);  // the capture goes on
}

// The capture of another library, on a stream of its own: the driver knows, we do not.
TEST_F(CudaBadInput, ACallThatBreaksTheCaptureOfAnother) {
    Buffer buffer = mem_alloc(64);
    std::vector<std::byte> host(64);
    fail("cuMemcpyDtoH", static_cast<Status>(906));
    EXPECT_THAT(message_of<DeviceError>([&] { buffer.copy_to(host.data(), host.size()); }),
                AllOf(HasSubstr("cuda:0: cannot copy to the host"),
                      HasSubstr("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT")));
    buffer.copy_to(host.data(), host.size());
}

// No other test uses this device: its context is retained at the first use in the process.
TEST_F(CudaBadInput, AGpuThatAnotherProcessHasToItself) {
    fail("cuDevicePrimaryCtxRetain", Status::DeviceUnavailable);
    EXPECT_THAT(
        message_of<DeviceError>([] { Stream stream(Device("cuda:2")); }),
        AllOf(HasSubstr("cuda:2 cannot be used"), HasSubstr("CUDA_ERROR_DEVICE_UNAVAILABLE")));
    Stream stream(Device("cuda:2"));
}

}  // namespace
}  // namespace warpwise::cuda
