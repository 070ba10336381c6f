// The optional part of the contract of back ends that is about graphs: sequences of queue
// operations that a device runs as a whole. Without it the runtime gives the operations to the
// queue one by one.
//
// A graph's operations stand in the order they were recorded in, which is one that they may run in.
// What must come behind what is in GraphRecord::order: operations that it does not order may run at
// the same time. Steps never change: a launch with new arguments is another step in the place of
// the old one. So a holder of a GraphRecord can run it, however others change the graph
// meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "src/runtime/backend.hpp"
#include "src/runtime/images.hpp"
#include "src/runtime/peers.hpp"

namespace warpwise::runtime {

struct Copy {
    DeviceAddress destination = 0;
    DeviceAddress source = 0;
    std::size_t bytes = 0;
    CopyKind kind = CopyKind::HostToDevice;
};

struct Fill {
    DeviceAddress destination = 0;
    std::uint64_t pattern = 0;
    std::size_t pattern_bytes = 1;
    std::size_t count = 0;
};

struct EventRecord {
    EventImpl* event = nullptr;
};

struct EventWait {
    EventImpl* event = nullptr;
};

struct HostCall {
    std::function<void()> function;
};

using GraphOperation =
    std::variant<Launch, Copy, PeerCopy, Fill, BoxCopy, EventRecord, EventWait, HostCall>;

struct GraphStep {
    GraphOperation operation;   // what a Launch refers to lies in the step
    std::uint64_t version = 0;  // differs between all steps of the process
};

// For each step the places of those it comes right behind, all below its own, each once.
using StepOrder = std::vector<std::vector<std::size_t>>;
// Whether the one must wait for the other, or is it.
bool comes_behind(const StepOrder& order, std::size_t later, std::size_t earlier);

// What one run of a graph does.
struct GraphRecord {
    std::uint64_t version = 0;  // differs between all records of the process
    std::vector<std::shared_ptr<const GraphStep>> steps;
    std::shared_ptr<const StepOrder> order;  // the same for all records of a graph
    std::vector<const KernelImpl*> kernels;  // that are launched, each once
};

// An executable graph of a device.
class GraphImpl {
  public:
    virtual ~GraphImpl() = default;
    // Queues one run. `record` has the steps that the graph was made of, but for launches, which
    // may have got other arguments, grid, block and dynamic shared memory. `keep_alive` is held
    // until the run has finished; so are the record and the graph, by it.
    virtual void launch(Queue& queue, const GraphRecord& record,
                        const std::shared_ptr<const void>& keep_alive) = 0;
};

class GraphSupport {
  public:
    virtual ~GraphSupport() = default;
    // Null when the device cannot make one graph of these steps; then the runtime gives them to
    // the queue one by one, as they stand.
    virtual std::unique_ptr<GraphImpl> make_graph(int ordinal, const GraphRecord& record) = 0;
};

}  // namespace warpwise::runtime
