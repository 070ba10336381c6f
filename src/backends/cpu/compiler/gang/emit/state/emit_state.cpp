// Blocks and slots of the function being written.
#include "src/backends/cpu/compiler/gang/emit/state/emit_state.hpp"

namespace warpwise::cpu_compiler::gang {

EmitState::EmitState(const Subject& subject)
    : scalar(subject.scalar),
      gang(subject.gang),
      plan(subject.plan),
      shapes(subject.shapes),
      costs(subject.costs),
      target(subject.target),
      layout(subject.layout),
      has_all_lanes(subject.has_all_lanes),
      data(subject.scalar.getDataLayout()),
      lane_runs(shapes, layout),
      lane_periods(shapes, layout),
      own_elements(plan),
      builder(subject.scalar.getContext()),
      entry_builder(subject.scalar.getContext()) {}

llvm::BasicBlock* EmitState::new_block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(gang.getContext(), name, &gang);
}

llvm::AllocaInst* EmitState::new_slot(llvm::Type* type, const llvm::Twine& name) {
    llvm::IRBuilder<> slot_builder(entry, entry->begin());
    return slot_builder.CreateAlloca(type, nullptr, name);
}

llvm::FixedVectorType* EmitState::vector_of(llvm::Type* type) const {
    return llvm::FixedVectorType::get(type, layout.width);
}

std::optional<std::uint32_t> constant_of(const llvm::Value* value) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!constant) return std::nullopt;
    return static_cast<std::uint32_t>(constant->getZExtValue());
}

}  // namespace warpwise::cpu_compiler::gang
