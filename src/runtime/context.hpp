// The primary context of a device: its pool, its default stream and the list of its streams.
//
// There is one for each device; it is made at first use and never destroyed, so a Context& stays
// valid for the life of the process. The current context and streams are per thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/pending_work.hpp"
#include "warpwise/device.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::runtime {

class BufferState;
class PoolState;
class StreamCore;
class StreamState;

// Where an address lies. `found` without `buffer`: the library's memory, not in use.
struct MemoryPlace {
    bool found = false;
    bool is_host = false;
    DeviceAddress start = 0;
    std::shared_ptr<BufferState> buffer;  // null when it was freed
    bool is_pooled = false;               // goes to other buffers when it is freed
};

class Context : public std::enable_shared_from_this<Context> {
  public:
    Context(Backend& backend, int ordinal);

    std::shared_ptr<Context> shared() { return shared_from_this(); }
    Backend& backend() const noexcept { return backend_; }
    int ordinal() const noexcept { return ordinal_; }
    const std::string& name() const noexcept { return name_; }
    const DeviceInfo& info() const noexcept { return info_; }
    // Of device memory, and of page-locked memory for this device.
    const std::shared_ptr<PoolState>& pool() {
        if (!has_pool_.load(std::memory_order_acquire)) make_pool();
        return pool_;
    }
    const std::shared_ptr<PoolState>& host_pool() {
        if (!has_host_pool_.load(std::memory_order_acquire)) make_host_pool();
        return host_pool_;
    }
    // The allocation of the library that `address` lies in; as PoolState::find.
    MemoryPlace find_memory(DeviceAddress address);
    const std::shared_ptr<StreamState>& default_stream() {
        if (!has_default_stream_.load(std::memory_order_acquire)) make_default_stream();
        return default_stream_;
    }
    std::shared_ptr<StreamState> make_stream(const QueueOptions& options);
    // A stream made outside of the library; the same one while it lives. `owner` may be null.
    std::shared_ptr<StreamState> wrap_stream(std::uint64_t handle,
                                             std::shared_ptr<const void> owner);
    // Of the back end. Throws UnsupportedError where it has none.
    StreamHandles& stream_handles();
    TextureSupport& textures();

    // The stream has pending work: settle() asks it from now on while it lives.
    void note_pending(std::weak_ptr<StreamState> stream);
    // Flushes what is pending on the streams, all of them also when one fails; then throws the
    // first error. False when nothing was.
    bool settle(FlushReason reason);
    // Flushes and waits for every stream; then throws the first error found, once. What fails to
    // flush is not waited for.
    void synchronize();
    // The same, and returns every error found, each once.
    std::vector<std::exception_ptr> synchronize_all(FlushReason reason = FlushReason::Order);
    // Takes over a stream that has lost its last handle; its queue goes when its work has ended.
    void retire(const std::shared_ptr<StreamCore>& core) noexcept;
    // Whether memory that one stream gave back may be wanted by another.
    bool has_several_streams() const noexcept { return open_streams_.load() > 1; }
    bool is_used() const noexcept { return open_streams_.load() > 0; }
    void note_closed() noexcept { --open_streams_; }
    // Keeps an error whose stream can no longer report it, for synchronize().
    void remember_error(std::exception_ptr error) noexcept;
    // Throws what is remembered, if anything, and forgets it.
    void surface_remembered();
    // What the layer above wants asked after every wait for the device: it throws what kernels have
    // reported meanwhile. Called without a lock of the runtime.
    using ReportCheck = void (*)(Context&);
    void set_report_check(ReportCheck check) noexcept { report_check_.store(check); }
    void check_reports() {
        const ReportCheck check = report_check_.load(std::memory_order_relaxed);
        if (check != nullptr) check(*this);
    }

  private:
    void make_pool();
    void make_host_pool();
    void make_default_stream();
    std::shared_ptr<StreamCore> make_core(const QueueOptions& options);
    void know(const std::shared_ptr<StreamCore>& core);
    void close_finished() noexcept;
    std::vector<std::shared_ptr<StreamCore>> open_cores();

    Backend& backend_;
    const int ordinal_;
    const DeviceInfo& info_;
    const std::string name_;
    // Asked before the once_flags, which cost a call each time.
    std::atomic<bool> has_pool_{false}, has_host_pool_{false}, has_default_stream_{false};
    std::once_flag pool_once_, host_pool_once_, stream_once_;
    std::atomic<int> open_streams_{0};
    std::atomic<ReportCheck> report_check_{nullptr};
    std::shared_ptr<PoolState> pool_, host_pool_;
    std::shared_ptr<StreamState> default_stream_;
    Mutex mutex_;
    std::vector<std::weak_ptr<StreamCore>> cores_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<StreamCore>> retired_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::uint64_t, std::weak_ptr<StreamState>> wrapped_ WARPWISE_GUARDED_BY(mutex_);
    // Each once; those that have had pending work.
    std::vector<std::weak_ptr<StreamState>> pending_ WARPWISE_GUARDED_BY(mutex_);
    std::exception_ptr error_ WARPWISE_GUARDED_BY(mutex_);
};

// By name: "cpu", "cuda:1", "null". Throws DeviceError listing the devices there are.
std::shared_ptr<Context> find_context(std::string_view name);
std::vector<std::shared_ptr<Context>> listed_contexts();
// Those on which something may be queued.
std::vector<std::shared_ptr<Context>> used_contexts();
// This thread's.
const std::shared_ptr<Context>& current_context();
std::shared_ptr<Context> exchange_current_context(std::shared_ptr<Context> context) noexcept;

// This thread's current stream on `context`: the innermost StreamScope's, else the default stream.
const std::shared_ptr<StreamState>& scoped_stream(Context& context);
extern std::atomic<bool> g_has_scoped_streams;  // once any thread has set one
inline const std::shared_ptr<StreamState>& current_stream(Context& context) {
    const bool may_be_set = g_has_scoped_streams.load(std::memory_order_relaxed);
    return may_be_set ? scoped_stream(context) : context.default_stream();
}
// This thread's own stream on `context`, made at its first use.
std::shared_ptr<StreamState> thread_stream(Context& context);
// Sets it (nullptr: the default stream) and returns what was set before.
std::shared_ptr<StreamState> exchange_current_stream(Context& context,
                                                     std::shared_ptr<StreamState> stream);

}  // namespace warpwise::runtime
