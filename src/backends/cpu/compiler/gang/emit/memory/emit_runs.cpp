// Loads by runs of lanes (analysis/lane_runs.hpp): one test of scalars for all pieces, and for
// each run that a piece has part of, one masked access. Where a bound is reached, in blocks at the
// border of an image, they are loaded as if nothing were known.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/lane_scalars.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

// Lanes that are not known to be missing.
llvm::BitVector MemoryEmitter::living_lanes() const {
    llvm::BitVector living(layout_.lanes(), true);
    for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
        auto* known = llvm::dyn_cast<llvm::Constant>(mask_[lane / layout_.width]);
        const llvm::Constant* bit =
            known ? known->getAggregateElement(lane % layout_.width) : nullptr;
        if (bit != nullptr && bit->isNullValue()) living.reset(lane);
    }
    return living;
}

bool MemoryEmitter::load_by_runs(llvm::LoadInst& load) {
    const RunsOfLoad* found = values_.is_writing_one_piece() ? nullptr : state_.lane_runs.of(load);
    const bool are_made = found != nullptr && llvm::all_of(found->leaves, [&](auto* leaf) {
                              return values_.is_made(leaf);
                          });
    if (!are_made) return false;
    state_.note_access(load, AccessForm::Vector);
    const llvm::BitVector living = living_lanes();
    LaneScalars scalars(state_, values_, state_.lane_runs);
    Value* are_there = scalars.are_there(*found, living);
    const Values::Known before = values_.known();
    const auto runs = [&] {
        Parts parts = load_runs_of(load, *found, living, scalars);
        values_.restore(before);
        return parts;
    };
    const auto others = [&] {
        Parts parts = found->bounds.empty() ? load_anywhere(load) : load_parts(load);
        values_.restore(before);
        return parts;
    };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(are_there);
    const bool is_known = known != nullptr && known->isOne();
    values_.define(load, is_known ? runs() : masks_.either(are_there, runs, others));
    return true;
}

Parts MemoryEmitter::load_runs_of(llvm::LoadInst& load, const RunsOfLoad& found,
                                  const llvm::BitVector& living, LaneScalars& scalars) {
    llvm::FixedVectorType* type = vector_of(load.getType());
    const auto size = static_cast<std::int64_t>(data_.getTypeAllocSize(load.getType()));
    Parts parts(layout_.pieces, llvm::PoisonValue::get(type));
    for (const LaneRun& run : found.runs) {
        const int first = living.find_first_in(run.first, run.end);
        if (first < 0) continue;
        Value* start = scalars.of(load.getPointerOperand(), static_cast<unsigned>(first));
        for (unsigned piece = run.first / layout_.width; piece * layout_.width < run.end; ++piece) {
            const unsigned from = piece * layout_.width;
            if (living.find_first_in(std::max(run.first, from),
                                     std::min(run.end, from + layout_.width)) < 0) {
                continue;
            }
            llvm::SmallVector<llvm::Constant*, 16> lanes;
            for (unsigned lane = from; lane < from + layout_.width; ++lane) {
                lanes.push_back(builder_.getInt1(run.first <= lane && lane < run.end));
            }
            Value* mask = builder_.CreateAnd(mask_[piece], llvm::ConstantVector::get(lanes));
            Value* place = builder_.CreateConstGEP1_64(
                builder_.getInt8Ty(), start,
                static_cast<std::uint64_t>((std::int64_t{from} - first) * size));
            parts[piece] =
                builder_.CreateMaskedLoad(type, place, load.getAlign(), mask, parts[piece]);
        }
    }
    return parts;
}

// The least code.
Parts MemoryEmitter::load_anywhere(llvm::LoadInst& load) {
    if (!has_vector_form(state_, load)) return load_lanes(load, mask_, layout_.pieces);
    Parts parts;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        parts.push_back(builder_.CreateMaskedGather(vector_of(load.getType()),
                                                    values_.vector(load.getPointerOperand(), piece),
                                                    load.getAlign(), mask_[piece]));
    }
    return parts;
}

}  // namespace warpwise::cpu_compiler::gang
