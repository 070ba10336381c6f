// What emitters by kind of instruction have in common: the shared state under
// short names, and the calls of the run time that several of them write.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/masks.hpp"
#include "src/backends/cpu/compiler/gang/emit/state/values.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {

struct EmitContext {
    explicit EmitContext(const Subject& subject)
        : state(subject), values(state), masks(state, values) {}

    EmitState state;
    Values values;
    Masks masks;
};

class InstructionEmitter {
  protected:
    explicit InstructionEmitter(EmitContext& context)
        : context_(context),
          state_(context.state),
          values_(context.values),
          masks_(context.masks),
          builder_(context.state.builder),
          plan_(context.state.plan),
          shapes_(context.state.shapes),
          layout_(context.state.layout),
          data_(context.state.data),
          mask_(context.state.mask) {}

    llvm::Value* thread() const { return state_.thread(); }
    llvm::FixedVectorType* vector_of(llvm::Type* type) const { return state_.vector_of(type); }
    llvm::BasicBlock* new_block(const llvm::Twine& name) { return state_.new_block(name); }
    llvm::CallInst* call_service(const Service& service, llvm::Value* thread,
                                 llvm::ArrayRef<llvm::Value*> arguments);
    void store_field(llvm::Value* thread, std::size_t offset, llvm::Value* word);

    EmitContext& context_;
    EmitState& state_;
    Values& values_;
    Masks& masks_;
    llvm::IRBuilder<>& builder_;
    const Plan& plan_;
    const Shapes& shapes_;
    const Layout& layout_;
    const llvm::DataLayout& data_;
    const Parts& mask_;  // of the block being written
};

}  // namespace warpwise::cpu_compiler::gang
