// Groups run at once, without a compiler: a loop over chunks of elements for each operation, by the
// functions that generated kernels call. The results are the kernels', bit for bit.
//
// What is interpreted: elementwise groups and reductions over bool, int32, int64, float32 and
// float64, on devices that share the host's memory.
//
// Threading: constant once made; loops may run on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "src/codegen/geometry.hpp"
#include "src/codegen/group.hpp"
#include "src/codegen/interpret/evaluator.hpp"
#include "src/runtime/host_support.hpp"

namespace warpwise::codegen::interpret {

// The receiver of how long it took. Held by a shared pointer.
class Listener : public std::enable_shared_from_this<Listener> {
  public:
    virtual ~Listener() = default;
    virtual void note_run(std::chrono::nanoseconds time) noexcept = 0;
};

class Interpreter : public std::enable_shared_from_this<Interpreter> {
  public:
    // Null where the group holds something that is not interpreted.
    static std::shared_ptr<const Interpreter> make(const Group& group);

    // The work of one launch; null where there is no point. `listener` may be null.
    std::unique_ptr<runtime::HostLoop> bind(const Binding& binding, Listener* listener) const;
    // Calls `run` with that work, which ends with the call, and returns its result. False where
    // there is no point.
    using RunHere = std::function<bool(runtime::HostLoop&)>;
    bool run_here(const Binding& binding, Listener* listener, const RunHere& run) const;

    const Group& group() const noexcept { return group_; }
    const Code& body() const noexcept { return body_; }
    const Code& epilogue() const noexcept { return epilogue_; }
    const std::vector<const ReduceLoops*>& reducers() const noexcept { return reducers_; }

  private:
    bool build();

    Group group_;
    Code body_;
    Code epilogue_;
    std::vector<const ReduceLoops*> reducers_;
};

// The parts of a loop that elementwise ones and reductions share: what it refers to, and its time.
class BoundLoop : public runtime::HostLoop {
  public:
    // All of it outlives the loop.
    BoundLoop(const Interpreter& interpreter, const Binding& binding, Listener* listener)
        : interpreter_(interpreter), binding_(binding), listener_(listener) {}
    const char* name() const noexcept override { return "ww_interpreted"; }

  protected:
    const Group& group() const noexcept { return interpreter_.group(); }
    void note_start() noexcept;
    void note_end() noexcept;
    // A scalar or an element for all points, `count` times.
    void fill_constant(const Step& step, void* memory, std::size_t count) const;

    const Interpreter& interpreter_;
    const Binding& binding_;

  private:
    Listener* const listener_;
    std::atomic<std::int64_t> start_ = 0;
};

// A loop that runs later, with a copy of all that it refers to.
struct KeptParts {
    std::shared_ptr<const Interpreter> interpreter;
    Binding binding;
    std::shared_ptr<Listener> listener;
};
template <class Loop>
class KeptLoop final : KeptParts, public Loop {
  public:
    explicit KeptLoop(KeptParts parts)
        : KeptParts(std::move(parts)), Loop(*interpreter, binding, listener.get()) {}
};

std::unique_ptr<runtime::HostLoop> make_elementwise_loop(KeptParts parts);
std::unique_ptr<runtime::HostLoop> make_reduction_loop(KeptParts parts);
bool run_elementwise_loop(const Interpreter& interpreter, const Binding& binding,
                          Listener* listener, const Interpreter::RunHere& run);
bool run_reduction_loop(const Interpreter& interpreter, const Binding& binding, Listener* listener,
                        const Interpreter::RunHere& run);

}  // namespace warpwise::codegen::interpret
