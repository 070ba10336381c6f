// How each kind of command does its work.
#include "src/backends/cpu/command.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/backends/cpu/executor.hpp"
#include "src/backends/cpu/scheduler.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

// Copies up to this are done on the spot when their turn comes: quicker than waking a thread.
constexpr std::size_t kInstantCopy = 4096;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Grids up to this many threads are not worth a second thread, unless they prove slow.
constexpr std::uint64_t kSmallGrid = 1024;

constexpr std::size_t kArgumentAlignment = 64;

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
    scheduler->complete(*this);
}

LaunchCommand::LaunchCommand(const runtime::Launch& launch, OutputQueue& output)
    : Command(Kind::Pool),
      grid_(output, launch.grid, launch.block),
      form_(static_cast<const CpuKernel&>(*launch.kernel), launch.block,
            grid_.block_count() * grid_.thread_count()),
      keep_alive_(launch.keep_alive) {
    const CpuKernel& kernel = form_.first();
    grid_.may_print = kernel.calls_runtime();
    grid_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    grid_.patience = settings().watchdog;
    grid_.is_cooperative = launch.cooperative && kernel.needs_fibers();
    if (!grid_.is_cooperative) grid_.source = this;
    std::byte* arguments = inline_arguments_;
    if (launch.arguments.size() > kInlineArguments) {
        large_arguments_.reset(new std::byte[launch.arguments.size() + kArgumentAlignment]);
        void* place = large_arguments_.get();
        std::size_t room = launch.arguments.size() + kArgumentAlignment;
        arguments = static_cast<std::byte*>(
            std::align(kArgumentAlignment, launch.arguments.size(), place, room));
    }
    std::copy(launch.arguments.begin(), launch.arguments.end(), arguments);
    grid_.arguments = arguments;
}

std::uint64_t LaunchCommand::pieces() const noexcept {
    return grid_.is_cooperative ? 1 : grid_.block_count();
}

bool LaunchCommand::is_small() const noexcept {
    return grid_.block_count() * grid_.thread_count() <= kSmallGrid;
}

void LaunchCommand::run(std::uint64_t begin, std::uint64_t end) noexcept {
    if (grid_.is_cooperative) end = grid_.block_count();
    Executor::of_this_thread().run(grid_, form_.next(), begin, end);
}

std::exception_ptr LaunchCommand::take_error() noexcept {
    grid_.output.close();
    return grid_.take_error();
}

CopyCommand::CopyCommand(std::byte* destination, const std::byte* source, std::size_t bytes)
    : Command(bytes <= kInstantCopy ? Kind::Point : Kind::Pool),
      destination_(destination),
      source_(source),
      bytes_(bytes),
      overlaps_(destination < source + bytes && source < destination + bytes) {}

std::uint64_t CopyCommand::pieces() const noexcept {
    return overlaps_ ? 1 : piece_count(bytes_);
}

bool CopyCommand::is_small() const noexcept {
    return bytes_ <= kPieceBytes / 4;
}

void CopyCommand::run(std::uint64_t begin, std::uint64_t end) noexcept {
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

void FillCommand::run(std::uint64_t begin, std::uint64_t end) noexcept {
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
    // Another queue may have passed a later recording of the same event already.
    if (event_->reached.load(std::memory_order_relaxed) >= count_) return;
    event_->time = std::chrono::steady_clock::now();
    event_->reached.store(count_, std::memory_order_release);
}

void HostCommand::run(std::uint64_t, std::uint64_t) noexcept {
    if (is_stopped_) return;
    try {
        function_();
    } catch (...) {
        error_ = std::current_exception();
    }
}

}  // namespace warpwise::cpu
