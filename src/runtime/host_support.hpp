// What a device offers whose memory is the host's: functions of the host as work of its queues, and
// a thread that compiles in the background. Optional: the CPU device has it.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

namespace warpwise::compiler {
class Compiler;
}

namespace warpwise::runtime {

class BlasSupport;
class Queue;

// Work of a queue in numbered pieces, which several threads may run at once.
class HostLoop {
  public:
    virtual ~HostLoop() = default;
    virtual std::uint64_t pieces() const noexcept = 0;      // at least 1
    virtual double forecast() const noexcept { return 0; }  // nanoseconds of a piece; 0: unknown
    virtual void run(std::uint64_t begin, std::uint64_t end) noexcept = 0;
    // After the last piece, on one thread.
    virtual void end() noexcept {}
    virtual const char* name() const noexcept = 0;  // in a profile
};

class HostSupport {
  public:
    virtual ~HostSupport() = default;
    virtual void run(Queue& queue, std::unique_ptr<HostLoop> loop) = 0;  // queues it
    // The calling thread runs the loop where the queue has nothing to do. False, and it has not
    // run, where that is not so.
    virtual bool try_to_run(Queue& queue, HostLoop& loop) = 0;
    // See blas.hpp.
    virtual BlasSupport* blas() noexcept { return nullptr; }
    // Once, on a thread of its own, with a compiler that may be left at any moment. Never called
    // when the process ends before. Never throws: without a thread to spare it is not called.
    virtual void compile_in_background(std::function<void(compiler::Compiler&)> work) noexcept = 0;
};

}  // namespace warpwise::runtime
