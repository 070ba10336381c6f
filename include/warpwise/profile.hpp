// Profiles: what a device did, and when.
//
//   ww::Profile profile;                        // of the current device, from here on
//   kernel({.grid = 4, .block = 256}, x, n);
//   profile.stop();                             // waits for the device
//   std::puts(profile.table().c_str());
//   profile.save("trace.json");                 // for ui.perfetto.dev and chrome://tracing
//
// Where the times come from is the profile's source:
//  - "cupti", on GPUs: NVIDIA's profiling library, opened when first asked for. The times are the
//    GPU's own, kernels of other libraries and those of graphs are records too.
//  - "events", on GPUs: a pair of events around each operation that Warpwise queues. The launch of
//    a graph is one record, and the times hold what the GPU needs to start and end the operation.
//  - "clock": on the CPU device, from the first piece of work of an operation to the last.
// By default a GPU takes "cupti" where it is found, else "events"; note() has the reason.
//
// Cost: none while no profile runs but one load and a branch an operation. With events, the driver
// gets two calls more for each operation.
//
// One profile at a time runs on a device. Profiles of several devices may run at once; each has the
// ranges of the whole process (range.hpp) that begin and end while it runs.
//
// Ownership: a profile keeps its records; it may outlive what it has seen.
// Threading: what it watches may run in any thread; the functions of one profile are for one thread
// at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

class Device;
namespace runtime {
class ProfileState;
}

// One thing that happened. Fields that a kind does not have, and those that the source does not
// know, are 0 or empty.
struct ProfileRecord {
    enum class Kind : std::uint8_t { Kernel, Copy, Fill, Graph, Range, Mark };
    enum class Direction : std::uint8_t {
        None,
        HostToDevice,
        DeviceToHost,
        DeviceToDevice,
        HostToHost,
        BetweenDevices,
    };

    Kind kind = Kind::Kernel;
    std::string name;           // the kernel's, the range's; "copy host to device", "fill"
    std::string device;         // "cuda:0"; empty for ranges and marks
    std::int64_t start = 0;     // nanoseconds since the profile began
    std::int64_t duration = 0;  // nanoseconds
    std::uint64_t stream = 0;   // distinguishes the streams of a device
    std::uint64_t thread = 0;   // of ranges and marks: the system's number of the thread
    std::array<std::uint32_t, 3> grid{}, block{};                     // of kernels
    std::uint32_t registers = 0;                                      // a thread
    std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;  // a block
    std::uint32_t local_bytes = 0;                                    // a thread
    std::uint64_t bytes = 0;                                          // of copies and fills
    Direction direction = Direction::None;

    // Of copies and fills; 0 where the duration is.
    double bytes_per_second() const noexcept {
        return duration > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(duration) : 0;
    }
};

class WARPWISE_API Profile {
  public:
    // Waits for what the device has been given so far, then begins. `source` is one of the above,
    // or empty for the best there is. Throws ArgumentError for a source the device does not have,
    // and when a profile runs on it already; DeviceError when CUPTI was asked for and is not found,
    // or refuses (another profiler is attached; the system does not permit it).
    explicit Profile(std::string_view source = {});
    explicit Profile(const Device& device, std::string_view source = {});
    // Throws for a source that the device does not have, as the constructor does; begins nothing.
    static void check_source(const Device& device, std::string_view source);
    // Stops; what is not done by then is not waited for.
    ~Profile();
    Profile(Profile&&) noexcept;
    Profile& operator=(Profile&&) noexcept;

    // Waits for the device and takes the records. Throws the first error of its launches, as
    // Device::synchronize does, and has the records all the same. A second call does nothing.
    void stop();
    // The same without waiting, and without errors: what has not ended is not recorded.
    void stop_at_once() noexcept;
    bool is_running() const noexcept;

    const std::string& device() const noexcept;  // its name
    const std::string& source() const noexcept;
    // Why it is that one, and what is missing; empty when nothing is.
    const std::string& note() const noexcept;
    // In the order of their start. This and what follows throw ArgumentError while it runs.
    const std::vector<ProfileRecord>& records() const;
    // One row for each name: how often, total, mean, share of the time of all; the longest first.
    // Ranges are listed below, separately.
    std::string table() const;
    // As Chrome's trace events (JSON).
    std::string trace() const;
    // trace() into a file. Throws DeviceError when it cannot be written.
    void save(const std::string& path) const;

  private:
    std::unique_ptr<runtime::ProfileState> state_;
};

}  // namespace warpwise
