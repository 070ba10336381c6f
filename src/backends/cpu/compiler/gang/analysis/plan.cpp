// The rules of the plan. Those that look arbitrary were found by random kernels.
#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ProfDataUtils.h>

#include "src/backends/cpu/compiler/gang/analysis/block_order.hpp"
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Loop;

bool is_division(const llvm::Instruction& instruction) {
    return instruction.isIntDivRem();
}

bool needs_a_lane(const BasicBlock& block) {
    for (const llvm::Instruction& instruction : block) {
        if (instruction.mayReadOrWriteMemory() || is_division(instruction)) return true;
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && !llvm::isa<llvm::IntrinsicInst>(call)) return true;
    }
    return false;
}

// Whether anything in the block or behind it reads or writes memory that others may see.
bool touches_memory_from(const BasicBlock& start) {
    return llvm::any_of(llvm::depth_first(&start), [](const BasicBlock* block) {
        return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
            return instruction.mayReadOrWriteMemory() && !instruction.isLifetimeStartOrEnd() &&
                   !instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
        });
    });
}

// Whether the branch before it says that hardly any thread gets there.
bool is_unlikely_block(const BasicBlock& block) {
    const BasicBlock* before = block.getSinglePredecessor();
    auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    std::uint64_t yes = 0, no = 0;
    if (!branch || !llvm::extractBranchWeights(*branch, yes, no)) return false;
    const bool is_first = branch->getSuccessor(0) == &block;
    return (is_first ? yes : no) * costs::kUsually <= (is_first ? no : yes);
}

}  // namespace

Plan::Plan(llvm::Function& function, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
           const Uniformity& uniformity) {
    order_blocks(function, loops);
    for (PlannedBlock& planned : blocks_) {
        planned.has_divergent_branch = uniformity.is_divergent_branch(*planned.block);
        planned.is_unlikely = is_unlikely_block(*planned.block);
    }
    find_divergent_loops(tree, loops);
    share_masks(tree);
    find_missing_lanes();
    flow_pending();
    find_guards();
    find_convergent_operations(function);
    find_notes();
}

void Plan::order_blocks(llvm::Function& function, const llvm::LoopInfo& loops) {
    const std::vector<BasicBlock*> order = block_order(function, loops);
    blocks_.reserve(order.size());
    for (BasicBlock* block : order) {
        PlannedBlock planned;
        planned.block = block;
        planned.loop = loops.getLoopFor(block);
        planned.is_header = planned.loop && planned.loop->getHeader() == block;
        planned.mask_owner = static_cast<unsigned>(blocks_.size());
        index_[block] = planned.mask_owner;
        blocks_.push_back(std::move(planned));
    }
    for (PlannedBlock& planned : blocks_) planned.pending.resize(blocks_.size());
}

// Lanes leave such a loop one by one.
void Plan::find_divergent_loops(const llvm::DominatorTree& tree, const llvm::LoopInfo& loops) {
    for (const Loop* loop : loops.getLoopsInPreorder()) {
        bool has_divergent_branch = llvm::any_of(loop->blocks(), [&](const BasicBlock* block) {
            return blocks_[index_of(block)].has_divergent_branch;
        });
        llvm::SmallVector<BasicBlock*, 4> exiting;
        loop->getExitingBlocks(exiting);
        // An exit inside a loop of this one is passed several times in an iteration, by fewer lanes
        // each time.
        bool is_divergent = llvm::any_of(exiting, [&](const BasicBlock* block) {
            const PlannedBlock& exit = blocks_[index_of(block)];
            bool is_passed_once = exit.loop == loop && tree.dominates(block, loop->getLoopLatch());
            return exit.has_divergent_branch || (has_divergent_branch && !is_passed_once);
        });
        if (is_divergent) divergent_loops_.insert(loop);
    }
}

void Plan::share_masks(const llvm::DominatorTree& tree) {
    for (unsigned index = 1; index < blocks_.size(); ++index) {
        PlannedBlock& planned = blocks_[index];
        if (planned.is_header) {
            // All lanes that come in go round together.
            unsigned before = index_of(planned.loop->getLoopPreheader());
            if (!is_divergent(planned.loop)) planned.mask_owner = blocks_[before].mask_owner;
            continue;
        }
        auto* node = tree.getNode(planned.block)->getIDom();
        while (node && blocks_[index_of(node->getBlock())].loop != planned.loop) {
            node = node->getIDom();
        }
        if (!node) continue;
        unsigned dominator = index_of(node->getBlock());
        if (is_equivalent(dominator, index)) planned.mask_owner = blocks_[dominator].mask_owner;
    }
}

// Whether every lane that runs `dominator` comes to `block` in the same iteration of their loop.
bool Plan::is_equivalent(unsigned dominator, unsigned block) const {
    const Loop* loop = blocks_[dominator].loop;
    llvm::SmallPtrSet<const BasicBlock*, 16> seen;
    llvm::SmallVector<const BasicBlock*, 16> work{blocks_[dominator].block};
    while (!work.empty()) {
        const BasicBlock* at = work.pop_back_val();
        if (llvm::succ_empty(at)) return false;
        for (const BasicBlock* next : llvm::successors(at)) {
            if (next == blocks_[block].block || !seen.insert(next).second) continue;
            bool leaves = loop && !loop->contains(next);
            bool repeats = loop && next == loop->getHeader();
            if (leaves || repeats) return false;
            work.push_back(next);
        }
    }
    return true;
}

// To a fixed point: a block has all lanes that have started if each edge to it has, or if it has
// the mask of one that does.
void Plan::find_missing_lanes() {
    auto lacks_lanes = [&](const PlannedBlock& planned, unsigned index) {
        if (planned.mask_owner != index) return blocks_[planned.mask_owner].may_lack_lanes;
        return llvm::any_of(llvm::predecessors(planned.block), [&](const BasicBlock* before) {
            const PlannedBlock& from = blocks_[index_of(before)];
            return from.may_lack_lanes || from.has_divergent_branch;
        });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned index = 1; index < blocks_.size(); ++index) {
            if (blocks_[index].may_lack_lanes || !lacks_lanes(blocks_[index], index)) continue;
            blocks_[index].may_lack_lanes = changed = true;
        }
    }
}

std::vector<std::vector<unsigned>> Plan::ways_out(unsigned from) const {
    std::vector<unsigned> successors;
    for (const BasicBlock* next : llvm::successors(blocks_[from].block)) {
        successors.push_back(index_of(next));
    }
    if (blocks_[from].has_divergent_branch || successors.size() < 2) return {successors};
    std::vector<std::vector<unsigned>> edges;
    edges.reserve(successors.size());
    for (unsigned next : successors) edges.push_back({next});
    return edges;
}

bool Plan::joins(unsigned from, unsigned to) const {
    if (blocks_[to].is_header) return false;
    if (blocks_[from].pending.test(to)) return true;
    for (const Loop* loop = blocks_[from].loop; loop && !loop->contains(blocks_[to].block);
         loop = loop->getParentLoop()) {
        if (is_divergent(loop)) return true;
    }
    return false;
}

Jump Plan::jump(unsigned from, llvm::ArrayRef<unsigned> successors) const {
    const PlannedBlock& planned = blocks_[from];
    Jump jump;
    jump.rest = planned.pending;
    for (unsigned next : successors) jump.rest.set(next);
    int first = jump.rest.find_first();
    if (first < 0) return jump;
    jump.target = static_cast<unsigned>(first);
    jump.rest.reset(jump.target);
    bool has_lane = !planned.may_be_empty || planned.is_guarded;
    jump.is_certain = has_lane && successors.size() == 1 && successors[0] == jump.target;
    const Loop* loop = planned.loop;
    if (jump.is_certain || !loop || !is_divergent(loop)) return jump;
    if (!loop->contains(blocks_[jump.target].block)) return jump;
    // With no other lane in the loop, the gang leaves it when none has the target as successor.
    bool others_inside = llvm::any_of(
        jump.rest.set_bits(), [&](unsigned other) { return loop->contains(blocks_[other].block); });
    jump.is_tested = !others_inside && jump.rest.any();
    return jump;
}

Jump Plan::skip(unsigned from) const {
    Jump jump;
    jump.rest = blocks_[from].pending;
    int first = jump.rest.find_first();
    if (first < 0) return jump;
    jump.target = static_cast<unsigned>(first);
    jump.rest.reset(jump.target);
    return jump;
}

// To a fixed point: what may be pending only grows.
void Plan::flow_pending() {
    for (PlannedBlock& planned : blocks_) planned.may_be_empty = true;  // until find_guards()
    for (PlannedBlock& planned : blocks_) {
        if (!planned.is_header || !is_divergent(planned.loop)) continue;
        llvm::SmallVector<BasicBlock*, 4> exits;
        planned.loop->getUniqueExitBlocks(exits);
        for (const BasicBlock* exit : exits) planned.pending.set(index_of(exit));
    }
    bool changed = true;
    auto arrive = [&](unsigned target, BitVector waiting) {
        if (target == kNoBlock) return;
        waiting.reset(target);
        BitVector& pending = blocks_[target].pending;
        if (!waiting.test(pending)) return;  // nothing new
        pending |= waiting;
        changed = true;
    };
    while (changed) {
        changed = false;
        for (unsigned from = 0; from < blocks_.size(); ++from) {
            Jump empty = skip(from);
            arrive(empty.target, empty.rest);
            for (const auto& successors : ways_out(from)) {
                Jump taken = jump(from, successors);
                arrive(taken.target, taken.rest);
                if (taken.target == kNoBlock || !taken.rest.any()) continue;
                arrive(static_cast<unsigned>(taken.rest.find_first()), taken.rest);
            }
        }
    }
}

// Optimistic: all blocks are certain to have a lane until an edge is found that leads to one
// without.
void Plan::find_guards() {
    for (PlannedBlock& planned : blocks_) planned.may_be_empty = planned.is_guarded = false;
    auto needs_guard = [&](const PlannedBlock& planned) {
        if (!planned.may_be_empty) return false;
        const Loop* next = nullptr;
        if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(planned.block->getTerminator())) {
            if (branch->isConditional() && !planned.has_divergent_branch) return true;
            unsigned successor = index_of(branch->getSuccessor(0));
            if (blocks_[successor].is_header) next = blocks_[successor].loop;
        }
        bool is_preheader = next && !next->contains(planned.block);
        return is_preheader || planned.is_header || planned.is_unlikely ||
               needs_a_lane(*planned.block);
    };
    bool changed = true;
    auto doubt = [&](unsigned target) {
        if (target == kNoBlock || blocks_[target].may_be_empty) return;
        blocks_[target].may_be_empty = true;
        changed = true;
    };
    while (changed) {
        changed = false;
        for (unsigned from = 0; from < blocks_.size(); ++from) {
            blocks_[from].is_guarded = needs_guard(blocks_[from]);
            if (blocks_[from].is_guarded) doubt(skip(from).target);
            for (const auto& successors : ways_out(from)) {
                Jump taken = jump(from, successors);
                if (!taken.is_certain && !taken.is_tested) doubt(taken.target);
                if (taken.is_tested) doubt(static_cast<unsigned>(taken.rest.find_first()));
            }
        }
    }
}

bool Plan::has_loops_or_atomics() const {
    return llvm::any_of(blocks_, [](const PlannedBlock& planned) {
        return planned.is_header ||
               llvm::any_of(*planned.block, [](const llvm::Instruction& instruction) {
                   return instruction.isAtomic();
               });
    });
}

bool Plan::has_divergent_operations() const {
    return llvm::any_of(blocks_, [&](const PlannedBlock& planned) {
        return has_convergent_operation(*planned.block) &&
               llvm::any_of(planned.pending.set_bits(),
                            [&](unsigned other) { return blocks_[other].leads_to_convergent; });
    });
}

bool Plan::has_divergent_barriers() const {
    return llvm::any_of(blocks_, [&](const PlannedBlock& planned) {
        return has_barrier(*planned.block) &&
               llvm::any_of(planned.pending.set_bits(),
                            [&](unsigned other) { return blocks_[other].leads_to_convergent; });
    });
}

std::vector<const llvm::PHINode*> Plan::misjudged_phis(const Uniformity& uniformity) const {
    std::vector<const llvm::PHINode*> found;
    auto changes_inside = [&](const llvm::Value* value, const BasicBlock* from, unsigned to) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        if (!instruction) return false;
        for (const Loop* loop = blocks_[index_of(from)].loop;
             loop && !loop->contains(blocks_[to].block); loop = loop->getParentLoop()) {
            if (is_divergent(loop) && loop->contains(instruction)) return true;
        }
        return false;
    };
    for (unsigned to = 0; to < blocks_.size(); ++to) {
        for (const llvm::PHINode& phi : blocks_[to].block->phis()) {
            if (!uniformity.is_uniform(phi)) continue;
            bool joins_lanes = false, is_temporal = false;
            llvm::SmallPtrSet<const llvm::Value*, 4> values;
            for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
                const llvm::Value* value = phi.getIncomingValue(i);
                if (!llvm::isa<llvm::UndefValue>(value)) values.insert(value);
                joins_lanes |= joins(index_of(phi.getIncomingBlock(i)), to);
                is_temporal |= changes_inside(value, phi.getIncomingBlock(i), to);
            }
            if ((joins_lanes && values.size() > 1) || is_temporal) found.push_back(&phi);
        }
    }
    return found;
}

void Plan::find_convergent_operations(const llvm::Function& function) {
    const BlockSet leading = leading_to_convergent_operations(function);
    for (PlannedBlock& planned : blocks_)
        planned.leads_to_convergent = leading.contains(planned.block);
}

bool Plan::leaves_work_behind_barriers() const {
    return llvm::any_of(blocks_, [&](const PlannedBlock& planned) {
        return planned.loop && has_barrier(*planned.block) &&
               llvm::any_of(planned.pending.set_bits(), [&](unsigned other) {
                   const PlannedBlock& behind = blocks_[other];
                   return !planned.loop->contains(behind.block) && !behind.leads_to_convergent &&
                          touches_memory_from(*behind.block);
               });
    });
}

// The active lanes are reported to the run time once, and again where others run; at the start it
// has them.
void Plan::find_notes() {
    constexpr unsigned kUnvisited = kNoBlock, kUnknown = kNoBlock - 1;
    std::vector<unsigned> known(blocks_.size(), kUnvisited);
    known[0] = blocks_[0].mask_owner;
    bool changed = true;
    auto arrive = [&](unsigned from, unsigned target, unsigned owner) {
        if (target == kNoBlock) return;
        // The next iteration has masks of its own.
        bool is_repeated = target <= from && owner < blocks_.size() &&
                           blocks_[target].loop->contains(blocks_[owner].block);
        if (is_repeated) owner = kUnknown;
        unsigned& before = known[target];
        unsigned met = before == kUnvisited || before == owner ? owner : kUnknown;
        if (met == before) return;
        before = met;
        changed = true;
    };
    while (changed) {
        changed = false;
        for (unsigned from = 0; from < blocks_.size(); ++from) {
            if (known[from] == kUnvisited) continue;
            PlannedBlock& planned = blocks_[from];
            if (planned.is_guarded) arrive(from, skip(from).target, known[from]);
            bool may_fault = llvm::any_of(*planned.block, [](const llvm::Instruction& instruction) {
                return instruction.mayReadOrWriteMemory();
            });
            planned.notes_lanes = may_fault && known[from] != planned.mask_owner;
            unsigned after = may_fault ? planned.mask_owner : known[from];
            for (const auto& successors : ways_out(from)) {
                Jump taken = jump(from, successors);
                arrive(from, taken.target, after);
                if (taken.is_tested) {
                    arrive(from, static_cast<unsigned>(taken.rest.find_first()), after);
                }
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler::gang
