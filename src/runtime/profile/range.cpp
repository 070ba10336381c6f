// Ranges: a stack for each thread, one list for all that have ended.
#include "warpwise/range.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/base/nvtx.hpp"
#include "src/runtime/ranges.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {
namespace runtime {
namespace {

// One until a tool has been searched: afterwards for the tool, if there is one.
constexpr int kForTheTool = 1;

struct OpenRange {
    std::string name;
    std::int64_t start;
    bool is_told;  // to the tool
};

thread_local std::vector<OpenRange> t_ranges;
// Of push_range(): which of them began one.
thread_local std::vector<bool> t_pushed;

struct Kept {
    Mutex mutex;
    std::vector<ProfileRecord> records WARPWISE_GUARDED_BY(mutex);
    int watches WARPWISE_GUARDED_BY(mutex) = 0;
};

Kept& kept() {
    static Kept* const instance = new Kept;
    return *instance;
}

void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    kept().mutex.lock();
}
void after_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    kept().mutex.unlock();
}

[[maybe_unused]] const int kForkHandlers = pthread_atfork(before_fork, after_fork, after_fork);

std::uint64_t thread_number() noexcept {
    thread_local const auto number = static_cast<std::uint64_t>(::syscall(SYS_gettid));
    return number;
}

bool find_tool() {
    static const bool is_there = [] {
        const bool is_attached = nvtx::is_attached();
        if (!is_attached) g_range_watchers.fetch_sub(kForTheTool);
        return is_attached;
    }();
    return is_there;
}

bool is_watched() noexcept {
    return g_range_watchers.load(std::memory_order_relaxed) != 0;
}

void keep(ProfileRecord::Kind kind, std::string name, std::int64_t start, std::int64_t end) {
    ProfileRecord record;
    record.kind = kind;
    record.name = std::move(name);
    record.start = start;
    record.duration = end - start;
    record.thread = thread_number();
    MutexLock lock(kept().mutex);
    if (kept().watches > 0) kept().records.push_back(std::move(record));
}

}  // namespace

std::atomic<int> g_range_watchers{kForTheTool};

std::int64_t host_now() noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool begin_range(std::string_view name) {
    const bool is_told = find_tool();
    if (!is_watched()) return false;
    t_ranges.push_back({std::string(name), host_now(), is_told});
    if (is_told) nvtx::push(t_ranges.back().name.c_str());
    return true;
}

void end_range() noexcept {
    OpenRange range = std::move(t_ranges.back());
    t_ranges.pop_back();
    if (range.is_told) nvtx::pop();
    try {
        keep(ProfileRecord::Kind::Range, std::move(range.name), range.start, host_now());
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a destructor's; one record
    }
}

RangeWatch::RangeWatch() : begin_(host_now()) {
    MutexLock lock(kept().mutex);
    ++kept().watches;
    g_range_watchers.fetch_add(1);
}

RangeWatch::~RangeWatch() {
    g_range_watchers.fetch_sub(1);
    MutexLock lock(kept().mutex);
    if (--kept().watches == 0) kept().records.clear();
}

std::vector<ProfileRecord> RangeWatch::records() const {
    std::vector<ProfileRecord> result;
    MutexLock lock(kept().mutex);
    for (const ProfileRecord& record : kept().records) {
        if (record.start >= begin_) result.push_back(record);
    }
    return result;
}

}  // namespace runtime

void push_range(std::string_view name) {
    const bool is_watched = runtime::g_range_watchers.load(std::memory_order_relaxed) != 0;
    runtime::t_pushed.reserve(runtime::t_pushed.size() + 1);
    runtime::t_pushed.push_back(is_watched && runtime::begin_range(name));
}

void pop_range() {
    if (runtime::t_pushed.empty()) {
        runtime::refuse_value(
            "no range is open in this thread; a range ends in the thread that began it");
    }
    const bool begun = runtime::t_pushed.back();
    runtime::t_pushed.pop_back();
    if (begun) runtime::end_range();
}

void mark(std::string_view name) {
    if (runtime::g_range_watchers.load(std::memory_order_relaxed) == 0) return;
    const std::string text(name);
    if (runtime::find_tool()) nvtx::mark(text.c_str());
    if (!runtime::is_watched()) return;
    const std::int64_t now = runtime::host_now();
    runtime::keep(ProfileRecord::Kind::Mark, text, now, now);
}

}  // namespace warpwise
