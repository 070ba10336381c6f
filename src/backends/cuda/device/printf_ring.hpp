// What kernels print on a GPU, on its way to the host. The driver's own printf writes to the
// process's standard output, past what has replaced it (notebooks, tests, redirections); so the
// prelude of every source (printf_source.hpp) calls this one printf.
//
// A ring of 8-byte words in page-locked memory that kernels write and the host reads. A thread
// reserves the words of one line by compare-and-swap, writes them, and its first word last. The
// host takes lines from the front, as far as they are whole, clears their words and moves the tail.
// A line that does not fit is lost, and the reader is informed that lines are missing.
//
// Invariant: outside of [tail, head) every word of the ring is 0.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class PrintfRing {
  public:
    explicit PrintfRing(PrimaryContext& context) : context_(context) {}

    // With the context current: lets what `module` prints come here; nothing where it never prints.
    void bind(ModuleHandle module);
    // Whether so much waits that it should be taken before the work has ended.
    bool is_filling();
    // The lines that are whole by now, those of a grid in the order of its blocks.
    std::string take();

    // One line as a kernel left it; [0] is its length in words.
    struct Line {
        std::uint64_t grid = 0, block = 0;
        std::string text;
    };
    static Line read_line(std::span<const std::uint64_t> words);

  private:
    // As in the source.
    struct DeviceSide {
        std::uint64_t head = 0;
        std::uint64_t capacity = 0;  // words, a power of two
        std::uint64_t words = 0;     // addresses
        std::uint64_t tail = 0;
        std::uint64_t front = 0;
        std::uint64_t lost = 0;
    };

    void make() WARPWISE_REQUIRES(mutex_);
    void write(DevicePointer destination, const void* source, std::size_t bytes)
        WARPWISE_REQUIRES(mutex_);

    PrimaryContext& context_;
    Mutex mutex_;
    // Never unlocked: any kernel may write to it until the process ends.
    std::uint64_t* memory_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
    DevicePointer device_side_ WARPWISE_GUARDED_BY(mutex_) = 0;
    StreamHandle stream_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
    std::uint64_t tail_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::cuda
