// One function for each kind of step.
#include "src/backends/cuda/graph/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "src/backends/cuda/copy/fills.hpp"
#include "src/backends/cuda/device/event.hpp"
#include "src/backends/cuda/device/staging.hpp"
#include "src/backends/cuda/driver/pointer_query.hpp"
#include "src/backends/cuda/module/kernel.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

KernelNodeParameters::KernelNodeParameters(const runtime::Launch& launch) {
    auto* const bytes = const_cast<std::byte*>(launch.arguments.data());
    for (const Parameter& parameter : launch.kernel->info->signature.parameters) {
        arguments_.push_back(bytes + parameter.offset);
    }
    node_.function = static_cast<const CudaKernel&>(*launch.kernel).function;
    std::ranges::copy(launch.grid, node_.grid);
    std::ranges::copy(launch.block, node_.block);
    node_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    node_.arguments = arguments_.data();
}

GraphBuilder::GraphBuilder(CudaGraph& graph, const runtime::GraphRecord& record)
    : graph_(graph),
      context_(graph.context_),
      record_(record),
      chunks_(graph.context_, *record.order, graph.chunks_) {
    context_.check(driver().context_get_current(&handle_), "ask for the current context");
    context_.check(driver().graph_create(&graph_.graph_, 0), "make a graph");
}

void GraphBuilder::build() {
    for (place_ = 0; place_ < record_.steps.size(); ++place_) {
        behind_.clear();
        for (const std::size_t before : (*record_.order)[place_]) {
            for (const GraphNode node : ends_[before]) {
                if (std::ranges::count(behind_, node) == 0) behind_.push_back(node);
            }
        }
        add(record_.steps[place_]);
        ends_.push_back(behind_);
    }
    if (graph_.calls_host_) add_end();
}

void GraphBuilder::add(const StepPointer& step) {
    const runtime::GraphOperation& operation = step->operation;
    if (const auto* launch = std::get_if<runtime::Launch>(&operation)) {
        add_launch(*launch, step->version);
    } else if (const auto* copy = std::get_if<runtime::Copy>(&operation)) {
        add_copy(*copy);
    } else if (const auto* between = std::get_if<runtime::PeerCopy>(&operation)) {
        // Addresses are those of one space: the driver sees the devices by them.
        add_plain(between->to, between->from, between->bytes);
    } else if (const auto* box = std::get_if<runtime::BoxCopy>(&operation)) {
        add_box(*box);
    } else if (const auto* fill = std::get_if<runtime::Fill>(&operation)) {
        add_fill(*fill);
    } else if (const auto* record = std::get_if<runtime::EventRecord>(&operation)) {
        add_record(*record->event);
    } else if (const auto* wait = std::get_if<runtime::EventWait>(&operation)) {
        add_wait(*wait->event);
    } else if (std::holds_alternative<runtime::HostCall>(operation)) {
        graph_.calls_host_ = true;
        add_host({&graph_, step, {}});
    }
}

// Behind every branch.
void GraphBuilder::add_end() {
    std::vector<bool> has_later(ends_.size());
    for (const auto& behind : *record_.order) {
        for (const std::size_t place : behind) has_later[place] = true;
    }
    behind_.clear();
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (!has_later[i]) behind_.insert(behind_.end(), ends_[i].begin(), ends_[i].end());
    }
    std::ranges::sort(behind_);
    const auto rest = std::ranges::unique(behind_);
    behind_.erase(rest.begin(), rest.end());
    add_host([&graph = graph_] { graph.finish_run(); });
}

void GraphBuilder::add_launch(const runtime::Launch& launch, std::uint64_t version) {
    auto& kernel = static_cast<CudaKernel&>(*launch.kernel);
    kernel.allow_dynamic_shared(context_, launch.dynamic_shared_bytes);
    const KernelNodeParameters parameters(launch);
    GraphNode node = nullptr;
    const Status status =
        driver().graph_add_kernel(&node, graph_.graph_, dependencies(), count(), &parameters.get());
    if (status == Status::InvalidValue || status == Status::LaunchOutOfResources) {
        const std::string& name = kernel.info->signature.name;
        throw LaunchError(fmt::format("{} cannot be launched in a graph on cuda:{}: {}", name,
                                      context_.ordinal(), describe(driver(), status)),
                          name, std::nullopt, std::nullopt);
    }
    context_.check(status, "add a kernel to a graph");
    LaunchAttribute attributes[3];
    const unsigned attribute_count = launch_attributes(launch, attributes);
    for (const LaunchAttribute& one : std::span(attributes).first(attribute_count)) {
        // An early start is allowed, not required: in a graph the launches before have ended.
        if (one.id == LaunchAttribute::Id::ProgrammaticSerialization) continue;
        context_.check(driver().graph_set_attribute(node, one.id, &one.bytes),
                       "make a launch in a graph cooperative or one of clusters");
    }
    MutexLock lock(graph_.mutex_);
    graph_.kernels_.push_back({place_, node, version});
    follow(node);
}

void GraphBuilder::add_copy(const runtime::Copy& copy) {
    const bool is_to_host = copy.kind == runtime::CopyKind::DeviceToHost;
    const runtime::DeviceAddress host = is_to_host ? copy.destination : copy.source;
    if (copy.kind == runtime::CopyKind::DeviceToDevice || is_known_to_driver(host)) {
        add_plain(copy.destination, copy.source, copy.bytes);
    } else {
        add_staged(copy);
    }
}

// The host's memory is read and written when the copy's turn comes, as in a stream.
void GraphBuilder::add_staged(const runtime::Copy& copy) {
    std::byte* const chunk = chunks_.take(place_);
    const auto chunk_address = reinterpret_cast<std::uintptr_t>(chunk);
    for (std::size_t done = 0; done < copy.bytes; done += Staging::kChunk) {
        const std::size_t part = std::min(Staging::kChunk, copy.bytes - done);
        if (copy.kind == runtime::CopyKind::HostToDevice) {
            const auto* from = reinterpret_cast<const std::byte*>(copy.source + done);
            add_host([=] { std::memcpy(chunk, from, part); });
            add_plain(copy.destination + done, chunk_address, part);
        } else {
            auto* const to = reinterpret_cast<std::byte*>(copy.destination + done);
            add_plain(chunk_address, copy.source + done, part);
            add_host([=] { std::memcpy(to, chunk, part); });
        }
    }
}

void GraphBuilder::add_plain(std::uint64_t destination, std::uint64_t source, std::size_t bytes) {
    BoxParameters node{};
    node.source.type = node.destination.type = MemoryType::Unified;
    node.source.device = source;
    node.destination.device = destination;
    node.width_bytes = bytes;
    node.height = node.depth = 1;
    add_box_node(node);
}

void GraphBuilder::add_box_node(const BoxParameters& node) {
    GraphNode added = nullptr;
    context_.check(
        driver().graph_add_copy(&added, graph_.graph_, dependencies(), count(), &node, handle_),
        "add a copy to a graph");
    follow(added);
}

void GraphBuilder::add_box(const runtime::BoxCopy& copy) {
    check_texels(copy);
    const bool is_up = is_host_memory(copy.source);
    const bool is_down = is_host_memory(copy.destination);
    if (is_up && is_down) {
        // A host function of the library's own; the step keeps the memory.
        add_host([copy] {
            for_each_part(copy, SIZE_MAX, [&](const BoxPart& part) {
                copy_on_host(copy.destination, copy.source, part);
            });
        });
        return;
    }
    if ((is_up || is_down) &&
        !is_known_to_driver(start_of(is_up ? copy.source : copy.destination))) {
        return add_staged_box(copy, is_up);
    }
    for_each_part(copy, SIZE_MAX, [&](const BoxPart& part) {
        add_box_node(parameters_of(copy.destination, copy.source, part));
    });
}

void GraphBuilder::add_staged_box(const runtime::BoxCopy& copy, bool is_up) {
    const auto chunk = reinterpret_cast<std::uintptr_t>(chunks_.take(place_));
    for_each_part(copy, Staging::kChunk, [&](const BoxPart& part) {
        const runtime::BoxPlace between = packed_at(chunk, part);
        if (is_up) {
            add_host([=, from = copy.source] { copy_on_host(between, from, part); });
            add_box_node(parameters_of(copy.destination, between, part));
        } else {
            add_box_node(parameters_of(between, copy.source, part));
            add_host([=, to = copy.destination] { copy_on_host(to, between, part); });
        }
    });
}

void GraphBuilder::add_fill(const runtime::Fill& fill) {
    for (const FillNode& part : split_fill(fill)) {
        GraphNode added = nullptr;
        context_.check(
            driver().graph_add_fill(&added, graph_.graph_, dependencies(), count(), &part, handle_),
            "add a fill to a graph");
        follow(added);
    }
}

void GraphBuilder::add_record(runtime::EventImpl& event) {
    GraphNode added = nullptr;
    context_.check(driver().graph_add_record(&added, graph_.graph_, dependencies(), count(),
                                             static_cast<CudaEvent&>(event).handle()),
                   "add an event to a graph");
    follow(added);
    recorded_.insert(&event);
}

// What the graph itself records it is ordered with by the nodes.
void GraphBuilder::add_wait(runtime::EventImpl& event) {
    if (recorded_.contains(&event)) return;
    GraphNode added = nullptr;
    context_.check(driver().graph_add_wait(&added, graph_.graph_, dependencies(), count(),
                                           static_cast<CudaEvent&>(event).handle()),
                   "let a graph wait for an event");
    follow(added);
}

void GraphBuilder::add_host(CudaGraph::HostWork work) {
    CudaGraph::HostWork& kept = graph_.host_work_.emplace_back(std::move(work));
    const HostNode node{.function = CudaGraph::run, .data = &kept};
    GraphNode added = nullptr;
    context_.check(driver().graph_add_host(&added, graph_.graph_, dependencies(), count(), &node),
                   "add a host function to a graph");
    follow(added);
}

}  // namespace warpwise::cuda
