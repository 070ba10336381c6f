// Writing in place, and memory that others see: exports, raw kernels, buffers of the user's.
#include <unordered_map>
#include <utility>

#include "src/graph/evaluate.hpp"
#include "src/graph/graph.hpp"
#include "src/graph/pending.hpp"
#include "src/graph/record.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

// Storages of buffers that others may use: arrays over one buffer share one storage, and so see
// what is pending on it. Under the lock.
auto& shared_storages() {
    static auto* const map =
        new std::unordered_map<const runtime::BufferState*, std::weak_ptr<Storage>>;
    return *map;
}

void share(const std::shared_ptr<Storage>& storage) {
    Memory& memory = *storage->memory();
    if (memory.is_shared() || memory.size() == 0) return;
    memory.share();
    auto& map = shared_storages();
    if (map.size() > 1024) std::erase_if(map, [](const auto& row) { return row.second.expired(); });
    map[memory.buffer().state().get()] = storage;
}

bool covers(const Value& target) {
    const View& view = target.view;
    if (view.offset != 0) return false;
    const std::int64_t bytes = count_of(view.shape) * static_cast<std::int64_t>(view.dtype.size());
    if (static_cast<std::size_t>(bytes) != target.storage->bytes()) return false;
    const Strides* const own[] = {&view.strides};
    const Strides gapless =
        keep_order(view.shape, static_cast<std::int64_t>(view.dtype.size()), own);
    for (int axis = 0; axis < view.shape.size(); ++axis) {
        if (view.shape[axis] > 1 && view.strides[axis] != gapless[axis]) return false;
    }
    return true;
}

// The storage's value where it is pending, and what reads it or is pending on the memory.
std::vector<NodeRef> touching(const Storage& storage) {
    std::vector<NodeRef> roots;
    const Node* value = storage.value().get();
    const Memory* memory = storage.memory().get();
    for (Node* node = pending().first(); node != nullptr; node = node->next) {
        bool touches = node == value || (memory != nullptr && node->memory.get() == memory);
        for (const Input& input : node->inputs) {
            touches |= input.node.get() == value ||
                       (memory != nullptr && input.node->memory.get() == memory);
        }
        if (touches) roots.emplace_back(node);
    }
    return roots;
}

void settle(const std::shared_ptr<Storage>& storage, GraphLock& lock) {
    const auto roots = touching(*storage);
    if (!roots.empty()) evaluate_nodes(roots, lock);
}

bool is_exposed(const Storage& storage) {
    return storage.memory() && storage.memory()->is_exposed();
}

// What the write needs runs first where it cannot wait itself: an error leaves nothing recorded.
void run_before_write(const Value& target, const Value& source, GraphLock& lock) {
    make_room(target.storage->context(), lock);
    if (is_lazy() && !is_exposed(*target.storage) && !is_exposed(*source.storage)) return;
    settle(target.storage, lock);
    const NodeRef roots[] = {source.storage->value()};
    if (roots[0]->is_pending()) evaluate_nodes(roots, lock);
}

// The write has thrown and has not run: a caller that repeats it must not have it twice.
void take_back(Storage& storage, const NodeRef& node, const NodeRef& before) {
    if (!node->is_pending() || storage.value().get() != node.get()) return;
    // Others may have recorded meanwhile, so that the value before lies elsewhere.
    if (!before->is_pending() && before->memory == storage.memory()) storage.set_value(before);
}

// An element-wise write of `source`, which is of the target's shape or broadcasts to it.
void update(const Value& target, const Value& source) {
    GraphLock lock;
    Storage& storage = *target.storage;
    require_memory(storage);
    run_before_write(target, source, lock);
    runtime::Context& context = storage.context();
    const Kind kind = target.view.dtype.kind();
    const bool is_whole = covers(target);
    const bool is_new = is_whole && !storage.memory() && storage.value()->kind == kind;
    const NodeRef node =
        new_node(is_new ? Form::Cast : Form::Update, kind, target.view.shape, context);
    node->inputs.push_back(read(source, target.view.shape));
    node->layout = target.view.strides;
    const NodeRef before = storage.value();
    if (!is_new) {
        node->target = {target.view.offset, target.view.strides};
        if (!storage.memory()) storage.set_memory(std::make_shared<Memory>());
        node->memory = storage.memory();
        if (!is_whole) {
            node->base = before;
            if (!before->memory) before->memory = storage.memory();
        } else if (before->is_pending()) {
            turn_into_value(*before);
        }
    }
    storage.set_value(node);
    try {
        finish(node, context, lock);
    } catch (...) {
        take_back(storage, node, before);
        throw;
    }
}

// Those of arrays that are gone, before another array over the buffer is made; also of one whose
// storage is about to end in another thread, and is not among kept_writes() yet.
void run_kept_writes(const runtime::BufferState& buffer, GraphLock& lock) {
    for (std::vector<NodeRef> roots; buffer.has_pending(); roots.clear()) {
        const auto known = shared_storages().find(&buffer);
        if (known != shared_storages().end() && !known->second.expired()) return;
        for (Node* node = pending().first(); node != nullptr; node = node->next) {
            if (node->memory && node->memory->buffer().state().get() == &buffer) {
                roots.emplace_back(node);
            }
        }
        if (roots.empty()) return;
        evaluate_nodes(roots, lock);
    }
}

}  // namespace

void write(const Value& target, const Operand& value, const Value* where) {
    if (count_of(target.view.shape) == 0) return;
    const Kind kind = target.view.dtype.kind();
    runtime::Context& context = target.storage->context();
    if (where != nullptr) {
        const Operand operands[] = {where, value, &target};
        const Value chosen = apply(ir::Op::Where, {.computation = kind, .result = kind}, operands,
                                   target.view.shape);
        return update(target, chosen);
    }
    if (const auto* number = std::get_if<Scalar>(&value)) {
        return update(target, scalar(*number, kind, Shape(), context));
    }
    const Value& source = *std::get<const Value*>(value);
    const bool is_same = source.view.offset == target.view.offset &&
                         source.view.strides == target.view.strides &&
                         source.view.shape == target.view.shape;
    if (source.storage == target.storage && !is_same) return update(target, cast(source, kind));
    update(target, source);
}

Value over(const Buffer& buffer, const View& view) {
    auto context = buffer.device().context().shared();
    if (!buffer.state() || buffer.size() == 0) {
        return over_memory(std::make_shared<Memory>(Buffer()), view, std::move(context));
    }
    View whole = view;
    whole.offset += static_cast<std::int64_t>(buffer.offset());
    GraphLock lock;
    run_kept_writes(*buffer.state(), lock);
    auto& known = shared_storages()[buffer.state().get()];
    if (auto storage = known.lock()) return Value{std::move(storage), whole};
    const Buffer all(buffer.state(), 0, buffer.state()->size());
    auto memory = std::make_shared<Memory>(all);
    memory->share();
    Value value = over_memory(std::move(memory), whole, std::move(context));
    known = value.storage;
    return value;
}

bool evaluate_into(const Value& value, const Buffer& buffer) {
    GraphLock lock;
    Storage& storage = *value.storage;
    const NodeRef node = storage.value();
    if (!buffer.state() || buffer.offset() != 0 || buffer.size() < storage.bytes()) return false;
    if (!node->is_pending() || node->form == Form::Update || node->memory || storage.memory() ||
        !covers(value) || value.view.strides != node->layout) {
        return false;
    }
    run_kept_writes(*buffer.state(), lock);
    auto& known = shared_storages()[buffer.state().get()];
    if (known.lock()) return false;
    known = value.storage;
    node->memory = std::make_shared<Memory>(buffer);
    node->memory->share();
    try {
        evaluate_nodes({&node, 1}, lock);
    } catch (...) {
        if (node->is_pending()) {
            shared_storages().erase(buffer.state().get());
            discard(std::move(node->memory));
        }
        throw;
    }
    return true;
}

Value empty(const Shape& shape, const DType& dtype, runtime::Context& context,
            const Strides* strides, const Stream* stream) {
    const auto item = static_cast<std::int64_t>(dtype.size());
    const auto bytes = static_cast<std::size_t>(count_of(shape) * item);
    auto memory = std::make_shared<Memory>();
    memory->allocate(bytes, stream != nullptr ? stream->state() : runtime::current_stream(context));
    const GraphLock lock;
    return over_memory(std::move(memory),
                       {0, shape, strides != nullptr ? *strides : c_strides(shape, item), dtype},
                       context.shared());
}

void evaluate(std::span<const Value* const> values) {
    GraphLock lock;
    if (values.size() == 1) {
        const NodeRef root = values[0]->storage->value();
        if (root && root->is_pending()) evaluate_nodes({&root, 1}, lock);
        return;
    }
    std::vector<NodeRef> roots;
    for (const Value* value : values) {
        if (value->storage->is_pending()) roots.push_back(value->storage->value());
    }
    if (!roots.empty()) evaluate_nodes(roots, lock);
}

std::string explain(std::span<const Value* const> values) {
    const GraphLock lock;
    std::vector<NodeRef> roots;
    for (const Value* value : values) {
        if (value->storage->is_pending()) roots.push_back(value->storage->value());
    }
    return explain_nodes(roots);
}

Buffer settled_memory(const Value& value, const Stream* stream) {
    GraphLock lock;
    settle(value.storage, lock);
    share(value.storage);
    Memory& memory = *value.storage->memory();
    if (stream != nullptr) memory.before_use(stream->state(), true);
    return memory.buffer();
}

Buffer begin_export(const Value& value) {
    GraphLock lock;
    settle(value.storage, lock);
    share(value.storage);
    runtime::Context& context = value.storage->context();
    Memory& memory = *value.storage->memory();
    const auto stream = runtime::current_stream(context);
    memory.before_use(stream, true);
    ++memory.exports;
    Buffer buffer = memory.buffer();
    lock.unlock();
    if (!context.info().shares_host_memory) return buffer;
    try {
        // What other streams do with the memory comes before this event, not before nothing.
        runtime::EventState event(context.shared(), false);
        stream->core()->advance();
        stream->core()->record(event.impl());
        stream->core()->wait_until_done();
    } catch (...) {
        end_export(*value.storage);
        throw;
    }
    return buffer;
}

void end_export(Storage& storage) {
    const GraphLock lock;
    --storage.memory()->exports;
}

}  // namespace warpwise::graph
