// See index_report.hpp. Invariant: a place of reports is never released, since a kernel may still
// run.
#include "src/graph/report/index_report.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/hooks/caller.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/error.hpp"

namespace warpwise::graph {
namespace {

// Where a program indexes. The line is that of the caller, as its language names it; may be empty.
struct IndexSite {
    std::string function;
    std::string line;
    int axis = 0;
    std::int64_t extent = 0;
};

// The same by a place of the program in the line's stead.
struct MarkedSite {
    std::string function;
    std::uint64_t place = 0;
    int axis = 0;
    std::int64_t extent = 0;
    friend bool operator==(const MarkedSite&, const MarkedSite&) = default;
};
struct HashOfMarked {
    std::size_t operator()(const MarkedSite& site) const noexcept {
        std::size_t hash = std::hash<std::string>()(site.function);
        for (const std::uint64_t part : {site.place, static_cast<std::uint64_t>(site.axis),
                                         static_cast<std::uint64_t>(site.extent)}) {
            hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
        }
        return hash;
    }
};

// As device/skeleton/indices.cuh declares it.
struct Report {
    std::uint32_t state = 0;
    std::uint32_t unused = 0;
    std::int64_t site = 0;
    std::int64_t value = 0;
};
constexpr std::uint32_t kComplete = 2;
constexpr std::size_t kMostSites = 1 << 16;

struct Sites {
    Mutex mutex;
    std::vector<IndexSite> list WARPWISE_GUARDED_BY(mutex);
    std::unordered_map<std::string, std::int64_t> numbers WARPWISE_GUARDED_BY(mutex);
    // Places that were named already. A place may come back under another number: then it is named
    // again.
    std::unordered_map<MarkedSite, std::int64_t, HashOfMarked> marked WARPWISE_GUARDED_BY(mutex);
};
struct Places {
    Mutex mutex;
    std::map<const runtime::Context*, Buffer> buffers WARPWISE_GUARDED_BY(mutex);
};

// Never destroyed: kernels and waits may outlive static objects.
Sites& sites() {
    static auto* const all = new Sites;
    return *all;
}
Places& places() {
    static auto* const all = new Places;
    return *all;
}

Report* place_of(const Buffer& buffer) {
    return reinterpret_cast<Report*>(static_cast<std::uintptr_t>(buffer.state()->address()));
}

[[noreturn]] void raise(const Report& report) {
    IndexSite site{.function = "an index"};
    {
        Sites& all = sites();
        MutexLock lock(all.mutex);
        const auto number = static_cast<std::size_t>(report.site);
        if (number < all.list.size()) site = all.list[number];
    }
    throw ArgumentError(
        ArgumentError::Kind::Index,
        fmt::format(
            "{}{} got index {}, which is out of bounds for axis {} with size {}; found when "
            "the kernel had run, where the access was clipped",
            site.function, site.line.empty() ? "" : fmt::format(" at {}", site.line), report.value,
            site.axis, site.extent));
}

// What the runtime calls after it has waited.
void raise_reported(runtime::Context& context) {
    Report* place = nullptr;
    {
        Places& all = places();
        MutexLock lock(all.mutex);
        const auto known = all.buffers.find(&context);
        if (known == all.buffers.end()) return;
        place = place_of(known->second);
    }
    const std::atomic_ref<std::uint32_t> state(place->state);
    std::uint32_t expected = kComplete;
    if (state.load(std::memory_order_acquire) != expected) return;
    const Report report = *place;
    if (state.compare_exchange_strong(expected, 0)) raise(report);
}

std::int64_t number_of(const IndexSite& site) {
    const std::string key =
        fmt::format("{}|{}|{}|{}", site.function, site.line, site.axis, site.extent);
    Sites& all = sites();
    MutexLock lock(all.mutex);
    if (const auto known = all.numbers.find(key); known != all.numbers.end()) return known->second;
    if (all.list.size() == kMostSites) return -1;
    const auto number = static_cast<std::int64_t>(all.list.size());
    all.list.push_back(site);
    all.numbers.emplace(key, number);
    return number;
}

}  // namespace

std::int64_t site_number(std::string_view function, int axis, std::int64_t extent) {
    MarkedSite here{std::string(function), caller_place(), axis, extent};
    Sites& all = sites();
    if (here.place != 0) {
        MutexLock lock(all.mutex);
        if (const auto known = all.marked.find(here); known != all.marked.end()) {
            return known->second;
        }
    }
    const std::int64_t number = number_of({here.function, caller_line(), axis, extent});
    if (here.place != 0) {
        MutexLock lock(all.mutex);
        if (all.marked.size() == kMostSites) all.marked.clear();
        all.marked.emplace(std::move(here), number);
    }
    return number;
}

runtime::DeviceAddress report_address(runtime::Context& context) {
    Places& all = places();
    {
        MutexLock lock(all.mutex);
        const auto known = all.buffers.find(&context);
        if (known != all.buffers.end()) return known->second.state()->address();
    }
    // Without the lock: what is short of memory may evaluate arrays, and so come here again.
    const auto kind = runtime::MemoryKind::PageLocked;
    const Buffer made(context.pool()->allocate_direct(sizeof(Report), kind), 0, sizeof(Report));
    *place_of(made) = Report{};
    MutexLock lock(all.mutex);
    const Buffer& buffer = all.buffers.try_emplace(&context, made).first->second;
    context.set_report_check(&raise_reported);
    return buffer.state()->address();
}

}  // namespace warpwise::graph
