// A job cannot vanish under a thread that looks for work: threads join it in the list under the
// pool's mutex, or by a call from a member, which counts them before. A thread that has listed a
// job while the last piece was claimed, or has claimed the last piece of a listed one, takes it off
// the list: is_listed_ and next_ are sequentially consistent, so that one of the two notices.
#include "src/base/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <bit>
#include <system_error>
#include <thread>
#include <utility>

#include "src/base/spin_pause.hpp"
#include "src/base/workers/bounded_spin.hpp"

namespace warpwise {
namespace {

// In nanoseconds. A second member costs its caller and itself some hundred, and moves what the
// pieces touch between cores: each is to have at least so much work, and two together more.
constexpr double kWorthTwo = 7'000;
constexpr double kWorthOne = 3'000;
// What a sleeping worker costs who wakes it, and takes until it is there.
constexpr double kWorthWaking = 25'000;
// A claim under contention and the start of a run cost about a tenth of the shortest chunk. The
// longest bounds how late a member notices that something else is to be done.
constexpr double kShortestChunk = 2'000;
constexpr double kUsualChunk = 10'000;
constexpr double kLongestChunk = 50'000;
// Measured above what was forecast: the noise of one chunk.
constexpr double kNoise = 1'000;
// A job with less work left is run to its end before others.
constexpr double kSoonDone = 20'000;

// The pool's mutex is held for less than a microsecond: a thread that went to sleep for it would
// pay a hundred times that.
void lock_soon(Mutex& mutex) WARPWISE_ACQUIRE(mutex) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    for (int i = 0; i < 100; ++i) {
        if (mutex.try_lock()) return;
        spin_pause();
    }
    mutex.lock();
}

// How many pieces take so long, at least one and at most `limit`.
std::uint64_t pieces_in(double nanoseconds, double piece, std::uint64_t limit) noexcept {
    const double count = nanoseconds / piece;
    if (count >= static_cast<double>(limit)) return limit;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(count));
}

// More at once would share the cores anyway: those beyond are claimed in ascending order.
constexpr unsigned kJobsWithRanges = 4;

// The largest number up to `count` of which no digit but the first two is set, in the binary
// system: members of consecutive jobs of about the same length are then as many.
unsigned rounded(unsigned count) noexcept {
    const auto low = std::max<int>(0, static_cast<int>(std::bit_width(count)) - 2);
    return count >> low << low;
}

constexpr auto kAlways = [] { return true; };
thread_local bool t_is_library_thread = false;

}  // namespace

void start_thread_with_signals_blocked(std::function<void()> body) {
    // Its own faults it takes: a blocked SIGSEGV would kill the process.
    sigset_t mask;
    sigfillset(&mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&mask, signal);
    sigset_t previous;
    pthread_sigmask(SIG_SETMASK, &mask, &previous);
    try {
        std::thread([run = std::move(body)] {
            t_is_library_thread = true;
            run();
        }).detach();
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &previous, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

bool is_library_thread() noexcept {
    return t_is_library_thread;
}

ThreadPool::ThreadPool(unsigned size, unsigned width)
    : width_(std::clamp(width, 1u, std::max(1u, size))), slots_(std::max(1u, size)) {
    for (unsigned i = 0; i < kJobsWithRanges; ++i) {
        ranges_.push_back(std::make_unique<ClaimRanges>(width_));
    }
}

ThreadPool::Succession& ThreadPool::succession() noexcept {
    static thread_local Succession succession;
    return succession;
}

void ThreadPool::start_workers() {
    for (; started_ < size(); ++started_) {
        try {
            start_thread_with_signals_blocked([this, worker = started_] { work(worker); });
        } catch (const std::system_error&) {
            // Fewer workers than requested are enough. Without any, the threads that wait do all
            // the work, and the next submit() tries again.
            return;
        }
    }
}

void ThreadPool::submit(Job& job, std::uint64_t pieces, double forecast, Order order) {
    job.order_ = order;
    job.ranges_ = nullptr;
    job.next_.store(0, std::memory_order_relaxed);
    job.end_ = pieces;
    job.forecast_.store(static_cast<float>(forecast), std::memory_order_relaxed);
    job.wanted_.store(0, std::memory_order_relaxed);
    job.busy_.store(0, std::memory_order_relaxed);
    Succession& mine = succession();
    const bool is_next = mine.pool == this && mine.next == nullptr &&
                         open_jobs_.load(std::memory_order_relaxed) == 0;
    job.members_.store(is_next ? 1 : 0, std::memory_order_relaxed);
    if (is_next) {
        mine.next = &job;
    } else {
        enlist(job);
    }
}

// For the first that arrives.
void ThreadPool::enlist(Job& job) {
    {
        lock_soon(mutex_);
        const MutexLock lock(mutex_, std::adopt_lock);
        if (started_ == 0) start_workers();
        list(job);
    }
    call_someone();
}

void ThreadPool::list(Job& job) {
    if (!job.is_listed_.exchange(true, std::memory_order_seq_cst)) jobs_.push_back(&job);
    if (job.is_claimed()) return unlist(job);
    count_jobs();
}

void ThreadPool::unlist(Job& job) {
    if (job.is_listed_.exchange(false, std::memory_order_seq_cst)) std::erase(jobs_, &job);
    count_jobs();
}

void ThreadPool::count_jobs() {
    const auto is_waiting = [](const Job* job) {
        return job->members_.load(std::memory_order_relaxed) == 0;
    };
    const auto waiting = std::count_if(jobs_.begin(), jobs_.end(), is_waiting);
    waiting_jobs_.store(static_cast<unsigned>(waiting), std::memory_order_relaxed);
    open_jobs_.store(static_cast<unsigned>(jobs_.size()), std::memory_order_seq_cst);
}

void ThreadPool::call_someone() {
    if (slots_.call_one() || sleeping_count_.load() == 0) return;
    const MutexLock lock(mutex_);
    for (Sleeper* sleeper : sleeping_) {
        if (std::exchange(sleeper->is_called, true)) continue;
        sleeper->wake.notify_one();
        return;
    }
}

// A job that no thread runs, else the one that was joined longest ago, so that the work of
// different streams overlaps. It stays listed while it lacks members; its first member finds out
// how many.
ThreadPool::Job* ThreadPool::join_listed() {
    if (open_jobs_.load(std::memory_order_relaxed) == 0) return nullptr;
    lock_soon(mutex_);
    const MutexLock lock(mutex_, std::adopt_lock);
    if (jobs_.empty()) return nullptr;
    auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) {
        return job->members_.load(std::memory_order_relaxed) == 0;
    });
    if (found == jobs_.end()) found = jobs_.begin();
    Job& job = **found;
    const unsigned members = job.members_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (members >= job.wanted_.load(std::memory_order_relaxed)) {
        unlist(job);
    } else {
        std::rotate(found, found + 1, jobs_.end());
        count_jobs();
    }
    return &job;
}

bool ThreadPool::Job::claim(std::uint64_t& piece) noexcept {
    if (ranges_ != nullptr || is_claimed()) return false;
    piece = next_.fetch_add(1, std::memory_order_seq_cst);
    return piece < end_;
}

double ThreadPool::Job::piece_time() const noexcept {
    return static_cast<double>(busy_.load(std::memory_order_relaxed)) / static_cast<double>(end_);
}

bool ThreadPool::claim_chunk(Member& member, std::uint64_t& begin, std::uint64_t& end) noexcept {
    if (member.job.is_claimed()) return false;
    return member.job.ranges_ != nullptr ? claim_of_ranges(member, begin, end)
                                         : claim_in_order(member.job, begin, end);
}

// A member that is alone looks after the first piece, and after some more, whether it may stay so.
bool ThreadPool::claim_in_order(Job& job, std::uint64_t& begin, std::uint64_t& end) noexcept {
    begin = job.next_.load(std::memory_order_relaxed);
    const std::uint64_t left = job.end_ - std::min(begin, job.end_);
    const unsigned members = job.wanted_.load(std::memory_order_relaxed);
    const double piece = job.forecast_.load(std::memory_order_relaxed);
    std::uint64_t size = 1;
    if (piece > 0 && members > 1) {
        const std::uint64_t share = left / (2 * members);
        const std::uint64_t least =
            std::min(pieces_in(kShortestChunk, piece, left), (left + members - 1) / members);
        size = std::clamp<std::uint64_t>(share, least, pieces_in(kLongestChunk, piece, left));
    } else if (piece > 0 && begin > 0) {
        size = std::min(begin == 1 ? left / 4 : left, pieces_in(kLongestChunk, piece, left));
    }
    size = std::max<std::uint64_t>(1, size);
    begin = job.next_.fetch_add(size, std::memory_order_seq_cst);
    end = std::min(begin + size, job.end_);
    return begin < job.end_;
}

bool ThreadPool::claim_of_ranges(Member& member, std::uint64_t& begin,
                                 std::uint64_t& end) noexcept {
    Job& job = member.job;
    if (!std::exchange(member.has_looked, true)) member.range = job.ranges_->own(member.worker);
    const double piece = job.forecast_.load(std::memory_order_relaxed);
    ClaimRanges::ChunkSize size;
    if (piece > 0) {
        const double longest = member.may_fill ? kShortestChunk : kLongestChunk;
        size = {pieces_in(kShortestChunk, piece, job.end_), pieces_in(kUsualChunk, piece, job.end_),
                pieces_in(longest, piece, job.end_)};
    }
    const ClaimRanges::Chunk chunk = job.ranges_->claim(member.range, size);
    if (chunk.is_empty()) {
        member.is_done = true;
        return false;
    }
    begin = chunk.begin;
    end = chunk.end;
    job.next_.fetch_add(end - begin, std::memory_order_seq_cst);
    return true;
}

// By a member that is alone, before it calls others.
void ThreadPool::split_into_ranges(Job& job, unsigned members) noexcept {
    const std::uint64_t begin = job.next_.load(std::memory_order_relaxed);
    if (job.order_ != Order::Any || begin >= job.end_) return;
    if (!ClaimRanges::can_split(job.end_ - begin)) return;
    for (const auto& ranges : ranges_) {
        if (ranges->is_taken() || !ranges->try_acquire()) continue;
        ranges->split(begin, job.end_, members);
        job.ranges_ = ranges.get();
        return;
    }
}

// What a chunk costs besides its pieces does not count as an error of the forecast.
void ThreadPool::learn(Job& job, std::uint64_t pieces, double nanoseconds) noexcept {
    const double before = job.forecast_.load(std::memory_order_relaxed);
    const double measured = nanoseconds / static_cast<double>(pieces);
    const double expected = before * static_cast<double>(pieces);
    double now = before;
    if (before == 0 || nanoseconds > 2 * expected + kNoise) {
        now = measured;
    } else if (nanoseconds < expected / 2) {
        now = (before + measured) / 2;
    }
    if (now != before) job.forecast_.store(static_cast<float>(now), std::memory_order_relaxed);
}

unsigned ThreadPool::members_worth(std::uint64_t pieces, double forecast) const noexcept {
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(width_, pieces));
    if (forecast == 0) return most;
    const double time = static_cast<double>(pieces) * forecast;
    if (time < kWorthTwo) return 1;
    return std::min(most, static_cast<unsigned>(std::min(time / kWorthOne, 1e6)));
}

unsigned ThreadPool::call_members(Member& member, const WorkerSlots::Task& task) noexcept {
    Job& job = member.job;
    const unsigned before = member.called.count();
    job.members_.fetch_add(task.count, std::memory_order_relaxed);
    const auto call = reinterpret_cast<WorkerSlots::Call>(&job);
    const unsigned sum = slots_.call(call, task, member.called);
    const unsigned called = member.called.count() - before;
    job.members_.fetch_sub(task.count - called, std::memory_order_relaxed);
    return sum;
}

// `time`: nanoseconds of work. Places for which no worker waits now are open to those that come.
void ThreadPool::call_members(Member& member, unsigned count, double time) {
    const auto sleepers = static_cast<unsigned>(std::min(time / kWorthWaking, 1e6));
    if (call_members(member, {0, size(), count, sleepers}) < count) open_places(member.job);
}

void ThreadPool::open_places(Job& job) {
    lock_soon(mutex_);
    const MutexLock lock(mutex_, std::adopt_lock);
    list(job);
}

// One place stays open for a thread that waits, which comes by itself: beside those that pay, or
// the last of the processors'.
void ThreadPool::call_first_members(Member& member) {
    Job& job = member.job;
    const double forecast = job.forecast_.load(std::memory_order_relaxed);
    const unsigned worth = members_worth(job.end_, forecast);
    unsigned wanted = worth == 1 ? 1 : std::min(worth + 1, width_);
    if (job.order_ == Order::Any && wanted < width_) wanted = rounded(wanted);
    job.wanted_.store(wanted, std::memory_order_relaxed);
    if (wanted == 1) return;
    split_into_ranges(job, wanted);
    member.may_fill = true;
    const double time =
        forecast == 0 ? kWorthWaking * width_ : static_cast<double>(job.end_) * forecast;
    if (wanted > 2) call_members(member, wanted - 2, time);
    open_places(job);
}

// After a chunk: more is left than was forecast, or the open place is still open.
void ThreadPool::reconsider(Member& member) {
    Job& job = member.job;
    const std::uint64_t next = job.next_.load(std::memory_order_relaxed);
    if (next >= job.end_) return;
    const std::uint64_t left = job.end_ - next;
    const double forecast = job.forecast_.load(std::memory_order_relaxed);
    const double time = static_cast<double>(left) * forecast;
    const unsigned worth = members_worth(left, forecast);
    unsigned wanted = job.wanted_.load(std::memory_order_relaxed);
    if (worth > wanted && job.wanted_.compare_exchange_strong(wanted, worth)) {
        if (wanted == 1) split_into_ranges(job, worth);
        call_members(member, worth - wanted, time);
    } else if (member.may_fill && worth > 1 && take_open_place(job)) {
        call_members(member, 1, time);
    }
    member.may_fill = false;
}

bool ThreadPool::take_open_place(Job& job) {
    if (!job.is_listed_.load(std::memory_order_relaxed)) return false;
    lock_soon(mutex_);
    const MutexLock lock(mutex_, std::adopt_lock);
    if (!job.is_listed_.load(std::memory_order_relaxed)) return false;
    unlist(job);
    return true;
}

template <class MayGoOn>
void ThreadPool::run_chunks(Member& member, const MayGoOn& may_go_on) {
    Job& job = member.job;
    auto start = Clock::now();
    for (std::uint64_t begin = 0, end = 0; claim_chunk(member, begin, end);) {
        // What a claim under contention takes is no reason for more members.
        if (job.ranges_ != nullptr) start = Clock::now();
        job.run(begin, end);
        const auto now = Clock::now();
        const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(now - start);
        start = now;
        member.busy += static_cast<std::uint64_t>(time.count());
        learn(job, end - begin, static_cast<double>(time.count()));
        if (job.is_claimed()) return;
        reconsider(member);
        if (!may_go_on()) return;
        if (waiting_jobs_.load(std::memory_order_relaxed) == 0) continue;
        const std::uint64_t next = job.next_.load(std::memory_order_relaxed);
        const auto left = static_cast<double>(job.end_ - std::min(next, job.end_));
        if (left * job.forecast_.load(std::memory_order_relaxed) > kSoonDone) return;
    }
}

template <class MayGoOn>
ThreadPool::Job* ThreadPool::take_part(Job& job, unsigned worker, const WorkerSlots::Task& task,
                                       const MayGoOn& may_go_on) {
    Member member{job, worker};
    if (job.wanted_.load(std::memory_order_relaxed) == 0) {
        call_first_members(member);
    } else if (task.count > 0) {
        call_members(member, task);
    }
    run_chunks(member, may_go_on);
    const unsigned revoked =
        slots_.revoke(reinterpret_cast<WorkerSlots::Call>(&job), member.called);
    job.members_.fetch_sub(revoked, std::memory_order_relaxed);
    job.busy_.fetch_add(member.busy, std::memory_order_relaxed);
    // What is not counted as claimed yet has been claimed by another member.
    return !member.is_done && leave_open(member) ? nullptr : leave(member);
}

// Leaves a job with unclaimed pieces to others. False where there are none.
bool ThreadPool::leave_open(Member& member) {
    Job& job = member.job;
    if (job.is_claimed()) return false;
    {
        lock_soon(mutex_);
        const MutexLock lock(mutex_, std::adopt_lock);
        list(job);
        if (!job.is_listed_.load(std::memory_order_relaxed)) return false;
        job.members_.fetch_sub(1, std::memory_order_acq_rel);
        count_jobs();
    }
    call_someone();
    return true;
}

// All pieces are claimed.
ThreadPool::Job* ThreadPool::leave(Member& member) {
    Job& job = member.job;
    if (job.is_listed_.load(std::memory_order_seq_cst)) {
        lock_soon(mutex_);
        const MutexLock lock(mutex_, std::adopt_lock);
        unlist(job);
    }
    if (job.members_.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
    return finish(job);
}

ThreadPool::Job* ThreadPool::finish(Job& job) {
    Succession& mine = succession();
    mine = {this, nullptr};
    if (ClaimRanges* const ranges = std::exchange(job.ranges_, nullptr)) ranges->release();
    job.finished();
    return std::exchange(mine, {}).next;
}

void ThreadPool::work(unsigned worker) {
    const auto may_stay = [this] { return open_jobs_.load(std::memory_order_seq_cst) == 0; };
    for (;;) {
        const WorkerSlots::Call call = slots_.wait(worker, may_stay);
        WorkerSlots::Task task;
        Job* job = nullptr;
        if (call == WorkerSlots::kLook) {
            job = join_listed();
        } else {
            job = reinterpret_cast<Job*>(call);
            task = slots_.passed_on(worker);
        }
        while (job != nullptr) {
            job = take_part(*job, worker, std::exchange(task, {}), kAlways);
            if (job == nullptr) job = join_listed();
        }
    }
}

bool ThreadPool::help_until(const std::function<bool()>& is_done, Clock::time_point deadline) {
    const auto may_go_on = [&] { return !is_done() && Clock::now() < deadline; };
    const auto has_come = [&] {
        return open_jobs_.load(std::memory_order_relaxed) != 0 || is_done();
    };
    bool was_called = false;
    while (may_go_on()) {
        if (Job* job = join_listed()) {
            was_called = false;
            do {
                job = take_part(*job, kNoWorker, {}, may_go_on);
            } while (job != nullptr && may_go_on());
            if (job == nullptr) continue;
            // No thread has begun with it.
            job->members_.store(0, std::memory_order_relaxed);
            enlist(*job);
        }
        BoundedSpin spin;
        while (!has_come() && spin.step(has_come)) continue;
        if (!has_come()) was_called = sleep_until(is_done, deadline);
    }
    // What it was called for, perhaps, is for another one.
    if (was_called && open_jobs_.load(std::memory_order_relaxed) != 0) call_someone();
    return is_done();
}

// Until something has come or the time is over. Whether the thread was called.
bool ThreadPool::sleep_until(const std::function<bool()>& is_done, Clock::time_point deadline) {
    Sleeper self{is_done};
    lock_soon(mutex_);
    MutexLock lock(mutex_, std::adopt_lock);
    sleeping_.push_back(&self);
    sleeping_count_.fetch_add(1, std::memory_order_seq_cst);
    // A thread that arrived before this one was counted has not called it.
    if (open_jobs_.load(std::memory_order_seq_cst) == 0 && !is_done()) {
        while (!self.is_called && self.wake.wait_until(lock, deadline) != std::cv_status::timeout)
            continue;
    }
    sleeping_count_.fetch_sub(1, std::memory_order_relaxed);
    std::erase(sleeping_, &self);
    return self.is_called;
}

void ThreadPool::notify_helpers() {
    // Writes, so that a thread that is about to sleep either is counted here or sees what was done.
    if (sleeping_count_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    const MutexLock lock(mutex_);
    for (Sleeper* sleeper : sleeping_) {
        if (sleeper->is_called || !sleeper->is_done()) continue;
        sleeper->is_called = true;
        sleeper->wake.notify_one();
    }
}

void ThreadPool::before_fork() {
    mutex_.lock();
}

void ThreadPool::after_fork_in_parent() {
    mutex_.unlock();
}

void ThreadPool::after_fork_in_child() {
    // The workers and sleepers of the parent do not exist here.
    jobs_.clear();
    sleeping_.clear();
    started_ = 0;
    open_jobs_.store(0);
    waiting_jobs_.store(0);
    sleeping_count_.store(0);
    slots_.clear();
    for (const auto& ranges : ranges_) ranges->release();
    mutex_.unlock();
}

}  // namespace warpwise
