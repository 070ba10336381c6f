// A stream of a GPU: a stream of the driver, the launches it keeps alive, its host calls.
//
// Copies from and to pageable memory go through the driver where the stream is idle, else through
// staging memory and host calls: queueing never waits for earlier work.
//
// Threading: as runtime::Queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/backends/cuda/device/event.hpp"
#include "src/backends/cuda/device/in_flight.hpp"
#include "src/backends/cuda/stream/host_call.hpp"
#include "src/backends/cuda/stream/launch_graphs.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::cuda {

class CudaQueue final : public runtime::Queue {
  public:
    CudaQueue(DeviceState& device, const runtime::QueueOptions& options);
    // Over a stream of another owner.
    CudaQueue(DeviceState& device, const runtime::QueueOptions& options, StreamHandle stream);
    // What is queued runs to its end; waits for launches that it keeps
    // something alive for, and for host calls.
    ~CudaQueue() override;

    StreamHandle stream() const noexcept { return stream_.stream; }
    EventLog& event_log() noexcept { return device_.event_log(); }

    void launch(const runtime::Launch& launch) override;
    void copy(runtime::DeviceAddress destination, runtime::DeviceAddress source, std::size_t bytes,
              runtime::CopyKind kind) override;
    bool copy_now(runtime::DeviceAddress destination, runtime::DeviceAddress source,
                  std::size_t bytes, runtime::CopyKind kind) override;
    void fill(runtime::DeviceAddress destination, std::uint64_t pattern, std::size_t pattern_bytes,
              std::size_t count) override;
    void record(runtime::EventImpl& event) override;
    void wait(runtime::EventImpl& event) override;
    void call_host(std::function<void()> function) override;
    using runtime::Queue::is_done;
    bool is_done(runtime::Wait wait, const runtime::EventImpl* until) override;
    // Of arrays too; see runtime::TextureSupport::copy().
    void copy_box(const runtime::BoxCopy& copy);

    // With the context current. `kernels` are the graph's, and held by `keep_alive`. Lets nothing
    // go. What is returned is for seal(), which does, and is called without a lock.
    std::uint64_t launch_graph(GraphExec graph,
                               const std::vector<const runtime::KernelImpl*>& kernels,
                               const std::shared_ptr<const void>& keep_alive);
    void seal(std::uint64_t group) {
        if (group != 0) seal_launches(group);
    }
    std::uint64_t host_calls() const { return host_calls_->count(); }

  private:
    // Makes a call of the driver that names the stream, without asking what context is current: all
    // streams but the default one know theirs. Where it fails and ours is not current, the driver
    // has done nothing, and the call is made again with ours.
    template <class Call>
    Status on_stream(Call&& call) {
        if (stream_.stream != kLegacyStream && is_direct_.load(std::memory_order_relaxed)) {
            const Status status = call(cuda::driver());
            if (status == Status::Success || !is_elsewhere(status)) [[likely]]
                return status;
        }
        const PrimaryContext::Scope scope(context_);
        return call(cuda::driver());
    }
    // Whether a call failed while our context was not current. Where a foreign one was, calls are
    // not made directly any more.
    bool is_elsewhere(Status status);
    void check_launch(Status status, const runtime::Launch& launch);
    Status start(const Driver& driver, const runtime::Launch& launch) noexcept;
    void seal_launches(std::uint64_t group);
    // Of memory that a copy may make the driver wait for.
    void copy_pageable(runtime::DeviceAddress destination, runtime::DeviceAddress source,
                       std::size_t bytes, runtime::CopyKind kind);
    // Copies to pageable memory behind what is queued, and waits for it.
    void fetch(runtime::DeviceAddress host, runtime::DeviceAddress source, std::size_t bytes);
    void copy_by_driver(runtime::DeviceAddress destination, runtime::DeviceAddress source,
                        std::size_t bytes, runtime::CopyKind kind);
    void queue_staged(runtime::DeviceAddress chunk, runtime::DeviceAddress destination,
                      runtime::DeviceAddress source, std::size_t bytes, runtime::CopyKind kind);
    // Whether a copy from or to this host memory would make the driver wait for earlier work.
    bool holds_up(runtime::DeviceAddress host);
    // Gives `work` a chunk of page-locked memory that is the stream's until the stream gets here.
    void with_chunk(const std::function<void(runtime::DeviceAddress chunk)>& work);
    void queue_box(const runtime::BoxCopy& copy);
    void queue_staged_box(runtime::DeviceAddress chunk, const runtime::BoxCopy& copy, bool is_up);
    bool has_reached(const runtime::EventImpl* until);
    void wait_and_print(const runtime::EventImpl* until);
    void print();
    // Of a wait that takes longer than the stream's time limit: a kernel cannot be stopped here.
    [[noreturn]] void give_up();

    DeviceState& device_;
    PrimaryContext& context_;
    const Driver& driver_ = cuda::driver();
    InFlight launches_;
    const std::shared_ptr<HostCalls> host_calls_ = std::make_shared<HostCalls>();
    DeviceState::OpenStream stream_;
    const bool is_own_;
    LaunchGraphs graphs_;
    // Whether calls are made without asking for the current context first.
    std::atomic<bool> is_direct_{true};
};

}  // namespace warpwise::cuda
