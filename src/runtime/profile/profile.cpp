// One profile: a recording of the back end, the ranges meanwhile, and both on one time line.
#include "warpwise/profile.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/base/file.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/profile/profile_text.hpp"
#include "src/runtime/profiling.hpp"
#include "src/runtime/ranges.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/device.hpp"

namespace warpwise {
namespace runtime {
namespace {

struct Profiled {
    Mutex mutex;
    std::set<const Context*> contexts WARPWISE_GUARDED_BY(mutex);
};

Profiled& profiled() {
    static Profiled* const instance = new Profiled;
    return *instance;
}

// The only one of its device while it lives.
class DeviceClaim {
  public:
    explicit DeviceClaim(Context& context) : context_(context) {
        MutexLock lock(profiled().mutex);
        if (profiled().contexts.insert(&context).second) return;
        refuse_value("a profile of {} runs already; stop that one first, or use it for both",
                     context.name());
    }
    ~DeviceClaim() {
        MutexLock lock(profiled().mutex);
        profiled().contexts.erase(&context_);
    }
    DeviceClaim(const DeviceClaim&) = delete;
    DeviceClaim& operator=(const DeviceClaim&) = delete;

  private:
    Context& context_;
};

ProfileSupport& support_of(Context& context, std::string_view source) {
    ProfileSupport* const support = context.backend().profiling();
    if (support == nullptr) {
        throw UnsupportedError(fmt::format("{} cannot be profiled", context.name()));
    }
    const std::vector<std::string> sources = support->sources();
    if (source.empty() || std::ranges::find(sources, source) != sources.end()) return *support;
    refuse_value("{} has no source {} of a profile's times; it has {}", context.name(),
                 quote(source), join(sources));
}

}  // namespace

class ProfileState {
  public:
    ProfileState(Context& context, std::string_view source)
        : context_(context),
          support_(support_of(context, source)),
          claim_(new DeviceClaim(context)) {
        current_stream(context)->refuse_to_wait("profiled");
        context.synchronize();
        begin_ = host_now();
        ranges_ = std::make_unique<RangeWatch>();
        recording_ = support_.start(context.ordinal(), source);
        head_.device = context.name();
        head_.title = context.info().name;
        head_.source = recording_->source();
        head_.note = recording_->note();
    }

    bool is_running() const noexcept { return recording_ != nullptr; }
    const ProfileHead& head() const noexcept { return head_; }

    void stop() {
        if (!is_running()) return;
        std::exception_ptr error;
        try {
            context_.synchronize();
        } catch (...) {
            error = std::current_exception();
        }
        finish();
        if (error) std::rethrow_exception(error);
    }
    void stop_at_once() {
        if (is_running()) finish();
    }

    const std::vector<ProfileRecord>& records() const {
        if (is_running()) {
            refuse_value("the profile of {} has not ended: it has records when it is stopped",
                         head_.device);
        }
        return records_;
    }

  private:
    // Whatever fails, it is over.
    void finish() {
        const std::unique_ptr<Recording> recording = std::move(recording_);
        const std::unique_ptr<RangeWatch> ranges = std::move(ranges_);
        const std::unique_ptr<DeviceClaim> claim = std::move(claim_);
        head_.duration = host_now() - begin_;
        records_ = recording->finish();
        head_.note = recording->note();
        for (ProfileRecord& record : records_) record.device = head_.device;
        for (ProfileRecord& record : ranges->records()) records_.push_back(std::move(record));
        for (ProfileRecord& record : records_) record.start -= begin_;
        // Of what starts together, the longer one holds the other; the rest stays as it came.
        std::multimap<std::pair<std::int64_t, std::int64_t>, ProfileRecord> ordered;
        for (ProfileRecord& record : records_) {
            const std::pair place(record.start, -record.duration);
            ordered.emplace(place, std::move(record));
        }
        records_.clear();
        for (auto& [place, record] : ordered) records_.push_back(std::move(record));
    }

    Context& context_;
    ProfileSupport& support_;
    std::unique_ptr<DeviceClaim> claim_;
    std::int64_t begin_ = 0;  // of host_now()
    std::unique_ptr<RangeWatch> ranges_;
    std::unique_ptr<Recording> recording_;  // null: stopped
    ProfileHead head_;
    std::vector<ProfileRecord> records_;
};

}  // namespace runtime

Profile::Profile(std::string_view source) : Profile(Device(), source) {}

void Profile::check_source(const Device& device, std::string_view source) {
    runtime::support_of(device.context(), source);
}

Profile::Profile(const Device& device, std::string_view source)
    : state_(std::make_unique<runtime::ProfileState>(device.context(), source)) {}

Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

void Profile::stop() {
    state_->stop();
}

void Profile::stop_at_once() noexcept {
    try {
        state_->stop_at_once();
    } catch (...) {  // NOLINT(bugprone-empty-catch): it is over, without records
    }
}

bool Profile::is_running() const noexcept {
    return state_->is_running();
}

const std::string& Profile::device() const noexcept {
    return state_->head().device;
}

const std::string& Profile::source() const noexcept {
    return state_->head().source;
}

const std::string& Profile::note() const noexcept {
    return state_->head().note;
}

const std::vector<ProfileRecord>& Profile::records() const {
    return state_->records();
}

std::string Profile::table() const {
    const auto& records = state_->records();
    return runtime::profile_table(state_->head(), records);
}

std::string Profile::trace() const {
    const auto& records = state_->records();
    return runtime::profile_trace(state_->head(), records);
}

void Profile::save(const std::string& path) const {
    const std::string text = trace();
    std::error_code error;
    {
        const FileDescriptor file(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        error = file ? write_all(file.number(), std::as_bytes(std::span(text))) : last_error();
    }
    if (!error) return;
    throw DeviceError(
        fmt::format("the trace cannot be written to {}: {}; give a file in a folder "
                    "that can be written to",
                    quote(path), error.message()));
}

}  // namespace warpwise
