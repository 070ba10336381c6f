// The thread pool: every piece once, in order of claims, with and without helpers.
#include "src/base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "src/base/processors.hpp"

namespace warpwise {
namespace {

using Clock = ThreadPool::Clock;

class CountingJob : public ThreadPool::Job {
  public:
    CountingJob(ThreadPool& pool, std::uint64_t pieces) : pool_(pool), runs(pieces) {}
    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        for (auto i = begin; i < end; ++i) {
            if (body) body(i);
            ++runs[i];
        }
    }
    void finished() noexcept override {
        ThreadPool& pool = pool_;  // the job may be gone once it says so
        is_finished = true;
        pool.notify_helpers();
    }
    bool wait(std::chrono::seconds limit = std::chrono::seconds(20)) {
        return pool_.help_until([this] { return is_finished.load(); }, Clock::now() + limit);
    }

    std::function<void(std::uint64_t)> body;
    ThreadPool& pool_;
    std::vector<std::atomic<int>> runs;
    std::atomic<bool> is_finished = false;
};

// Pools are never destroyed (their workers have no end): tests keep theirs where LeakSanitizer sees
// them.
ThreadPool& new_pool(unsigned size) {
    static auto* const pools = new std::vector<ThreadPool*>;
    return *pools->emplace_back(new ThreadPool(size));
}

TEST(ThreadPool, RunsEveryPieceOnce) {
    ThreadPool& pool = new_pool(3);
    for (std::uint64_t pieces : {1, 2, 7, 1000, 12345}) {
        CountingJob job(pool, pieces);
        pool.submit(job, pieces);
        ASSERT_TRUE(job.wait());
        for (auto& runs : job.runs) ASSERT_EQ(runs, 1);
    }
}

// Claims more pieces for itself while it runs its own, as kernels whose blocks wait for each other.
class GreedyJob : public CountingJob {
  public:
    using CountingJob::CountingJob;
    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        CountingJob::run(begin, end);
        std::uint64_t piece = 0;
        while (claim(piece)) CountingJob::run(piece, piece + 1);
    }
};

TEST(ThreadPool, ARunningJobClaimsEveryPieceThatIsLeftOnce) {
    ThreadPool& pool = new_pool(3);
    for (std::uint64_t pieces : {1, 2, 7, 1000}) {
        GreedyJob job(pool, pieces);
        pool.submit(job, pieces);
        ASSERT_TRUE(job.wait());
        for (auto& runs : job.runs) ASSERT_EQ(runs, 1);
    }
}

TEST(ThreadPool, FinishesWithoutAHelper) {
    ThreadPool& pool = new_pool(1);
    CountingJob job(pool, 100);
    pool.submit(job, 100);
    const auto limit = Clock::now() + std::chrono::seconds(20);
    while (!job.is_finished && Clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(job.is_finished);
}

TEST(ThreadPool, StartsAPieceOnlyWhenAllLowerOnesAreClaimed) {
    ThreadPool& pool = new_pool(2);
    constexpr std::uint64_t kPieces = 5000;
    CountingJob job(pool, kPieces);
    std::vector<std::atomic<bool>> started(kPieces);
    job.body = [&](std::uint64_t i) {
        started[i] = true;
        // A look-back scan spins like this: it ends only if the predecessor gets its turn.
        while (i > 0 && !started[i - 1]) std::this_thread::yield();
    };
    pool.submit(job, kPieces);
    EXPECT_TRUE(job.wait());
}

TEST(ThreadPool, RunsTwoJobsAtOnce) {
    ThreadPool& pool = new_pool(2);
    CountingJob first(pool, 1);
    CountingJob second(pool, 1);
    std::atomic<bool> flag = false;
    first.body = [&](std::uint64_t) {
        while (!flag) std::this_thread::yield();
    };
    second.body = [&](std::uint64_t) { flag = true; };
    pool.submit(first, 1);
    pool.submit(second, 1);
    EXPECT_TRUE(first.wait());
    EXPECT_TRUE(second.wait());
}

TEST(ThreadPool, HelpersGiveUpAtTheirDeadline) {
    ThreadPool& pool = new_pool(1);
    EXPECT_FALSE(
        pool.help_until([] { return false; }, Clock::now() + std::chrono::milliseconds(5)));
}

TEST(ThreadPool, AHelperWhoseTimeIsOverTakesNoMorePieces) {
    ThreadPool& pool = new_pool(1);
    CountingJob job(pool, 1000);
    std::atomic<int> of_workers = 0;
    std::atomic<bool> is_released = false;
    int helped = 0;
    const auto helper = std::this_thread::get_id();
    Clock::time_point deadline;
    job.body = [&](std::uint64_t) {
        if (std::this_thread::get_id() == helper) {
            ++helped;
            while (Clock::now() < deadline) std::this_thread::yield();
        } else if (++of_workers == 1) {
            // Pieces that take long are for many threads, one at a time.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        } else {
            while (!is_released) std::this_thread::yield();
        }
    };
    pool.submit(job, 1000);
    while (of_workers < 2) std::this_thread::yield();
    deadline = Clock::now() + std::chrono::milliseconds(50);
    EXPECT_FALSE(pool.help_until([] { return false; }, deadline));
    EXPECT_LE(helped, 1);
    is_released = true;
    EXPECT_TRUE(job.wait());
}

TEST(ThreadPool, TakesJobsFromManyThreads) {
    ThreadPool& pool = new_pool(2);
    std::vector<std::thread> threads;
    std::atomic<int> completed = 0;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                CountingJob job(pool, 20);
                pool.submit(job, 20);
                if (job.wait()) ++completed;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(completed, 400);
}

TEST(Processors, AreAtLeastOne) {
    EXPECT_GE(usable_processors(), 1u);
}

TEST(Processors, ReadACgroupQuotaAsWholeProcessors) {
    EXPECT_EQ(parse_cpu_max("200000 100000\n"), 2u);
    EXPECT_EQ(parse_cpu_max("150000 100000\n"), 2u);
    EXPECT_EQ(parse_cpu_max("1000 100000\n"), 1u);
}

TEST(Processors, TakeAnUnlimitedOrUnreadableQuotaAsNone) {
    EXPECT_FALSE(parse_cpu_max("max 100000\n"));
    EXPECT_FALSE(parse_cpu_max(""));
    EXPECT_FALSE(parse_cpu_max("12"));
}

}  // namespace
}  // namespace warpwise
