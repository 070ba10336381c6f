// The interpreters of one GPU: kernels that run any group's program (gpu_program.hpp).
//
// Bits are those of compiled kernels, which NVRTC makes. Ops that IEEE 754 or their definition fix
// (device/interpreter/rules.cuh: arithmetic, comparisons, casts, roots, rounding, whatever integers
// do) are the same bits from every compiler: an interpreter of these is built with the library, as
// PTX by clang. sin(), exp() and the like are NVRTC's own and change with its version: the
// interpreter of all ops is compiled by the NVRTC that compiles kernels, from the same source.
//
// Both take seconds to make on a machine that has not done so before (the first one and a half, the
// second four to eight), and are then in the cache on disk. So they are made in the background, in
// programs that have several groups for them; what is in the cache is loaded for the first group.
// Until then groups are compiled.
//
// Threading: any thread. Nothing is loaded under a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/codegen/interpret/gpu_program.hpp"

namespace warpwise::compiler {
struct Program;
}

namespace warpwise::runtime {
class Context;
class KernelState;
class StreamState;
}  // namespace warpwise::runtime

namespace warpwise::codegen::interpret {

class GpuInterpreter {
  public:
    // Which ops it runs.
    enum class Ops : std::uint8_t { Exact, All };
    // Of the context; null where it is no GPU's, or the library has no PTX of this build.
    static std::shared_ptr<GpuInterpreter> of(runtime::Context& context, Ops ops);

    // Makes code of warpwise_interpreter.h for the context's device.
    using Make = std::function<std::shared_ptr<const compiler::Program>(runtime::Context&)>;
    // Worth it where `groups` want it; `find`, where there is one, returns what has been made
    // before, null where it was not.
    explicit GpuInterpreter(Make make, unsigned groups = 1, Make find = nullptr)
        : make_(std::move(make)), find_(std::move(find)), groups_(groups) {}

    bool is_loaded() const noexcept { return is_loaded_.load(std::memory_order_acquire); }
    // On the calling thread, or waits for who does. Throws DeviceError where the driver refuses it,
    // or there is no compiler.
    void load(runtime::Context& context);
    // A group wants it. In the background, once, when it is in the cache or there are enough of
    // them.
    void request(runtime::Context& context) noexcept;
    // As Fused::launch(). Is loaded. Returns about how long it takes, in nanoseconds.
    double launch(const GpuProgram& program, runtime::StreamState& stream,
                  const Binding& binding) const;

  private:
    void load_by(const Make& make, runtime::Context& context);

    const Make make_;
    const Make find_;
    const unsigned groups_;
    std::atomic<unsigned> asked_ = 0;
    std::atomic<bool> is_loaded_ = false;
    Mutex loading_;
    // Written once, before is_loaded_.
    std::shared_ptr<runtime::KernelState> elementwise_;
    std::shared_ptr<runtime::KernelState> reduction_;
};

}  // namespace warpwise::codegen::interpret
