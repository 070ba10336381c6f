// What exit() waits for, and what it destroys first.
#include "src/base/hooks/work_at_exit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <thread>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using namespace std::chrono_literals;

// Read once, when the first test ends a process.
[[maybe_unused]] const bool g_limit_is_set = setenv("WARPWISE_EXIT_WAIT", "2", 1) == 0;

constexpr int kGood = 3;
constexpr int kStateIsGone = 4;

// State of a library that its work uses, made when it first does.
struct LibraryState {
    ~LibraryState() { is_there = false; }
    std::atomic<bool> is_there = true;
};

LibraryState& library_state() {
    static LibraryState state;
    return state;
}

// A thread that uses the library for a while; returns when it has begun.
void start_work(WorkAtExit& work, std::chrono::milliseconds time) {
    std::latch begun(1);
    std::thread([&work, &begun, time] {
        const WorkAtExit::Scope scope(work);
        LibraryState& state = library_state();
        begun.count_down();
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
            if (!state.is_there) ::_exit(kStateIsGone);
        }
    }).detach();
    begun.wait();
}

TEST(WorkAtExit, KnowsThatTheProcessEndsWhenWorkIsRefused) {
    EXPECT_EXIT(
        {
            if (WorkAtExit::is_process_ending()) ::_exit(kStateIsGone);
            static WorkAtExit& waited_for = *new WorkAtExit;
            static WorkAtExit& refusing = *new WorkAtExit;  // the newest is the first to be closed
            std::latch begun(1);
            std::thread([&begun] {
                const WorkAtExit::Scope scope(waited_for);
                begun.count_down();
                while (refusing.try_begin()) refusing.end();
                ::_exit(WorkAtExit::is_process_ending() ? kGood : kStateIsGone);
            }).detach();
            begun.wait();
            std::exit(0);
        },
        testing::ExitedWithCode(kGood), "");
}

TEST(WorkAtExit, IsWaitedForBeforeWhatItUsesIsDestroyed) {
    EXPECT_EXIT(
        {
            start_work(*new WorkAtExit, 200ms);
            std::exit(kGood);
        },
        testing::ExitedWithCode(kGood), "");
}

TEST(WorkAtExit, OfEveryObjectIsWaitedFor) {
    EXPECT_EXIT(
        {
            auto* const first = new WorkAtExit;
            start_work(*new WorkAtExit, 50ms);
            start_work(*first, 200ms);
            std::exit(kGood);
        },
        testing::ExitedWithCode(kGood), "");
}

TEST(WorkAtExit, ThatTakesLongerThanTheSettingKeepsItsState) {
    EXPECT_EXIT(
        {
            start_work(*new WorkAtExit, 60s);
            std::exit(kGood);
        },
        testing::ExitedWithCode(kGood), "");
}

// Whether work is refused once the process ends, and how.
void check_refusals(int, void* work) {
    auto& ended = *static_cast<WorkAtExit*>(work);
    const bool may_begin = ended.try_begin();
    bool has_thrown = false;
    try {
        ended.begin();
    } catch (const DeviceError&) {
        has_thrown = true;
    }
    ::_exit(!may_begin && has_thrown ? kGood : kStateIsGone);
}

TEST(WorkAtExit, DoesNotBeginOnceTheProcessEnds) {
    EXPECT_EXIT(
        {
            auto* const work = new WorkAtExit;
            ::on_exit(&check_refusals, work);
            std::exit(kGood);
        },
        testing::ExitedWithCode(kGood), "");
}

TEST(WorkAtExit, OfAParentIsNotWaitedForByItsChild) {
    WorkAtExit& work = *new WorkAtExit;
    work.begin();
    EXPECT_EXIT(std::exit(kGood), testing::ExitedWithCode(kGood), "");
    work.end();
}

}  // namespace
}  // namespace warpwise
