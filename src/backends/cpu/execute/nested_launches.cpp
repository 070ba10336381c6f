// Launches of kernels by kernels: checked, kept, run.
#include "src/backends/cpu/execute/nested_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

#include "src/backends/cpu/execute/grid_launch.hpp"
#include "src/backends/cpu/host/faults.hpp"
#include "src/backends/cpu/module/module.hpp"
#include "src/base/text.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::cpu {
namespace {

std::string problem_with(const NestedLaunch& launch) {
    const compiler::KernelInfo& info = *launch.kernel->info;
    const auto is_outside = [](const auto& extent, const auto& limits) {
        for (int axis = 0; axis < 3; ++axis) {
            if (extent[axis] == 0 || extent[axis] > limits[axis]) return true;
        }
        return false;
    };
    const std::uint64_t threads =
        std::uint64_t{launch.threads[0]} * launch.threads[1] * launch.threads[2];
    const std::uint64_t shared =
        std::uint64_t{launch.dynamic_shared_bytes} + info.static_shared_bytes;
    if (is_outside(launch.blocks, kMaxGridDim)) {
        return fmt::format("a grid of {} blocks", fmt::join(launch.blocks, "x"));
    }
    if (is_outside(launch.threads, kMaxBlockDim) ||
        threads > launch.kernel->max_threads_per_block) {
        return fmt::format("blocks of {} threads, of which it takes up to {}",
                           fmt::join(launch.threads, "x"), launch.kernel->max_threads_per_block);
    }
    if (shared > kMaxSharedBytes) {
        return fmt::format("{} bytes of shared memory a block, where there are {}", shared,
                           kMaxSharedBytes);
    }
    return {};
}

void put_in_front(std::deque<NestedLaunch>& waiting, std::vector<NestedLaunch>&& first) {
    waiting.insert(waiting.begin(), std::make_move_iterator(first.begin()),
                   std::make_move_iterator(first.end()));
}

std::unique_ptr<GridLaunch> prepare(const NestedLaunch& launch, Grid& parent) {
    auto grid = std::make_unique<GridLaunch>(
        *launch.kernel, GridShape{launch.blocks, launch.threads, launch.dynamic_shared_bytes},
        launch.arguments, parent.output.queue());
    grid->grid().parent = &parent;
    return grid;
}

// Of a grid that has ended: what it has launched, and what went wrong, to its parent.
std::vector<NestedLaunch> end(GridLaunch& launch, Grid& parent, std::uint64_t block) {
    if (const std::exception_ptr error = launch.take_error()) {
        try {
            std::rethrow_exception(error);
        } catch (const LaunchError& problem) {
            parent.fail(block, problem);
        }
    }
    return launch.grid().nested.take();
}

}  // namespace

std::string add_nested_launch(Grid& grid, const CpuKernel& parent, const char* symbol,
                              const NestedRecord& record) {
    const CpuKernel* kernel = parent.module == nullptr ? nullptr : parent.module->kernel(symbol);
    if (kernel == nullptr) {
        return fmt::format("line {} launches the kernel {}, which was not compiled", record.line,
                           quote(symbol));
    }
    NestedLaunch launch;
    launch.kernel = kernel;
    std::copy_n(record.grid, 3, launch.blocks.begin());
    std::copy_n(record.block, 3, launch.threads.begin());
    launch.dynamic_shared_bytes = record.dynamic_shared_bytes;
    launch.is_tail = record.is_tail != 0;
    const std::string problem = problem_with(launch);
    if (!problem.empty()) {
        return fmt::format("line {} launches {} with {}", record.line,
                           quote(kernel->info->signature.name), problem);
    }
    const auto* arguments = reinterpret_cast<const std::byte*>(&record + 1);
    launch.arguments.assign(arguments, arguments + record.argument_bytes);
    grid.nested.add(std::move(launch));
    return {};
}

void NestedLaunches::add(NestedLaunch&& launch) {
    MutexLock lock(mutex_);
    (launch.is_tail ? tail_ : launches_).push_back(std::move(launch));
    is_empty_.store(false, std::memory_order_relaxed);
}

std::vector<NestedLaunch> NestedLaunches::take() {
    MutexLock lock(mutex_);
    std::vector<NestedLaunch> all = std::exchange(launches_, {});
    std::ranges::move(std::exchange(tail_, {}), std::back_inserter(all));
    is_empty_.store(true, std::memory_order_relaxed);
    return all;
}

std::vector<NestedLaunch> NestedLaunches::take_ready() {
    MutexLock lock(mutex_);
    return std::exchange(launches_, {});
}

void NestedLaunches::run_on_the_spot(Grid& grid, std::uint64_t linear_block, KernelFrame& frame) {
    MutexLock running(running_);
    std::deque<NestedLaunch> waiting;
    put_in_front(waiting, take_ready());
    // The executor of this thread is in the middle of a block.
    std::promise<void> done;
    start_thread_with_signals_blocked([&] {
        try {
            while (!waiting.empty() && !grid.is_stopped()) {
                const std::unique_ptr<GridLaunch> launch = prepare(waiting.front(), grid);
                waiting.pop_front();
                launch->run(0, launch->pieces());
                put_in_front(waiting, end(*launch, grid, linear_block));
            }
            done.set_value();
        } catch (...) {
            done.set_exception(std::current_exception());
        }
    });
    // The other thread uses this stack, so the fiber is resumed in any case.
    std::future<void> ended = done.get_future();
    frame.must_resume = true;
    while (ended.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
        pause_if_requested(frame);
        frame.in_kernel = 0;
    }
    frame.must_resume = false;
    ended.get();
}

NestedRun::NestedRun(Grid& root) : root_(root) {}
NestedRun::~NestedRun() = default;

GridLaunch* NestedRun::next() {
    put_in_front(waiting_, running_ ? end(*running_, root_, 0) : root_.nested.take());
    running_.reset();
    if (waiting_.empty() || root_.is_stopped()) return nullptr;
    running_ = prepare(waiting_.front(), root_);
    waiting_.pop_front();
    return running_.get();
}

}  // namespace warpwise::cpu
