// Registers by their intrinsics; what a launch promises of their sums.
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using namespace llvm::Intrinsic;
using llvm::Value;

constexpr unsigned kDeepest = 8;  // operations

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

Shape shape_of_thread_index(unsigned axis, const Layout& layout) {
    if (layout.is_linear()) return Shape::varying();
    if (axis == 0) return {PieceStep{layout.width, 0}, 1, true};
    if (axis == 1 && layout.has_rows()) return {PieceStep{0, 1}, 0, true};
    return Shape::uniform();
}

// Whether it stops the processor for no dividend.
bool divides_safely(const llvm::Instruction& operation) {
    if (!operation.isIntDivRem()) return true;
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    return number != nullptr && !number->isZero() && !number->isMinusOne();
}

}  // namespace

std::optional<unsigned> thread_axis_of(ID id) {
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (id == kThreadIndex[axis]) return axis;
    }
    return std::nullopt;
}

bool is_block_register(ID id) {
    switch (id) {
        case nvvm_read_ptx_sreg_ctaid_x:
        case nvvm_read_ptx_sreg_ctaid_y:
        case nvvm_read_ptx_sreg_ctaid_z:
        case nvvm_read_ptx_sreg_ntid_x:
        case nvvm_read_ptx_sreg_ntid_y:
        case nvvm_read_ptx_sreg_ntid_z:
        case nvvm_read_ptx_sreg_nctaid_x:
        case nvvm_read_ptx_sreg_nctaid_y:
        case nvvm_read_ptx_sreg_nctaid_z:
            return true;
        default:
            return false;
    }
}

std::optional<Shape> shape_of_register(ID id, const Layout& layout) {
    if (std::optional<unsigned> axis = thread_axis_of(id))
        return shape_of_thread_index(*axis, layout);
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
    return thread_axis_of(id) || id == nvvm_read_ptx_sreg_laneid || id == nvvm_read_ptx_sreg_warpid;
}

bool is_parameter(const llvm::LoadInst& load) {
    if (!load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    const Value* base = load.getPointerOperand()->stripInBoundsConstantOffsets();
    if (llvm::isa<llvm::Argument>(base)) return true;
    auto* block = llvm::dyn_cast<llvm::LoadInst>(base);
    if (!block || !block->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    auto* state =
        llvm::dyn_cast<llvm::Argument>(block->getPointerOperand()->stripInBoundsConstantOffsets());
    return state && state->getArgNo() == 0;
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

bool is_of_launch(const Value* value, LaunchDivisors divisors, unsigned depth) {
    if (llvm::isa<llvm::ConstantInt>(value)) return true;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || depth > kDeepest) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
        const Value* base = load->getPointerOperand()->stripInBoundsConstantOffsets();
        return is_parameter(*load) && base == load->getFunction()->getArg(1);
    }
    if (is_read_of(instruction, nvvm_read_ptx_sreg_nctaid_x)) return true;
    const bool is_computed = llvm::isa<llvm::CastInst, llvm::FreezeInst, llvm::SelectInst,
                                       llvm::ICmpInst, llvm::MinMaxIntrinsic>(instruction) ||
                             (instruction->isBinaryOp() &&
                              (divisors == LaunchDivisors::Any || divides_safely(*instruction)));
    if (!is_computed || !instruction->getType()->isIntegerTy()) return false;
    return llvm::all_of(instruction->operands(), [&](const Value* operand) {
        return llvm::isa<llvm::Function>(operand) || is_of_launch(operand, divisors, depth + 1);
    });
}

}  // namespace warpwise::cpu_compiler::gang
