// What single lanes compute, as scalar code: where a run of lanes begins, and whether the runs of a
// load are there.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <utility>

#include "src/backends/cpu/compiler/gang/emit/state/values.hpp"

namespace warpwise::cpu_compiler::gang {

class LaneScalars {
  public:
    // `runs`: that the lanes' values were followed by.
    LaneScalars(EmitState& state, Values& values, LaneRuns& runs)
        : runs_(runs),
          shapes_(state.shapes),
          layout_(state.layout),
          builder_(state.builder),
          values_(values) {}

    // Of what the runs were found by, as if no bound were reached.
    llvm::Value* of(llvm::Value* value, unsigned lane);
    // A bit: whether no bound is reached and no index wraps, as far as these lanes tell.
    llvm::Value* are_there(const RunsOfLoad& found, const llvm::BitVector& living);

  private:
    struct Range {  // of a run's living lanes, from the first of them on
        unsigned lane = 0;
        std::int64_t least = 0;
        std::int64_t most = 0;
    };
    std::vector<Range> ranges_of(llvm::Value* value, const llvm::BitVector& living);
    llvm::Value* is_unbounded(llvm::MinMaxIntrinsic& bound, const llvm::BitVector& living);
    llvm::Value* is_without_wrap(llvm::CastInst& widening, const llvm::BitVector& living);
    llvm::Value* write(llvm::Instruction& instruction, unsigned lane);

    LaneRuns& runs_;
    const Shapes& shapes_;
    const Layout& layout_;
    llvm::IRBuilder<>& builder_;
    Values& values_;
    llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, llvm::Value*> made_;
};

}  // namespace warpwise::cpu_compiler::gang
