// A node is its number in the graph, from 1 on.
#include "tests/unit/backends/cuda/fake_graphs.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpwise::cuda::fake {

struct Graph {
    std::vector<Submit> nodes;
    std::string text;
};

struct ExecutableGraph {
    std::mutex mutex;
    std::vector<Submit> nodes;
    std::shared_ptr<Event> end = std::make_shared<Event>();  // of the last run
};

namespace {

// What is not destroyed, so that it is no leak: a call to destroy it may be made to fail.
template <class T>
class Kept {
  public:
    T* add(T* made) {
        const std::lock_guard lock(mutex_);
        all_.insert(made);
        return made;
    }
    void destroy(T* made) {
        const std::lock_guard lock(mutex_);
        all_.erase(made);
        delete made;
    }

  private:
    std::mutex mutex_;
    std::set<T*> all_;
};

Kept<Graph>& graphs() {
    static auto* const kept = new Kept<Graph>;
    return *kept;
}
Kept<ExecutableGraph>& executable_graphs() {
    static auto* const kept = new Kept<ExecutableGraph>;
    return *kept;
}

std::mutex g_text_mutex;
std::string g_last_text;

std::size_t number(GraphNode node) {
    return reinterpret_cast<std::uintptr_t>(node);
}

}  // namespace

Graph* make_graph() {
    return graphs().add(new Graph);
}

void destroy(Graph* graph) {
    graphs().destroy(graph);
}

GraphNode add_node(Graph* graph, const char* kind, const GraphNode* dependencies, std::size_t count,
                   Submit submit) {
    std::set<std::size_t> others;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t other = number(dependencies[i]);
        if (other == 0 || other > graph->nodes.size()) return nullptr;
        if (!others.insert(other).second) return nullptr;
    }
    std::string text = std::to_string(graph->nodes.size() + 1) + ":" + kind;
    const char* mark = "<";
    for (const std::size_t other : others) {
        text += mark + std::to_string(other);
        mark = ",";
    }
    graph->text += (graph->text.empty() ? "" : " ") + text;
    graph->nodes.push_back(std::move(submit));
    return reinterpret_cast<GraphNode>(graph->nodes.size());
}

ExecutableGraph* instantiate(const Graph* graph) {
    auto* const made = executable_graphs().add(new ExecutableGraph);
    made->nodes = graph->nodes;
    const std::lock_guard lock(g_text_mutex);
    g_last_text = graph->text;
    return made;
}

const char* last_graph() {
    thread_local std::string text;
    const std::lock_guard lock(g_text_mutex);
    text = g_last_text;
    return text.c_str();
}

void destroy(ExecutableGraph* graph) {
    executable_graphs().destroy(graph);
}

bool set_node(ExecutableGraph* graph, GraphNode node, Submit submit) {
    const std::lock_guard lock(graph->mutex);
    if (number(node) == 0 || number(node) > graph->nodes.size()) return false;
    graph->nodes[number(node) - 1] = std::move(submit);
    return true;
}

void launch(ExecutableGraph* graph, Stream* stream) {
    const std::lock_guard lock(graph->mutex);
    wait_for(stream, graph->end);
    for (const Submit& submit : graph->nodes) submit(stream);
    record(stream, graph->end);
}

}  // namespace warpwise::cuda::fake
