// Stacks for fibers: mapped once, guarded below, handed out again and again.
//
// Each stack costs the process two mappings (stack and guard), and vm.max_map_count bounds those:
// the pool keeps all live stacks within a share of it. Invariant: a request is granted whole or not
// at all, so that threads which wait for stacks cannot block each other.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

struct TsanFiber;

// In addition to what a gang needs by the compiler's estimate: run-time services run on the same
// stack, and functions that call themselves or are called through pointers are not in the
// compiler's count.
inline constexpr std::size_t kStackMarginBytes = std::size_t{56} << 10;

struct Stack {
    std::byte* low = nullptr;    // first usable byte
    std::size_t size = 0;        // usable bytes
    std::byte* guard = nullptr;  // [guard, low) faults on every access
    TsanFiber* tsan = nullptr;   // for builds with ThreadSanitizer

    bool guards(std::uint64_t address) const noexcept {
        return address >= reinterpret_cast<std::uint64_t>(guard) &&
               address < reinterpret_cast<std::uint64_t>(low);
    }
};

class StackPool {
  public:
    static StackPool& instance();

    explicit StackPool(std::size_t max_stacks) : max_stacks_(max_stacks) {}

    enum class Wait : bool { No, Yes };

    // `count` stacks of at least `bytes`; waits until others have released enough, or else
    // returns none. Throws LaunchError when count is over the bound, or the system has no memory
    // for them.
    std::vector<Stack> acquire(std::size_t count, std::size_t bytes, Wait wait = Wait::Yes);
    void release(std::vector<Stack>&& stacks) noexcept;

    std::size_t max_stacks() const noexcept { return max_stacks_; }
    std::size_t live() const;  // mapped now, in use or not

    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    void unmap_others(std::size_t size, std::size_t count) WARPWISE_REQUIRES(mutex_);

    const std::size_t max_stacks_;
    mutable Mutex mutex_;
    Condition returned_;
    std::map<std::size_t, std::vector<Stack>> free_ WARPWISE_GUARDED_BY(mutex_);  // by size
    std::size_t live_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::cpu
