// One command per call.
#include "src/backends/cpu/launch/queue.hpp"

#include <algorithm>
#include <utility>

namespace warpwise::cpu {

void CpuQueue::launch(const runtime::Launch& launch) {
    auto command = std::make_unique<LaunchCommand>(launch, scheduler_.output());
    if (launch.runs_here) return scheduler_.run_or_submit(*state_, std::move(command));
    scheduler_.submit(*state_, std::move(command));
}

void CpuQueue::run(std::unique_ptr<runtime::HostLoop> loop) {
    scheduler_.submit(*state_, std::make_unique<LoopCommand>(std::move(loop)));
}

bool CpuQueue::try_to_run(runtime::HostLoop& loop) {
    LentLoopCommand command(loop);
    return scheduler_.try_to_run(*state_, command);
}

void CpuQueue::copy(runtime::DeviceAddress destination, runtime::DeviceAddress source,
                    std::size_t bytes, runtime::CopyKind kind) {
    scheduler_.submit(*state_, std::make_unique<CopyCommand>(
                                   reinterpret_cast<std::byte*>(destination),
                                   reinterpret_cast<const std::byte*>(source), bytes, kind));
}

void CpuQueue::fill(runtime::DeviceAddress destination, std::uint64_t pattern,
                    std::size_t pattern_bytes, std::size_t count) {
    scheduler_.submit(
        *state_, std::make_unique<FillCommand>(reinterpret_cast<std::byte*>(destination), pattern,
                                               pattern_bytes, count));
}

void CpuQueue::record(runtime::EventImpl& event) {
    scheduler_.record(*state_, static_cast<CpuEvent&>(event).state());
}

void CpuQueue::wait(runtime::EventImpl& event) {
    scheduler_.wait_for(*state_, static_cast<CpuEvent&>(event).state());
}

void CpuQueue::call_host(std::function<void()> function) {
    scheduler_.submit(*state_, std::make_unique<HostCommand>(std::move(function)));
}

bool CpuQueue::is_done(runtime::Wait wait, const runtime::EventImpl* until) {
    const QueueState& state = *state_;
    // A mark that another process has made of a shared event is in none of these queues.
    const std::uint64_t submitted = state.submitted.load(std::memory_order_acquire);
    const std::uint64_t last =
        until == nullptr
            ? submitted
            : std::min(submitted, static_cast<const CpuEvent*>(until)->state()->sequence.load());
    const auto has_ended = [&state, last] {
        return state.completed.load(std::memory_order_acquire) >= last;
    };
    if (wait == runtime::Wait::Yes) {
        scheduler_.wait(has_ended);
    } else if (!has_ended()) {
        return false;
    }
    if (auto error = scheduler_.take_error(*state_, last)) std::rethrow_exception(error);
    return true;
}

}  // namespace warpwise::cpu
