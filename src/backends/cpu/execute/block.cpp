// Describing blocks and reporting their failures.
#include "src/backends/cpu/execute/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/backends/cpu/memory/guarded_access.hpp"

namespace warpwise::cpu {
namespace {

std::string describe_expiry(const Grid& grid) {
    return fmt::format(
        "stopped after its time limit of {} s (WARPWISE_TIME_LIMIT, or time_limit of its stream)",
        grid.expired());
}

// The user has interrupted: no error of the kernel's.
bool is_just_stopped(const BlockRun& run) noexcept {
    return run.frame->fault.signal == kPauseSignal && run.grid->expired() == 0;
}

std::string describe_fault(const Fault& fault, const CpuKernel& kernel, const Grid& grid) {
    if (fault.signal == kPauseSignal) return describe_expiry(grid);
    if (fault.is_stack_overflow) {
        return "the stack of a thread is exhausted (endless recursion or too large local arrays)";
    }
    switch (fault.signal) {
        case SIGFPE:
            return "arithmetic fault";
        case SIGILL:
            return "trap (__trap(), or code that cannot be reached was reached)";
        default:
            break;
    }
    if (!fault.has_address) return "access to an invalid address";
    const char* const access = fault.is_write ? "write" : "read";
    const std::string guarded =
        describe_guarded(fault.address, kernel.info->signature, grid.arguments);
    if (!guarded.empty()) return fmt::format("{} of {}", access, guarded);
    return fmt::format("{} of invalid address 0x{:x}", access, fault.address);
}

// Of a gang of several rows: lanes that its vectors have for each of them.
std::uint32_t lanes_of_row(const BlockRun& run) {
    return std::max(run.kernel->gang_columns(), kActiveBits);
}

// The first and the last lane of a gang that were running. One that ends with a row of data has
// fewer lanes than noted, but none behind its block.
std::pair<std::uint32_t, std::uint32_t> active_lanes(const BlockRun& run, const ThreadState& gang) {
    const std::uint32_t end = gang.rows > 1
                                  ? gang.rows * lanes_of_row(run)
                                  : std::min(gang.lanes, run.thread_count - gang.linear_index);
    std::uint32_t first = end, last = 0;
    for (std::uint32_t lane = 0; lane < end; ++lane) {
        if ((gang.active[lane / kActiveBits] >> lane % kActiveBits & 1u) == 0) continue;
        first = std::min(first, lane);
        last = lane;
    }
    if (first > last) return {0, end - 1};
    return {first, last};
}

Index3 thread_of_lane(const BlockRun& run, const ThreadState& gang, std::uint32_t lane) {
    const auto* dim = run.block_dim;
    std::uint32_t linear = gang.linear_index + lane;
    if (gang.rows > 1) {
        const std::uint32_t columns = lanes_of_row(run);
        linear = gang.linear_index + lane % columns + lane / columns * dim[0];
    }
    return {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]};
}

}  // namespace

void describe_block(BlockRun& run, Grid& grid, const CpuKernel& kernel, std::uint64_t linear_block,
                    std::byte* shared) {
    const Index3 index = grid.block_index(linear_block);
    run.runtime = &runtime_table();
    run.shared = shared;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        run.block_index[axis] = index[axis];
        run.block_dim[axis] = grid.block[axis];
        run.grid_dim[axis] = grid.extent[axis];
    }
    run.dynamic_shared_bytes = grid.dynamic_shared_bytes;
    run.thread_count = grid.thread_count();
    run.grid = &grid;
    run.kernel = &kernel;
    run.has_failed = false;
}

void describe_next_block(BlockRun& run) noexcept {
    run.has_failed = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (++run.block_index[axis] < run.grid_dim[axis]) return;
        run.block_index[axis] = 0;
    }
}

std::uint64_t linear_block(const BlockRun& run) noexcept {
    const std::uint64_t rows =
        run.block_index[1] + std::uint64_t{run.grid_dim[1]} * run.block_index[2];
    return run.block_index[0] + run.grid_dim[0] * rows;
}

std::size_t shared_bytes(const CpuKernel& kernel, const Grid& grid) noexcept {
    const std::size_t fixed = kernel.info->static_shared_bytes;
    return (fixed + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment +
           grid.dynamic_shared_bytes;
}

void fail_block(BlockRun& run, const ThreadState* thread, const std::string& what) {
    const std::string& kernel = run.kernel->info->signature.name;
    const Index3 block = {run.block_index[0], run.block_index[1], run.block_index[2]};
    std::string message = fmt::format("kernel '{}': {}, in block ({}, {}, {})", kernel, what,
                                      block[0], block[1], block[2]);
    std::optional<Index3> index;
    if (thread != nullptr) {
        const auto [first, last] = active_lanes(run, *thread);
        const Index3 begin = thread_of_lane(run, *thread, first);
        if (first == last) {
            index = begin;
            message += fmt::format(", thread ({}, {}, {})", begin[0], begin[1], begin[2]);
        } else {
            const Index3 end = thread_of_lane(run, *thread, last);
            message += fmt::format(", one of the threads ({}, {}, {}) to ({}, {}, {})", begin[0],
                                   begin[1], begin[2], end[0], end[1], end[2]);
        }
    }
    run.has_failed = true;
    run.grid->fail(linear_block(run), LaunchError(message, kernel, block, index));
}

void fail_if_expired(BlockRun& run) {
    if (run.has_failed || run.grid->expired() == 0) return;
    fail_block(run, nullptr, describe_expiry(*run.grid));
}

void fail_by_fault(BlockRun& run) {
    run.has_failed = true;
    if (!is_just_stopped(run)) {
        fail_block(run, run.thread, describe_fault(run.frame->fault, *run.kernel, *run.grid));
    }
    run.frame->fault = {};
}

void fail_run_by_fault(BlockRun& run) {
    run.has_failed = true;
    if (is_just_stopped(run)) {
        run.frame->fault = {};
        return;
    }
    const std::string& kernel = run.kernel->info->signature.name;
    const Places& places = run.frame->places;
    const std::string message =
        fmt::format("kernel '{}': {}, in one of the blocks ({}, {}, {}) to ({}, {}, {})", kernel,
                    describe_fault(run.frame->fault, *run.kernel, *run.grid), places.first_block,
                    run.block_index[1], run.block_index[2], places.end_block - 1,
                    run.block_index[1], run.block_index[2]);
    run.grid->fail(linear_block(run), LaunchError(message, kernel, std::nullopt, std::nullopt));
    run.frame->fault = {};
}

void leave_block(const ThreadState* thread) noexcept {
    BlockRun& run = run_of(thread);
    run.frame->in_kernel = 0;
    run.frame->fiber->leave();
}

}  // namespace warpwise::cpu
