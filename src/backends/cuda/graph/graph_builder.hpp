// Adds the nodes of one graph, each behind those of the steps before it.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "src/backends/cuda/copy/boxes.hpp"
#include "src/backends/cuda/graph/graph.hpp"
#include "src/backends/cuda/graph/graph_chunks.hpp"

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
    // Refers to both.
    GraphBuilder(CudaGraph& graph, const runtime::GraphRecord& record);
    void build();

  private:
    using StepPointer = std::shared_ptr<const runtime::GraphStep>;

    void add(const StepPointer& step);
    void add_end();
    void add_launch(const runtime::Launch& launch, std::uint64_t version);
    void add_copy(const runtime::Copy& copy);
    void add_staged(const runtime::Copy& copy);
    void add_plain(std::uint64_t destination, std::uint64_t source, std::size_t bytes);
    void add_box(const runtime::BoxCopy& copy);
    void add_staged_box(const runtime::BoxCopy& copy, bool is_up);
    void add_box_node(const BoxParameters& node);
    void add_fill(const runtime::Fill& fill);
    void add_record(runtime::EventImpl& event);
    void add_wait(runtime::EventImpl& event);
    void add_host(CudaGraph::HostWork work);
    void add_host(std::function<void()> function) {
        add_host({&graph_, nullptr, std::move(function)});
    }
    // The node that was just added: the next one of this step comes behind it.
    void follow(GraphNode node) { behind_.assign(1, node); }
    const GraphNode* dependencies() const noexcept { return behind_.data(); }
    std::size_t count() const noexcept { return behind_.size(); }

    CudaGraph& graph_;
    PrimaryContext& context_;
    const runtime::GraphRecord& record_;
    GraphChunks chunks_;
    ContextHandle handle_ = nullptr;
    std::size_t place_ = 0;          // of the step whose nodes are added
    std::vector<GraphNode> behind_;  // what the next node comes behind
    std::vector<std::vector<GraphNode>>
        ends_;  // of each step, what comes behind it waits for these
    std::unordered_set<const runtime::EventImpl*> recorded_;
};

}  // namespace warpwise::cuda
