// Writes the gang function. One member file for each kind of instruction; this header is what they
// share: where the lanes' values are, the masks, and the place being written.
//
// Values that cross blocks go through stack slots, which mem2reg turns into SSA form afterwards; so
// blocks may be entered by ways the scalar function did not have.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/layout/thread_registers.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {

// A value's scalars or vectors: one, or one for each piece.
using Parts = llvm::SmallVector<llvm::Value*, 4>;

struct Subject {
    llvm::Function& scalar;
    llvm::Function& gang;
    const Plan& plan;
    const Shapes& shapes;
    const llvm::TargetTransformInfo& target;
    const Layout& layout;
    bool has_all_lanes = false;  // no lane is missing at the start
};

class LaneLoop;

// The number that an operand of a warp operation is, where the compiler knows it.
std::optional<std::uint32_t> constant_of(const llvm::Value* value);

class Emitter {
  public:
    explicit Emitter(const Subject& subject);
    void run();
    // Instructions of the scalar function that were written as loops over single lanes.
    const llvm::DenseSet<const llvm::Instruction*>& lane_by_lane() const { return lane_by_lane_; }

  private:
    friend class LaneLoop;

    // --- emitter.cpp: the function and its blocks
    void write_prologue();
    void make_slots();
    llvm::Constant* lanes_of_block(unsigned piece) const;
    void write_block(unsigned index);
    void clear_masks(unsigned header);
    void write_instruction(llvm::Instruction& instruction);
    llvm::BasicBlock* new_block(const llvm::Twine& name);
    llvm::AllocaInst* new_slot(llvm::Type* type, const llvm::Twine& name);

    // --- emit_control.cpp: masks, edges, jumps
    void write_terminator(unsigned index);
    void write_divergent_branch(unsigned index, llvm::BranchInst& branch);
    void write_uniform_branch(unsigned index, llvm::BranchInst& branch);
    void write_jump(const Jump& jump);
    void pass_edge(unsigned from, unsigned to, const Parts& lanes);
    void pass_masks(unsigned from, unsigned to, const Parts& lanes);
    void move_phis(unsigned from, unsigned to);
    void write_guard(unsigned index);
    Parts load_mask(unsigned index);
    Parts load_arrivals(unsigned index);  // those that have come so far
    llvm::Value* any(const Parts& mask);
    llvm::Value* any_of(llvm::Value* mask);
    // Mask pieces as one number; up to 64 lanes.
    llvm::Value* bits_of(const Parts& mask);
    llvm::Value* count_of(const Parts& mask);
    // Lanes that wait for another block and may yet come to a barrier or warp operation.
    std::optional<Parts> lanes_elsewhere(unsigned index);
    void note_active_lanes();

    // --- values.cpp: values in their forms
    void define(const llvm::Instruction& instruction, Parts parts);
    const Parts& parts_of(const llvm::Value* value);
    llvm::Value* scalar(const llvm::Value* value, unsigned piece);
    llvm::Value* base(const llvm::Value* value, unsigned piece);
    llvm::Value* vector(const llvm::Value* value, unsigned piece);
    Parts in_shape(const llvm::Value* value, const Shape& shape);
    llvm::Value* splat(llvm::Value* scalar);
    llvm::Value* steps(llvm::Type* type, std::int64_t step);
    llvm::FixedVectorType* vector_of(llvm::Type* type) const;
    unsigned count_of_parts(const Shape& shape) const;
    // The mask a single vector for all pieces is computed under.
    llvm::Value* mask_for(const Shape& shape, unsigned piece);
    llvm::Type* slot_type(const llvm::Value& value, const Shape& shape) const;

    // --- emit_arithmetic.cpp
    void write_linear(llvm::Instruction& instruction, const Shape& shape);
    llvm::Value* linear_part(llvm::Instruction& instruction, unsigned piece);
    void write_checked_widening(llvm::CastInst& widening, const Shape& shape);
    void write_rebased_widening(llvm::CastInst& widening);
    llvm::Value* checked_base(llvm::CastInst& widening, unsigned first, unsigned end);
    llvm::Value* base_of_live_lane(llvm::CastInst& widening, unsigned first, unsigned end);
    llvm::Value* address_part(llvm::GetElementPtrInst& address, unsigned piece);
    void write_elementwise(llvm::Instruction& instruction, const Shape& shape);
    llvm::Value* element(llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands,
                         llvm::Value* mask);
    llvm::Value* vector_address(llvm::GetElementPtrInst& address, unsigned piece);
    llvm::Value* divide(llvm::Instruction& division, llvm::Value* left, llvm::Value* right,
                        llvm::Value* mask);

    // --- emit_memory.cpp
    void write_load(llvm::LoadInst& load);
    void write_store(llvm::StoreInst& store);
    void write_alloca(llvm::AllocaInst& local);
    llvm::Value* load_part(llvm::LoadInst& load, const Shape& result, unsigned piece);
    llvm::Value* load_row(llvm::LoadInst& load, unsigned piece);
    void store_last_lane(llvm::StoreInst& store);
    void load_lane_by_lane(llvm::LoadInst& load);
    void store_lane_by_lane(llvm::StoreInst& store);
    bool is_contiguous(const llvm::Value* address, llvm::Type* type) const;
    bool can_gather(llvm::Type* type, llvm::Align alignment) const;
    bool can_scatter(llvm::Type* type, llvm::Align alignment) const;
    void fence_compiler();

    // --- emit_strided.cpp
    bool is_strided(const llvm::Value* address) const;
    llvm::Value* load_strided(llvm::LoadInst& load, unsigned piece, llvm::Value* mask);

    // --- emit_columns.cpp: false when the access is not one of a whole table's
    bool load_columns(llvm::LoadInst& load);
    bool store_columns(llvm::StoreInst& store);
    llvm::SmallVector<llvm::Instruction*> columns_beside(llvm::Instruction& access) const;
    bool write_ahead(const llvm::Value* value);
    Parts all_or_some(llvm::Value* mask, llvm::function_ref<Parts()> all,
                      llvm::function_ref<Parts()> some);
    llvm::Value* place_of_row(llvm::Value* start, llvm::Type* type, std::size_t row);

    // --- emit_prefetch.cpp
    void prefetch_ahead(const llvm::LoadInst& load);

    // --- emit_atomics.cpp
    void write_atomic(llvm::Instruction& atomic);
    bool write_reduced_atomic(llvm::AtomicRMWInst& update);

    // --- emit_calls.cpp
    void write_call(llvm::CallInst& call);
    void write_intrinsic(llvm::IntrinsicInst& call);
    void write_vector_intrinsic(llvm::IntrinsicInst& call);
    void write_all_below(llvm::CallInst& call);
    void write_without_wrap(llvm::CallInst& call);
    void write_service(llvm::CallInst& call, const Service& service);
    void write_block_meeting(llvm::CallInst& call, const Service& service);
    void write_meeting_of_all(llvm::CallInst& call, const Service& service);
    void write_meeting_at_stop(llvm::CallInst& call, const Service& service);
    llvm::Value* count_votes(const llvm::Value* predicate);
    void write_call_lane_by_lane(llvm::CallInst& call, const Service* service);
    llvm::CallInst* call_service(const Service& service, llvm::Value* thread,
                                 llvm::ArrayRef<llvm::Value*> arguments);
    void prepare_lane_thread();
    llvm::Value* lane_thread(llvm::Value* lane);
    // What lanes left in `results` of `loop`, of a value or of each element of a struct.
    void define_results(const llvm::Instruction& instruction, LaneLoop& loop,
                        llvm::ArrayRef<unsigned> results);
    void store_field(llvm::Value* thread, std::size_t offset, llvm::Value* word);
    void write_extract(llvm::ExtractValueInst& extract);
    llvm::Value* first_active(const llvm::Value* value);

    // --- emit_warp.cpp
    void write_warp_operation(llvm::CallInst& call, const Service& service);
    // Through the run time.
    void write_collective(llvm::CallInst& call, std::uint32_t kind, llvm::Value* mode,
                          const llvm::Value* mask, const llvm::Value* value = nullptr,
                          const llvm::Value* operand = nullptr, const llvm::Value* width = nullptr);
    void write_ballot(llvm::CallInst& call);
    bool write_reduction(llvm::CallInst& call);  // false when it has no vector form
    llvm::AllocaInst* warp_operands();
    void fill_operands(std::size_t offset, llvm::Type* type, const llvm::Value* operand,
                       unsigned warp);
    llvm::Value* bits_of_warp(const Parts& lanes, unsigned warp);
    llvm::Value* active_bits(unsigned warp);
    llvm::Value* elsewhere_bits(unsigned warp);
    bool is_one_for_warp(const llvm::Value* value) const;
    llvm::Value* scalar_of_warp(const llvm::Value* value, unsigned warp);
    void define_by_warp(const llvm::CallInst& call, const Parts& results);
    void check_mask(const llvm::Value* mask);

    // --- emit_shuffles.cpp
    bool write_shuffle(llvm::CallInst& call);  // false when it has no vector form
    llvm::Value* source_lanes(std::uint32_t mode, llvm::Value* operand, std::uint32_t width,
                              unsigned first);
    llvm::Value* permute(llvm::Value* low, llvm::Value* high, llvm::Value* sources);

    llvm::Value* thread() const { return gang_.getArg(0); }

    llvm::Function& scalar_;
    llvm::Function& gang_;
    const Plan& plan_;
    const Shapes& shapes_;
    const llvm::TargetTransformInfo& target_;
    const Layout layout_;
    const bool has_all_lanes_;
    const llvm::DataLayout& data_;
    llvm::IRBuilder<> builder_;        // the place being written
    llvm::IRBuilder<> entry_builder_;  // the prologue, which dominates everything
    ThreadRegisters registers_;
    llvm::BasicBlock* entry_ = nullptr;
    llvm::BasicBlock* returns_ = nullptr;
    std::vector<llvm::BasicBlock*> starts_;
    unsigned current_ = 0;
    Parts mask_;  // of the block being written
    Parts entry_mask_;
    // Of blocks with a mask of their own; where lanes may meet, of all.
    llvm::DenseMap<unsigned, Parts> mask_slots_;
    llvm::DenseMap<const llvm::Value*, Parts> slots_;
    llvm::DenseMap<const llvm::Value*, Parts> local_;  // known in the block being written
    llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, llvm::Value*> vectors_;  // the same
    llvm::DenseMap<const llvm::Value*, Parts> globals_;  // made in the prologue
    // Results of struct type, by element; used in their own block only.
    llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Parts, 2>> structs_;
    llvm::DenseMap<llvm::Intrinsic::ID, Parts> register_values_;
    // Arrays of lanes, for code that runs lane by lane; reused from one loop to the next.
    llvm::DenseMap<llvm::Type*, std::vector<llvm::AllocaInst*>> lane_arrays_;
    llvm::AllocaInst* lane_thread_ = nullptr;
    llvm::AllocaInst* warp_operands_ = nullptr;
    unsigned strided_vectors_ = 0;  // loaded lane by lane, in the text of the function
    llvm::DenseSet<const llvm::Instruction*>
        done_with_others_;  // before their turn, or with another
    llvm::DenseMap<const llvm::Instruction*, llvm::SmallVector<llvm::Instruction*>> stores_at_;
    const llvm::Instruction* written_ = nullptr;  // the one being written
    llvm::DenseSet<const llvm::Instruction*> lane_by_lane_;
};

}  // namespace warpwise::cpu_compiler::gang
