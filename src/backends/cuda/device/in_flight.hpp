// What the launches of a queue keep alive until they have ended, without a driver's event for each:
// they are sealed off in groups, one event a group, and all released when the queue is found to be
// idle.
//
// Threading: every function may be called from any thread. What is released is destroyed without a
// lock held, since its destructors may call back.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/backends/cuda/device/event.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class InFlight {
  public:
    struct Added {
        Status status = Status::Success;
        std::uint64_t group = 0;  // not 0: record an event now, then seal() with this number
    };
    // Keeps what the launch needs, then calls `start`, which gives it to the driver and returns the
    // status. No thread that sees the stream idle in between takes the launch for one that has
    // ended: mark() waits. `start` must not throw, nor ask for kernel_names().
    template <class Start>
    Added add(const runtime::Launch& launch, Start&& start) {
        InlineLock lock(mutex_);
        const bool is_full = keep_again({.kernel = launch.kernel}, launch.keep_alive)
                                 ? false
                                 : keep({.kernel = launch.kernel}, launch.keep_alive);
        return {start(), is_full ? added_ : 0};
    }
    // The same for a graph; `kernels` are those in it.
    template <class Start>
    Added add_graph(const std::vector<const runtime::KernelImpl*>& kernels,
                    const std::shared_ptr<const void>& keep_alive, Start&& start) {
        InlineLock lock(mutex_);
        const bool is_full = keep({.graph = &kernels}, &keep_alive);
        return {start(), is_full ? added_ : 0};
    }
    // For a copy that is queued already. What is returned is Added::group.
    std::uint64_t add(const std::shared_ptr<const void>& keep_alive) {
        InlineLock lock(mutex_);
        return keep({}, &keep_alive) ? added_ : 0;
    }
    // `event` has been recorded behind everything up to `group`.
    void seal(std::unique_ptr<CudaEvent> event, std::uint64_t group);
    // With the context current: lets groups go that have ended.
    void collect();
    // How much has been added. The queue was seen to be idle after that: clear(mark).
    std::uint64_t mark();
    void clear(std::uint64_t mark);
    bool has_any();
    // Whether it is still used is unknown: it is never released.
    void keep_for_ever() noexcept;
    // Names of kernels, each once, that may still be running.
    std::vector<std::string> kernel_names();

  private:
    // Of modules that keep_alive holds: one, those of a graph, or none, for copies.
    struct Kernels {
        const runtime::KernelImpl* kernel = nullptr;
        const std::vector<const runtime::KernelImpl*>* graph = nullptr;
        friend bool operator==(const Kernels&, const Kernels&) = default;
    };
    struct Launched {
        std::uint64_t number;
        Kernels kernels;
        std::shared_ptr<const void> keep_alive;
    };
    struct Group {
        std::unique_ptr<CudaEvent> end;
        std::vector<Launched> launches;
    };

    // Whether it is the same as the last time, and so kept already.
    bool keep_again(const Kernels& kernels, const std::shared_ptr<const void>* keep_alive)
        WARPWISE_REQUIRES(mutex_) {
        if (keep_alive == nullptr || keep_alive->get() != last_kept_ || last_kept_ == nullptr ||
            kernels != last_kernels_) {
            return false;
        }
        ++added_;
        return true;
    }
    // Before open_ is read or changed.
    void write_last_number() WARPWISE_REQUIRES(mutex_) {
        if (!open_.empty()) open_.back().number = added_;
    }
    // Whether a group is full.
    bool keep(const Kernels& kernels, const std::shared_ptr<const void>* keep_alive)
        WARPWISE_REQUIRES(mutex_);
    // Takes what was added up to `mark` out of open_.
    std::vector<Launched> take_until(std::uint64_t mark) WARPWISE_REQUIRES(mutex_);

    InlineMutex mutex_;
    std::uint64_t added_ WARPWISE_GUARDED_BY(mutex_) = 0;
    // Of the last entry of open_, and null without one: a launch of the same once more touches this
    // line alone. The number of that entry is added_; it is written down when the next one comes.
    const void* last_kept_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
    Kernels last_kernels_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<Launched> open_ WARPWISE_GUARDED_BY(mutex_);
    std::deque<Group> sealed_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
