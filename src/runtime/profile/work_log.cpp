// The log, and a recording that is nothing but it.
#include "src/runtime/profile/work_log.hpp"

namespace warpwise::runtime {
namespace {

class LoggedRecording final : public Recording {
  public:
    explicit LoggedRecording(WorkLog& log) : log_(log) { log_.start(); }
    ~LoggedRecording() override { log_.finish(); }
    std::string source() const override { return "clock"; }
    std::vector<ProfileRecord> finish() override { return log_.finish(); }

  private:
    WorkLog& log_;
};

}  // namespace

void WorkLog::start() {
    MutexLock lock(mutex_);
    records_.clear();
    is_on_.store(true);
}

void WorkLog::add(ProfileRecord record) {
    MutexLock lock(mutex_);
    if (is_on_.load()) records_.push_back(std::move(record));
}

std::vector<ProfileRecord> WorkLog::finish() {
    MutexLock lock(mutex_);
    is_on_.store(false);
    return std::exchange(records_, {});
}

std::unique_ptr<Recording> LoggedProfiles::start(int ordinal, std::string_view) {
    return std::make_unique<LoggedRecording>(*logs_[static_cast<std::size_t>(ordinal)]);
}

}  // namespace warpwise::runtime
