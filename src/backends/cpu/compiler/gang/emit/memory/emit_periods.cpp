// Accesses whose places repeat (analysis/lane_periods.hpp), where all lanes are alive: a run of
// elements for each lane of the period, in whole vectors of which the last ends with the last
// element, and shuffles between these and the lanes. The places of the runs are computed by scalar
// code, from the lanes of one period.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/lane_scalars.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/within_range.hpp"

#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

// Elements of a run, those between them among them.
unsigned span_of(const LanePeriod& found, unsigned first) {
    const unsigned count = (found.lanes - first + found.period - 1) / found.period;
    return (count - 1) * static_cast<unsigned>(found.step) + 1;
}

// Lanes that are loaded together, by the first of them.
std::map<unsigned, ElementsOfLanes> runs_of_lanes(const LanePeriod& found, const Layout& layout) {
    std::map<unsigned, ElementsOfLanes> runs;
    for (unsigned lane = 0; lane < layout.lanes(); ++lane) {
        if (!found.places.empty()) {
            runs[found.places[lane].anchor][lane] = found.places[lane].distance;
            continue;
        }
        const unsigned number = lane % found.lanes / found.period;
        runs[lane - number * found.period][lane] = number * found.step;
    }
    return runs;
}

}  // namespace

const LanePeriod* MemoryEmitter::period_of(llvm::Instruction& access) {
    if (values_.is_writing_one_piece() || !llvm::all_of(mask_, &Masks::is_known_full))
        return nullptr;
    if (!has_plain_lanes(state_, access)) return nullptr;
    const LanePeriod* found = state_.lane_periods.of(access);
    const bool are_made = found != nullptr && llvm::all_of(found->leaves, [&](auto* leaf) {
                              return values_.is_made(leaf);
                          });
    return are_made ? found : nullptr;
}

// Behind a test whether an index wraps, if one may.
bool MemoryEmitter::load_by_period(llvm::LoadInst& load) {
    const LanePeriod* found = period_of(load);
    // One vector of several pieces has its own form.
    const bool serves_all = shapes_.of(&load).is_single() && layout_.pieces > 1;
    if (found == nullptr || serves_all) return false;
    state_.note_access(load, AccessForm::Strided);
    LaneScalars scalars(state_, values_, state_.lane_periods.runs(found->period));
    Value* are_there = are_periods_there(*found, scalars);
    const Values::Known before = values_.known();
    const auto by_period = [&] {
        Parts parts = load_periods(load, *found, scalars);
        values_.restore(before);
        return parts;
    };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(are_there);
    if (known != nullptr && known->isOne()) {
        values_.define(load, by_period());
        return true;
    }
    values_.define(load, masks_.either(are_there, by_period, [&] {
        Parts parts = load_parts(load);
        values_.restore(before);
        return parts;
    }));
    return true;
}

bool MemoryEmitter::store_by_period(llvm::StoreInst& store) {
    const LanePeriod* found = period_of(store);
    if (found == nullptr) return false;
    Parts values;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        values.push_back(values_.vector(store.getValueOperand(), piece));
    }
    LaneScalars scalars(state_, values_, state_.lane_periods.runs(found->period));
    Value* are_there = builder_.CreateAnd(are_periods_there(*found, scalars),
                                          are_runs_apart(store, *found, scalars));
    const Values::Known before = values_.known();
    masks_.either(
        are_there,
        [&] {
            store_periods(store, values, *found, scalars);
            values_.restore(before);
            return Parts();
        },
        [&] {
            store_lanes(store);
            values_.restore(before);
            return Parts();
        });
    return true;
}

// Whether no index wraps between a lane and those whose places are known by its own.
Value* MemoryEmitter::are_places_there(const LanePeriod& found, LaneScalars& scalars) {
    Value* all = builder_.getTrue();
    for (llvm::CastInst* widening : found.widenings_of_places) {
        const NoWrap kind = llvm::isa<llvm::SExtInst>(widening) ? NoWrap::Signed : NoWrap::Unsigned;
        const LaneSteps& steps = state_.lane_periods.runs(1).steps_of(widening->getOperand(0));
        for (unsigned first = 0, end = 0; first < layout_.lanes(); first = end) {
            std::int64_t distance = 0, least = 0, most = 0;
            for (end = first + 1; end < layout_.lanes() && found.places[end].anchor == first;
                 ++end) {
                distance += *steps[end];
                least = std::min(least, distance);
                most = std::max(most, distance);
            }
            all = builder_.CreateAnd(
                all,
                is_within(builder_, scalars.of(widening->getOperand(0), first), kind, least, most));
        }
    }
    return all;
}

Value* MemoryEmitter::are_periods_there(const LanePeriod& found, LaneScalars& scalars) {
    if (!found.places.empty()) return are_places_there(found, scalars);
    Value* all = builder_.getTrue();
    for (const auto& [widening, step] : found.widenings) {
        const NoWrap kind = llvm::isa<llvm::SExtInst>(widening) ? NoWrap::Signed : NoWrap::Unsigned;
        for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
            if (lane % found.lanes >= found.period) continue;
            const std::int64_t most = step * ((found.lanes - 1) / found.period);
            Value* first = scalars.of(widening->getOperand(0), lane);
            all = builder_.CreateAnd(
                all, is_within(builder_, first, kind, std::min<std::int64_t>(most, 0),
                               std::max<std::int64_t>(most, 0)));
        }
    }
    return all;
}

// Of lanes that write to one place, the last one's value stays: no two runs may have one.
Value* MemoryEmitter::are_runs_apart(llvm::StoreInst& store, const LanePeriod& found,
                                     LaneScalars& scalars) {
    Value* address = store.getPointerOperand();
    const std::uint64_t bytes = std::uint64_t{span_of(found, 0)} *
                                data_.getTypeAllocSize(store.getValueOperand()->getType());
    llvm::SmallVector<Value*, 16> starts;
    for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
        if (lane % found.lanes >= found.period) continue;
        starts.push_back(builder_.CreatePtrToInt(scalars.of(address, lane), builder_.getInt64Ty()));
    }
    Value* all = builder_.getTrue();
    for (std::size_t i = 0; i < starts.size(); ++i) {
        for (std::size_t j = i / found.period * found.period; j < i; ++j) {
            Value* apart = builder_.CreateAdd(builder_.CreateSub(starts[i], starts[j]),
                                              builder_.getInt64(bytes - 1));
            all = builder_.CreateAnd(
                all, builder_.CreateICmpUGT(apart, builder_.getInt64(2 * (bytes - 1))));
        }
    }
    return all;
}

Parts MemoryEmitter::load_periods(llvm::LoadInst& load, const LanePeriod& found,
                                  LaneScalars& scalars) {
    std::vector<MergedLanes> pieces(layout_.pieces, MergedLanes(builder_, layout_.width));
    for (const auto& [first, elements] : runs_of_lanes(found, layout_)) {
        load_run(load, elements, scalars.of(load.getPointerOperand(), first), pieces);
    }
    Parts parts;
    for (const MergedLanes& piece : pieces) parts.push_back(piece.value());
    return parts;
}

void MemoryEmitter::load_run(llvm::LoadInst& load, const ElementsOfLanes& elements, Value* start,
                             std::vector<MergedLanes>& pieces) {
    const auto size = static_cast<std::int64_t>(data_.getTypeAllocSize(load.getType()));
    const auto full = static_cast<unsigned>(state_.target.vector_bits() / 8 / size);
    const llvm::Align alignment =
        std::min(load.getAlign(), llvm::Align(static_cast<std::uint64_t>(size)));
    std::int64_t least = 0, most = 0;
    for (const auto& [lane, element] : elements) {
        least = std::min(least, element);
        most = std::max(most, element);
    }
    const auto span = static_cast<unsigned>(most - least + 1);
    const unsigned length = std::min(full, llvm::bit_floor(span));
    auto* type = llvm::FixedVectorType::get(load.getType(), length);
    for (unsigned row = 0; row * length < span; ++row) {
        const std::int64_t begin = least + std::min(row * length, span - length);
        Value* place =
            builder_.CreateGEP(builder_.getInt8Ty(), start,
                               llvm::ConstantInt::getSigned(builder_.getInt64Ty(), begin * size));
        Value* loaded = builder_.CreateAlignedLoad(type, place, alignment);
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            pieces[piece].add(loaded, [&](unsigned own) -> std::optional<unsigned> {
                const auto at = elements.find(piece * layout_.width + own);
                const bool is_there =
                    at != elements.end() && at->second >= begin && at->second < begin + length;
                return is_there ? std::optional(static_cast<unsigned>(at->second - begin))
                                : std::nullopt;
            });
        }
    }
}

void MemoryEmitter::store_periods(llvm::StoreInst& store, const Parts& values,
                                  const LanePeriod& found, LaneScalars& scalars) {
    llvm::Type* element = store.getValueOperand()->getType();
    const auto size = static_cast<unsigned>(data_.getTypeAllocSize(element));
    const unsigned full = state_.target.vector_bits() / 8 / size;
    const llvm::Align alignment = std::min(store.getAlign(), llvm::Align(size));
    for (unsigned first = 0; first < layout_.lanes(); ++first) {
        const unsigned number = first % found.lanes;
        if (number >= found.period) continue;
        const unsigned span = span_of(found, number);
        const unsigned length = std::min(full, llvm::bit_floor(span));
        Value* start = scalars.of(store.getPointerOperand(), first);
        for (unsigned row = 0; row * length < span; ++row) {
            const unsigned begin = std::min(row * length, span - length);
            MergedLanes lanes(builder_, length);
            for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
                lanes.add(values[piece], [&](unsigned own) -> std::optional<unsigned> {
                    const unsigned lane = first + (begin + own) * found.period;
                    if (lane / layout_.width != piece) return std::nullopt;
                    return lane % layout_.width;
                });
            }
            builder_.CreateAlignedStore(lanes.value(),
                                        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start,
                                                                    std::uint64_t{begin} * size),
                                        alignment);
        }
    }
}

}  // namespace warpwise::cpu_compiler::gang
