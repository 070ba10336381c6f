// Launching drafts in their order. A kernel that was queued is committed before the next one is
// bound: after an error the rest is still pending.
#include "src/graph/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "src/codegen/fused.hpp"
#include "src/graph/draft.hpp"
#include "src/graph/plan.hpp"
#include "src/graph/storage.hpp"
#include "src/ir/op.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

Launched g_launched;  // under the lock

std::size_t result_bytes(const Node& node) {
    return static_cast<std::size_t>(count_of(node.shape)) * DType(node.kind).size();
}

// Where the node's result goes. Kept when the launch fails: it is tried again there.
Memory& destination(Node& node) {
    if (!node.memory) node.memory = std::make_shared<Memory>();
    if (!node.memory->is_allocated()) node.memory->allocate(result_bytes(node), node.stream);
    return *node.memory;
}

// The node has been queued: from now on it is memory.
void commit(Node& node) {
    if (node.storage != nullptr) node.storage->set_memory(node.memory);
    g_launched.stored_bytes += result_bytes(node);
    turn_into_memory(node);
}

struct Prepared {
    DraftKernel kernel;
    std::shared_ptr<codegen::Fused> fused;
};

void bind(Prepared& prepared, const std::shared_ptr<runtime::StreamState>& stream) {
    DraftKernel& kernel = prepared.kernel;
    codegen::Binding& binding = kernel.binding;
    binding.buffers.clear();
    const auto place = [&](Memory& memory, std::int64_t offset, bool writes) {
        memory.before_use(stream, writes);
        if (memory.buffer().state()) binding.buffers.push_back(memory.buffer().state());
        return memory.address() + static_cast<std::uint64_t>(offset);
    };
    for (std::size_t i = 0; i < kernel.stores.size(); ++i) {
        binding.stores[i].address =
            place(destination(*kernel.stores[i]), kernel.store_offsets[i], true);
    }
    for (std::size_t i = 0; i < kernel.kept_stores.size(); ++i) {
        binding.kept_stores[i].address = place(destination(*kernel.kept_stores[i]), 0, true);
    }
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        if (kernel.inputs[i].is_counter) {
            binding.inputs[i].address = static_cast<std::uint64_t>(kernel.input_offsets[i]);
            continue;
        }
        binding.inputs[i].address =
            place(*kernel.inputs[i].node->memory, kernel.input_offsets[i], false);
    }
}

void run(Prepared& prepared, const Draft& draft, const Plan& plan) {
    bind(prepared, draft.stream);
    const auto stream = draft.stream;
    prepared.fused->launch(*stream, prepared.kernel.binding);
    ++g_launched.kernels;
    // What an array still names was computed without being stored: the next time it is.
    for (const Planned& planned : plan.nodes()) {
        Node& node = *planned.node;
        if (planned.draft < 0 && node.storage != nullptr) node.was_recomputed = true;
    }
    for (Node* node : prepared.kernel.stores) commit(*node);
    for (Node* node : prepared.kernel.kept_stores) commit(*node);
}

void run_opaque(const Draft& draft, const Plan& plan) {
    Node& node = *plan.nodes()[draft.nodes.front()].node;
    Step step;
    step.stream = draft.stream.get();
    step.output = &destination(node);
    step.output->before_use(draft.stream, true);
    for (const Input& input : node.inputs) {
        input.node->memory->before_use(draft.stream, false);
        step.inputs.push_back(input.node->memory.get());
        step.accesses.push_back(input.access);
    }
    (*node.run)(step);
    ++g_launched.kernels;
    commit(node);
}

// What of the plan is not compiled yet.
struct Missing {
    std::vector<codegen::Group> groups;
    runtime::Context* context = nullptr;
};

// Everything that is compiled runs; false, and nothing has run, where something is missing.
bool try_to_run(std::span<const NodeRef> roots, std::vector<Missing>& missing) {
    const Plan plan(roots);
    std::vector<Prepared> prepared(plan.drafts().size());
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        const Draft& draft = plan.drafts()[i];
        if (draft.is_opaque) continue;
        runtime::Context& context = draft.stream->context();
        prepared[i].kernel = make_kernel(plan, draft);
        prepared[i].fused =
            codegen::Fused::find(prepared[i].kernel.group, context, draft.stream->is_capturing());
        if (!prepared[i].fused) {
            missing.push_back({{prepared[i].kernel.group}, &context});
        }
    }
    if (!missing.empty()) return false;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        const Draft& draft = plan.drafts()[i];
        if (draft.is_opaque) {
            run_opaque(draft, plan);
        } else {
            run(prepared[i], draft, plan);
        }
    }
    return true;
}

// Without the lock, and with it again on return.
class Unlocked {
  public:
    explicit Unlocked(GraphLock& lock) : lock_(lock) { lock_.unlock(); }
    ~Unlocked() { lock_.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    GraphLock& lock_;
};

}  // namespace

void evaluate_nodes(std::span<const NodeRef> roots, GraphLock& lock) {
    // Those that were just compiled stay loaded until they have run.
    std::vector<std::shared_ptr<codegen::Fused>> compiled;
    std::vector<Missing> missing;
    while (!try_to_run(roots, missing)) {
        const Unlocked unlocked(lock);
        for (const Missing& part : missing) {
            for (const codegen::Group& group : part.groups) {
                compiled.push_back(codegen::Fused::compile(group, *part.context));
            }
        }
        missing.clear();
    }
}

std::string explain_nodes(std::span<const NodeRef> roots) {
    const Plan plan(roots);
    std::string text;
    std::size_t number = 0;
    for (const Draft& draft : plan.drafts()) {
        text += fmt::format("kernel {} over {}", ++number, text_of(draft.space));
        if (draft.is_opaque) {
            text += ": a step of its own\n";
            continue;
        }
        const DraftKernel kernel = make_kernel(plan, draft);
        std::int64_t bytes = 0;
        const auto count_bytes = [&](Kind kind, const Shape& extents, const Strides& strides) {
            std::int64_t points = 1;
            for (int axis = 0; axis < strides.size(); ++axis) {
                if (strides[axis] != 0) points *= extents[axis];
            }
            bytes += points * static_cast<std::int64_t>(DType(kind).size());
        };
        for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
            if (kernel.inputs[i].is_counter) continue;
            count_bytes(kernel.inputs[i].kind, kernel.binding.extents,
                        kernel.binding.inputs[i].strides);
        }
        for (std::size_t i = 0; i < kernel.stores.size(); ++i) {
            count_bytes(kernel.stores[i]->kind, kernel.binding.extents,
                        kernel.binding.stores[i].strides);
        }
        text +=
            fmt::format(": {} operations, {} stored, {} bytes moved; ends because {}\n",
                        kernel.group.body.instructions.size(),
                        kernel.stores.size() + kernel.kept_stores.size(), bytes, draft.end_reason);
        text += codegen::emit(kernel.group);
    }
    if (text.empty()) text = "nothing is pending: the values are in memory\n";
    return text;
}

Launched launched() noexcept {
    return g_launched;
}

}  // namespace warpwise::graph
