// A call owns itself until it has run. In a context that is lost it never does.
#include "src/backends/cuda/host_call.hpp"

#include <utility>

namespace warpwise::cuda {

struct HostCalls::Call {
    std::shared_ptr<HostCalls> owner;
    std::uint64_t number;
    std::function<void()> function;
};

Status HostCalls::queue(const Driver& driver, StreamHandle stream, std::function<void()> function) {
    auto call = std::make_unique<Call>(shared_from_this(), 0, std::move(function));
    {
        MutexLock lock(mutex_);
        call->number = ++count_;
    }
    const Status status = driver.stream_host_function(stream, run, call.get());
    if (status == Status::Success) static_cast<void>(call.release());  // run() deletes it
    return status;
}

void HostCalls::run(void* call) {
    const std::unique_ptr<Call> own(static_cast<Call*>(call));
    try {
        own->function();
    } catch (...) {
        own->owner->fail(own->number, std::current_exception());
    }
}

void HostCalls::fail(std::uint64_t number, std::exception_ptr error) {
    MutexLock lock(mutex_);
    if (error_) return;
    error_ = std::move(error);
    error_number_ = number;
}

std::uint64_t HostCalls::count() const {
    MutexLock lock(mutex_);
    return count_;
}

std::exception_ptr HostCalls::take_error(std::uint64_t count) {
    MutexLock lock(mutex_);
    if (!error_ || error_number_ > count) return nullptr;
    return std::exchange(error_, nullptr);
}

}  // namespace warpwise::cuda
