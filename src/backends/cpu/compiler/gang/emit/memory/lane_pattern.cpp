// Computes the lanes of an index as numbers; see lane_pattern.hpp.
#include "src/backends/cpu/compiler/gang/emit/memory/lane_pattern.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDeepest = 16;  // operations
constexpr unsigned kMost = 256;    // operations that one index is followed through
// Lanes further apart than this are in no pattern that pays.
constexpr std::int64_t kFarthest = std::int64_t{1} << 20;

class Lanes {
  public:
    Lanes(unsigned piece, const Shapes& shapes, const Layout& layout)
        : piece_(piece), shapes_(shapes), layout_(layout) {}

    std::optional<LanePattern> of(const Value* value, unsigned depth = 0) const {
        if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) return of_number(*number);
        const Shape shape = shapes_.of(value);
        if (shape.has_scalars()) return of_steps(shape);
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (instruction == nullptr || depth == kDeepest || ++seen_ > kMost) return std::nullopt;
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return of_load(*load, depth);
        if (auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(value)) {
            return of_choice(*choice, depth);
        }
        if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
            const Value* usual = usual_of(*choice);
            return usual ? of(usual, depth + 1) : std::nullopt;
        }
        if (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::FreezeInst>(value)) {
            return of(instruction->getOperand(0), depth + 1);
        }
        auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction);
        if (operation == nullptr) return std::nullopt;
        return of_operation(*operation, depth);
    }

  private:
    std::optional<LanePattern> of_number(const llvm::ConstantInt& number) const {
        if (number.getBitWidth() > 64) return std::nullopt;
        return LanePattern(layout_.width, number.getSExtValue());
    }

    LanePattern of_steps(const Shape& shape) const {
        const std::int64_t first = shape.row ? layout_.offset(*shape.row, piece_) : 0;
        LanePattern lanes;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            lanes.push_back(first + *shape.lane * lane);
        }
        return lanes;
    }

    // What one place holds.
    std::optional<LanePattern> of_load(const llvm::LoadInst& load, unsigned depth) const {
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
        const bool has_type = load.isSimple() && load.getType()->isIntegerTy();
        if (!has_type || address == nullptr) return std::nullopt;
        for (const Value* operand : address->operands()) {
            if (shapes_.of(operand).is_uniform()) continue;
            if (!operand->getType()->isIntegerTy()) return std::nullopt;
            const auto lanes = of(operand, depth + 1);
            if (!lanes || !llvm::all_equal(*lanes)) return std::nullopt;
        }
        return LanePattern(layout_.width, 0);
    }

    // Divisors are compared with 0 and -1, and hardly ever equal.
    const Value* usual_of(const llvm::SelectInst& choice) const {
        auto* test = llvm::dyn_cast<llvm::ICmpInst>(choice.getCondition());
        const bool is_known = test != nullptr && test->isEquality() &&
                              llvm::isa<llvm::Constant>(test->getOperand(1)) &&
                              shapes_.of(test).is_uniform();
        if (!is_known) return nullptr;
        return test->getPredicate() == llvm::CmpInst::ICMP_EQ ? choice.getFalseValue()
                                                              : choice.getTrueValue();
    }

    // Bounds hardly ever lie between the lanes.
    std::optional<LanePattern> of_choice(const llvm::MinMaxIntrinsic& choice,
                                         unsigned depth) const {
        const Value *left = choice.getLHS(), *right = choice.getRHS();
        if (shapes_.of(right).is_uniform()) return of(left, depth + 1);
        if (shapes_.of(left).is_uniform()) return of(right, depth + 1);
        return std::nullopt;
    }

    std::optional<LanePattern> of_operation(const llvm::BinaryOperator& operation,
                                            unsigned depth) const {
        const Value *left = operation.getOperand(0), *right = operation.getOperand(1);
        // Sums and differences take whatever all lanes share; it drops out of other operations only
        // as a multiple of a power of two.
        const bool is_sum =
            operation.getOpcode() == Instruction::Add || operation.getOpcode() == Instruction::Sub;
        const auto is_unknown = [&](const Value* one) {
            return !llvm::isa<llvm::Constant>(one) && shapes_.of(one).is_uniform();
        };
        if (!is_sum && (is_unknown(left) || is_unknown(right))) {
            return by_unknown(operation, depth, is_unknown(right));
        }
        const auto a = of(left, depth + 1);
        const auto b = a ? of(right, depth + 1) : std::nullopt;
        if (!a || !b) return std::nullopt;
        LanePattern lanes;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            const auto value = computed(operation.getOpcode(), (*a)[lane], (*b)[lane]);
            if (!value || !is_near(*value)) return std::nullopt;
            lanes.push_back(*value);
        }
        return lanes;
    }

    // By something that all lanes share, and that is thought to be large where it divides.
    std::optional<LanePattern> by_unknown(const llvm::BinaryOperator& operation, unsigned depth,
                                          bool is_right) const {
        auto lanes = of(operation.getOperand(is_right ? 0 : 1), depth + 1);
        if (!lanes) return std::nullopt;
        const LanePattern none(layout_.width, 0);
        switch (operation.getOpcode()) {
            case Instruction::UDiv:
            case Instruction::SDiv:
            case Instruction::LShr:
            case Instruction::AShr:
                return is_right ? std::optional(none) : std::nullopt;
            case Instruction::URem:
            case Instruction::SRem:
                return is_right ? lanes : std::nullopt;
            default:
                return llvm::all_equal(*lanes) ? std::optional(none) : std::nullopt;
        }
    }

    static bool is_near(std::int64_t number) { return number >= -kFarthest && number <= kFarthest; }

    static std::optional<std::int64_t> computed(unsigned opcode, std::int64_t a, std::int64_t b) {
        const bool is_count = b >= 0 && b < 32, are_near = is_near(a) && is_near(b);
        switch (opcode) {
            case Instruction::Add:
                return are_near ? std::optional(a + b) : std::nullopt;
            case Instruction::Sub:
                return are_near ? std::optional(a - b) : std::nullopt;
            case Instruction::And:
                return a & b;
            case Instruction::Or:
                return a | b;
            case Instruction::Xor:
                return a ^ b;
            case Instruction::Mul:
                return are_near ? std::optional(a * b) : std::nullopt;
            case Instruction::Shl:
                return is_count && is_near(a) ? std::optional(a * (std::int64_t{1} << b))
                                              : std::nullopt;
            case Instruction::LShr:
            case Instruction::AShr:
                return is_count && a >= 0 ? std::optional(a >> b) : std::nullopt;
            case Instruction::UDiv:
            case Instruction::SDiv:
                return a >= 0 && b > 0 ? std::optional(a / b) : std::nullopt;
            case Instruction::URem:
            case Instruction::SRem:
                return a >= 0 && b > 0 ? std::optional(a % b) : std::nullopt;
            default:
                return std::nullopt;
        }
    }

    const unsigned piece_;
    const Shapes& shapes_;
    const Layout& layout_;
    mutable unsigned seen_ = 0;
};

}  // namespace

std::optional<LanePattern> lane_pattern(const Value* index, unsigned piece, const Shapes& shapes,
                                        const Layout& layout) {
    std::optional<LanePattern> lanes = Lanes(piece, shapes, layout).of(index);
    if (!lanes) return std::nullopt;
    const std::int64_t first = lanes->front();
    for (std::int64_t& lane : *lanes) lane -= first;
    return lanes;
}

}  // namespace warpwise::cpu_compiler::gang
