// Steps own what their operations refer to.
#include "src/runtime/record/recorded_step.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

namespace warpwise::runtime {
namespace {

struct Description {
    std::string operator()(const Launch& launch) const {
        return "the launch of " + launch.kernel->info->signature.name;
    }
    std::string operator()(const Copy& copy) const {
        return fmt::format("a copy of {} bytes", copy.bytes);
    }
    std::string operator()(const PeerCopy& copy) const {
        return fmt::format("a copy of {} bytes between devices", copy.bytes);
    }
    std::string operator()(const Fill& fill) const {
        return fmt::format("a fill of {} bytes", fill.pattern_bytes * fill.count);
    }
    std::string operator()(const BoxCopy& copy) const {
        return fmt::format("a copy of {} by {} by {} bytes", copy.width_bytes, copy.height,
                           copy.depth);
    }
    std::string operator()(const EventRecord&) const { return "the record of an event"; }
    std::string operator()(const EventWait&) const { return "a wait for an event"; }
    std::string operator()(const HostCall&) const { return "a host function"; }
};

}  // namespace

std::uint64_t next_graph_version() noexcept {
    static std::atomic<std::uint64_t> counter{0};
    return ++counter;
}

std::shared_ptr<RecordedStep> make_step(GraphOperation operation, Buffers buffers) {
    auto step = std::make_shared<RecordedStep>();
    step->operation = std::move(operation);
    step->version = next_graph_version();
    std::erase(buffers, nullptr);
    step->buffers = std::move(buffers);
    return step;
}

std::shared_ptr<RecordedStep> make_launch(const std::shared_ptr<KernelState>& kernel,
                                          const Launch& launch, Buffers buffers) {
    auto step = make_step(launch, std::move(buffers));
    step->kernel = kernel;
    step->arguments.assign(launch.arguments.begin(), launch.arguments.end());
    step->owner = launch.kept();
    Launch& own = std::get<Launch>(step->operation);
    own.arguments = step->arguments;
    own.keep_alive = &step->owner;
    return step;
}

std::string description_of(const RecordedStep& step) {
    return std::visit(Description{}, step.operation);
}

}  // namespace warpwise::runtime
