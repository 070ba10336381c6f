// Queueing and waiting. Copies and fills: queue_copies.cpp.
#include "src/backends/cuda/stream/queue.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "src/backends/cuda/device/waiting.hpp"
#include "src/backends/cuda/module/kernel.hpp"
#include "src/runtime/profile/work_records.hpp"
#include "src/runtime/stream/output.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

using runtime::Wait;

namespace {

// For host calls of a stream whose progress is no longer known. After a fault they never run.
constexpr auto kPatience = std::chrono::seconds(1);

// "graph of scale, sum": what a profile calls it.
std::string graph_name(const std::vector<const runtime::KernelImpl*>& kernels) {
    constexpr std::size_t kMost = 3;
    std::string name = "graph";
    for (std::size_t i = 0; i < kernels.size() && i <= kMost; ++i) {
        name += i == 0 ? " of " : ", ";
        name += i < kMost ? kernels[i]->info->signature.name : "...";
    }
    return name;
}

}  // namespace

CudaQueue::CudaQueue(DeviceState& device, const runtime::QueueOptions& options)
    : device_(device),
      context_(device.context()),
      stream_{kLegacyStream, options, &launches_, &graphs_},
      is_own_(!options.is_default),
      graphs_(context_, LaunchGraphs::are_wanted()) {
    const PrimaryContext::Scope scope(context_);
    if (!options.is_default) {
        context_.check(
            driver().stream_create(&stream_.stream, options.non_blocking ? kStreamNonBlocking : 0,
                                   options.priority),
            "make a stream");
    }
    device_.add(stream_);
}

CudaQueue::CudaQueue(DeviceState& device, const runtime::QueueOptions& options, StreamHandle stream)
    : device_(device),
      context_(device.context()),
      stream_{stream, options, &launches_, &graphs_},
      is_own_(false),
      graphs_(context_, false) {
    device_.add(stream_);
}

CudaQueue::~CudaQueue() {
    context_.ignoring_errors([this](const Driver& driver) {
        // The runtime releases streams that have ended; a module must not go under a kernel.
        const auto has_work = [this] { return launches_.has_any() || host_calls_->has_pending(); };
        Status status = Status::Success;
        while (has_work() && (status = driver.stream_query(stream_.stream)) == Status::NotReady) {
            std::this_thread::yield();
        }
        if (status != Status::Success && !is_fault(status)) launches_.keep_for_ever();
        // A query may fail for reasons of its own; host calls use memory of the program's.
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (host_calls_->has_pending() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
    });
    graphs_.clear();
    device_.remove(stream_.stream);
    if (!is_own_) return;
    context_.ignoring_errors(
        [this](const Driver& driver) { driver.stream_destroy(stream_.stream); });
}

[[gnu::hot]] void CudaQueue::check_launch(Status status, const runtime::Launch& launch) {
    if (status == Status::Success) [[likely]]
        return;
    const std::string& name = launch.kernel->info->signature.name;
    if (status == Status::LaunchOutOfResources || status == Status::InvalidValue) {
        throw LaunchError(fmt::format("{} cannot be launched on cuda:{}: {}", name,
                                      context_.ordinal(), describe(driver(), status)),
                          name, std::nullopt, std::nullopt);
    }
    context_.check(status, "launch a kernel");
}

bool CudaQueue::is_elsewhere(Status status) {
    ContextHandle current = nullptr;
    if (is_fault(status)) return false;
    const bool is_known = driver().context_get_current(&current) == Status::Success;
    if (is_known && current == context_.handle()) return false;
    // Asking each time is cheaper than being refused each time.
    if (current != nullptr || context_.ordinal() != 0) is_direct_.store(false);
    return true;
}

// Directly on the default stream too: a kernel has one context, and the driver refuses it in
// others.
[[gnu::hot]] void CudaQueue::launch(const runtime::Launch& launch) {
    const Driver& driver = cuda::driver();
    auto& kernel = static_cast<CudaKernel&>(*launch.kernel);
    kernel.allow_dynamic_shared(context_, launch.dynamic_shared_bytes);
    const auto start_it = [&] { return start(driver, launch); };
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    InFlight::Added added;
    const bool is_direct = is_direct_.load(std::memory_order_relaxed);
    if (is_direct) added = launches_.add(launch, start_it);
    if (!is_direct || (added.status != Status::Success && is_elsewhere(added.status)))
        [[unlikely]] {
        const PrimaryContext::Scope scope(context_);
        added = launches_.add(launch, start_it);
    }
    check_launch(added.status, launch);
    timing.done([&] { return runtime::record_of(launch); });
    if (added.group != 0) [[unlikely]]
        seal_launches(added.group);
}

[[gnu::hot]] Status CudaQueue::start(const Driver& driver, const runtime::Launch& launch) noexcept {
    const auto function = static_cast<const CudaKernel&>(*launch.kernel).function;
    std::size_t bytes = launch.arguments.size();
    void* extra[] = {kArgumentBuffer, const_cast<std::byte*>(launch.arguments.data()),
                     kArgumentBytes, &bytes, nullptr};
    void** const arguments = bytes == 0 ? nullptr : extra;
    if (launch.cooperative || launch.programmatic || launch.cluster[0] != 0) {
        LaunchAttribute attributes[3];
        const unsigned count = launch_attributes(launch, attributes);
        const LaunchConfig config{.grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
                                  .block = {launch.block[0], launch.block[1], launch.block[2]},
                                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                  .stream = stream_.stream,
                                  .attributes = attributes,
                                  .attribute_count = count};
        return driver.launch_with(&config, function, nullptr, arguments);
    }
    if (const auto status = graphs_.launch(driver, launch, stream_.stream)) return *status;
    return driver.launch(function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                         launch.block[1], launch.block[2], launch.dynamic_shared_bytes,
                         stream_.stream, nullptr, arguments);
}

std::uint64_t CudaQueue::launch_graph(GraphExec graph,
                                      const std::vector<const runtime::KernelImpl*>& kernels,
                                      const std::shared_ptr<const void>& keep_alive) {
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    const auto [status, group] = launches_.add_graph(
        kernels, keep_alive, [&] { return driver_.graph_launch(graph, stream_.stream); });
    context_.check(status, "launch a graph");
    timing.done([&] {
        ProfileRecord record;
        record.kind = ProfileRecord::Kind::Graph;
        record.name = graph_name(kernels);
        return record;
    });
    return group;
}

void CudaQueue::seal_launches(std::uint64_t group) {
    const PrimaryContext::Scope scope(context_);
    auto end = std::make_unique<CudaEvent>(context_, false);
    context_.check(driver().event_record(end->handle(), stream_.stream), "record an event");
    launches_.seal(std::move(end), group);
    launches_.collect();
}

[[gnu::hot]] void CudaQueue::record(runtime::EventImpl& event) {
    auto& own = static_cast<CudaEvent&>(event);
    own.set_host_calls(host_calls_->count());
    const Status status = on_stream(
        [&](const Driver& driver) { return driver.event_record(own.handle(), stream_.stream); });
    context_.check(status, "record an event");
}

[[gnu::hot]] void CudaQueue::wait(runtime::EventImpl& event) {
    const EventHandle handle = static_cast<CudaEvent&>(event).handle();
    const Status status = on_stream(
        [&](const Driver& driver) { return driver.stream_wait_event(stream_.stream, handle, 0); });
    context_.check(status, "let a stream wait for an event");
}

void CudaQueue::call_host(std::function<void()> function) {
    host_calls_->sweep();
    const PrimaryContext::Scope scope(context_);
    context_.check(host_calls_->queue(driver(), stream_.stream, std::move(function)),
                   "queue a host function");
}

bool CudaQueue::has_reached(const runtime::EventImpl* until) {
    const Driver& driver = cuda::driver();
    const Status status = until == nullptr
                              ? driver.stream_query(stream_.stream)
                              : driver.event_query(static_cast<const CudaEvent*>(until)->handle());
    if (status == Status::NotReady) return false;
    context_.check(status, "wait for a stream");
    return true;
}

void CudaQueue::print() {
    if (const std::string text = device_.printf().take(); !text.empty()) {
        runtime::write_output(text);
    }
}

void CudaQueue::wait_and_print(const runtime::EventImpl* until) {
    try {
        const auto limit = stream_.options.time_limit;
        const auto begin = std::chrono::steady_clock::now();
        wait_until([&] {
            if (device_.printf().is_filling()) print();
            if (has_reached(until)) return true;
            if (limit.count() > 0 && std::chrono::steady_clock::now() - begin >= limit) give_up();
            return false;
        });
    } catch (...) {
        // What a kernel printed before it failed is the best hint.
        print();
        throw;
    }
    print();
}

void CudaQueue::give_up() {
    const std::vector<std::string> names = launches_.kernel_names();
    const std::string name = names.size() == 1 ? names.front() : std::string();
    throw LaunchError(
        fmt::format("a stream has not done its work within its time limit of {} s "
                    "(WARPWISE_TIME_LIMIT, or time_limit of the stream); running or queued: {}. A "
                    "kernel of a GPU cannot be stopped without ending the process: it runs on, "
                    "and the stream may be waited for again",
                    stream_.options.time_limit.count(),
                    names.empty() ? "no kernel" : fmt::format("{}", fmt::join(names, ", "))),
        name, std::nullopt, std::nullopt);
}

bool CudaQueue::is_done(Wait wait, const runtime::EventImpl* until) {
    const PrimaryContext::Scope scope(context_);
    const std::uint64_t calls = until == nullptr
                                    ? host_calls_->count()
                                    : static_cast<const CudaEvent*>(until)->host_calls();
    const std::uint64_t launched = launches_.mark();
    if (wait == Wait::Yes) {
        wait_and_print(until);
    } else if (!has_reached(until)) {
        return false;
    }
    if (until == nullptr) {
        launches_.clear(launched);
    } else {
        launches_.collect();
    }
    host_calls_->sweep();
    if (auto error = host_calls_->take_error(calls)) std::rethrow_exception(error);
    return true;
}

}  // namespace warpwise::cuda
