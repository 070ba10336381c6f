// Accesses to computed places (emit/memory/computed_place.hpp): a test whether the living lanes
// have neighbouring elements, in their order or in the pattern that the index's computation
// suggests, and vector accesses where they have. Three instructions a vector, of 32-bit indices,
// against 26 operations of a gather or scatter and more.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/within_range.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

LanePattern side_by_side(unsigned lanes) {
    LanePattern pattern;
    for (unsigned lane = 0; lane < lanes; ++lane) pattern.push_back(lane);
    return pattern;
}

llvm::Constant* numbers(llvm::Type* type, const LanePattern& pattern) {
    llvm::SmallVector<llvm::Constant*, 16> lanes;
    for (const std::int64_t lane : pattern)
        lanes.push_back(llvm::ConstantInt::getSigned(type, lane));
    return llvm::ConstantVector::get(lanes);
}

// Of elements, those of an access.
LanePattern bytes_of(LanePattern elements, llvm::Instruction& access) {
    const std::uint64_t size =
        access.getDataLayout().getTypeAllocSize(llvm::getLoadStoreType(&access));
    for (std::int64_t& element : elements) element *= static_cast<std::int64_t>(size);
    return elements;
}

bool has_one_place(const LaneElements& elements) {
    return !elements.empty() && llvm::all_equal(elements);
}

}  // namespace

// Without a gather or scatter also a load and an insertion, or an extraction and a store, a lane:
// the other form is a loop over the lanes.
bool MemoryEmitter::pays(const LanePattern& pattern, llvm::Instruction& access) const {
    if (pays_shuffled(pattern, access)) return true;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    const bool has_form = load ? has_vector_form(state_, *load)
                               : has_vector_form(state_, llvm::cast<llvm::StoreInst>(access));
    return !has_form && strided_instructions_ < costs::kMostStridedInstructions;
}

// Registers that the lanes reach over, as for accesses in constant steps.
bool MemoryEmitter::pays_shuffled(const LanePattern& pattern, llvm::Instruction& access) const {
    const bool is_store = llvm::isa<llvm::StoreInst>(access);
    const auto [least, most] = std::minmax_element(pattern.begin(), pattern.end());
    const std::uint64_t size = data_.getTypeAllocSize(llvm::getLoadStoreType(&access));
    const std::uint64_t bytes = (static_cast<std::uint64_t>(*most - *least) + 1) * size;
    const unsigned registers = is_store ? costs::kMostStoredVectors : costs::kMostShuffledVectors;
    if (bytes > std::uint64_t{registers} * state_.target.vector_bits() / 8) return false;
    if (!is_store) return true;
    LanePattern sorted = pattern;
    llvm::sort(sorted);
    const bool has_twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    return can_leave_gaps(state_, access) && !has_twice;
}

MemoryEmitter::Neighbours MemoryEmitter::find_neighbours(llvm::Instruction& access,
                                                         const ComputedPlace& place,
                                                         unsigned piece) {
    const std::uint64_t size = data_.getTypeAllocSize(llvm::getLoadStoreType(&access));
    const bool has_one_index = !place.patterns.empty();
    const auto known = has_one_index ? place.patterns[piece] : std::nullopt;
    const LanePattern pattern = known.value_or(side_by_side(layout_.width));
    Neighbours found = place.address == nullptr ? compare_addresses(access, pattern, piece)
                                                : compare_indices(access, place, pattern, piece);
    // Too far apart, or not side by side.
    const bool has_form = known ? pays(pattern, access) : !has_one_index || place.stride == size;
    if (!has_form) found.are_there = builder_.getFalse();
    if (!known || !has_form) return found;
    strided_instructions_ += 2 * layout_.width;
    const std::int64_t least = *llvm::min_element(pattern);
    for (const std::int64_t lane : pattern) {
        found.elements.push_back(static_cast<unsigned>(lane - least));
    }
    // What lies between the lanes' elements is read as well.
    if (llvm::isa<llvm::LoadInst>(access)) {
        found.are_there = builder_.CreateAnd(found.are_there, masks_.is_full(mask_[piece]));
    }
    return found;
}

// Lanes are frozen: a dead one's may be poison, and the test reads lane 0's.
MemoryEmitter::Neighbours MemoryEmitter::compare_indices(llvm::Instruction& access,
                                                         const ComputedPlace& place,
                                                         const LanePattern& pattern,
                                                         unsigned piece) {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const std::uint64_t elements = place.stride / data_.getTypeAllocSize(type);
    Neighbours found;
    found.element = elements == 1 ? type : llvm::ArrayType::get(type, elements);
    found.lanes = builder_.CreateFreeze(values_.vector(place.index, piece));
    Value* first = builder_.CreateExtractElement(found.lanes, std::uint64_t{0});
    LanePattern steps = pattern;  // of the index
    for (std::int64_t& step : steps) step /= static_cast<std::int64_t>(elements);
    found.steps = steps;
    found.are_there = are_in_pattern(found.lanes, first, steps, piece);
    const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
    if (place.widening != NoWrap::Any) {
        found.are_there = builder_.CreateAnd(
            found.are_there, is_within(builder_, first, place.widening, *least, *most));
    }
    llvm::SmallVector<Value*, 4> indices;
    for (unsigned i = 1; i < place.address->getNumOperands(); ++i) {
        Value* index = place.address->getOperand(i);
        indices.push_back(i == place.position ? llvm::Constant::getNullValue(index->getType())
                                              : values_.scalar(index, piece));
    }
    Value* base = values_.scalar(place.address->getOperand(0), piece);
    base = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base,
                                       static_cast<std::uint64_t>(place.offset));
    found.row = builder_.CreateGEP(place.address->getSourceElementType(), base, indices);
    Value* lowest =
        builder_.CreateAdd(first, llvm::ConstantInt::getSigned(first->getType(), *least));
    found.start = builder_.CreateGEP(found.element, found.row, widened(lowest, place.widening));
    return found;
}

MemoryEmitter::Neighbours MemoryEmitter::compare_addresses(llvm::Instruction& access,
                                                           const LanePattern& pattern,
                                                           unsigned piece) {
    const auto size =
        static_cast<std::int64_t>(data_.getTypeAllocSize(llvm::getLoadStoreType(&access)));
    LanePattern steps = pattern;  // bytes
    for (std::int64_t& step : steps) step *= size;
    Neighbours found;
    Value* pointer = llvm::getLoadStorePointerOperand(&access);
    found.lanes = builder_.CreateFreeze(values_.vector(pointer, piece));
    Value* first = builder_.CreateExtractElement(found.lanes, std::uint64_t{0});
    llvm::Type* word = builder_.getInt64Ty();
    found.are_there = are_in_pattern(builder_.CreatePtrToInt(found.lanes, vector_of(word)),
                                     builder_.CreatePtrToInt(first, word), steps, piece);
    const std::int64_t least = *llvm::min_element(steps);
    found.start =
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), first, static_cast<std::uint64_t>(least));
    return found;
}

// Whether the living lanes are first + step of each.
Value* MemoryEmitter::are_in_pattern(Value* lanes, Value* first, const LanePattern& steps,
                                     unsigned piece) {
    Value* expected = builder_.CreateAdd(values_.splat(first), numbers(first->getType(), steps));
    Value* differs = builder_.CreateICmpNE(lanes, expected);
    Value* outside = builder_.CreateSelect(mask_[piece], differs,
                                           llvm::Constant::getNullValue(differs->getType()));
    return builder_.CreateNot(masks_.any_of(outside));
}

Value* MemoryEmitter::widened(Value* index, NoWrap widening) {
    llvm::Type* wide = builder_.getInt64Ty();
    if (index->getType()->isVectorTy()) wide = vector_of(wide);
    if (widening == NoWrap::Any) return index;
    return widening == NoWrap::Signed ? builder_.CreateSExt(index, wide)
                                      : builder_.CreateZExt(index, wide);
}

// In the block of the gather or scatter, where code generation looks for a base and indices.
Value* MemoryEmitter::places_of(const Neighbours& found, NoWrap widening) {
    if (found.row == nullptr) return found.lanes;
    return builder_.CreateGEP(found.element, found.row, widened(found.lanes, widening));
}

Value* MemoryEmitter::load_found(llvm::LoadInst& load, const Neighbours& found, unsigned piece) {
    if (!found.elements.empty()) {
        const LanePattern lanes(found.elements.begin(), found.elements.end());
        if (pays_shuffled(lanes, load)) return load_shuffled(load, found.start, found.elements);
        return load_inserted(load, found.start, bytes_of(lanes, load), mask_[piece]);
    }
    return builder_.CreateMaskedLoad(vector_of(load.getType()), found.start, load.getAlign(),
                                     mask_[piece]);
}

void MemoryEmitter::store_found(llvm::StoreInst& store, Value* value, const Neighbours& found,
                                unsigned piece) {
    if (!found.elements.empty()) {
        const LanePattern lanes(found.elements.begin(), found.elements.end());
        if (pays_shuffled(lanes, store)) {
            return store_shuffled(store, value, found.start, found.elements, mask_[piece]);
        }
        const LanePattern bytes = bytes_of(lanes, store);
        masks_.all_or_some(
            mask_[piece],
            [&] {
                store_extracted(store, value, found.start, bytes, mask_[piece]);
                return Parts();
            },
            [&] {
                store_living(store, value, found.start, bytes, mask_[piece]);
                return Parts();
            });
        return;
    }
    store_neighbours(store, value, found.start, mask_[piece]);
}

Value* MemoryEmitter::load_computed(llvm::LoadInst& load, const ComputedPlace& place,
                                    unsigned piece) {
    state_.note_access(load, AccessForm::Gather);
    const Neighbours found = find_neighbours(load, place, piece);
    llvm::FixedVectorType* type = vector_of(load.getType());
    const auto gather = [&] {
        return Parts{builder_.CreateMaskedGather(type, places_of(found, place.widening),
                                                 load.getAlign(), mask_[piece])};
    };
    return masks_.either(
        found.are_there, [&] { return Parts{load_found(load, found, piece)}; },
        [&] {
            if (!may_have_runs(load, place, found)) return gather();
            const Runs runs = find_runs(place, found, piece);
            return masks_.either(
                runs.are_there, [&] { return Parts{load_runs(load, found, runs)}; }, gather);
        })[0];
}

void MemoryEmitter::store_computed(llvm::StoreInst& store, const ComputedPlace& place,
                                   unsigned piece) {
    Value* value = values_.vector(store.getValueOperand(), piece);
    const Neighbours found = find_neighbours(store, place, piece);
    masks_.either(
        found.are_there,
        [&] {
            store_found(store, value, found, piece);
            return Parts();
        },
        [&] {
            builder_.CreateMaskedScatter(value, places_of(found, place.widening), store.getAlign(),
                                         mask_[piece]);
            return Parts();
        });
}

// Where there is no gather, all pieces have neighbours or all lanes run one after the other.
Parts MemoryEmitter::load_computed_or_lane_by_lane(llvm::LoadInst& load,
                                                   const ComputedPlace& place) {
    std::vector<Neighbours> found;
    Value* are_there = all_neighbours(load, place, found);
    const auto lane_by_lane = [&] {
        const Values::Known before = values_.known();
        Parts parts = load_lane_by_lane(load);
        values_.restore(before);
        return parts;
    };
    const auto of_pieces = [&](llvm::function_ref<Value*(unsigned piece)> part) {
        Parts parts;
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) parts.push_back(part(piece));
        return parts;
    };
    const auto neighbours = [&] {
        return of_pieces([&](unsigned piece) { return load_found(load, found[piece], piece); });
    };
    const auto runs_or_lanes = [&] {
        const bool may_have = llvm::all_of(
            found, [&](const Neighbours& one) { return may_have_runs(load, place, one); });
        if (!may_have) return lane_by_lane();
        std::vector<Runs> runs;
        Value* have_runs = builder_.getTrue();
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            runs.push_back(find_runs(place, found[piece], piece));
            have_runs = builder_.CreateAnd(have_runs, runs.back().are_there);
        }
        return masks_.either(
            have_runs,
            [&] {
                return of_pieces(
                    [&](unsigned piece) { return load_runs(load, found[piece], runs[piece]); });
            },
            lane_by_lane);
    };
    return masks_.either(are_there, neighbours, runs_or_lanes);
}

void MemoryEmitter::store_computed_or_lane_by_lane(llvm::StoreInst& store,
                                                   const ComputedPlace& place) {
    std::vector<Neighbours> found;
    Parts values;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        values.push_back(values_.vector(store.getValueOperand(), piece));
    }
    Value* are_there = all_neighbours(store, place, found);
    masks_.either(
        are_there,
        [&] {
            for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
                store_found(store, values[piece], found[piece], piece);
            }
            return Parts();
        },
        [&] {
            const Values::Known before = values_.known();
            store_lane_by_lane(store, mask_);
            values_.restore(before);
            return Parts();
        });
}

Value* MemoryEmitter::all_neighbours(llvm::Instruction& access, const ComputedPlace& place,
                                     std::vector<Neighbours>& found) {
    Value* are_there = builder_.getTrue();
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        found.push_back(find_neighbours(access, place, piece));
        are_there = builder_.CreateAnd(are_there, found.back().are_there);
    }
    return are_there;
}

// --- Lanes in two runs, where a test for one has failed: rows end between two lanes. Of indices
// with rests of a division, like i / width * width + (i + 1) % width, one vector in every few is
// such a one; of those with quotients alone two places are read, each by several lanes.

bool MemoryEmitter::may_have_runs(llvm::LoadInst& load, const ComputedPlace& place,
                                  const Neighbours& found) const {
    if (found.row == nullptr || !place.is_guessed || !has_masked_rows(load)) return false;
    if (!found.elements.empty()) return has_one_place(found.elements);
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        if (found.steps[lane] != lane) return false;
    }
    return place.stride == data_.getTypeAllocSize(load.getType());
}

// One run contains the first lane, the other one the last. Either may be dead, and what it is taken
// for; then no living lane is in its run.
MemoryEmitter::Runs MemoryEmitter::find_runs(const ComputedPlace& place, const Neighbours& found,
                                             unsigned piece) {
    const unsigned last_lane = layout_.width - 1;
    llvm::Type* type = found.lanes->getType()->getScalarType();
    llvm::Constant* steps = numbers(type, found.steps);
    llvm::Constant* none = llvm::Constant::getNullValue(mask_[piece]->getType());
    Value* first = builder_.CreateExtractElement(found.lanes, std::uint64_t{0});
    Value* last = builder_.CreateExtractElement(found.lanes, std::uint64_t{last_lane});
    Value* second =
        builder_.CreateSub(last, llvm::ConstantInt::getSigned(type, found.steps[last_lane]));
    const auto is_in = [&](Value* start) {
        return builder_.CreateICmpEQ(found.lanes, builder_.CreateAdd(values_.splat(start), steps));
    };
    Runs runs;
    Value* in_first = is_in(first);
    runs.in_first = builder_.CreateSelect(mask_[piece], in_first, none);
    runs.in_second = builder_.CreateSelect(mask_[piece], builder_.CreateNot(in_first), none);
    Value* outside = builder_.CreateSelect(runs.in_second, builder_.CreateNot(is_in(second)), none);
    runs.are_there = builder_.CreateNot(masks_.any_of(outside));
    if (place.widening != NoWrap::Any) {
        for (Value* start : {first, second}) {
            Value* within = is_within(builder_, start, place.widening, 0, found.steps[last_lane]);
            runs.are_there = builder_.CreateAnd(runs.are_there, within);
        }
    }
    if (has_one_place(found.elements)) {  // both are read whatever the masks
        for (Value* lanes : {runs.in_first, runs.in_second}) {
            runs.are_there = builder_.CreateAnd(runs.are_there, masks_.any_of(lanes));
        }
    }
    const auto place_of = [&](Value* start) {
        return builder_.CreateGEP(found.element, found.row, widened(start, place.widening));
    };
    runs.first = place_of(first);
    runs.second = place_of(second);
    return runs;
}

Value* MemoryEmitter::load_runs(llvm::LoadInst& load, const Neighbours& found, const Runs& runs) {
    if (has_one_place(found.elements)) {
        const auto lanes_of = [&](Value* place) {
            return values_.splat(
                builder_.CreateAlignedLoad(load.getType(), place, load.getAlign()));
        };
        Value* first = lanes_of(runs.first);
        return builder_.CreateSelect(runs.in_first, first, lanes_of(runs.second));
    }
    llvm::FixedVectorType* type = vector_of(load.getType());
    Value* first = builder_.CreateMaskedLoad(type, runs.first, load.getAlign(), runs.in_first);
    return builder_.CreateMaskedLoad(type, runs.second, load.getAlign(), runs.in_second, first);
}

}  // namespace warpwise::cpu_compiler::gang
