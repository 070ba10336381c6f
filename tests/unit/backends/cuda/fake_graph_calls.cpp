// Of the fake driver: the functions of graphs.
#include <atomic>
#include <cstring>
#include <utility>

#include "tests/unit/backends/cuda/fake_graphs.hpp"
#include "tests/unit/backends/cuda/fake_watch.hpp"
#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

std::atomic<unsigned> g_last_grid = 0;

Graph* graph_of(GraphHandle handle) {
    return reinterpret_cast<Graph*>(handle);
}
ExecutableGraph* graph_of(GraphExec handle) {
    return reinterpret_cast<ExecutableGraph*>(handle);
}
Status add_to(GraphNode* node, GraphHandle graph, const char* kind, const GraphNode* dependencies,
              std::size_t count, Submit submit) {
    *node = add_node(graph_of(graph), kind, dependencies, count, std::move(submit));
    return *node == nullptr ? Status::InvalidValue : Status::Success;
}
Submit run_kernel(const KernelNode& node) {
    const WatchedWork work{.kind = WatchedWork::Kind::Kernel,
                           .name = function_name(node.function),
                           .grid = {node.grid[0], node.grid[1], node.grid[2]},
                           .block = {node.block[0], node.block[1], node.block[2]},
                           .dynamic_shared_bytes = node.dynamic_shared_bytes};
    return [work](Stream* stream) {
        push(stream, watched(work, [x = work.grid[0]] { g_last_grid = x; }));
    };
}
void fill(const FillNode& part) {
    for (std::size_t row = 0; row < part.height; ++row) {
        auto* to = reinterpret_cast<std::byte*>(part.destination + row * part.pitch);
        for (std::size_t i = 0; i < part.width; ++i, to += part.element_bytes) {
            std::memcpy(to, &part.value, part.element_bytes);
        }
    }
}

}  // namespace

unsigned last_grid() {
    return g_last_grid;
}

Status graph_create(GraphHandle* graph, unsigned) {
    FAKE_ENTER_CONTEXT("cuGraphCreate");
    *graph = reinterpret_cast<GraphHandle>(make_graph());
    return Status::Success;
}
Status graph_destroy(GraphHandle graph) {
    FAKE_ENTER("cuGraphDestroy");
    destroy(graph_of(graph));
    return Status::Success;
}
Status graph_add_kernel(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                        std::size_t count, const KernelNode* kernel) {
    FAKE_ENTER_CONTEXT("cuGraphAddKernelNode");
    if (kernel->function == nullptr || kernel->grid[0] == 0) return Status::InvalidValue;
    return add_to(node, graph, "kernel", dependencies, count, run_kernel(*kernel));
}
Status graph_set_attribute(GraphNode node, LaunchAttribute::Id, const void*) {
    FAKE_ENTER_CONTEXT("cuGraphKernelNodeSetAttribute");
    return node == nullptr ? Status::InvalidValue : Status::Success;
}
Status graph_add_copy(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const BoxParameters* given, ContextHandle) {
    FAKE_ENTER_CONTEXT("cuGraphAddMemcpyNode");
    Box box;
    if (!find_box(*given, &box)) return Status::InvalidValue;
    // Neither side may be pageable memory.
    for (const BoxSide* side : {&given->source, &given->destination}) {
        const bool is_unified = side->type == MemoryType::Unified;
        const void* const host =
            is_unified ? reinterpret_cast<const void*>(side->device) : side->host;
        const bool may_be_host = is_unified ? !is_device_memory(side->device, given->width_bytes)
                                            : side->type == MemoryType::Host;
        if (may_be_host && !is_pinned(host)) return Status::InvalidValue;
    }
    return add_to(node, graph, "copy", dependencies, count,
                  [box](Stream* stream) { push(stream, [box] { copy(box); }); });
}
Status graph_add_fill(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const FillNode* given, ContextHandle) {
    FAKE_ENTER_CONTEXT("cuGraphAddMemsetNode");
    const FillNode part = *given;
    const std::size_t bytes = part.pitch * (part.height - 1) + part.width * part.element_bytes;
    if (part.destination % part.element_bytes != 0 || !is_device_memory(part.destination, bytes)) {
        return Status::InvalidValue;
    }
    return add_to(node, graph, "fill", dependencies, count,
                  [part](Stream* stream) { push(stream, [part] { fill(part); }); });
}
Status graph_add_host(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const HostNode* given) {
    FAKE_ENTER_CONTEXT("cuGraphAddHostNode");
    const HostNode host = *given;
    return add_to(node, graph, "host", dependencies, count,
                  [host](Stream* stream) { push(stream, [host] { host.function(host.data); }); });
}
Status graph_add_record(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                        std::size_t count, EventHandle event) {
    FAKE_ENTER_CONTEXT("cuGraphAddEventRecordNode");
    return add_to(node, graph, "record", dependencies, count,
                  [made = event_of(event)](Stream* stream) { record(stream, made); });
}
Status graph_add_wait(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, EventHandle event) {
    FAKE_ENTER_CONTEXT("cuGraphAddEventWaitNode");
    return add_to(node, graph, "wait", dependencies, count,
                  [made = event_of(event)](Stream* stream) { wait_for(stream, made); });
}
Status graph_instantiate(GraphExec* executable, GraphHandle graph, unsigned long long) {
    FAKE_ENTER_CONTEXT("cuGraphInstantiateWithFlags");
    *executable = reinterpret_cast<GraphExec>(instantiate(graph_of(graph)));
    return Status::Success;
}
Status graph_set_kernel(GraphExec graph, GraphNode node, const KernelNode* kernel) {
    FAKE_ENTER_CONTEXT("cuGraphExecKernelNodeSetParams");
    return set_node(graph_of(graph), node, run_kernel(*kernel)) ? Status::Success
                                                                : Status::InvalidValue;
}
Status graph_launch(GraphExec graph, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuGraphLaunch");
    launch(graph_of(graph), stream_of(stream));
    return Status::Success;
}
Status capture_mode(CaptureMode* mode) {
    FAKE_ENTER("cuThreadExchangeStreamCaptureMode");
    thread_local CaptureMode own = CaptureMode::Global;
    std::swap(own, *mode);
    return Status::Success;
}
Status graph_exec_destroy(GraphExec graph) {
    FAKE_ENTER("cuGraphExecDestroy");
    destroy(graph_of(graph));
    return Status::Success;
}

}  // namespace warpwise::cuda::fake

#pragma GCC visibility push(default)
extern "C" const char* fake_cuda_last_graph() {
    return warpwise::cuda::fake::last_graph();
}
#pragma GCC visibility pop
