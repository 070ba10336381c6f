// Arguments find their place, blocks their form.
#include "src/backends/cpu/execute/grid_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/backends/cpu/execute/executor.hpp"
#include "src/backends/cpu/memory/guarded_access.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

// Grids up to this many threads are not worth a second thread, unless they prove slow.
constexpr std::uint64_t kSmallGrid = 1024;
constexpr double kSmallGridTime = 1'000;  // nanoseconds, until that is known
constexpr std::size_t kArgumentAlignment = 64;

}  // namespace

GridLaunch::GridLaunch(const CpuKernel& kernel, const GridShape& shape,
                       std::span<const std::byte> arguments, OutputQueue& output)
    : grid_(output, shape.blocks, shape.threads),
      cost_(kernel.cost),
      form_(kernel, shape.threads, grid_.block_count() * grid_.thread_count()) {
    grid_.may_print = form_.first().prints();
    grid_.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    grid_.patience = settings().watchdog;
    grid_.is_cooperative = shape.is_cooperative && form_.first().needs_fibers();
    std::byte* place = inline_arguments_;
    if (arguments.size() > kInlineArguments) {
        std::size_t capacity = arguments.size() + kArgumentAlignment;
        large_arguments_.reset(new std::byte[capacity]);
        void* start = large_arguments_.get();
        place = static_cast<std::byte*>(
            std::align(kArgumentAlignment, arguments.size(), start, capacity));
    }
    std::copy(arguments.begin(), arguments.end(), place);
    grid_.arguments = place;
}

std::uint64_t GridLaunch::pieces() const noexcept {
    return grid_.is_cooperative ? 1 : grid_.block_count();
}

double GridLaunch::forecast() const noexcept {
    const double known = cost_.of(grid_.thread_count());
    if (known > 0 || grid_.block_count() * grid_.thread_count() > kSmallGrid) return known;
    return kSmallGridTime / static_cast<double>(grid_.block_count());
}

ThreadPool::Order GridLaunch::order() const noexcept {
    const CpuKernel& kernel = form_.first();
    const bool is_ordered = grid_.is_cooperative || kernel.needs_fibers() || kernel.prints();
    return is_ordered ? ThreadPool::Order::Ascending : ThreadPool::Order::Any;
}

void GridLaunch::learn(double nanoseconds, bool was_alone) noexcept {
    if (grid_.is_cooperative || grid_.is_stopped()) return;
    cost_.learn(grid_.thread_count(), nanoseconds, was_alone);
}

void GridLaunch::run(std::uint64_t begin, std::uint64_t end) noexcept {
    if (grid_.is_cooperative) end = grid_.block_count();
    Executor::of_this_thread().run(grid_, form_.next(), begin, end);
}

std::exception_ptr GridLaunch::take_error() noexcept {
    grid_.output.close();
    const KernelSignature& kernel = form_.first().info->signature;
    const std::string overrun = take_guarded_overrun(kernel, grid_.arguments);
    if (!overrun.empty()) {
        grid_.fail(0, LaunchError(fmt::format("kernel '{}': {}", kernel.name, overrun), kernel.name,
                                  std::nullopt, std::nullopt));
    }
    return grid_.take_error();
}

}  // namespace warpwise::cpu
