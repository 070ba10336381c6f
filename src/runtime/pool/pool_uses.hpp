// After which work memory is free again: for each stream that used it, a position in that stream's
// work (StreamCore::position()). The common case, one stream, allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/runtime/queue/stream_core.hpp"

namespace warpwise::runtime {

struct Use {
    std::shared_ptr<StreamCore> core;
    std::uint64_t position = 0;
};

class Uses {
  public:
    Uses() = default;
    Uses(std::shared_ptr<StreamCore> first, std::vector<std::shared_ptr<StreamCore>> more);

    bool empty() const noexcept { return !first_.core; }
    // The stream, when there is no more than one; else null.
    StreamCore* only() const noexcept { return more_.empty() ? first_.core.get() : nullptr; }
    const std::shared_ptr<StreamCore>& first() const noexcept { return first_.core; }
    std::uint64_t first_position() const noexcept { return first_.position; }
    // Leaves it empty.
    std::shared_ptr<StreamCore> take_first() noexcept {
        more_.clear();
        return std::move(first_.core);
    }
    void clear() noexcept {
        first_.core.reset();
        more_.clear();
    }
    // The work that counts is what each stream has been given by now; the first one by `first`,
    // where that is not 0.
    void stamp(std::uint64_t first = 0) noexcept;
    bool has_same_streams(const Uses& other) const noexcept;
    // Of the same streams: the later position of each counts.
    void merge(const Uses& other) noexcept;

    template <class Test>
    bool all_of(Test&& test) const {
        if (empty()) return true;
        if (!test(first_)) return false;
        for (const Use& use : more_) {
            if (!test(use)) return false;
        }
        return true;
    }

  private:
    const Use* find(const StreamCore* core) const noexcept;

    Use first_;  // without a core: there is none
    std::vector<Use> more_;
};

}  // namespace warpwise::runtime
