// The CPU device in a forked child, with and without work in flight in the parent.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/sanitizers.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using runtime::Wait;

void add_one(ThreadState*, const std::byte* arguments) {
    __atomic_fetch_add(argument<int*>(arguments, 0), 1, __ATOMIC_RELAXED);
}

// Runs `body` in a forked child; its result there is the child's exit code, -1 for a signal.
int in_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // a child that hangs fails
        testing_support::pass_over_races();
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_grid(runtime::Queue& queue) {
    HandKernel kernel("add_one", add_one, kFibers);
    int count = 0;
    launch(queue, kernel, {50, 1, 1}, {2, 1, 1}, pack(&count));
    return queue.is_done(Wait::Yes) ? count : -2;
}

TEST(Fork, ChildHasAWorkingDevice) {
    const auto queue = new_queue();
    EXPECT_EQ(run_grid(*queue), 100);
    EXPECT_EQ(in_child([&] { return run_grid(*queue); }), 100);
    EXPECT_EQ(in_child([] { return run_grid(*new_queue()); }), 100);
    EXPECT_EQ(run_grid(*queue), 100);
}

TEST(Fork, ChildForgetsTheWorkItsParentHadInFlight) {
    const auto queue = new_queue();
    const auto event = new_event();
    std::atomic<bool> release = false;
    int called = 0;
    queue->call_host([&] {
        while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    queue->call_host([&] { ++called; });
    queue->record(*event);
    const int child = in_child([&] {
        if (!queue->is_done(Wait::No) || !event->is_done(Wait::Yes)) return 1;
        if (run_grid(*queue) != 100) return 2;
        return called == 0 ? 0 : 3;
    });
    EXPECT_EQ(child, 0);
    EXPECT_FALSE(queue->is_done(Wait::No)) << "the parent's work goes on";
    release = true;
    finish(*queue);
    EXPECT_EQ(called, 1);
}

TEST(Fork, ChildCatchesFaultsAndCallsTheHost) {
    const int child = in_child([] {
        const auto queue = new_queue();
        HandKernel kernel(
            "wild",
            [](ThreadState*, const std::byte* arguments) {
                *argument<volatile int*>(arguments, 0) = 1;
            },
            kPlain);
        launch(*queue, kernel, {1, 1, 1}, {1, 1, 1}, pack(std::uint64_t{0x40}));
        try {
            queue->is_done(Wait::Yes);
            return 1;
        } catch (const LaunchError&) {
        }
        int called = 0;
        queue->call_host([&] { ++called; });
        queue->is_done(Wait::Yes);
        return called == 1 ? 0 : 2;
    });
    EXPECT_EQ(child, 0);
}

TEST(Fork, WorksWhileOtherThreadsUseTheDevice) {
    std::atomic<bool> stop = false;
    std::thread busy([&] {
        const auto queue = new_queue();
        while (!stop) run_grid(*queue);
    });
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(in_child([] { return run_grid(*new_queue()); }), 100);
    }
    stop = true;
    busy.join();
}

}  // namespace
}  // namespace warpwise::cpu::test
