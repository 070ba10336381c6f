// A bounded malloc that knows its blocks.
#include "src/backends/cpu/memory/device_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "src/backends/cpu/memory/host_memory.hpp"

namespace warpwise::cpu {

DeviceHeap& DeviceHeap::instance() {
    // CUDA starts with 8 MB and lets programs ask for more; here a quarter of memory is the bound.
    static auto* heap = new DeviceHeap(host_memory().total / 4);
    return *heap;
}

void* DeviceHeap::allocate(std::uint64_t bytes) noexcept {
    const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
    MutexLock lock(mutex_);
    if (size > max_bytes_ - used_) return nullptr;
    void* memory = std::malloc(size);
    if (memory == nullptr) return nullptr;
    try {
        blocks_.emplace(memory, size);
    } catch (const std::bad_alloc&) {
        std::free(memory);
        return nullptr;
    }
    used_ += size;
    return memory;
}

bool DeviceHeap::release(void* pointer) noexcept {
    if (pointer == nullptr) return true;
    MutexLock lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return false;
    used_ -= found->second;
    blocks_.erase(found);
    std::free(pointer);
    return true;
}

}  // namespace warpwise::cpu
