// Bytes and short integers are computed in lanes of 8 and 16 bits, where C++ promotes them to int:
// a register holds four times as many bytes as words, and their minimum, difference or comparison
// is the same. The values stay bit by bit what they were (widths/integer_width.hpp).
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/gang/widths/integer_width.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

unsigned bits_of(const Value* value) {
    return value->getType()->getIntegerBitWidth();
}

bool is_extension(const Value* value) {
    return llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value);
}

// Which of the instructions that could be narrower are worth it: bits of a lane that operations no
// longer compute, less those of the conversions that it takes where narrow and wide values meet.
class Profit {
  public:
    Profit(const IntegerWidths& widths, const Shapes& shapes) : widths_(widths), shapes_(shapes) {}

    // The group of the instructions that narrow values connect.
    void add(const Instruction& instruction, unsigned width);
    std::vector<const Instruction*> losing() const;

  private:
    bool is_vector(const Value* value) const {
        return !llvm::isa<llvm::Constant>(value) && !shapes_.of(value).has_scalars();
    }
    int cost_of_operands(const Instruction& instruction, unsigned width);
    int cost_of_users(const Instruction& instruction, unsigned width);

    const IntegerWidths& widths_;
    const Shapes& shapes_;
    llvm::EquivalenceClasses<const Instruction*> groups_;
    std::vector<std::pair<const Instruction*, int>> gains_;
};

void Profit::add(const Instruction& instruction, unsigned width) {
    groups_.insert(&instruction);
    int gain = 0;
    if (is_extension(&instruction)) {
        const unsigned source = bits_of(instruction.getOperand(0));
        gain = static_cast<int>(bits_of(&instruction) - (source < width ? width : 0));
    } else if (!llvm::isa<llvm::PHINode, llvm::TruncInst>(instruction)) {
        gain = static_cast<int>(bits_of(&instruction) - width);
    }
    gain -= cost_of_operands(instruction, width) + cost_of_users(instruction, width);
    gains_.emplace_back(&instruction, gain);
}

int Profit::cost_of_operands(const Instruction& instruction, unsigned width) {
    unsigned cost = 0;
    for (const Value* operand : instruction.operands()) {
        if (!operand->getType()->isIntegerTy() || bits_of(operand) == 1) continue;
        if (const std::optional<unsigned> own = widths_.width_of(operand)) {
            groups_.unionSets(&instruction, llvm::cast<Instruction>(operand));
            if (*own != width) cost += std::max(*own, width);
        } else if (is_vector(operand) && bits_of(operand) > width) {
            cost += bits_of(operand);
        }
    }
    return static_cast<int>(cost);
}

int Profit::cost_of_users(const Instruction& instruction, unsigned width) {
    int cost = 0;
    bool is_widened = false;
    for (const llvm::User* user : instruction.users()) {
        if (widths_.width_of(user)) continue;
        auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(user);
        if (comparison && widths_.width_of_comparison(*comparison)) {
            cost -= static_cast<int>(bits_of(&instruction) - width);
        } else if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(user)) {
            cost -= static_cast<int>(bits_of(&instruction));
            if (bits_of(cut) != width) cost += static_cast<int>(width);
        } else {
            is_widened = true;
        }
    }
    return cost + (is_widened ? static_cast<int>(bits_of(&instruction)) : 0);
}

std::vector<const Instruction*> Profit::losing() const {
    llvm::DenseMap<const Instruction*, int> sums;
    for (const auto& [instruction, gain] : gains_)
        sums[groups_.getLeaderValue(instruction)] += gain;
    std::vector<const Instruction*> result;
    for (const auto& [instruction, gain] : gains_) {
        if (sums.lookup(groups_.getLeaderValue(instruction)) <= 0) result.push_back(instruction);
    }
    return result;
}

class Narrowing {
  public:
    Narrowing(llvm::Function& kernel, const IntegerWidths& widths, const Shapes& shapes)
        : kernel_(kernel), widths_(widths), shapes_(shapes), builder_(kernel.getContext()) {}

    // Whether anything is narrower.
    bool run();

  private:
    Value* at_width(Value* value, unsigned width);
    Value* narrow(Instruction& instruction, unsigned width);
    Value* narrow_intrinsic(llvm::IntrinsicInst& call, unsigned width);
    Value* narrow_extension(Instruction& extension, unsigned width);
    void narrow_comparison(llvm::ICmpInst& comparison, unsigned width);
    void finish_phi(llvm::PHINode& phi);
    void replace_uses(Instruction& instruction);
    void drop_flags();
    llvm::Type* type_of(unsigned width) { return builder_.getIntNTy(width); }

    llvm::Function& kernel_;
    const IntegerWidths& widths_;
    const Shapes& shapes_;
    llvm::IRBuilder<> builder_;
    std::vector<Instruction*> order_;
    llvm::DenseMap<const Value*, Value*> narrow_;
    llvm::DenseMap<std::pair<const Value*, unsigned>, Value*> converted_;
};

bool Narrowing::run() {
    for (const Instruction* instruction : widths_.narrowed()) {
        if (!widths_.width_of(instruction)) continue;
        order_.push_back(const_cast<Instruction*>(instruction));
    }
    if (order_.empty()) return false;
    drop_flags();
    for (Instruction* instruction : order_) {
        builder_.SetInsertPoint(instruction);
        builder_.SetCurrentDebugLocation(instruction->getDebugLoc());
        narrow_[instruction] = narrow(*instruction, *widths_.width_of(instruction));
    }
    for (Instruction* instruction : order_) {
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) finish_phi(*phi);
    }
    for (Instruction& user : llvm::make_early_inc_range(llvm::instructions(kernel_))) {
        auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&user);
        if (!comparison) continue;
        if (auto width = widths_.width_of_comparison(*comparison)) {
            narrow_comparison(*comparison, *width);
        }
    }
    for (Instruction* instruction : order_) replace_uses(*instruction);
    for (Instruction* instruction : order_) {
        instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
        instruction->eraseFromParent();
    }
    return true;
}

// Bits that nothing depends on may change, and with them what these promise.
void Narrowing::drop_flags() {
    auto is_partial = [&](const Value* value) {
        return llvm::isa<Instruction>(value) && value->getType()->isIntegerTy() &&
               widths_.demanded_bits(value) < bits_of(value);
    };
    for (Instruction& instruction : llvm::instructions(kernel_)) {
        if (!instruction.getType()->isIntegerTy() || shapes_.of(&instruction).has_scalars())
            continue;
        if (is_partial(&instruction) || llvm::any_of(instruction.operands(), is_partial)) {
            instruction.dropPoisonGeneratingAnnotations();
        }
    }
}

// Conversions stand behind the value.
Value* Narrowing::at_width(Value* value, unsigned width) {
    if (llvm::isa<llvm::Constant>(value)) return builder_.CreateTrunc(value, type_of(width));
    auto known = narrow_.find(value);
    Value* source = known == narrow_.end() ? value : known->second;
    const unsigned bits = bits_of(source);
    if (bits == width) return source;
    Value*& converted = converted_[{value, width}];
    if (converted != nullptr) return converted;
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(source)) {
        return builder_.CreateIntCast(constant, type_of(width),
                                      widths_.extension_of(value) == Sign::Signed);
    }
    llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(*llvm::cast<Instruction>(source)->getInsertionPointAfterDef());
    if (bits > width) return converted = builder_.CreateTrunc(source, type_of(width));
    return converted = widths_.extension_of(value) == Sign::Signed
                           ? builder_.CreateSExt(source, type_of(width))
                           : builder_.CreateZExt(source, type_of(width));
}

Value* Narrowing::narrow(Instruction& instruction, unsigned width) {
    auto operand = [&](unsigned index) { return at_width(instruction.getOperand(index), width); };
    if (is_extension(&instruction)) return narrow_extension(instruction, width);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return narrow_intrinsic(*call, width);
    }
    switch (instruction.getOpcode()) {
        case Instruction::PHI:
            return builder_.CreatePHI(type_of(width), instruction.getNumOperands());
        case Instruction::Trunc:
            return operand(0);
        case Instruction::Select:
            return builder_.CreateSelect(instruction.getOperand(0), operand(1), operand(2));
        case Instruction::LShr:
        case Instruction::AShr: {
            const bool is_unsigned =
                widths_.sign_of({instruction.getOperand(0)}, width) == Sign::Unsigned;
            return is_unsigned || instruction.getOpcode() == Instruction::LShr
                       ? builder_.CreateLShr(operand(0), operand(1))
                       : builder_.CreateAShr(operand(0), operand(1));
        }
        case Instruction::UDiv:
        case Instruction::SDiv:
        case Instruction::URem:
        case Instruction::SRem: {
            const bool is_unsigned =
                widths_.sign_of({instruction.getOperand(0), instruction.getOperand(1)}, width) ==
                Sign::Unsigned;
            const bool is_quotient = instruction.getOpcode() == Instruction::UDiv ||
                                     instruction.getOpcode() == Instruction::SDiv;
            if (is_quotient) {
                return is_unsigned ? builder_.CreateUDiv(operand(0), operand(1))
                                   : builder_.CreateSDiv(operand(0), operand(1));
            }
            return is_unsigned ? builder_.CreateURem(operand(0), operand(1))
                               : builder_.CreateSRem(operand(0), operand(1));
        }
        default:
            return builder_.CreateBinOp(
                static_cast<Instruction::BinaryOps>(instruction.getOpcode()), operand(0),
                operand(1));
    }
}

Value* Narrowing::narrow_extension(Instruction& extension, unsigned width) {
    Value* source = extension.getOperand(0);
    const unsigned bits = bits_of(source);
    if (width <= bits) return at_width(source, width);
    Value* whole = at_width(source, bits);
    return extension.getOpcode() == Instruction::SExt ? builder_.CreateSExt(whole, type_of(width))
                                                      : builder_.CreateZExt(whole, type_of(width));
}

Value* Narrowing::narrow_intrinsic(llvm::IntrinsicInst& call, unsigned width) {
    Value* left = call.getArgOperand(0);
    if (call.getIntrinsicID() == llvm::Intrinsic::abs) {
        if (!is_absolute_difference(call, width, widths_)) {
            return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, at_width(left, width),
                                                  builder_.getFalse());
        }
        auto* difference = llvm::cast<Instruction>(left);
        Value* a = at_width(difference->getOperand(0), width);
        Value* b = at_width(difference->getOperand(1), width);
        return builder_.CreateSub(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b),
                                  builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b));
    }
    Value* right = call.getArgOperand(1);
    const bool is_minimum = call.getIntrinsicID() == llvm::Intrinsic::smin ||
                            call.getIntrinsicID() == llvm::Intrinsic::umin;
    const bool is_unsigned = widths_.sign_of({left, right}, width) == Sign::Unsigned;
    const llvm::Intrinsic::ID id =
        is_minimum ? (is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin)
                   : (is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax);
    return builder_.CreateBinaryIntrinsic(id, at_width(left, width), at_width(right, width));
}

void Narrowing::finish_phi(llvm::PHINode& phi) {
    auto* made = llvm::cast<llvm::PHINode>(narrow_[&phi]);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        made->addIncoming(at_width(phi.getIncomingValue(i), *widths_.width_of(&phi)),
                          phi.getIncomingBlock(i));
    }
}

void Narrowing::narrow_comparison(llvm::ICmpInst& comparison, unsigned width) {
    Value *left = comparison.getOperand(0), *right = comparison.getOperand(1);
    const bool is_unsigned = widths_.sign_of({left, right}, width) == Sign::Unsigned;
    builder_.SetInsertPoint(&comparison);
    builder_.SetCurrentDebugLocation(comparison.getDebugLoc());
    Value* made = builder_.CreateICmp(
        is_unsigned ? comparison.getUnsignedPredicate() : comparison.getPredicate(),
        at_width(left, width), at_width(right, width));
    comparison.replaceAllUsesWith(made);
    builder_.ClearInsertionPoint();
    comparison.eraseFromParent();
}

// Of what stays wide.
void Narrowing::replace_uses(Instruction& instruction) {
    for (llvm::Use& use : llvm::make_early_inc_range(instruction.uses())) {
        auto* user = llvm::cast<Instruction>(use.getUser());
        if (narrow_.contains(user)) continue;
        auto* cut = llvm::dyn_cast<llvm::TruncInst>(user);
        if (!cut) {
            use.set(at_width(&instruction, bits_of(&instruction)));
            continue;
        }
        cut->replaceAllUsesWith(at_width(&instruction, bits_of(cut)));
        cut->eraseFromParent();
    }
}

}  // namespace

PreservedAnalyses narrow_integers(llvm::Function& kernel, GangContext& context) {
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    IntegerWidths widths(kernel, shapes);
    Profit profit(widths, shapes);
    for (const Instruction* instruction : widths.narrowed()) {
        profit.add(*instruction, *widths.width_of(instruction));
    }
    for (const Instruction* instruction : profit.losing()) widths.drop(instruction);
    return Narrowing(kernel, widths, shapes).run() ? PreservedAnalyses::none()
                                                   : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
