// Calls: vector intrinsics, markers, services of the run time, and everything
// else lane by lane.
#include <llvm/Analysis/VectorUtils.h>

#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/call_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

void CallEmitter::write(llvm::CallInst& call) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        return write_intrinsic(*intrinsic);
    }
    if (is_call_of(call, kAllBelow)) return write_all_below(call);
    if (is_call_of(call, kAnyBits)) return write_any_bits(call);
    if (is_call_of(call, kWithoutWrap)) return write_without_wrap(call);
    if (is_call_of(call, kFirstLane)) {
        return values_.define(call, {values_.scalar(call.getArgOperand(0), 0)});
    }
    if (is_call_of(call, kTransposed)) return write_transposed(call);
    if (const Service* service = find_service(call)) return write_service(call, *service);
    write_lane_by_lane(call, nullptr);
}

void CallEmitter::write_intrinsic(llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    if (call.isAssumeLikeIntrinsic() || id == llvm::Intrinsic::assume) return;
    if (shape_of_register(id, layout_)) {
        bool is_uniform = shapes_.of(&call).is_uniform();
        Parts& made = register_values_[id];
        if (!is_uniform) {
            if (made.empty()) made = registers_.make(id);
            return values_.define(call, made);
        }
    }
    Shape shape = shapes_.of(&call);
    bool is_pure = call.doesNotAccessMemory() || call.getType()->isAggregateType();
    if (shape.is_uniform() && is_pure && !call.getType()->isVoidTy()) {
        llvm::Instruction* copy = call.clone();
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            copy->setOperand(i, values_.scalar(call.getArgOperand(i), 0));
        }
        return values_.define(call, {builder_.Insert(copy)});
    }
    if (llvm::isTriviallyVectorizable(id)) return write_vector_intrinsic(call);
    switch (id) {
        case llvm::Intrinsic::sadd_with_overflow:
        case llvm::Intrinsic::uadd_with_overflow:
        case llvm::Intrinsic::ssub_with_overflow:
        case llvm::Intrinsic::usub_with_overflow:
        case llvm::Intrinsic::smul_with_overflow:
        case llvm::Intrinsic::umul_with_overflow:
            return write_with_overflow(call);
        case llvm::Intrinsic::sideeffect:
            return;
        default:
            break;
    }
    const bool is_one = llvm::all_of(call.args(), [&](const llvm::Use& argument) {
        return shapes_.of(argument.get()).is_uniform();
    });
    if (id == llvm::Intrinsic::prefetch && !is_one) return;  // one for each lane costs too much
    if (call.getType()->isVoidTy() &&
        is_one) {  // what all lanes would do, such as a copy of memory
        llvm::Instruction* copy = call.clone();
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            if (llvm::isa<llvm::Constant>(call.getArgOperand(i))) continue;
            copy->setOperand(i, values_.scalar(call.getArgOperand(i), 0));
        }
        builder_.Insert(copy);
        return;
    }
    write_lane_by_lane(call, nullptr);
}

void CallEmitter::write_with_overflow(llvm::IntrinsicInst& call) {
    llvm::SmallVector<Parts, 2> elements(2);
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* both = builder_.CreateBinaryIntrinsic(call.getIntrinsicID(),
                                                     values_.vector(call.getArgOperand(0), piece),
                                                     values_.vector(call.getArgOperand(1), piece));
        elements[0].push_back(builder_.CreateExtractValue(both, 0));
        elements[1].push_back(builder_.CreateExtractValue(both, 1));
    }
    values_.define_struct(call, std::move(elements));
}

void CallEmitter::write_vector_intrinsic(llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    Shape shape = shapes_.of(&call);
    Parts parts;
    for (unsigned part : values_.parts_to_write(shape)) {
        llvm::SmallVector<Value*, 3> operands;
        llvm::SmallVector<llvm::Type*, 2> types;
        bool has_vectors = !shape.has_scalars();
        auto widened = [&](llvm::Type* type) -> llvm::Type* {
            return has_vectors ? vector_of(type) : type;
        };
        if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) {
            types.push_back(widened(call.getType()));
        }
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            Value* argument = call.getArgOperand(i);
            bool is_scalar = shape.has_scalars() || llvm::isVectorIntrinsicWithScalarOpAtArg(id, i);
            operands.push_back(is_scalar ? values_.scalar(argument, part)
                                         : values_.vector(argument, part));
            if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i))) {
                types.push_back(operands.back()->getType());
            }
        }
        llvm::Function* callee =
            llvm::Intrinsic::getDeclaration(state_.gang.getParent(), id, types);
        llvm::CallInst* made = builder_.CreateCall(callee, operands);
        if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
        parts.push_back(made);
    }
    values_.define(call, std::move(parts));
}

// One comparison for all pieces.
void CallEmitter::write_any_bits(llvm::CallInst& call) {
    Value *value = call.getArgOperand(0), *lanes = nullptr;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* given = values_.vector(value, piece);
        given = builder_.CreateSelect(mask_[piece], given,
                                      llvm::Constant::getNullValue(given->getType()));
        lanes = lanes == nullptr ? given : builder_.CreateOr(lanes, given);
    }
    const llvm::APInt& bits = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getValue();
    lanes = builder_.CreateAnd(lanes, llvm::ConstantInt::get(lanes->getType(), bits));
    values_.define(call, {masks_.any_of(builder_.CreateIsNotNull(lanes))});
}

void CallEmitter::write_service(llvm::CallInst& call, const Service& service) {
    if (service.is_warp_operation()) return warps_.write(call, service);
    if (service.is_barrier()) return write_barrier(call, service);
    bool is_once = service.kind == ServiceKind::Clock || service.kind == ServiceKind::Yield ||
                   service.id == ServiceId::nanosleep ||
                   (service.is_pure() && shapes_.of(&call).is_uniform());
    if (!is_once) return write_lane_by_lane(call, &service);
    llvm::SmallVector<Value*, 3> arguments;
    for (const llvm::Use& argument : call.args())
        arguments.push_back(masks_.first_active(argument.get()));
    Value* result = call_service(service, thread(), arguments);
    if (!call.getType()->isVoidTy()) values_.define(call, {result});
}

void CallEmitter::write_extract(llvm::ExtractValueInst& extract) {
    const unsigned index = extract.getIndices()[0];
    if (const Parts* element = values_.element_of(extract.getAggregateOperand(), index)) {
        return values_.define(extract, *element);
    }
    // A scalar struct: the result of an intrinsic that ran once.
    Parts parts;
    Value* structure = values_.parts_of(extract.getAggregateOperand())[0];
    Value* element = builder_.CreateExtractValue(structure, extract.getIndices());
    Shape shape = shapes_.of(&extract);
    for (unsigned part = 0; part < values_.count_of_parts(shape); ++part) {
        parts.push_back(shape.has_scalars() ? element : values_.splat(element));
    }
    values_.define(extract, std::move(parts));
}

// Of a piece's lane 0, which may be dead, the index may be less than 0 by what lies between it and
// a living lane.
void CallEmitter::write_transposed(llvm::CallInst& call) {
    Value* index = call.getArgOperand(0);
    const Shape shape = shapes_.of(&call);
    const auto step = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
    std::uint64_t lanes = 0;
    if (shape.has_scalars()) {
        std::int64_t farthest = 0;
        for (unsigned piece = 1; shape.is_single() && piece < layout_.pieces; ++piece) {
            farthest = std::max(farthest, layout_.offset(*shape.row, piece));
        }
        lanes = layout_.width + static_cast<std::uint64_t>(farthest);
    }
    Parts parts;
    for (unsigned part : values_.parts_to_write(shape)) {
        Value* places =
            shape.has_scalars() ? values_.base(index, part) : values_.vector(index, part);
        parts.push_back(transposed(places, call, lanes * step));
    }
    values_.define(call, std::move(parts));
}

// With 32 bits, which no index of shared memory exceeds. `before`: a multiple of the step.
Value* CallEmitter::transposed(Value* index, const llvm::CallInst& call, std::uint64_t before) {
    const auto step = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
    const auto length = llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue();
    llvm::Type* wide = index->getType();
    llvm::Type* type = wide->getWithNewBitWidth(32);
    const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(type, value); };
    index = builder_.CreateAdd(builder_.CreateTrunc(index, type), number(before));
    Value* quotient = builder_.CreateUDiv(index, number(step));
    Value* column = builder_.CreateURem(index, number(step));
    Value* place = builder_.CreateMul(column, number(length / step));
    if (length % step != 0) {  // elements that the columns before this one have more
        place = builder_.CreateAdd(
            place,
            builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, column, number(length % step)));
    }
    place = builder_.CreateAdd(place, quotient);
    return builder_.CreateSExt(builder_.CreateSub(place, number(before / step)), wide);
}

}  // namespace warpwise::cpu_compiler::gang
