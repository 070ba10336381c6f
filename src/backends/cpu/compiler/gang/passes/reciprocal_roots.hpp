// 1 / sqrt(x) without a division, and with the same bits: the processor's divider, which takes
// roots and quotients one after the other, is left with the roots.
//
// The reciprocal of a root is refined from the processor's estimate by Newton's steps with fused
// operations. Markstein's theorem (P. Markstein, "IA-64 and Elementary Functions", 2000, section
// 8.3) makes the last one exact: where y is less than one unit in the last place from 1 / s,
// y + y (1 - s y) rounds to the nearest, but for an s whose fraction is all ones, which needs y
// from above. So the step before rounds upwards. A root of a float is neither subnormal nor large
// enough for its reciprocal to be: only 0, infinity and NaN are beside this, and the estimate is
// right there.
#pragma once

#include <llvm/IR/Function.h>

namespace warpwise::cpu_compiler::gang {

// Of a finished gang function for a processor with AVX-512.
void refine_reciprocal_roots(llvm::Function& gang);

}  // namespace warpwise::cpu_compiler::gang
