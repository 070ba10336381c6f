// The table of its functions, the subscription, and the recordings that share it.
#include "src/backends/cuda/profile/cupti.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "src/backends/cuda/driver/libraries.hpp"
#include "src/backends/cuda/driver/library_search.hpp"
#include "src/backends/cuda/profile/cupti_abi.hpp"
#include "src/backends/cuda/profile/cupti_records.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/runtime/ranges.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using cupti::Kind;
using cupti::Result;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT
// Nanoseconds: the GPU's clock is brought to the host's by rule of three.
constexpr std::uint64_t kSlack = 50'000;
constexpr Kind kKinds[] = {Kind::ConcurrentKernel, Kind::Memcpy, Kind::Memcpy2, Kind::Memset};

struct Functions {
    Result (*cuptiGetResultString)(Result, const char**) = nullptr;
    Result (*cuptiSubscribe)(cupti::Subscriber*, cupti::Callback, void*) = nullptr;
    Result (*cuptiUnsubscribe)(cupti::Subscriber) = nullptr;
    Result (*cuptiActivityRegisterCallbacks)(cupti::BufferRequested,
                                             cupti::BufferCompleted) = nullptr;
    Result (*cuptiActivityEnable)(Kind) = nullptr;
    Result (*cuptiActivityDisable)(Kind) = nullptr;
    Result (*cuptiActivityFlushAll)(std::uint32_t) = nullptr;
    Result (*cuptiActivityGetNextRecord)(std::uint8_t*, std::size_t, cupti::Activity**) = nullptr;
    Result (*cuptiActivityGetNumDroppedRecords)(ContextHandle, std::uint32_t,
                                                std::size_t*) = nullptr;
    Result (*cuptiGetTimestamp)(std::uint64_t*) = nullptr;
    Result (*cuptiGetDeviceId)(ContextHandle, std::uint32_t*) = nullptr;

    // The name of the first that is missing, or null.
    const char* fill(void* library) {
        SymbolFinder find(library);
#define WARPWISE_CUPTI(name) find(name, #name)
        WARPWISE_CUPTI(cuptiGetResultString);
        WARPWISE_CUPTI(cuptiSubscribe);
        WARPWISE_CUPTI(cuptiUnsubscribe);
        WARPWISE_CUPTI(cuptiActivityRegisterCallbacks);
        WARPWISE_CUPTI(cuptiActivityEnable);
        WARPWISE_CUPTI(cuptiActivityDisable);
        WARPWISE_CUPTI(cuptiActivityFlushAll);
        WARPWISE_CUPTI(cuptiActivityGetNextRecord);
        WARPWISE_CUPTI(cuptiActivityGetNumDroppedRecords);
        WARPWISE_CUPTI(cuptiGetTimestamp);
        WARPWISE_CUPTI(cuptiGetDeviceId);
#undef WARPWISE_CUPTI
        return find.missing();
    }
};

const Functions& functions() {
    static const auto* const found = [] {
        const OpenedLibrary opened = open_library(Library::Cupti);
        auto made = std::make_unique<Functions>();
        if (const char* const missing = made->fill(opened.handle)) {
            throw DeviceError(fmt::format("{} is no CUPTI of CUDA 12 or newer: it has no {}",
                                          quote(opened.path), missing));
        }
        return made.release();
    }();
    return *found;
}

std::string what_to_do(Result result) {
    switch (result) {
        case Result::MultipleSubscribers:
        case Result::MaxLimitReached:
            return "another profiler or debugger is attached to this process (Nsight, cuda-gdb, "
                   "compute-sanitizer, the profiler of another library); end that one, or ask for "
                   "the source \"events\"";
        case Result::InsufficientPrivileges:
            return "the driver lets only administrators profile (NVreg_RestrictProfilingToAdmin"
                   "Users); have that changed, or ask for the source \"events\"";
        default:
            return "ask for the source \"events\", which needs no CUPTI";
    }
}

void check(Result result, const char* doing) {
    if (result == Result::Success) return;
    const char* name = nullptr;
    functions().cuptiGetResultString(result, &name);
    throw DeviceError(fmt::format(
        "CUPTI cannot {}: {}: {}", doing,
        name != nullptr ? std::string(name) : fmt::format("error {}", static_cast<int>(result)),
        what_to_do(result)));
}

// What one recording waits for, and has.
struct Watch {
    std::uint32_t device = 0;  // CUPTI's number
    std::uint64_t begin = 0;   // CUPTI's time
    std::vector<CuptiRecord> records;
};

// Records arrive while a flush holds session_, so they have a lock of their own.
struct Session {
    Mutex mutex;
    cupti::Subscriber subscriber WARPWISE_GUARDED_BY(mutex) = nullptr;
    int recordings WARPWISE_GUARDED_BY(mutex) = 0;
    Mutex records_mutex;
    std::vector<Watch*> watches WARPWISE_GUARDED_BY(records_mutex);
    std::atomic<std::size_t> lost = 0;
};

Session& session() {
    static auto* const instance = new Session;
    return *instance;
}

void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
    *bytes = *buffer != nullptr ? kBufferBytes : 0;
    *records = 0;  // as many as fit
}

void hand_out(const CuptiRecord& record) {
    MutexLock lock(session().records_mutex);
    for (Watch* const watch : session().watches) {
        if (record.is_of(watch->device) && record.start >= watch->begin) {
            watch->records.push_back(record);
        }
    }
}

void complete_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    cupti::Activity* activity = nullptr;
    while (valid > 0 &&
           functions().cuptiActivityGetNextRecord(buffer, valid, &activity) == Result::Success) {
        try {
            if (const auto record = read_activity(*activity)) hand_out(*record);
        } catch (const std::bad_alloc&) {
            ++session().lost;
        }
    }
    std::free(buffer);
}

// What must be undone, as far as it was done. Results are of no use: it ends all the same.
void close(Session& all) WARPWISE_REQUIRES(all.mutex) {
    for (const Kind kind : kKinds) functions().cuptiActivityDisable(kind);
    functions().cuptiUnsubscribe(std::exchange(all.subscriber, nullptr));
}

void open(Session& all) WARPWISE_REQUIRES(all.mutex) {
    check(functions().cuptiSubscribe(
              &all.subscriber, [](void*, int, std::uint32_t, const void*) {}, nullptr),
          "be used");
    try {
        check(functions().cuptiActivityRegisterCallbacks(request_buffer, complete_buffer),
              "take memory for its records");
        for (const Kind kind : kKinds) check(functions().cuptiActivityEnable(kind), "record");
    } catch (...) {
        close(all);
        throw;
    }
}

struct TwoClocks {
    std::uint64_t cupti = 0;
    std::int64_t host = 0;
};

// The pair that was read quickest.
TwoClocks read_clocks() {
    TwoClocks best;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (int attempt = 0; attempt < 5; ++attempt) {
        TwoClocks now;
        const std::int64_t before = runtime::host_now();
        check(functions().cuptiGetTimestamp(&now.cupti), "report the time");
        const std::int64_t after = runtime::host_now();
        now.host = before + (after - before) / 2;
        if (after - before < shortest) best = now;
        shortest = std::min(shortest, after - before);
    }
    return best;
}

class CuptiRecording final : public runtime::Recording {
  public:
    explicit CuptiRecording(PrimaryContext& context) {
        Session& all = session();
        MutexLock lock(all.mutex);
        if (all.recordings == 0) open(all);
        ++all.recordings;
        try {
            const PrimaryContext::Scope scope(context);
            // Both number what the process sees; CUPTI need not know a context that is older.
            if (functions().cuptiGetDeviceId(context.handle(), &watch_.device) != Result::Success) {
                watch_.device = static_cast<std::uint32_t>(context.ordinal());
            }
            clocks_ = read_clocks();
            watch_.begin = clocks_.cupti - kSlack;
            lost_before_ = all.lost.load();
            MutexLock records(all.records_mutex);
            all.watches.push_back(&watch_);
        } catch (...) {
            leave(all);
            throw;
        }
    }
    ~CuptiRecording() override {
        if (!is_running_) return;
        MutexLock lock(session().mutex);
        leave(session());
    }

    std::string source() const override { return "cupti"; }
    std::string note() const override { return note_; }

    std::vector<ProfileRecord> finish() override {
        Session& all = session();
        std::size_t dropped = 0;
        {
            MutexLock lock(all.mutex);
            // Of a context that is lost nothing can be had; what was recorded before is reported.
            const Result flushed = functions().cuptiActivityFlushAll(cupti::kFlushForced);
            if (flushed != Result::Success) note_ = "CUPTI gave only a part of its records";
            functions().cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
            leave(all);
        }
        dropped += all.lost.load() - lost_before_;
        if (dropped > 0) note_ = fmt::format("{} records were lost: no memory for them", dropped);
        std::vector<ProfileRecord> records;
        records.reserve(watch_.records.size());
        for (CuptiRecord& record : watch_.records) {
            ProfileRecord made = to_profile_record(record);
            made.start = clocks_.host + static_cast<std::int64_t>(record.start - clocks_.cupti);
            records.push_back(std::move(made));
        }
        return records;
    }

  private:
    void leave(Session& all) WARPWISE_REQUIRES(all.mutex) {
        is_running_ = false;
        {
            MutexLock records(all.records_mutex);
            std::erase(all.watches, &watch_);
        }
        if (--all.recordings == 0) close(all);
    }

    Watch watch_;
    TwoClocks clocks_;
    std::size_t lost_before_ = 0;
    bool is_running_ = true;
    std::string note_;
};

}  // namespace

std::unique_ptr<runtime::Recording> start_cupti(PrimaryContext& context) {
    return std::make_unique<CuptiRecording>(context);
}

}  // namespace warpwise::cuda
