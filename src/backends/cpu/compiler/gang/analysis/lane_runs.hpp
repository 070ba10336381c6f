// Loads whose lanes compute their places from their own numbers and from what all lanes share:
// in[(y0 + t / 20) * width + x0 + t % 20], in a gang that is a whole block. The numbers are
// constants there, so which lanes read neighbouring elements is known when the code is written: all
// lanes of a row of the tile, whatever `y0`, `x0` and `width` are.
//
// Lanes are numbered through all pieces.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// Of each lane, how far its value is from that of the lane before, or of one further before, as far
// as that is a number, modulo 2 to the bits of the value.
using LaneSteps = std::vector<std::optional<std::int64_t>>;

// Lanes [first, end), each but the first a known step behind the one before.
struct LaneRun {
    unsigned first = 0;
    unsigned end = 0;
};

std::vector<LaneRun> runs_of(const LaneSteps& steps);

struct RunsOfLoad {
    std::vector<LaneRun> runs;  // of neighbouring elements
    // The runs are there while no bound is reached here, and the operand wraps in none of its own
    // runs there.
    std::vector<llvm::MinMaxIntrinsic*> bounds;
    std::vector<llvm::CastInst*> widenings;
    std::vector<llvm::Instruction*> leaves;  // of which each piece has a scalar
};

class LaneRuns {
  public:
    // `distance`: in lanes, of those that steps lie between. Above 1, quotients and remainders of
    // indices by numbers have steps too; else where a gang begins at a multiple.
    LaneRuns(const Shapes& shapes, const Layout& layout, unsigned distance = 1)
        : shapes_(shapes), layout_(layout), distance_(distance) {}

    // Nothing where a load is simple for other reasons, or has too many runs.
    const RunsOfLoad* of(llvm::LoadInst& load);
    const LaneSteps& steps_of(llvm::Value* value);
    // Of a value that depends on nothing but the lanes' own numbers; else empty.
    const std::vector<llvm::APInt>& numbers_of(llvm::Value* value);
    // What the steps of a value were found by.
    void collect(llvm::Value* value, RunsOfLoad& result, llvm::SmallPtrSetImpl<llvm::Value*>& seen);
    // Whether no lane's value is negative, and a step of it is one of whole numbers.
    bool is_natural(const llvm::Value* value, unsigned depth = 0) const;
    // Whether it is such a value and a number more: below 2^32, or 2^64, as an unsigned one.
    bool is_natural_and_more(const llvm::Value* value, unsigned depth = 0) const;
    // Whether the steps are there whatever the numbers are.
    bool is_followed_freely(llvm::Value* value);
    // From here on these divisions count as having one quotient in all lanes, and selections as
    // what they are thought to select.
    void assume(llvm::DenseSet<const llvm::Instruction*> divisions,
                llvm::DenseMap<const llvm::Instruction*, llvm::Value*> selections) {
        divisions_ = std::move(divisions);
        selections_ = std::move(selections);
    }
    // From here on this bound counts as never reached.
    void assume_unbounded(const llvm::MinMaxIntrinsic& bound) { unbounded_.insert(&bound); }
    // Between whose operands the choice is always the one that this returns, if no bound is
    // reached.
    llvm::Value* unbounded(llvm::MinMaxIntrinsic& bound) const;

  private:
    static constexpr unsigned kDeepest = 16;  // operations from the address to a lane's number

    std::optional<RunsOfLoad> find(llvm::LoadInst& load);
    std::vector<llvm::APInt> find_numbers(llvm::Value* value);
    // lane_steps.cpp
    LaneSteps find_steps(llvm::Value* value);
    LaneSteps steps_of_shape(const Shape& shape) const;
    LaneSteps steps_of_instruction(llvm::Instruction& instruction);
    LaneSteps steps_of_product(llvm::Instruction& product);
    LaneSteps steps_of_division(llvm::Instruction& division);
    LaneSteps steps_of_part(llvm::BinaryOperator& part);
    // Of each lane, how far its value is from a multiple of a divisor that is a power of two, the
    // same one for all lanes.
    std::vector<std::int64_t> lanes_behind_multiple(llvm::Value* value, std::int64_t divisor) const;
    LaneSteps steps_of_address(llvm::GetElementPtrInst& address);
    LaneSteps unknown() const { return LaneSteps(layout_.lanes()); }

    const Shapes& shapes_;
    const Layout& layout_;
    const unsigned distance_;
    llvm::DenseMap<const llvm::LoadInst*, std::optional<RunsOfLoad>> loads_;
    std::unordered_map<const llvm::Value*, LaneSteps> steps_;
    std::unordered_map<const llvm::Value*, std::vector<llvm::APInt>> numbers_;
    llvm::DenseSet<const llvm::Instruction*> divisions_;
    llvm::DenseMap<const llvm::Instruction*, llvm::Value*> selections_;
    llvm::DenseSet<const llvm::Instruction*> unbounded_;
    unsigned depth_ = 0;
};

}  // namespace warpwise::cpu_compiler::gang
