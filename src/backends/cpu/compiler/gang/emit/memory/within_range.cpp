// Compares with what is left to the end of the range.
#include "src/backends/cpu/compiler/gang/emit/memory/within_range.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

Value* is_within(llvm::IRBuilder<>& builder, Value* first, NoWrap kind, std::int64_t least,
                 std::int64_t most) {
    const unsigned bits = first->getType()->getIntegerBitWidth();
    const bool is_signed = kind == NoWrap::Signed;
    const llvm::APInt lowest =
        is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
    const llvm::APInt highest =
        is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    const auto number = [&](std::int64_t value) {
        return llvm::APInt(bits, static_cast<std::uint64_t>(value), true);
    };
    Value* within =
        builder.CreateICmp(is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE, first,
                           builder.getInt(highest - number(most)));
    if (least == 0) return within;
    return builder.CreateAnd(
        within, builder.CreateICmp(is_signed ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE,
                                   first, builder.getInt(lowest + number(-least))));
}

}  // namespace warpwise::cpu_compiler::gang
