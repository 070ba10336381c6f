// A value in the form an instruction requires: scalar of a piece, 64-bit base,
// vector.
#include "src/backends/cpu/compiler/gang/emit/state/values.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

bool is_used_elsewhere(const llvm::Instruction& instruction) {
    return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        return llvm::isa<llvm::PHINode>(user) ||
               llvm::cast<llvm::Instruction>(user)->getParent() != instruction.getParent();
    });
}

// What no block can change.
bool is_number(const Value* part) {
    return llvm::isa<llvm::Constant>(part) && !llvm::isa<llvm::UndefValue>(part);
}

}  // namespace

Values::Values(EmitState& state)
    : state_(state), builder_(state.builder), shapes_(state.shapes), layout_(state.layout) {}

void Values::make_slots() {
    for (const PlannedBlock& planned : state_.plan.blocks()) {
        for (const llvm::Instruction& instruction : *planned.block) {
            bool is_phi = llvm::isa<llvm::PHINode>(instruction);
            if (instruction.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(instruction)) {
                continue;
            }
            if (!is_phi && !is_used_elsewhere(instruction) &&
                !state_.read_elsewhere.contains(&instruction)) {
                continue;
            }
            Shape shape = shapes_.of(&instruction);
            llvm::Type* type = slot_type(instruction, shape);
            Parts& slots = slots_[&instruction];
            for (unsigned part = 0; part < count_of_parts(shape); ++part) {
                slots.push_back(state_.new_slot(type, instruction.getName()));
            }
        }
    }
}

void Values::begin_block() {
    local_.clear();
    vectors_.clear();
    structs_.clear();
}

unsigned Values::count_of_parts(const Shape& shape) const {
    return shape.is_single() ? 1 : layout_.pieces;
}

llvm::iota_range<unsigned> Values::pieces_to_write() const {
    return piece_ ? llvm::seq(*piece_, *piece_ + 1) : llvm::seq(0U, layout_.pieces);
}

llvm::iota_range<unsigned> Values::parts_to_write(const Shape& shape) const {
    return shape.is_single() ? llvm::seq(0U, 1U) : pieces_to_write();
}

Value* Values::part_of(const Value* value, unsigned piece) const {
    auto known = local_.find(value);
    return known == local_.end() || known->second.size() <= piece ? nullptr : known->second[piece];
}

llvm::Type* Values::slot_type(const Value& value, const Shape& shape) const {
    llvm::Type* type = value.getType();
    if (shape.is_stepped()) {
        return type->isPointerTy() ? type : llvm::Type::getInt64Ty(type->getContext());
    }
    return shape.has_scalars() ? type : state_.vector_of(type);
}

void Values::define(const llvm::Instruction& instruction, Parts parts) {
    if (piece_) {
        Parts& all = local_[&instruction];
        all.assign(layout_.pieces, nullptr);
        all[*piece_] = parts[0];
        return;
    }
    auto slots = slots_.find(&instruction);
    if (llvm::all_of(parts, is_number)) {
        define_global(&instruction, parts);
    } else if (slots != slots_.end()) {
        for (unsigned part = 0; part < parts.size(); ++part) {
            builder_.CreateStore(parts[part], slots->second[part]);
        }
    }
    local_[&instruction] = std::move(parts);
}

const Parts& Values::parts_of(Value* value) {
    if (auto made = globals_.find(value); made != globals_.end()) return made->second;
    auto known = local_.find(value);
    if (known != local_.end()) return known->second;
    Parts parts;
    auto slots = slots_.find(value);
    if (slots == slots_.end()) {
        parts.push_back(value);  // a constant
    } else {
        for (Value* slot : slots->second) {
            auto* memory = llvm::cast<llvm::AllocaInst>(slot);
            parts.push_back(builder_.CreateLoad(memory->getAllocatedType(), memory));
        }
    }
    return local_[value] = std::move(parts);
}

// The 64-bit base, or pointer, of a piece.
Value* Values::base(Value* value, unsigned piece) {
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
Value* Values::scalar(Value* value, unsigned piece) {
    Shape shape = shapes_.of(value);
    if (!shape.is_stepped()) return parts_of(value)[shape.is_single() ? 0 : piece];
    Value* first = base(value, piece);
    if (first->getType() == value->getType()) return first;
    return builder_.CreateTrunc(first, value->getType());
}

Value* Values::splat(Value* scalar) {
    if (!llvm::isa<llvm::Constant>(scalar) && scalar->getType()->isIntegerTy(1)) {
        // A select of vectors by one bit would become a branch for each piece.
        Value* word = builder_.CreateSExt(scalar, builder_.getIntNTy(layout_.width));
        return builder_.CreateBitCast(word, state_.vector_of(builder_.getInt1Ty()));
    }
    return builder_.CreateVectorSplat(layout_.width, scalar);
}

// 0, step, 2 * step ...
Value* Values::steps(llvm::Type* type, std::int64_t step) {
    llvm::SmallVector<llvm::Constant*, 16> constants;
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        llvm::APInt value(64, static_cast<std::uint64_t>(step) * lane);
        constants.push_back(
            llvm::ConstantInt::get(type, value.sextOrTrunc(type->getIntegerBitWidth())));
    }
    return llvm::ConstantVector::get(constants);
}

Value* Values::vector(Value* value, unsigned piece) {
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

Parts Values::in_shape(Value* value, const Shape& shape) {
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

const Parts* Values::element_of(const Value* value, unsigned index) const {
    auto known = structs_.find(value);
    return known == structs_.end() ? nullptr : &known->second[index];
}

}  // namespace warpwise::cpu_compiler::gang
