// Loads and stores, and local variables.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/memory/block_schedule.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/computed_place.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/lane_scalars.hpp"
#include "src/backends/cpu/compiler/gang/emit/shuffles/merged_lanes.hpp"
#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

#include <map>

namespace warpwise::cpu_compiler::gang {

// Which element of a run each lane has.
using ElementsOfLanes = std::map<unsigned, std::int64_t>;

class MemoryEmitter : InstructionEmitter {
  public:
    explicit MemoryEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write_alloca(llvm::AllocaInst& local);
    void write_load(llvm::LoadInst& load);
    void write_store(llvm::StoreInst& store);
    // --- emit_columns.cpp: all accesses of one table, `access` among them
    void write_table(llvm::Instruction& access, const ColumnTable& table);

  private:
    Parts load_parts(llvm::LoadInst& load);
    llvm::Value* load_part(llvm::LoadInst& load, const Shape& result,
                           const std::optional<ComputedPlace>& place, unsigned piece);
    Parts load_row_of_bytes(llvm::LoadInst& load);
    llvm::Value* load_row(llvm::LoadInst& load, unsigned piece);
    llvm::Value* place_of_living_row(llvm::Value* address, unsigned piece);
    void store_last_lane(llvm::StoreInst& store);
    void store_lanes(llvm::StoreInst& store);
    void store_part(llvm::StoreInst& store, const std::optional<ComputedPlace>& place,
                    unsigned piece);
    // Of neighbouring elements.
    void store_vector(llvm::StoreInst& store, unsigned piece);
    Parts load_lane_by_lane(llvm::LoadInst& load);
    struct LanePlaces {
        llvm::Value* lanes;           // addresses, or indices that are to be widened
        llvm::Value* base = nullptr;  // of the indices
        llvm::Type* element = nullptr;
        llvm::Instruction::CastOps widening = llvm::Instruction::SExt;
    };
    Parts load_inserted_anywhere(llvm::LoadInst& load, unsigned count);
    LanePlaces places_of_lanes(llvm::LoadInst& load, unsigned piece);
    llvm::Value* place_of_lane(const LanePlaces& places, llvm::Value* lane);
    Parts load_lanes(llvm::LoadInst& load, const Parts& mask, unsigned count);
    void store_lane_by_lane(llvm::StoreInst& store, const Parts& mask);
    // Of one piece, behind a branch.
    llvm::Value* load_piece_lane_by_lane(llvm::LoadInst& load, unsigned piece);
    void store_piece_lane_by_lane(llvm::StoreInst& store, unsigned piece);
    Parts mask_of(unsigned piece) const;
    void fence_compiler();
    void load_table(llvm::LoadInst& load, const ColumnTable& table);
    void store_table(llvm::StoreInst& store, const ColumnTable& table);
    // `lanes`: a mask; null: all of them.
    Parts load_rows(llvm::LoadInst& load, const ColumnTable& columns, llvm::Value* start,
                    llvm::Value* lanes);
    void store_rows(llvm::StoreInst& store, const ColumnTable& columns, const Parts& values,
                    llvm::Value* start, llvm::Value* lanes);
    bool has_masked_rows(llvm::Instruction& access) const;
    llvm::Value* mask_of_row(const ColumnTable& columns, std::size_t row, llvm::Value* lanes);
    // Where a lane may be missing; without `places`, lane by lane.
    llvm::Value* load_some(llvm::LoadInst& load, llvm::Value* places, unsigned piece,
                           llvm::Value* mask);
    void store_some(llvm::StoreInst& store, llvm::Value* value, llvm::Value* places,
                    unsigned piece);
    llvm::Value* first_lanes(std::size_t count);
    llvm::Value* place_of_row(llvm::Value* start, llvm::Type* type, std::size_t row);

    // --- emit_strided.cpp
    bool is_strided(const llvm::Value* address) const;
    unsigned shuffled_step(llvm::Instruction& access) const;
    void count_strided(const llvm::Value* address, bool is_shuffled);
    llvm::Value* load_strided(llvm::LoadInst& load, unsigned piece, llvm::Value* mask);
    bool is_known_by_lanes(const llvm::Value* mask, const llvm::Value* places) const;
    // But for lanes that a constant `mask` has as dead.
    llvm::Value* load_inserted(llvm::LoadInst& load, llvm::Value* start, const LanePattern& bytes,
                               const llvm::Value* mask);
    llvm::Value* load_living(llvm::LoadInst& load, llvm::Value* start, std::int64_t step,
                             llvm::Value* mask);
    void store_living(llvm::StoreInst& store, llvm::Value* value, llvm::Value* start,
                      const LanePattern& bytes, llvm::Value* mask);
    llvm::Value* place_if_alive(llvm::Value* bits, unsigned lane, llvm::Value* start,
                                std::int64_t bytes, llvm::Value* otherwise);
    llvm::Value* place_behind(llvm::Value* start, std::int64_t bytes);
    // Without a mask, all lanes are alive.
    llvm::Value* load_in_steps(llvm::LoadInst& load, llvm::Value* start, unsigned step,
                               bool backwards, llvm::Value* mask);
    llvm::Value* mask_of_elements(const LaneElements& elements, llvm::Value* lanes, unsigned begin,
                                  unsigned length);
    // The same; `start` is the least one's place.
    llvm::Value* load_shuffled(llvm::LoadInst& load, llvm::Value* start, LaneElements elements,
                               llvm::Value* mask = nullptr);
    llvm::Value* move_to_grid(llvm::Instruction& access, llvm::Value* start, unsigned length,
                              LaneElements& elements);
    llvm::Value* place_of_least(llvm::Value* first, llvm::Type* type, const LaneElements& elements);
    bool has_strided_form(llvm::StoreInst& store) const;
    void store_strided(llvm::StoreInst& store, unsigned piece);
    void store_in_steps(llvm::StoreInst& store, llvm::Value* value, llvm::Value* start,
                        unsigned step, bool backwards, llvm::Value* mask);
    void store_extracted(llvm::StoreInst& store, llvm::Value* value, llvm::Value* start,
                         const LanePattern& bytes, const llvm::Value* mask);
    // No two at one place.
    void store_shuffled(llvm::StoreInst& store, llvm::Value* value, llvm::Value* start,
                        const LaneElements& elements, llvm::Value* mask);
    void store_shuffled_rows(llvm::StoreInst& store, llvm::Value* value, llvm::Value* start,
                             LaneElements elements, llvm::Value* mask);
    void store_some_of_row(llvm::StoreInst& store, llvm::Value* row, llvm::Value* place,
                           llvm::Align alignment, llvm::Value* mask);
    llvm::Value* load_with_living_lane(llvm::LoadInst& load, llvm::Value* mask,
                                       llvm::function_ref<llvm::Value*()> read);
    llvm::Value* load_neighbours(llvm::LoadInst& load, llvm::Value* place, llvm::Value* mask);
    void store_neighbours(llvm::StoreInst& store, llvm::Value* value, llvm::Value* place,
                          llvm::Value* mask);
    void with_living_lane(llvm::StoreInst& store, llvm::Value* mask,
                          llvm::function_ref<void()> write);

    // --- emit_neighbours.cpp
    struct Neighbours {
        llvm::Value* are_there = nullptr;  // a bit
        llvm::Value* start = nullptr;      // lane 0's place, where they are
        llvm::Value* lanes = nullptr;      // their indices, not widened, from the place `row`
        llvm::Value* row = nullptr;        // null: the lanes are addresses
        // Where they lie in a pattern, and then `start` is the least one's place. Empty: they lie
        // side by side.
        LaneElements elements = {};
        llvm::Type* element = nullptr;  // what the indices count
        LanePattern steps = {};         // of the lanes, in their own unit
    };
    bool pays(const LanePattern& pattern, llvm::Instruction& access) const;
    bool pays_shuffled(const LanePattern& pattern, llvm::Instruction& access) const;
    Neighbours find_neighbours(llvm::Instruction& access, const ComputedPlace& place,
                               unsigned piece);
    Neighbours compare_indices(llvm::Instruction& access, const ComputedPlace& place,
                               const LanePattern& pattern, unsigned piece);
    Neighbours compare_addresses(llvm::Instruction& access, const LanePattern& pattern,
                                 unsigned piece);
    llvm::Value* are_in_pattern(llvm::Value* lanes, llvm::Value* first, const LanePattern& steps,
                                unsigned piece);
    llvm::Value* load_found(llvm::LoadInst& load, const Neighbours& found, unsigned piece);
    void store_found(llvm::StoreInst& store, llvm::Value* value, const Neighbours& found,
                     unsigned piece);
    llvm::Value* all_neighbours(llvm::Instruction& access, const ComputedPlace& place,
                                std::vector<Neighbours>& found);
    llvm::Value* widened(llvm::Value* index, NoWrap widening);
    llvm::Value* places_of(const Neighbours& found, NoWrap widening);
    llvm::Value* load_computed(llvm::LoadInst& load, const ComputedPlace& place, unsigned piece);
    void store_computed(llvm::StoreInst& store, const ComputedPlace& place, unsigned piece);
    Parts load_computed_or_lane_by_lane(llvm::LoadInst& load, const ComputedPlace& place);
    void store_computed_or_lane_by_lane(llvm::StoreInst& store, const ComputedPlace& place);
    struct Runs {
        llvm::Value* are_there = nullptr;                       // a bit
        llvm::Value *first = nullptr, *second = nullptr;        // places
        llvm::Value *in_first = nullptr, *in_second = nullptr;  // masks
    };
    bool may_have_runs(llvm::LoadInst& load, const ComputedPlace& place,
                       const Neighbours& found) const;
    Runs find_runs(const ComputedPlace& place, const Neighbours& found, unsigned piece);
    llvm::Value* load_runs(llvm::LoadInst& load, const Neighbours& found, const Runs& runs);

    // --- emit_runs.cpp
    bool load_by_runs(llvm::LoadInst& load);
    Parts load_runs_of(llvm::LoadInst& load, const RunsOfLoad& found, const llvm::BitVector& living,
                       LaneScalars& scalars);
    Parts load_anywhere(llvm::LoadInst& load);
    llvm::BitVector living_lanes() const;

    // --- emit_periods.cpp
    const LanePeriod* period_of(llvm::Instruction& access);
    bool load_by_period(llvm::LoadInst& load);
    bool store_by_period(llvm::StoreInst& store);
    llvm::Value* are_places_there(const LanePeriod& found, LaneScalars& scalars);
    llvm::Value* are_periods_there(const LanePeriod& found, LaneScalars& scalars);
    llvm::Value* are_runs_apart(llvm::StoreInst& store, const LanePeriod& found,
                                LaneScalars& scalars);
    Parts load_periods(llvm::LoadInst& load, const LanePeriod& found, LaneScalars& scalars);
    // Whole vectors, of which the last ends with the last element.
    void load_run(llvm::LoadInst& load, const ElementsOfLanes& elements, llvm::Value* start,
                  std::vector<MergedLanes>& pieces);
    void store_periods(llvm::StoreInst& store, const Parts& values, const LanePeriod& found,
                       LaneScalars& scalars);

    // --- emit_tiles.cpp
    struct ColumnPlaces {
        llvm::Value* are_there = nullptr;  // a bit
        llvm::Value* first = nullptr;      // the first column's least one
        llvm::Value* step = nullptr;       // to the next column's, in bytes
        bool is_upwards = false;           // the last row has the least ones
    };
    bool is_by_columns(llvm::Instruction& access);
    ColumnPlaces places_of_columns(llvm::Instruction& access);
    llvm::Value* are_in_even_steps(llvm::Instruction& access, llvm::Value* step, bool is_certain,
                                   std::int64_t to_last);
    bool load_by_columns(llvm::LoadInst& load);
    bool store_by_columns(llvm::StoreInst& store);
    Parts load_columns(llvm::LoadInst& load, const ColumnPlaces& places);
    void store_columns(llvm::StoreInst& store, const Parts& values, const ColumnPlaces& places);

    // --- emit_structures.cpp
    void load_structures(const ColumnTable& columns);
    Parts load_structures_at(llvm::Value* places, const ColumnTable& columns);
    llvm::Value* load_whole_structures(llvm::Value* places, const ColumnTable& columns);
    llvm::Value* lanes_of_living(llvm::Value* lanes, llvm::Value* mask);

    // --- emit_prefetch.cpp
    void prefetch_ahead(llvm::Instruction& access);

    unsigned strided_instructions_ = 0;  // in the text of the function
};

}  // namespace warpwise::cpu_compiler::gang
