// The form of a function that the vectoriser takes.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwise::cpu_compiler::gang {

// Vector values and struct values taken apart where that is easy; the function stays as good a
// scalar function as it was, for executor *reference*.
void take_apart(llvm::Function& function, llvm::TargetMachine& machine);

// One return, no switches, reducible loops with preheader and one latch, LCSSA. Address
// computations stand beside the accesses that use them.
void bring_to_normal_form(llvm::Function& function, llvm::TargetMachine& machine);

}  // namespace warpwise::cpu_compiler::gang
