// Graphs as Python sees them: an object that exists before its capture has ended.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/graph.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {

// Shared by the `with` block that fills it and the user who launches it.
struct CapturedGraph {
    CapturedGraph() = default;
    CapturedGraph(const CapturedGraph&) = delete;
    CapturedGraph& operator=(const CapturedGraph&) = delete;

    std::optional<Graph> graph;               // empty until the capture has ended
    std::shared_ptr<const void> host_memory;  // of the copies in the graph; null without any
};

class Capture {
  public:
    explicit Capture(Stream stream) : stream_(std::move(stream)) {}

    // Makes the stream current and starts recording; leave() ends both and fills the graph.
    // After an exception in the block the recorded work is dropped.
    std::shared_ptr<CapturedGraph> enter();
    void leave(bool has_failed);
    // "<Capture on 'cpu', not begun>"; then recording, ended.
    std::string representation() const;

  private:
    Stream stream_;
    std::shared_ptr<CapturedGraph> graph_;
    bool is_recording_ = false;
};

}  // namespace warpwise::python
