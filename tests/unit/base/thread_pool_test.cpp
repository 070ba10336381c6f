// The thread pool: every piece once, in order of claims, with and without helpers.
#include "src/base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
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
ThreadPool& new_pool(unsigned size, unsigned width = ~0u) {
    static auto* const pools = new std::vector<ThreadPool*>;
    return *pools->emplace_back(new ThreadPool(size, width));
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

TEST(ThreadPool, ARunningJobClaimsNoPieceOfOthersRanges) {
    ThreadPool& pool = new_pool(3);
    GreedyJob job(pool, 1000);
    pool.submit(job, 1000, 0, ThreadPool::Order::Any);
    ASSERT_TRUE(job.wait());
    for (auto& runs : job.runs) ASSERT_EQ(runs, 1);
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
    ThreadPool& pool = new_pool(2);
    CountingJob job(pool, 1000);
    std::atomic<bool> is_released = false;
    std::atomic<int> of_workers = 0;
    int helped = 0;
    const auto helper = std::this_thread::get_id();
    const auto deadline = Clock::now() + std::chrono::milliseconds(50);
    job.body = [&](std::uint64_t) {
        if (std::this_thread::get_id() == helper) {
            ++helped;
            while (Clock::now() < deadline) std::this_thread::yield();
        } else {
            ++of_workers;
            while (!is_released) std::this_thread::yield();
        }
    };
    pool.submit(job, 1000);
    EXPECT_FALSE(pool.help_until([] { return false; }, deadline));
    EXPECT_LE(helped, 1);
    // What it leaves is the workers'.
    const auto limit = Clock::now() + std::chrono::seconds(20);
    while (of_workers == 0 && Clock::now() < limit) std::this_thread::yield();
    is_released = true;
    EXPECT_TRUE(job.wait());
    for (auto& runs : job.runs) ASSERT_EQ(runs, 1);
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

void spin_for(std::chrono::microseconds time) {
    const auto end = Clock::now() + time;
    while (Clock::now() < end) continue;
}

// The threads that have run pieces of a job.
class Threads {
  public:
    void add() {
        const std::lock_guard lock(mutex_);
        ids_.insert(std::this_thread::get_id());
    }
    std::size_t count() {
        const std::lock_guard lock(mutex_);
        return ids_.size();
    }

  private:
    std::mutex mutex_;
    std::set<std::thread::id> ids_;
};

TEST(ThreadPool, RunsEveryPieceOnceWhateverTheForecast) {
    ThreadPool& pool = new_pool(4);
    std::mt19937 random(std::random_device{}());
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t pieces = 1 + random() % (round % 2 == 0 ? 20 : 5000);
        const double forecast = std::exp(std::uniform_real_distribution(-3.0, 12.0)(random));
        CountingJob job(pool, pieces);
        const auto slow = random() % pieces;
        job.body = [&](std::uint64_t piece) {
            if (piece == slow) spin_for(std::chrono::microseconds(100));
        };
        const auto order =
            random() % 2 == 0 ? ThreadPool::Order::Any : ThreadPool::Order::Ascending;
        pool.submit(job, pieces, round % 7 == 0 ? 0 : forecast, order);
        if (round % 3 == 0) std::this_thread::yield();
        ASSERT_TRUE(job.wait());
        for (auto& runs : job.runs)
            ASSERT_EQ(runs, 1) << pieces << " pieces, forecast " << forecast;
    }
}

// Pieces sleep, so that no more processors are needed than there are.
TEST(ThreadPool, GivesAThreadTheSamePartOfEachJob) {
    ThreadPool& pool = new_pool(4);
    constexpr std::uint64_t kPieces = 40;
    std::vector<std::thread::id> before(kPieces), now(kPieces);
    std::uint64_t same = 0;
    constexpr std::uint64_t kRounds = 10;
    for (std::uint64_t round = 0; round <= kRounds; ++round) {
        CountingJob job(pool, kPieces);
        job.body = [&](std::uint64_t piece) {
            now[piece] = std::this_thread::get_id();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        pool.submit(job, kPieces, 1e6, ThreadPool::Order::Any);
        while (!job.is_finished) std::this_thread::yield();
        for (std::uint64_t i = 0; round > 0 && i < kPieces; ++i) same += now[i] == before[i];
        before = now;
    }
    // Of pieces claimed in order, each of four threads would have a quarter again by chance.
    EXPECT_GT(same, kRounds * kPieces / 2);
}

// More jobs than there are ranges for, each with a piece that ends when all have begun.
TEST(ThreadPool, RunsManyJobsOfAnyOrderAtOnce) {
    ThreadPool& pool = new_pool(8);
    constexpr int kJobs = 8;
    std::vector<std::unique_ptr<CountingJob>> jobs;
    std::atomic<int> begun = 0;
    for (int i = 0; i < kJobs; ++i) {
        jobs.push_back(std::make_unique<CountingJob>(pool, 100));
        jobs.back()->body = [&](std::uint64_t piece) {
            if (piece == 0) ++begun;
            while (piece == 99 && begun < kJobs) std::this_thread::yield();
        };
    }
    for (int round = 0; round < 20; ++round) {
        begun = 0;
        for (const auto& job : jobs) {
            job->is_finished = false;
            pool.submit(*job, 100, 1e4, ThreadPool::Order::Any);
        }
        for (const auto& job : jobs) ASSERT_TRUE(job->wait());
    }
    for (const auto& job : jobs) {
        for (auto& runs : job->runs) ASSERT_EQ(runs, 20);
    }
}

// Not always: a thread that the system interrupts in a piece calls others.
TEST(ThreadPool, RunsOnOneThreadWhatIsForecastToBeShort) {
    ThreadPool& pool = new_pool(4);
    int alone = 0;
    for (int round = 0; round < 100; ++round) {
        CountingJob job(pool, 64);
        pool.submit(job, 64, 10);
        ASSERT_TRUE(job.wait());
        alone += job.was_alone() ? 1 : 0;
    }
    EXPECT_GE(alone, 20);
}

TEST(ThreadPool, CallsOthersForWhatTakesLongerThanForecast) {
    ThreadPool& pool = new_pool(4);
    Threads threads;
    CountingJob job(pool, 64);
    std::atomic<bool> has_company = false;
    const auto limit = Clock::now() + std::chrono::seconds(20);
    job.body = [&](std::uint64_t piece) {
        threads.add();
        if (threads.count() > 1) has_company = true;
        if (piece == 0) spin_for(std::chrono::milliseconds(2));
        while (piece > 0 && !has_company && Clock::now() < limit) std::this_thread::yield();
    };
    pool.submit(job, 64, 1);
    ASSERT_TRUE(job.wait());
    EXPECT_GE(threads.count(), 2u);
    EXPECT_FALSE(job.was_alone());
}

TEST(ThreadPool, CallsAllWorkersWhereNothingIsKnown) {
    ThreadPool& pool = new_pool(4);
    Threads threads;
    CountingJob job(pool, 4);
    const auto limit = Clock::now() + std::chrono::seconds(20);
    job.body = [&](std::uint64_t) {
        threads.add();
        while (threads.count() < 3 && Clock::now() < limit) std::this_thread::yield();
    };
    pool.submit(job, 4);
    ASSERT_TRUE(job.wait());
    EXPECT_GE(threads.count(), 3u);
}

TEST(ThreadPool, GivesAJobNoMoreMembersThanItsWidth) {
    ThreadPool& pool = new_pool(6);
    ThreadPool& narrow = new_pool(6, 2);
    for (ThreadPool* one : {&pool, &narrow}) {
        std::atomic<int> now = 0, most = 0;
        CountingJob job(*one, 200);
        job.body = [&](std::uint64_t) {
            const int here = ++now;
            for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) continue;
            spin_for(std::chrono::microseconds(200));
            --now;
        };
        one->submit(job, 200);
        const auto limit = Clock::now() + std::chrono::seconds(20);
        while (!job.is_finished && Clock::now() < limit) std::this_thread::yield();
        EXPECT_LE(most, one == &narrow ? 2 : 6);
    }
}

TEST(ThreadPool, KnowsHowLongPiecesHaveTaken) {
    ThreadPool& pool = new_pool(2);
    CountingJob job(pool, 20);
    job.body = [](std::uint64_t) { spin_for(std::chrono::microseconds(500)); };
    pool.submit(job, 20);
    ASSERT_TRUE(job.wait());
    EXPECT_GE(job.piece_time(), 500e3);
}

// Submits itself again and again from finished().
class ChainedJob : public CountingJob {
  public:
    ChainedJob(ThreadPool& pool, std::uint64_t pieces, int links)
        : CountingJob(pool, pieces), pieces_(pieces), links_(links) {}
    void finished() noexcept override {
        if (--links_ == 0) return CountingJob::finished();
        pool_.submit(*this, pieces_, 10, order);
    }

    ThreadPool::Order order = ThreadPool::Order::Ascending;

  private:
    const std::uint64_t pieces_;
    int links_;
};

TEST(ThreadPool, RunsAChainOfShortJobsOnOneThread) {
    ThreadPool& pool = new_pool(4);
    ChainedJob job(pool, 8, 1000);
    int changes = 0;
    std::thread::id last;
    job.body = [&](std::uint64_t piece) {
        if (piece != 0) return;
        changes += std::this_thread::get_id() != last ? 1 : 0;
        last = std::this_thread::get_id();
    };
    pool.submit(job, 8, 10);
    const auto limit = Clock::now() + std::chrono::seconds(20);
    while (!job.is_finished && Clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(job.is_finished);
    EXPECT_LT(changes, 100);
    for (auto& runs : job.runs) EXPECT_EQ(runs, 1000);
}

void leave_for_a_brief_job(ThreadPool& pool, ThreadPool::Order order) {
    CountingJob lengthy(pool, 1000), brief(pool, 1);
    std::atomic<bool> has_started = false;
    lengthy.body = [&](std::uint64_t) {
        has_started = true;
        spin_for(std::chrono::microseconds(200));
    };
    pool.submit(lengthy, 1000, 0, order);
    while (!has_started) std::this_thread::yield();
    pool.submit(brief, 1, 100);
    const auto limit = Clock::now() + std::chrono::seconds(20);
    while (!brief.is_finished && Clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(brief.is_finished);
    EXPECT_FALSE(lengthy.is_finished);
    EXPECT_TRUE(lengthy.wait());
    for (auto& runs : lengthy.runs) ASSERT_EQ(runs, 1);
}

TEST(ThreadPool, LeavesALongJobForOneThatNobodyRuns) {
    leave_for_a_brief_job(new_pool(1), ThreadPool::Order::Ascending);
    leave_for_a_brief_job(new_pool(2), ThreadPool::Order::Any);
}

TEST(ThreadPool, ChainsOfManyThreadsEndWithEveryPieceRun) {
    ThreadPool& pool = new_pool(4);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 20; ++round) {
                ChainedJob job(pool, 1 + 37 * t, 10);
                job.body = [t](std::uint64_t) { spin_for(std::chrono::microseconds(t)); };
                if (t % 3 == 0) job.order = ThreadPool::Order::Any;
                pool.submit(job, 1 + 37 * t, t % 2 == 0 ? 0 : 100, job.order);
                if (!job.wait()) continue;
                right += std::all_of(job.runs.begin(), job.runs.end(),
                                     [](const auto& runs) { return runs == 10; });
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 120);
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
