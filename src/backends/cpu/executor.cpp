// Blocks of plain kernels share one large stack per thread; blocks with a rendezvous borrow one
// stack per thread of the block for the length of a range.
#include "src/backends/cpu/executor.hpp"

#include <fmt/format.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "src/backends/cpu/fiber_block.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Room for deep, finite recursion; only touched pages cost memory.
constexpr std::size_t kPlainStackBytes = std::size_t{8} << 20;
// On top of what the compiler says a thread needs: run-time services run on the same stack, and
// functions that call themselves or are called through pointers are not in the compiler's count.
constexpr std::size_t kFiberMarginBytes = std::size_t{56} << 10;

// Stacks that go back to the pool whatever happens.
class BorrowedStacks {
  public:
    BorrowedStacks(std::size_t count, std::size_t bytes)
        : stacks_(StackPool::instance().acquire(count, bytes)) {}
    ~BorrowedStacks() { StackPool::instance().release(std::move(stacks_)); }
    BorrowedStacks(const BorrowedStacks&) = delete;
    BorrowedStacks& operator=(const BorrowedStacks&) = delete;

    const Stack* data() const noexcept { return stacks_.data(); }

  private:
    std::vector<Stack> stacks_;
};

// Kernels round to nearest and keep denormals, whatever the thread that helps has set for itself.
class DefaultFloatMode {
  public:
    DefaultFloatMode() noexcept : previous_(_mm_getcsr()) { _mm_setcsr(kDefault); }
    ~DefaultFloatMode() { _mm_setcsr(previous_); }
    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

  private:
    static constexpr unsigned kDefault = 0x1f80;  // MXCSR as the processor starts
    const unsigned previous_;
};

class AtWork {
  public:
    explicit AtWork(Grid& grid) noexcept : grid_(grid) { grid_.count_workers(1); }
    ~AtWork() { grid_.count_workers(-1); }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

  private:
    Grid& grid_;
};

// Compiled gangs count on it when they compute blockIdx.x * blockDim.x + threadIdx.x.
void refuse_too_many_threads(const Grid& grid) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
    if (grid.kernel->gang_columns() == 1) return;
    const std::uint64_t threads = std::uint64_t{grid.extent[0]} * grid.block[0];
    if (threads <= kMost) return;
    throw LaunchError(fmt::format(
        "{} threads along x are more than the {} that executor gang can number; launch fewer, or "
        "compile with --warpwise-executor=reference",
        threads, kMost));
}

// The place that a BlockRunEntry had noted.
void stand_at(BlockRun& run, ThreadState& thread, std::uint64_t place) noexcept {
    run.block_index[0] = static_cast<std::uint32_t>(place >> kPlaceBlockShift);
    thread.linear_index = static_cast<std::uint32_t>(place);
}

std::size_t fiber_stack_bytes(const Grid& grid) {
    return grid.kernel->info->local_bytes + kFiberMarginBytes;
}

}  // namespace

// Lies outside of the fiber's stack: a fault gives that up, and then asks which thread it was.
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

void Executor::SharedDeleter::operator()(std::byte* memory) const noexcept {
    std::free(memory);
}

Executor::SharedMemory Executor::allocate_shared(std::size_t bytes) {
    const std::size_t size = (bytes + kSharedAlignment) / kSharedAlignment * kSharedAlignment;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kSharedAlignment, size));
    if (memory == nullptr) throw std::bad_alloc();
    return SharedMemory(memory);
}

Executor& Executor::of_this_thread() {
    static thread_local Executor executor;
    return executor;
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

void Executor::run(Grid& grid, std::uint64_t begin, std::uint64_t end) noexcept {
    const DefaultFloatMode float_mode;
    const AtWork at_work(grid);
    std::string output;
    try {
        if (!grid.is_stopped()) {
            ensure_fault_handler();
            refuse_too_many_threads(grid);
            if (grid.is_cooperative) {
                run_cooperative(grid, output);
            } else if (grid.kernel->needs_fibers()) {
                run_fibers(grid, begin, end, output);
            } else if (grid.kernel->stops()) {
                run_regions(grid, begin, end, output);
            } else {
                run_plain(grid, begin, end, output);
            }
        }
    } catch (const std::exception& error) {
        const std::string& kernel = grid.kernel->info->signature.name;
        const auto message = fmt::format("kernel '{}' could not be run: {}", kernel, error.what());
        grid.fail(begin, LaunchError(message, kernel, std::nullopt, std::nullopt));
    }
    if (grid.kernel->calls_runtime() || !output.empty()) {
        grid.output.add(begin, end, std::move(output));
    }
}

void Executor::prepare_plain_stack(std::size_t local_bytes) {
    const std::size_t wanted = std::max(kPlainStackBytes, local_bytes + kFiberMarginBytes);
    if (!plain_stack_.empty() && plain_stack_.front().size >= wanted) return;
    StackPool::instance().release(std::exchange(plain_stack_, {}));
    plain_stack_ = StackPool::instance().acquire(1, wanted);
}

void Executor::run_plain(Grid& grid, std::uint64_t begin, std::uint64_t end, std::string& output) {
    prepare_plain_stack(grid.kernel->info->local_bytes);
    BlockRun run;
    run.frame = &frame_;
    run.output = &output;
    PlainRange range{&run, {}, shared_memory(shared_bytes(grid)), begin, end};
    describe_block(run, grid, begin, range.shared);
    run_on_plain_stack(&Executor::run_plain_range, &range);
    const bool has_place = grid.kernel->keeps_place_in_register();
    if (has_place) _mm_empty();
    if (frame_.fault.signal == 0) return;
    if (has_place) stand_at(run, range.thread, frame_.fault.place);
    fail_by_fault(run);
}

// Until the body ends, leaves or faults.
void Executor::run_on_plain_stack(Fiber::Body body, void* argument) noexcept {
    Fiber fiber;
    fiber.start(plain_stack_.front(), body, argument);
    frame_.fiber = &fiber;
    fiber.resume();
}

void Executor::run_plain_range(void* argument) {
    auto& range = *static_cast<PlainRange*>(argument);
    BlockRun& run = *range.run;
    Grid& grid = *run.grid;
    const KernelEntry entry = grid.kernel->entry;
    const std::byte* arguments = grid.arguments;
    const GangWalk whole(grid);
    ThreadState& thread = range.thread;
    thread.block = &run;
    whole.describe(thread);
    run.thread = &thread;
    const BlockRunEntry run_blocks = grid.kernel->block_run_entry();
    for (std::uint64_t block = range.begin; block < range.end; ++block) {
        if (grid.is_stopped()) return;
        if (block != range.begin) describe_next_block(run);
        run.frame->in_kernel = 1;
        if (run_blocks != nullptr) {
            const std::uint64_t in_row = run.grid_dim[0] - run.block_index[0];
            const std::uint64_t count = std::min(range.end - block, in_row);
            run_blocks(&thread, arguments, static_cast<std::uint32_t>(count));
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

void Executor::run_regions(Grid& grid, std::uint64_t begin, std::uint64_t end,
                           std::string& output) {
    prepare_plain_stack(grid.kernel->info->local_bytes);
    BlockRun run;
    run.frame = &frame_;
    run.output = &output;
    describe_block(run, grid, begin, shared_memory(shared_bytes(grid)));
    regions_.prepare(run);
    RegionRange range{&run, &regions_, begin, end};
    run_on_plain_stack(&Executor::run_region_range, &range);
    if (frame_.fault.signal != 0) fail_by_fault(run);
}

void Executor::run_region_range(void* argument) {
    auto& range = *static_cast<RegionRange*>(argument);
    BlockRun& run = *range.run;
    for (std::uint64_t block = range.begin; block < range.end; ++block) {
        if (run.grid->is_stopped()) return;
        if (block != range.begin) describe_next_block(run);
        range.block->run();
    }
}

void Executor::run_fibers(Grid& grid, std::uint64_t begin, std::uint64_t end, std::string& output) {
    const BorrowedStacks stacks(GangWalk(grid).count(), fiber_stack_bytes(grid));
    std::byte* shared = shared_memory(shared_bytes(grid));
    BlockRun run;
    run.frame = &frame_;
    run.output = &output;
    FiberBlock block;
    for (std::uint64_t linear = begin; linear < end && !grid.is_stopped(); ++linear) {
        describe_block(run, grid, linear, shared);
        block.start(run, stacks.data());
        if (block.run() == FiberBlock::Outcome::AtGridSync) {
            fail_block(run, nullptr,
                       "grid synchronisation needs a cooperative launch (cooperative=True)");
        }
    }
}

// All blocks are alive at once, on this thread: each runs until it waits for the grid, in turn.
void Executor::run_cooperative(Grid& grid, std::string& output) {
    struct Resident {
        BlockRun run;
        SharedMemory shared;
        FiberBlock fibers;
        bool is_live = true;
    };
    const std::uint64_t count = grid.block_count();
    const std::size_t threads = GangWalk(grid).count();
    const std::size_t room = StackPool::instance().max_stacks();
    if (count > room / threads) {
        throw LaunchError(fmt::format(
            "a cooperative launch keeps all its threads alive at once: {} blocks of {} threads "
            "are more than the {} threads this system has room for; launch at most {} blocks",
            count, threads, room, room / threads));
    }
    const BorrowedStacks stacks(count * threads, fiber_stack_bytes(grid));
    std::vector<Resident> residents(count);
    for (std::uint64_t linear = 0; linear < count; ++linear) {
        Resident& resident = residents[linear];
        resident.shared = allocate_shared(shared_bytes(grid));
        resident.run.frame = &frame_;
        resident.run.output = &output;
        describe_block(resident.run, grid, linear, resident.shared.get());
        resident.fibers.start(resident.run, stacks.data() + linear * threads);
    }
    for (bool is_any_live = true; is_any_live;) {
        is_any_live = false;
        for (Resident& resident : residents) {
            if (!resident.is_live) continue;
            const auto outcome = resident.fibers.run();
            if (outcome == FiberBlock::Outcome::Failed) return;
            resident.is_live = outcome == FiberBlock::Outcome::AtGridSync;
            is_any_live |= resident.is_live;
        }
        for (Resident& resident : residents) resident.fibers.pass_grid_sync();
    }
}

}  // namespace warpwise::cpu
