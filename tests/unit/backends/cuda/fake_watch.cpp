// Of the fake driver: notifying a profiler.
#include "tests/unit/backends/cuda/fake_watch.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

std::atomic<Watcher> g_watcher = nullptr;

std::int64_t now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::function<void()> watched(WatchedWork work, std::function<void()> run) {
    work.context = current_context();
    return [work, run = std::move(run)]() mutable {
        work.start = now();
        run();
        work.end = now();
        if (const Watcher watcher = g_watcher.load()) watcher(work);
    };
}

}  // namespace warpwise::cuda::fake

#pragma GCC visibility push(default)
extern "C" {
void fake_cuda_set_watcher(warpwise::cuda::fake::Watcher watcher) {
    warpwise::cuda::fake::g_watcher.store(watcher);
}
}
#pragma GCC visibility pop
