// The optional interface of back ends that can report what a device did and when.
//
// Threading: every function may be called from any thread; one recording by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/profile.hpp"

namespace warpwise::runtime {

// Of one device, from its making until finish(). Its end without that throws the records away.
class Recording {
  public:
    virtual ~Recording() = default;
    virtual std::string source() const = 0;
    // As Profile::note(). Complete once finish() has been called.
    virtual std::string note() const { return {}; }
    // What has ended; the runtime has waited for the device, if it can be waited for. The starts
    // are of host_now(), in any order, the devices not named. Called once.
    virtual std::vector<ProfileRecord> finish() = 0;
};

class ProfileSupport {
  public:
    virtual ~ProfileSupport() = default;
    // In order of preference.
    virtual std::vector<std::string> sources() const = 0;
    // `source` is one of them, or empty: the best there is. There is no other recording of this
    // device. Throws DeviceError when the source is not there, or refuses.
    virtual std::unique_ptr<Recording> start(int ordinal, std::string_view source) = 0;
};

}  // namespace warpwise::runtime
