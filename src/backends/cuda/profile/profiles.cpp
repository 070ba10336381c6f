// The choice between the two, and the recording that is an event log.
#include "src/backends/cuda/profile/profiles.hpp"

#include <fmt/format.h>

#include "src/backends/cuda/profile/cupti.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

class EventRecording final : public runtime::Recording {
  public:
    EventRecording(EventLog& log, std::string why) : log_(log), note_(std::move(why)) {
        log_.start();
    }
    ~EventRecording() override {
        if (log_.is_on()) log_.finish();
    }

    std::string source() const override { return "events"; }
    std::string note() const override { return note_; }
    std::vector<ProfileRecord> finish() override {
        std::vector<ProfileRecord> records = log_.finish();
        if (const std::size_t lost = log_.lost(); lost > 0) {
            if (!note_.empty()) note_ += "; ";
            note_ += fmt::format("{} operations could not be timed", lost);
        }
        return records;
    }

  private:
    EventLog& log_;
    std::string note_;
};

}  // namespace

std::unique_ptr<runtime::Recording> CudaProfiles::start(int ordinal, std::string_view source) {
    DeviceState& device = *devices_[static_cast<std::size_t>(ordinal)];
    std::string why;
    if (source != "events") {
        try {
            return start_cupti(device.context());
        } catch (const DeviceError& error) {
            if (!source.empty()) throw;
            why = error.what();
        }
    }
    return std::make_unique<EventRecording>(device.event_log(), why);
}

}  // namespace warpwise::cuda
