// The state of an event of several processes is the only thing on its page.
#include "src/backends/cpu/ipc/ipc.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "src/backends/cpu/launch/event.hpp"
#include "src/backends/cpu/memory/shared_pages.hpp"
#include "src/base/file.hpp"
#include "src/base/hash.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

static_assert(sizeof(SharedPlace) <= sizeof(runtime::IpcBytes));
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(EventState) <= kPageBytes && std::is_trivially_destructible_v<EventState>);

runtime::IpcBytes to_bytes(const SharedPlace& place) {
    runtime::IpcBytes bytes{};
    std::memcpy(bytes.data(), &place, sizeof place);
    return bytes;
}

SharedPlace to_place(const runtime::IpcBytes& bytes) {
    SharedPlace place;
    std::memcpy(&place, bytes.data(), sizeof place);
    return place;
}

class SharedCpuEvent final : public CpuEvent {
  public:
    SharedCpuEvent(Scheduler& scheduler, std::shared_ptr<EventState> state,
                   const SharedPlace& place)
        : CpuEvent(scheduler, std::move(state)), place_(place) {}
    const SharedPlace& place() const noexcept { return place_; }

  private:
    SharedPlace place_;
};

// A page of this process for one event.
std::shared_ptr<void> new_page() {
    void* const page =
        mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw OutOfMemoryError("the system has no page for an event");
    return {page, [](void* mapped) {
                SharedPages::instance().forget(reinterpret_cast<std::uintptr_t>(mapped),
                                               kPageBytes);
                munmap(mapped, kPageBytes);
            }};
}

}  // namespace

// The machine since it was started, as every process reads it.
std::array<std::byte, 16> CpuIpc::device_identity(int) {
    const auto boot = read_file_if_there("/proc/sys/kernel/random/boot_id");
    const std::array<std::uint64_t, 2> words{hash64(boot.value_or("")), hash64("cpu")};
    std::array<std::byte, 16> identity{};
    std::memcpy(identity.data(), words.data(), identity.size());
    return identity;
}

runtime::IpcMemory CpuIpc::export_memory(int, runtime::DeviceAddress address, std::size_t bytes) {
    const SharedPlace place = SharedPages::instance().share(address, bytes);
    return {.handle = to_bytes(place), .base = place.begin, .bytes = place.bytes};
}

std::shared_ptr<const runtime::DeviceAddress> CpuIpc::open_memory(int,
                                                                  const runtime::IpcBytes& handle) {
    MutexLock lock(opened_.mutex());
    if (auto address = opened_.find(handle)) return address;
    return opened_.add(handle, map_shared(to_place(handle), "memory"));
}

std::unique_ptr<runtime::EventImpl> CpuIpc::make_event(int) {
    auto page = new_page();
    void* const where = page.get();
    const SharedPlace place =
        SharedPages::instance().share(reinterpret_cast<std::uintptr_t>(where), kPageBytes);
    std::shared_ptr<EventState> state(std::move(page), new (where) EventState{.is_shared = true});
    return std::make_unique<SharedCpuEvent>(scheduler_, std::move(state), place);
}

runtime::IpcBytes CpuIpc::export_event(runtime::EventImpl& event) {
    return to_bytes(static_cast<SharedCpuEvent&>(event).place());
}

std::unique_ptr<runtime::EventImpl> CpuIpc::open_event(int, const runtime::IpcBytes& handle) {
    const SharedPlace place = to_place(handle);
    auto page = map_shared(place, "event");
    auto* const state = reinterpret_cast<EventState*>(*page);
    return std::make_unique<SharedCpuEvent>(
        scheduler_, std::shared_ptr<EventState>(std::move(page), state), place);
}

}  // namespace warpwise::cpu
