// The streams of the fake driver: a thread each, first in first out, with CUDA's order between the
// legacy default stream and blocking ones.
//
// Threading: every function may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace warpwise::cuda::fake {

struct Stream;

struct Event {
    unsigned flags = 0;
    std::uint64_t recorded = 0;  // times it was given to a stream
    std::uint64_t reached = 0;   // the last of them that was passed
    std::chrono::steady_clock::time_point time;
};

enum class Order : std::uint8_t { Legacy, Blocking, NonBlocking };

Stream* make_stream(Order order);
// What is queued runs first.
void close_stream(Stream* stream);
Stream* legacy_stream();

void push(Stream* stream, std::function<void()> work);
void record(Stream* stream, const std::shared_ptr<Event>& event);
void wait_for(Stream* stream, const std::shared_ptr<Event>& event);
bool is_idle(Stream* stream);
bool is_reached(const Event& event);
void wait_until_idle(Stream* stream);
void wait_until_all_idle();
float milliseconds_between(const Event& start, const Event& end);

}  // namespace warpwise::cuda::fake
