// A topological order with a preference, and then loop by loop.
#include "src/backends/cpu/compiler/gang/block_order.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstrTypes.h>

#include "src/backends/cpu/compiler/gang/candidate.hpp"
#include "src/backends/cpu/compiler/lowering/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

class Ordering {
  public:
    Ordering(llvm::Function& function, const llvm::LoopInfo& loops) : loops_(loops) {
        order_by_meetings(function);
        for (const Loop* loop : loops.getLoopsInPreorder()) {
            preheaders_[loop->getLoopPreheader()] = loop;
        }
        place(nullptr);
    }

    const std::vector<BasicBlock*>& order() const { return order_; }

  private:
    bool is_back_edge(const BasicBlock* from, const BasicBlock* to) const {
        const Loop* loop = loops_.getLoopFor(to);
        return loop && loop->getHeader() == to && loop->contains(from);
    }

    // Blocks from which a meeting can be reached.
    static llvm::SmallPtrSet<const BasicBlock*, 16> leading_to_meetings(llvm::Function& function) {
        llvm::SmallPtrSet<const BasicBlock*, 16> found;
        llvm::SmallVector<const BasicBlock*, 16> work;
        for (const BasicBlock& block : function) {
            if (has_meeting(block) && found.insert(&block).second) work.push_back(&block);
        }
        while (!work.empty()) {
            for (const BasicBlock* before : llvm::predecessors(work.pop_back_val())) {
                if (found.insert(before).second) work.push_back(before);
            }
        }
        return found;
    }

    void order_by_meetings(llvm::Function& function) {
        const auto meeting = leading_to_meetings(function);
        const llvm::ReversePostOrderTraversal<llvm::Function*> traversal(&function);
        llvm::DenseMap<const BasicBlock*, unsigned> missing;  // ways in that are not placed yet
        for (const BasicBlock* block : traversal) {
            for (const BasicBlock* next : llvm::successors(block)) {
                if (!is_back_edge(block, next)) ++missing[next];
            }
        }
        std::vector<BasicBlock*> waiting(traversal.begin(), traversal.end());
        while (!waiting.empty()) {
            auto is_ready = [&](const BasicBlock* block) { return missing[block] == 0; };
            auto chosen = llvm::find_if(waiting, [&](const BasicBlock* block) {
                return is_ready(block) && !meeting.contains(block);
            });
            if (chosen == waiting.end()) chosen = llvm::find_if(waiting, is_ready);
            for (const BasicBlock* next : llvm::successors(*chosen)) {
                if (!is_back_edge(*chosen, next)) --missing[next];
            }
            topological_.push_back(*chosen);
            waiting.erase(chosen);
        }
    }

    void place(const Loop* region) {
        for (BasicBlock* block : topological_) {
            const Loop* loop = loops_.getLoopFor(block);
            if (loop == region) {
                if (!preheaders_.contains(block)) order_.push_back(block);
            } else if (loop && loop->getParentLoop() == region && loop->getHeader() == block) {
                order_.push_back(loop->getLoopPreheader());
                place(loop);
            }
        }
    }

    const llvm::LoopInfo& loops_;
    std::vector<BasicBlock*> topological_;
    llvm::DenseMap<const BasicBlock*, const Loop*> preheaders_;
    std::vector<BasicBlock*> order_;
};

}  // namespace

bool has_meeting(const BasicBlock& block) {
    return llvm::any_of(block, [](const llvm::Instruction& instruction) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const Service* service = call ? find_service(*call) : nullptr;
        return service && (is_warp_operation(service->name) || is_block_meeting(service->name));
    });
}

std::vector<BasicBlock*> block_order(llvm::Function& function, const llvm::LoopInfo& loops) {
    return Ordering(function, loops).order();
}

}  // namespace warpwise::cpu_compiler::gang
