// Graphs: an executable graph of the driver for a recorded sequence.
//
// Each step becomes one node or a chain of them, behind the nodes of the steps that it comes
// behind; branches that are not ordered may run at the same time. Launches may change: those that
// did since the last run are given to the executable graph before the next, in launch().
//
// Pageable memory is copied by host functions, through page-locked chunks. Copies that are ordered
// share a chunk. The driver runs one run of an executable graph at a time, so that one set of
// chunks serves all runs.
//
// Host functions are called by nodes. What one throws is kept under the number of the run; a host
// call behind the run, in its stream, throws it again where the stream's errors are looked for.
//
// Threading: as runtime::GraphImpl.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/graphs.hpp"

namespace warpwise::cuda {

class CudaGraph final : public runtime::GraphImpl {
  public:
    // Throws what adding nodes and instantiating throws: LaunchError for a kernel that the driver
    // refuses, OutOfMemoryError, DeviceError.
    CudaGraph(PrimaryContext& context, const runtime::GraphRecord& record);
    ~CudaGraph() override;
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void launch(runtime::Queue& queue, const runtime::GraphRecord& record,
                const std::shared_ptr<const void>& keep_alive) override;

  private:
    friend class GraphBuilder;

    struct KernelPlace {
        std::size_t step;
        GraphNode node;
        std::uint64_t version;  // of the step that the executable graph has
    };
    // What a host node does: a user's function, or else a part of a copy or the end of a run. Of
    // these the driver has the addresses.
    struct HostWork {
        CudaGraph* graph;
        std::shared_ptr<const runtime::GraphStep> step;  // null: it is `function`
        std::function<void()> function;
    };

    static void run(void* work);
    void finish_run();
    void fail(const std::exception_ptr& error);
    std::exception_ptr take_error(std::uint64_t run);
    void update(const runtime::GraphRecord& record) WARPWISE_REQUIRES(mutex_);
    void release() noexcept;

    PrimaryContext& context_;
    GraphHandle graph_ = nullptr;
    std::vector<std::byte*> chunks_;  // page-locked
    std::deque<HostWork> host_work_;
    bool calls_host_ = false;  // whether functions of users are among them

    Mutex mutex_;
    GraphExec exec_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
    std::vector<KernelPlace> kernels_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t version_ WARPWISE_GUARDED_BY(mutex_) = 0;  // of the last record
    std::uint64_t launched_ WARPWISE_GUARDED_BY(mutex_) = 0;

    Mutex errors_mutex_;
    std::uint64_t finished_ WARPWISE_GUARDED_BY(errors_mutex_) = 0;  // runs
    std::map<std::uint64_t, std::exception_ptr> errors_ WARPWISE_GUARDED_BY(errors_mutex_);
};

class CudaGraphs final : public runtime::GraphSupport {
  public:
    explicit CudaGraphs(std::vector<PrimaryContext*> contexts) : contexts_(std::move(contexts)) {}
    std::unique_ptr<runtime::GraphImpl> make_graph(int ordinal,
                                                   const runtime::GraphRecord& record) override;

  private:
    std::vector<PrimaryContext*> contexts_;
};

}  // namespace warpwise::cuda
