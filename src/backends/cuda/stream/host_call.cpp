// A call owns itself until it has run. In a context that is lost it never does.
#include "src/backends/cuda/stream/host_call.hpp"

#include <utility>

namespace warpwise::cuda {

struct HostCalls::Call {
    std::shared_ptr<HostCalls> owner;  // until it has run
    std::uint64_t number = 0;
    std::function<void()> function;
    OwnedCall next;
};

void HostCalls::Destroy::operator()(Call* call) const noexcept {
    // One after the other: a list of many would recurse.
    while (call != nullptr) {
        Call* const next = call->next.release();
        delete call;
        call = next;
    }
}

Status HostCalls::queue(const Driver& driver, StreamHandle stream, std::function<void()> function) {
    OwnedCall call(new Call{shared_from_this(), 0, std::move(function), nullptr});
    {
        MutexLock lock(mutex_);
        call->number = ++count_;
    }
    const Status status = driver.stream_host_function(stream, run, call.get());
    if (status == Status::Success) {
        [[maybe_unused]] Call* const given = call.release();  // run() owns it
    } else {
        MutexLock lock(mutex_);
        ++finished_;
    }
    return status;
}

void HostCalls::run(void* argument) {
    OwnedCall call(static_cast<Call*>(argument));
    const std::shared_ptr<HostCalls> owner = std::move(call->owner);
    try {
        call->function();
    } catch (...) {
        owner->fail(call->number, std::current_exception());
    }
    owner->finish(std::move(call));
}

void HostCalls::finish(OwnedCall call) {
    MutexLock lock(mutex_);
    ++finished_;
    call->next = std::move(done_);
    done_ = std::move(call);
}

bool HostCalls::has_pending() const {
    MutexLock lock(mutex_);
    return finished_ < count_;
}

bool HostCalls::is_idle() const {
    if (count() == 0) return true;
    MutexLock lock(mutex_);
    return finished_ == count_ && !done_ && !error_;
}

void HostCalls::sweep() {
    OwnedCall done;
    MutexLock lock(mutex_);
    done = std::move(done_);
}

void HostCalls::fail(std::uint64_t number, std::exception_ptr error) {
    MutexLock lock(mutex_);
    if (error_) return;
    error_ = std::move(error);
    error_number_ = number;
}

std::exception_ptr HostCalls::take_error(std::uint64_t count) {
    MutexLock lock(mutex_);
    if (!error_ || error_number_ > count) return nullptr;
    return std::exchange(error_, nullptr);
}

}  // namespace warpwise::cuda
