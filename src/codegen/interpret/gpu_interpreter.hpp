// The interpreter of one GPU: kernels that run any group's program (gpu_program.hpp), loaded from
// PTX that was built with the library.
//
// Bits: the PTX is made by clang, compiled kernels by NVRTC. Ops that IEEE 754 or their definition
// fix are the same bits from both, and only those are interpreted (device/interpreter/rules.cuh):
// arithmetic, comparisons, casts, roots, rounding, whatever integers do. sin(), exp() and the like
// are NVRTC's own, whose bits change with its version, so that a group which holds one is compiled.
//
// To make code of the PTX takes a second and a half, once on a machine: the cache on disk keeps
// what nvJitLink makes, and the driver what it makes itself where there is no nvJitLink. So it is
// loaded in the background, in programs that have several groups; until it is there, groups are
// compiled.
//
// Threading: any thread. Nothing is loaded under a lock.
#pragma once

#include <atomic>
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
    // Of the context; null where it is no GPU's, or the library has no PTX of this build.
    static std::shared_ptr<GpuInterpreter> of(runtime::Context& context);

    // `program`: of warpwise_interpreter.h. Tests have one for the CPU device.
    explicit GpuInterpreter(std::shared_ptr<const compiler::Program> program)
        : program_(std::move(program)) {}

    bool is_loaded() const noexcept { return is_loaded_.load(std::memory_order_acquire); }
    // On the calling thread, or waits for who does. Throws DeviceError where the driver refuses it.
    void load(runtime::Context& context);
    // A group wants it. In the background, once, when it is the fourth.
    void request(runtime::Context& context) noexcept;
    // As Fused::launch(). Is loaded. Returns about how long it takes, in nanoseconds.
    double launch(const GpuProgram& program, runtime::StreamState& stream,
                  const Binding& binding) const;

  private:
    std::shared_ptr<const compiler::Program> code_for(runtime::Context& context) const;

    const std::shared_ptr<const compiler::Program> program_;
    std::atomic<unsigned> asked_ = 0;
    std::atomic<bool> is_loaded_ = false;
    Mutex loading_;
    // Written once, before is_loaded_.
    std::shared_ptr<runtime::KernelState> elementwise_;
    std::shared_ptr<runtime::KernelState> reduction_;
};

}  // namespace warpwise::codegen::interpret
