// Mapping, reuse and bound of fiber stacks.
#include "src/backends/cpu/host/stack_pool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <new>
#include <utility>

#include "src/backends/cpu/host/sanitizers.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Wide enough that a frame which skips it entirely is one whose size the compiler has reported.
constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
constexpr std::size_t kMinStackBytes = std::size_t{64} << 10;
constexpr std::size_t kDefaultMapCount = 65530;  // Linux's own default

// Half of the process's mappings for us, two for each stack.
std::size_t stack_bound() {
    std::size_t maps = kDefaultMapCount;
    std::ifstream file("/proc/sys/vm/max_map_count");
    file >> maps;
    return std::max<std::size_t>(1024, maps / 4);
}

Stack map_stack(std::size_t size) {
    void* memory = mmap(nullptr, kGuardBytes + size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return {};
    auto* guard = static_cast<std::byte*>(memory);
    if (mprotect(guard, kGuardBytes, PROT_NONE) != 0) {
        munmap(memory, kGuardBytes + size);
        return {};
    }
    Stack stack{guard + kGuardBytes, size, guard, nullptr};
#if defined(WARPWISE_TSAN)
    stack.tsan = new TsanFiber;
#endif
    return stack;
}

void unmap_stack(const Stack& stack) noexcept {
#if defined(WARPWISE_TSAN)
    delete stack.tsan;
#endif
    munmap(stack.guard, kGuardBytes + stack.size);
}

}  // namespace

StackPool& StackPool::instance() {
    static auto* pool = new StackPool(stack_bound());
    return *pool;
}

std::vector<Stack> StackPool::acquire(std::size_t count, std::size_t bytes, Wait wait) {
    if (count > max_stacks_) {
        throw LaunchError(fmt::format(
            "{} threads would have to be alive at once, but this system's limit of mappings "
            "(vm.max_map_count) allows {}; launch fewer or smaller blocks",
            count, max_stacks_));
    }
    const std::size_t size = std::bit_ceil(std::max(bytes, kMinStackBytes));
    std::vector<Stack> result;
    result.reserve(count);
    MutexLock lock(mutex_);
    std::vector<Stack>* same = &free_[size];
    // Whole or not at all: what is free of this size, plus what may still be mapped.
    while (same->size() < count && live_ + (count - same->size()) > max_stacks_) {
        unmap_others(size, live_ + (count - same->size()) - max_stacks_);
        if (live_ + (count - same->size()) <= max_stacks_) break;
        if (wait == Wait::No) return {};
        returned_.wait(lock);
        same = &free_[size];
    }
    const std::size_t reused = std::min(count, same->size());
    result.assign(same->end() - static_cast<std::ptrdiff_t>(reused), same->end());
    same->resize(same->size() - reused);
    while (result.size() < count) {
        const Stack stack = map_stack(size);
        if (stack.low == nullptr) {
            same->insert(same->end(), result.begin(), result.end());
            throw LaunchError(
                fmt::format("no memory for the stacks of {} threads of {} bytes each; use smaller "
                            "blocks or smaller local arrays",
                            count, size));
        }
        result.push_back(stack);
        ++live_;
    }
    return result;
}

void StackPool::release(std::vector<Stack>&& stacks) noexcept {
    if (stacks.empty()) return;
    MutexLock lock(mutex_);
    try {
        auto& same = free_[stacks.front().size];
        same.insert(same.end(), stacks.begin(), stacks.end());
    } catch (const std::bad_alloc&) {
        for (const Stack& stack : stacks) unmap_stack(stack);
        live_ -= stacks.size();
    }
    returned_.notify_all();
}

void StackPool::unmap_others(std::size_t size, std::size_t count) {
    for (auto& [other_size, stacks] : free_) {
        if (other_size == size) continue;
        for (; count > 0 && !stacks.empty(); --count, --live_) {
            unmap_stack(stacks.back());
            stacks.pop_back();
        }
    }
}

std::size_t StackPool::live() const {
    MutexLock lock(mutex_);
    return live_;
}

void StackPool::after_fork_in_child() {
    new (&returned_) Condition;
    mutex_.unlock();
}

}  // namespace warpwise::cpu
