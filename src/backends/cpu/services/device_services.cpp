// Each service begins by leaving kernel mode (ServiceScope): while it runs, a fault is the run
// time's own and is not papered over. Those that read what the kernel points to do so before.
// A service that fails reports first and then leaves the thread, with no object of its own alive.
#include "src/backends/cpu/execute/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "src/backends/cpu/execute/fiber_block.hpp"
#include "src/backends/cpu/execute/nested_launches.hpp"
#include "src/backends/cpu/host/sort_keys.hpp"
#include "src/backends/cpu/host/time_counter.hpp"
#include "src/backends/cpu/image/image_layout.hpp"
#include "src/backends/cpu/mbarrier.hpp"
#include "src/backends/cpu/memory/device_heap.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/settings/settings.hpp"
#include "src/base/thread_object.hpp"
#include "src/runtime/stream/device_printf.hpp"

namespace warpwise::cpu {
namespace {

class ServiceScope {
  public:
    explicit ServiceScope(const ThreadState* thread) noexcept : frame_(*run_of(thread).frame) {
        frame_.in_kernel = 0;
    }
    ~ServiceScope() {
        frame_.in_kernel = 1;
        pause_if_requested(frame_);
    }
    ServiceScope(const ServiceScope&) = delete;
    ServiceScope& operator=(const ServiceScope&) = delete;

  private:
    KernelFrame& frame_;
};

void report(const ThreadState* thread, const std::string& what) {
    fail_block(run_of(thread), thread, what);
}

// The block's fibers. A kernel compiled as having no rendezvous cannot get here by legal means.
FiberBlock& fibers_of(const ThreadState* thread) {
    BlockRun& run = run_of(thread);
    if (run.fibers == nullptr) {
        report(thread, "a barrier or warp operation in a kernel that was compiled without any");
        leave_block(thread);
    }
    return *run.fibers;
}

FiberThread& fiber_of(ThreadState* thread) noexcept {
    return *static_cast<FiberThread*>(thread);
}

void serve_barrier(ThreadState* thread, std::uint32_t id, std::uint32_t count) {
    const ServiceScope scope(thread);
    fibers_of(thread).barrier(fiber_of(thread), id, count);
}

void serve_barrier_arrive(ThreadState* thread, std::uint32_t id, std::uint32_t count) {
    const ServiceScope scope(thread);
    fibers_of(thread).barrier_arrive(fiber_of(thread), id, count);
}

std::int32_t serve_barrier_reduce(ThreadState* thread, std::uint32_t op, std::int32_t predicate) {
    const ServiceScope scope(thread);
    return fibers_of(thread).barrier_reduce(fiber_of(thread), op, predicate);
}

void serve_grid_sync(ThreadState* thread) {
    const ServiceScope scope(thread);
    FiberBlock& fibers = fibers_of(thread);
    if (!run_of(thread).grid->is_cooperative) {
        report(thread,
               "grid synchronisation needs a cooperative launch: kernel(..., cooperative=True), in "
               "C++ LaunchConfig::cooperative");
        leave_block(thread);
    }
    fibers.grid_sync(fiber_of(thread));
}

void serve_yield(ThreadState* thread, const char* place) {
    const ServiceScope scope(thread);
    fibers_of(thread).yield(fiber_of(thread), place);
}

[[noreturn]] void refuse_lane(ThreadState* thread, std::uint32_t lane, std::uint32_t mask) {
    report(thread, fmt::format("lane {} calls a warp operation whose mask 0x{:08x} does not "
                               "name it",
                               lane, mask));
    leave_block(thread);
}

// The group of the lowest lane in `waiting`: the lanes with its mask. Returns them.
std::uint32_t meet_in_gang(ThreadState* thread, const WarpCall& call, std::uint32_t waiting,
                           std::uint32_t elsewhere, WarpOperands& operands) {
    const auto lowest = static_cast<std::uint32_t>(std::countr_zero(waiting));
    if ((call.mask >> lowest & 1u) == 0) refuse_lane(thread, lowest, call.mask);
    if ((call.mask & elsewhere) != 0) {
        report(thread, fmt::format("deadlock: a warp operation with mask 0x{:08x} waits for lanes "
                                   "0x{:08x}, which are at another place",
                                   call.mask, call.mask & elsewhere));
        leave_block(thread);
    }
    std::array<WarpLane, kWarpSize> lanes;
    std::array<WarpLane*, kWarpSize> warp{};
    std::uint32_t group = 0;
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (operands.mask[lane] != call.mask) continue;
        if ((call.mask >> lane & 1u) == 0) refuse_lane(thread, lane, call.mask);
        group |= 1u << lane;
        lanes[lane].call = call;
        lanes[lane].call.operand = operands.operand[lane];
        lanes[lane].call.width = operands.width[lane];
        lanes[lane].call.value = operands.value[lane];
        warp[lane] = &lanes[lane];
    }
    compute_collective(warp.data(), group);
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        operands.value[lane] = lanes[lane].result;
    }
    return group;
}

std::uint64_t converge(ThreadState* thread, const WarpCall& call) {
    const ServiceScope scope(thread);
    FiberBlock& fibers = fibers_of(thread);
    const std::uint32_t lane = thread->linear_index % kWarpSize;
    if ((call.mask >> lane & 1u) == 0) {
        report(thread, fmt::format("lane {} calls a warp operation whose mask 0x{:08x} does not "
                                   "name it",
                                   lane, call.mask));
        leave_block(thread);
    }
    return fibers.meet_in_warp(fiber_of(thread), call);
}

void serve_syncwarp(ThreadState* thread, std::uint32_t mask) {
    converge(thread, {.kind = Collective::SyncWarp, .mask = mask});
}

__attribute__((noinline)) std::uint32_t serve_activemask(ThreadState* thread) {
    const void* site = __builtin_return_address(0);
    return static_cast<std::uint32_t>(
        converge(thread, {.kind = Collective::ActiveMask, .mask = ~0u, .site = site}));
}

std::uint32_t serve_ballot(ThreadState* thread, std::uint32_t mask, std::int32_t predicate) {
    return static_cast<std::uint32_t>(converge(
        thread, {.kind = Collective::Ballot, .mask = mask, .value = predicate != 0 ? 1u : 0u}));
}

std::uint64_t serve_shuffle64(ThreadState* thread, std::uint32_t mode, std::uint32_t mask,
                              std::uint64_t value, std::uint32_t operand, std::uint32_t width) {
    return converge(thread, {Collective::Shuffle64, mode, mask, operand, width, value, nullptr});
}

std::uint32_t serve_shuffle32(ThreadState* thread, std::uint32_t mode, std::uint32_t mask,
                              std::uint32_t value, std::uint32_t operand, std::uint32_t width) {
    return static_cast<std::uint32_t>(
        converge(thread, {Collective::Shuffle32, mode, mask, operand, width, value, nullptr}));
}

std::uint32_t serve_match_any(ThreadState* thread, std::uint32_t mask, std::uint64_t value) {
    return static_cast<std::uint32_t>(
        converge(thread, {.kind = Collective::MatchAny, .mask = mask, .value = value}));
}

std::uint32_t serve_match_all(ThreadState* thread, std::uint32_t mask, std::uint64_t value) {
    return static_cast<std::uint32_t>(
        converge(thread, {.kind = Collective::MatchAll, .mask = mask, .value = value}));
}

std::uint32_t serve_reduce(ThreadState* thread, std::uint32_t op, std::uint32_t mask,
                           std::uint32_t value) {
    return static_cast<std::uint32_t>(
        converge(thread, {.kind = Collective::Reduce, .mode = op, .mask = mask, .value = value}));
}

// Lanes of a gang that run one warp operation. Those of one mask form a group of their own.
void serve_gang_collective(ThreadState* thread, std::uint32_t kind, std::uint32_t mode,
                           std::uint32_t active, std::uint32_t elsewhere, void* operands) {
    const ServiceScope scope(thread);
    auto& lanes = *static_cast<WarpOperands*>(operands);
    for (std::uint32_t rest = active; rest != 0;) {
        const std::uint32_t mask = lanes.mask[std::countr_zero(rest)];
        const std::uint32_t group = meet_in_gang(
            thread, {static_cast<Collective>(kind), mode, mask}, rest, elsewhere, lanes);
        rest &= ~group;
    }
}

void serve_gang_wraps(ThreadState* thread) {
    const ServiceScope scope(thread);
    report(thread,
           "an index of the width it is computed in wraps around from one thread to the next; "
           "compile with --warpwise-executor=reference if that is meant");
    leave_block(thread);
}

// Reads a text of the kernel while still in kernel mode: a wild pointer faults here, where it is
// the kernel's fault.
void read_text(const char* text) {
    const volatile std::size_t size = std::strlen(text);
    static_cast<void>(size);
}

std::int32_t serve_printf(ThreadState* thread, const char* format, const void* arguments) {
    if (format != nullptr) read_text(format);
    const ServiceScope scope(thread);
    return runtime::format_device_printf(*run_of(thread).output, format, arguments,
                                         runtime::read_own_string);
}

void serve_assert_fail(ThreadState* thread, const char* message, const char* file,
                       std::uint32_t line, const char* function) {
    for (const char* text : {message, file, function}) read_text(text);
    const ServiceScope scope(thread);
    report(thread,
           fmt::format("assertion '{}' failed at {}:{} in {}", message, file, line, function));
    leave_block(thread);
}

void serve_trap(ThreadState* thread) {
    const ServiceScope scope(thread);
    report(thread, "trap (__trap() was called)");
    leave_block(thread);
}

void serve_image_fault(ThreadState* thread, std::uint32_t what, std::uint64_t object,
                       std::int32_t x, std::int32_t y, std::int32_t z) {
    const ServiceScope scope(thread);
    report(thread, describe_image_fault(what, object, x, y, z));
    leave_block(thread);
}

// The record is made by the device headers, in the memory of the thread that launches.
void serve_nested_launch(ThreadState* thread, const char* kernel, const void* record) {
    const ServiceScope scope(thread);
    const BlockRun& run = run_of(thread);
    const bool is_added = [&] {
        const std::string problem = add_nested_launch(*run.grid, *run.kernel, kernel,
                                                      *static_cast<const NestedRecord*>(record));
        if (!problem.empty()) report(thread, problem);
        return problem.empty();
    }();
    if (!is_added) leave_block(thread);
}

void serve_nested_wait(ThreadState* thread) {
    const ServiceScope scope(thread);
    BlockRun& run = run_of(thread);
    if (run.grid->nested.is_empty()) return;
    run.has_failed = [&] {
        try {
            run.grid->nested.run_on_the_spot(*run.grid, linear_block(run), *run.frame);
        } catch (const std::exception& error) {
            report(thread, fmt::format("what it has launched cannot be run: {}", error.what()));
        }
        return run.grid->is_stopped();
    }();
    if (run.has_failed) leave_block(thread);
}

void serve_nested_refusal(ThreadState* thread, const char* kernel, std::uint32_t line) {
    read_text(kernel);
    const ServiceScope scope(thread);
    report(thread,
           fmt::format("line {} launches '{}' from device code, in a way that is not supported: "
                       "name the kernel with all its template arguments, and give it all its "
                       "arguments",
                       line, kernel));
    leave_block(thread);
}

// Threads of a block take turns, and no other block sees its shared memory: nothing is atomic.
std::uint64_t serve_mbarrier_update(ThreadState* thread, void* object, std::uint32_t arrivals,
                                    std::int32_t transactions, std::uint32_t leaving) {
    std::uint64_t before = 0;
    std::memcpy(&before, object, sizeof before);
    const std::optional<std::uint64_t> after =
        mbarrier::updated(before, arrivals, transactions, leaving);
    if (after.has_value()) {
        std::memcpy(object, &*after, sizeof *after);
        return before;
    }
    const ServiceScope scope(thread);
    report(thread,
           fmt::format("{} arrivals at an mbarrier object that expects {} more in its phase",
                       arrivals, mbarrier::pending(before)));
    leave_block(thread);
}

void* serve_malloc(ThreadState* thread, std::uint64_t bytes) {
    const ServiceScope scope(thread);
    return DeviceHeap::instance().allocate(bytes);
}

void serve_free(ThreadState* thread, void* pointer) {
    const ServiceScope scope(thread);
    if (DeviceHeap::instance().release(pointer)) return;
    report(thread, fmt::format("free of {}, which malloc in a kernel did not return or which has "
                               "been freed",
                               pointer));
    leave_block(thread);
}

void serve_nanosleep(ThreadState* thread, std::uint32_t nanoseconds) {
    const ServiceScope scope(thread);
    // Others of the block may be what is waited for.
    if (run_of(thread).fibers != nullptr) return fibers_of(thread).yield(fiber_of(thread), nullptr);
    // In steps: a sleep is no place to pause.
    constexpr auto kStep = std::chrono::milliseconds(10);
    const KernelFrame& frame = *run_of(thread).frame;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
    for (auto now = Clock::now(); now < end && !frame.is_pause_requested; now = Clock::now()) {
        std::this_thread::sleep_for(std::min<Clock::duration>(end - now, kStep));
    }
}

bool has_sort_vectors() {
    static const bool has_vectors = chosen_level(settings().cpu) == kSortKeysLevel;
    return has_vectors;
}

// Memory of the thread, which stays in its cache from one part of a sort to the next; of the caller
// where the part is large.
void* near_spare(std::uint64_t bytes, void* spare) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    struct Near {
        std::unique_ptr<std::byte[]> memory{new (std::nothrow) std::byte[kMost]};
    };
    if (bytes > kMost) return spare;
    std::byte* const near = thread_object<Near>().memory.get();
    return near != nullptr ? near : spare;
}

std::int32_t serve_sort_keys(ThreadState* thread, const void* from, void* to, void* spare,
                             std::uint64_t count, std::uint32_t bytes, std::uint32_t from_form,
                             std::uint32_t to_form) {
    if (!has_sort_vectors()) return 0;
    const ServiceScope scope(thread);
    sort_keys(from, to, near_spare(count * bytes, spare), count, bytes, from_form, to_form);
    return 1;
}

std::int32_t serve_split_keys(ThreadState* thread, const void* from, void* to, void* spare,
                              std::uint64_t count, const void* splitters, std::uint64_t buckets,
                              void* starts, std::uint32_t bytes, std::uint32_t form) {
    if (!has_sort_vectors()) return 0;
    const ServiceScope scope(thread);
    split_keys({.from = from,
                .to = to,
                .spare = near_spare(count * bytes, spare),
                .count = count,
                .splitters = splitters,
                .buckets = buckets,
                .starts = static_cast<std::int64_t*>(starts),
                .bytes = bytes,
                .form = form});
    return 1;
}

std::int32_t serve_sort_key_pieces(ThreadState* thread, const void* from, std::uint64_t pieces,
                                   std::uint64_t pieces_apart, const void* starts,
                                   std::uint64_t starts_apart, void* to, void* spare,
                                   std::uint64_t count, const void* pivot, std::uint32_t bytes,
                                   std::uint32_t form) {
    if (!has_sort_vectors()) return 0;
    const ServiceScope scope(thread);
    sort_key_pieces({.from = from,
                     .pieces = pieces,
                     .pieces_apart = pieces_apart,
                     .starts = static_cast<const std::int64_t*>(starts),
                     .starts_apart = starts_apart,
                     .to = to,
                     .spare = near_spare(count * bytes, spare),
                     .count = count,
                     .pivot = pivot,
                     .bytes = bytes,
                     .form = form});
    return 1;
}

std::uint64_t serve_clock64() {
    return time_counter();
}

std::uint64_t serve_globaltimer() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

double serve_tgamma(double x) {
    return std::tgamma(x);
}
double serve_lgamma(double x) {
    int sign = 0;  // lgamma() itself writes a global
    return ::lgamma_r(x, &sign);
}
double serve_j0(double x) {
    return ::j0(x);
}
double serve_j1(double x) {
    return ::j1(x);
}
double serve_jn(std::int32_t n, double x) {
    return ::jn(n, x);
}
double serve_y0(double x) {
    return ::y0(x);
}
double serve_y1(double x) {
    return ::y1(x);
}
double serve_yn(std::int32_t n, double x) {
    return ::yn(n, x);
}
double serve_erfc(double x) {
    return std::erfc(x);
}
double serve_pow(double x, double y) {
    return std::pow(x, y);
}

constexpr RuntimeTable kTable{
#define WARPWISE_THREAD_CALL(kind, name, result, ...) .name = &serve_##name,
#define WARPWISE_LEAF_CALL(kind, name, result, ...) .name = &serve_##name,
#include "src/backends/cpu/device_calls.def"
};

}  // namespace

const RuntimeTable& runtime_table() noexcept {
    return kTable;
}

}  // namespace warpwise::cpu
