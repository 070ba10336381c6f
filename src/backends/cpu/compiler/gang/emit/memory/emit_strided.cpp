// Accesses in constant steps other than the element's size, where all lanes are alive: whole
// vectors and shuffles. Elements between those of the lanes are loaded too, which lie between
// bytes that are accessed, so in their pages; stores leave them alone by a constant mask, or, in
// the block's own memory where there are no mask registers, store what they have loaded.
//
// Sixteen floats in steps of two are two loads and one shuffle, of 16 the loads and insertions that
// wider steps take: 2.3 ns on Zen 4, a gather 5.8. A gather or scatter is microcode there, and no
// quicker elsewhere. Stores without scatters are an extraction and a store a lane.
// Where lanes are missing and the target has neither, the others' places are chosen lane by lane.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/shuffles/merged_lanes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/ValueTracking.h>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

constexpr int kNone = llvm::PoisonMaskElem;

// Of each lane from the least one on.
LaneElements elements_in_steps(unsigned lanes, unsigned step, bool backwards) {
    LaneElements elements;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        elements.push_back((backwards ? lanes - 1 - lane : lane) * step);
    }
    return elements;
}

LanePattern bytes_in_steps(unsigned lanes, std::int64_t step) {
    LanePattern bytes;
    for (unsigned lane = 0; lane < lanes; ++lane) bytes.push_back(step * lane);
    return bytes;
}

bool is_known_dead(const Value* mask, unsigned lane) {
    auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    const llvm::Constant* bit = known ? known->getAggregateElement(lane) : nullptr;
    return bit != nullptr && bit->isNullValue();
}

// A constant that a few scalar accesses do.
bool has_few_lanes(const Value* mask) {
    auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    if (known == nullptr) return false;
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    std::size_t living = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) living += is_known_dead(mask, lane) ? 0 : 1;
    return living <= costs::kFewLanes;
}

// Known to be some lanes and none behind those.
bool has_first_lanes(const Value* mask) {
    if (!llvm::isa<llvm::Constant>(mask)) return false;
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    unsigned living = 0;
    while (living < lanes && !is_known_dead(mask, living)) ++living;
    for (unsigned lane = living; lane < lanes; ++lane) {
        if (!is_known_dead(mask, lane)) return false;
    }
    return living > 0;
}

unsigned span_of(const LaneElements& elements) {
    return *llvm::max_element(elements) + 1;
}

}  // namespace

bool MemoryEmitter::is_strided(const Value* address) const {
    Shape shape = shapes_.of(address);
    return shape.lane && *shape.lane != 0 &&
           strided_instructions_ < costs::kMostStridedInstructions;
}

// The step in elements, where vectors and shuffles are worth it; 0: they are not.
unsigned MemoryEmitter::shuffled_step(llvm::Instruction& access) const {
    if (!has_plain_lanes(state_, access)) return 0;
    const Shape shape = shapes_.of(llvm::getLoadStorePointerOperand(&access));
    const auto size =
        static_cast<std::int64_t>(data_.getTypeAllocSize(llvm::getLoadStoreType(&access)));
    if (!shape.lane || *shape.lane % size != 0) return 0;
    const std::uint64_t step = static_cast<std::uint64_t>(std::abs(*shape.lane / size));
    const std::uint64_t bytes = step * static_cast<std::uint64_t>(size) * layout_.width;
    const bool is_store = llvm::isa<llvm::StoreInst>(access);
    // Without gaps there is nothing that a mask would have to leave alone.
    const bool has_gaps = step > 1;
    if (is_store && has_gaps && !can_leave_gaps(state_, access)) return 0;
    const std::uint64_t most = is_store ? costs::kMostStoredVectors : costs::kMostShuffledVectors;
    return step > 0 && bytes <= most * state_.target.vector_bits() / 8 ? static_cast<unsigned>(step)
                                                                       : 0;
}

// Of a store: a scatter is better than a store a lane, where it is fast.
bool MemoryEmitter::has_strided_form(llvm::StoreInst& store) const {
    return is_strided(store.getPointerOperand()) &&
           (shuffled_step(store) != 0 || !has_vector_form(state_, store) ||
            !state_.target.has_fast_gathers());
}

// Whether lanes that are known are accessed one after the other, and others by `places` (a gather
// or scatter), if that is not null.
bool MemoryEmitter::is_known_by_lanes(const Value* mask, const Value* places) const {
    return llvm::isa<llvm::Constant>(mask) &&
           (places == nullptr || !state_.target.has_fast_gathers());
}

void MemoryEmitter::count_strided(const Value* address, bool is_shuffled) {
    const auto step = static_cast<std::uint64_t>(std::abs(*shapes_.of(address).lane));
    const std::uint64_t registers =
        llvm::divideCeil(step * layout_.width, state_.target.vector_bits() / 8);
    strided_instructions_ += 2 * (is_shuffled ? static_cast<unsigned>(registers) : layout_.width);
}

Value* MemoryEmitter::load_strided(llvm::LoadInst& load, unsigned piece, Value* mask) {
    state_.note_access(load, AccessForm::Strided);
    Value* address = load.getPointerOperand();
    const std::int64_t step = *shapes_.of(address).lane;
    const unsigned shuffled = shuffled_step(load);
    count_strided(address, shuffled != 0);
    Value* start = values_.scalar(address, piece);
    Value* places = has_vector_form(state_, load) ? values_.vector(address, piece) : nullptr;
    return masks_.all_or_some(
        mask,
        [&] {
            return Parts{
                shuffled ? load_in_steps(load, start, shuffled, step < 0, nullptr)
                         : load_inserted(load, start, bytes_in_steps(layout_.width, step), mask)};
        },
        [&] {
            if (shuffled != 0 && is_accessed_whole(state_, load) && !has_few_lanes(mask)) {
                return Parts{load_with_living_lane(load, mask, [&] {
                    return load_in_steps(load, start, shuffled, step < 0, nullptr);
                })};
            }
            if (shuffled != 0 && has_masked_rows(load) && !has_few_lanes(mask)) {
                return Parts{load_in_steps(load, start, shuffled, step < 0, mask)};
            }
            if (is_known_by_lanes(mask, places)) {
                return Parts{load_inserted(load, start, bytes_in_steps(layout_.width, step), mask)};
            }
            if (places == nullptr) {
                return Parts{load_living(load, start, step, mask)};
            }
            return Parts{load_some(load, places, piece, mask)};
        })[0];
}

// Behind a test for lanes. A dead one reads what the first living one does: a choice between two
// addresses takes less time than a loop, which guesses wrong where it ends.
Value* MemoryEmitter::load_living(llvm::LoadInst& load, Value* start, std::int64_t step,
                                  Value* mask) {
    Value* bits = masks_.bits_of({mask});
    return masks_.either(
        builder_.CreateICmpNE(bits, builder_.getInt64(0)),
        [&] {
            Value* first =
                builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue());
            Value* living = builder_.CreateGEP(
                builder_.getInt8Ty(), start,
                builder_.CreateMul(first, builder_.getInt64(static_cast<std::uint64_t>(step))));
            Value* lanes = llvm::PoisonValue::get(vector_of(load.getType()));
            for (unsigned lane = 0; lane < layout_.width; ++lane) {
                if (is_known_dead(mask, lane)) continue;
                Value* place = place_if_alive(bits, lane, start, step * lane, living);
                Value* element = builder_.CreateAlignedLoad(load.getType(), place, load.getAlign());
                lanes = builder_.CreateInsertElement(lanes, element, lane);
            }
            return Parts{lanes};
        },
        [&] { return Parts{llvm::PoisonValue::get(vector_of(load.getType()))}; })[0];
}

// Dead lanes write to a place that nothing reads.
void MemoryEmitter::store_living(llvm::StoreInst& store, Value* value, Value* start,
                                 const LanePattern& bytes, Value* mask) {
    Value* bits = masks_.bits_of({mask});
    llvm::AllocaInst* nowhere = state_.new_slot(store.getValueOperand()->getType(), "nowhere");
    nowhere->setAlignment(store.getAlign());
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        if (is_known_dead(mask, lane)) continue;
        Value* place = place_if_alive(bits, lane, start, bytes[lane], nowhere);
        builder_.CreateAlignedStore(builder_.CreateExtractElement(value, lane), place,
                                    store.getAlign());
    }
}

Value* MemoryEmitter::place_if_alive(Value* bits, unsigned lane, Value* start, std::int64_t bytes,
                                     Value* otherwise) {
    Value* place = place_behind(start, bytes);
    Value* bit = builder_.CreateAnd(bits, builder_.getInt64(std::uint64_t{1} << lane));
    return builder_.CreateSelect(builder_.CreateICmpNE(bit, builder_.getInt64(0)), place,
                                 otherwise);
}

Value* MemoryEmitter::place_behind(Value* start, std::int64_t bytes) {
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start,
                                       static_cast<std::uint64_t>(bytes));
}

Value* MemoryEmitter::load_in_steps(llvm::LoadInst& load, Value* start, unsigned step,
                                    bool backwards, Value* mask) {
    const LaneElements elements = elements_in_steps(layout_.width, step, backwards);
    if (backwards) start = place_of_least(start, load.getType(), elements);
    return load_shuffled(load, start, elements, mask);
}

// Of lanes that go backwards from `first`.
Value* MemoryEmitter::place_of_least(Value* first, llvm::Type* type, const LaneElements& elements) {
    const std::uint64_t bytes =
        (span_of(elements) - 1) * data_.getTypeAllocSize(type).getFixedValue();
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), first, -bytes);
}

Value* MemoryEmitter::load_inserted(llvm::LoadInst& load, Value* start, const LanePattern& bytes,
                                    const Value* mask) {
    Value* lanes = llvm::PoisonValue::get(vector_of(load.getType()));
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        if (is_known_dead(mask, lane)) continue;
        Value* place = place_behind(start, bytes[lane]);
        Value* element = builder_.CreateAlignedLoad(load.getType(), place, load.getAlign());
        lanes = builder_.CreateInsertElement(lanes, element, lane);
    }
    return lanes;
}

// Of the elements from `begin` on, those of living lanes. No two lanes have one.
Value* MemoryEmitter::mask_of_elements(const LaneElements& elements, Value* lanes, unsigned begin,
                                       unsigned length) {
    llvm::SmallVector<int> sources(length, static_cast<int>(layout_.width));  // none
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        const unsigned element = elements[lane];
        if (element >= begin && element < begin + length) {
            sources[element - begin] = static_cast<int>(lane);
        }
    }
    return builder_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()),
                                        sources);
}

// In shared memory rows begin at multiples of their size, counted from a pointer that accesses of
// several places in a level have in common: they load the same rows. Rows that are one vector stay
// where they are: there the lanes' own neighbours have stored what they load, as it lies.
Value* MemoryEmitter::move_to_grid(llvm::Instruction& access, Value* start, unsigned length,
                                   LaneElements& elements) {
    const unsigned span = span_of(elements);
    if (span <= length || !is_in_shared(llvm::getLoadStorePointerOperand(&access))) return start;
    const auto size =
        static_cast<std::int64_t>(data_.getTypeAllocSize(llvm::getLoadStoreType(&access)));
    std::int64_t offset = 0;
    llvm::GetPointerBaseWithConstantOffset(start, offset, data_);
    const std::int64_t row = length * size, behind = (offset % row + row) % row;
    const auto moved = static_cast<unsigned>(behind / size);
    const bool has_more_rows =
        llvm::divideCeil(span + moved, length) > llvm::divideCeil(span, length);
    if (behind % size != 0 || has_more_rows) return start;
    for (unsigned& element : elements) element += moved;
    return place_behind(start, -behind);
}

// The last vector ends with the last element: nothing behind it is read, but of shared memory,
// which no other memory lies close to. With a mask, nothing is read of what dead lanes would.
Value* MemoryEmitter::load_shuffled(llvm::LoadInst& load, Value* start, LaneElements elements,
                                    Value* mask) {
    const auto size = static_cast<unsigned>(data_.getTypeAllocSize(load.getType()));
    const unsigned full = state_.target.vector_bits() / 8 / size;
    start = move_to_grid(load, start, full, elements);
    const unsigned span = span_of(elements);
    const bool is_whole = span > full && is_in_shared(load.getPointerOperand());
    const unsigned length = is_whole ? full : std::min(full, llvm::bit_floor(span));
    auto* row_type = llvm::FixedVectorType::get(load.getType(), length);
    const llvm::Align alignment = std::min(load.getAlign(), llvm::Align(size));
    MergedLanes lanes(builder_, layout_.width);
    for (unsigned row = 0; row * length < span; ++row) {
        const unsigned begin = is_whole ? row * length : std::min(row * length, span - length);
        Value* place =
            builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, std::uint64_t{begin} * size);
        Value* loaded = nullptr;
        if (mask == nullptr) {
            loaded = builder_.CreateAlignedLoad(row_type, place, alignment);
        } else {
            Value* living = mask_of_elements(elements, mask, begin, length);
            loaded = builder_.CreateMaskedLoad(row_type, place, alignment, living);
        }
        lanes.add(loaded, [&](unsigned lane) -> std::optional<unsigned> {
            const unsigned element = elements[lane];
            if (element < begin || element >= begin + length) return std::nullopt;
            return element - begin;
        });
    }
    return lanes.value();
}

void MemoryEmitter::store_strided(llvm::StoreInst& store, unsigned piece) {
    Value* address = store.getPointerOperand();
    const std::int64_t step = *shapes_.of(address).lane;
    const unsigned shuffled = shuffled_step(store);
    count_strided(address, shuffled != 0);
    state_.note_access(store, AccessForm::Strided);
    Value* value = values_.vector(store.getValueOperand(), piece);
    Value* start = values_.scalar(address, piece);
    Value* places = has_vector_form(state_, store) ? values_.vector(address, piece) : nullptr;
    const LanePattern bytes = bytes_in_steps(layout_.width, step);
    masks_.all_or_some(
        mask_[piece],
        [&] {
            if (shuffled) {
                store_in_steps(store, value, start, shuffled, step < 0, nullptr);
            } else {
                store_extracted(store, value, start, bytes, mask_[piece]);
            }
            return Parts();
        },
        [&] {
            const bool has_rows = has_masked_rows(store) || is_accessed_whole(state_, store);
            if (shuffled != 0 && has_rows && !has_few_lanes(mask_[piece])) {
                store_in_steps(store, value, start, shuffled, step < 0, mask_[piece]);
            } else if (is_known_by_lanes(mask_[piece], places)) {
                store_extracted(store, value, start, bytes, mask_[piece]);
            } else if (places == nullptr) {
                store_living(store, value, start, bytes, mask_[piece]);
            } else {
                store_some(store, value, places, piece);
            }
            return Parts();
        });
}

void MemoryEmitter::store_in_steps(llvm::StoreInst& store, Value* value, Value* start,
                                   unsigned step, bool backwards, Value* mask) {
    const LaneElements elements = elements_in_steps(layout_.width, step, backwards);
    if (backwards) start = place_of_least(start, store.getValueOperand()->getType(), elements);
    if (step == 1 && mask == nullptr) {
        builder_.CreateAlignedStore(builder_.CreateVectorReverse(value), start, store.getAlign());
        return;
    }
    if (mask == nullptr) mask = llvm::Constant::getAllOnesValue(mask_[0]->getType());
    store_shuffled(store, value, start, elements, mask);
}

// In the order of the lanes, as a loop over them would.
void MemoryEmitter::store_extracted(llvm::StoreInst& store, Value* value, Value* start,
                                    const LanePattern& bytes, const Value* mask) {
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        if (is_known_dead(mask, lane)) continue;
        Value* place = place_behind(start, bytes[lane]);
        builder_.CreateAlignedStore(builder_.CreateExtractElement(value, lane), place,
                                    store.getAlign());
    }
}

// Rows without a living lane are as near to one as others.
void MemoryEmitter::store_shuffled(llvm::StoreInst& store, Value* value, Value* start,
                                   const LaneElements& elements, Value* mask) {
    with_living_lane(store, mask,
                     [&] { store_shuffled_rows(store, value, start, elements, mask); });
}

// What stores some elements of rows runs only if one is.
void MemoryEmitter::with_living_lane(llvm::StoreInst& store, Value* mask,
                                     llvm::function_ref<void()> write) {
    if (!is_accessed_whole(state_, store) || llvm::isa<llvm::Constant>(mask)) return write();
    masks_.either(
        masks_.any_of(mask),
        [&] {
            write();
            return Parts();
        },
        [] { return Parts(); });
}

Value* MemoryEmitter::load_with_living_lane(llvm::LoadInst& load, Value* mask,
                                            llvm::function_ref<Value*()> read) {
    if (llvm::isa<llvm::Constant>(mask)) return read();
    Value* none = llvm::PoisonValue::get(vector_of(load.getType()));
    return masks_.either(
        masks_.any_of(mask), [&] { return Parts{read()}; }, [&] { return Parts{none}; })[0];
}

// AVX2 has no masked loads of 8 and 16 bits.
Value* MemoryEmitter::load_neighbours(llvm::LoadInst& load, Value* place, Value* mask) {
    llvm::FixedVectorType* type = vector_of(load.getType());
    if (!is_accessed_whole(state_, load) || has_masked_rows(load)) {
        return builder_.CreateMaskedLoad(type, place, load.getAlign(), mask);
    }
    return load_with_living_lane(
        load, mask, [&] { return builder_.CreateAlignedLoad(type, place, load.getAlign()); });
}

// The first so many lanes stay a masked store, as in the levels of a tree: the passes few-lanes and
// forward-stores make others of it.
void MemoryEmitter::store_neighbours(llvm::StoreInst& store, Value* value, Value* place,
                                     Value* mask) {
    if (has_first_lanes(mask)) {
        builder_.CreateMaskedStore(value, place, store.getAlign(), mask);
        return;
    }
    with_living_lane(store, mask,
                     [&] { store_some_of_row(store, value, place, store.getAlign(), mask); });
}

void MemoryEmitter::store_shuffled_rows(llvm::StoreInst& store, Value* value, Value* start,
                                        LaneElements elements, Value* mask) {
    llvm::Type* type = store.getValueOperand()->getType();
    const auto size = static_cast<unsigned>(data_.getTypeAllocSize(type));
    const unsigned length = state_.target.vector_bits() / 8 / size;
    start = move_to_grid(store, start, length, elements);
    const llvm::Align alignment = std::min(store.getAlign(), llvm::Align(size));
    for (unsigned begin = 0; begin < span_of(elements); begin += length) {
        llvm::SmallVector<int> lanes(length, kNone);
        bool has_any = false;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            if (elements[lane] < begin || elements[lane] >= begin + length) continue;
            lanes[elements[lane] - begin] = static_cast<int>(lane);
            has_any = true;
        }
        if (!has_any) continue;
        Value* place =
            builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, std::uint64_t{begin} * size);
        Value* mask_of_row = mask_of_elements(elements, mask, begin, length);
        store_some_of_row(store, builder_.CreateShuffleVector(value, lanes), place, alignment,
                          mask_of_row);
    }
}

// `store`: one that the row belongs to.
void MemoryEmitter::store_some_of_row(llvm::StoreInst& store, Value* row, Value* place,
                                      llvm::Align alignment, Value* mask) {
    if (!is_accessed_whole(state_, store)) {
        builder_.CreateMaskedStore(row, place, alignment, mask);
        return;
    }
    Value* before = builder_.CreateAlignedLoad(row->getType(), place, alignment);
    builder_.CreateAlignedStore(builder_.CreateSelect(mask, row, before), place, alignment);
}

}  // namespace warpwise::cpu_compiler::gang
