// Graphs: captured device work, launched again as a whole.
//
//   stream.begin_capture();
//   kernel({.grid = 4, .block = 256, .stream = stream}, x, n);
//   ww::Graph graph = stream.end_capture();
//   graph.launch(stream);                        // as often as wanted
//   graph.kernels()[0].set_arguments(y, n);      // for the launches from now on
//
// Other streams join a capture by waiting for events recorded in it (see Stream::begin_capture());
// their operations are branches of the graph.
//
// A GPU makes a graph of its own of it, at the first launch, and starts that with one call:
// branches run at the same time where they can. Other devices are given the operations one by one,
// in the order they were recorded.
//
// Ownership: a graph keeps alive the buffers and kernels it uses. Host memory of captured copies
// must outlive it and its launches. Host arrays, which are copied at the launch, cannot be
// captured. Order: launches of one graph never overlap on a GPU, whatever streams they go to;
// elsewhere they are ordered by the streams they go to. Threading: every function may be called
// from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace runtime {
class GraphState;
}

// One launch of a kernel in a graph. A cheap value; keeps the graph alive.
//
// A change is for launches of the graph from now on: those that were made before, finished or not,
// run with what they were made with. It is in every copy of the Graph, and in no other graph:
// capturing the launch of a graph copies its operations as they are then.
class WARPWISE_API GraphKernel {
  public:
    const std::string& name() const noexcept;
    const KernelSignature& signature() const noexcept;
    // Grid, block, dynamic shared memory, and whether it is cooperative; without a stream.
    LaunchConfig config() const;

    // New arguments, all of them, checked against the signature as at a launch. Throws
    // ArgumentError, and then changes nothing. Host arrays are refused.
    template <class... Arguments>
    void set_arguments(const Arguments&... arguments) const {
        with_arguments([&](std::span<const Argument> list) { set_argument_list(list); }, nullptr,
                       arguments...);
    }
    void set_argument_list(std::span<const Argument> arguments) const;
    // Another grid, block and amount of shared memory. Throws ArgumentError or LaunchError, as a
    // launch does, and then changes nothing; also for a stream, and for another `cooperative`,
    // which a graph cannot change.
    void set_config(const LaunchConfig& config) const;

    // For the library's own components.
    GraphKernel(std::shared_ptr<runtime::GraphState> graph, std::size_t place) noexcept;

  private:
    std::shared_ptr<runtime::GraphState> graph_;
    std::size_t place_;
    std::shared_ptr<runtime::KernelState> kernel_;
};

class WARPWISE_API Graph {
  public:
    void launch() const;  // on the current stream
    void launch(const Stream& stream) const;
    std::size_t size() const noexcept;  // number of recorded operations
    // The launches of kernels in it, in the order they were recorded.
    std::vector<GraphKernel> kernels() const;

    explicit Graph(std::shared_ptr<runtime::GraphState> state) noexcept;

  private:
    std::shared_ptr<runtime::GraphState> state_;
};

}  // namespace warpwise
