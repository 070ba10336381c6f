// Branches, and what joins them.
#include "src/runtime/stream/capture.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/queue/event_state.hpp"
#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::runtime {

CaptureBranch::CaptureBranch(std::shared_ptr<Capture> capture, std::weak_ptr<StreamState> stream,
                             std::uint64_t stream_id) noexcept
    : capture_(std::move(capture)), stream_(std::move(stream)), stream_id_(stream_id) {}

void CaptureBranch::add(GraphOperation operation, Buffers buffers) {
    Step step = make_step(std::move(operation), std::move(buffers));
    MutexLock lock(capture_->mutex_);
    capture_->add_to(*this, std::move(step));
}

void CaptureBranch::add_behind_all(GraphOperation operation, Buffers buffers) {
    Step step = make_step(std::move(operation), std::move(buffers));
    MutexLock lock(capture_->mutex_);
    tail_ = capture_->ends();
    capture_->add_to(*this, std::move(step));
}

void CaptureBranch::add_record(const std::shared_ptr<EventState>& event) {
    auto made = make_step(EventRecord{&event->impl()}, {});
    made->event = event;
    const Step step = std::move(made);
    MutexLock lock(capture_->mutex_);
    capture_->add_to(*this, step);
    capture_->note_record(step, tail_.front());
}

void CaptureBranch::add_wait(const std::shared_ptr<EventState>& event) {
    if (&event->context().backend() != &capture_->context_.backend()) {
        // Queues of different back ends know nothing of each other: the host stands between.
        return add(HostCall{[event] { event->impl().is_done(Wait::Yes); }}, {});
    }
    auto step = make_step(EventWait{&event->impl()}, {});
    step->event = event;
    MutexLock lock(capture_->mutex_);
    capture_->add_to(*this, std::move(step));
}

void CaptureBranch::join(const EventState& event) {
    MutexLock lock(capture_->mutex_);
    const auto found = capture_->recorded_.find(&event);
    if (found != capture_->recorded_.end()) capture_->add_tail(tail_, found->second.place);
}

void CaptureBranch::add_launch(const std::shared_ptr<KernelState>& kernel, const Launch& launch,
                               Buffers buffers, Buffers bound) {
    auto step = make_launch(kernel, launch, std::move(buffers));
    step->captured_owner = step->owner;
    std::erase(bound, nullptr);
    step->bound = std::move(bound);
    MutexLock lock(capture_->mutex_);
    capture_->add_to(*this, std::move(step));
}

void CaptureBranch::add_peer_copy(const PeerCopy& copy, std::shared_ptr<BufferState> destination,
                                  std::shared_ptr<BufferState> source) {
    auto step = make_step(copy, {std::move(destination)});
    step->peer_source = std::move(source);
    MutexLock lock(capture_->mutex_);
    capture_->add_to(*this, std::move(step));
}

// The first steps of `graph` come behind this branch's tail; its last ones are the new tail.
void CaptureBranch::add_all(const GraphState& graph) {
    const auto [steps, order] = graph.contents();
    MutexLock lock(capture_->mutex_);
    const std::size_t start = capture_->steps_.size();
    const std::vector<std::size_t> before = tail_;
    std::vector<bool> has_later(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::vector<std::size_t> behind;
        for (const std::size_t place : (*order)[i]) {
            behind.push_back(start + place);
            has_later[place] = true;
        }
        if (behind.empty()) behind = before;
        if (std::holds_alternative<EventWait>(steps[i]->operation)) {
            const auto found = capture_->recorded_.find(steps[i]->event.get());
            if (found != capture_->recorded_.end()) {
                capture_->add_tail(behind, found->second.place);
            }
        }
        capture_->add(steps[i], std::move(behind));
        if (std::holds_alternative<EventRecord>(steps[i]->operation)) {
            capture_->note_record(steps[i], start + i);
        }
    }
    if (steps.empty()) return;
    tail_.clear();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!has_later[i]) tail_.push_back(start + i);
    }
}

Capture::~Capture() {
    abandon();
}

std::shared_ptr<CaptureBranch> Capture::begin(StreamState& origin) {
    MutexLock lock(mutex_);
    return add_branch(origin);
}

bool Capture::began_on(const CaptureBranch& branch) const {
    MutexLock lock(mutex_);
    return !branches_.empty() && branches_.front().lock().get() == &branch;
}

std::shared_ptr<CaptureBranch> Capture::join(StreamState& stream, const EventState& event) {
    MutexLock lock(mutex_);
    const auto found = recorded_.find(&event);
    if (!is_open_ || found == recorded_.end()) {
        refuse_value(
            "the event was recorded in a capture that has ended; launch the graph, and wait for an "
            "event recorded behind it");
    }
    auto branch = add_branch(stream);
    branch->tail_.push_back(found->second.place);
    return branch;
}

std::shared_ptr<CaptureBranch> Capture::add_branch(StreamState& stream) {
    auto branch = std::make_shared<CaptureBranch>(shared_from_this(), stream.weak_from_this(),
                                                  stream.core()->id());
    branches_.push_back(branch);
    return branch;
}

std::size_t Capture::add(Step step, std::vector<std::size_t> behind) {
    steps_.push_back(std::move(step));
    order_.push_back(std::move(behind));
    return steps_.size() - 1;
}

void Capture::add_to(CaptureBranch& branch, Step step) {
    const std::size_t place = add(std::move(step), std::move(branch.tail_));
    branch.tail_.assign(1, place);
}

void Capture::note_record(const Step& step, std::size_t place) {
    step->event->set_capture(shared_from_this());
    recorded_[step->event.get()] = {step->event, place};
}

// Without places that another one of the tail comes behind.
void Capture::add_tail(std::vector<std::size_t>& tail, std::size_t place) const {
    std::vector<std::size_t> kept;
    for (const std::size_t own : tail) {
        if (comes_behind(order_, own, place)) return;
        if (!comes_behind(order_, place, own)) kept.push_back(own);
    }
    kept.push_back(place);
    tail = std::move(kept);
}

// The operations that nothing comes behind yet.
std::vector<std::size_t> Capture::ends() const {
    std::vector<bool> has_later(steps_.size());
    for (const auto& behind : order_) {
        for (const std::size_t place : behind) has_later[place] = true;
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!has_later[i]) places.push_back(i);
    }
    return places;
}

void Capture::check_joined() const {
    const auto origin = branches_.front().lock();
    for (const std::size_t place : ends()) {
        if (origin && std::ranges::count(origin->tail_, place) != 0) continue;
        std::uint64_t stream = 0;
        for (const auto& weak : branches_) {
            const auto branch = weak.lock();
            if (branch && std::ranges::count(branch->tail_, place) != 0) {
                stream = branch->stream_id_;
            }
        }
        refuse_value(
            "the capture was not joined again: stream {} of {} took part in it, and nothing waits "
            "for {}, its last operation (number {} of {}); record an event behind it there, and "
            "wait for that event on the stream whose capture ends",
            stream, context_.name(), description_of(*steps_[place]), place + 1, steps_.size());
    }
}

std::vector<std::shared_ptr<StreamState>> Capture::streams() const {
    std::vector<std::shared_ptr<StreamState>> streams;
    MutexLock lock(mutex_);
    for (const auto& weak : branches_) {
        const auto branch = weak.lock();
        if (!branch) continue;
        if (auto stream = branch->stream_.lock()) streams.push_back(std::move(stream));
    }
    return streams;
}

std::shared_ptr<GraphState> Capture::end() {
    struct Over {
        Capture& capture;
        ~Over() { capture.abandon(); }
    } const over{*this};
    MutexLock lock(mutex_);
    check_joined();
    return std::make_shared<GraphState>(context_, steps_,
                                        std::make_shared<const StepOrder>(order_));
}

void Capture::abandon() noexcept {
    std::vector<std::weak_ptr<CaptureBranch>> branches;
    std::unordered_map<const EventState*, Recorded> recorded;
    {
        MutexLock lock(mutex_);
        is_open_ = false;
        branches.swap(branches_);
        recorded.swap(recorded_);
    }
    for (const auto& [state, one] : recorded) one.event->leave_capture(*this);
    for (const auto& weak : branches) {
        const auto branch = weak.lock();
        if (!branch) continue;
        if (const auto stream = branch->stream_.lock()) stream->leave_capture(*this);
    }
}

}  // namespace warpwise::runtime
