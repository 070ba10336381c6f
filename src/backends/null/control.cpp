// The switches of null_backend.hpp and the log of calls, behind one lock.
#include "src/backends/null/control.hpp"

#include <atomic>
#include <utility>

#include "src/base/mutex.hpp"

namespace warpwise::null {
namespace {

struct Control {
    Mutex mutex;
    bool is_recording WARPWISE_GUARDED_BY(mutex) = false;
    std::vector<Call> calls WARPWISE_GUARDED_BY(mutex);
    std::uint64_t calls_to_failure WARPWISE_GUARDED_BY(mutex) = 0;  // 0: none is planned
    std::exception_ptr failure WARPWISE_GUARDED_BY(mutex);
    std::exception_ptr launch_error WARPWISE_GUARDED_BY(mutex);
    Compile compile WARPWISE_GUARDED_BY(mutex);
    Load load WARPWISE_GUARDED_BY(mutex);
};

Control& control() {
    static Control* const instance = new Control;
    return *instance;
}

}  // namespace

void enter(Call call) {
    Control& c = control();
    std::exception_ptr failure;
    {
        MutexLock lock(c.mutex);
        if (c.is_recording) c.calls.push_back(std::move(call));
        if (c.calls_to_failure > 0) {
            c.calls_to_failure -= 1;
            if (c.calls_to_failure == 0) failure = std::exchange(c.failure, nullptr);
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void record_only(Call call) noexcept {
    Control& c = control();
    MutexLock lock(c.mutex);
    if (c.is_recording) c.calls.push_back(std::move(call));
}

std::exception_ptr take_launch_error() noexcept {
    Control& c = control();
    MutexLock lock(c.mutex);
    return std::exchange(c.launch_error, nullptr);
}

compiler::Program compile(const compiler::CompileRequest& request) {
    Compile function;
    {
        Control& c = control();
        MutexLock lock(c.mutex);
        function = c.compile;
    }
    return function ? function(request) : compiler::read_signatures(request);
}

void load(const compiler::Program& program) {
    Load function;
    {
        Control& c = control();
        MutexLock lock(c.mutex);
        function = c.load;
    }
    if (function) function(program);
}

Recorder::Recorder() {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.is_recording = true;
    c.calls.clear();
}

Recorder::~Recorder() {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.is_recording = false;
    c.calls.clear();
}

std::vector<Call> Recorder::calls() const {
    Control& c = control();
    MutexLock lock(c.mutex);
    return c.calls;
}

std::vector<Call> Recorder::calls(Call::Kind kind) const {
    auto all = calls();
    std::erase_if(all, [kind](const Call& call) { return call.kind != kind; });
    return all;
}

void fail_call(std::uint64_t nth, std::exception_ptr error) {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.calls_to_failure = nth;
    c.failure = std::move(error);
}

bool failure_is_pending() noexcept {
    Control& c = control();
    MutexLock lock(c.mutex);
    return c.failure != nullptr;
}

void cancel_failure() noexcept {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.calls_to_failure = 0;
    c.failure = nullptr;
}

void fail_launch(std::exception_ptr error) {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.launch_error = std::move(error);
}

void set_compile(Compile compile) {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.compile = std::move(compile);
}

void set_load(Load load) {
    Control& c = control();
    MutexLock lock(c.mutex);
    c.load = std::move(load);
}

}  // namespace warpwise::null
