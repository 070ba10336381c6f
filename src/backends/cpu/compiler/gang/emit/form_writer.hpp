// Writes all gang functions of one kernel that a layout asks for, and what chooses among them: a
// gang without missing lanes needs no masks until its lanes part, and a warp that stands in one row
// of its block has threadIdx.x in ascending order.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

#include "src/backends/cpu/compiler/gang/analysis/analysis.hpp"
#include "src/backends/cpu/compiler/gang/analysis/assumptions.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"

namespace warpwise::cpu_compiler::gang {

class FormWriter {
  public:
    // `tree` and `loops` are those of `scalar`, which is left as it is. All must outlive this.
    FormWriter(llvm::Function& scalar, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
               const CallGraph& graph, llvm::TargetMachine& machine);

    // The function to call. `analysis` is of the kernel in that layout.
    llvm::Function* write(const Analysis& analysis, const Layout& layout);
    // The same without copies for what gangs are most of the time: less code, and slower.
    llvm::Function* write_alone(const Analysis& analysis, const Layout& layout) {
        return write_one(scalar_, analysis, layout, layout.is_always_full());
    }
    // Instructions, of a thousand, that run for one lane after the other in the form that was
    // written last, which is the one that runs most.
    std::uint64_t lane_by_lane() const { return lane_by_lane_; }
    // Bytes that a gang keeps over its barriers, where the layout says that it is cut at them.
    std::uint64_t frame_bytes() const { return frame_bytes_; }

  private:
    llvm::Function* write_with_copies(const Analysis& analysis, const Layout& layout);
    llvm::Function* write_quick_copy(const Assumptions& assumptions, const Layout& layout);
    llvm::Function* write_one(llvm::Function& source, const Analysis& analysis,
                              const Layout& layout, bool has_all_lanes);

    llvm::Function& scalar_;
    llvm::DominatorTree& tree_;
    llvm::LoopInfo& loops_;
    const CallGraph& graph_;
    llvm::TargetMachine& machine_;
    const llvm::TargetTransformInfo target_;
    std::uint64_t lane_by_lane_ = 0;
    std::uint64_t frame_bytes_ = 0;
};

}  // namespace warpwise::cpu_compiler::gang
