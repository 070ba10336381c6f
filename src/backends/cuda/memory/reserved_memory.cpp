// The handle of a chunk is released as soon as it is mapped: the mapping keeps the memory.
#include "src/backends/cuda/memory/reserved_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

using runtime::DeviceAddress;

DeviceHandle CudaReservedMemory::device(int ordinal) {
    DeviceHandle handle = 0;
    context_.check(driver().device_get(&handle, ordinal), "find a device");
    return handle;
}

ChunkProperties CudaReservedMemory::properties() {
    ChunkProperties properties{};
    properties.type = ChunkProperties::Type::Pinned;
    properties.place = {ChunkPlace::Type::Device, device(context_.ordinal())};
    return properties;
}

bool CudaReservedMemory::is_supported() {
    int value = 0;
    const Status status = driver().device_attribute(
        &value, DeviceAttribute::VirtualMemoryManagement, device(context_.ordinal()));
    return status == Status::Success && value != 0;
}

std::size_t CudaReservedMemory::granule() {
    MutexLock lock(mutex_);
    if (granule_ == 0) {
        const PrimaryContext::Scope scope(context_);
        const ChunkProperties requested = properties();
        std::size_t granule = 0;
        context_.check(driver().chunk_granularity(&granule, &requested, ChunkGranularity::Minimum),
                       "ask for the granularity of memory");
        granule_ = granule;
    }
    return granule_;
}

DeviceAddress CudaReservedMemory::reserve(std::size_t bytes) {
    const PrimaryContext::Scope scope(context_);
    DevicePointer address = 0;
    const Status status = driver().reserve_addresses(&address, bytes, 0, 0, 0);
    if (status == Status::OutOfMemory) {
        throw OutOfMemoryError(fmt::format("the driver reserves no {} of addresses for cuda:{}",
                                           human_bytes(bytes), context_.ordinal()));
    }
    context_.check(status, "reserve addresses");
    return address;
}

void CudaReservedMemory::release(DeviceAddress address, std::size_t bytes) noexcept {
    context_.ignoring_errors([&](const Driver& driver) { driver.free_addresses(address, bytes); });
}

void CudaReservedMemory::map(DeviceAddress address, std::size_t bytes, std::size_t chunk) {
    const PrimaryContext::Scope scope(context_);
    std::size_t mapped = 0;
    Status status = Status::Success;
    try {
        status = map_chunks(address, bytes, chunk, mapped);
        if (status == Status::Success) status = open(address, bytes, chunk);
    } catch (...) {
        if (mapped > 0) unmap(address, mapped);
        throw;
    }
    if (status == Status::Success) return;
    if (mapped > 0) unmap(address, mapped);
    if (status == Status::OutOfMemory) {
        std::size_t free = 0, total = 0;
        context_.check(driver().memory_info(&free, &total), "ask for free memory");
        throw OutOfMemoryError(fmt::format("{} were asked for, {} of {} are free on cuda:{}",
                                           human_bytes(bytes), human_bytes(free),
                                           human_bytes(total), context_.ordinal()));
    }
    context_.check(status, "map memory");
}

Status CudaReservedMemory::map_chunks(DeviceAddress address, std::size_t bytes, std::size_t chunk,
                                      std::size_t& mapped) {
    const Driver& driver = cuda::driver();
    const ChunkProperties requested = properties();
    while (mapped < bytes) {
        const std::size_t next = std::min(chunk, bytes - mapped);
        ChunkHandle handle = 0;
        Status status = driver.chunk_create(&handle, next, &requested, 0);
        if (status != Status::Success) return status;
        status = driver.chunk_map(address + mapped, next, 0, handle, 0);
        if (status == Status::Success) mapped += next;
        const Status released = driver.chunk_release(handle);
        if (status == Status::Success) status = released;
        if (status != Status::Success) return status;
    }
    return Status::Success;
}

Status CudaReservedMemory::open(DeviceAddress address, std::size_t bytes, std::size_t chunk) {
    const ChunkAccess own{{ChunkPlace::Type::Device, device(context_.ordinal())},
                          ChunkAccess::Rights::ReadWrite};
    MutexLock lock(mutex_);
    std::vector<ChunkAccess> all{own};
    for (const DeviceHandle peer : peers_) {
        all.push_back({{ChunkPlace::Type::Device, peer}, ChunkAccess::Rights::ReadWrite});
    }
    const Status status = driver().chunk_access(address, bytes, all.data(), all.size());
    if (status != Status::Success) return status;
    for (std::size_t done = 0; done < bytes; done += chunk) {
        chunks_[address + done] = std::min(chunk, bytes - done);
    }
    return status;
}

void CudaReservedMemory::unmap(DeviceAddress address, std::size_t bytes) noexcept {
    {
        MutexLock lock(mutex_);
        chunks_.erase(chunks_.lower_bound(address), chunks_.lower_bound(address + bytes));
    }
    context_.ignoring_errors([&](const Driver& driver) { driver.chunk_unmap(address, bytes); });
}

// Neighbours take one call.
Status CudaReservedMemory::set_access(DeviceHandle peer, ChunkAccess::Rights rights) {
    const ChunkAccess access{{ChunkPlace::Type::Device, peer}, rights};
    for (auto it = chunks_.begin(); it != chunks_.end();) {
        const DeviceAddress begin = it->first;
        DeviceAddress end = begin;
        for (; it != chunks_.end() && it->first == end; ++it) end += it->second;
        const Status status = driver().chunk_access(begin, end - begin, &access, 1);
        if (status != Status::Success) return status;
    }
    return Status::Success;
}

void CudaReservedMemory::grant(int peer) {
    const DeviceHandle handle = device(peer);
    const PrimaryContext::Scope scope(context_);
    MutexLock lock(mutex_);
    if (std::ranges::find(peers_, handle) != peers_.end()) return;
    peers_.reserve(peers_.size() + 1);
    const Status status = set_access(handle, ChunkAccess::Rights::ReadWrite);
    if (status == Status::Success) {
        peers_.push_back(handle);
        return;
    }
    set_access(handle, ChunkAccess::Rights::None);
    lock.unlock();
    context_.check(status, "give a peer access to reserved memory");
}

void CudaReservedMemory::revoke(int peer) noexcept {
    context_.ignoring_errors([&](const Driver& driver) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        DeviceHandle handle = 0;
        if (driver.device_get(&handle, peer) != Status::Success) return;
        MutexLock lock(mutex_);
        if (std::erase(peers_, handle) > 0) set_access(handle, ChunkAccess::Rights::None);
    });
}

}  // namespace warpwise::cuda
