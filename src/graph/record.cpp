// Recording: operations to nodes.
#include <algorithm>
#include <array>
#include <atomic>

#include "src/base/hooks/caller.hpp"
#include "src/graph/evaluate.hpp"
#include "src/graph/graph.hpp"
#include "src/graph/lock.hpp"
#include "src/graph/pending.hpp"
#include "src/graph/record.hpp"
#include "src/graph/report/index_report.hpp"
#include "src/graph/unnamed/kept_writes.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::graph {
namespace {

thread_local bool t_is_lazy = true;
std::atomic<std::uint64_t> g_recorded{0};

std::uint32_t mix(std::uint32_t seed, std::uint64_t value) {
    const std::uint64_t product = (seed ^ value) * 0x9E3779B97F4A7C15ull;
    return static_cast<std::uint32_t>(product >> 32 ^ product);
}

void sign(Node& node) {
    std::uint32_t own =
        mix(static_cast<std::uint32_t>(node.form), static_cast<std::uint64_t>(node.op));
    own = mix(own, static_cast<std::uint64_t>(node.kind));
    if (node.form == Form::Draw) own = mix(own, static_cast<std::uint64_t>(node.draw));
    for (const std::int64_t extent : node.space) own = mix(own, static_cast<std::uint64_t>(extent));
    node.signatures[0] = own;
    for (std::size_t depth = 1; depth < node.signatures.size(); ++depth) {
        std::uint32_t signature = own;
        for (const Input& input : node.inputs) {
            const bool is_pending = input.node->is_pending();
            signature = mix(signature, is_pending ? input.node->signatures[depth - 1] : 1);
        }
        node.signatures[depth] = signature | 1;
    }
}

// What must run because too much waits; empty where nothing must.
std::vector<NodeRef> overdue(const runtime::Context& context) {
    std::vector<NodeRef> roots;
    const bool holds_much = Memory::orphaned_bytes() > context.info().total_memory / kPartOfMemory;
    if (pending().count() < kMostPending && !holds_much) return roots;
    const Node* last = holds_much ? nullptr : pending().cut();
    const std::uint64_t end = last != nullptr ? last->id : ~std::uint64_t{0};
    for (const NodeRef& node : kept_writes()) {
        if (node->id <= end) roots.push_back(node);
    }
    for (Node* node = pending().first(); node != nullptr; node = node->next) {
        if (node->id <= end) {
            if (node->storage != nullptr) roots.emplace_back(node);
            continue;
        }
        for (const Input& input : node->inputs) {  // what the rest reads of the first part
            if (input.node->is_pending() && input.node->id <= end) roots.push_back(input.node);
        }
        if (node->base && node->base->is_pending() && node->base->id <= end) {
            roots.push_back(node->base);
        }
    }
    return roots;
}

NodeRef memory_node(std::shared_ptr<Memory> memory) {
    NodeRef node(new Node);
    node->memory = std::move(memory);
    return node;
}

}  // namespace

std::int64_t item_bytes(Kind kind) {
    return static_cast<std::int64_t>(DType(kind).size());
}

NodeRef new_node(Form form, Kind kind, const Shape& space, runtime::Context& context) {
    static std::uint64_t last_id = 0;  // under the lock
    NodeRef node(new Node);
    node->id = ++last_id;
    node->form = form;
    node->kind = kind;
    node->space = node->shape = space;
    node->stream = runtime::current_stream(context);
    node->place = caller_place();
    return node;
}

void require_memory(const Storage& storage) {
    const auto& memory = storage.memory();
    if (!memory || memory->size() == 0 || !memory->buffer().is_freed()) return;
    throw ArgumentError(ArgumentError::Kind::Value,
                        "an operation got an array whose memory was freed before; use an array "
                        "over memory that is there");
}

Input read(const Value& value, const Shape& space) {
    require_memory(*value.storage);
    Input input{.node = value.storage->value(), .kind = value.view.dtype.kind()};
    const View& view = value.view;
    input.access.offset = view.offset;
    input.access.strides =
        view.shape == space ? view.strides : broadcast_strides(view.shape, view.strides, space);
    return input;
}

void finish(const NodeRef& node, runtime::Context& context, GraphLock& lock) {
    sign(*node);
    pending().add(*node);
    g_recorded.fetch_add(1, std::memory_order_relaxed);
    const Visibility visibility = announce(*node);
    if (visibility.is_exposed || !t_is_lazy) {
        const auto stream = node->stream;  // it is the node's no more when that has run
        const NodeRef roots[] = {node};
        evaluate_nodes(roots, lock);
        if (visibility.is_exported && context.info().shares_host_memory) {
            lock.unlock();
            stream->core()->wait_until_done();
            lock.lock();
        }
    }
}

void make_room(const runtime::Context& context, GraphLock& lock) {
    if (const auto roots = overdue(context); !roots.empty()) evaluate_nodes(roots, lock);
}

Value new_value(const NodeRef& node, GraphLock& lock, std::shared_ptr<runtime::Context> context) {
    const std::int64_t count = count_of(node->shape);
    const auto bytes = static_cast<std::size_t>(count * item_bytes(node->kind));
    runtime::Context& device = *context;
    Value value{std::make_shared<Storage>(std::move(context), bytes),
                View{0, node->shape, node->layout, DType(node->kind)}};
    if (count == 0) {
        auto memory = std::make_shared<Memory>(Buffer());
        value.storage->set_memory(memory);
        value.storage->set_value(memory_node(std::move(memory)));
        return value;
    }
    value.storage->set_value(node);
    finish(node, device, lock);
    return value;
}

Value over_memory(std::shared_ptr<Memory> memory, View view,
                  std::shared_ptr<runtime::Context> context) {
    const std::size_t bytes = memory->size();
    Value value{std::make_shared<Storage>(std::move(context), bytes), std::move(view)};
    value.storage->set_memory(memory);
    value.storage->set_value(memory_node(std::move(memory)));
    return value;
}

Value scalar(const Scalar& value, Kind kind, const Shape& shape, runtime::Context& context) {
    GraphLock lock;
    make_room(context, lock);
    const NodeRef node = new_node(Form::Scalar, kind, shape, context);
    node->layout = c_strides(shape, item_bytes(kind));
    node->scalars.push_back(value.typed(kind));
    return new_value(node, lock, context.shared());
}

Value index(const Shape& shape, int axis, runtime::Context& context) {
    GraphLock lock;
    make_room(context, lock);
    const NodeRef node = new_node(Form::Index, Kind::Int64, shape, context);
    node->layout = c_strides(shape, item_bytes(Kind::Int64));
    node->number = static_cast<std::uint16_t>(axis);
    return new_value(node, lock, context.shared());
}

Value draw(const DrawCall& call, std::span<const Operand> parameters, const Shape& shape,
           runtime::Context& context) {
    GraphLock lock;
    make_room(context, lock);
    const NodeRef node = new_node(Form::Draw, call.kind, shape, context);
    node->draw = call.draw;
    node->computation = call.computation;
    for (const std::uint64_t number : call.state) {
        node->scalars.push_back(Scalar(number).typed(Kind::UInt64));
    }
    std::size_t place = 0;
    for (const Operand& parameter : parameters) {
        if (const auto* const* value = std::get_if<const Value*>(&parameter)) {
            node->operands[place++] = static_cast<std::int8_t>(node->inputs.size());
            node->inputs.push_back(read(**value, shape));
        } else {
            node->operands[place++] = static_cast<std::int8_t>(~node->scalars.size());
            node->scalars.push_back(std::get<Scalar>(parameter).typed(call.computation));
        }
    }
    node->layout = c_strides(shape, item_bytes(call.kind));
    return new_value(node, lock, context.shared());
}

Value apply(ir::Op op, const ir::OpTypes& types, std::span<const Operand> operands,
            const Shape& shape) {
    const Value* first = nullptr;
    for (const Operand& operand : operands) {
        if (const auto* const* value = std::get_if<const Value*>(&operand)) first = *value;
    }
    if (first == nullptr) throw Error("an operation was recorded without an array");
    GraphLock lock;
    runtime::Context& context = first->storage->context();
    make_room(context, lock);
    const NodeRef node = new_node(Form::Apply, types.result, shape, context);
    node->op = op;
    std::size_t place = 0;
    for (const Operand& operand : operands) {
        if (const auto* const* value = std::get_if<const Value*>(&operand)) {
            node->operands[place++] = static_cast<std::int8_t>(node->inputs.size());
            node->inputs.push_back(read(**value, shape));
        } else {
            const bool is_condition = ir::row_of(op).rule == ir::TypeRule::Select && place == 0;
            node->operands[place++] = static_cast<std::int8_t>(~node->scalars.size());
            node->scalars.push_back(
                std::get<Scalar>(operand).typed(is_condition ? Kind::Bool : types.computation));
        }
    }
    node->computation = types.computation;
    std::array<const Strides*, 3> strides{};
    std::size_t count = 0;
    for (const Input& input : node->inputs) strides[count++] = &input.access.strides;
    node->layout = keep_order(shape, item_bytes(types.result), std::span(strides.data(), count));
    return new_value(node, lock, first->storage->shared_context());
}

Value cast(const Value& value, Kind kind) {
    GraphLock lock;
    runtime::Context& context = value.storage->context();
    make_room(context, lock);
    const NodeRef node = new_node(Form::Cast, kind, value.view.shape, context);
    node->inputs.push_back(read(value, value.view.shape));
    const Strides* const strides[] = {&value.view.strides};
    node->layout = keep_order(node->shape, item_bytes(kind), strides);
    return new_value(node, lock, context.shared());
}

Value reduce(const ReduceCall& call, const Value& value) {
    GraphLock lock;
    runtime::Context& context = value.storage->context();
    make_room(context, lock);
    const NodeRef node = new_node(Form::Reduce, call.result, value.view.shape, context);
    node->inputs.push_back(read(value, value.view.shape));
    node->shape = Shape();
    for (int axis = 0; axis < node->space.size(); ++axis) {
        if ((call.axes >> axis & 1) == 0) node->shape.push_back(node->space[axis]);
    }
    node->layout = c_strides(node->shape, item_bytes(call.result));
    node->scalars = call.scalars;
    node->reduction = std::make_unique<Reduction>(
        Reduction{call.reduce, call.accumulator, call.axes, call.epilogue});
    node->number = static_cast<std::uint16_t>(call.reduce);
    return new_value(node, lock, context.shared());
}

Value bounded(const Value& index, std::int64_t extent, std::int64_t site) {
    runtime::Context& context = index.storage->context();
    report_address(context);  // its memory is there before the lock is taken
    GraphLock lock;
    make_room(context, lock);
    const NodeRef node = new_node(Form::Bound, Kind::Int64, index.view.shape, context);
    node->inputs.push_back(read(index, index.view.shape));
    node->scalars = {Scalar(extent), Scalar(site)};
    node->layout = keep_order(node->shape, item_bytes(Kind::Int64), {&index.view.strides});
    return new_value(node, lock, context.shared());
}

Value gather(const Value& source, const Shape& shape, const Strides& strides, const Value& offset) {
    GraphLock lock;
    runtime::Context& context = source.storage->context();
    make_room(context, lock);
    const Kind kind = source.view.dtype.kind();
    require_memory(*source.storage);
    const NodeRef node = new_node(Form::Gather, kind, shape, context);
    node->inputs.push_back(
        {.node = source.storage->value(), .access = {source.view.offset, strides}, .kind = kind});
    node->inputs.push_back(read(offset, shape));
    node->layout = c_strides(shape, item_bytes(kind));
    return new_value(node, lock, context.shared());
}

Value opaque(std::span<const Value* const> inputs, Kind kind, const Shape& shape, Run run) {
    if (inputs.empty()) throw Error("an opaque step was recorded without an array");
    GraphLock lock;
    runtime::Context& context = inputs[0]->storage->context();
    make_room(context, lock);
    const NodeRef node = new_node(Form::Opaque, kind, shape, context);
    for (const Value* value : inputs) {
        node->inputs.push_back({.node = value->storage->value(),
                                .access = {value->view.offset, value->view.strides},
                                .kind = value->view.dtype.kind()});
    }
    node->layout = c_strides(shape, item_bytes(kind));
    node->run = std::make_unique<Run>(std::move(run));
    return new_value(node, lock, context.shared());
}

bool set_lazy(bool lazy) noexcept {
    return std::exchange(t_is_lazy, lazy);
}

bool is_lazy() noexcept {
    return t_is_lazy;
}

Counts counts() noexcept {
    const GraphLock lock;
    const Launched done = launched();
    return {done.kernels, done.stored_bytes, g_recorded.load(std::memory_order_relaxed),
            pending().count()};
}

}  // namespace warpwise::graph
