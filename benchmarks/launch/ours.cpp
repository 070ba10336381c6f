// The same loops through the C++ API. Built against include/ and the loaded library, and called, by
// launch_overhead.py; the current device is the one that is measured.
#include <chrono>
#include <cstring>
#include <exception>
#include <string>

#include "warpwise/warpwise.hpp"

namespace {

using namespace warpwise;

constexpr std::size_t kCopied = 1024;

template <class Call>
double timed(long count, const Stream& stream, Call&& call) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (long i = 0; i < count; ++i) call();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    stream.synchronize();
    return time.count() / count;
}

struct State {
    explicit State(const char* source) : module(source) {}
    SourceModule module;
    Kernel none = module.get_function("none"), four = module.get_function("four"),
           sixteen = module.get_function("sixteen");
    Buffer memory = mem_alloc(kCopied);
    Stream stream, other;
    Event event{EventOptions{.timing = false}};
    HostBuffer pinned{kCopied};
    char pageable[kCopied] = {};
};

State* state = nullptr;
std::string error;

double launch(int arguments, long count) {
    const Buffer& m = state->memory;
    const LaunchConfig config{.grid = 1, .block = 1};
    const Stream stream = Stream::current();
    if (arguments == 0) return timed(count, stream, [&] { state->none(config); });
    if (arguments == 4) return timed(count, stream, [&] { state->four(config, m, m, 2.0f, 16); });
    return timed(count, stream, [&] {
        state->sixteen(config, m, m, m, m, m, m, m, m, 1.0f, 2.0f, 3.0f, 4.0f, 1, 2, 3, 4);
    });
}

double queue(const char* what, long count) {
    const Stream& stream = state->stream;
    void* const host =
        std::strstr(what, "pinned") != nullptr ? state->pinned.data() : state->pageable;
    if (std::strcmp(what, "record an event") == 0) {
        return timed(count, stream, [&] { state->event.record(stream); });
    }
    if (std::strcmp(what, "wait for an event") == 0) {
        state->event.record(state->other);
        return timed(count, stream, [&] { stream.wait(state->event); });
    }
    if (std::strncmp(what, "1 KiB to the device", 19) == 0) {
        return timed(count, stream, [&] { state->memory.copy_from_async(host, kCopied, stream); });
    }
    return timed(count, stream, [&] { state->memory.copy_to_async(host, kCopied, stream); });
}

// Blocking copies between the caller's memory and a buffer of ours over the same device memory.
double copy(bool is_to_host, void* host, std::uint64_t device, std::size_t bytes, long count) {
    Buffer buffer = wrap_memory(device, bytes, Device(), nullptr);
    return timed(count, Stream::current(),
                 [&] { is_to_host ? buffer.copy_to(host, bytes) : buffer.copy_from(host, bytes); });
}

template <class Work>
double guarded(Work&& work) {
    try {
        return work();
    } catch (const std::exception& thrown) {
        error = thrown.what();
        return -1;
    }
}

}  // namespace

extern "C" {

// Null on success, as with the others' negative times.
const char* ours_error() {
    return error.empty() ? nullptr : error.c_str();
}
void ours_open(const char* source) {
    guarded([&] {
        state = new State(source);
        return 0.0;
    });
}
double ours_launch(int arguments, long count) {
    return guarded([&] { return launch(arguments, count); });
}
double ours_queue(const char* what, long count) {
    return guarded([&] { return queue(what, count); });
}
double ours_copy(int is_to_host, void* host, std::uint64_t device, std::size_t bytes, long count) {
    return guarded([&] { return copy(is_to_host != 0, host, device, bytes, count); });
}
}
