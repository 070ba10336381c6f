// Streams and events: order and time of device work.
//
// Work of one stream runs in the order it was given; work of different streams may overlap. The
// default stream has CUDA's legacy meaning: its work waits for all earlier work of the device's
// other streams, and their later work waits for it.
//
//   ww::Stream s;
//   kernel({.grid = 4, .block = 256, .stream = s}, x, n);
//   ww::Event done = s.record();
//   done.synchronize();
//
// Ownership: cheap values over shared state; the last copy releases it, after its work has ended.
// Errors: a failed launch surfaces as LaunchError at the next synchronize() of its stream, of an
// event after it, or of the device, once; work queued behind it on that stream is still run.
// Threading: every function may be called from any thread.
#pragma once

#include <functional>
#include <memory>

#include "warpwise/device.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

class Graph;
namespace runtime {
class EventState;
class StreamState;
}  // namespace runtime

struct EventOptions {
    bool timing = true;  // false: cheaper, but time_till() throws
};

class WARPWISE_API Event {
  public:
    explicit Event(EventOptions options = {});  // on the current device
    Event(const Device& device, EventOptions options = {});

    void record();  // on the current stream
    void record(const Stream& stream);
    bool is_done() const;  // true as well when never recorded
    void synchronize() const;
    // Milliseconds from this event to `end`. Throws ArgumentError unless both were recorded, with
    // timing, and are done.
    double time_till(const Event& end) const;
    double time_since(const Event& start) const { return start.time_till(*this); }
    Device device() const;

    explicit Event(std::shared_ptr<runtime::EventState> state) noexcept;
    const std::shared_ptr<runtime::EventState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::EventState> state_;
};

struct StreamOptions {
    int priority = 0;           // lower is more urgent, as in CUDA; the CPU device ignores it
    bool non_blocking = false;  // true: no implicit order with the default stream
};

class WARPWISE_API Stream {
  public:
    explicit Stream(StreamOptions options = {});  // a new stream of the current device
    Stream(const Device& device, StreamOptions options = {});
    // The current stream of this thread: the innermost StreamScope on the current device, else the
    // device's default stream.
    static Stream current();

    void synchronize() const;
    bool is_done() const;
    void wait(const Event& event) const;  // later work of this stream waits; the caller does not
    Event record() const;                 // a new event after the work so far
    // Runs `function` after the work so far, on a thread of the library; later work of the stream
    // waits for it. It must not call into the same device; what it throws surfaces like a failed
    // launch.
    void call_host(std::function<void()> function) const;
    Device device() const;
    bool is_default() const noexcept;

    // Between these, work given to this stream is recorded instead of run.
    void begin_capture() const;
    Graph end_capture() const;  // throws ArgumentError when no capture is open
    bool is_capturing() const noexcept;

    explicit Stream(std::shared_ptr<runtime::StreamState> state) noexcept;
    const std::shared_ptr<runtime::StreamState>& state() const noexcept { return state_; }
    friend bool operator==(const Stream& a, const Stream& b) noexcept {
        return a.state_ == b.state_;
    }

  private:
    std::shared_ptr<runtime::StreamState> state_;
};

// Makes a stream, and its device, current for this thread while it lives; scopes nest.
class WARPWISE_API StreamScope {
  public:
    explicit StreamScope(const Stream& stream);
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

  private:
    DeviceScope device_;
    std::shared_ptr<runtime::StreamState> previous_;
};

}  // namespace warpwise
