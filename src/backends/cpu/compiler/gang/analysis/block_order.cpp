// A topological order with a preference, and then loop by loop.
#include "src/backends/cpu/compiler/gang/analysis/block_order.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstrTypes.h>

#include <set>
#include <utility>

#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

bool calls_service(const BasicBlock& block, bool (Service::*is_any_of)() const) {
    return llvm::any_of(block, [&](const llvm::Instruction& instruction) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const Service* service = call ? find_service(*call) : nullptr;
        return service && (service->*is_any_of)();
    });
}

class Ordering {
  public:
    Ordering(llvm::Function& function, const llvm::LoopInfo& loops) : loops_(loops) {
        order_by_convergence(function);
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

    // Of the blocks that may come next, the first that leads to no convergent operation; else the
    // first.
    void order_by_convergence(llvm::Function& function) {
        const BlockSet convergent = leading_to_convergent_operations(function);
        const llvm::ReversePostOrderTraversal<llvm::Function*> traversal(&function);
        const std::vector<BasicBlock*> blocks(traversal.begin(), traversal.end());
        llvm::DenseMap<const BasicBlock*, unsigned> place_of;
        std::vector<unsigned> missing(blocks.size());  // predecessors that are not placed yet
        for (unsigned i = 0; i < blocks.size(); ++i) place_of[blocks[i]] = i;
        for (const BasicBlock* block : blocks) {
            for (const BasicBlock* next : llvm::successors(block)) {
                if (!is_back_edge(block, next)) ++missing[place_of[next]];
            }
        }
        std::set<std::pair<bool, unsigned>> ready = {{false, 0}};
        while (!ready.empty()) {
            BasicBlock* block = blocks[ready.extract(ready.begin()).value().second];
            topological_.push_back(block);
            for (const BasicBlock* next : llvm::successors(block)) {
                if (is_back_edge(block, next)) continue;
                const unsigned place = place_of[next];
                if (--missing[place] == 0) ready.emplace(convergent.contains(next), place);
            }
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

bool has_barrier(const BasicBlock& block) {
    return calls_service(block, &Service::is_barrier);
}

bool has_convergent_operation(const BasicBlock& block) {
    return has_barrier(block) || calls_service(block, &Service::is_warp_operation);
}

BlockSet leading_to_convergent_operations(const llvm::Function& function) {
    BlockSet found;
    llvm::SmallVector<const BasicBlock*, 16> work;
    for (const BasicBlock& block : function) {
        if (has_convergent_operation(block) && found.insert(&block).second) work.push_back(&block);
    }
    while (!work.empty()) {
        for (const BasicBlock* before : llvm::predecessors(work.pop_back_val())) {
            if (found.insert(before).second) work.push_back(before);
        }
    }
    return found;
}

std::vector<BasicBlock*> block_order(llvm::Function& function, const llvm::LoopInfo& loops) {
    return Ordering(function, loops).order();
}

}  // namespace warpwise::cpu_compiler::gang
