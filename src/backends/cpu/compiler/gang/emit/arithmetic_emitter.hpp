// Instructions without memory.
#pragma once

#include <array>

#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class ArithmeticEmitter : InstructionEmitter {
  public:
    explicit ArithmeticEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write(llvm::Instruction& instruction);

  private:
    void write_linear(llvm::Instruction& instruction, const Shape& shape);
    llvm::Value* bits_of_index(llvm::Instruction& instruction, unsigned piece);
    llvm::Value* linear_part(llvm::Instruction& instruction, unsigned piece);
    llvm::Value* address_part(llvm::GetElementPtrInst& address, unsigned piece);
    void write_elementwise(llvm::Instruction& instruction, const Shape& shape);
    llvm::Value* element(llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands,
                         llvm::Value* mask);
    llvm::Value* vector_address(llvm::GetElementPtrInst& address, unsigned piece);
    llvm::Value* divide(llvm::Instruction& division, llvm::Value* left, llvm::Value* right,
                        llvm::Value* mask);
    llvm::Value* divide_lanes(llvm::Instruction& division, llvm::Value* left, llvm::Value* right,
                              llvm::Value* mask);

    // --- emit_division.cpp
    bool is_divided_in_steps(const llvm::Instruction& division, const Shape& result) const;
    struct Spread;
    std::uint64_t span_of(const llvm::Value& dividend) const;
    Spread spread_of(llvm::Value& dividend, unsigned piece);
    const llvm::Instruction* quotient_of(const llvm::Value& dividend) const;
    bool is_divided_again(const llvm::Instruction& quotient) const;
    Parts divide_spread(llvm::ArrayRef<llvm::Instruction*> wanted, const Spread& lanes,
                        llvm::Value* divisor, bool is_long);
    llvm::Instruction* other_part(llvm::Instruction& division) const;
    llvm::Value* divide_steps(llvm::Instruction& division, unsigned piece,
                              llvm::function_ref<llvm::Value*(llvm::Instruction&)> otherwise);
    llvm::Value* divide_by_doubles(llvm::Instruction& division, llvm::Value* left,
                                   llvm::Value* right);
    llvm::Value* divide_wide(llvm::Instruction& division, llvm::Value* left, llvm::Value* right,
                             llvm::Value* mask);

    // --- emit_widening.cpp
    struct IndexTest {
        llvm::Value* index;
        llvm::Value* bound;
        llvm::CmpInst::Predicate predicate;
    };
    std::optional<IndexTest> index_test(llvm::Instruction& instruction) const;
    llvm::Value* compare_index(const IndexTest& test, unsigned piece);
    bool fits_distance(const IndexTest& test) const;
    llvm::Value* clamped(llvm::Value* value, std::int64_t least, std::int64_t most);
    llvm::Value* no_more_than(llvm::Value* value, std::int64_t most);
    void write_rebased_widening(llvm::CastInst& widening);
    void write_checked_widening(llvm::CastInst& widening, const Shape& shape);
    llvm::Value* checked_base(llvm::CastInst& widening, unsigned first, unsigned end);
    llvm::Value* base_of_live_lane(llvm::CastInst& widening, unsigned first, unsigned end);

    // Of divisions that are to be written: what others have computed with their own part.
    llvm::DenseMap<std::pair<const llvm::Instruction*, unsigned>, llvm::Value*> divided_;
    // Of quotients that are divided again, for each piece: see Spread.
    llvm::DenseMap<std::pair<const llvm::Instruction*, unsigned>, std::array<llvm::AllocaInst*, 3>>
        spreads_;
    llvm::DenseMap<const llvm::Instruction*, std::uint64_t> spans_;
};

}  // namespace warpwise::cpu_compiler::gang
