// The null back end: a device that keeps every rule of the contract but runs no kernel. Memory is
// real host memory, copies and fills happen, streams are asynchronous and ordered.
//
// For tests it records what was requested of it (Recorder), fails on purpose (fail_call,
// fail_launch), hold all streams still (Pause), load programs made by hand (set_compile) and call
// back while a module loads (set_load). All of these act on both of its devices, "null" and
// "null:1", and may be used from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/compiler/compiler.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::null {

// Small on purpose: tests reach its end.
inline constexpr std::uint64_t kTotalMemory = std::uint64_t{256} << 20;
inline constexpr int kDeviceCount = 2;

// One call of the contract, at the time it was made. Fields that a kind does not have are 0.
struct Call {
    enum class Kind : std::uint8_t {
        Allocate,
        Release,
        Reserve,
        Unreserve,
        Map,
        Unmap,
        MakeQueue,
        MakeEvent,
        MakeModule,
        Extend,
        Launch,
        Copy,
        Fill,
        Record,
        Wait,
        CallHost,
    };
    Kind kind = Kind::Allocate;
    int ordinal = 0;
    std::uint64_t queue = 0;  // numbers queues from 1 on, in the order they were made
    std::uint64_t destination = 0, source = 0;
    std::size_t bytes = 0;
    runtime::CopyKind copy_kind = runtime::CopyKind::HostToDevice;
    runtime::MemoryKind memory_kind = runtime::MemoryKind::Device;
    std::uint64_t pattern = 0;
    std::size_t pattern_bytes = 0;
    std::string kernel;  // symbol
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint32_t shared_bytes = 0;
    bool cooperative = false;
    std::vector<std::byte> arguments;
};

// Records all calls while it lives. One at a time.
class Recorder {
  public:
    Recorder();
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    std::vector<Call> calls() const;
    std::vector<Call> calls(Call::Kind kind) const;
};

// The nth call from now on (1: the next) throws `error` and does nothing; Release, Unreserve and
// Unmap, which cannot fail, are not counted. Returns once, so that a loop over n ends: see
// failure_is_pending().
void fail_call(std::uint64_t nth, std::exception_ptr error);
bool failure_is_pending() noexcept;
void cancel_failure() noexcept;

// The next launch to run ends with `error`, as a faulting kernel would.
void fail_launch(std::exception_ptr error);

// Queued work stays queued while one lives. A blocking wait ends the pause.
class Pause {
  public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
};

// Takes the place of reading signatures with the compiler library; an empty function restores that.
using Compile = std::function<compiler::Program(const compiler::CompileRequest&)>;
void set_compile(Compile compile);

// Called by modules before they add a program, on the thread that loads it; an empty function ends
// that.
using Load = std::function<void(const compiler::Program&)>;
void set_load(Load load);

// Bytes allocated or mapped, and not released, over both devices.
std::uint64_t allocated_bytes() noexcept;

runtime::Backend& backend();

}  // namespace warpwise::null
