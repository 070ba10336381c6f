// Sources of divergence: thread indices, results that depend on the order of lanes, local memory.
#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using namespace llvm::Intrinsic;

bool is_constant(const llvm::Value* value) {
    return llvm::isa<llvm::Constant>(value);
}

// Lanes of a warp that execute an operation with one mask for all of them get one answer.
bool is_mask_uniform(const llvm::Value* mask) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(mask);
    return is_constant(mask) || (call && is_service(*call, ServiceId::activemask));
}

bool is_uniform_service(const llvm::CallBase& call, const Service& service, const Layout& layout) {
    if (service.gives_warp_one_result()) {
        const std::optional<unsigned> mask = service.mask_argument();
        return layout.is_warp && (!mask || is_mask_uniform(call.getArgOperand(*mask)));
    }
    return service.id == ServiceId::barrier_reduce || service.kind == ServiceKind::Clock;
}

bool varies_by_itself(const llvm::CallBase& call, const Layout& layout) {
    if (const Service* service = find_service(call)) {
        return !service->is_pure() && !is_uniform_service(call, *service, layout);
    }
    for (const char* marker : {kAllBelow, kAnyBits, kWithoutWrap, kFirstLane, kTransposed}) {
        if (is_call_of(call, marker)) return false;
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isIntrinsic()) return true;
    switch (callee->getIntrinsicID()) {
        case nvvm_read_ptx_sreg_tid_x:
        case nvvm_read_ptx_sreg_laneid:
        case nvvm_read_ptx_sreg_lanemask_eq:
        case nvvm_read_ptx_sreg_lanemask_lt:
        case nvvm_read_ptx_sreg_lanemask_le:
        case nvvm_read_ptx_sreg_lanemask_gt:
        case nvvm_read_ptx_sreg_lanemask_ge:
            return true;
        case nvvm_read_ptx_sreg_tid_y:
            return layout.cut != Layout::Cut::AlongX;
        case nvvm_read_ptx_sreg_tid_z:
            return layout.is_linear();
        case nvvm_read_ptx_sreg_warpid:
            return !layout.is_warp;
        default:
            return false;
    }
}

class LaneDivergence : public llvm::TargetTransformInfoImplCRTPBase<LaneDivergence> {
  public:
    LaneDivergence(const llvm::DataLayout& target, const Layout& layout,
                   const llvm::DenseSet<const llvm::Value*>& divergent)
        : TargetTransformInfoImplCRTPBase(target), layout_(layout), divergent_(divergent) {}

    bool hasBranchDivergence(const llvm::Function* = nullptr) const { return true; }

    bool isSourceOfDivergence(const llvm::Value* value) const {
        if (divergent_.contains(value)) return true;
        if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) {
            return true;
        }
        auto* call = llvm::dyn_cast<llvm::CallBase>(value);
        return call && varies_by_itself(*call, layout_);
    }

    bool isAlwaysUniform(const llvm::Value* value) const {
        auto* call = llvm::dyn_cast<llvm::CallBase>(value);
        const Service* service = call ? find_service(*call) : nullptr;
        return (service && is_uniform_service(*call, *service, layout_)) ||
               is_call_of(*value, kAllBelow) || is_call_of(*value, kAnyBits) ||
               is_call_of(*value, kFirstLane) || is_quotient_of_gang(value, layout_);
    }

  private:
    Layout layout_;
    const llvm::DenseSet<const llvm::Value*>& divergent_;
};

}  // namespace

Uniformity::Uniformity(llvm::Function& function, const llvm::DominatorTree& tree,
                       const Layout& layout, const llvm::DenseSet<const llvm::Value*>& divergent)
    : target_(LaneDivergence(function.getDataLayout(), layout, divergent)) {
    cycles_.compute(function);
    info_ = llvm::UniformityInfo(tree, cycles_, &target_);
    info_.compute();
}

bool Uniformity::is_uniform(const llvm::Value& value) const {
    return info_.isUniform(&value);
}

bool Uniformity::is_divergent_branch(const llvm::BasicBlock& block) const {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    return branch && branch->isConditional() &&
           branch->getSuccessor(0) != branch->getSuccessor(1) &&
           info_.isDivergent(branch->getCondition());
}

}  // namespace warpwise::cpu_compiler::gang
