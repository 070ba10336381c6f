// Gathers and scatters of which the mask, a constant by now, leaves a lane or two. A scatter takes
// some fifty cycles however few lanes it has: these become scalar accesses. The usual case is
// `if (threadIdx.x == 0)` in a kernel for a known block.
//
// Lanes in ascending order, as they write in a scatter.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;
using Lanes = llvm::SmallVector<unsigned, 2>;

// Nothing when there are more than a few, or their number is unknown.
std::optional<Lanes> few_lanes(const Value* mask) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
    if (!constant) return std::nullopt;
    Lanes lanes;
    auto width = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    for (unsigned lane = 0; lane < width; ++lane) {
        const llvm::Constant* bit = constant->getAggregateElement(lane);
        if (!bit || (!bit->isOneValue() && !bit->isNullValue())) return std::nullopt;
        if (bit->isOneValue()) lanes.push_back(lane);
    }
    if (lanes.empty() || lanes.size() > costs::kFewLanes) return std::nullopt;
    return lanes;
}

Value* element(llvm::IRBuilder<>& builder, Value* vector, unsigned lane) {
    if (Value* known = llvm::findScalarElement(vector, lane)) return known;
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(vector);
    if (!address) return builder.CreateExtractElement(vector, lane);
    auto part = [&](Value* operand) {
        return operand->getType()->isVectorTy() ? element(builder, operand, lane) : operand;
    };
    llvm::SmallVector<Value*, 4> indices;
    for (Value* index : address->indices()) indices.push_back(part(index));
    return builder.CreateGEP(address->getSourceElementType(), part(address->getPointerOperand()),
                             indices);
}

void scatter(llvm::IntrinsicInst& call, const Lanes& lanes) {
    llvm::IRBuilder<> builder(&call);
    Value *values = call.getArgOperand(0), *addresses = call.getArgOperand(1);
    llvm::Align alignment =
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getMaybeAlignValue().valueOrOne();
    for (unsigned lane : lanes) {
        builder.CreateAlignedStore(element(builder, values, lane),
                                   element(builder, addresses, lane), alignment);
    }
}

Value* gather(llvm::IntrinsicInst& call, const Lanes& lanes) {
    llvm::IRBuilder<> builder(&call);
    Value* addresses = call.getArgOperand(0);
    llvm::Align alignment =
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getMaybeAlignValue().valueOrOne();
    Value* result = call.getArgOperand(3);
    llvm::Type* type = call.getType()->getScalarType();
    for (unsigned lane : lanes) {
        Value* loaded =
            builder.CreateAlignedLoad(type, element(builder, addresses, lane), alignment);
        result = builder.CreateInsertElement(result, loaded, lane);
    }
    return result;
}

}  // namespace

PreservedAnalyses access_few_lanes(llvm::Function& gang, GangContext&) {
    bool has_changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(gang))) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (!call) continue;
        bool is_scatter = call->getIntrinsicID() == llvm::Intrinsic::masked_scatter;
        bool is_gather = call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
        if (!is_scatter && !is_gather) continue;
        std::optional<Lanes> lanes = few_lanes(call->getArgOperand(is_scatter ? 3 : 2));
        if (!lanes) continue;
        if (is_scatter) {
            scatter(*call, *lanes);
        } else {
            call->replaceAllUsesWith(gather(*call, *lanes));
        }
        call->eraseFromParent();
        has_changed = true;
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
