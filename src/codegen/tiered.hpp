// A group that is interpreted at first, and compiled in the background when that pays.
//
// Threading: as Fused.
#pragma once

#include <atomic>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/codegen/fused.hpp"
#include "src/codegen/interpret/interpreter.hpp"

namespace warpwise::codegen {

// A group that runs without a kernel of its own.
class Interpreted {
  public:
    virtual ~Interpreted() = default;
    virtual const Group& group() const noexcept = 0;
    // Whether that is faster than a kernel, for so few points: of binding.extents.
    virtual bool is_faster(const Shape&) const noexcept { return false; }
    // As Fused::launch(); notifies `listener` (may be null), now or when it has run, of how long
    // that takes. False: there was nothing to do.
    virtual bool launch(runtime::StreamState& stream, const Binding& binding,
                        interpret::Listener* listener) = 0;
};

class Tiered final : public Fused, public interpret::Listener {
  public:
    // Null where the group or the device has no interpreter, or WARPWISE_TIER is full. That of a
    // GPU is loaded in the background, and there is none before. `waits`: it is loaded first.
    static std::shared_ptr<Tiered> make(const Group& group, runtime::Context& context,
                                        bool waits = false);

    Tiered(std::unique_ptr<Interpreted> interpreted, runtime::Context& context);

    void launch(runtime::StreamState& stream, const Binding& binding) override;
    bool is_compiled() const noexcept override { return compiled() != nullptr; }
    void note_run(std::chrono::nanoseconds time) noexcept override;
    // Takes over from now on. Of several the first one stays.
    void install(std::shared_ptr<Fused> kernel) noexcept;

  private:
    Fused* compiled() const noexcept { return compiled_.load(std::memory_order_acquire); }
    void request() noexcept;

    const std::unique_ptr<Interpreted> interpreted_;
    const std::weak_ptr<runtime::Context> context_;
    std::atomic<unsigned> runs_ = 0;
    std::atomic<bool> is_requested_ = false;
    std::atomic<Fused*> compiled_ = nullptr;
    Mutex mutex_;
    std::shared_ptr<Fused> kernel_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::codegen
