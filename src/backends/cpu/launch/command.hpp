// What a queue holds: launches, copies, fills, host calls, and the marks of events.
//
// Life: made by CpuQueue, owned by its queue until it has ended, destroyed without any lock held
// (what it keeps alive may have destructors that call back); but for those that are lent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "src/backends/cpu/execute/grid_launch.hpp"
#include "src/backends/cpu/launch/event.hpp"
#include "src/base/thread_pool.hpp"
#include "src/runtime/host_support.hpp"
#include "warpwise/profile.hpp"

namespace warpwise::cpu {

class Scheduler;
struct QueueState;

// The base is a pool job, so that starting a command allocates nothing.
class Command : public ThreadPool::Job {
  public:
    enum class Kind : std::uint8_t {
        Pool,   // pieces run by the pool
        Host,   // runs on the thread for host calls
        Point,  // takes no time: reach()
    };

    explicit Command(Kind kind) : kind_(kind) {}

    Kind kind() const noexcept { return kind_; }
    virtual std::uint64_t pieces() const noexcept { return 1; }
    // Nanoseconds that one of them may take; 0: unknown.
    virtual double forecast() const noexcept { return 0; }
    virtual ThreadPool::Order order_of_pieces() const noexcept { return ThreadPool::Order::Any; }
    // Whether a command at the head of its queue may start now. With the scheduler's lock held.
    virtual bool is_ready() const noexcept { return true; }
    // What happens when a point is passed. With the scheduler's lock held.
    virtual void reach() noexcept {}
    // Interrupted: what has not started yet shall not start. May be called while it runs.
    virtual void stop() noexcept {}
    // Has run for longer than its limit: as stop(), with an error. While it runs.
    virtual void expire(std::chrono::duration<double>) noexcept {}
    // Will never start: marks of events count as passed. With the scheduler's lock held.
    virtual void drop() noexcept {}
    // Whether another process is what it waits for, at the head of its queue.
    virtual bool awaits_process() const noexcept { return false; }
    // Whether its end, or its drop, changes what other processes read.
    virtual bool is_seen_by_processes() const noexcept { return false; }
    // After the last piece: whether further pieces have been submitted.
    virtual bool goes_on() noexcept { return false; }
    // All pieces, on the calling thread, then the end. Deletes the command, unless it is lent.
    void run_here() noexcept {
        runs_here_ = true;
        run(0, pieces());
        finished();
    }
    // After the last piece of all: what went wrong, or null.
    virtual std::exception_ptr take_error() noexcept { return nullptr; }
    // Then: destroys what it has kept alive, before anyone can see that it has ended. Without a
    // lock.
    virtual void release_resources() noexcept {}
    // What it is in a profile, without times; false when it is not shown there.
    virtual bool describe(ProfileRecord&) const { return false; }

    void run(std::uint64_t begin, std::uint64_t end) noexcept final {
        if (is_timed) [[unlikely]]
            note_start();
        work(begin, end);
    }
    void finished() noexcept final;

    Scheduler* scheduler = nullptr;  // set when queued
    QueueState* queue = nullptr;
    std::uint64_t order = 0;     // among all commands of the device
    std::uint64_t sequence = 0;  // in its queue, from 1
    bool is_watched = false;     // by a profile, since it was queued
    bool is_timed = false;       // start() is wanted
    bool is_lent = false;        // owned by who runs it, on the calling thread
    Command* next_retired = nullptr;

    // When the first piece began, of host_now(); 0: not yet.
    std::int64_t start() const noexcept { return start_.load(std::memory_order_relaxed); }

  protected:
    virtual void work(std::uint64_t, std::uint64_t) noexcept {}
    // The pool has not seen it: it knows no times.
    bool runs_here() const noexcept { return runs_here_; }

  private:
    void note_start() noexcept;

    bool runs_here_ = false;

    Kind kind_;
    std::atomic<std::int64_t> start_ = 0;
};

class LaunchCommand final : public Command {
  public:
    LaunchCommand(const runtime::Launch& launch, OutputQueue& output);
    std::uint64_t pieces() const noexcept override { return running_->pieces(); }
    double forecast() const noexcept override { return running_->forecast(); }
    ThreadPool::Order order_of_pieces() const noexcept override { return running_->order(); }
    void stop() noexcept override { launch_.grid().stop(); }
    void expire(std::chrono::duration<double> limit) noexcept override {
        launch_.grid().expire(limit);
    }
    bool goes_on() noexcept override;
    std::exception_ptr take_error() noexcept override;
    void release_resources() noexcept override { keep_alive_.reset(); }
    // From a few that ended on this thread.
    static void* operator new(std::size_t bytes, std::align_val_t alignment);
    static void operator delete(void* place, std::size_t bytes,
                                std::align_val_t alignment) noexcept;
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override {
        running_->run(begin, end);
    }

    runtime::KernelImpl& kernel_;
    GridLaunch launch_;
    GridLaunch* running_ = &launch_;  // or one that its kernel has launched
    std::unique_ptr<NestedRun> nested_;
    std::shared_ptr<const void> keep_alive_;
};

class CopyCommand final : public Command {
  public:
    CopyCommand(std::byte* destination, const std::byte* source, std::size_t bytes,
                runtime::CopyKind kind);
    std::uint64_t pieces() const noexcept override;
    double forecast() const noexcept override;
    void reach() noexcept override { run(0, 1); }
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    runtime::CopyKind kind_of_copy_;
    std::byte* destination_;
    const std::byte* source_;
    std::size_t bytes_;
    bool overlaps_;
};

class FillCommand final : public Command {
  public:
    FillCommand(std::byte* destination, std::uint64_t pattern, std::size_t pattern_bytes,
                std::size_t count);
    std::uint64_t pieces() const noexcept override;
    double forecast() const noexcept override;
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    std::byte* destination_;
    std::uint64_t pattern_;
    std::size_t pattern_bytes_;
    std::size_t count_;
};

class RecordCommand final : public Command {
  public:
    RecordCommand(std::shared_ptr<EventState> event, std::uint64_t count)
        : Command(Kind::Point), event_(std::move(event)), count_(count) {}
    void reach() noexcept override;
    void drop() noexcept override { reach(); }
    bool is_seen_by_processes() const noexcept override { return event_->is_shared; }

  private:
    std::shared_ptr<EventState> event_;
    std::uint64_t count_;
};

class WaitCommand final : public Command {
  public:
    WaitCommand(std::shared_ptr<EventState> event, std::uint64_t count)
        : Command(Kind::Point), event_(std::move(event)), count_(count) {}
    bool is_ready() const noexcept override { return event_->reached.load() >= count_; }
    bool awaits_process() const noexcept override { return event_->is_shared; }

  private:
    std::shared_ptr<EventState> event_;
    std::uint64_t count_;
};

// A function of the host in pieces: see runtime/host_support.hpp.
class LoopCommand final : public Command {
  public:
    explicit LoopCommand(std::unique_ptr<runtime::HostLoop> loop)
        : Command(Kind::Pool), loop_(std::move(loop)) {}
    std::uint64_t pieces() const noexcept override { return loop_->pieces(); }
    double forecast() const noexcept override { return loop_->forecast(); }
    void stop() noexcept override { is_stopped_ = true; }
    bool goes_on() noexcept override;
    void release_resources() noexcept override { loop_.reset(); }
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    std::unique_ptr<runtime::HostLoop> loop_;
    std::atomic<bool> is_stopped_ = false;
};

// The same, run by the thread that has the loop (Scheduler::try_to_run).
class LentLoopCommand final : public Command {
  public:
    explicit LentLoopCommand(runtime::HostLoop& loop) : Command(Kind::Pool), loop_(loop) {
        is_lent = true;
    }
    std::uint64_t pieces() const noexcept override { return loop_.pieces(); }
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    runtime::HostLoop& loop_;
};

class HostCommand final : public Command {
  public:
    explicit HostCommand(std::function<void()> function)
        : Command(Kind::Host), function_(std::move(function)) {}
    void stop() noexcept override { is_stopped_ = true; }
    std::exception_ptr take_error() noexcept override { return std::move(error_); }
    void release_resources() noexcept override { function_ = nullptr; }

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    std::function<void()> function_;
    std::exception_ptr error_;
    std::atomic<bool> is_stopped_ = false;
};

}  // namespace warpwise::cpu
