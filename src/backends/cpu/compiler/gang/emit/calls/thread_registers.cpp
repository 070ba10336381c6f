// Gangs along x add the lane to threadIdx.x; linear ones divide the linear
// index, unless the block's shape shows that a vector stays in its row.
#include "src/backends/cpu/compiler/gang/emit/calls/thread_registers.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using namespace llvm::Intrinsic;
using cpu::kWarpSize;
using llvm::Value;

constexpr ID kBlockDim[] = {nvvm_read_ptx_sreg_ntid_x, nvvm_read_ptx_sreg_ntid_y,
                            nvvm_read_ptx_sreg_ntid_z};

}  // namespace

Value* ThreadRegisters::field(std::size_t offset) {
    return load_at(builder_, builder_.getInt32Ty(), thread_, offset);
}

llvm::Constant* ThreadRegisters::lane_numbers(unsigned piece, llvm::Type* type) const {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        numbers.push_back(llvm::ConstantInt::get(type, piece * layout_.width + lane));
    }
    return llvm::ConstantVector::get(numbers);
}

Value* ThreadRegisters::linear_index(unsigned piece) {
    Value* first =
        layout_.is_block ? builder_.getInt32(0) : field(offsetof(cpu::ThreadState, linear_index));
    if (layout_.has_rows()) {
        Value* row = builder_.CreateIntrinsic(kBlockDim[0], {}, {});
        first = builder_.CreateAdd(
            first, builder_.CreateMul(row, builder_.getInt32(piece / layout_.columns())));
        piece %= layout_.columns();
    }
    return builder_.CreateAdd(builder_.CreateVectorSplat(layout_.width, first),
                              lane_numbers(piece, builder_.getInt32Ty()));
}

// Of numbers below 2^16: adding a half keeps the quotient clear of integers by
// more than the rounding of float.
Value* ThreadRegisters::quotient(Value* dividend, Value* divisor) {
    llvm::Type* real = llvm::FixedVectorType::get(builder_.getFloatTy(), layout_.width);
    Value* half = llvm::ConstantFP::get(real, 0.5);
    Value* number = builder_.CreateFAdd(builder_.CreateSIToFP(dividend, real), half);
    Value* ratio = builder_.CreateFDiv(number, builder_.CreateSIToFP(divisor, real));
    return builder_.CreateFPToSI(ratio, dividend->getType());
}

Value* ThreadRegisters::thread_index(unsigned axis, unsigned piece) {
    Value* rest = linear_index(piece);
    for (unsigned i = 0;; ++i) {
        Value* extent = builder_.CreateVectorSplat(layout_.width,
                                                   builder_.CreateIntrinsic(kBlockDim[i], {}, {}));
        Value* next = quotient(rest, extent);
        if (i == axis) return builder_.CreateSub(rest, builder_.CreateMul(next, extent));
        rest = next;
        if (axis == 2 && i == 1) return rest;
    }
}

llvm::SmallVector<Value*, 4> ThreadRegisters::make(ID id) {
    Shape shape = *shape_of_register(id, layout_);
    std::optional<unsigned> axis = thread_axis_of(id);
    if (shape.has_scalars()) {
        Value* first = builder_.getInt32(0);  // of a gang that is a warp or a block
        bool is_known = id == nvvm_read_ptx_sreg_laneid || layout_.is_block;
        if (!is_known) first = builder_.CreateIntrinsic(id, {}, {});
        if (!shape.is_stepped()) return {first};
        return {builder_.CreateZExt(first, builder_.getInt64Ty())};
    }
    llvm::SmallVector<Value*, 4> parts;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        if (axis) {
            parts.push_back(thread_index(*axis, piece));
            continue;
        }
        Value* linear = linear_index(piece);
        if (id == nvvm_read_ptx_sreg_warpid) {
            parts.push_back(builder_.CreateLShr(linear, 5));
            continue;
        }
        Value* lane =
            builder_.CreateAnd(linear, llvm::ConstantInt::get(linear->getType(), kWarpSize - 1));
        parts.push_back(id == nvvm_read_ptx_sreg_laneid ? lane : lane_mask(builder_, id, lane));
    }
    return parts;
}

}  // namespace warpwise::cpu_compiler::gang
