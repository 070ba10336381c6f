// Loads and stores, by the shape of the address: one scalar access, one vector
// access, a gather or scatter, or lane by lane.
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/state/lane_loop.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

template <class Access>
void copy_access(const Access& from, Access& to) {
    to.setAlignment(from.getAlign());
    to.setVolatile(from.isVolatile());
    to.setAtomic(from.getOrdering(), from.getSyncScopeID());
}

// Known to have no lane.
bool is_empty(const Value* mask) {
    auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    return known != nullptr && known->isNullValue();
}

}  // namespace

void MemoryEmitter::write_alloca(llvm::AllocaInst& local) {
    std::uint64_t bytes = local.getAllocationSize(data_)->getFixedValue();
    if (!interleaved_bytes(local)) bytes *= layout_.lanes();
    llvm::AllocaInst* lanes =
        state_.new_slot(llvm::ArrayType::get(builder_.getInt8Ty(), bytes), "local");
    lanes->setAlignment(local.getAlign());
    values_.define_global(&local, {lanes});
}

// Vector accesses have no volatile form; this keeps them in their order, and
// each one real.
void MemoryEmitter::fence_compiler() {
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::SingleThread);
}

void MemoryEmitter::write_load(llvm::LoadInst& load) {
    if (load_by_runs(load) || load_by_period(load) || load_by_columns(load)) return;
    values_.define(load, load_parts(load));
}

Parts MemoryEmitter::load_parts(llvm::LoadInst& load) {
    Shape shape = shapes_.of(&load);
    llvm::Type* type = load.getType();
    bool is_scalar = shape.has_scalars();
    const bool has_steps =
        load.isSimple() && has_plain_lanes(state_, load) && is_strided(load.getPointerOperand());
    const auto place =
        has_plain_lanes(state_, load) ? computed_place(load, shapes_, layout_) : std::nullopt;
    if (!is_scalar && !has_steps && !has_vector_form(state_, load)) {
        // Of several pieces; of one that there is, single or not, the vector is its own.
        const bool serves_all = shape.is_single() && layout_.pieces > 1;
        if (place && !serves_all) return load_computed_or_lane_by_lane(load, *place);
        return load_lane_by_lane(load);
    }
    if (!values_.is_writing_one_piece() && is_row_of_bytes(state_, load)) {
        return load_row_of_bytes(load);
    }
    if (load.isVolatile()) fence_compiler();
    if (!is_scalar && is_contiguous(state_, load.getPointerOperand(), type)) prefetch_ahead(load);
    Parts parts;
    for (unsigned part : values_.parts_to_write(shape)) {
        parts.push_back(load_part(load, shape, place, part));
    }
    if (load.isVolatile()) fence_compiler();
    return parts;
}

Value* MemoryEmitter::load_part(llvm::LoadInst& load, const Shape& result,
                                const std::optional<ComputedPlace>& place, unsigned piece) {
    Value* address = load.getPointerOperand();
    if (result.has_scalars()) {
        if (!result.is_uniform()) return load_row(load, piece);
        auto* copy = llvm::cast<llvm::LoadInst>(load.clone());
        copy->setOperand(0, values_.scalar(address, 0));
        return builder_.Insert(copy);
    }
    Value* mask = masks_.mask_for(result, piece);
    if (is_empty(mask)) return llvm::PoisonValue::get(vector_of(load.getType()));
    llvm::FixedVectorType* type = vector_of(load.getType());
    if (is_contiguous(state_, address, load.getType())) {
        state_.note_access(load, AccessForm::Vector);
        return load_neighbours(load, values_.scalar(address, piece), mask);
    }
    if (is_strided(address) && !load.isVolatile()) return load_strided(load, piece, mask);
    if (!has_vector_form(state_, load)) return load_piece_lane_by_lane(load, piece);
    if (place && mask == mask_[piece]) return load_computed(load, *place, piece);
    state_.note_access(load, AccessForm::Gather);
    return builder_.CreateMaskedGather(type, values_.vector(address, piece), load.getAlign(), mask);
}

// All pieces whole where they lie in one page, by one test; a search through a text leaves its loop
// for each vector by itself, and a branch for each was foreseen badly.
Parts MemoryEmitter::load_row_of_bytes(llvm::LoadInst& load) {
    llvm::FixedVectorType* type = vector_of(load.getType());
    const std::uint64_t page = state_.target.page_bytes();
    Parts places;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        places.push_back(values_.scalar(load.getPointerOperand(), piece));
    }
    Value* number = builder_.CreatePtrToInt(places[0], builder_.getInt64Ty());
    Value* is_in_one_page = builder_.CreateICmpULE(builder_.CreateAnd(number, page - 1),
                                                   builder_.getInt64(page - layout_.lanes()));
    state_.note_access(load, AccessForm::Vector);
    return masks_.either(
        is_in_one_page,
        [&] {
            Parts whole;
            for (Value* place : places) {
                whole.push_back(builder_.CreateAlignedLoad(type, place, load.getAlign()));
            }
            return whole;
        },
        [&] {
            Parts masked;
            for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
                masked.push_back(load_neighbours(load, places[piece], mask_[piece]));
            }
            return masked;
        });
}

// One address a row. A dead row reads that of a living one.
Value* MemoryEmitter::load_row(llvm::LoadInst& load, unsigned piece) {
    Value* place = values_.is_writing_one_piece()
                       ? values_.scalar(load.getPointerOperand(), piece)
                       : place_of_living_row(load.getPointerOperand(), piece);
    llvm::LoadInst* value = builder_.CreateLoad(load.getType(), place);
    copy_access(load, *value);
    return value;
}

Value* MemoryEmitter::place_of_living_row(Value* address, unsigned piece) {
    Value* own = values_.scalar(address, piece);
    Value* place = values_.scalar(address, 0);
    for (unsigned other = 1; other < layout_.pieces; ++other) {
        place = builder_.CreateSelect(masks_.any_of(mask_[other]), values_.scalar(address, other),
                                      place);
    }
    return builder_.CreateSelect(masks_.any_of(mask_[piece]), own, place);
}

Parts MemoryEmitter::load_lane_by_lane(llvm::LoadInst& load) {
    const unsigned count = values_.count_of_parts(shapes_.of(&load));
    Parts mask = mask_;
    if (count < mask.size()) {  // one vector for all rows, of which the first may be dead
        mask = mask_of(0);
        mask[0] = masks_.mask_for(shapes_.of(&load), 0);
    }
    const bool may_insert = load.isSimple() && has_plain_lanes(state_, load) &&
                            !values_.is_writing_one_piece() &&
                            strided_instructions_ < costs::kMostStridedInstructions;
    if (!may_insert) return load_lanes(load, mask, count);
    Value* are_full = builder_.getTrue();
    for (unsigned part = 0; part < count; ++part) {
        are_full = builder_.CreateAnd(are_full, masks_.is_full(mask[part]));
    }
    const auto restored = [&](llvm::function_ref<Parts()> write) {
        const Values::Known before = values_.known();
        Parts parts = write();
        values_.restore(before);
        return parts;
    };
    const auto insert = [&] { return load_inserted_anywhere(load, count); };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(are_full);
    if (known != nullptr && known->isOne()) return insert();
    const auto loop = [&] { return load_lanes(load, mask, count); };
    if (known != nullptr) return loop();
    return masks_.either(
        are_full, [&] { return restored(insert); }, [&] { return restored(loop); });
}

// Of all lanes: faster than a loop over them.
Parts MemoryEmitter::load_inserted_anywhere(llvm::LoadInst& load, unsigned count) {
    Parts parts;
    for (unsigned piece = 0; piece < count; ++piece) {
        strided_instructions_ += 2 * layout_.width;
        const LanePlaces places = places_of_lanes(load, piece);
        Value* lanes = llvm::PoisonValue::get(vector_of(load.getType()));
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            Value* place = place_of_lane(places, builder_.CreateExtractElement(places.lanes, lane));
            Value* element = builder_.CreateAlignedLoad(load.getType(), place, load.getAlign());
            lanes = builder_.CreateInsertElement(lanes, element, lane);
        }
        parts.push_back(lanes);
    }
    return parts;
}

// Of an index of 32 bits behind what all lanes share, that index: half of the registers.
MemoryEmitter::LanePlaces MemoryEmitter::places_of_lanes(llvm::LoadInst& load, unsigned piece) {
    Value* pointer = load.getPointerOperand();
    LanePlaces places{.lanes = nullptr};
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    const bool has_one_index = address != nullptr && address->getNumIndices() == 1 &&
                               shapes_.of(address->getPointerOperand()).is_uniform() &&
                               (!llvm::isa<llvm::Instruction>(address->getPointerOperand()) ||
                                values_.is_made(address->getPointerOperand()));
    auto* widening =
        has_one_index ? llvm::dyn_cast<llvm::CastInst>(address->getOperand(1)) : nullptr;
    const bool is_widened =
        widening != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(widening) &&
        widening->getSrcTy()->isIntegerTy(32) && values_.is_made(widening->getOperand(0)) &&
        !shapes_.of(widening->getOperand(0)).has_scalars();
    if (!is_widened) {
        places.lanes = values_.vector(pointer, piece);
        return places;
    }
    places.lanes = values_.vector(widening->getOperand(0), piece);
    places.base = values_.scalar(address->getPointerOperand(), piece);
    places.element = address->getSourceElementType();
    places.widening = widening->getOpcode();
    return places;
}

Value* MemoryEmitter::place_of_lane(const LanePlaces& places, Value* lane) {
    if (places.base == nullptr) return lane;
    Value* index = builder_.CreateCast(places.widening, lane, builder_.getInt64Ty());
    return builder_.CreateGEP(places.element, places.base, index);
}

Parts MemoryEmitter::load_lanes(llvm::LoadInst& load, const Parts& mask, unsigned count) {
    LaneLoop loop(context_, mask);
    unsigned address = loop.add_operand(load.getPointerOperand());
    unsigned result = loop.add_result(load.getType());
    loop.begin();
    llvm::LoadInst* value = builder_.CreateLoad(load.getType(), loop.operand(address));
    copy_access(load, *value);
    loop.set_result(result, value);
    loop.end();
    Parts parts = loop.result(result);
    parts.resize(count);
    return parts;
}

Parts MemoryEmitter::mask_of(unsigned piece) const {
    Parts mask(layout_.pieces, llvm::Constant::getNullValue(mask_[0]->getType()));
    mask[piece] = mask_[piece];
    return mask;
}

Value* MemoryEmitter::load_piece_lane_by_lane(llvm::LoadInst& load, unsigned piece) {
    const Values::Known before = values_.known();
    Value* lanes = load_lanes(load, mask_of(piece), layout_.pieces)[piece];
    values_.restore(before);
    return lanes;
}

void MemoryEmitter::store_piece_lane_by_lane(llvm::StoreInst& store, unsigned piece) {
    const Values::Known before = values_.known();
    store_lane_by_lane(store, mask_of(piece));
    values_.restore(before);
}

void MemoryEmitter::write_store(llvm::StoreInst& store) {
    Value* address = store.getPointerOperand();
    Value* value = store.getValueOperand();
    if (shapes_.of(address).is_uniform()) {
        if (!shapes_.of(value).is_uniform()) return store_last_lane(store);
        auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
        copy->setOperand(0, values_.scalar(value, 0));
        copy->setOperand(1, values_.scalar(address, 0));
        builder_.Insert(copy);
        return;
    }
    if (!store_by_period(store) && !store_by_columns(store)) store_lanes(store);
}

void MemoryEmitter::store_lanes(llvm::StoreInst& store) {
    Value* address = store.getPointerOperand();
    Value* value = store.getValueOperand();
    const bool has_steps =
        store.isSimple() && has_plain_lanes(state_, store) && has_strided_form(store);
    const auto place =
        has_plain_lanes(state_, store) ? computed_place(store, shapes_, layout_) : std::nullopt;
    if (!has_steps && !has_vector_form(state_, store)) {
        return place ? store_computed_or_lane_by_lane(store, *place)
                     : store_lane_by_lane(store, mask_);
    }
    if (store.isVolatile()) fence_compiler();
    if (is_contiguous(state_, address, value->getType())) prefetch_ahead(store);
    for (unsigned piece : values_.pieces_to_write()) store_part(store, place, piece);
    if (store.isVolatile()) fence_compiler();
}

void MemoryEmitter::store_part(llvm::StoreInst& store, const std::optional<ComputedPlace>& place,
                               unsigned piece) {
    Value* address = store.getPointerOperand();
    Value* value = store.getValueOperand();
    if (is_empty(mask_[piece])) return;
    const bool is_vector = is_contiguous(state_, address, value->getType());
    if (!is_vector && store.isSimple() && has_strided_form(store)) {
        return store_strided(store, piece);
    }
    if (!has_vector_form(state_, store)) return store_piece_lane_by_lane(store, piece);
    state_.note_access(store, is_vector ? AccessForm::Vector : AccessForm::Scatter);
    if (is_vector) {
        store_vector(store, piece);
    } else if (place) {
        store_computed(store, *place, piece);
    } else {
        builder_.CreateMaskedScatter(values_.vector(value, piece), values_.vector(address, piece),
                                     store.getAlign(), mask_[piece]);
    }
}

void MemoryEmitter::store_vector(llvm::StoreInst& store, unsigned piece) {
    Value* lanes = values_.vector(store.getValueOperand(), piece);
    Value* place = values_.scalar(store.getPointerOperand(), piece);
    const auto readers = state_.own_elements.readers_of(store);
    const bool may_be_whole = readers.has_value() && !state_.target.has_mask_registers() &&
                              !llvm::isa<llvm::Constant>(mask_[piece]);
    if (!may_be_whole) return store_neighbours(store, lanes, place, mask_[piece]);
    const Parts read = masks_.with_numbers(*readers, masks_.load(state_.plan[*readers].mask_owner));
    masks_.all_or_some(
        read[piece],
        [&] {
            Value* before = builder_.CreateAlignedLoad(lanes->getType(), place, store.getAlign());
            Value* after = builder_.CreateSelect(mask_[piece], lanes, before);
            builder_.CreateAlignedStore(after, place, store.getAlign());
            return Parts();
        },
        [&] {
            store_neighbours(store, lanes, place, mask_[piece]);
            return Parts();
        });
}

// All lanes write one place: the last one's value stays, as if they ran one
// after the other.
void MemoryEmitter::store_last_lane(llvm::StoreInst& store) {
    Value* value = store.getValueOperand();
    Value* address = values_.scalar(store.getPointerOperand(), 0);
    LaneLoop lanes(context_, mask_);
    unsigned operand = lanes.add_operand(value);
    lanes.begin();
    auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
    copy->setOperand(0, lanes.operand(operand));
    copy->setOperand(1, address);
    builder_.Insert(copy);
    lanes.end();
}

void MemoryEmitter::store_lane_by_lane(llvm::StoreInst& store, const Parts& mask) {
    LaneLoop loop(context_, mask);
    unsigned value = loop.add_operand(store.getValueOperand());
    unsigned address = loop.add_operand(store.getPointerOperand());
    loop.begin();
    llvm::StoreInst* copy = builder_.CreateStore(loop.operand(value), loop.operand(address));
    copy_access(store, *copy);
    loop.end();
}

}  // namespace warpwise::cpu_compiler::gang
