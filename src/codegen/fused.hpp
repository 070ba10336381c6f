// A compiled Group on one device.
//
// Threading: all functions may be called from any thread. find() and launch() may be called under a
// lock of the caller; compile() compiles and may not.
#pragma once

#include <memory>
#include <string>

#include "src/codegen/group.hpp"

namespace warpwise::runtime {
class Context;
class StreamState;
}  // namespace warpwise::runtime

namespace warpwise::codegen {

class Fused {
  public:
    virtual ~Fused() = default;

    // The loaded kernel of an equal group. Where there is none, one that is interpreted
    // (interpret/interpreter.hpp; on a GPU interpret/gpu_interpreter.hpp, once that is loaded)
    // until its kernel has been compiled in the background, after a few runs or a long one; null
    // where that cannot be, and
    // where it is `recorded`: graphs hold kernels. Loaded kernels are bounded: the least recently
    // found ones are unloaded when nothing uses them any more.
    static std::shared_ptr<Fused> find(const Group& group, runtime::Context& context,
                                       bool recorded = false);
    // The same; compiles it (through the cache on disk) or waits for another thread that does.
    // Throws CompileError for a defect of the emitter, OutOfMemoryError, DeviceError.
    static std::shared_ptr<Fused> compile(const Group& group, runtime::Context& context);

    // Queues the kernel, or records it while the stream is captured. All or nothing: what throws
    // has queued nothing. Asks no PendingWork and notes no uses of buffers: the caller has done so.
    // Does nothing for an iteration space without points, but for reductions over nothing, which
    // write their identities (the caller refuses those without one).
    virtual void launch(runtime::StreamState& stream, const Binding& binding) = 0;

    // Whether a stream that is captured can have it.
    virtual bool is_compiled() const noexcept = 0;
};

// The CUDA C++ text of the group's kernel, the same for every device.
std::string emit(const Group& group);

}  // namespace warpwise::codegen
