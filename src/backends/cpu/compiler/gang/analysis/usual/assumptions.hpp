// Comparisons that nearly always come out alike for a whole gang, `i < n` of a guard above all. In
// a copy of the kernel they are constants, and what they guard needs no masks; scalar tests of the
// gang's outermost lanes choose that copy. And quotients, i / width, which lanes of one row share:
// in the copy they have no lanes, and remainders have steps.
//
// Only comparisons of what a thread knows at its start take part: thread and block indices and
// parameters. They mean the same wherever in the kernel they stand.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/lane_runs.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/analysis/usual/row_sums.hpp"
#include "src/backends/cpu/compiler/gang/analysis/usual/start_values.hpp"

namespace warpwise::cpu_compiler::gang {

class Assumptions {
  public:
    // Split: gangs end where rows end, so nothing is to be tested of these (passes/split_rows.cpp).
    enum class Rows : std::uint8_t { Assumed, Ignored, Split };

    // The function must outlive this. `shapes` need not. Without `rows` nothing is assumed of
    // quotients.
    Assumptions(llvm::Function& scalar, const Plan& plan, const Shapes& shapes,
                const Layout& layout, Rows rows);

    bool empty() const { return assumed_.empty() && divisions_.empty(); }
    bool count_on_rows() const { return !divisions_.empty(); }
    // Whether all of them hold for a gang without missing lanes; `builder` stands in a function
    // with the parameters of `scalar`, which runs for the gang's first thread. Rows that are too
    // short to hold many gangs are told from others before anything is divided.
    llvm::Value* test(llvm::IRBuilder<>& builder) const;
    // A copy of the function in which they are constants, not simplified yet.
    llvm::Function* apply() const;
    // No more of comparisons than what is known of rows.
    void forget_bounds() { assumed_.clear(); }
    // Of rows that are split. Whether they are long enough for that in this launch.
    llvm::Value* are_rows_worth_splitting(llvm::IRBuilder<>& builder) const;
    // Threads from the gang's ThreadState::row_thread on that lie in one row of each.
    llvm::Value* threads_in_rows(llvm::IRBuilder<>& builder) const;

  private:
    // What is compared, of each lane, beyond that of lane 0.
    struct Side {
        bool is_shared() const { return least == 0 && most == 0; }
        std::vector<std::int64_t> lanes = {};
        std::int64_t least = 0, most = 0;
        bool may_wrap = false;
        bool is_bound = false;  // or a sum with one, of a row
    };
    // That the predicate holds of both sides in all lanes.
    struct Assumed {
        llvm::Instruction* what = nullptr;
        std::optional<bool> outcome = {};  // of a comparison
        unsigned operand = 0;              // what a bound leaves as it is
        llvm::Value *left = nullptr, *right = nullptr;
        llvm::CmpInst::Predicate predicate = llvm::CmpInst::ICMP_EQ;
        std::int64_t least = 0, most = 0;  // of left minus right
        Side of_left = {}, of_right = {};
    };

    struct Division {
        llvm::Instruction* division;
        llvm::Value* divisor;      // what it is where that is above 0
        std::int64_t least, span;  // of the dividends of all lanes, beyond that of lane 0
        bool is_exact;             // no lane's wraps
        RowSum sum = {};           // the dividend
    };
    // Divisions of one divisor by whose sums it shows that their dividends lie in one row together
    // or not at all: (x - 1 + width) % width, x / width and (x + 1) % width. One test is for all.
    struct RowOfData {
        std::vector<unsigned> divisions;
        std::int64_t least, most;   // of all lanes, beyond the terms of lane 0 without a number
        unsigned fewest, greatest;  // how often the divisor is a term
    };

    bool consider_division(llvm::Instruction& division, const Shapes& shapes, const Layout& layout,
                           const LaneRuns& runs);
    llvm::Value* are_rows_long(llvm::IRBuilder<>& builder) const;
    llvm::Value* test_all(llvm::IRBuilder<>& builder) const;
    void join_row(unsigned division);
    bool is_in(const RowOfData& row, const Division& division) const;
    llvm::Value* test_row(llvm::IRBuilder<>& builder, const RowOfData& row,
                          Repetition& repetition) const;
    void apply_divisions(llvm::Function& copy, const llvm::ValueToValueMapTy& copies) const;
    llvm::Value* write_quotient(llvm::IRBuilder<>& builder, llvm::Value* dividend,
                                llvm::Value* divisor) const;
    static void apply_division(const Division& assumed, llvm::Instruction& division,
                               llvm::Value* divisor, llvm::Value* quotient);
    llvm::DenseMap<const llvm::Instruction*, llvm::Value*> settle(const Plan& plan);
    static std::optional<Side> side_of(llvm::Value* value, const Shapes& shapes,
                                       const Layout& layout, LaneRuns& runs);
    void consider(llvm::Instruction& instruction, const Shapes& shapes, const Layout& layout,
                  LaneRuns& runs);

    llvm::Function& scalar_;
    const Rows rows_;
    std::vector<Assumed> assumed_;
    std::vector<Division> divisions_;
    std::vector<RowOfData> rows_of_data_;
    std::vector<std::pair<llvm::ICmpInst*, bool>> settled_;
};

}  // namespace warpwise::cpu_compiler::gang
