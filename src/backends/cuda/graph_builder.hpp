// Adds the nodes of one graph, each behind the one before.
#pragma once

#include <unordered_set>

#include "src/backends/cuda/graph.hpp"

namespace warpwise::cuda {

// Parameters of a launch as a node has them. Refers to the launch's arguments.
class KernelNodeParameters {
  public:
    explicit KernelNodeParameters(const runtime::Launch& launch);
    const KernelNode& get() const noexcept { return node_; }

  private:
    std::vector<void*> arguments_;
    KernelNode node_{};
};

// For use with the context current, by the constructor of the graph.
class GraphBuilder {
  public:
    explicit GraphBuilder(CudaGraph& graph);
    void add(const std::shared_ptr<const runtime::GraphStep>& step, std::size_t place);
    void finish();

  private:
    void add_launch(const runtime::Launch& launch, std::size_t place, std::uint64_t version);
    void add_copy(const runtime::Copy& copy);
    void add_staged(const runtime::Copy& copy);
    void add_plain(std::uint64_t destination, std::uint64_t source, std::size_t bytes);
    void add_fill(const runtime::Fill& fill);
    void add_record(runtime::EventImpl& event);
    void add_wait(runtime::EventImpl& event);
    void add_host(CudaGraph::HostWork work);
    // Of the node to be added.
    const GraphNode* dependencies() const noexcept { return count() == 0 ? nullptr : &last_; }
    std::size_t count() const noexcept { return last_ == nullptr ? 0 : 1; }

    CudaGraph& graph_;
    PrimaryContext& context_;
    ContextHandle handle_ = nullptr;
    GraphNode last_ = nullptr;
    std::unordered_set<const runtime::EventImpl*> recorded_;
};

}  // namespace warpwise::cuda
