// Gangs along x add the lane to threadIdx.x; linear ones divide the linear index, unless the
// block's shape shows that a vector stays in its row.
#include "src/backends/cpu/compiler/gang/layout/thread_registers.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using namespace llvm::Intrinsic;
using cpu::kWarpSize;
using llvm::Value;

constexpr ID kThreadIndex[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y,
                               nvvm_read_ptx_sreg_tid_z};
constexpr ID kBlockIndex[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                              nvvm_read_ptx_sreg_ctaid_z};
constexpr ID kBlockDim[] = {nvvm_read_ptx_sreg_ntid_x, nvvm_read_ptx_sreg_ntid_y,
                            nvvm_read_ptx_sreg_ntid_z};

bool is_read_of(const Value* value, ID id) {
    auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    return read && read->getIntrinsicID() == id;
}

bool is_product_of(const Value* value, ID a, ID b) {
    auto* product = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!product || product->getOpcode() != llvm::Instruction::Mul) return false;
    const Value *left = product->getOperand(0), *right = product->getOperand(1);
    return (is_read_of(left, a) && is_read_of(right, b)) ||
           (is_read_of(left, b) && is_read_of(right, a));
}

std::optional<unsigned> axis_of(ID id) {
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (id == kThreadIndex[axis]) return axis;
    }
    return std::nullopt;
}

Shape shape_of_thread_index(unsigned axis, const Layout& layout) {
    if (layout.is_linear()) return Shape::varying();
    if (axis == 0) return {PieceStep{layout.width, 0}, 1, true};
    if (axis == 1 && layout.has_rows()) return {PieceStep{0, 1}, 0, true};
    return Shape::uniform();
}

}  // namespace

std::optional<Shape> shape_of_register(ID id, const Layout& layout) {
    if (std::optional<unsigned> axis = axis_of(id)) return shape_of_thread_index(*axis, layout);
    switch (id) {
        case nvvm_read_ptx_sreg_laneid:
            return layout.is_warp ? Shape{PieceStep{layout.width, 0}, 1, true} : Shape::varying();
        case nvvm_read_ptx_sreg_warpid:
        case nvvm_read_ptx_sreg_lanemask_eq:
        case nvvm_read_ptx_sreg_lanemask_lt:
        case nvvm_read_ptx_sreg_lanemask_le:
        case nvvm_read_ptx_sreg_lanemask_gt:
        case nvvm_read_ptx_sreg_lanemask_ge:
            return Shape::varying();
        default:
            return std::nullopt;
    }
}

bool is_thread_register(const Value* value) {
    auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    if (!read) return false;
    ID id = read->getIntrinsicID();
    return axis_of(id) || id == nvvm_read_ptx_sreg_laneid || id == nvvm_read_ptx_sreg_warpid;
}

bool is_launch_index(const Value* value) {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!sum || sum->getOpcode() != llvm::Instruction::Add) return false;
    const Value *left = sum->getOperand(0), *right = sum->getOperand(1);
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (is_read_of(left, kThreadIndex[axis])) std::swap(left, right);
        if (is_read_of(right, kThreadIndex[axis]) &&
            is_product_of(left, kBlockIndex[axis], kBlockDim[axis])) {
            return true;
        }
    }
    return false;
}

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

// Of numbers below 2^16: adding a half keeps the quotient clear of integers by more than the
// rounding of float.
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
    std::optional<unsigned> axis = axis_of(id);
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
