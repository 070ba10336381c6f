// The CPU device's implementation of streams: turns calls into commands for the scheduler.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>
#include <utility>

#include "src/backends/cpu/launch/scheduler.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/host_support.hpp"

namespace warpwise::cpu {

class CpuQueue final : public runtime::Queue {
  public:
    CpuQueue(Scheduler& scheduler, const runtime::QueueOptions& options)
        : scheduler_(scheduler), state_(scheduler.add_queue(options)) {}
    // Does not wait: what is queued runs to its end.
    ~CpuQueue() override { scheduler_.abandon_queue(state_); }

    void launch(const runtime::Launch& launch) override;
    void copy(runtime::DeviceAddress destination, runtime::DeviceAddress source, std::size_t bytes,
              runtime::CopyKind kind) override;
    void fill(runtime::DeviceAddress destination, std::uint64_t pattern, std::size_t pattern_bytes,
              std::size_t count) override;
    void record(runtime::EventImpl& event) override;
    void wait(runtime::EventImpl& event) override;
    void call_host(std::function<void()> function) override;
    void submit(std::unique_ptr<Command> command) {
        scheduler_.submit(*state_, std::move(command));
    }
    using runtime::Queue::is_done;
    bool is_done(runtime::Wait wait, const runtime::EventImpl* until) override;
    void run(std::unique_ptr<runtime::HostLoop> loop);
    // As HostSupport::try_to_run.
    bool try_to_run(runtime::HostLoop& loop);

  private:
    Scheduler& scheduler_;
    std::shared_ptr<QueueState> state_;
};

}  // namespace warpwise::cpu
