// On a GPU groups are interpreted at first and compiled in the background: by the fake driver and a
// fake NVRTC, which compute nothing. A program of its own, for both are set before anything else.
#include <chrono>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>

#include "src/base/file.hpp"
#include "src/codegen/fused.hpp"
#include "src/codegen/interpret/gpu_interpreter.hpp"
#include "src/codegen/interpret/interpreter_file.hpp"
#include "src/codegen/tiered.hpp"
#include "src/compiler/service_library.hpp"
#include "src/runtime/binary_support.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "tests/unit/codegen/sample_groups.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::codegen {
namespace {

using Ops = interpret::GpuInterpreter::Ops;

// x + x * scalar ... of `operations` additions, so that each test has a group of its own.
Group chain(int operations) {
    Group group;
    const std::vector<Kind> kinds{Kind::Float32};
    BodyBuilder make(group.body, kinds, kinds);
    const ir::ValueId x = make.input(0), factor = make.scalar(0);
    ir::ValueId value = x;
    for (int i = 0; i < operations; ++i) {
        value = make.op(i % 2 == 0 ? ir::Op::Add : ir::Op::Multiply, {value, factor});
    }
    group.inputs = {{Kind::Float32}};
    group.scalars = kinds;
    group.stores.push_back({{Kind::Float32}, value});
    return group;
}

class GpuTier : public cuda::OnFakeCuda {
  protected:
    GpuTier() : context_(Device("cuda:0").context()) {}

    void load() {
        const auto interpreter = interpret::GpuInterpreter::of(context_, Ops::Exact);
        ASSERT_NE(interpreter, nullptr) << "the PTX is missing beside this program";
        interpreter->load(context_);
    }
    void launch(Fused& fused, std::int64_t points) {
        Binding binding;
        binding.extents = {points};
        const auto bytes = static_cast<std::size_t>(std::min<std::int64_t>(points, 1024)) * 4;
        const Buffer x = mem_alloc(bytes), y = mem_alloc(bytes);
        binding.inputs = {{runtime::address_of(x), {}}};
        binding.stores = {{runtime::address_of(y), {}}};
        binding.scalars = {Scalar(2)};
        binding.buffers = {&x.state(), &y.state()};
        fused.launch(*context_.default_stream(), binding);
        context_.synchronize();
    }
    static bool becomes_compiled(const Fused& fused) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!fused.is_compiled() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return fused.is_compiled();
    }

    const DeviceScope scope_{Device("cuda:0")};
    runtime::Context& context_;
};

// First of all: it is what finds the interpreter not loaded.
TEST_F(GpuTier, IsLoadedInTheBackground) {
    const auto interpreter = interpret::GpuInterpreter::of(context_, Ops::Exact);
    ASSERT_NE(interpreter, nullptr) << "the PTX is missing beside this program";
    const Group group = chain(1);
    for (int asked = 0; asked < 4 && !interpreter->is_loaded(); ++asked) {
        EXPECT_EQ(Fused::find(group, context_), nullptr);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!interpreter->is_loaded() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto fused = Fused::find(group, context_);
    ASSERT_NE(fused, nullptr);
    EXPECT_FALSE(fused->is_compiled());
    EXPECT_EQ(Fused::find(group, context_, true), nullptr) << "graphs hold kernels";
}

TEST_F(GpuTier, LaunchesOneKernelForEachRunAndCompilesAfterTheThird) {
    load();
    const int loads = calls("cuModuleLoadDataEx");
    const auto fused = Fused::find(chain(2), context_);
    ASSERT_NE(fused, nullptr);
    const int launches = calls("cuLaunchKernel");
    for (int run = 0; run < 2; ++run) launch(*fused, 1000);
    EXPECT_EQ(calls("cuLaunchKernel"), launches + 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(calls("cuModuleLoadDataEx"), loads) << "not yet";
    EXPECT_FALSE(fused->is_compiled());
    launch(*fused, 1000);
    EXPECT_TRUE(becomes_compiled(*fused));
    EXPECT_EQ(calls("cuModuleLoadDataEx"), loads + 1);
    launch(*fused, 1000);
    EXPECT_EQ(calls("cuLaunchKernel"), launches + 4);
    EXPECT_EQ(Fused::find(chain(2), context_, true), fused) << "now graphs may have it";
}

TEST_F(GpuTier, CompilesAtOnceWhatTakesLong) {
    load();
    const auto fused = Fused::find(chain(3), context_);
    ASSERT_NE(fused, nullptr);
    launch(*fused, std::int64_t{1} << 28);
    EXPECT_TRUE(becomes_compiled(*fused));
}

Group sine_of(Group group) {
    BodyBuilder make(group.body, group.scalars, group.scalars);
    group.stores[0].value = make.op(ir::Op::Sin, {group.stores[0].value});
    return group;
}

TEST_F(GpuTier, LeavesWhatItDoesNotInterpretToTheCompiler) {
    load();
    Group group = chain(2);
    group.inputs[0].unaligned = true;
    EXPECT_EQ(Fused::find(group, context_), nullptr);
}

// The interpreter of all ops is compiled by the same NVRTC, in the background.
TEST_F(GpuTier, InterpretsFunctionsOnceNvrtcHasCompiledThem) {
    const auto all = interpret::GpuInterpreter::of(context_, Ops::All);
    for (int group = 0; group < 16; ++group) {
        const bool was_loaded = all->is_loaded();
        const auto fused = Fused::find(sine_of(chain(5 + group)), context_);
        // It may be loaded meanwhile, for the groups of other tests.
        EXPECT_TRUE(fused == nullptr ? !was_loaded : all->is_loaded());
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!all->is_loaded() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto fused = Fused::find(sine_of(chain(80)), context_);
    ASSERT_NE(fused, nullptr);
    EXPECT_FALSE(fused->is_compiled());
    for (int run = 0; run < 3; ++run) launch(*fused, 1000);
    EXPECT_TRUE(becomes_compiled(*fused));
}

// By NVIDIA's own assembler, where it is installed.
TEST_F(GpuTier, IsCodeForEveryArchitecture) {
    const std::string path = compiler::library_folder() + "/" + interpret::kInterpreterFile;
    const std::string ptx = read_file(path);
    for (const char* word : {"fma", "approx", ".local", ".ftz"}) {
        EXPECT_EQ(ptx.find(word), ptx.npos) << word << " would change bits, or is slow";
    }
    const auto bytes = std::as_bytes(std::span(ptx));
    const runtime::LinkPart part{.name = "interpreter", .image = {bytes.begin(), bytes.end()}};
    for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
        try {
            const auto program = backend.binaries()->link({&part, 1}, {}, target);
            EXPECT_EQ(program.kernels.size(), 2U) << target;
        } catch (const DeviceError& error) {
            GTEST_SKIP() << error.what();
        }
    }
}

TEST_F(GpuTier, StaysInterpretedWhereTheKernelCannotBeLoaded) {
    load();
    const auto fused = Fused::find(chain(4), context_);
    ASSERT_NE(fused, nullptr);
    fail("cuModuleLoadDataEx", cuda::Status::InvalidImage);
    for (int run = 0; run < 3; ++run) launch(*fused, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(fused->is_compiled());
    const int launches = calls("cuLaunchKernel");
    launch(*fused, 1000);
    EXPECT_EQ(calls("cuLaunchKernel"), launches + 1);
}

}  // namespace
}  // namespace warpwise::codegen

int main(int count, char** words) {
    ::setenv("WARPWISE_CUDA_DRIVER", FAKE_CUDA, 1);
    ::setenv("WARPWISE_NVRTC", FAKE_NVRTC, 1);
    ::setenv("WARPWISE_CACHE_SIZE", "0", 1);
    ::setenv("WARPWISE_TIER", "auto", 1);
    testing::InitGoogleMock(&count, words);
    return RUN_ALL_TESTS();
}
