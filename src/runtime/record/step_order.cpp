// A search backwards: what stands before a place does not come behind it.
#include <vector>

#include "src/runtime/graphs.hpp"

namespace warpwise::runtime {

bool comes_behind(const StepOrder& order, std::size_t later, std::size_t earlier) {
    if (later <= earlier) return later == earlier;
    std::vector<bool> seen(later - earlier);
    std::vector<std::size_t> open{later};
    while (!open.empty()) {
        const std::size_t place = open.back();
        open.pop_back();
        for (const std::size_t before : order[place]) {
            if (before == earlier) return true;
            if (before < earlier || seen[before - earlier]) continue;
            seen[before - earlier] = true;
            open.push_back(before);
        }
    }
    return false;
}

}  // namespace warpwise::runtime
