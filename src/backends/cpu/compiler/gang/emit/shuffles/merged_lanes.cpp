// See merged_lanes.hpp.
#include "src/backends/cpu/compiler/gang/emit/shuffles/merged_lanes.hpp"

namespace warpwise::cpu_compiler::gang {

void MergedLanes::add(llvm::Value* source,
                      llvm::function_ref<std::optional<unsigned>(unsigned lane)> element_of) {
    const auto width = static_cast<unsigned>(filled_.size());
    llvm::SmallVector<int> from(width, llvm::PoisonMaskElem), joined;
    bool adds_any = false;
    for (unsigned lane = 0; lane < width; ++lane) {
        const std::optional<unsigned> element = filled_[lane] ? std::nullopt : element_of(lane);
        joined.push_back(static_cast<int>(element ? lane + width : lane));
        if (!element) continue;
        from[lane] = static_cast<int>(*element);
        filled_[lane] = adds_any = true;
    }
    if (!adds_any) return;
    llvm::Value* lanes = builder_.CreateShuffleVector(source, from);
    value_ = value_ ? builder_.CreateShuffleVector(value_, lanes, joined) : lanes;
}

}  // namespace warpwise::cpu_compiler::gang
