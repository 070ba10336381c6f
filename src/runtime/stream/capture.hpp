// An open capture: what its streams record, and which operation comes behind which.
//
// One stream begins it. Another joins by waiting for an event that was recorded in it, and records
// from then on, behind that event; so branches come about. At the end every operation must come
// before the end of the first stream's work: that stream has waited for an event behind each.
//
// A stream has a tail: the operations that its next one comes behind. More than one, after a wait
// for an event of another branch.
//
// Ownership: a stream holds its branch, the branch the capture; the capture knows its streams
// weakly. Threading: every function may be called from any thread. Lock order: a stream's capture
// lock, then the capture's, then an event's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/record/recorded_step.hpp"

namespace warpwise::runtime {

class Capture;
class GraphState;

// What one stream has recorded and records.
class CaptureBranch {
  public:
    CaptureBranch(std::shared_ptr<Capture> capture, std::weak_ptr<StreamState> stream,
                  std::uint64_t stream_id) noexcept;

    Capture& capture() const noexcept { return *capture_; }
    const std::shared_ptr<Capture>& shared_capture() const noexcept { return capture_; }

    // Null buffers are left out; launches must not be given.
    void add(GraphOperation operation, Buffers buffers);
    // Behind everything that was recorded so far, on every stream.
    void add_behind_all(GraphOperation operation, Buffers buffers);
    void add_record(const std::shared_ptr<EventState>& event);
    // For an event of no open capture: every run waits for it.
    void add_wait(const std::shared_ptr<EventState>& event);
    // For an event that was recorded in this capture.
    void join(const EventState& event);
    void add_launch(const std::shared_ptr<KernelState>& kernel, const Launch& launch,
                    Buffers buffers, Buffers bound);
    void add_peer_copy(const PeerCopy& copy, std::shared_ptr<BufferState> destination,
                       std::shared_ptr<BufferState> source);
    // Everything that is in `graph` now.
    void add_all(const GraphState& graph);

  private:
    friend class Capture;

    const std::shared_ptr<Capture> capture_;
    const std::weak_ptr<StreamState> stream_;
    const std::uint64_t stream_id_;
    std::vector<std::size_t> tail_;  // guarded by the capture's lock; none behind another
};

class Capture : public std::enable_shared_from_this<Capture> {
  public:
    explicit Capture(Context& context) noexcept : context_(context) {}
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    Context& context() const noexcept { return context_; }
    // Differs between all captures of the process; never 0.
    std::uint64_t id() const noexcept { return id_; }

    // The branch of the stream that the capture begins on.
    std::shared_ptr<CaptureBranch> begin(StreamState& origin);
    bool began_on(const CaptureBranch& branch) const;
    // A branch of a stream that is in no capture, behind `event`. Throws ArgumentError when the
    // capture has ended meanwhile.
    std::shared_ptr<CaptureBranch> join(StreamState& stream, const EventState& event);
    // All that take part, the one that it began on first.
    std::vector<std::shared_ptr<StreamState>> streams() const;
    // What was recorded. The capture is over for all its streams, also when this throws
    // ArgumentError because a branch was not joined.
    std::shared_ptr<GraphState> end();
    // Over for all its streams, and what was recorded is gone.
    void abandon() noexcept;

  private:
    friend class CaptureBranch;

    std::shared_ptr<CaptureBranch> add_branch(StreamState& stream) WARPWISE_REQUIRES(mutex_);
    // Returns the place.
    std::size_t add(Step step, std::vector<std::size_t> behind) WARPWISE_REQUIRES(mutex_);
    void add_to(CaptureBranch& branch, Step step) WARPWISE_REQUIRES(mutex_);
    void note_record(const Step& step, std::size_t place) WARPWISE_REQUIRES(mutex_);
    void add_tail(std::vector<std::size_t>& tail, std::size_t place) const
        WARPWISE_REQUIRES(mutex_);
    std::vector<std::size_t> ends() const WARPWISE_REQUIRES(mutex_);
    void check_joined() const WARPWISE_REQUIRES(mutex_);

    struct Recorded {
        std::shared_ptr<EventState> event;
        std::size_t place;  // of its last record
    };

    Context& context_;
    const std::uint64_t id_ = next_graph_version();
    mutable Mutex mutex_;
    bool is_open_ WARPWISE_GUARDED_BY(mutex_) = true;
    std::vector<Step> steps_ WARPWISE_GUARDED_BY(mutex_);
    StepOrder order_ WARPWISE_GUARDED_BY(mutex_);
    // The first is that of the stream it began on.
    std::vector<std::weak_ptr<CaptureBranch>> branches_ WARPWISE_GUARDED_BY(mutex_);
    std::unordered_map<const EventState*, Recorded> recorded_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::runtime
