// GraphKernel: a captured launch, checked and packed again.
#include <optional>
#include <utility>
#include <vector>

#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/launch_limits.hpp"
#include "src/runtime/launch/launch_uses.hpp"
#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/refuse.hpp"
#include "warpwise/graph.hpp"

namespace warpwise {
namespace {

using runtime::Launch;

// What a run holds on to when it was given other arguments than at the capture.
struct ChangedOwner {
    std::shared_ptr<const void> captured;
    std::vector<std::shared_ptr<const runtime::ImageState>> images;
};

const Launch& launch_of(const runtime::RecordedStep& step) {
    return std::get<Launch>(step.operation);
}

std::optional<Dim3> cluster_of(const Launch& launch) {
    if (launch.cluster[0] == 0) return std::nullopt;
    return Dim3(launch.cluster[0], launch.cluster[1], launch.cluster[2]);
}

}  // namespace

GraphKernel::GraphKernel(std::shared_ptr<runtime::GraphState> graph, std::size_t place) noexcept
    : graph_(std::move(graph)), place_(place), kernel_(graph_->step(place)->kernel) {}

const std::string& GraphKernel::name() const noexcept {
    return signature().name;
}

const KernelSignature& GraphKernel::signature() const noexcept {
    return kernel_->signature();
}

LaunchConfig GraphKernel::config() const {
    const auto step = graph_->step(place_);
    const Launch& launch = launch_of(*step);
    return {.grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
            .block = {launch.block[0], launch.block[1], launch.block[2]},
            .shared = launch.dynamic_shared_bytes,
            .cooperative = launch.cooperative,
            .cluster = cluster_of(launch),
            .programmatic = launch.programmatic};
}

void GraphKernel::set_argument_list(std::span<const Argument> arguments) const {
    // Padding is given to the back end too: it must not vary.
    std::vector<std::byte> packed(signature().argument_bytes);
    if (runtime::pack_arguments(*kernel_, arguments, packed.data()).host_arrays > 0) {
        runtime::refuse_value(
            "{}: host arrays are copied at a launch and cannot be part of a graph; pass buffers",
            name());
    }
    const auto old = graph_->step(place_);
    Launch launch = launch_of(*old);
    launch.arguments = packed;
    launch.keep_alive = &old->captured_owner;
    runtime::Buffers buffers;
    runtime::for_each_buffer(kernel_->context(), arguments,
                             [&](const auto& buffer) { buffers.push_back(buffer); });
    ChangedOwner owner{.captured = old->captured_owner, .images = {}};
    for (const Argument& argument : arguments) {
        if (argument.form() != Argument::Form::Image) continue;
        owner.images.push_back(runtime::image_of(argument).shared_from_this());
    }
    std::shared_ptr<const void> changed;
    if (!owner.images.empty()) {
        changed = std::make_shared<ChangedOwner>(std::move(owner));
        launch.keep_alive = &changed;
    }
    graph_->set_launch(place_, launch, std::move(buffers));
}

void GraphKernel::set_config(const LaunchConfig& config) const {
    const auto old = graph_->step(place_);
    Launch launch = launch_of(*old);
    if (config.stream) {
        runtime::refuse_value(
            "{}: a launch in a graph has no stream of its own; give one to Graph::launch()",
            name());
    }
    if (config.cooperative != launch.cooperative) {
        runtime::refuse_value(
            "{}: whether a launch is cooperative cannot be changed in a graph; capture it again",
            name());
    }
    LaunchConfig whole = config;
    if (!whole.cluster) whole.cluster = cluster_of(launch);
    if (whole.cluster != cluster_of(launch)) {
        runtime::refuse_value(
            "{}: the cluster of a launch cannot be changed in a graph; capture it again", name());
    }
    runtime::set_extents(*kernel_, whole, launch);
    graph_->set_launch(place_, launch, old->buffers);
}

}  // namespace warpwise
