// Instantiating, changing and running.
#include "src/backends/cuda/graph/graph.hpp"

#include <utility>

#include "src/backends/cuda/device/event.hpp"
#include "src/backends/cuda/graph/graph_builder.hpp"
#include "src/backends/cuda/module/kernel.hpp"
#include "src/backends/cuda/stream/queue.hpp"

namespace warpwise::cuda {

CudaGraph::CudaGraph(PrimaryContext& context, const runtime::GraphRecord& record)
    : context_(context) {
    const PrimaryContext::Scope scope(context_);
    try {
        GraphBuilder(*this, record).build();
        MutexLock lock(mutex_);
        context_.check(driver().graph_instantiate(&exec_, graph_, 0), "instantiate a graph");
        version_ = record.version;
    } catch (...) {
        release();
        throw;
    }
}

CudaGraph::~CudaGraph() {
    release();
}

void CudaGraph::release() noexcept {
    MutexLock lock(mutex_);
    context_.ignoring_errors([this](const Driver& driver) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        if (exec_ != nullptr) driver.graph_exec_destroy(exec_);
        if (graph_ != nullptr) driver.graph_destroy(graph_);
        for (std::byte* const chunk : chunks_) driver.host_free(chunk);
    });
}

void CudaGraph::update(const runtime::GraphRecord& record) {
    if (record.version == version_) return;
    for (KernelPlace& place : kernels_) {
        const runtime::GraphStep& step = *record.steps[place.step];
        if (step.version == place.version) continue;
        const auto& launch = std::get<runtime::Launch>(step.operation);
        static_cast<CudaKernel&>(*launch.kernel)
            .allow_dynamic_shared(context_, launch.dynamic_shared_bytes);
        context_.check(
            driver().graph_set_kernel(exec_, place.node, &KernelNodeParameters(launch).get()),
            "change a launch in a graph");
        place.version = step.version;
    }
    version_ = record.version;
}

void CudaGraph::launch(runtime::Queue& queue, const runtime::GraphRecord& record,
                       const std::shared_ptr<const void>& keep_alive) {
    auto& own = static_cast<CudaQueue&>(queue);
    const PrimaryContext::Scope scope(context_);
    std::uint64_t run = 0;
    std::uint64_t group = 0;
    {
        MutexLock lock(mutex_);
        update(record);
        group = own.launch_graph(exec_, record.kernels, keep_alive);
        run = ++launched_;
    }
    own.seal(group);
    if (calls_host_) {
        own.call_host([this, keep_alive, run] {
            if (auto error = take_error(run)) std::rethrow_exception(error);
        });
    }
    for (const auto& step : record.steps) {
        if (const auto* recorded = std::get_if<runtime::EventRecord>(&step->operation)) {
            static_cast<CudaEvent&>(*recorded->event).set_host_calls(own.host_calls());
        }
    }
}

void CudaGraph::run(void* argument) {
    const auto& work = *static_cast<const HostWork*>(argument);
    if (work.step == nullptr) return work.function();
    try {
        std::get<runtime::HostCall>(work.step->operation).function();
    } catch (...) {
        work.graph->fail(std::current_exception());
    }
}

void CudaGraph::finish_run() {
    MutexLock lock(errors_mutex_);
    ++finished_;
}

void CudaGraph::fail(const std::exception_ptr& error) {
    MutexLock lock(errors_mutex_);
    errors_.try_emplace(finished_ + 1, error);
}

std::exception_ptr CudaGraph::take_error(std::uint64_t run) {
    MutexLock lock(errors_mutex_);
    const auto found = errors_.find(run);
    if (found == errors_.end()) return nullptr;
    std::exception_ptr error = std::move(found->second);
    errors_.erase(found);
    return error;
}

std::unique_ptr<runtime::GraphImpl> CudaGraphs::make_graph(int ordinal,
                                                           const runtime::GraphRecord& record) {
    return std::make_unique<CudaGraph>(*contexts_[static_cast<std::size_t>(ordinal)], record);
}

}  // namespace warpwise::cuda
