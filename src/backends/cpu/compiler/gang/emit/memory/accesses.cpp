// Questions about loads and stores, answered without writing anything.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"

#include <llvm/Analysis/ValueTracking.h>

#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

// Elements that lie in a vector as they lie in memory.
bool is_plain(llvm::Type* type, const llvm::DataLayout& data) {
    bool is_element = type->isIntegerTy() || type->isPointerTy() || type->isFloatingPointTy();
    return is_element && data.getTypeSizeInBits(type) == data.getTypeAllocSizeInBits(type) &&
           data.getTypeSizeInBits(type) <= 64;
}

}  // namespace

bool is_contiguous(const EmitState& state, const llvm::Value* address, llvm::Type* type) {
    Shape shape = state.shapes.of(address);
    return shape.lane && is_plain(type, state.data) &&
           *shape.lane == static_cast<std::int64_t>(state.data.getTypeAllocSize(type));
}

bool has_plain_lanes(const EmitState& state, llvm::Instruction& access) {
    return is_plain(llvm::getLoadStoreType(&access), state.data);
}

bool can_gather(const EmitState& state, llvm::Type* type, llvm::Align alignment) {
    llvm::FixedVectorType* vector = state.vector_of(type);
    return is_plain(type, state.data) && state.costs.isLegalMaskedGather(vector, alignment) &&
           !state.costs.forceScalarizeMaskedGather(vector, alignment);
}

bool can_scatter(const EmitState& state, llvm::Type* type, llvm::Align alignment) {
    llvm::FixedVectorType* vector = state.vector_of(type);
    return is_plain(type, state.data) && state.costs.isLegalMaskedScatter(vector, alignment) &&
           !state.costs.forceScalarizeMaskedScatter(vector, alignment);
}

bool is_accessed_whole(const EmitState& state, llvm::Instruction& access) {
    return !state.target.has_mask_registers() &&
           is_in_shared(llvm::getLoadStorePointerOperand(&access));
}

bool is_row_of_bytes(const EmitState& state, llvm::LoadInst& load) {
    const llvm::Value* address = load.getPointerOperand();
    const Shape shape = state.shapes.of(address);
    const Layout& layout = state.layout;
    const bool is_masked = !state.target.has_mask_registers() && load.isSimple() &&
                           state.plan[state.current].may_lack_lanes;
    if (!is_masked || layout.pieces == 1 || !load.getType()->isIntegerTy(8) || !shape.row ||
        !is_contiguous(state, address, load.getType()) || is_in_shared(address)) {
        return false;
    }
    for (unsigned piece = 1; piece < layout.pieces; ++piece) {
        if (layout.offset(*shape.row, piece) != std::int64_t{piece} * layout.width) return false;
    }
    // Of an object that LLVM knows, what lies behind its end does not exist.
    return !llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(
        llvm::getUnderlyingObject(address, /*MaxLookup=*/0));
}

// AVX2's masked stores are microcode on AMD's processors, 12 cycles each on Zen 4.
bool can_leave_gaps(const EmitState& state, llvm::Instruction& store) {
    return state.target.has_mask_registers() || is_accessed_whole(state, store);
}

bool has_vector_form(const EmitState& state, llvm::LoadInst& load) {
    return !load.isAtomic() && (is_contiguous(state, load.getPointerOperand(), load.getType()) ||
                                can_gather(state, load.getType(), load.getAlign()));
}

bool has_vector_form(const EmitState& state, llvm::StoreInst& store) {
    llvm::Type* type = store.getValueOperand()->getType();
    return !store.isAtomic() && (is_contiguous(state, store.getPointerOperand(), type) ||
                                 can_scatter(state, type, store.getAlign()));
}

}  // namespace warpwise::cpu_compiler::gang
