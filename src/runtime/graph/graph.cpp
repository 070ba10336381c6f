// Graph: the public face of GraphState.
#include "warpwise/graph.hpp"

#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {

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

std::vector<GraphKernel> Graph::kernels() const {
    std::vector<GraphKernel> kernels;
    for (const std::size_t place : state_->launches()) kernels.emplace_back(state_, place);
    return kernels;
}

}  // namespace warpwise
