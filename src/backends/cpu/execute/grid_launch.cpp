// Arguments find their place, blocks their form.
#include "src/backends/cpu/execute/grid_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/backends/cpu/execute/executor.hpp"
#include "src/backends/cpu/memory/guarded_access.hpp"
#include "src/base/processors.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

// Grids up to this many threads are not worth a second thread, unless they prove slow.
constexpr std::uint64_t kSmallGrid = 1024;
constexpr double kSmallGridTime = 1'000;  // nanoseconds, until that is known
constexpr std::size_t kArgumentAlignment = 64;
// A kernel that runs rounds of a grid-stride loop reads memory in runs as long as its pieces are
// wide; there are to be as many of these as workers find themselves something to do.
constexpr std::uint64_t kThreadsOfRound = 8192;
constexpr std::uint64_t kPiecesOfWorker = 4;

std::uint64_t blocks_of_piece(const CpuKernel& kernel, const Grid& grid) noexcept {
    if (!kernel.runs_rounds() || grid.is_cooperative) return 1;
    static const std::uint64_t workers = settings().num_threads.value_or(usable_processors());
    const std::uint64_t most = grid.block_count() / (kPiecesOfWorker * workers);
    return std::max<std::uint64_t>(1, std::min(kThreadsOfRound / grid.thread_count(), most));
}

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
    blocks_of_piece_ = blocks_of_piece(form_.first(), grid_);
}

std::uint64_t GridLaunch::pieces() const noexcept {
    if (grid_.is_cooperative) return 1;
    return (grid_.block_count() + blocks_of_piece_ - 1) / blocks_of_piece_;
}

double GridLaunch::forecast() const noexcept {
    const double known = cost_.of(grid_.thread_count());
    if (known > 0 || grid_.block_count() * grid_.thread_count() > kSmallGrid) {
        return known * static_cast<double>(blocks_of_piece_);
    }
    return kSmallGridTime / static_cast<double>(pieces());
}

ThreadPool::Order GridLaunch::order() const noexcept {
    const CpuKernel& kernel = form_.first();
    const bool is_ordered = grid_.is_cooperative || kernel.needs_fibers() || kernel.prints();
    return is_ordered ? ThreadPool::Order::Ascending : ThreadPool::Order::Any;
}

void GridLaunch::learn(double nanoseconds, bool was_alone) noexcept {
    if (grid_.is_cooperative || grid_.is_stopped()) return;
    cost_.learn(grid_.thread_count(), nanoseconds / static_cast<double>(blocks_of_piece_),
                was_alone);
}

void GridLaunch::run(std::uint64_t begin, std::uint64_t end) noexcept {
    const std::uint64_t blocks = grid_.block_count();
    begin *= blocks_of_piece_;
    end = grid_.is_cooperative ? blocks : std::min(end * blocks_of_piece_, blocks);
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
