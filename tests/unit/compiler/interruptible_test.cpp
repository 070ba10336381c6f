// Compiles that their caller leaves.
#include "src/compiler/interruptible.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>

#include "src/base/thread_pool.hpp"
#include "warpwise/error.hpp"
#include "warpwise/output.hpp"

namespace warpwise::compiler {
namespace {

class Interruptible : public ::testing::Test {
  protected:
    ~Interruptible() override { set_interrupt_handler({}); }
};

TEST_F(Interruptible, ReturnsWhatTheCompileReturns) {
    set_interrupt_handler([] { return false; });
    const Program program = run_interruptibly("k.cu", [] { return Program{.target = "x"}; });
    EXPECT_EQ(program.target, "x");
}

TEST_F(Interruptible, ThrowsWhatTheCompileThrows) {
    set_interrupt_handler([] { return false; });
    EXPECT_THROW(run_interruptibly("k.cu", []() -> Program { throw DeviceError("full"); }),
                 DeviceError);
}

TEST_F(Interruptible, LeavesACompileThatNoticesAtItsNextStep) {
    set_interrupt_handler([] { return true; });
    const auto noticed = std::make_shared<std::promise<void>>();
    const auto endless = [noticed]() -> Program {
        while (!abandoned_flag()->load()) std::this_thread::yield();
        noticed->set_value();
        return {};
    };
    try {
        run_interruptibly("k.cu", endless);
        FAIL();
    } catch (const Interrupted& error) {
        EXPECT_EQ(std::string(error.what()), "interrupted: 'k.cu' was being compiled");
    }
    noticed->get_future().wait();
}

TEST_F(Interruptible, StaysOnItsThreadWithoutAHandler) {
    const auto here = std::this_thread::get_id();
    run_interruptibly("k.cu", [&] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_EQ(abandoned_flag(), nullptr);
        return Program{};
    });
}

// A compile that requests another: only the first has a caller to interrupt.
TEST_F(Interruptible, StaysOnAThreadOfTheLibrary) {
    set_interrupt_handler([] { return false; });
    run_interruptibly("k.cu", [] {
        const auto there = std::this_thread::get_id();
        EXPECT_TRUE(is_library_thread());
        run_interruptibly("header", [there] {
            EXPECT_EQ(std::this_thread::get_id(), there);
            return Program{};
        });
        return Program{};
    });
}

}  // namespace
}  // namespace warpwise::compiler
