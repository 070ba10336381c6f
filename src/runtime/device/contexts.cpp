// The table of all contexts, and what is current in each thread.
//
// The table is never destroyed: handles in static objects stay valid until the process has ended.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "src/base/environment.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/registry.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::runtime {
namespace {

struct Table {
    Mutex mutex;
    std::map<std::pair<std::string_view, int>, std::shared_ptr<Context>> contexts
        WARPWISE_GUARDED_BY(mutex);
};

Table& table() {
    static Table* const instance = new Table;
    return *instance;
}

std::shared_ptr<Context> context_of(const RegistryRow& row, int ordinal) {
    Table& all = table();
    MutexLock lock(all.mutex);
    auto& slot = all.contexts[{row.kind, ordinal}];
    if (!slot) slot = std::make_shared<Context>(row.backend(), ordinal);
    return slot;
}

std::string list_of_devices() {
    std::vector<std::string> names;
    for (const auto& context : listed_contexts()) names.push_back(context->name());
    return names.empty() ? "none" : join(names);
}

[[noreturn]] void no_such_device(std::string_view name, std::string_view why) {
    throw DeviceError(fmt::format("there is no device {}{}; the devices here are: {}", quote(name),
                                  why, list_of_devices()));
}

struct DeviceName {
    std::string_view kind;
    int ordinal = 0;
};

std::optional<DeviceName> parse_name(std::string_view name) {
    const auto colon = name.find(':');
    if (colon == std::string_view::npos) return DeviceName{name};
    DeviceName parsed{name.substr(0, colon)};
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + colon + 1, end, parsed.ordinal);
    if (error != std::errc() || rest != end || parsed.ordinal < 0) return std::nullopt;
    return parsed;
}

// The environment variable that settings().device comes from.
std::string_view device_variable() {
    const std::optional<std::string> own = process_environment("WARPWISE_DEVICE");
    if (own && !own->empty()) return "WARPWISE_DEVICE";
    return settings().device == "cpu" ? "NUMBA_ENABLE_CUDASIM" : "CUDA_DEVICE";
}

std::shared_ptr<Context> context_of_settings() {
    try {
        return find_context(settings().device);
    } catch (const DeviceError& error) {
        throw DeviceError(fmt::format("{}; the environment variable {} selects {}", error.what(),
                                      device_variable(), quote(settings().device)));
    }
}

std::shared_ptr<Context> default_context() {
    if (!settings().device.empty()) return context_of_settings();
    for (const RegistryRow& row : registry()) {
        if (row.is_listed && row.backend().device_count() > 0) return context_of(row, 0);
    }
    throw DeviceError("no device of any kind was found; this build of Warpwise has no CPU device");
}

thread_local std::shared_ptr<Context> t_current;
thread_local std::vector<std::pair<Context*, std::shared_ptr<StreamState>>> t_streams;
thread_local std::vector<std::shared_ptr<StreamState>> t_own_streams;

}  // namespace

std::shared_ptr<Context> find_context(std::string_view name) {
    const auto parsed = parse_name(name);
    if (!parsed) no_such_device(name, ": after the colon stands the number of the device");
    for (const RegistryRow& row : registry()) {
        if (row.kind != parsed->kind) continue;
        Backend& backend = row.backend();
        const int count = backend.device_count();
        if (parsed->ordinal < count) return context_of(row, parsed->ordinal);
        if (count > 0) no_such_device(name, fmt::format(": {} has {} device(s)", row.kind, count));
        const std::string reason = backend.unavailable_reason();
        no_such_device(name, reason.empty() ? "" : " (" + reason + ")");
    }
    no_such_device(name, "");
}

std::vector<std::shared_ptr<Context>> listed_contexts() {
    std::vector<std::shared_ptr<Context>> contexts;
    for (const RegistryRow& row : registry()) {
        if (!row.is_listed) continue;
        const int count = row.backend().device_count();
        for (int i = 0; i < count; ++i) contexts.push_back(context_of(row, i));
    }
    return contexts;
}

std::vector<std::shared_ptr<Context>> used_contexts() {
    std::vector<std::shared_ptr<Context>> used;
    Table& all = table();
    MutexLock lock(all.mutex);
    for (const auto& [name, context] : all.contexts) {
        if (context->is_used()) used.push_back(context);
    }
    return used;
}

[[gnu::hot]] const std::shared_ptr<Context>& current_context() {
    if (t_current) return t_current;
    // Never destroyed, like the contexts. A failed look-up throws and is tried again.
    static const auto* const fallback = new std::shared_ptr<Context>(default_context());
    return *fallback;
}

std::shared_ptr<Context> exchange_current_context(std::shared_ptr<Context> context) noexcept {
    return std::exchange(t_current, std::move(context));
}

std::atomic<bool> g_has_scoped_streams{false};

[[gnu::hot]] const std::shared_ptr<StreamState>& scoped_stream(Context& context) {
    for (const auto& [owner, stream] : t_streams) {
        if (owner == &context && stream) return stream;
    }
    return context.default_stream();
}

std::shared_ptr<StreamState> thread_stream(Context& context) {
    for (const auto& stream : t_own_streams) {
        if (&stream->context() == &context) return stream;
    }
    return t_own_streams.emplace_back(context.make_stream({.time_limit = settings().time_limit}));
}

std::shared_ptr<StreamState> exchange_current_stream(Context& context,
                                                     std::shared_ptr<StreamState> stream) {
    for (auto& [owner, slot] : t_streams) {
        if (owner == &context) return std::exchange(slot, std::move(stream));
    }
    t_streams.emplace_back(&context, std::move(stream));
    g_has_scoped_streams.store(true, std::memory_order_relaxed);
    return nullptr;
}

}  // namespace warpwise::runtime
