// Values that a thread knows at its start: of its index, of parameters and of the grid. They mean
// the same wherever in the kernel they stand, and may be made again where a form is chosen.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {

// Whether a thread knows the value at its start, and whether it depends on more than its index.
struct Origin {
    bool is_known = false;
    bool is_of_launch = false;
};

Origin origin_of(const llvm::Value* value, unsigned depth = 0);

// What a condition says where `above` is above 0; divisions ask that of their divisors.
std::optional<bool> outcome_of(llvm::Value* condition, llvm::Value* above);

// Of a divisor that is not 0 whatever the kernel is given: what it is where that is above 0.
llvm::Value* usual_divisor(llvm::Value* divisor);

// Makes, for the first thread of the gang or of its row of data (ThreadState::row_thread), the
// values that comparisons and quotients are of. Without the
// promises that hold only where the kernel itself would compute them. The builder stands in a
// function with the parameters of the kernel.
class Repetition {
  public:
    enum class Thread : bool { FirstOfGang, FirstOfRow };

    explicit Repetition(llvm::IRBuilder<>& builder, Thread thread = Thread::FirstOfGang)
        : builder_(builder), thread_(thread), are_defined_(builder.getTrue()) {}

    // Whether all divisions had divisors above 0; others were by 1.
    llvm::Value* are_defined() const { return are_defined_; }
    llvm::Value* of(llvm::Value* value);
    llvm::Value* divisor_of(llvm::Value* divisor);

  private:
    llvm::Value* first_of_row();

    llvm::IRBuilder<>& builder_;
    const Thread thread_;
    llvm::Value* are_defined_;
    llvm::DenseMap<llvm::Value*, llvm::Value*> made_;
};

}  // namespace warpwise::cpu_compiler::gang
