// A captured sequence: the operations in order, what they keep alive, and the device's own graph of
// them, which is made at the first launch.
//
// A capture adds steps. Afterwards only launches change: set_launch() puts another step in the
// place of one. Runs take a record of the steps, so that a change never touches one under way.
//
// Threading: every function may be called from any thread. The lock is not held while queues are
// called: what they let go of may call back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/graphs.hpp"
#include "src/runtime/kernel_state.hpp"
#include "src/runtime/stream_state.hpp"

namespace warpwise::runtime {

using Buffers = std::vector<std::shared_ptr<BufferState>>;

// A step and what it uses.
struct RecordedStep : GraphStep {
    // Of a launch: its arguments and what it keeps alive.
    std::vector<std::byte> arguments;
    std::shared_ptr<const void> owner;
    std::shared_ptr<KernelState> kernel;
    std::shared_ptr<EventState> event;
    Buffers buffers;  // without null; of a launch: those of its arguments
    // Of a launch, and staying when it is changed: what it kept alive when it was captured (the
    // module, bound textures), and the memory behind bound textures.
    std::shared_ptr<const void> captured_owner;
    Buffers bound;
};

class GraphState {
  public:
    explicit GraphState(Context& context) noexcept : context_(context) {}
    ~GraphState() { close(); }
    GraphState(const GraphState&) = delete;
    GraphState& operator=(const GraphState&) = delete;

    Context& context() const noexcept { return context_; }
    std::size_t size() const;

    // While the capture is open. Null buffers are left out; launches must not be given.
    void add(GraphOperation operation, Buffers buffers);
    void add_record(const std::shared_ptr<EventState>& event);
    void add_wait(const std::shared_ptr<EventState>& event);
    void add_launch(const std::shared_ptr<KernelState>& kernel, const Launch& launch,
                    Buffers buffers, Buffers bound);
    // Everything that is in `other` now.
    void add_all(const GraphState& other);
    // The events recorded inside become ordinary again.
    void close() noexcept;

    // The places of the launches.
    std::vector<std::size_t> launches() const;
    std::shared_ptr<const RecordedStep> step(std::size_t place) const;
    // Runs from now on launch this in place of what is launched there.
    void set_launch(std::size_t place, const Launch& launch, Buffers buffers);

    // Throws ArgumentError, as run() does before anything is queued, when a buffer was freed.
    void check_buffers() const;
    void run(const std::shared_ptr<StreamCore>& core);

  private:
    struct Record : GraphRecord {
        Buffers buffers;  // each once
        std::vector<std::shared_ptr<EventState>> events;
        std::shared_ptr<GraphImpl> impl;  // null: the steps are queued one by one
    };
    using Step = std::shared_ptr<const RecordedStep>;

    void add_step(std::shared_ptr<RecordedStep> step);
    static void check(const Record& record);
    std::shared_ptr<const Record> record();
    std::shared_ptr<Record> make_record() const WARPWISE_REQUIRES(mutex_);
    void replay(const Record& record, const std::shared_ptr<StreamCore>& core) const;

    Context& context_;
    mutable Mutex mutex_;
    std::vector<Step> steps_ WARPWISE_GUARDED_BY(mutex_);
    std::shared_ptr<const Record> record_ WARPWISE_GUARDED_BY(mutex_);  // null after a change
    std::shared_ptr<GraphImpl> impl_ WARPWISE_GUARDED_BY(mutex_);
    bool is_replayed_ WARPWISE_GUARDED_BY(mutex_) = false;  // there can be no impl_
    std::vector<std::shared_ptr<EventState>> events_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::runtime
