// The translation of one inline PTX statement to IR: its registers, its operands and the rows that
// give each opcode its meaning. Invariant: a row that does not know a form touches nothing and
// reports it.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx_text.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {

class PtxStatement {
  public:
    explicit PtxStatement(llvm::CallInst& call);

    // Whether every instruction was understood; `result` is what the statement gives, if anything.
    bool lower(llvm::Value*& result);

    // --- For the rows ---------------------------------------------------------------------------
    llvm::IRBuilder<>& builder() { return builder_; }
    llvm::Module& module() { return *call_.getModule(); }
    // "u32", "b64", "f16", "pred" ...; nullptr for a word that names no type.
    llvm::Type* type_of(llvm::StringRef name);
    // An operand as a value of `type`; nullptr for one that cannot be read.
    llvm::Value* read(llvm::StringRef operand, llvm::Type* type) {
        return flushed(read_bits(operand, type));
    }
    bool write(llvm::StringRef operand, llvm::Value* value);
    // The address of "[$1+8]" in a state space ("global", "shared", "" for generic).
    llvm::Value* address(llvm::StringRef operand, llvm::StringRef space);
    llvm::Value* service(ServiceId row, llvm::ArrayRef<llvm::Value*> arguments);
    llvm::Value* word(std::uint32_t value) { return builder_.getInt32(value); }
    // Bits of `value` as another type: cut or filled with zeros where the widths differ.
    llvm::Value* recast(llvm::Value* value, llvm::Type* type);
    llvm::Value*& carry() { return carry_; }

  private:
    llvm::Value* read_bits(llvm::StringRef operand, llvm::Type* type);
    bool lower_empty(llvm::Value*& result);
    // Text with labels: blocks of its own, registers in memory until they are promoted.
    bool lower_blocks(llvm::ArrayRef<PtxInstruction> instructions);
    bool lower_in_block(const PtxInstruction& instruction,
                        const llvm::StringMap<llvm::BasicBlock*>& labels);
    bool lower_pair(const PtxInstruction& instruction,
                    bool (*row)(PtxStatement&, const PtxInstruction&));
    // Through the row, or through it for each half.
    bool apply(const PtxInstruction& instruction,
               bool (*row)(PtxStatement&, const PtxInstruction&));
    llvm::Value* new_slot();
    bool lower_instruction(const PtxInstruction& instruction);
    bool lower_guarded(const PtxInstruction& instruction,
                       bool (*row)(PtxStatement&, const PtxInstruction&));
    llvm::Value* output(unsigned number);
    llvm::Value* constant(llvm::StringRef text, llvm::Type* type);
    llvm::Type* output_type(unsigned number) const;
    // With .ftz, subnormal numbers become zeros of their sign.
    llvm::Value* flushed(llvm::Value* value);

    llvm::CallInst& call_;
    llvm::IRBuilder<> builder_;
    std::string text_;
    unsigned output_count_ = 0;
    llvm::SmallVector<llvm::Value*, 4> outputs_;  // null until written or tied
    llvm::StringMap<llvm::Value*> registers_;
    llvm::Value* carry_ = nullptr;
    bool is_in_memory_ = false;  // outputs_ and registers_ are addresses
    enum class Flush : std::uint8_t { None, Floats, Reals } flush_ = Flush::None;
};

using PtxRow = bool (*)(PtxStatement&, const PtxInstruction&);

// The row of an opcode's first part; nullptr for an unknown one.
PtxRow find_arithmetic_row(llvm::StringRef opcode);
PtxRow find_bit_row(llvm::StringRef opcode);
PtxRow find_comparison_row(llvm::StringRef opcode);
PtxRow find_conversion_row(llvm::StringRef opcode);
PtxRow find_packed_row(llvm::StringRef opcode);
PtxRow find_memory_row(llvm::StringRef opcode);
PtxRow find_warp_row(llvm::StringRef opcode);
PtxRow find_function_row(llvm::StringRef opcode);
PtxRow find_matrix_row(llvm::StringRef opcode);
PtxRow find_mbarrier_row(llvm::StringRef opcode);

// Whether reals are to be rounded to zero, down or up, and the result that is: of add, sub, mul,
// fma, mad, div, rcp and sqrt for float and double; else null.
bool is_directed(const PtxInstruction& instruction);
llvm::Value* round_directed(llvm::IRBuilder<>& builder, const PtxInstruction& instruction,
                            llvm::ArrayRef<llvm::Value*> sources);

// --- Conversions to reals of fewer bits ----------------------------------------------------------
// "rn", "rz", "rm" or "rp" of an instruction; empty without.
llvm::StringRef rounding_of(const PtxInstruction& instruction);
// A float or double to a narrower type, rounded once; NaN of a float becomes the one that
// arithmetic gives.
llvm::Value* round_to(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* to,
                      llvm::StringRef way);
// With .satfinite infinities become the greatest numbers, with .relu negative numbers become 0.
llvm::Value* bounded_real(llvm::IRBuilder<>& builder, const PtxInstruction& instruction,
                          llvm::Value* value);
// cvt.pack, and conversions to or from tf32 and pairs.
bool is_narrow_conversion(const PtxInstruction& instruction);
bool convert_narrow(PtxStatement& at, const PtxInstruction& instruction);

// cp.async.bulk of bytes, and cp.async.mbarrier.arrive.
bool copy_bulk(PtxStatement& at, const PtxInstruction& instruction);
bool arrive_after_copies(PtxStatement& at, const PtxInstruction& instruction);

// Whether `part` is one of the opcode's parts.
bool has_part(const PtxInstruction& instruction, llvm::StringRef part);

}  // namespace warpwise::cpu_compiler
