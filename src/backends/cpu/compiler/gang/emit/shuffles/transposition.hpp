// A tile of rows of lanes as a run of elements for each lane, and back: shuffles within 128 bits,
// which each processor has, of whole registers, and one exchange of such parts between them.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "src/backends/cpu/compiler/gang/emit/state/emit_state.hpp"

namespace warpwise::cpu_compiler::gang {

class Transposition {
  public:
    // `width` lanes in each of `rows`, powers of two, of elements with so many bits. There are no
    // more rows than lanes, and no fewer lanes than 128 bits have of them.
    Transposition(llvm::IRBuilder<>& builder, unsigned width, unsigned rows, unsigned bits)
        : builder_(builder), width_(width), rows_(rows), unit_(128 / bits) {}

    // Of each lane its element in each row, in order.
    Parts columns_of(const Parts& rows);
    Parts rows_of(const Parts& columns);

  private:
    unsigned units() const { return width_ / unit_; }
    llvm::Value* joined(llvm::ArrayRef<llvm::Value*> parts);
    llvm::Value* part_of(llvm::Value* vector, unsigned first, unsigned count);
    Parts zipped(const Parts& vectors, unsigned levels);

    llvm::IRBuilder<>& builder_;
    const unsigned width_;
    const unsigned rows_;
    const unsigned unit_;  // elements of 128 bits
};

}  // namespace warpwise::cpu_compiler::gang
