// A CUPTI without a GPU: it records what the fake driver does. It has a clock of its own, writes
// records that are longer than what is read of them, as every version of the real one does, gives
// them in buffers that it asks for, and has one subscriber at a time.
#include "tests/unit/backends/cuda/fake_cupti.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "src/backends/cuda/profile/cupti_abi.hpp"
#include "tests/unit/backends/cuda/fake_watch.hpp"

namespace warpwise::cuda::fake {
namespace {

using cupti::Kind;
using cupti::Result;

constexpr std::uint64_t kClockAhead = 1'000'000'000'000;  // of the host's
constexpr std::size_t kRecordBytes = 208;                 // CUpti_ActivityKernel10 has as many
constexpr auto kEndOfBuffer = Result::MaxLimitReached;

struct Record {
    alignas(8) std::byte bytes[kRecordBytes];
};

struct World {
    std::mutex mutex;
    std::map<std::string, Result> failures;
    bool is_subscribed = false;
    std::set<Kind> kinds;
    cupti::BufferRequested request = nullptr;
    cupti::BufferCompleted complete = nullptr;
    std::deque<Record> records;
    std::size_t dropped = 0;
    std::map<ContextHandle, std::uint32_t> devices;
};

World& world() {
    static auto* const instance = new World;
    return *instance;
}

std::uint64_t now() {
    return kClockAhead +
           static_cast<std::uint64_t>(
               std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
                   .count());
}

Result enter(const char* name) {
    const std::lock_guard lock(world().mutex);
    const auto found = world().failures.find(name);
    if (found == world().failures.end()) return Result::Success;
    const Result result = found->second;
    world().failures.erase(found);
    return result;
}

#define FAKE_ENTER_CUPTI(name) \
    if (const Result result = fake::enter(name); result != Result::Success) return result

template <class T>
void add(const T& activity) {
    static_assert(sizeof(T) <= kRecordBytes);
    Record record;
    std::memset(record.bytes, 0xee, sizeof record.bytes);
    std::memcpy(record.bytes, &activity, sizeof activity);
    const std::lock_guard lock(world().mutex);
    if (world().kinds.contains(activity.kind)) world().records.push_back(record);
}

std::uint32_t number_of(ContextHandle context) {
    const std::lock_guard lock(world().mutex);
    // Not the driver's ordinals.
    return world()
        .devices.try_emplace(context, static_cast<std::uint32_t>(world().devices.size() + 7))
        .first->second;
}

template <class T>
T begun(Kind kind, const WatchedWork& work) {
    T activity{};
    activity.kind = kind;
    activity.start = static_cast<std::uint64_t>(work.start) + kClockAhead;
    activity.end = static_cast<std::uint64_t>(work.end) + kClockAhead;
    activity.device = number_of(work.context);
    activity.stream =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(work.stream) >> 4);
    return activity;
}

void add_kernel(const WatchedWork& work) {
    auto activity = begun<cupti::KernelActivity>(Kind::ConcurrentKernel, work);
    activity.registers = 40;
    for (int axis = 0; axis < 3; ++axis) {
        activity.grid[axis] = static_cast<std::int32_t>(work.grid[axis]);
        activity.block[axis] = static_cast<std::int32_t>(work.block[axis]);
    }
    activity.dynamic_shared_bytes = static_cast<std::int32_t>(work.dynamic_shared_bytes);
    activity.static_shared_bytes = 16;
    activity.local_bytes_per_thread = 8;
    activity.name = work.name;
    add(activity);
}

void watch(const WatchedWork& work) {
    switch (work.kind) {
        case WatchedWork::Kind::Kernel:
            return add_kernel(work);
        case WatchedWork::Kind::Fill: {
            auto activity = begun<cupti::MemsetActivity>(Kind::Memset, work);
            activity.bytes = work.bytes;
            return add(activity);
        }
        case WatchedWork::Kind::Between: {
            auto activity = begun<cupti::PeerActivity>(Kind::Memcpy2, work);
            activity.copy_kind = cupti::CopyKind::PtoP;
            activity.bytes = work.bytes;
            activity.source_device = activity.destination_device = activity.device;
            return add(activity);
        }
        default: {
            auto activity = begun<cupti::MemcpyActivity>(Kind::Memcpy, work);
            activity.copy_kind = work.kind == WatchedWork::Kind::Up     ? cupti::CopyKind::HtoD
                                 : work.kind == WatchedWork::Kind::Down ? cupti::CopyKind::DtoH
                                                                        : cupti::CopyKind::DtoD;
            activity.bytes = work.bytes;
            return add(activity);
        }
    }
}

void tell_driver(Watcher watcher) {
    const char* const path = std::getenv("WARPWISE_CUDA_DRIVER");
    void* const driver = path != nullptr ? ::dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (driver == nullptr) return;
    if (const auto set = reinterpret_cast<SetWatcher>(::dlsym(driver, kSetWatcher))) set(watcher);
    ::dlclose(driver);
}

// A buffer full, as a real one gives them.
bool deliver_some() {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
    std::size_t most = 0;
    world().request(&buffer, &bytes, &most);
    std::size_t used = 0;
    {
        const std::lock_guard lock(world().mutex);
        while (!world().records.empty() && used + kRecordBytes <= bytes) {
            std::memcpy(buffer + used, world().records.front().bytes, kRecordBytes);
            world().records.pop_front();
            used += kRecordBytes;
        }
    }
    world().complete(nullptr, 0, buffer, bytes, used);
    const std::lock_guard lock(world().mutex);
    return !world().records.empty();
}

}  // namespace
}  // namespace warpwise::cuda::fake

using namespace warpwise::cuda;
using cupti::Result;
using fake::world;

#pragma GCC visibility push(default)
extern "C" {

Result cuptiGetVersion(std::uint32_t* version) {
    *version = 130001;
    return Result::Success;
}
Result cuptiGetResultString(Result result, const char** text) {
    *text = result == Result::MultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : result == Result::InsufficientPrivileges ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                       : "CUPTI_ERROR_OF_THE_FAKE";
    return Result::Success;
}
Result cuptiSubscribe(cupti::Subscriber* subscriber, cupti::Callback, void*) {
    FAKE_ENTER_CUPTI("cuptiSubscribe");
    {
        const std::lock_guard lock(world().mutex);
        if (world().is_subscribed) return Result::MultipleSubscribers;
        world().is_subscribed = true;
    }
    *subscriber = reinterpret_cast<cupti::Subscriber>(1);
    fake::tell_driver(fake::watch);
    return Result::Success;
}
Result cuptiUnsubscribe(cupti::Subscriber) {
    fake::tell_driver(nullptr);
    const std::lock_guard lock(world().mutex);
    world().is_subscribed = false;
    world().records.clear();
    return Result::Success;
}
Result cuptiActivityRegisterCallbacks(cupti::BufferRequested request,
                                      cupti::BufferCompleted complete) {
    FAKE_ENTER_CUPTI("cuptiActivityRegisterCallbacks");
    const std::lock_guard lock(world().mutex);
    world().request = request;
    world().complete = complete;
    return Result::Success;
}
Result cuptiActivityEnable(cupti::Kind kind) {
    FAKE_ENTER_CUPTI("cuptiActivityEnable");
    const std::lock_guard lock(world().mutex);
    world().kinds.insert(kind);
    return Result::Success;
}
Result cuptiActivityDisable(cupti::Kind kind) {
    FAKE_ENTER_CUPTI("cuptiActivityDisable");
    const std::lock_guard lock(world().mutex);
    world().kinds.erase(kind);
    return Result::Success;
}
Result cuptiActivityFlushAll(std::uint32_t) {
    FAKE_ENTER_CUPTI("cuptiActivityFlushAll");
    while (fake::deliver_some()) {
    }
    return Result::Success;
}
Result cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                  cupti::Activity** record) {
    FAKE_ENTER_CUPTI("cuptiActivityGetNextRecord");
    auto* const next =
        *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + fake::kRecordBytes;
    if (next + fake::kRecordBytes > buffer + valid) return fake::kEndOfBuffer;
    *record = reinterpret_cast<cupti::Activity*>(next);
    return Result::Success;
}
Result cuptiActivityGetNumDroppedRecords(ContextHandle, std::uint32_t, std::size_t* dropped) {
    const std::lock_guard lock(world().mutex);
    *dropped = std::exchange(world().dropped, 0);
    return Result::Success;
}
Result cuptiGetTimestamp(std::uint64_t* time) {
    FAKE_ENTER_CUPTI("cuptiGetTimestamp");
    *time = fake::now();
    return Result::Success;
}
Result cuptiGetDeviceId(ContextHandle context, std::uint32_t* device) {
    FAKE_ENTER_CUPTI("cuptiGetDeviceId");
    *device = fake::number_of(context);
    return Result::Success;
}

void fake_cupti_fail(const char* name, int result) {
    const std::lock_guard lock(world().mutex);
    world().failures[name] = static_cast<Result>(result);
}
void fake_cupti_drop(std::size_t count) {
    const std::lock_guard lock(world().mutex);
    world().dropped = count;
}
bool fake_cupti_is_in_use() {
    const std::lock_guard lock(world().mutex);
    return world().is_subscribed || !world().kinds.empty();
}
void fake_cupti_add_kernel(const char* symbol, unsigned device, bool has_ended) {
    cupti::KernelActivity activity{};
    activity.kind = cupti::Kind::ConcurrentKernel;
    activity.start = has_ended ? fake::now() : 0;
    activity.end = has_ended ? activity.start + 5000 : 0;
    activity.device = device + 7;
    activity.name = symbol;
    fake::add(activity);
}
}
#pragma GCC visibility pop
