// The optional part of the contract of back ends that is about other processes: memory and events
// of one process in another one of the same machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

using IpcBytes = std::array<std::byte, 64>;  // a handle, as the driver makes it

struct IpcMemory {
    IpcBytes handle{};
    DeviceAddress base = 0;  // of all that the handle stands for
    std::uint64_t bytes = 0;
};

// What open_memory() has opened, by handle.
class OpenedMemory {
  public:
    using Address = std::shared_ptr<const DeviceAddress>;

    // Kept by the caller from find() to add(), so that nothing is opened twice.
    Mutex& mutex() WARPWISE_THREAD_ATTRIBUTE(lock_returned(mutex_)) { return mutex_; }
    // Null where it is not open.
    Address find(const IpcBytes& handle) WARPWISE_REQUIRES(mutex_) {
        std::erase_if(addresses_, [](const auto& entry) { return entry.second.expired(); });
        const auto found = addresses_.find(handle);
        return found == addresses_.end() ? nullptr : found->second.lock();
    }
    Address add(const IpcBytes& handle, Address address) WARPWISE_REQUIRES(mutex_) {
        addresses_[handle] = address;
        return address;
    }

  private:
    Mutex mutex_;
    std::map<IpcBytes, std::weak_ptr<const DeviceAddress>> addresses_ WARPWISE_GUARDED_BY(mutex_);
};

class IpcSupport {
  public:
    virtual ~IpcSupport() = default;
    // Names a device in every process of the machine.
    virtual std::array<std::byte, 16> device_identity(int ordinal) = 0;
    // Whether memory in reserved addresses (reserved_memory.hpp) has handles.
    virtual bool shares_reserved_memory() const noexcept { return false; }
    // Whether memory that another library has allocated does.
    virtual bool shares_foreign_memory() const noexcept { return true; }
    // Of what the handle can stand for, with these bytes in it: their allocation, as a rule.
    virtual IpcMemory export_memory(int ordinal, DeviceAddress address, std::size_t bytes) = 0;
    // Where that lies in this process, until the last copy of the pointer is gone; what
    // was opened already is opened once. Throws ArgumentError for a handle that stands for nothing.
    virtual std::shared_ptr<const DeviceAddress> open_memory(int ordinal,
                                                             const IpcBytes& handle) = 0;
    virtual std::unique_ptr<EventImpl> make_event(int ordinal) = 0;  // that can be exported
    virtual IpcBytes export_event(EventImpl& event) = 0;
    virtual std::unique_ptr<EventImpl> open_event(int ordinal, const IpcBytes& handle) = 0;
};

}  // namespace warpwise::runtime
