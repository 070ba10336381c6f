// See pool_uses.hpp.
#include "src/runtime/pool/pool_uses.hpp"

#include <algorithm>

namespace warpwise::runtime {

Uses::Uses(std::shared_ptr<StreamCore> first, std::vector<std::shared_ptr<StreamCore>> more) {
    first_.core = std::move(first);
    more_.reserve(more.size());
    for (auto& core : more) {
        if (first_.core) {
            more_.push_back({std::move(core), 0});
        } else {
            first_.core = std::move(core);
        }
    }
}

void Uses::stamp(std::uint64_t first) noexcept {
    if (first_.core) first_.position = first != 0 ? first : first_.core->position();
    for (Use& use : more_) use.position = use.core->position();
}

const Use* Uses::find(const StreamCore* core) const noexcept {
    if (first_.core.get() == core) return &first_;
    const auto found =
        std::ranges::find_if(more_, [core](const Use& use) { return use.core.get() == core; });
    return found == more_.end() ? nullptr : &*found;
}

bool Uses::has_same_streams(const Uses& other) const noexcept {
    if (more_.size() != other.more_.size()) return false;
    return all_of([&](const Use& use) { return other.find(use.core.get()) != nullptr; }) &&
           empty() == other.empty();
}

void Uses::merge(const Uses& other) noexcept {
    const auto later = [&](Use& use) {
        if (const Use* theirs = other.find(use.core.get()); theirs != nullptr) {
            use.position = std::max(use.position, theirs->position);
        }
    };
    if (!empty()) later(first_);
    for (Use& use : more_) later(use);
}

}  // namespace warpwise::runtime
