// A sorted list of pairs.
#include "src/script/narrow/differences.hpp"

#include <algorithm>
#include <utility>

namespace warpwise::script {
namespace {

constexpr Wide kFarthest = Wide{1} << 40;

std::pair<std::size_t, std::size_t> pair_of(const Difference& one) {
    return {one.first, one.second};
}

}  // namespace

std::optional<Wide> Differences::least(std::size_t first, std::size_t second) const {
    const std::pair pair(first, second);
    const auto found = std::ranges::lower_bound(all_, pair, {}, pair_of);
    const bool is_known = found != all_.end() && pair_of(*found) == pair;
    return is_known ? std::optional(found->least) : std::nullopt;
}

void Differences::keep(const Difference& known) {
    if (known.first == known.second || known.least < -kFarthest || known.least > kFarthest) return;
    const auto found = std::ranges::lower_bound(all_, pair_of(known), {}, pair_of);
    if (found != all_.end() && pair_of(*found) == pair_of(known)) {
        found->least = std::max(found->least, known.least);
    } else if (all_.size() < kMost) {
        all_.insert(found, known);
    }
}

void Differences::raise(const Difference& known) {
    std::vector<Difference> follow{known};
    for (const Difference& one : all_) {
        if (one.second == known.first) {
            follow.push_back({one.first, known.second, one.least + known.least});
        }
        if (one.first == known.second) {
            follow.push_back({known.first, one.second, known.least + one.least});
        }
    }
    for (const Difference& one : follow) keep(one);
}

void Differences::forget(std::size_t variable) {
    std::erase_if(all_, [variable](const Difference& one) {
        return one.first == variable || one.second == variable;
    });
}

}  // namespace warpwise::script
