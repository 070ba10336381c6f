// PTX's approximate functions, worked out in double: each is within what PTX promises. No branches,
// so that lanes share vector instructions.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

constexpr double kLn2 = 0.69314718055994530942;

Value* number(IRBuilder<>& b, double value) {
    return llvm::ConstantFP::get(b.getDoubleTy(), value);
}

// c[0] + c[1] x + c[2] x^2 ...
Value* polynomial(IRBuilder<>& b, Value* x, llvm::ArrayRef<double> c) {
    Value* sum = number(b, c.back());
    for (const double next : llvm::reverse(c.drop_back())) {
        sum = b.CreateIntrinsic(intrinsic::fma, {b.getDoubleTy()}, {sum, x, number(b, next)});
    }
    return sum;
}

// 2^x: the whole part goes into the exponent, the rest through the series of e^x.
Value* power_of_two(IRBuilder<>& b, Value* x) {
    constexpr double kFar = 300;  // beyond every float
    Value* bounded = b.CreateMinNum(b.CreateMaxNum(x, number(b, -kFar)), number(b, kFar));
    Value* whole = b.CreateUnaryIntrinsic(intrinsic::roundeven, bounded);
    Value* rest = b.CreateFMul(b.CreateFSub(bounded, whole), number(b, kLn2));
    Value* series = polynomial(
        b, rest, {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320});
    Value* exponent = b.CreateAdd(b.CreateFPToSI(whole, b.getInt64Ty()), b.getInt64(1023));
    Value* scale = b.CreateBitCast(b.CreateShl(exponent, 52), b.getDoubleTy());
    return b.CreateSelect(b.CreateFCmpUNO(x, x), x, b.CreateFMul(series, scale));
}

// The exponent, and the series of log((1 + s) / (1 - s)) for the rest, which lies around 1.
Value* binary_logarithm(IRBuilder<>& b, Value* x) {
    constexpr std::uint64_t kHalfRootOfTwo = 0x3FE6A09E667F3BCD, kMantissa = (1ULL << 52) - 1;
    Value* bits = b.CreateSub(b.CreateBitCast(x, b.getInt64Ty()), b.getInt64(kHalfRootOfTwo));
    Value* exponent = b.CreateAShr(bits, 52);
    Value* near_one = b.CreateBitCast(
        b.CreateAdd(b.CreateAnd(bits, kMantissa), b.getInt64(kHalfRootOfTwo)), b.getDoubleTy());
    Value* one = number(b, 1);
    Value* s = b.CreateFDiv(b.CreateFSub(near_one, one), b.CreateFAdd(near_one, one));
    Value* series = polynomial(b, b.CreateFMul(s, s),
                               {2 / kLn2, 2 / (3 * kLn2), 2 / (5 * kLn2), 2 / (7 * kLn2),
                                2 / (9 * kLn2), 2 / (11 * kLn2), 2 / (13 * kLn2)});
    Value* result =
        b.CreateFAdd(b.CreateSIToFP(exponent, b.getDoubleTy()), b.CreateFMul(s, series));
    Value* zero = number(b, 0);
    Value* infinite = llvm::ConstantFP::getInfinity(b.getDoubleTy());
    result = b.CreateSelect(b.CreateFCmpOEQ(x, infinite), infinite, result);
    result = b.CreateSelect(b.CreateFCmpOEQ(x, zero), b.CreateFNeg(infinite), result);
    // Less than nothing, and NaN.
    return b.CreateSelect(b.CreateFCmpULT(x, zero), llvm::ConstantFP::getNaN(b.getDoubleTy()),
                          result);
}

// Sine, or cosine a quarter of a turn further on.
Value* sine(IRBuilder<>& b, Value* x, bool is_cosine) {
    constexpr double kHalfPi = 1.57079632679489661923, kHalfPiRest = 6.123233995736766e-17;
    Value* turns =
        b.CreateUnaryIntrinsic(intrinsic::roundeven, b.CreateFMul(x, number(b, 1 / kHalfPi)));
    Value* r = x;
    for (const double part : {kHalfPi, kHalfPiRest}) {
        r = b.CreateIntrinsic(intrinsic::fma, {b.getDoubleTy()}, {turns, number(b, -part), r});
    }
    Value* quadrant =
        b.CreateIntrinsic(intrinsic::fptosi_sat, {b.getInt64Ty(), b.getDoubleTy()}, {turns});
    if (is_cosine) quadrant = b.CreateAdd(quadrant, b.getInt64(1));
    Value* square = b.CreateFMul(r, r);
    Value* odd = b.CreateFMul(
        r, polynomial(b, square,
                      {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800}));
    Value* even = polynomial(
        b, square,
        {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600});
    const auto has_bit = [&](std::uint64_t bit) {
        return b.CreateICmpNE(b.CreateAnd(quadrant, bit), b.getInt64(0));
    };
    Value* result = b.CreateSelect(has_bit(1), even, odd);
    return b.CreateSelect(has_bit(2), b.CreateFNeg(result), result);
}

Value* hyperbolic_tangent(IRBuilder<>& b, Value* x) {
    Value* square = power_of_two(b, b.CreateFMul(x, number(b, 2 / kLn2)));
    return b.CreateFSub(number(b, 1),
                        b.CreateFDiv(number(b, 2), b.CreateFAdd(square, number(b, 1))));
}

bool function(PtxStatement& at, const PtxInstruction& i) {
    Type* type = at.type_of(i.opcode.back());
    if (!type || !type->isFloatingPointTy() || i.operands.size() != 2) return false;
    Value* value = at.read(i.operands[1], type);
    if (!value) return false;
    IRBuilder<>& b = at.builder();
    Value* x = b.CreateFPCast(value, b.getDoubleTy());
    const StringRef name = i.opcode.front();
    Value* result = name == "ex2"    ? power_of_two(b, x)
                    : name == "lg2"  ? binary_logarithm(b, x)
                    : name == "tanh" ? hyperbolic_tangent(b, x)
                                     : sine(b, x, name == "cos");
    return at.write(i.operands[0], b.CreateFPCast(result, type));
}

}  // namespace

PtxRow find_function_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Cases("ex2", "lg2", "sin", "cos", "tanh", function)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
