// A captured sequence: closures over the queue's calls, in order, and what they must keep alive.
//
// Built by one capture, immutable afterwards.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "src/runtime/stream_state.hpp"

namespace warpwise::runtime {

class GraphState {
  public:
    using Work = std::function<void(const std::shared_ptr<StreamCore>& core)>;

    explicit GraphState(Context& context) noexcept : context_(context) {}
    ~GraphState() { close(); }
    GraphState(const GraphState&) = delete;
    GraphState& operator=(const GraphState&) = delete;

    Context& context() const noexcept { return context_; }
    std::size_t size() const noexcept { return work_.size(); }

    void add(Work work) { work_.push_back(std::move(work)); }
    void keep(const std::shared_ptr<BufferState>& buffer);  // null is nothing to keep
    void keep_all(const GraphState& other);
    // An event recorded by this capture: waiting for it elsewhere is refused until close().
    void add_event(std::shared_ptr<EventState> event);
    // The events recorded inside become ordinary again.
    void close() noexcept;

    // Throws ArgumentError, before anything is queued, when a buffer was freed.
    void check_buffers() const;
    void run(const std::shared_ptr<StreamCore>& core) const;

  private:
    Context& context_;
    std::vector<Work> work_;
    std::vector<std::shared_ptr<BufferState>> buffers_;
    std::vector<std::shared_ptr<EventState>> events_;
};

}  // namespace warpwise::runtime
