// Loads and stores, by the shape of the address: one scalar access, one vector access, a gather or
// scatter, or lane by lane.
#include "src/backends/cpu/compiler/gang/emit/lane_loop.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

// Elements that lie in a vector as they lie in memory.
bool is_plain(llvm::Type* type, const llvm::DataLayout& data) {
    bool is_element = type->isIntegerTy() || type->isPointerTy() || type->isFloatingPointTy();
    return is_element && !type->isX86_FP80Ty() &&
           data.getTypeSizeInBits(type) == data.getTypeAllocSizeInBits(type) &&
           data.getTypeSizeInBits(type) <= 64;
}

template <class Access>
void copy_access(const Access& from, Access& to) {
    to.setAlignment(from.getAlign());
    to.setVolatile(from.isVolatile());
    to.setAtomic(from.getOrdering(), from.getSyncScopeID());
}

}  // namespace

void Emitter::write_alloca(llvm::AllocaInst& local) {
    std::uint64_t bytes = local.getAllocationSize(data_)->getFixedValue();
    llvm::AllocaInst* lanes =
        new_slot(llvm::ArrayType::get(builder_.getInt8Ty(), bytes * layout_.lanes()), "local");
    lanes->setAlignment(local.getAlign());
    globals_[&local] = {lanes};
}

bool Emitter::is_contiguous(const Value* address, llvm::Type* type) const {
    Shape shape = shapes_.of(address);
    return shape.lane && is_plain(type, data_) &&
           *shape.lane == static_cast<std::int64_t>(data_.getTypeAllocSize(type));
}

bool Emitter::can_gather(llvm::Type* type, llvm::Align alignment) const {
    return is_plain(type, data_) && target_.isLegalMaskedGather(vector_of(type), alignment) &&
           !target_.forceScalarizeMaskedGather(vector_of(type), alignment);
}

bool Emitter::can_scatter(llvm::Type* type, llvm::Align alignment) const {
    return is_plain(type, data_) && target_.isLegalMaskedScatter(vector_of(type), alignment) &&
           !target_.forceScalarizeMaskedScatter(vector_of(type), alignment);
}

// Vector accesses have no volatile form; this keeps them in their order, and each one real.
void Emitter::fence_compiler() {
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::SingleThread);
}

void Emitter::write_load(llvm::LoadInst& load) {
    Shape shape = shapes_.of(&load);
    llvm::Type* type = load.getType();
    bool is_scalar = shape.has_scalars();
    bool has_vector_form =
        is_contiguous(load.getPointerOperand(), type) || can_gather(type, load.getAlign());
    if (!is_scalar && (load.isAtomic() || !has_vector_form)) return load_lane_by_lane(load);
    if (!is_scalar && load_columns(load)) return;
    if (load.isVolatile()) fence_compiler();
    if (!is_scalar && is_contiguous(load.getPointerOperand(), type)) prefetch_ahead(load);
    Parts parts;
    for (unsigned part = 0; part < count_of_parts(shape); ++part) {
        parts.push_back(load_part(load, shape, part));
    }
    if (load.isVolatile()) fence_compiler();
    define(load, std::move(parts));
}

Value* Emitter::load_part(llvm::LoadInst& load, const Shape& result, unsigned piece) {
    const Value* address = load.getPointerOperand();
    if (result.has_scalars()) {
        if (!result.is_uniform()) return load_row(load, piece);
        auto* copy = llvm::cast<llvm::LoadInst>(load.clone());
        copy->setOperand(0, scalar(address, 0));
        return builder_.Insert(copy);
    }
    Value* mask = mask_for(result, piece);
    llvm::FixedVectorType* type = vector_of(load.getType());
    if (is_contiguous(address, load.getType())) {
        return builder_.CreateMaskedLoad(type, scalar(address, piece), load.getAlign(), mask);
    }
    if (is_strided(address) && !load.isVolatile()) return load_strided(load, piece, mask);
    return builder_.CreateMaskedGather(type, vector(address, piece), load.getAlign(), mask);
}

// One address a row. A dead row reads that of a living one.
Value* Emitter::load_row(llvm::LoadInst& load, unsigned piece) {
    const Value* address = load.getPointerOperand();
    Value* own = scalar(address, piece);
    Value* place = scalar(address, 0);
    for (unsigned other = 1; other < layout_.pieces; ++other) {
        place = builder_.CreateSelect(any_of(mask_[other]), scalar(address, other), place);
    }
    place = builder_.CreateSelect(any_of(mask_[piece]), own, place);
    llvm::LoadInst* value = builder_.CreateLoad(load.getType(), place);
    copy_access(load, *value);
    return value;
}

void Emitter::load_lane_by_lane(llvm::LoadInst& load) {
    const unsigned count = count_of_parts(shapes_.of(&load));
    Parts mask = mask_;
    if (count < mask.size()) {  // one vector for all rows, of which the first may be dead
        mask.assign(layout_.pieces, llvm::Constant::getNullValue(mask[0]->getType()));
        mask[0] = mask_for(shapes_.of(&load), 0);
    }
    LaneLoop loop(*this, mask);
    unsigned address = loop.add_operand(load.getPointerOperand());
    unsigned result = loop.add_result(load.getType());
    loop.begin();
    llvm::LoadInst* value = builder_.CreateLoad(load.getType(), loop.operand(address));
    copy_access(load, *value);
    loop.set_result(result, value);
    loop.end();
    Parts parts = loop.result(result);
    parts.resize(count);
    define(load, std::move(parts));
}

void Emitter::write_store(llvm::StoreInst& store) {
    const Value* address = store.getPointerOperand();
    const Value* value = store.getValueOperand();
    llvm::Type* type = value->getType();
    if (shapes_.of(address).is_uniform()) {
        if (!shapes_.of(value).is_uniform()) return store_last_lane(store);
        auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
        copy->setOperand(0, scalar(value, 0));
        copy->setOperand(1, scalar(address, 0));
        builder_.Insert(copy);
        return;
    }
    bool is_vector = is_contiguous(address, type);
    bool has_form = is_vector || can_scatter(type, store.getAlign());
    if (store.isAtomic() || !has_form) return store_lane_by_lane(store);
    if (store_columns(store)) return;
    if (store.isVolatile()) fence_compiler();
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        if (is_vector) {
            builder_.CreateMaskedStore(vector(value, piece), scalar(address, piece),
                                       store.getAlign(), mask_[piece]);
        } else {
            builder_.CreateMaskedScatter(vector(value, piece), vector(address, piece),
                                         store.getAlign(), mask_[piece]);
        }
    }
    if (store.isVolatile()) fence_compiler();
}

// All lanes write one place: the last one's value stays, as if they ran one after the other.
void Emitter::store_last_lane(llvm::StoreInst& store) {
    const Value* value = store.getValueOperand();
    Value* address = scalar(store.getPointerOperand(), 0);
    LaneLoop lanes(*this, mask_);
    unsigned operand = lanes.add_operand(value);
    lanes.begin();
    auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
    copy->setOperand(0, lanes.operand(operand));
    copy->setOperand(1, address);
    builder_.Insert(copy);
    lanes.end();
}

void Emitter::store_lane_by_lane(llvm::StoreInst& store) {
    LaneLoop loop(*this, mask_);
    unsigned value = loop.add_operand(store.getValueOperand());
    unsigned address = loop.add_operand(store.getPointerOperand());
    loop.begin();
    llvm::StoreInst* copy = builder_.CreateStore(loop.operand(value), loop.operand(address));
    copy_access(store, *copy);
    loop.end();
}

}  // namespace warpwise::cpu_compiler::gang
