// Blocks of plain kernels share one large stack per thread; those with a rendezvous are
// ResidentBlocks'.
#include "src/backends/cpu/execute/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "src/backends/cpu/execute/resident_blocks.hpp"
#include "src/backends/cpu/host/float_mode.hpp"
#include "src/base/thread_object.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Enough for deep, finite recursion; only touched pages cost memory.
constexpr std::size_t kPlainStackBytes = std::size_t{8} << 20;

// Gangs count on it when they compute blockIdx.x * blockDim.x + threadIdx.x with 32 bits.
void refuse_too_many_threads(const CpuKernel& kernel, const Grid& grid) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
    if (!kernel.numbers_in_31_bits()) return;
    const std::uint64_t threads = std::uint64_t{grid.extent[0]} * grid.block[0];
    if (threads <= kMost) return;
    throw LaunchError(fmt::format(
        "{} threads along x are more than the {} that blockIdx.x * blockDim.x + threadIdx.x of 32 "
        "bits can number; compute it with 64 bits, (size_t)blockIdx.x * blockDim.x + threadIdx.x, "
        "launch fewer threads, or compile with --warpwise-executor=reference",
        threads, kMost));
}

// The next of a sequence without visible order (splitmix64), its own for each thread.
std::uint64_t next_key() noexcept {
    static thread_local std::uint64_t state = reinterpret_cast<std::uintptr_t>(&state);
    std::uint64_t key = state += 0x9e3779b97f4a7c15;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 27) * 0x94d049bb133111eb;
    return key ^ key >> 31;
}

// Prepares the search for the gang of a run of `count` blocks that faults.
void mark_run(BlockRun& run, ThreadState& thread, std::uint32_t count) noexcept {
    thread.place_key = next_key();
    run.frame->places = {thread.place_key, run.block_index[0], run.block_index[0] + count,
                         run.thread_count, run.kernel->runs_rounds()};
}

// The place of the gang that has faulted, if its mark was found.
bool restore_place(BlockRun& run, ThreadState& thread) noexcept {
    const std::optional<std::uint64_t> place = run.frame->fault.place;
    if (!place) return false;
    run.block_index[0] = block_of_place(*place);
    thread.linear_index = thread_of_place(*place);
    return true;
}

// In place of the thread's own, which is in the middle of a block.
thread_local Executor* t_nested = nullptr;

}  // namespace

// Lies outside of the fiber's stack: a fault abandons that, and its thread is needed after.
struct Executor::PlainRange {
    BlockRun* run;
    ThreadState thread;
    std::byte* shared;
    std::uint64_t begin;
    std::uint64_t end;
};

struct Executor::RegionRange {
    BlockRun* run;
    RegionBlock* block;
    std::uint64_t begin;
    std::uint64_t end;
};

Executor& Executor::of_this_thread() {
    return t_nested != nullptr ? *t_nested : thread_object<Executor>();
}

Executor::Nested::Nested()
    : outer_(Executor::of_this_thread()), inner_(std::make_unique<Executor>()) {
    t_nested = inner_.get();
}

Executor::Nested::~Nested() {
    t_nested = &outer_;
    adopt_kernel_frame(outer_.frame_);
}

Executor::Executor() {
    adopt_kernel_frame(frame_);
}

Executor::~Executor() {
    StackPool::instance().release(std::move(plain_stack_));
}

std::byte* Executor::shared_memory(std::size_t bytes) {
    if (bytes > shared_size_ || !shared_) {
        shared_ = allocate_shared(bytes);
        shared_size_ = bytes;
    }
    return shared_.get();
}

void Executor::run(Grid& grid, const CpuKernel& kernel, std::uint64_t begin,
                   std::uint64_t end) noexcept {
    const DefaultFloatMode float_mode;
    thread_.begin();
    try {
        const bool is_stopped = kernel.needs_fibers() ? grid.is_stopped() : grid.is_stopped(begin);
        if (!is_stopped) run_form(grid, kernel, begin, end);
    } catch (const std::exception& error) {
        const std::string& name = kernel.info->signature.name;
        const auto message = fmt::format("kernel '{}' could not be run: {}", name, error.what());
        grid.fail(begin, LaunchError(message, name, std::nullopt, std::nullopt));
    }
    thread_.end();
}

void Executor::run_form(Grid& grid, const CpuKernel& kernel, std::uint64_t begin,
                        std::uint64_t end) {
    grid.is_of_small_array ? ensure_recent_fault_handler() : ensure_fault_handler(grid.number);
    refuse_too_many_threads(kernel, grid);
    if (kernel.needs_fibers()) {
        ResidentBlocks blocks(grid, kernel, frame_, shared_memory(shared_bytes(kernel, grid)));
        grid.is_cooperative ? blocks.run_cooperative() : blocks.run(begin, end);
    } else if (kernel.stops()) {
        run_regions(grid, kernel, begin, end);
    } else {
        run_plain(grid, kernel, begin, end);
    }
}

void Executor::prepare_plain_stack(std::size_t local_bytes) {
    const std::size_t bytes = std::max(kPlainStackBytes, local_bytes + kStackMarginBytes);
    if (!plain_stack_.empty() && plain_stack_.front().size >= bytes) return;
    StackPool::instance().release(std::exchange(plain_stack_, {}));
    plain_stack_ = StackPool::instance().acquire(1, bytes);
}

void Executor::run_plain(Grid& grid, const CpuKernel& kernel, std::uint64_t begin,
                         std::uint64_t end) {
    std::string output;
    prepare_plain_stack(kernel.info->local_bytes);
    BlockRun run;
    run.frame = &frame_;
    run.output = &output;
    PlainRange range{&run, {}, shared_memory(shared_bytes(kernel, grid)), begin, end};
    describe_block(run, grid, kernel, begin, range.shared);
    run_on_plain_stack(grid, &Executor::run_plain_range, &range);
    if (frame_.fault.signal != 0) {
        if (!kernel.marks_places() || restore_place(run, range.thread)) {
            fail_by_fault(run);
        } else {
            fail_run_by_fault(run);
        }
    }
    fail_if_expired(run);
    grid.pass_on(begin, end, std::move(output));
}

// Until the body ends, leaves or faults, or its grid is stopped.
void Executor::run_on_plain_stack(const Grid& grid, Fiber::Body body, void* argument) {
    Fiber fiber;
    fiber.start(plain_stack_.front(), body, argument);
    frame_.fiber = &fiber;
    do {
        fiber.resume();
    } while (resumes_after_pause(frame_, grid));
}

void Executor::run_plain_range(void* argument) {
    auto& range = *static_cast<PlainRange*>(argument);
    BlockRun& run = *range.run;
    Grid& grid = *run.grid;
    const CpuKernel& kernel = *run.kernel;
    const KernelEntry entry = kernel.entry;
    const std::byte* arguments = grid.arguments;
    const GangWalk whole(kernel, grid);
    ThreadState& thread = range.thread;
    thread.block = &run;
    whole.describe(thread);
    run.thread = &thread;
    const BlockRunEntry run_blocks = kernel.block_run_entry();
    for (std::uint64_t block = range.begin; block < range.end; ++block) {
        if (grid.is_stopped(block)) return;
        if (block != range.begin) describe_next_block(run);
        run.frame->in_kernel = 1;
        if (run_blocks != nullptr) {
            const std::uint64_t in_row = run.grid_dim[0] - run.block_index[0];
            const std::uint64_t count = std::min(range.end - block, in_row);
            if (kernel.marks_places()) mark_run(run, thread, static_cast<std::uint32_t>(count));
            run_blocks(&thread, arguments, static_cast<std::uint32_t>(count));
            run.frame->places = {};
            block += count - 1;
        } else {
            for (GangWalk gangs = whole; !gangs.is_at_end(); gangs.advance()) {
                gangs.describe_again(thread);
                entry(&thread, arguments);
            }
        }
        run.frame->in_kernel = 0;
    }
}

void Executor::run_regions(Grid& grid, const CpuKernel& kernel, std::uint64_t begin,
                           std::uint64_t end) {
    std::string output;
    prepare_plain_stack(kernel.info->local_bytes);
    BlockRun run;
    run.frame = &frame_;
    run.output = &output;
    describe_block(run, grid, kernel, begin, shared_memory(shared_bytes(kernel, grid)));
    regions_.prepare(run);
    RegionRange range{&run, &regions_, begin, end};
    run_on_plain_stack(grid, &Executor::run_region_range, &range);
    if (frame_.fault.signal != 0) fail_by_fault(run);
    fail_if_expired(run);
    grid.pass_on(begin, end, std::move(output));
}

void Executor::run_region_range(void* argument) {
    auto& range = *static_cast<RegionRange*>(argument);
    BlockRun& run = *range.run;
    for (std::uint64_t block = range.begin; block < range.end; ++block) {
        if (run.grid->is_stopped(block)) return;
        if (block != range.begin) describe_next_block(run);
        range.block->run();
    }
}

}  // namespace warpwise::cpu
