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

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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
    // May be given to other processes, by ipc_handle(). It has no timing then, whatever is asked
    // for. Throws UnsupportedError where there are none.
    bool interprocess = false;
};

class WARPWISE_API Event {
  public:
    explicit Event(EventOptions options = {});  // on the current device
    Event(const Device& device, EventOptions options = {});

    void record();  // on the current stream
    void record(const Stream& stream);
    bool is_done() const;  // true as well when never recorded
    // Whether its latest record is in a capture that has not ended. Then there is nothing to wait
    // for yet; a stream that waits for it joins the capture.
    bool is_captured() const noexcept;
    void synchronize() const;
    // Milliseconds from this event to `end`. Throws ArgumentError unless both were recorded, with
    // timing, and are done.
    double time_till(const Event& end) const;
    double time_since(const Event& start) const { return start.time_till(*this); }
    Device device() const;

    // Stands for this event in another process of the machine. The event must live as long as it is
    // used there. Throws ArgumentError unless it was made with `interprocess`.
    std::vector<std::byte> ipc_handle() const;
    // An event of another process, by what ipc_handle() gave there: what is recorded there can be
    // waited for here, and the other way round. Throws as open_ipc_memory() does.
    static Event from_ipc_handle(std::span<const std::byte> handle);

    explicit Event(std::shared_ptr<runtime::EventState> state) noexcept;
    const std::shared_ptr<runtime::EventState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::EventState> state_;
};

struct StreamOptions {
    // Lower is more urgent, as in CUDA; within Device::stream_priorities(), or the stream is
    // refused with ArgumentError. The CPU device ignores it.
    int priority = 0;
    bool non_blocking = false;  // true: no implicit order with the default stream
    // How long one kernel may run; 0: without end; by default settings().time_limit. On the CPU
    // device the kernel is stopped and fails with LaunchError. A kernel of a GPU cannot be stopped:
    // there a wait for the stream that takes longer throws LaunchError, and the kernel runs on.
    // Throws ArgumentError when negative.
    std::optional<std::chrono::duration<double>> time_limit = std::nullopt;
};

class WARPWISE_API Stream {
  public:
    explicit Stream(StreamOptions options = {});  // a new stream of the current device
    Stream(const Device& device, StreamOptions options = {});
    // The current stream of this thread: the innermost StreamScope on the current device, else the
    // device's default stream.
    static Stream current();
    static Stream current(const Device& device);  // that of another device
    // This thread's own stream of the device, made at its first use: as CUDA's per-thread default
    // stream, but a stream like any other, which may be handed to other threads.
    static Stream per_thread();  // of the current device
    static Stream per_thread(const Device& device);
    // A stream that another library made: its handle (CUstream, cudaStream_t) as a number. 0 and 1
    // are the default stream. It must outlive what is given to it here; `owner` (may be null) is
    // kept alive until then. Handles are equal as Streams while one of them lives. Throws
    // ArgumentError for a stream of another device or context, and for 2, CUDA's per-thread default
    // stream, which is another stream in every thread; UnsupportedError where streams have no
    // handles, as on the CPU device.
    static Stream from_handle(std::uint64_t handle, std::shared_ptr<const void> owner = nullptr);
    static Stream from_handle(std::uint64_t handle, const Device& device,
                              std::shared_ptr<const void> owner = nullptr);
    // What other libraries call it. Lives as long as the stream; the default stream's is 1. Throws
    // UnsupportedError where there are none.
    std::uint64_t handle() const;

    void synchronize() const;
    bool is_done() const;
    // Later work of this stream waits; the caller does not. For an event of a capture that is open
    // this stream joins that capture: see begin_capture().
    void wait(const Event& event) const;
    Event record() const;  // a new event after the work so far
    // Runs `function` after the work so far, on a thread of the library; later work of the stream
    // waits for it. It must not call into the same device: what waits for that device there (a
    // blocking copy, a launch with results, synchronize()) throws ArgumentError. What the function
    // throws surfaces like a failed launch.
    void call_host(std::function<void()> function) const;
    Device device() const;
    bool is_default() const noexcept;

    // Between these, work given to this stream is recorded instead of run.
    //
    // Another stream of the device that waits for an event recorded in the capture joins it: what
    // it is given from then on is recorded too, behind that event, parallel to the work of the
    // first stream. At the end the first stream must have waited for an event behind all of it.
    void begin_capture() const;
    // Throws ArgumentError when no capture is open, on a stream that only joined one, and when what
    // another stream recorded was not waited for; the capture is over then, too.
    Graph end_capture() const;
    // Ends it, and what was recorded is gone. Throws as end_capture() does, but for the last.
    void discard_capture() const;
    bool is_capturing() const noexcept;
    // Identifies the capture in the process, the same on all its streams; 0 outside.
    std::uint64_t capture_id() const noexcept;

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
