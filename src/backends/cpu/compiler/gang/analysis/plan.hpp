// The control flow of a gang: in which order blocks run, where lanes may be waiting for a later
// block (pending) meanwhile, and which blocks must test whether any lane has come at all.
//
// A gang visits each block once per iteration of its loop, in an order in which every block stands
// after its predecessors. Lanes whose next block is further on wait there. After a block the
// gang goes on to the first block that is wanted.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"

namespace warpwise::cpu_compiler::gang {

inline constexpr unsigned kNoBlock = ~0u;

// Where the gang goes after a block: to `target`; or, when `tested` and no lane goes there, on to
// the first of `rest`. kNoBlock: it returns.
struct Jump {
    unsigned target = kNoBlock;
    llvm::BitVector rest;
    bool is_tested = false;
    bool is_certain = false;  // a lane goes to `target`
};

struct PlannedBlock {
    llvm::BasicBlock* block = nullptr;
    const llvm::Loop* loop = nullptr;
    bool is_header = false;
    bool has_divergent_branch = false;
    // The block whose mask is this one's too: itself, or a dominator it is equivalent to.
    unsigned mask_owner = 0;
    llvm::BitVector pending;      // blocks where lanes may wait while this one runs
    bool may_lack_lanes = false;  // that have started: a branch of their own has led to it
    bool may_be_empty = false;
    bool is_unlikely = false;          // hardly any thread gets there
    bool is_guarded = false;           // tests first
    bool notes_lanes = false;          // reports to the run time which lanes run: it may fault
    bool leads_to_convergent = false;  // a barrier or warp operation may follow
};

class Plan {
  public:
    Plan(llvm::Function& function, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
         const Uniformity& uniformity);

    const std::vector<PlannedBlock>& blocks() const { return blocks_; }
    const PlannedBlock& operator[](unsigned index) const { return blocks_[index]; }
    unsigned index_of(const llvm::BasicBlock* block) const { return index_.lookup(block); }

    bool is_divergent(const llvm::Loop* loop) const { return divergent_loops_.contains(loop); }
    // Whether lanes on the edge from `from` to `to` join others there, rather than being the first.
    bool joins(unsigned from, unsigned to) const;
    // After `from`, whose lanes go to `successors` (none: they have ended).
    Jump jump(unsigned from, llvm::ArrayRef<unsigned> successors) const;
    // When `from` turns out to be empty.
    Jump skip(unsigned from) const;
    // Whether an access may run more than once for a lane, or is an atomic one.
    bool has_loops_or_atomics() const;
    // Whether lanes may stand at a barrier or warp operation while others may yet come to one.
    bool has_divergent_operations() const;
    // The same, at a barrier.
    bool has_divergent_barriers() const;
    // Whether lanes that have left a loop, reach no convergent operation, but access memory before
    // they end, may wait while others pass a barrier of it: then they would see what is
    // written behind that.
    bool leaves_work_behind_barriers() const;
    // Phis that `uniformity` takes for uniform although lanes with different values join there:
    // LLVM's analysis misses some joins behind loops that lanes leave one by one.
    std::vector<const llvm::PHINode*> misjudged_phis(const Uniformity& uniformity) const;

  private:
    void order_blocks(llvm::Function& function, const llvm::LoopInfo& loops);
    void find_divergent_loops(const llvm::DominatorTree& tree, const llvm::LoopInfo& loops);
    void share_masks(const llvm::DominatorTree& tree);
    bool is_equivalent(unsigned dominator, unsigned block) const;
    void find_missing_lanes();
    void flow_pending();
    void find_guards();
    void find_convergent_operations(const llvm::Function& function);
    void find_notes();
    std::vector<std::vector<unsigned>> ways_out(unsigned from) const;

    std::vector<PlannedBlock> blocks_;
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> index_;
    llvm::DenseSet<const llvm::Loop*> divergent_loops_;
};

}  // namespace warpwise::cpu_compiler::gang
