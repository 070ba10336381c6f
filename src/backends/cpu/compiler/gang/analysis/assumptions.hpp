// Comparisons that nearly always come out alike for a whole gang, `i < n` of a guard above all. In
// a copy of the kernel they are constants, and what they guard needs no masks; scalar tests of the
// gang's outermost lanes choose that copy.
//
// Only comparisons of what a thread knows at its start take part: thread and block indices and
// parameters. They mean the same wherever in the kernel they stand.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

class Assumptions {
  public:
    // The function must outlive this. `shapes` need not.
    Assumptions(llvm::Function& scalar, const Plan& plan, const Shapes& shapes,
                const Layout& layout);

    bool empty() const { return assumed_.empty(); }
    // Whether all of them hold for a gang without missing lanes; `builder` stands in a function
    // with the parameters of `scalar`, which runs for the gang's first thread.
    llvm::Value* test(llvm::IRBuilder<>& builder) const;
    // A copy of the function in which they are constants, not simplified yet.
    llvm::Function* apply() const;

  private:
    struct Assumed {
        llvm::ICmpInst* comparison;
        bool value;
        // Of left minus right, over all lanes, beyond that of lane 0; and of each side.
        std::int64_t least, most, least_left, least_right;
    };

    void consider(llvm::ICmpInst& comparison, const Shapes& shapes, const Layout& layout);

    llvm::Function& scalar_;
    std::vector<Assumed> assumed_;
};

}  // namespace warpwise::cpu_compiler::gang
