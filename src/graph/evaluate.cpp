// Launching drafts in their order. A kernel that was queued is committed before the next one is
// bound: after an error the rest is still pending.
#include "src/graph/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <utility>

#include "src/codegen/fused.hpp"
#include "src/graph/draft/draft.hpp"
#include "src/graph/plan.hpp"
#include "src/graph/plan_cache.hpp"
#include "src/graph/report/evaluation_error.hpp"
#include "src/graph/storage.hpp"
#include "src/graph/unnamed/kept_writes.hpp"
#include "src/graph/unnamed/orphans.hpp"
#include "src/ir/op.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::graph {
namespace {

// Under the lock.
Launched g_launched;
std::uint64_t g_place = 0;  // of the node that runs now (Node::place), for errors

std::size_t result_bytes(const Node& node) {
    return static_cast<std::size_t>(count_of(node.shape)) * DType(node.kind).size();
}

// Where the node's result goes. Kept when the launch fails: it is tried again there.
Memory& destination(Node& node) {
    g_place = node.place;
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

void bind(DraftKernel& kernel, const std::shared_ptr<runtime::StreamState>& stream) {
    codegen::Binding& binding = kernel.binding;
    const auto place = [&](Memory& memory, std::int64_t offset, bool writes) {
        memory.before_use(stream, writes);
        if (memory.buffer().state()) binding.buffers.push_back(&memory.buffer().state());
        return memory.address() + static_cast<std::uint64_t>(offset);
    };
    for (std::size_t i = 0; i < kernel.stores.size(); ++i) {
        binding.stores[i].address =
            place(destination(*kernel.stores[i]), kernel.store_offsets[i], true);
    }
    for (std::size_t i = 0; i < kernel.kept_stores.size(); ++i) {
        binding.kept_stores[i].address = place(destination(*kernel.kept_stores[i]), 0, true);
    }
    for (std::size_t i = 0; i < kernel.kept_inputs.size(); ++i) {
        const Leaf& leaf = kernel.kept_inputs[i];
        binding.kept_inputs[i].address = place(*leaf.node->memory, leaf.access.offset, false);
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

// The buffers of a binding, which a known plan would keep.
class Bound {
  public:
    Bound(DraftKernel& kernel, const std::shared_ptr<runtime::StreamState>& stream)
        : kernel_(kernel) {
        kernel.binding.buffers.clear();
        bind(kernel, stream);
    }
    ~Bound() { kernel_.binding.buffers.clear(); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

  private:
    DraftKernel& kernel_;
};

// `stream` is held by the caller: nodes give it up when they have run.
void run(KnownDraft& draft, const std::shared_ptr<runtime::StreamState>& stream,
         const KnownPlan& plan, std::span<const NodeRef> nodes) {
    {
        const Bound bound(draft.kernel, stream);
        const DraftKernel& kernel = draft.kernel;
        g_place = (kernel.stores.empty() ? kernel.kept_stores : kernel.stores).front()->place;
        draft.fused->launch(*stream, draft.kernel.binding);
    }
    ++g_launched.kernels;
    // What an array still names was computed without being stored: the next time it is.
    for (const std::uint32_t number : plan.recomputed) {
        Node& node = *nodes[number];
        if (node.storage != nullptr) node.was_recomputed = true;
    }
    for (Node* node : draft.kernel.stores) commit(*node);
    for (Node* node : draft.kernel.kept_stores) commit(*node);
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

// References to nodes end when the evaluation does.
class Forgotten {
  public:
    explicit Forgotten(Sequence& sequence) : sequence_(sequence) {}
    ~Forgotten() { sequence_.clear(); }
    Forgotten(const Forgotten&) = delete;
    Forgotten& operator=(const Forgotten&) = delete;

  private:
    Sequence& sequence_;
};

// What of the plan is not compiled yet.
struct Missing {
    std::vector<codegen::Group> groups;
    runtime::Context* context = nullptr;
    std::uint64_t place = 0;
};

// As known from the last time; false where it is not.
bool try_to_repeat(const Sequence& sequence) {
    KnownPlan* const plan = plan_cache().find(sequence.words());
    if (plan == nullptr) return false;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const auto stream = sequence.nodes()[0]->stream;  // which the node gives up when it has run
    for (KnownDraft& draft : plan->drafts) {
        recall(draft, sequence.nodes());
        run(draft, stream, *plan, sequence.nodes());
    }
    return true;
}

std::vector<NodeRef> refs_of(const Plan& plan) {
    std::vector<NodeRef> nodes;
    for (const Planned& planned : plan.nodes()) nodes.push_back(planned.node);
    return nodes;
}

// The plan's numbers of nodes are the sequence's: both count in the order of recording.
KnownPlan prepared(const Plan& plan, std::vector<Missing>& missing) {
    KnownPlan known;
    for (const Planned& planned : plan.nodes()) {
        const bool is_recomputed = planned.draft < 0 && planned.node->storage != nullptr;
        if (is_recomputed) known.recomputed.push_back(planned.node->mark);
    }
    for (const Draft& draft : plan.drafts()) {
        if (draft.is_opaque) {
            known.drafts.emplace_back();
            continue;
        }
        runtime::Context& context = draft.stream->context();
        DraftKernel kernel = make_kernel(plan, draft);
        auto fused = codegen::Fused::find(kernel.group, context, draft.stream->is_capturing());
        if (!fused)
            missing.push_back(
                {{kernel.group}, &context, plan.nodes()[draft.nodes.front()].node->place});
        known.drafts.push_back(remembered(std::move(kernel), std::move(fused)));
    }
    return known;
}

// Everything that is compiled runs; false, and nothing has run, where something is missing.
bool try_to_run(std::span<const NodeRef> roots, std::vector<Missing>& missing) {
    static auto& sequence = *new Sequence;  // keeps its memory
    const Forgotten forgotten(sequence);
    const bool is_described = sequence.describe(roots);
    if (is_described && try_to_repeat(sequence)) return true;
    const Plan plan(roots);
    if (is_described) sequence.renumber();
    KnownPlan known = prepared(plan, missing);
    if (!missing.empty()) return false;
    const std::vector<NodeRef> nodes = refs_of(plan);
    KnownPlan& running =
        is_described ? plan_cache().add(sequence.words(), std::move(known)) : known;
    for (std::size_t i = 0; i < plan.drafts().size(); ++i) {
        const Draft& draft = plan.drafts()[i];
        if (draft.is_opaque) {
            run_opaque(draft, plan);
        } else {
            run(running.drafts[i], draft.stream, running, nodes);
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

void evaluate_until(std::span<const NodeRef> roots, GraphLock& lock, bool may_release);

// Runs pending work that alone holds memory, one array at a time, so that it is released. What
// holds none would take more. False where there is no such memory.
bool release_orphans(GraphLock& lock) {
    if (Memory::orphaned_bytes() == 0) return false;
    std::vector<NodeRef> readers = readers_of_orphans();
    std::set<std::shared_ptr<runtime::StreamState>> streams;
    for (const NodeRef& reader : readers) {
        if (!reader->stream->is_capturing()) streams.insert(reader->stream);
    }
    for (const NodeRef& reader : readers) {
        if (!reader->is_pending()) continue;  // it ran with another one
        try {
            evaluate_until({&reader, 1}, lock, false);
        } catch (const OutOfMemoryError&) {
            continue;  // it stays pending, and throws where it is demanded
        }
    }
    const Unlocked unlocked(lock);  // what they held ends behind the lock
    readers.clear();
    // Queued work holds the buffers that it uses.
    for (const auto& stream : streams) stream->wait_for_queue();
    return true;
}

// As try_to_run(); errors name the line that wrote what was running. Where memory is short and
// `may_release`: false after release_orphans(), once.
bool run_or_throw(std::span<const NodeRef> roots, std::vector<Missing>& missing, GraphLock& lock,
                  bool& may_release) {
    std::exception_ptr error;
    bool is_short = false;
    g_place = 0;
    try {
        return try_to_run(roots, missing);
    } catch (const OutOfMemoryError&) {
        error = std::current_exception();
        is_short = true;
    } catch (...) {
        error = std::current_exception();
    }
    const std::uint64_t place = g_place;
    if (is_short && std::exchange(may_release, false) && release_orphans(lock)) return false;
    const Unlocked unlocked(lock);
    rethrow_with_place(error, place);
}

// Without the lock.
std::shared_ptr<codegen::Fused> compile(const codegen::Group& group, const Missing& part) {
    try {
        return codegen::Fused::compile(group, *part.context);
    } catch (...) {
        rethrow_with_place(std::current_exception(), part.place);
    }
}

void evaluate_until(std::span<const NodeRef> roots, GraphLock& lock, bool may_release) {
    // Those that were just compiled stay loaded until they have run.
    std::vector<std::shared_ptr<codegen::Fused>> compiled;
    std::vector<Missing> missing;
    while (!run_or_throw(roots, missing, lock, may_release)) {
        const Unlocked unlocked(lock);
        for (const Missing& part : missing) {
            for (const codegen::Group& group : part.groups) {
                compiled.push_back(compile(group, part));
            }
        }
        missing.clear();
    }
}

}  // namespace

void evaluate_nodes(std::span<const NodeRef> roots, GraphLock& lock) {
    kept_writes();  // those that nobody sees any more are only values
    evaluate_until(roots, lock, true);
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
        text += fmt::format(
            ": {} operations, {} stored, {} bytes moved; ends because {}\n",
            kernel.group.body.instructions.size() + kernel.group.epilogue.instructions.size(),
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
