// Graphs: a captured sequence of device work, launched again as a whole.
//
//   stream.begin_capture();
//   kernel({.grid = 4, .block = 256, .stream = stream}, x, n);
//   ww::Graph graph = stream.end_capture();
//   graph.launch(stream);                        // as often as wanted
//
// Ownership: a graph keeps alive the buffers and kernels it uses. Host memory of captured copies
// must outlive it. Copies that need the host at capture time (In, Out, InOut) cannot be captured.
// Threading: launches of one graph are ordered by the streams they go to.
#pragma once

#include <cstddef>
#include <memory>

#include "warpwise/export.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace runtime {
class GraphState;
}

class WARPWISE_API Graph {
  public:
    void launch() const;  // on the current stream
    void launch(const Stream& stream) const;
    std::size_t size() const noexcept;  // number of recorded operations

    explicit Graph(std::shared_ptr<runtime::GraphState> state) noexcept;

  private:
    std::shared_ptr<runtime::GraphState> state_;
};

}  // namespace warpwise
