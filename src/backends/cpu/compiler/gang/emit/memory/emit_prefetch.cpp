// Grid-stride loops. A gang walks through memory in steps as wide as the grid,
// over pages and past what processors see coming, so the loop itself asks for
// what it will read or write some iterations later. Steps known to the compiler are small
// ones, and left to the hardware.
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr unsigned kLineBytes = 64;

struct Walk {
    Value* step = nullptr;   // of the count, each iteration
    std::int64_t scale = 0;  // bytes for each one of it
};

// Without its widening, and the marker in loops that run while all lanes stay.
Value* plain_count(Value* value) {
    auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
    if (cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)) value = cast->getOperand(0);
    auto* call = llvm::dyn_cast<llvm::CallBase>(value);
    return call && is_call_of(*call, kWithoutWrap) ? call->getArgOperand(0) : value;
}

// The step of a count that `loop` increases by the same each iteration, unknown to
// the compiler.
Value* step_of(Value* count, const llvm::Loop& loop) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(plain_count(count));
    if (!phi || phi->getParent() != loop.getHeader()) return nullptr;
    auto* next = llvm::dyn_cast<Instruction>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
    if (!next || next->getOpcode() != Instruction::Add) return nullptr;
    for (unsigned side = 0; side < 2; ++side) {
        Value* step = next->getOperand(1 - side);
        bool is_walk = plain_count(next->getOperand(side)) == phi && loop.isLoopInvariant(step) &&
                       !llvm::isa<llvm::Constant>(step);
        if (is_walk) return step;
    }
    return nullptr;
}

std::optional<Walk> walk_of(Instruction& access, const llvm::Loop& loop) {
    auto* address =
        llvm::dyn_cast<llvm::GetElementPtrInst>(llvm::getLoadStorePointerOperand(&access));
    if (!address || !loop.isLoopInvariant(address->getPointerOperand())) return std::nullopt;
    llvm::MapVector<Value*, llvm::APInt> indices;
    llvm::APInt constant(64, 0);
    bool is_simple = llvm::cast<llvm::GEPOperator>(*address).collectOffset(access.getDataLayout(),
                                                                           64, indices, constant);
    if (!is_simple || indices.size() != 1) return std::nullopt;
    auto& [index, scale] = indices.front();
    Value* step = step_of(index, loop);
    if (!step) return std::nullopt;
    return Walk{step, scale.getSExtValue()};
}

}  // namespace

void MemoryEmitter::prefetch_ahead(Instruction& access) {
    const llvm::Loop* loop = plan_[state_.current].loop;
    if (!loop || !loop->getLoopLatch() || access.isVolatile()) return;
    std::optional<Walk> walk = walk_of(access, *loop);
    if (!walk || !shapes_.of(walk->step).is_uniform()) return;
    Value* step = builder_.CreateSExt(values_.scalar(walk->step, 0), builder_.getInt64Ty());
    Value* ahead =
        builder_.CreateMul(step, builder_.getInt64(costs::kPrefetchDistance * walk->scale));
    unsigned bytes = static_cast<unsigned>(data_.getTypeStoreSize(llvm::getLoadStoreType(&access)));
    Value* pointer = llvm::getLoadStorePointerOperand(&access);
    const unsigned is_write = llvm::isa<llvm::StoreInst>(access) ? 1 : 0;
    for (unsigned piece : values_.pieces_to_write()) {
        bool begins_line = piece * layout_.width * bytes % kLineBytes == 0;
        if (!begins_line && !layout_.has_rows()) continue;
        Value* place =
            builder_.CreateGEP(builder_.getInt8Ty(), values_.scalar(pointer, piece), ahead);
        builder_.CreateIntrinsic(
            llvm::Intrinsic::prefetch, {place->getType()},
            {place, builder_.getInt32(is_write), builder_.getInt32(3), builder_.getInt32(1)});
    }
}

}  // namespace warpwise::cpu_compiler::gang
