// Accesses to computed places (emit/computed_place.hpp): a test whether the living lanes have
// neighbouring elements, in their order, and a vector access where they have. Three instructions a
// vector, of 32-bit indices, against 26 operations of a gather or scatter and more.
#include "src/backends/cpu/compiler/gang/emit/memory_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

// Whether `first` and the lanes behind it stay within the narrow index's range.
Value* is_within(llvm::IRBuilder<>& builder, Value* first, NoWrap widening, unsigned width) {
    const unsigned bits = first->getType()->getIntegerBitWidth();
    if (widening == NoWrap::Signed) {
        const llvm::APInt most = llvm::APInt::getSignedMaxValue(bits) - (width - 1);
        return builder.CreateICmpSLE(first, builder.getInt(most));
    }
    return builder.CreateICmpULE(first,
                                 builder.getInt(llvm::APInt::getMaxValue(bits) - (width - 1)));
}

}  // namespace

// Lanes are frozen: a dead one's may be poison, and the test reads lane 0's.
MemoryEmitter::Neighbours MemoryEmitter::find_neighbours(llvm::Instruction& access,
                                                         const ComputedPlace& place,
                                                         unsigned piece) {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    if (place.address == nullptr) {
        return find_neighbours(llvm::getLoadStorePointerOperand(&access), type, piece);
    }
    Neighbours found;
    Value* lanes = builder_.CreateFreeze(values_.vector(place.index, piece));
    Value* first = builder_.CreateExtractElement(lanes, std::uint64_t{0});
    Value* expected = builder_.CreateAdd(values_.splat(first), values_.steps(first->getType(), 1));
    Value* differs = builder_.CreateICmpNE(lanes, expected);
    Value* astray = builder_.CreateSelect(mask_[piece], differs,
                                          llvm::Constant::getNullValue(differs->getType()));
    found.are_there = builder_.CreateNot(masks_.any_of(astray));
    if (place.widening != NoWrap::Any) {
        found.are_there = builder_.CreateAnd(
            found.are_there, is_within(builder_, first, place.widening, layout_.width));
    }
    llvm::SmallVector<Value*, 4> indices;
    for (unsigned i = 1; i < place.address->getNumOperands(); ++i) {
        Value* index = place.address->getOperand(i);
        indices.push_back(i == place.position ? llvm::Constant::getNullValue(index->getType())
                                              : values_.scalar(index, piece));
    }
    Value* base = values_.scalar(const_cast<Value*>(place.address->getPointerOperand()), piece);
    base = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base,
                                       static_cast<std::uint64_t>(place.offset));
    found.row = builder_.CreateGEP(place.address->getSourceElementType(), base, indices);
    found.lanes = lanes;
    found.start = builder_.CreateGEP(type, found.row, widened(first, place.widening));
    return found;
}

// By the whole addresses.
MemoryEmitter::Neighbours MemoryEmitter::find_neighbours(Value* pointer, llvm::Type* type,
                                                         unsigned piece) {
    Neighbours found;
    found.lanes = builder_.CreateFreeze(values_.vector(pointer, piece));
    found.start = builder_.CreateExtractElement(found.lanes, std::uint64_t{0});
    llvm::Type* word = builder_.getInt64Ty();
    found.are_there = are_in_steps(builder_.CreatePtrToInt(found.lanes, vector_of(word)),
                                   builder_.CreatePtrToInt(found.start, word),
                                   static_cast<std::int64_t>(data_.getTypeAllocSize(type)), piece);
    return found;
}

// Whether the living lanes are first, first + step, first + 2 * step ...
Value* MemoryEmitter::are_in_steps(Value* lanes, Value* first, std::int64_t step, unsigned piece) {
    Value* expected =
        builder_.CreateAdd(values_.splat(first), values_.steps(first->getType(), step));
    Value* differs = builder_.CreateICmpNE(lanes, expected);
    Value* astray = builder_.CreateSelect(mask_[piece], differs,
                                          llvm::Constant::getNullValue(differs->getType()));
    return builder_.CreateNot(masks_.any_of(astray));
}

Value* MemoryEmitter::widened(Value* index, NoWrap widening) {
    llvm::Type* wide = builder_.getInt64Ty();
    if (index->getType()->isVectorTy()) wide = vector_of(wide);
    if (widening == NoWrap::Any) return index;
    return widening == NoWrap::Signed ? builder_.CreateSExt(index, wide)
                                      : builder_.CreateZExt(index, wide);
}

// In the block of the gather or scatter, where code generation looks for a base and indices.
Value* MemoryEmitter::places_of(const Neighbours& found, llvm::Type* type, NoWrap widening) {
    if (found.row == nullptr) return found.lanes;
    return builder_.CreateGEP(type, found.row, widened(found.lanes, widening));
}

Value* MemoryEmitter::load_computed(llvm::LoadInst& load, const ComputedPlace& place,
                                    unsigned piece) {
    state_.note_access(load, AccessForm::Gather);
    const Neighbours found = find_neighbours(load, place, piece);
    llvm::FixedVectorType* type = vector_of(load.getType());
    return masks_.either(
        found.are_there,
        [&] {
            return Parts{
                builder_.CreateMaskedLoad(type, found.start, load.getAlign(), mask_[piece])};
        },
        [&] {
            return Parts{
                builder_.CreateMaskedGather(type, places_of(found, load.getType(), place.widening),
                                            load.getAlign(), mask_[piece])};
        })[0];
}

void MemoryEmitter::store_computed(llvm::StoreInst& store, const ComputedPlace& place,
                                   unsigned piece) {
    llvm::Type* type = store.getValueOperand()->getType();
    Value* value = values_.vector(store.getValueOperand(), piece);
    const Neighbours found = find_neighbours(store, place, piece);
    masks_.either(
        found.are_there,
        [&] {
            builder_.CreateMaskedStore(value, found.start, store.getAlign(), mask_[piece]);
            return Parts();
        },
        [&] {
            builder_.CreateMaskedScatter(value, places_of(found, type, place.widening),
                                         store.getAlign(), mask_[piece]);
            return Parts();
        });
}

// Where there is no gather, all pieces have neighbours or all lanes run one after the other.
void MemoryEmitter::load_computed_or_lane_by_lane(llvm::LoadInst& load,
                                                  const ComputedPlace& place) {
    std::vector<Neighbours> found;
    Value* are_there = all_neighbours(load, place, found);
    values_.define(load, masks_.either(
                             are_there,
                             [&] {
                                 Parts parts;
                                 for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
                                     parts.push_back(builder_.CreateMaskedLoad(
                                         vector_of(load.getType()), found[piece].start,
                                         load.getAlign(), mask_[piece]));
                                 }
                                 return parts;
                             },
                             [&] {
                                 const Values::Known before = values_.known();
                                 Parts parts = load_lane_by_lane(load);
                                 values_.restore(before);
                                 return parts;
                             }));
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
                builder_.CreateMaskedStore(values[piece], found[piece].start, store.getAlign(),
                                           mask_[piece]);
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

}  // namespace warpwise::cpu_compiler::gang
