// Sources whose signatures the caller knows: NVRTC alone compiles them. The driver and NVRTC are
// fakes; the test is a program of its own, since the compiler library, once open, stays open.
#include <cstdlib>

#include "src/compiler/service.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/module_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::HasSubstr;

// fill(float *x, int n), as the front end would read it.
KernelSignature fill_signature() {
    KernelSignature signature{.name = "fill", .symbol = "fill"};
    signature.parameters = {{.name = "x",
                             .type = "float *",
                             .passing = Parameter::Passing::Pointer,
                             .dtype = float32,
                             .offset = 0,
                             .size = 8,
                             .alignment = 8},
                            {.name = "n",
                             .type = "int",
                             .passing = Parameter::Passing::Scalar,
                             .dtype = int32,
                             .offset = 8,
                             .size = 4,
                             .alignment = 4}};
    signature.argument_bytes = 12;
    return signature;
}

compiler::CompileRequest request_for(const Device& device) {
    compiler::CompileRequest request;
    request.source = "extern \"C\" __global__ void fill(float *x, int n) {}";
    request.target = device.context().info().architecture;
    request.mode.signatures = {fill_signature()};
    return request;
}

class KnownSignaturesOnGpu : public OnFakeCuda {
  protected:
    Kernel compiled(const compiler::CompileRequest& request) {
        auto program = std::make_shared<const compiler::Program>(
            compiler::compile_cached(backend.compiler(), request));
        const auto module = runtime::ModuleState::load(device.context().shared(), program);
        return Kernel(module->kernel(*module->kernels().front()));
    }

    const Device device{"cuda:0"};
    const DeviceScope scope{device};
};

TEST_F(KnownSignaturesOnGpu, CompileWithoutTheCompilerLibrary) {
    compiled(request_for(device));
    EXPECT_FALSE(compiler::service_is_open());
}

TEST_F(KnownSignaturesOnGpu, AreThoseThatLaunchesCheck) {
    const Kernel kernel = compiled(request_for(device));
    const Buffer x = mem_alloc(1024);
    kernel({.grid = 1, .block = 32}, x, 256);
    EXPECT_EQ(calls("cuLaunchKernel"), 1);
    EXPECT_THAT(message_of<ArgumentError>([&] { kernel({.grid = 1, .block = 32}, x); }),
                HasSubstr("fill(float *x, int n)"));
    EXPECT_FALSE(compiler::service_is_open());
}

TEST_F(KnownSignaturesOnGpu, ContractionIsAnOptionOfNvrtc) {
    compiler::CompileRequest request = request_for(device);
    const auto text_of = [&] {
        const auto program = compiler::compile_cached(backend.compiler(), request);
        return std::string(reinterpret_cast<const char*>(program.binary.data()),
                           program.binary.size());
    };
    EXPECT_THAT(text_of(), testing::Not(HasSubstr("fmad")));
    request.mode.contraction = false;
    EXPECT_THAT(text_of(), HasSubstr("--fmad=false"));
}

}  // namespace
}  // namespace warpwise::cuda

int main(int count, char** words) {
    ::setenv("WARPWISE_CUDA_DRIVER", FAKE_CUDA, 1);
    ::setenv("WARPWISE_NVRTC", FAKE_NVRTC, 1);
    ::setenv("WARPWISE_CACHE_SIZE", "0", 1);
    testing::InitGoogleMock(&count, words);
    return RUN_ALL_TESTS();
}
