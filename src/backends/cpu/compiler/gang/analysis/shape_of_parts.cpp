// Quotients, remainders and bits of an index, by a constant. The lanes of a vector often start at a
// multiple of what they span, a power of two, and differ in the bits below it alone. Then quotients
// by a multiple of the span are the same for all lanes of the vector, and remainders ascend as the
// index does; remainders by a divisor of the span repeat in all vectors.
#include <llvm/IR/Constants.h>

#include <bit>

#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;

constexpr std::uint64_t kLargestSpan = std::uint64_t{1} << 30;

// An index with ascending lanes.
class Index {
  public:
    Index(const Shape& shape, unsigned low_zeros, const Layout& layout)
        : row_(*shape.row),
          lane_(*shape.lane),
          low_zeros_(std::min(low_zeros, 62U)),
          layout_(layout) {}

    // Bits that lanes of one vector differ in, as a number one larger than all of them.
    std::uint64_t span() const { return static_cast<std::uint64_t>(lane_) * layout_.width; }
    bool has_span() const { return std::has_single_bit(span()) && span() <= kLargestSpan; }
    // Of every vector.
    bool starts_at_multiple_of(std::uint64_t unit) const {
        return std::has_single_bit(unit) && unit <= kLargestSpan && steps_by_multiple_of(unit) &&
               std::uint64_t{1} << low_zeros_ >= unit;
    }
    Shape quotient(std::uint64_t divisor) const {
        if (is_within(divisor)) return Shape::uniform();
        return {std::nullopt, 0, true};
    }
    Shape remainder(std::uint64_t divisor) const {
        if (steps_by_multiple_of(divisor)) return {PieceStep(), lane_, true};
        if (is_within(divisor)) return {row_, lane_, true};
        return {std::nullopt, lane_, true};
    }
    Shape other_bits() const { return {std::nullopt, lane_, true}; }
    static Shape repetition() { return {PieceStep(), std::nullopt, false}; }

  private:
    bool steps_by_multiple_of(std::uint64_t unit) const {
        if (unit > kLargestSpan) return false;
        const auto divisor = static_cast<std::int64_t>(unit);
        return row_.across % divisor == 0 && row_.down % divisor == 0;
    }
    // All lanes of the gang between two multiples of a power of two.
    bool is_within(std::uint64_t unit) const {
        if (!std::has_single_bit(unit) || unit > kLargestSpan) return false;
        if (std::uint64_t{1} << low_zeros_ < unit || row_.across < 0 || row_.down < 0) return false;
        return layout_.offset(row_, layout_.pieces - 1) + static_cast<std::int64_t>(span()) <=
               static_cast<std::int64_t>(unit);
    }

    const PieceStep row_;
    const std::int64_t lane_;
    const unsigned low_zeros_;
    const Layout& layout_;
};

std::optional<Shape> shape_of_bits(const Index& index, std::uint64_t mask) {
    const std::uint64_t within = mask & (index.span() - 1), repeats = std::bit_ceil(mask + 1);
    if (repeats < index.span() && index.starts_at_multiple_of(repeats)) return Index::repetition();
    if (!index.starts_at_multiple_of(index.span())) return std::nullopt;
    if (within == 0) return Shape{std::nullopt, 0, true};
    if (within != index.span() - 1) return std::nullopt;
    return std::has_single_bit(mask + 1) ? index.remainder(mask + 1) : index.other_bits();
}

}  // namespace

std::optional<Shape> Shapes::infer_part(const Instruction& part) const {
    const llvm::Value* value = part.getOperand(0);
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(part.getOperand(1));
    const Shape shape = of(value);
    // One bit is no number.
    const bool is_ascending = constant && constant->getBitWidth() > 1 &&
                              constant->getBitWidth() <= 64 && shape.row && shape.lane > 0;
    if (!is_ascending) return std::nullopt;
    const Index index(shape, low_zeros_of_base(value, *this, layout_), layout_);
    const std::uint64_t number = constant->getZExtValue();
    if (!index.has_span() || constant->isZero()) return std::nullopt;
    if (part.getOpcode() == Instruction::And) return shape_of_bits(index, number);
    if (!index.starts_at_multiple_of(index.span())) return std::nullopt;
    // Rounding of negative numbers goes the other way.
    const bool is_positive = !constant->isNegative() && is_index_of_launch(value);
    switch (part.getOpcode()) {
        case Instruction::Xor:
            if (number % index.span() != 0) return std::nullopt;
            return index.other_bits();
        case Instruction::LShr:
        case Instruction::AShr:
            if (number > 30 || (std::uint64_t{1} << number) % index.span() != 0)
                return std::nullopt;
            return index.quotient(std::uint64_t{1} << number);
        case Instruction::UDiv:
            if (number % index.span() != 0) return std::nullopt;
            return index.quotient(number);
        case Instruction::SDiv:
            if (!is_positive || number % index.span() != 0) return std::nullopt;
            return index.quotient(number);
        case Instruction::URem:
            if (number % index.span() != 0) return std::nullopt;
            return index.remainder(number);
        case Instruction::SRem:
            if (!is_positive || number % index.span() != 0) return std::nullopt;
            return index.remainder(number);
        default:
            return std::nullopt;
    }
}

}  // namespace warpwise::cpu_compiler::gang
