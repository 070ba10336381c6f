// How a value differs over the lanes of a gang: lane l of piece p holds
//     base + c * across + r * down + l * lane_step
// where c and r are the piece's column and row (PieceStep). Each step is a constant or unknown.
// With both known one scalar base suffices; with only the lane step known there is a scalar for
// each piece; else there are vectors.
//
// Integers with a step other than 0 keep a base of 64 bits. It is *exact* when that sum, taken as a
// signed number, is the lane's value without any wrap; else it holds modulo 2^width. Lane 0 may be
// dead: only exact bases may be widened, and nothing may be concluded from the base's own value.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"
#include "src/backends/cpu/compiler/gang/layout/layout.hpp"

namespace warpwise::cpu_compiler::gang {

struct Shape {
    std::optional<PieceStep> row;      // step from piece to piece
    std::optional<std::int64_t> lane;  // step from lane to lane
    bool is_exact = true;

    static Shape uniform() { return {PieceStep(), 0, true}; }
    static Shape varying() { return {std::nullopt, std::nullopt, false}; }

    bool is_uniform() const { return has_no_row_step() && lane == 0; }
    bool has_no_row_step() const { return row && row->is_zero(); }
    bool has_scalars() const { return lane.has_value(); }
    // A 64-bit base (or a pointer) rather than a scalar of the value's own type.
    bool is_stepped() const { return lane && (*lane != 0 || (row && !row->is_zero())); }
    // One scalar or vector serves all pieces.
    bool is_single() const { return row && (lane || row->is_zero()); }

    // Of each lane, how far it is from the gang's first one. Both steps are known.
    std::vector<std::int64_t> offsets(const Layout& layout) const;

    friend bool operator==(const Shape&, const Shape&) = default;
};

class Shapes {
  public:
    Shapes(const Plan& plan, const Uniformity& uniformity, const Layout& layout);

    Shape of(const llvm::Value* value) const;
    // Whether a widening of the index of an access counts on no wrap that the types rule out: then
    // the code must look.
    bool is_checked(const llvm::CastInst& widening) const;
    // Whether the base of a widened index is that of the narrow one, cut to its type and widened.
    bool is_rebased(const llvm::CastInst& widening) const;

  private:
    Shape infer(const llvm::Instruction& instruction) const;
    Shape infer_phi(const llvm::PHINode& phi) const;
    Shape infer_sum(const llvm::Instruction& sum, int sign) const;
    Shape infer_complement(const llvm::Instruction& complement) const;
    Shape infer_product(const llvm::Instruction& product) const;
    std::optional<Shape> infer_part(const llvm::Instruction& part) const;
    Shape infer_cast(const llvm::CastInst& cast) const;
    Shape infer_address(const llvm::GetElementPtrInst& address) const;
    Shape infer_select(const llvm::SelectInst& select) const;
    Shape infer_call(const llvm::CallBase& call) const;
    Shape infer_transposed(const llvm::CallBase& call) const;
    Shape elementwise(const llvm::User& user) const;
    Shape normalised(Shape shape) const;
    bool is_inexact(const llvm::CastInst& widening) const;
    bool is_index_of_launch(const llvm::Value* value) const;

    const Plan& plan_;
    const Uniformity& uniformity_;
    const Layout layout_;
    llvm::DenseMap<const llvm::Value*, Shape> shapes_;
};

}  // namespace warpwise::cpu_compiler::gang
