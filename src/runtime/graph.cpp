// Graphs: what a capture recorded, run again call by call.
#include "warpwise/graph.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/buffer_state.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/graph_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {
namespace runtime {

void GraphState::keep(const std::shared_ptr<BufferState>& buffer) {
    if (!buffer || std::ranges::find(buffers_, buffer) != buffers_.end()) return;
    buffers_.push_back(buffer);
}

void GraphState::keep_all(const GraphState& other) {
    for (const auto& buffer : other.buffers_) keep(buffer);
}

void GraphState::add_event(std::shared_ptr<EventState> event) {
    event->set_capture(this);
    events_.push_back(std::move(event));
}

void GraphState::close() noexcept {
    for (const auto& event : events_) event->set_capture(nullptr);
    events_.clear();
}

void GraphState::check_buffers() const {
    for (const auto& buffer : buffers_) {
        if (!buffer->is_freed()) continue;
        refuse_value(
            "the graph uses a buffer of {} bytes at {} that was freed after the capture; "
            "capture again with memory that is there",
            buffer->size(), hex_address(buffer->address()));
    }
}

void GraphState::run(const std::shared_ptr<StreamCore>& core) const {
    for (const auto& buffer : buffers_) buffer->note_use(core);
    for (const Work& work : work_) work(core);
}

}  // namespace runtime

Graph::Graph(std::shared_ptr<runtime::GraphState> state) noexcept : state_(std::move(state)) {}

void Graph::launch() const {
    runtime::current_stream(state_->context())->replay(state_);
}

void Graph::launch(const Stream& stream) const {
    stream.state()->replay(state_);
}

std::size_t Graph::size() const noexcept {
    return state_->size();
}

}  // namespace warpwise
