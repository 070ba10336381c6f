// InlineMutex: what Mutex leaves to the system's.
#include "src/base/mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace warpwise {
namespace {

TEST(InlineMutex, LetsOneThreadInAtATime) {
    constexpr int kThreads = 8, kTurns = 50'000;
    InlineMutex mutex;
    long count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < kTurns; ++i) {
                const InlineLock lock(mutex);
                ++count;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(count, long{kThreads} * kTurns);
}

// The holder sleeps, so that all the others do: each must be woken.
TEST(InlineMutex, WakesEverybodyWhoSleeps) {
    InlineMutex mutex;
    int done = 0;
    std::vector<std::thread> threads;
    {
        const InlineLock lock(mutex);
        for (int t = 0; t < 6; ++t) {
            threads.emplace_back([&] {
                const InlineLock inner(mutex);
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ++done;
            });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(done, 6);
}

}  // namespace
}  // namespace warpwise
