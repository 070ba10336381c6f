// Changing and running.
#include "src/runtime/record/graph_state.hpp"

#include <unordered_set>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/images.hpp"
#include "src/runtime/peer_copies.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/queue/event_state.hpp"
#include "src/runtime/queue/stream_core.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

// Adds what `seen` does not have yet.
template <class Key, class T>
void add_once(std::unordered_set<Key>& seen, std::vector<T>& all, const T& value, Key key) {
    if (seen.insert(key).second) all.push_back(value);
}

struct Replay {
    const RecordedStep& step;
    const std::shared_ptr<StreamCore>& core;
    Queue& queue;

    void operator()(const Launch& launch) const { queue.launch(launch); }
    void operator()(const Copy& copy) const {
        queue.copy(copy.destination, copy.source, copy.bytes, copy.kind);
    }
    void operator()(const PeerCopy& copy) const {
        core->context().backend().peers()->copy(queue, copy);
    }
    void operator()(const Fill& fill) const {
        queue.fill(fill.destination, fill.pattern, fill.pattern_bytes, fill.count);
    }
    void operator()(const BoxCopy& copy) const { core->context().textures().copy(queue, copy); }
    void operator()(const EventRecord& record) const {
        queue.record(*record.event);
        step.event->set_recorded(core);
    }
    void operator()(const EventWait& wait) const { queue.wait(*wait.event); }
    void operator()(const HostCall& call) const { queue.call_host(call.function); }
};

}  // namespace

std::size_t GraphState::size() const {
    MutexLock lock(mutex_);
    return steps_.size();
}

std::pair<std::vector<Step>, std::shared_ptr<const StepOrder>> GraphState::contents() const {
    MutexLock lock(mutex_);
    return {steps_, order_};
}

std::vector<std::size_t> GraphState::launches() const {
    MutexLock lock(mutex_);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (std::holds_alternative<Launch>(steps_[i]->operation)) places.push_back(i);
    }
    return places;
}

std::shared_ptr<const RecordedStep> GraphState::step(std::size_t place) const {
    MutexLock lock(mutex_);
    return steps_[place];
}

void GraphState::set_launch(std::size_t place, const Launch& launch, Buffers buffers) {
    const Step old = step(place);
    auto changed = make_launch(old->kernel, launch, std::move(buffers));
    changed->captured_owner = old->captured_owner;
    changed->bound = old->bound;
    Step step = std::move(changed);
    std::shared_ptr<const Record> record;  // dies after the lock, as the old step does
    MutexLock lock(mutex_);
    steps_[place].swap(step);
    record.swap(record_);
    ++changes_;
}

std::shared_ptr<GraphState::Record> GraphState::make_record() const {
    auto record = std::make_shared<Record>();
    record->version = next_graph_version();
    record->order = order_;
    std::unordered_set<const void*> buffers;
    std::unordered_set<const void*> sources;
    std::unordered_set<const void*> kernels;
    for (const Step& step : steps_) {
        record->steps.push_back(step);
        for (const Buffers* const list : {&step->buffers, &step->bound}) {
            for (const auto& buffer : *list) {
                add_once<const void*>(buffers, record->buffers, buffer, buffer.get());
            }
        }
        if (const auto& source = step->peer_source) {
            add_once<const void*>(sources, record->peer_sources, source, source.get());
        }
        if (std::holds_alternative<EventRecord>(step->operation)) {
            record->events.push_back(step->event);
        }
        if (const auto* launch = std::get_if<Launch>(&step->operation)) {
            const KernelImpl* const kernel = launch->kernel;
            add_once<const void*>(kernels, record->kernels, kernel, kernel);
        }
    }
    return record;
}

void GraphState::settle() const {
    std::shared_ptr<const Record> record;
    {
        MutexLock lock(mutex_);
        record = record_ ? record_ : make_record();
    }
    check(*record);
    settle(*record);
}

void GraphState::settle(const Record& record) {
    for (const Buffers* const list : {&record.buffers, &record.peer_sources}) {
        for (const auto& buffer : *list) buffer->settle(FlushReason::Access);
    }
}

void GraphState::check(const Record& record) {
    for (const Buffers* const list : {&record.buffers, &record.peer_sources}) {
        for (const auto& buffer : *list) {
            if (!buffer->is_freed()) continue;
            refuse_value(
                "the graph uses a buffer of {} bytes at {} that was freed after the capture; "
                "capture again with memory that is there, or give the kernels that use it other "
                "arguments",
                buffer->size(), hex_address(buffer->address()));
        }
    }
}

// Checked before the device hears of it: its graph must not be made of memory that is gone. Made
// without the lock; where several threads make one, the first that is done counts.
std::shared_ptr<const GraphState::Record> GraphState::record() {
    std::shared_ptr<const Record> known;
    std::shared_ptr<Record> record;
    std::uint64_t change = 0;
    bool is_wanted = false;
    {
        MutexLock lock(mutex_);
        known = record_;
        if (!known) record = make_record();
        change = changes_;
        is_wanted = !impl_ && !is_replayed_;
    }
    check(known ? *known : *record);
    if (known) return known;
    std::shared_ptr<GraphImpl> made;
    GraphSupport* const support = context_.backend().graphs();
    if (is_wanted && support != nullptr) made = support->make_graph(context_.ordinal(), *record);
    MutexLock lock(mutex_);
    if (is_wanted && !impl_ && !is_replayed_) {
        impl_.swap(made);  // what is left in `made` ends after the lock
        is_replayed_ = impl_ == nullptr;
    }
    record->impl = impl_;
    if (change == changes_) record_ = record;
    return record;
}

void GraphState::start(const std::shared_ptr<const Record>& record,
                       const std::shared_ptr<StreamCore>& core) const {
    if (record->impl) {
        record->impl->launch(core->queue(), *record, record);
        for (const auto& event : record->events) event->set_recorded(core);
        return;
    }
    for (const auto& step : record->steps) {
        const auto& recorded = static_cast<const RecordedStep&>(*step);
        std::visit(Replay{recorded, core, core->queue()}, step->operation);
    }
}

void GraphState::run(const std::shared_ptr<StreamCore>& core) {
    const std::shared_ptr<const Record> record = this->record();
    settle(*record);
    const auto peers = follow_peers(record->peer_sources, core);
    for (const auto& buffer : record->buffers) buffer->note_use(core);
    start(record, core);
    make_follow(peers, *core);
}

}  // namespace warpwise::runtime
