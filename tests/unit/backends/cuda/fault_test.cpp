// A kernel's fault: who is named, and what is left. Each test runs in a process of its own, since a
// fault ends CUDA for a process.
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/backends/cuda/module/kernel.hpp"
#include "src/runtime/graphs.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::Wait;

compiler::Program program_of(std::initializer_list<const char*> kernels) {
    compiler::Program program;
    program.format = "cubin";
    program.binary.resize(16);
    for (const char* name : kernels) {
        compiler::KernelInfo info;
        info.signature.name = info.signature.symbol = name;
        program.kernels.push_back(info);
    }
    return program;
}

class CudaFaults : public OnFakeCuda {
  protected:
    CudaFaults() {
        module->extend(std::make_shared<const compiler::Program>(program_of({"one", "two"})));
    }
    void launch(const char* name) {
        queue->launch({.kernel = module->kernel(name), .grid = {1, 1, 1}, .block = {1, 1, 1}});
    }
    // Prints what is thrown and ends the process well, for EXPECT_EXIT.
    template <class Action>
    [[noreturn]] void report(Action&& action) {
        try {
            action();
        } catch (const LaunchError& error) {
            std::fprintf(stderr, "LaunchError [%s] %s\n", error.kernel().c_str(), error.what());
        } catch (const DeviceError& error) {
            std::fprintf(stderr, "DeviceError %s\n", error.what());
        }
        std::_Exit(0);
    }
    void fault() {
        fail("cuStreamQuery", Status::IllegalAddress);
        queue->is_done(Wait::Yes);
    }

    std::unique_ptr<runtime::ModuleImpl> module = backend.make_module(0);
    std::unique_ptr<runtime::Queue> queue = backend.make_queue(0, {});
};

using CudaLaunches = CudaFaults;

TEST_F(CudaLaunches, LetGoOfEverythingThatHasEnded) {
    std::vector<std::weak_ptr<int>> kept;
    for (int i = 0; i < 200; ++i) {
        const auto alive = std::make_shared<int>(i);
        kept.push_back(alive);
        const std::shared_ptr<const void> keep = alive;
        queue->launch({.kernel = module->kernel("one"),
                       .grid = {1, 1, 1},
                       .block = {1, 1, 1},
                       .keep_alive = &keep});
    }
    queue->is_done(Wait::Yes);
    for (const auto& one : kept) EXPECT_TRUE(one.expired());
}

// The 64th closes a group, which is released as soon as its event has passed: not before the
// launch.
TEST_F(CudaLaunches, AreNotLetGoBeforeTheyAreQueued) {
    std::weak_ptr<int> last;
    for (int i = 0; i < 64; ++i) {
        if (i == 63) fail("cuLaunchKernel", Status::LaunchOutOfResources);
        const auto alive = std::make_shared<int>(i);
        const std::shared_ptr<const void> keep = alive;
        last = alive;
        const runtime::Launch launch{.kernel = module->kernel("one"),
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .keep_alive = &keep};
        if (i < 63) {
            queue->launch(launch);
        } else {
            EXPECT_THROW(queue->launch(launch), LaunchError);
        }
    }
    EXPECT_FALSE(last.expired());
}

TEST_F(CudaFaults, NameTheOnlyKernelThatRan) {
    const auto run = [this] {
        launch("two");
        report([this] { fault(); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                "LaunchError .two. two failed on cuda:0.*ILLEGAL");
}

TEST_F(CudaFaults, NameAllKernelsThatMayHaveFailed) {
    const auto run = [this] {
        launch("one");
        launch("two");
        report([this] { fault(); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "LaunchError .. one of these .*one.*two");
}

TEST_F(CudaFaults, NameTheKernelsOfAGraph) {
    const auto run = [this] {
        auto record = std::make_shared<runtime::GraphRecord>();
        record->version = 1;
        for (const char* name : {"one", "two"}) {
            auto step = std::make_shared<runtime::GraphStep>();
            runtime::KernelImpl* const kernel = module->kernel(name);
            step->operation =
                runtime::Launch{.kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}};
            record->steps.push_back(std::move(step));
            record->kernels.push_back(kernel);
        }
        record->order = std::make_shared<runtime::StepOrder>(record->steps.size());
        const std::shared_ptr<runtime::GraphImpl> graph = backend.graphs()->make_graph(0, *record);
        graph->launch(*queue, *record, record);
        report([this] { fault(); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "LaunchError .. one of these .*one.*two");
}

TEST_F(CudaFaults, DoNotNameWhatHasEnded) {
    const auto run = [this] {
        launch("one");
        queue->is_done(Wait::Yes);
        launch("two");
        report([this] { fault(); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "LaunchError .two. two failed");
}

TEST_F(CudaFaults, OfEveryKindAreTheKernels) {
    struct Row {
        Status status;
        const char* says;
    };
    for (const Row& row :
         {Row{Status::MisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS.*multiple"},
          Row{Status::LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT.*display"},
          Row{Status::Assert, "CUDA_ERROR_ASSERT"},
          Row{Status::IllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
          Row{Status::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}}) {
        const auto run = [&] {
            launch("two");
            fail("cuStreamQuery", row.status);
            report([this] { queue->is_done(Wait::Yes); });
        };
        EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                    std::string("LaunchError .two. two failed on cuda:0.*") + row.says);
    }
}

TEST_F(CudaFaults, OfTheGpuItselfNameNoKernel) {
    struct Row {
        Status status;
        const char* name;
    };
    for (const Row& row : {Row{Status::EccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                           Row{Status::NvlinkUncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
                           Row{Status::Contained, "CUDA_ERROR_CONTAINED"},
                           Row{Status::DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                           Row{Status::ContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                           Row{Status::MpsClientTerminated, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
                           Row{Status::ExternalDevice, "CUDA_ERROR_EXTERNAL_DEVICE"}}) {
        const auto run = [&] {
            launch("two");
            fail("cuStreamQuery", row.status);
            report([this] { queue->is_done(Wait::Yes); });
        };
        EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                    std::string("DeviceError cuda:0 has failed.*") + row.name + ".*nvidia-smi");
    }
}

TEST_F(CudaFaults, OfTheGpuItselfEndItForTheProcess) {
    const auto run = [this] {
        fail("cuStreamQuery", Status::EccUncorrectable);
        try {
            queue->is_done(Wait::Yes);
        } catch (const DeviceError&) {
            report([this] { backend.allocator(0).allocate(64, runtime::MemoryKind::Device); });
        }
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                "DeviceError the context of cuda:0 is lost: cuda:0 has failed.*program again\n");
}

TEST_F(CudaFaults, AreReportedByWhicheverCallMeetsThem) {
    const auto run = [this] {
        launch("two");
        fail("cuMemAlloc", Status::IllegalAddress);
        report([this] { backend.allocator(0).allocate(64, runtime::MemoryKind::Device); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "LaunchError .two. two failed");
}

TEST_F(CudaFaults, LeaveAContextThatSaysItIsLost) {
    const auto run = [this] {
        launch("two");
        try {
            fault();
        } catch (const LaunchError&) {
            report([this] { backend.allocator(0).allocate(64, runtime::MemoryKind::Device); });
        }
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                "DeviceError the context of cuda:0 is lost: two");
}

TEST_F(CudaFaults, LetEverythingBeDestroyed) {
    const auto run = [this] {
        launch("two");
        try {
            fault();
        } catch (const LaunchError&) {
            queue.reset();
            module.reset();
            report([] {});
        }
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpwise::cuda

int main(int count, char** words) {
    ::setenv("WARPWISE_CUDA_DRIVER", FAKE_CUDA, 1);
    ::setenv("WARPWISE_CUPTI", FAKE_CUPTI, 1);
    testing::InitGoogleMock(&count, words);
    // A child that is forked without exec has no CUDA.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    return RUN_ALL_TESTS();
}
