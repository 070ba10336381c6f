// Kernels of the fake driver's devices: what they report, hints, and launches that cannot be.
#include <cstdlib>

#include "src/runtime/context.hpp"
#include "src/runtime/module/module_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<runtime::ModuleState> load(const Device& device, std::string_view image = "x") {
    auto program = std::make_shared<compiler::Program>();
    program->format = "ptx";
    program->target = "sm_90";
    for (const char c : image) program->binary.push_back(std::byte(c));
    compiler::KernelInfo kernel;
    kernel.signature.name = kernel.signature.symbol = "k";
    program->kernels.push_back(kernel);
    return runtime::ModuleState::load(device.context().shared(), program);
}

class CudaKernels : public OnFakeCuda {
  protected:
    Kernel make_kernel() {
        const auto module = load(device);
        return Kernel(module->kernel(*module->kernels().front()));
    }

    template <class E>
    std::string refusal(const warpwise::LaunchConfig& config) {
        const Kernel kernel = make_kernel();
        try {
            kernel(config);
        } catch (const E& error) {
            return error.what();
        }
        return "nothing was thrown";
    }

    const Device device{"cuda:0"};
};

TEST_F(CudaKernels, AreLookedUpWhenAProgramAsks) {
    const auto module = load(device);
    EXPECT_EQ(calls("cuModuleGetFunction"), 0);
    for (int i = 0; i < 2; ++i) module->kernel(*module->kernels().front());
    EXPECT_EQ(calls("cuModuleGetFunction"), 1);
}

TEST_F(CudaKernels, AreLookedUpAgainAfterTheDriverFailed) {
    const auto module = load(device);
    fail("cuModuleGetFunction", Status::OutOfMemory);
    EXPECT_THROW(module->kernel(*module->kernels().front()), OutOfMemoryError);
    EXPECT_EQ(Kernel(module->kernel(*module->kernels().front())).attributes().num_regs, 32u);
}

TEST_F(CudaKernels, TellTheirAttributes) {
    const KernelAttributes attributes = make_kernel().attributes();
    EXPECT_EQ(attributes.num_regs, 32u);
    EXPECT_EQ(attributes.ptx_version, 90u);
    EXPECT_EQ(attributes.binary_version, 90u);
    EXPECT_EQ(attributes.max_dynamic_shared_bytes, 227u << 10);
    EXPECT_FALSE(attributes.caches_globals_in_l1);
}

TEST_F(CudaKernels, AskTheDriverForOccupancy) {
    const Kernel kernel = make_kernel();
    EXPECT_EQ(kernel.occupancy(256), 8u);
    EXPECT_EQ(kernel.occupancy(256, 100 << 10), 2u);
    EXPECT_EQ(kernel.occupancy(2048), 0u);
    EXPECT_EQ(kernel.occupancy(256, 300 << 10), 0u);
    EXPECT_EQ(kernel.suggested_block_size(), 512u);
    EXPECT_EQ(kernel.cover(1025).grid, Dim3(3));
}

TEST_F(CudaKernels, TakeHints) {
    const Kernel kernel = make_kernel();
    kernel.prefer_cache(CachePreference::Shared);
    kernel.set_shared_carveout(-1);
    EXPECT_EQ(calls("cuFuncSetCacheConfig"), 1);
    EXPECT_THROW(kernel.set_shared_carveout(101), ArgumentError);
}

TEST_F(CudaKernels, RefuseCooperativeLaunchesThatDoNotFit) {
    EXPECT_EQ(make_kernel().max_cooperative_blocks(256), 32u);
    EXPECT_THAT(
        refusal<LaunchError>({.grid = {11, 3}, .block = 256, .cooperative = true}),
        AllOf(HasSubstr("(11, 3, 1) blocks of 256 threads is too large"),
              HasSubstr("cuda:0 runs 32 such blocks at the same time, 8 on each of its 4")));
    EXPECT_EQ(calls("cuLaunchKernelEx"), 0);
    make_kernel()({.grid = {8, 4}, .block = 256, .cooperative = true});
    EXPECT_EQ(calls("cuLaunchKernelEx"), 1);
}

TEST_F(CudaKernels, LaunchClusters) {
    make_kernel()({.grid = 32, .block = 64, .cluster = 16});
    EXPECT_EQ(calls("cuOccupancyMaxActiveClusters"), 1);
    EXPECT_EQ(calls("cuLaunchKernelEx"), 1);
}

TEST_F(CudaKernels, RefuseClustersThatCannotBe) {
    EXPECT_THAT(refusal<LaunchError>({.grid = 30, .block = 64, .cluster = 4}),
                HasSubstr("the grid is 30 in x, which is no multiple of the cluster's 4"));
    EXPECT_THAT(
        refusal<LaunchError>({.grid = 32, .block = 64, .cluster = Dim3(8, 4)}),
        HasSubstr("cluster of (8, 4, 1) blocks is asked for, but cuda:0 allows at most 16"));
    EXPECT_THAT(refusal<ArgumentError>({.grid = 32, .block = 64, .cluster = Dim3(2, 0)}),
                HasSubstr("the cluster is (2, 0, 1), but its y must be at least 1"));
    EXPECT_THAT(refusal<LaunchError>({.grid = 32, .block = 64, .shared = 220 << 10, .cluster = 16}),
                HasSubstr("does not fit cuda:0"));
}

TEST_F(CudaKernels, KeepTheClusterThatTheyWereCompiledFor) {
    ::setenv("FAKE_CUDA_CLUSTER", "2", 1);
    EXPECT_EQ(make_kernel().attributes().cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
    EXPECT_THAT(
        refusal<LaunchError>({.grid = 4, .block = 64, .cluster = 4}),
        HasSubstr("the cluster is (4, 1, 1), but the kernel has __cluster_dims__(2, 1, 1)"));
    EXPECT_THAT(refusal<LaunchError>({.grid = 3, .block = 64}), HasSubstr("no multiple"));
    make_kernel()({.grid = 4, .block = 64});
    ::unsetenv("FAKE_CUDA_CLUSTER");
    EXPECT_EQ(calls("cuLaunchKernelEx"), 1);
}

TEST_F(CudaKernels, StartEarlyWhereTheyMay) {
    make_kernel()({.grid = 1, .block = 64, .programmatic = true});
    EXPECT_EQ(calls("cuLaunchKernelEx"), 1);
}

TEST_F(CudaKernels, RefuseMoreSharedMemoryThanThereIs) {
    EXPECT_THAT(refusal<LaunchError>({.grid = 1, .block = 64, .shared = 228 << 10}),
                AllOf(HasSubstr("needs 233472 bytes"), HasSubstr("cuda:0 has 232448")));
}

class CudaLoading : public OnFakeCuda {
  protected:
    static std::string failure(Status status) {
        fail("cuModuleLoadDataEx", status);
        try {
            load(Device("cuda:0"));
        } catch (const DeviceError& error) {
            return error.what();
        }
        return "nothing was thrown";
    }
};

TEST_F(CudaLoading, SaysWhenTheDriverIsTooOld) {
    EXPECT_THAT(failure(Status::UnsupportedPtxVersion),
                AllOf(HasSubstr("supports CUDA 12.8"), HasSubstr("update the driver"),
                      HasSubstr("nvidia-cuda-nvrtc-cu12")));
}

TEST_F(CudaLoading, SaysWhenTheCodeIsForAnotherGpu) {
    EXPECT_THAT(failure(Status::NoBinaryForGpu),
                AllOf(HasSubstr("ptx for sm_90"), HasSubstr("does not suit this GPU")));
}

TEST_F(CudaLoading, SaysWhenTheDriverHasNoCompiler) {
    EXPECT_THAT(failure(Status::JitCompilerNotFound), HasSubstr("libnvidia-ptxjitcompiler.so.1"));
}

class CudaAttributes : public OnFakeCuda {
  protected:
    const Device device{"cuda:0"};
};

TEST_F(CudaAttributes, AreThoseOfTheDriver) {
    EXPECT_EQ(device.attribute("max_shared_memory_per_block_optin"), 227 << 10);
    EXPECT_EQ(device.attribute("l2_cache_size"), 50 << 20);
    EXPECT_EQ(device.info().l2_cache_bytes, 50u << 20);
    EXPECT_EQ(device.info().limits.max_cluster_blocks, 16u);
}

TEST_F(CudaAttributes, SayWhatTheDriverDoesNotTell) {
    EXPECT_THROW(device.attribute("max_pitch"), UnsupportedError);
}

TEST_F(CudaAttributes, AreRefusedWhenTheyAreNone) {
    try {
        device.attribute("l2_cache_sice");
        FAIL() << "nothing was thrown";
    } catch (const ArgumentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'l2_cache_size'?"));
    }
}

}  // namespace
}  // namespace warpwise::cuda
