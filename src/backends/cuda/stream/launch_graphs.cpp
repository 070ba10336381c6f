// A table of shapes, each at the place that its hash gives: what is launched most often stays.
#include "src/backends/cuda/stream/launch_graphs.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "src/backends/cuda/module/kernel.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kFirstVersion = 13000;    // of CUDA, whose driver gives graphs faster than launches
constexpr std::uint32_t kRepeats = 16;  // making a graph takes as long as six launches
constexpr std::uint32_t kMostUses = 64;
constexpr unsigned kMostGraphs = 256;  // of the process

std::atomic<unsigned> g_graphs{0};

std::size_t place_of(const runtime::KernelImpl& kernel, std::uint32_t blocks) {
    const std::uint64_t key = reinterpret_cast<std::uintptr_t>(&kernel) + blocks;
    return (key * 0x9E3779B97F4A7C15U) >> 59;
}

// The driver's form of a launch. Refers to its arguments, and to itself.
struct Node {
    explicit Node(const runtime::Launch& launch) : bytes(launch.arguments.size()) {
        extra[1] = const_cast<std::byte*>(launch.arguments.data());
        node.function = static_cast<const CudaKernel&>(*launch.kernel).function;
        std::ranges::copy(launch.grid, node.grid);
        std::ranges::copy(launch.block, node.block);
        node.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        node.extra = bytes == 0 ? nullptr : extra;
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    std::size_t bytes;
    void* extra[5] = {kArgumentBuffer, nullptr, kArgumentBytes, &bytes, nullptr};
    KernelNode node{};
};

bool is_plain(const runtime::Launch& launch) {
    return !launch.cooperative && !launch.programmatic && launch.cluster[0] == 0 &&
           launch.kernel->cluster[0] == 0;
}

}  // namespace

bool LaunchGraphs::are_wanted() {
    const auto& setting = settings().launch_graphs;
    return setting ? *setting != 0 : driver().version >= kFirstVersion;
}

[[gnu::hot]] std::optional<Status> LaunchGraphs::launch_again(const Driver& driver,
                                                              const runtime::Launch& launch,
                                                              StreamHandle stream) noexcept {
    const auto& kernel = static_cast<const CudaKernel&>(*launch.kernel);
    if (!is_plain(launch)) return {};
    const Shape shape{.kernel = &kernel,
                      .grid = launch.grid,
                      .block = launch.block,
                      .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                      .preferences = kernel.preferences()};
    InlineLock lock(mutex_);
    Place& place = places_[place_of(kernel, launch.grid[0])];
    if (place.shape != shape) {
        if (place.uses > 0) {
            --place.uses;
            return {};
        }
        drop(driver, place);
        place.shape = shape;
    }
    place.uses = std::min(place.uses + 1, kMostUses);
    if (place.uses < kRepeats || place.is_refused) return {};
    // The default stream is that of the current context, and so is what is made.
    ContextHandle current = nullptr;
    if (driver.context_get_current(&current) != Status::Success || current != context_.handle()) {
        return {};
    }
    if (place.executable == nullptr) {
        if (!make(driver, place, launch)) return {};
    } else if (!std::ranges::equal(launch.arguments, place.arguments)) {
        const Node changed(launch);
        if (driver.graph_set_kernel(place.executable, place.node, &changed.node) !=
            Status::Success) {
            drop(driver, place);
            place.shape = shape;
            place.uses = kMostUses;
            place.is_refused = true;
            return {};
        }
        place.arguments.assign(launch.arguments.begin(), launch.arguments.end());
    }
    return driver.graph_launch(place.executable, stream);
}

bool LaunchGraphs::make(const Driver& driver, Place& place,
                        const runtime::Launch& launch) noexcept {
    if (g_graphs.fetch_add(1) >= kMostGraphs) {
        g_graphs.fetch_sub(1);
        place.uses = 0;
        return false;
    }
    const Node first(launch);
    // Another library may be capturing a stream, which calls that allocate would end.
    CaptureMode mode = CaptureMode::Relaxed;
    driver.capture_mode(&mode);
    const bool is_made =
        driver.graph_create(&place.graph, 0) == Status::Success &&
        driver.graph_add_kernel(&place.node, place.graph, nullptr, 0, &first.node) ==
            Status::Success &&
        driver.graph_instantiate(&place.executable, place.graph, 0) == Status::Success;
    driver.capture_mode(&mode);
    if (is_made) {
        place.arguments.assign(launch.arguments.begin(), launch.arguments.end());
        static_cast<CudaKernel&>(*launch.kernel).note_graph();
        return true;
    }
    place.executable = nullptr;
    if (place.graph != nullptr) driver.graph_destroy(place.graph);
    place.graph = nullptr;
    g_graphs.fetch_sub(1);
    place.is_refused = true;
    return false;
}

void LaunchGraphs::drop(const Driver& driver, Place& place) noexcept {
    if (place.executable != nullptr) {
        driver.graph_exec_destroy(place.executable);
        driver.graph_destroy(place.graph);
        g_graphs.fetch_sub(1);
    }
    place = Place{};
}

void LaunchGraphs::forget(const runtime::KernelImpl& kernel) noexcept {
    if (!is_used_) return;
    context_.ignoring_errors([&](const Driver& driver) {
        InlineLock lock(mutex_);
        for (Place& place : places_) {
            if (place.shape.kernel == &kernel) drop(driver, place);
        }
    });
}

void LaunchGraphs::clear() noexcept {
    if (!is_used_) return;
    context_.ignoring_errors([this](const Driver& driver) {
        InlineLock lock(mutex_);
        for (Place& place : places_) drop(driver, place);
    });
}

}  // namespace warpwise::cuda
