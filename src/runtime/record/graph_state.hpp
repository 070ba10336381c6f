// What a capture has recorded: the operations, what they keep alive, and the device's own graph of
// them, which is made at the first launch.
//
// Only launches change: set_launch() puts another step in the place of one. Runs take a record of
// the steps, so that a change never touches one under way.
//
// Threading: every function may be called from any thread. The lock is not held while the device
// or its queues are called: what they release may call back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/record/recorded_step.hpp"

namespace warpwise::runtime {

class Context;
class StreamCore;

class GraphState {
  public:
    GraphState(Context& context, std::vector<Step> steps, std::shared_ptr<const StepOrder> order)
        : context_(context), order_(std::move(order)), steps_(std::move(steps)) {}
    GraphState(const GraphState&) = delete;
    GraphState& operator=(const GraphState&) = delete;

    Context& context() const noexcept { return context_; }
    std::size_t size() const;
    // The steps as they are now, and their order.
    std::pair<std::vector<Step>, std::shared_ptr<const StepOrder>> contents() const;

    // The places of the launches.
    std::vector<std::size_t> launches() const;
    std::shared_ptr<const RecordedStep> step(std::size_t place) const;
    // Runs from now on launch this in place of what is launched there.
    void set_launch(std::size_t place, const Launch& launch, Buffers buffers);

    // Throws ArgumentError when a buffer was freed, then flushes what is pending on the buffers.
    // run() does so itself.
    void settle() const;
    void run(const std::shared_ptr<StreamCore>& core);

  private:
    struct Record : GraphRecord {
        Buffers buffers;       // each once
        Buffers peer_sources;  // of copies between devices, each once
        std::vector<std::shared_ptr<EventState>> events;
        std::shared_ptr<GraphImpl> impl;  // null: the steps are queued one by one
    };

    static void check(const Record& record);
    static void settle(const Record& record);
    std::shared_ptr<const Record> record();
    std::shared_ptr<Record> make_record() const WARPWISE_REQUIRES(mutex_);
    void start(const std::shared_ptr<const Record>& record,
               const std::shared_ptr<StreamCore>& core) const;

    Context& context_;
    const std::shared_ptr<const StepOrder> order_;
    mutable Mutex mutex_;
    std::vector<Step> steps_ WARPWISE_GUARDED_BY(mutex_);
    std::shared_ptr<const Record> record_ WARPWISE_GUARDED_BY(mutex_);  // null after a change
    std::uint64_t changes_ WARPWISE_GUARDED_BY(mutex_) = 0;             // of steps_
    std::shared_ptr<GraphImpl> impl_ WARPWISE_GUARDED_BY(mutex_);
    bool is_replayed_ WARPWISE_GUARDED_BY(mutex_) = false;  // there can be no impl_
};

}  // namespace warpwise::runtime
