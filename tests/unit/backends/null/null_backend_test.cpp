// The switches of the null back end that other tests rely on. That it keeps the contract is shown
// by the contract tests.
#include "src/backends/null/null_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "warpwise/error.hpp"

namespace warpwise::null {
namespace {

using runtime::CopyKind;
using runtime::MemoryKind;
using runtime::Wait;

class NullBackendTest : public testing::Test {
  protected:
    runtime::Backend& backend = null::backend();
    runtime::Allocator& memory = backend.allocator(0);
};

TEST_F(NullBackendTest, RecordsCallsInOrder) {
    const Recorder recorder;
    const auto queue = backend.make_queue(0, {});
    int from = 5, to = 0;
    queue->copy(reinterpret_cast<std::uintptr_t>(&to), reinterpret_cast<std::uintptr_t>(&from), 4,
                CopyKind::DeviceToHost);
    queue->fill(reinterpret_cast<std::uintptr_t>(&from), 1, 4, 1);
    queue->is_done(Wait::Yes);
    const auto calls = recorder.calls();
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].kind, Call::Kind::MakeQueue);
    EXPECT_EQ(calls[1].copy_kind, CopyKind::DeviceToHost);
    EXPECT_EQ(calls[2].pattern, 1u);
    EXPECT_EQ(to, 5);
    EXPECT_EQ(from, 1);
}

TEST_F(NullBackendTest, RecordsNothingWithoutARecorder) {
    memory.release(memory.allocate(16, MemoryKind::Device), 16, MemoryKind::Device);
    const Recorder recorder;
    EXPECT_THAT(recorder.calls(), testing::IsEmpty());
}

TEST_F(NullBackendTest, FailsTheNthCallOnce) {
    const auto before = allocated_bytes();
    fail_call(2, std::make_exception_ptr(DeviceError("made to fail")));
    const auto address = memory.allocate(16, MemoryKind::Device);
    EXPECT_TRUE(failure_is_pending());
    EXPECT_THROW(memory.allocate(16, MemoryKind::Device), DeviceError);
    EXPECT_FALSE(failure_is_pending());
    EXPECT_EQ(allocated_bytes(), before + 16);
    memory.release(address, 16, MemoryKind::Device);
    EXPECT_EQ(allocated_bytes(), before);
}

TEST_F(NullBackendTest, ForgetsAFailureThatIsCancelled) {
    fail_call(1, std::make_exception_ptr(DeviceError("made to fail")));
    cancel_failure();
    EXPECT_NO_THROW(backend.make_event(0, true));
}

TEST_F(NullBackendTest, HoldsWorkWhilePaused) {
    const auto queue = backend.make_queue(0, {});
    const Pause pause;
    bool has_run = false;
    queue->call_host([&] { has_run = true; });
    EXPECT_FALSE(queue->is_done(Wait::No));
    queue->is_done(Wait::Yes);
    EXPECT_TRUE(has_run);
}

TEST_F(NullBackendTest, HasAnEndToItsMemory) {
    EXPECT_THROW(memory.allocate(kTotalMemory + 1, MemoryKind::Device), OutOfMemoryError);
    EXPECT_THROW(memory.allocate(~std::size_t{0}, MemoryKind::Device), OutOfMemoryError);
    EXPECT_EQ(memory.info().total, kTotalMemory);
}

TEST_F(NullBackendTest, CompilesWithWhatItIsGiven) {
    set_compile([](const compiler::CompileRequest& request) {
        return compiler::Program{.log = request.name};
    });
    EXPECT_EQ(backend.compiler().compile({.name = "mine.cu"}).log, "mine.cu");
    set_compile({});
}

TEST_F(NullBackendTest, KeepsVariablesOverExtensions) {
    const auto module = backend.make_module(0);
    auto program = std::make_shared<compiler::Program>();
    program->globals = {{.name = "n", .symbol = "n", .size = 4}};
    module->extend(program);
    const auto address = module->global("n");
    std::memset(reinterpret_cast<void*>(address), 7, 4);
    module->extend(std::make_shared<compiler::Program>(*program));
    EXPECT_EQ(module->global("n"), address);
    EXPECT_EQ(*reinterpret_cast<const char*>(address), 7);
    EXPECT_EQ(module->global("m"), 0u);
    EXPECT_EQ(module->kernel("k"), nullptr);
}

}  // namespace
}  // namespace warpwise::null
