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
#include <memory>
#include <vector>

#include "src/codegen/geometry.hpp"
#include "src/codegen/group.hpp"
#include "src/codegen/interpret/evaluator.hpp"
#include "src/runtime/host_support.hpp"

namespace warpwise::codegen::interpret {

// The receiver of how long it took.
class Listener {
  public:
    virtual ~Listener() = default;
    virtual void note_run(std::chrono::nanoseconds time) noexcept = 0;
};

class Interpreter : public std::enable_shared_from_this<Interpreter> {
  public:
    // Null where the group holds something that is not interpreted.
    static std::shared_ptr<const Interpreter> make(const Group& group);

    // The work of one launch; null where there is no point. `listener` may be null.
    std::unique_ptr<runtime::HostLoop> bind(const Binding& binding,
                                            std::shared_ptr<Listener> listener) const;

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

// The parts of a loop that elementwise ones and reductions share: its own copy of the binding, and
// its time.
class BoundLoop : public runtime::HostLoop {
  public:
    BoundLoop(std::shared_ptr<const Interpreter> interpreter, const Binding& binding,
              std::shared_ptr<Listener> listener);
    const char* name() const noexcept override { return "ww_interpreted"; }

  protected:
    const Group& group() const noexcept { return interpreter_->group(); }
    void note_start() noexcept;
    void note_end() noexcept;
    // A scalar or an element for all points, `count` times.
    void fill_constant(const Step& step, void* memory, std::size_t count) const;

    const std::shared_ptr<const Interpreter> interpreter_;
    const Binding binding_;

  private:
    std::shared_ptr<Listener> listener_;
    std::atomic<std::int64_t> start_ = 0;
};

std::unique_ptr<runtime::HostLoop> make_elementwise_loop(
    std::shared_ptr<const Interpreter> interpreter, const Binding& binding,
    std::shared_ptr<Listener> listener);
std::unique_ptr<runtime::HostLoop> make_reduction_loop(
    std::shared_ptr<const Interpreter> interpreter, const Binding& binding,
    std::shared_ptr<Listener> listener);

}  // namespace warpwise::codegen::interpret
