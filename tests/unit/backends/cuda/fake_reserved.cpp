// Of the fake driver: addresses, and memory that is mapped behind them. As strict as the real one:
// a chunk is mapped whole, at addresses that are reserved and free, and unmapped whole; it is
// within reach of the devices that were given access to it. Without that a touch ends the process.
#include <sys/mman.h>

#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

constexpr std::size_t kGranule = std::size_t{2} << 20;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

struct Chunk {
    std::size_t bytes = 0;
    DeviceHandle device = 0;
    bool is_released = false;
    bool is_mapped = false;
};
struct Mapping {
    std::size_t bytes = 0;
    ChunkHandle chunk = 0;
    std::set<DeviceHandle> devices;  // with access
};

struct Reserved {
    std::mutex mutex;
    std::map<DevicePointer, std::size_t> ranges;
    std::map<ChunkHandle, Chunk> chunks;
    std::map<DevicePointer, Mapping> mappings;
    ChunkHandle last = 0;

    void drop_if_unused(ChunkHandle handle) {
        const auto chunk = chunks.find(handle);
        if (!chunk->second.is_released || chunk->second.is_mapped) return;
        give_memory(chunk->second.bytes);
        chunks.erase(chunk);
    }
    // Whether whole mappings, side by side, are what lies there.
    bool is_whole(DevicePointer address, std::size_t bytes) const {
        DevicePointer end = address;
        for (auto it = mappings.find(address); it != mappings.end() && it->first == end; ++it) {
            end += it->second.bytes;
            if (end >= address + bytes) break;
        }
        return bytes > 0 && end == address + bytes;
    }
};

Reserved& reserved() {
    static auto* const instance = new Reserved;
    return *instance;
}

bool is_granular(std::uint64_t value) {
    return value != 0 && value % kGranule == 0;
}

bool is_of_a_device(const ChunkProperties& properties) {
    return properties.type == ChunkProperties::Type::Pinned &&
           properties.place.type == ChunkPlace::Type::Device && properties.place.device >= 0 &&
           properties.place.device < kDevices;
}

void protect(DevicePointer address, std::size_t bytes, int rights) {
    ::mprotect(reinterpret_cast<void*>(address), bytes, rights);
}

}  // namespace

bool is_reserved(DevicePointer address) {
    const std::lock_guard lock(reserved().mutex);
    const auto after = reserved().ranges.upper_bound(address);
    if (after == reserved().ranges.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return address < begin + bytes;
}

bool has_access(DevicePointer address, DeviceHandle device) {
    const std::lock_guard lock(reserved().mutex);
    const auto after = reserved().mappings.upper_bound(address);
    if (after == reserved().mappings.begin()) return false;
    const auto& [begin, mapping] = *std::prev(after);
    return address < begin + mapping.bytes && mapping.devices.contains(device);
}

int left_over() {
    const std::lock_guard lock(reserved().mutex);
    return static_cast<int>(reserved().ranges.size() + reserved().chunks.size() +
                            reserved().mappings.size());
}

Status reserve_addresses(DevicePointer* address, std::size_t bytes, std::size_t, DevicePointer,
                         unsigned long long flags) {
    FAKE_ENTER("cuMemAddressReserve");
    if (!is_granular(bytes) || flags != 0) return Status::InvalidValue;
    void* const memory = ::mmap(nullptr, bytes + kGranule, PROT_NONE, kFlags, -1, 0);
    if (memory == MAP_FAILED) return Status::OutOfMemory;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    *address = (begin + kGranule - 1) / kGranule * kGranule;
    if (*address > begin) ::munmap(memory, *address - begin);
    if (const std::size_t rest = begin + kGranule - *address; rest > 0) {
        ::munmap(reinterpret_cast<void*>(*address + bytes), rest);
    }
    const std::lock_guard lock(reserved().mutex);
    reserved().ranges[*address] = bytes;
    return Status::Success;
}
Status free_addresses(DevicePointer address, std::size_t bytes) {
    FAKE_ENTER("cuMemAddressFree");
    const std::lock_guard lock(reserved().mutex);
    const auto found = reserved().ranges.find(address);
    if (found == reserved().ranges.end() || found->second != bytes) return Status::InvalidValue;
    const auto mapped = reserved().mappings.lower_bound(address);
    if (mapped != reserved().mappings.end() && mapped->first < address + bytes) {
        return Status::InvalidValue;
    }
    ::munmap(reinterpret_cast<void*>(address), bytes);
    reserved().ranges.erase(found);
    return Status::Success;
}

Status chunk_granularity(std::size_t* bytes, const ChunkProperties* properties, ChunkGranularity) {
    FAKE_ENTER("cuMemGetAllocationGranularity");
    if (!is_of_a_device(*properties)) return Status::InvalidValue;
    *bytes = kGranule;
    return Status::Success;
}
Status chunk_create(ChunkHandle* handle, std::size_t bytes, const ChunkProperties* properties,
                    unsigned long long flags) {
    FAKE_ENTER("cuMemCreate");
    if (!is_granular(bytes) || !is_of_a_device(*properties) || flags != 0) {
        return Status::InvalidValue;
    }
    if (!take_memory(bytes)) return Status::OutOfMemory;
    const std::lock_guard lock(reserved().mutex);
    *handle = ++reserved().last;
    reserved().chunks[*handle] = {.bytes = bytes, .device = properties->place.device};
    return Status::Success;
}
Status chunk_release(ChunkHandle handle) {
    FAKE_ENTER("cuMemRelease");
    const std::lock_guard lock(reserved().mutex);
    const auto found = reserved().chunks.find(handle);
    if (found == reserved().chunks.end() || found->second.is_released) return Status::InvalidValue;
    found->second.is_released = true;
    reserved().drop_if_unused(handle);
    return Status::Success;
}
Status chunk_map(DevicePointer address, std::size_t bytes, std::size_t offset, ChunkHandle handle,
                 unsigned long long flags) {
    FAKE_ENTER("cuMemMap");
    if (!is_reserved(address) || !is_reserved(address + bytes - 1)) return Status::InvalidValue;
    const std::lock_guard lock(reserved().mutex);
    const auto found = reserved().chunks.find(handle);
    if (found == reserved().chunks.end() || found->second.bytes != bytes || offset != 0 ||
        flags != 0 || !is_granular(address)) {
        return Status::InvalidValue;
    }
    const auto after = reserved().mappings.lower_bound(address);
    if (after != reserved().mappings.end() && after->first < address + bytes) {
        return Status::InvalidValue;
    }
    if (after != reserved().mappings.begin()) {
        const auto& [begin, mapping] = *std::prev(after);
        if (begin + mapping.bytes > address) return Status::InvalidValue;
    }
    found->second.is_mapped = true;
    reserved().mappings[address] = {.bytes = bytes, .chunk = handle, .devices = {}};
    return Status::Success;
}
Status chunk_unmap(DevicePointer address, std::size_t bytes) {
    FAKE_ENTER("cuMemUnmap");
    const std::lock_guard lock(reserved().mutex);
    if (!reserved().is_whole(address, bytes)) return Status::InvalidValue;
    auto it = reserved().mappings.find(address);
    while (it != reserved().mappings.end() && it->first < address + bytes) {
        remove_device_memory(it->first);
        const ChunkHandle chunk = it->second.chunk;
        reserved().chunks.at(chunk).is_mapped = false;
        reserved().drop_if_unused(chunk);
        it = reserved().mappings.erase(it);
    }
    // What was in it is gone.
    ::mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, kFlags | MAP_FIXED, -1, 0);
    return Status::Success;
}
Status chunk_access(DevicePointer address, std::size_t bytes, const ChunkAccess* accesses,
                    std::size_t count) {
    FAKE_ENTER("cuMemSetAccess");
    const std::lock_guard lock(reserved().mutex);
    if (!reserved().is_whole(address, bytes)) return Status::InvalidValue;
    auto it = reserved().mappings.find(address);
    for (; it != reserved().mappings.end() && it->first < address + bytes; ++it) {
        Mapping& mapping = it->second;
        for (std::size_t i = 0; i < count; ++i) {
            if (accesses[i].rights == ChunkAccess::Rights::ReadWrite) {
                mapping.devices.insert(accesses[i].place.device);
            } else {
                mapping.devices.erase(accesses[i].place.device);
            }
        }
        const bool is_open = mapping.devices.contains(reserved().chunks.at(mapping.chunk).device);
        protect(it->first, mapping.bytes, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
        if (is_open) add_device_memory(it->first, mapping.bytes);
    }
    return Status::Success;
}

}  // namespace warpwise::cuda::fake
