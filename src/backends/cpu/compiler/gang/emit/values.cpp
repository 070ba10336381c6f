// A value in the form an instruction wants it: scalar of a piece, 64-bit base, vector.
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

llvm::FixedVectorType* Emitter::vector_of(llvm::Type* type) const {
    return llvm::FixedVectorType::get(type, layout_.width);
}

unsigned Emitter::count_of_parts(const Shape& shape) const {
    return shape.is_single() ? 1 : layout_.pieces;
}

llvm::Type* Emitter::slot_type(const Value& value, const Shape& shape) const {
    llvm::Type* type = value.getType();
    if (shape.is_stepped()) {
        return type->isPointerTy() ? type : llvm::Type::getInt64Ty(type->getContext());
    }
    return shape.has_scalars() ? type : vector_of(type);
}

void Emitter::define(const llvm::Instruction& instruction, Parts parts) {
    auto slots = slots_.find(&instruction);
    if (slots != slots_.end()) {
        for (unsigned part = 0; part < parts.size(); ++part) {
            builder_.CreateStore(parts[part], slots->second[part]);
        }
    }
    local_[&instruction] = std::move(parts);
}

const Parts& Emitter::parts_of(const Value* value) {
    if (auto made = globals_.find(value); made != globals_.end()) return made->second;
    auto known = local_.find(value);
    if (known != local_.end()) return known->second;
    Parts parts;
    auto slots = slots_.find(value);
    if (slots == slots_.end()) {
        parts.push_back(const_cast<Value*>(value));  // a constant
    } else {
        for (Value* slot : slots->second) {
            auto* memory = llvm::cast<llvm::AllocaInst>(slot);
            parts.push_back(builder_.CreateLoad(memory->getAllocatedType(), memory));
        }
    }
    return local_[value] = std::move(parts);
}

// The 64-bit base, or pointer, of a piece.
Value* Emitter::base(const Value* value, unsigned piece) {
    Shape shape = shapes_.of(value);
    const Parts& parts = parts_of(value);
    Value* part = parts[shape.is_single() ? 0 : piece];
    if (!shape.is_stepped()) {
        bool is_narrow = part->getType()->isIntegerTy() && !part->getType()->isIntegerTy(64);
        return is_narrow ? builder_.CreateSExtOrTrunc(part, builder_.getInt64Ty()) : part;
    }
    std::int64_t offset = shape.is_single() ? layout_.offset(*shape.row, piece) : 0;
    if (offset == 0) return part;
    if (part->getType()->isPointerTy()) {
        return builder_.CreateGEP(builder_.getInt8Ty(), part, builder_.getInt64(offset));
    }
    return builder_.CreateAdd(part, builder_.getInt64(offset));
}

// The value of a piece's lane 0, in its own type.
Value* Emitter::scalar(const Value* value, unsigned piece) {
    Shape shape = shapes_.of(value);
    if (!shape.is_stepped()) return parts_of(value)[shape.is_single() ? 0 : piece];
    Value* first = base(value, piece);
    if (first->getType() == value->getType()) return first;
    return builder_.CreateTrunc(first, value->getType());
}

Value* Emitter::splat(Value* scalar) {
    if (!llvm::isa<llvm::Constant>(scalar) && scalar->getType()->isIntegerTy(1)) {
        // A select of vectors by one bit would become a branch for each piece.
        Value* word = builder_.CreateSExt(scalar, builder_.getIntNTy(layout_.width));
        return builder_.CreateBitCast(word, vector_of(builder_.getInt1Ty()));
    }
    return builder_.CreateVectorSplat(layout_.width, scalar);
}

// 0, step, 2 * step ...
Value* Emitter::steps(llvm::Type* type, std::int64_t step) {
    llvm::SmallVector<llvm::Constant*, 16> constants;
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        llvm::APInt value(64, static_cast<std::uint64_t>(step) * lane);
        constants.push_back(
            llvm::ConstantInt::get(type, value.sextOrTrunc(type->getIntegerBitWidth())));
    }
    return llvm::ConstantVector::get(constants);
}

Value* Emitter::vector(const Value* value, unsigned piece) {
    Shape shape = shapes_.of(value);
    if (shape.is_single() && (!shape.is_stepped() || shape.row->is_zero())) piece = 0;
    if (!shape.has_scalars()) return parts_of(value)[shape.is_single() ? 0 : piece];
    auto made = vectors_.find({value, piece});
    if (made != vectors_.end()) return made->second;
    Value* first = scalar(value, piece);
    Value* result = nullptr;
    if (*shape.lane != 0 && value->getType()->isPointerTy()) {
        result = builder_.CreateGEP(builder_.getInt8Ty(), first,
                                    steps(builder_.getInt64Ty(), *shape.lane));
    } else {
        result = splat(first);
        if (*shape.lane != 0) {
            result = builder_.CreateAdd(result, steps(value->getType(), *shape.lane));
        }
    }
    vectors_[{value, piece}] = result;
    return result;
}

Parts Emitter::in_shape(const Value* value, const Shape& shape) {
    Parts parts;
    for (unsigned part = 0; part < count_of_parts(shape); ++part) {
        if (shape.is_stepped()) {
            parts.push_back(base(value, part));
        } else {
            parts.push_back(shape.has_scalars() ? scalar(value, part) : vector(value, part));
        }
    }
    return parts;
}

Value* Emitter::mask_for(const Shape& shape, unsigned piece) {
    if (!shape.is_single() || layout_.pieces == 1) return mask_[piece];
    Value* mask = mask_[0];
    for (unsigned other = 1; other < layout_.pieces; ++other) {
        mask = builder_.CreateOr(mask, mask_[other]);
    }
    return mask;
}

}  // namespace warpwise::cpu_compiler::gang
