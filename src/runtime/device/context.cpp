// Contexts and their streams. Nothing here waits for a device while it holds a lock.
#include "src/runtime/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/runtime/device/exit.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/runtime/stream_handles.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::runtime {
namespace {

// Devices in host memory have no siblings worth counting: "cpu", but "cuda:0".
std::string device_name(Backend& backend, int ordinal, const DeviceInfo& info) {
    if (info.shares_host_memory && ordinal == 0) return std::string(backend.kind());
    return fmt::format("{}:{}", backend.kind(), ordinal);
}

}  // namespace

Context::Context(Backend& backend, int ordinal)
    : backend_(backend),
      ordinal_(ordinal),
      info_(backend.device_info(ordinal)),
      name_(device_name(backend, ordinal, info_)) {}

void Context::make_pool() {
    std::call_once(pool_once_, [this] {
        if (settings().pool == "guard" && !backend_.allocator(ordinal_).guards_ends()) {
            throw UnsupportedError(fmt::format(
                "WARPWISE_POOL=guard: {} does not detect accesses past the end of a buffer, the "
                "CPU device does; set WARPWISE_DEVICE=cpu, or WARPWISE_POOL=none and run "
                "compute-sanitizer",
                name_));
        }
        auto pool =
            std::make_shared<PoolState>(*this, PoolPolicy::of_device(info_, settings().pool));
        if (settings().pool == "reserved") pool->set_growth(PoolGrowth::Reserved);
        pool_ = std::move(pool);
        has_pool_.store(true, std::memory_order_release);
    });
}

void Context::make_host_pool() {
    std::call_once(host_pool_once_, [this] {
        host_pool_ =
            std::make_shared<PoolState>(*this, PoolPolicy::of_page_locked(info_, settings().pool));
        has_host_pool_.store(true, std::memory_order_release);
    });
}

MemoryPlace Context::find_memory(DeviceAddress address) {
    MemoryPlace place = pool()->find(address);
    const bool may_be_host = !place.found && has_host_pool_.load(std::memory_order_acquire);
    return may_be_host ? host_pool_->find(address) : place;
}

void Context::make_default_stream() {
    std::call_once(stream_once_, [this] {
        default_stream_ = std::make_shared<StreamState>(
            make_core({.is_default = true, .time_limit = settings().time_limit}));
        has_default_stream_.store(true, std::memory_order_release);
    });
}

std::shared_ptr<StreamState> Context::make_stream(const QueueOptions& options) {
    close_finished();
    return std::make_shared<StreamState>(make_core(options));
}

StreamHandles& Context::stream_handles() {
    if (StreamHandles* const handles = backend_.stream_handles()) return *handles;
    throw UnsupportedError(fmt::format(
        "streams of {} have no handles: those are of CUDA's libraries, and belong to GPUs; make a "
        "Stream there",
        name_));
}

TextureSupport& Context::textures() {
    if (TextureSupport* const support = backend_.textures()) return *support;
    throw UnsupportedError(fmt::format("{} has no textures and surfaces", name_));
}

std::shared_ptr<StreamState> Context::wrap_stream(std::uint64_t handle,
                                                  std::shared_ptr<const void> owner) {
    StreamHandles& handles = stream_handles();
    if (handles.is_default(handle)) return default_stream();
    close_finished();
    {
        MutexLock lock(mutex_);
        std::erase_if(wrapped_, [](const auto& entry) { return entry.second.expired(); });
        if (const auto found = wrapped_.find(handle); found != wrapped_.end()) {
            if (auto stream = found->second.lock()) return stream;
        }
    }
    auto wrapped = handles.wrap(ordinal_, handle);
    auto core = std::make_shared<StreamCore>(*this, std::move(wrapped.queue), wrapped.options,
                                             std::move(owner));
    know(core);
    auto made = std::make_shared<StreamState>(std::move(core), false);
    MutexLock lock(mutex_);
    auto& slot = wrapped_[handle];
    // Another thread may have been here meanwhile.
    if (auto stream = slot.lock()) {
        lock.unlock();
        return stream;
    }
    slot = made;
    return made;
}

std::shared_ptr<StreamCore> Context::make_core(const QueueOptions& options) {
    auto core =
        std::make_shared<StreamCore>(*this, backend_.make_queue(ordinal_, options), options);
    know(core);
    return core;
}

void Context::know(const std::shared_ptr<StreamCore>& core) {
    finish_at_exit();
    MutexLock lock(mutex_);
    std::erase_if(cores_, [](const auto& weak) { return weak.expired(); });
    cores_.push_back(core);
    ++open_streams_;
}

std::vector<std::shared_ptr<StreamCore>> Context::open_cores() {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<StreamCore>> cores;
    for (const auto& weak : cores_) {
        if (auto core = weak.lock()) cores.push_back(std::move(core));
    }
    return cores;
}

void Context::note_pending(std::weak_ptr<StreamState> stream) {
    MutexLock lock(mutex_);
    std::erase_if(pending_, [&](const auto& known) {
        return known.expired() || (!known.owner_before(stream) && !stream.owner_before(known));
    });
    pending_.push_back(std::move(stream));
}

bool Context::settle(FlushReason reason) {
    std::vector<std::shared_ptr<StreamState>> streams;
    {
        MutexLock lock(mutex_);
        for (const auto& weak : pending_) {
            if (auto stream = weak.lock()) streams.push_back(std::move(stream));
        }
    }
    bool has_flushed = false;
    std::exception_ptr first;
    for (const auto& stream : streams) {
        try {
            has_flushed |= stream->settle(reason);
        } catch (const Interrupted&) {
            throw;
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
    return has_flushed;
}

void Context::synchronize() {
    const std::vector<std::exception_ptr> errors = synchronize_all();
    if (errors.empty()) return;
    // Only one can be thrown, and each is kept until one wait has had it.
    std::set<std::string> reported = {
        text_of_error(errors.front())};  // a lost context has one for all
    for (const std::exception_ptr& error : errors) {
        const std::string text = text_of_error(error);
        if (!reported.insert(text).second) continue;
        log::error("beside the error that synchronize() of {} raises: {}", name(), text);
    }
    std::rethrow_exception(errors.front());
}

std::vector<std::exception_ptr> Context::synchronize_all(FlushReason reason) {
    settle(reason);
    std::vector<std::exception_ptr> errors;
    for (const auto& core : open_cores()) {
        try {
            core->wait_until_done();
        } catch (const Interrupted&) {
            throw;
        } catch (...) {
            errors.push_back(std::current_exception());
        }
    }
    close_finished();
    pool()->sweep();
    host_pool()->sweep();
    MutexLock lock(mutex_);
    if (error_) errors.push_back(std::exchange(error_, nullptr));
    return errors;
}

void Context::retire(const std::shared_ptr<StreamCore>& core) noexcept {
    if (core->close_if_done()) return;
    try {
        MutexLock lock(mutex_);
        retired_.push_back(core);
    } catch (const std::bad_alloc&) {
        // Not lost: without memory for the list the queue's own destructor does the waiting.
        return;
    }
}

void Context::close_finished() noexcept {
    std::vector<std::shared_ptr<StreamCore>> candidates;
    {
        MutexLock lock(mutex_);
        candidates.swap(retired_);
    }
    std::erase_if(candidates, [](const auto& core) { return core->close_if_done(); });
    if (candidates.empty()) return;
    MutexLock lock(mutex_);
    if (retired_.empty()) {
        retired_.swap(candidates);
    } else {
        retired_.insert(retired_.end(), candidates.begin(), candidates.end());
    }
}

void Context::remember_error(std::exception_ptr error) noexcept {
    MutexLock lock(mutex_);
    if (!error_) error_ = std::move(error);
}

void Context::surface_remembered() {
    std::exception_ptr error;
    {
        MutexLock lock(mutex_);
        error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace warpwise::runtime
