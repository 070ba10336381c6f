// How each kind of command does its work.
#include "src/backends/cpu/launch/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "src/backends/cpu/host/float_mode.hpp"
#include "src/backends/cpu/launch/scheduler.hpp"
#include "src/base/thread_object.hpp"
#include "src/runtime/profile/work_records.hpp"
#include "src/runtime/ranges.hpp"

namespace warpwise::cpu {
namespace {

// Copies up to this are done by the thread that schedules them: quicker than waking another.
constexpr std::size_t kInstantCopy = 4096;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Nanoseconds for a byte that is written, and as much again where it is read.
constexpr double kByteTime = 0.05;

std::uint64_t piece_count(std::size_t bytes) {
    return std::max<std::uint64_t>(1, (bytes + kPieceBytes - 1) / kPieceBytes);
}

template <class T>
void fill_elements(std::byte* destination, std::uint64_t pattern, std::size_t count) {
    // Addresses may be unaligned views of a buffer; memcpy compiles to plain stores.
    const T value = static_cast<T>(pattern);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(destination + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

void Command::finished() noexcept {
    if (!goes_on()) scheduler->complete(*this);
}

void Command::note_start() noexcept {
    std::int64_t none = 0;
    if (start() == 0) start_.compare_exchange_strong(none, runtime::host_now());
}

namespace {

// The memory of launches that ended on this thread.
struct FreeLaunches {
    static constexpr std::size_t kMost = 4;
    void* places[kMost] = {};
    std::size_t count = 0;
    ~FreeLaunches() {
        while (count > 0) {
            ::operator delete(places[--count], std::align_val_t{alignof(LaunchCommand)});
        }
    }
};

}  // namespace

void* LaunchCommand::operator new(std::size_t bytes, std::align_val_t alignment) {
    FreeLaunches& known = thread_object<FreeLaunches>();
    return known.count > 0 ? known.places[--known.count] : ::operator new(bytes, alignment);
}

void LaunchCommand::operator delete(void* place, std::size_t, std::align_val_t alignment) noexcept {
    FreeLaunches& known = thread_object<FreeLaunches>();
    if (known.count == FreeLaunches::kMost) return ::operator delete(place, alignment);
    known.places[known.count++] = place;
}

LaunchCommand::LaunchCommand(const runtime::Launch& launch, OutputQueue& output)
    : Command(Kind::Pool),
      kernel_(*launch.kernel),
      launch_(static_cast<const CpuKernel&>(*launch.kernel),
              {launch.grid, launch.block, launch.dynamic_shared_bytes, launch.cooperative},
              launch.arguments, output),
      keep_alive_(launch.kept()) {
    Grid& grid = launch_.grid();
    grid.is_of_small_array = launch.runs_here;
    if (!grid.is_cooperative) grid.source = this;
}

bool LaunchCommand::goes_on() noexcept {
    if (!runs_here()) running_->learn(piece_time(), was_alone());
    if (nested_ == nullptr) {
        if (launch_.grid().nested.is_empty()) return false;
        nested_ = std::make_unique<NestedRun>(launch_.grid());
    }
    running_ = nested_->next();
    if (running_ == nullptr) return false;
    running_->grid().source = this;
    scheduler->submit_more(*this);
    return true;
}

std::exception_ptr LaunchCommand::take_error() noexcept {
    if (std::exception_ptr error = launch_.take_error()) return error;
    const double limit = launch_.grid().expired();
    if (limit == 0) return nullptr;
    // No block was running at that moment.
    const std::string& name = static_cast<const CpuKernel&>(kernel_).info->signature.name;
    const std::string message = fmt::format(
        "kernel '{}': stopped after its time limit of {} s, between blocks", name, limit);
    return std::make_exception_ptr(LaunchError(message, name, std::nullopt, std::nullopt));
}

bool LaunchCommand::describe(ProfileRecord& record) const {
    const Grid& grid = launch_.grid();
    record = runtime::record_of({.kernel = &kernel_,
                                 .grid = grid.extent,
                                 .block = grid.block,
                                 .dynamic_shared_bytes = grid.dynamic_shared_bytes});
    return true;
}

CopyCommand::CopyCommand(std::byte* destination, const std::byte* source, std::size_t bytes,
                         runtime::CopyKind kind)
    : Command(bytes <= kInstantCopy ? Kind::Point : Kind::Pool),
      kind_of_copy_(kind),
      destination_(destination),
      source_(source),
      bytes_(bytes),
      overlaps_(destination < source + bytes && source < destination + bytes) {}

std::uint64_t CopyCommand::pieces() const noexcept {
    return overlaps_ ? 1 : piece_count(bytes_);
}

double CopyCommand::forecast() const noexcept {
    return 2 * kByteTime * static_cast<double>(std::min(bytes_, kPieceBytes));
}

bool CopyCommand::describe(ProfileRecord& record) const {
    record = runtime::record_of_copy(kind_of_copy_, bytes_);
    return true;
}

void CopyCommand::work(std::uint64_t begin, std::uint64_t end) noexcept {
    if (bytes_ == 0) return;
    if (overlaps_) {
        std::memmove(destination_, source_, bytes_);
        return;
    }
    const std::size_t first = begin * kPieceBytes;
    const std::size_t last = std::min<std::size_t>(bytes_, end * kPieceBytes);
    std::memcpy(destination_ + first, source_ + first, last - first);
}

FillCommand::FillCommand(std::byte* destination, std::uint64_t pattern, std::size_t pattern_bytes,
                         std::size_t count)
    : Command(Kind::Pool),
      destination_(destination),
      pattern_(pattern),
      pattern_bytes_(pattern_bytes),
      count_(count) {}

std::uint64_t FillCommand::pieces() const noexcept {
    return piece_count(count_ * pattern_bytes_);
}

double FillCommand::forecast() const noexcept {
    return kByteTime * static_cast<double>(std::min(count_ * pattern_bytes_, kPieceBytes));
}

bool FillCommand::describe(ProfileRecord& record) const {
    record = runtime::record_of_fill(count_ * pattern_bytes_);
    return true;
}

void FillCommand::work(std::uint64_t begin, std::uint64_t end) noexcept {
    const std::size_t per_piece = kPieceBytes / pattern_bytes_;
    const std::size_t first = begin * per_piece;
    const std::size_t count = std::min<std::size_t>(count_, end * per_piece) - first;
    std::byte* place = destination_ + first * pattern_bytes_;
    switch (pattern_bytes_) {
        case 1:
            std::memset(place, static_cast<int>(pattern_ & 0xff), count);
            break;
        case 2:
            fill_elements<std::uint16_t>(place, pattern_, count);
            break;
        case 4:
            fill_elements<std::uint32_t>(place, pattern_, count);
            break;
        default:
            fill_elements<std::uint64_t>(place, pattern_, count);
            break;
    }
}

void RecordCommand::reach() noexcept {
    // Another queue, or process, may have passed a later recording of the same event already.
    std::uint64_t reached = event_->reached.load(std::memory_order_relaxed);
    if (reached >= count_) return;
    event_->time = std::chrono::steady_clock::now();
    while (reached < count_ &&
           !event_->reached.compare_exchange_weak(reached, count_, std::memory_order_release)) {
    }
}

void LoopCommand::work(std::uint64_t begin, std::uint64_t end) noexcept {
    if (is_stopped_.load(std::memory_order_relaxed)) return;
    const DefaultFloatMode mode;
    loop_->run(begin, end);
}

bool LoopCommand::goes_on() noexcept {
    if (!is_stopped_.load(std::memory_order_relaxed)) {
        const DefaultFloatMode mode;
        loop_->end();
    }
    return false;
}

namespace {

bool describe_loop(const runtime::HostLoop& loop, ProfileRecord& record) {
    record.kind = ProfileRecord::Kind::Kernel;
    record.name = loop.name();
    record.grid = {static_cast<std::uint32_t>(loop.pieces()), 1, 1};
    record.block = {1, 1, 1};
    return true;
}

}  // namespace

bool LoopCommand::describe(ProfileRecord& record) const {
    return describe_loop(*loop_, record);
}

void LentLoopCommand::work(std::uint64_t begin, std::uint64_t end) noexcept {
    const DefaultFloatMode mode;
    loop_.run(begin, end);
    loop_.end();
}

bool LentLoopCommand::describe(ProfileRecord& record) const {
    return describe_loop(loop_, record);
}

void HostCommand::work(std::uint64_t, std::uint64_t) noexcept {
    if (is_stopped_) return;
    try {
        function_();
    } catch (...) {
        error_ = std::current_exception();
    }
}

}  // namespace warpwise::cpu
