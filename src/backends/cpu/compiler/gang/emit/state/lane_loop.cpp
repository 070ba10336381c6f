// The loop: while (rest) { lane = lowest bit of rest; ...; clear it }.
#include "src/backends/cpu/compiler/gang/emit/state/lane_loop.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

constexpr unsigned kWordBits = 64;

LaneLoop::LaneLoop(EmitContext& context, const Parts& mask)
    : InstructionEmitter(context), lanes_(mask) {
    state_.note_lane_by_lane();
}

llvm::Type* LaneLoop::stored(llvm::Type* type) const {
    return type->isIntegerTy(1) ? builder_.getInt8Ty() : type;
}

llvm::AllocaInst* LaneLoop::new_array(llvm::Type* type) {
    std::vector<llvm::AllocaInst*>& stock = state_.lane_arrays[type];
    unsigned& used = used_[type];
    if (used == stock.size()) {
        llvm::AllocaInst* array =
            state_.new_slot(llvm::ArrayType::get(type, layout_.lanes()), "lanes");
        array->setAlignment(llvm::Align(64));
        stock.push_back(array);
    }
    return stock[used++];
}

unsigned LaneLoop::add_operand(Value* value) {
    Operand operand;
    operand.type = value->getType();
    Shape shape = shapes_.of(value);
    bool is_even = shape.has_scalars() && shape.is_single();
    for (unsigned piece = 1; is_even && piece < layout_.pieces; ++piece) {
        std::int64_t behind = std::int64_t{piece} * layout_.width * *shape.lane;
        is_even = layout_.offset(*shape.row, piece) == behind;
    }
    if (shape.is_uniform()) {
        operand.single = values_.scalar(value, 0);
    } else if (!shape.has_scalars() && add_made_again(value, operand)) {
        // by operand()
    } else if (is_even) {
        operand.single = values_.base(value, 0);
        operand.step = *shape.lane;
    } else {
        llvm::Type* type = stored(value->getType());
        operand.array = new_array(type);
        std::uint64_t bytes = data_.getTypeAllocSize(type) * layout_.width;
        bool is_dense = data_.getTypeAllocSizeInBits(type) == data_.getTypeSizeInBits(type);
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            Value* lanes = values_.vector(value, piece);
            if (type != value->getType()) {
                lanes = builder_.CreateZExt(lanes, vector_of(type));
            }
            if (is_dense) {
                Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), operand.array,
                                                                bytes * piece);
                builder_.CreateAlignedStore(lanes, at, llvm::Align(16));
                continue;
            }
            for (unsigned lane = 0; lane < layout_.width; ++lane) {
                Value* at =
                    place(operand.array, type, builder_.getInt64(piece * layout_.width + lane));
                builder_.CreateStore(builder_.CreateExtractElement(lanes, lane), at);
            }
        }
    }
    operands_.push_back(operand);
    return static_cast<unsigned>(operands_.size() - 1);
}

// Addresses and widenings cost a lane nothing, and vectors of them are large.
// Only in their own block: elsewhere their operands may have changed.
bool LaneLoop::add_made_again(Value* value, Operand& operand) {
    auto* made = llvm::dyn_cast<llvm::Instruction>(value);
    if (!made || made->getParent() != plan_[state_.current].block) return false;
    if (!llvm::isa<llvm::GetElementPtrInst, llvm::SExtInst, llvm::ZExtInst>(made)) return false;
    if (made->getOperand(0)->getType()->isIntegerTy(1)) return false;
    operand.made = made;
    for (unsigned i = 0; i < made->getNumOperands(); ++i) {
        if (llvm::isa<llvm::Constant>(made->getOperand(i))) continue;
        operand.varying.emplace_back(i, add_operand(made->getOperand(i)));
    }
    return true;
}

unsigned LaneLoop::add_result(llvm::Type* type) {
    Operand result;
    result.type = type;
    result.array = new_array(stored(type));
    results_.push_back(result);
    return static_cast<unsigned>(results_.size() - 1);
}

llvm::SmallVector<unsigned, 2> LaneLoop::add_results(llvm::Type* type) {
    llvm::SmallVector<unsigned, 2> results;
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
        for (llvm::Type* element : structure->elements()) results.push_back(add_result(element));
    } else if (!type->isVoidTy()) {
        results.push_back(add_result(type));
    }
    return results;
}

void LaneLoop::set_results(llvm::ArrayRef<unsigned> indices, Value* value) {
    bool is_struct = value->getType()->isStructTy();
    for (unsigned i = 0; i < indices.size(); ++i) {
        set_result(indices[i], is_struct ? builder_.CreateExtractValue(value, i) : value);
    }
}

Value* LaneLoop::place(llvm::AllocaInst* array, llvm::Type* type, Value* lane) {
    return builder_.CreateInBoundsGEP(type, array, lane);
}

void LaneLoop::begin() {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    unsigned per_word = kWordBits / layout_.width;
    unsigned words = (layout_.lanes() + kWordBits - 1) / kWordBits;
    loop_ = new_block("lane");
    done_ = new_block("lanes.done");
    Value* bits = nullptr;
    if (words == 1) {
        bits = masks_.bits_of(lanes_);
    } else {
        llvm::AllocaInst* array = new_array(builder_.getInt64Ty());
        for (unsigned word = 0; word < words; ++word) {
            std::size_t end = std::min<std::size_t>(lanes_.size(), (word + 1) * per_word);
            Parts part(lanes_.begin() + word * per_word, lanes_.begin() + end);
            builder_.CreateStore(masks_.bits_of(part),
                                 place(array, builder_.getInt64Ty(), builder_.getInt64(word)));
        }
        word_block_ = new_block("word");
        words_ = builder_.getInt64(words);
        builder_.CreateBr(word_block_);
        builder_.SetInsertPoint(word_block_);
        word_ = builder_.CreatePHI(builder_.getInt64Ty(), 2);
        word_->addIncoming(builder_.getInt64(0), before);
        bits =
            builder_.CreateLoad(builder_.getInt64Ty(), place(array, builder_.getInt64Ty(), word_));
        before = word_block_;
    }
    llvm::BasicBlock* next = words == 1 ? done_ : new_block("word.done");
    Value* none = builder_.CreateICmpEQ(bits, builder_.getInt64(0));
    builder_.CreateCondBr(none, next, loop_);
    if (words != 1) {
        builder_.SetInsertPoint(next);
        Value* following = builder_.CreateAdd(word_, builder_.getInt64(1));
        word_->addIncoming(following, next);
        builder_.CreateCondBr(builder_.CreateICmpEQ(following, words_), done_, word_block_);
        word_block_ = next;
    }
    builder_.SetInsertPoint(loop_);
    rest_ = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    rest_->addIncoming(bits, before);
    lane_ = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest_, builder_.getTrue());
    if (word_) lane_ = builder_.CreateAdd(lane_, builder_.CreateMul(word_, builder_.getInt64(64)));
}

Value* LaneLoop::operand(unsigned index) {
    const Operand& operand = operands_[index];
    if (operand.made) {
        llvm::Instruction* copy = operand.made->clone();
        for (auto [number, source] : operand.varying)
            copy->setOperand(number, this->operand(source));
        return builder_.Insert(copy);
    }
    if (operand.array) {
        llvm::Type* type = stored(operand.type);
        Value* value = builder_.CreateLoad(type, place(operand.array, type, lane_));
        return type == operand.type ? value : builder_.CreateTrunc(value, operand.type);
    }
    if (operand.step == 0) {
        Value* single = operand.single;
        return single->getType() == operand.type ? single
                                                 : builder_.CreateTrunc(single, operand.type);
    }
    Value* offset = builder_.CreateMul(lane_, builder_.getInt64(operand.step));
    if (operand.type->isPointerTy()) {
        return builder_.CreateGEP(builder_.getInt8Ty(), operand.single, offset);
    }
    return builder_.CreateSExtOrTrunc(builder_.CreateAdd(operand.single, offset), operand.type);
}

void LaneLoop::set_result(unsigned index, Value* value) {
    const Operand& result = results_[index];
    llvm::Type* type = stored(result.type);
    if (type != value->getType()) value = builder_.CreateZExt(value, type);
    builder_.CreateStore(value, place(result.array, type, lane_));
}

void LaneLoop::end() {
    Value* rest = builder_.CreateAnd(rest_, builder_.CreateSub(rest_, builder_.getInt64(1)));
    rest_->addIncoming(rest, builder_.GetInsertBlock());
    llvm::BasicBlock* next = word_ ? word_block_ : done_;
    builder_.CreateCondBr(builder_.CreateICmpEQ(rest, builder_.getInt64(0)), next, loop_);
    builder_.SetInsertPoint(done_);
}

void LaneLoop::each(llvm::function_ref<void()> body) {
    Value* all = lanes_[0];
    for (unsigned piece = 1; piece < lanes_.size(); ++piece) {
        all =
            builder_.CreateSelect(all, lanes_[piece], llvm::Constant::getNullValue(all->getType()));
    }
    llvm::Type* word = builder_.getIntNTy(layout_.width);
    Value* is_full = builder_.CreateICmpEQ(builder_.CreateBitCast(all, word),
                                           llvm::ConstantInt::getAllOnesValue(word));
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* full = new_block("lanes.all");
    llvm::BasicBlock* some = new_block("lanes.some");
    builder_.CreateCondBr(is_full, full, some);
    builder_.SetInsertPoint(full);
    llvm::PHINode* first = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    first->addIncoming(builder_.getInt64(0), before);
    for (unsigned step = 0; step < costs::kLanesPerIteration; ++step) {
        lane_ = builder_.CreateAdd(first, builder_.getInt64(step), "", /*HasNUW=*/true,
                                   /*HasNSW=*/true);
        body();
    }
    Value* next =
        builder_.CreateAdd(first, builder_.getInt64(costs::kLanesPerIteration), "", true, true);
    first->addIncoming(next, builder_.GetInsertBlock());
    Value* is_over = builder_.CreateICmpEQ(next, builder_.getInt64(layout_.lanes()));
    llvm::BasicBlock* end_of_full = builder_.GetInsertBlock();
    builder_.SetInsertPoint(some);
    begin();
    body();
    end();
    builder_.SetInsertPoint(end_of_full);
    builder_.CreateCondBr(is_over, done_, full);
    builder_.SetInsertPoint(done_);
}

Parts LaneLoop::result(unsigned index) {
    const Operand& result = results_[index];
    llvm::Type* type = stored(result.type);
    unsigned width = layout_.width;
    std::uint64_t bytes = data_.getTypeAllocSize(type) * width;
    bool is_dense = data_.getTypeAllocSizeInBits(type) == data_.getTypeSizeInBits(type);
    Parts parts;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        llvm::FixedVectorType* lanes = vector_of(type);
        Value* value = nullptr;
        if (is_dense) {
            Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), result.array,
                                                            bytes * piece);
            value = builder_.CreateAlignedLoad(lanes, at, llvm::Align(16));
        } else {
            value = llvm::PoisonValue::get(lanes);
            for (unsigned lane = 0; lane < width; ++lane) {
                Value* at = place(result.array, type, builder_.getInt64(piece * width + lane));
                value = builder_.CreateInsertElement(value, builder_.CreateLoad(type, at), lane);
            }
        }
        if (type != result.type) {
            value = builder_.CreateTrunc(value, vector_of(result.type));
        }
        parts.push_back(value);
    }
    return parts;
}

void LaneLoop::define_results(const llvm::Instruction& instruction,
                              llvm::ArrayRef<unsigned> results) {
    if (results.empty()) return;
    if (!instruction.getType()->isStructTy()) {
        return values_.define(instruction, result(results[0]));
    }
    llvm::SmallVector<Parts, 2> elements;
    for (unsigned index : results) elements.push_back(result(index));
    values_.define_struct(instruction, std::move(elements));
}

}  // namespace warpwise::cpu_compiler::gang
