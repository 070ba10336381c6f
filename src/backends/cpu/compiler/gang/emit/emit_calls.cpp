// Calls: vector intrinsics, services of the run time, and everything else lane by lane, each lane
// with a ThreadState of its own so that the callee sees the right threadIdx.
#include <llvm/Analysis/VectorUtils.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/emit/lane_loop.hpp"
#include "src/backends/cpu/compiler/gang/passes/cut.hpp"
#include "src/backends/cpu/compiler/gang/passes/full_loops.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

void Emitter::write_call(llvm::CallInst& call) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        return write_intrinsic(*intrinsic);
    }
    if (is_call_of(call, kAllBelow)) return write_all_below(call);
    if (is_call_of(call, kWithoutWrap)) return write_without_wrap(call);
    if (const Service* service = find_service(call)) return write_service(call, *service);
    write_call_lane_by_lane(call, nullptr);
}

void Emitter::write_intrinsic(llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    if (call.isAssumeLikeIntrinsic() || id == llvm::Intrinsic::assume) return;
    if (shape_of_register(id, layout_)) {
        bool is_uniform = shapes_.of(&call).is_uniform();
        Parts& made = register_values_[id];
        if (!is_uniform) {
            if (made.empty()) made = registers_.make(id);
            return define(call, made);
        }
    }
    Shape shape = shapes_.of(&call);
    bool is_pure = call.doesNotAccessMemory() || call.getType()->isAggregateType();
    if (shape.is_uniform() && is_pure && !call.getType()->isVoidTy()) {
        llvm::Instruction* copy = call.clone();
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            copy->setOperand(i, scalar(call.getArgOperand(i), 0));
        }
        return define(call, {builder_.Insert(copy)});
    }
    if (llvm::isTriviallyVectorizable(id)) return write_vector_intrinsic(call);
    switch (id) {
        case llvm::Intrinsic::sadd_with_overflow:
        case llvm::Intrinsic::uadd_with_overflow:
        case llvm::Intrinsic::ssub_with_overflow:
        case llvm::Intrinsic::usub_with_overflow:
        case llvm::Intrinsic::smul_with_overflow:
        case llvm::Intrinsic::umul_with_overflow: {
            llvm::SmallVector<Parts, 2> elements(2);
            for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
                Value* both = builder_.CreateBinaryIntrinsic(
                    id, vector(call.getArgOperand(0), piece), vector(call.getArgOperand(1), piece));
                elements[0].push_back(builder_.CreateExtractValue(both, 0));
                elements[1].push_back(builder_.CreateExtractValue(both, 1));
            }
            structs_[&call] = std::move(elements);
            return;
        }
        case llvm::Intrinsic::sideeffect:
        case llvm::Intrinsic::prefetch:
            return;
        default:
            break;
    }
    bool is_one = llvm::all_of(call.args(), [&](const llvm::Use& argument) {
        return shapes_.of(argument.get()).is_uniform();
    });
    if (call.getType()->isVoidTy() && is_one) {  // a copy of memory that all lanes would make
        llvm::Instruction* copy = call.clone();
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            if (llvm::isa<llvm::Constant>(call.getArgOperand(i))) continue;
            copy->setOperand(i, scalar(call.getArgOperand(i), 0));
        }
        builder_.Insert(copy);
        return;
    }
    write_call_lane_by_lane(call, nullptr);
}

void Emitter::write_vector_intrinsic(llvm::IntrinsicInst& call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    Shape shape = shapes_.of(&call);
    Parts parts;
    for (unsigned part = 0; part < count_of_parts(shape); ++part) {
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
            operands.push_back(is_scalar ? scalar(argument, part) : vector(argument, part));
            if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i))) {
                types.push_back(operands.back()->getType());
            }
        }
        llvm::Function* callee = llvm::Intrinsic::getDeclaration(gang_.getParent(), id, types);
        llvm::CallInst* made = builder_.CreateCall(callee, operands);
        if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
        parts.push_back(made);
    }
    define(call, std::move(parts));
}

void Emitter::store_field(Value* thread, std::size_t offset, Value* word) {
    store_at(builder_, word, thread, offset);
}

// Of an operand that a service takes once for all lanes.
Value* Emitter::first_active(const Value* value) {
    if (shapes_.of(value).is_uniform()) return scalar(value, 0);
    Value* result = nullptr;
    for (unsigned piece = layout_.pieces; piece-- > 0;) {
        llvm::Type* type = builder_.getIntNTy(layout_.width);
        Value* bits = builder_.CreateBitCast(mask_[piece], type);
        Value* lane =
            builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getFalse());
        lane = builder_.CreateAnd(lane, llvm::ConstantInt::get(type, layout_.width - 1));
        Value* element = builder_.CreateExtractElement(vector(value, piece), lane);
        result = result ? builder_.CreateSelect(any_of(mask_[piece]), element, result) : element;
    }
    return result;
}

llvm::CallInst* Emitter::call_service(const Service& service, Value* thread,
                                      llvm::ArrayRef<Value*> arguments) {
    auto field = [&](Value* base, std::size_t offset) {
        return load_at(builder_, builder_.getPtrTy(), base, offset);
    };
    Value* block = field(gang_.getArg(0), offsetof(cpu::ThreadState, block));
    Value* table = field(block, offsetof(cpu::BlockState, runtime));
    Value* target = field(table, service.slot() * sizeof(void*));
    llvm::SmallVector<Value*, 8> operands;
    if (service.takes_thread) operands.push_back(thread);
    operands.append(arguments.begin(), arguments.end());
    llvm::CallInst* made =
        builder_.CreateCall(service.slot_type(builder_.getContext()), target, operands);
    made->setDoesNotThrow();
    made->addFnAttr(llvm::Attribute::get(builder_.getContext(), kServiceAttribute, service.name));
    return made;
}

void Emitter::write_service(llvm::CallInst& call, const Service& service) {
    if (service.is_warp_operation()) return write_warp_operation(call, service);
    if (service.is_barrier()) return write_block_meeting(call, service);
    bool is_once = service.kind == ServiceKind::Clock || service.kind == ServiceKind::Yield ||
                   service.id == ServiceId::nanosleep ||
                   (service.is_pure() && shapes_.of(&call).is_uniform());
    if (!is_once) return write_call_lane_by_lane(call, &service);
    llvm::SmallVector<Value*, 3> arguments;
    for (const llvm::Use& argument : call.args()) arguments.push_back(first_active(argument.get()));
    Value* result = call_service(service, thread(), arguments);
    if (!call.getType()->isVoidTy()) define(call, {result});
}

// Lanes whose predicate is not 0.
Value* Emitter::count_votes(const Value* predicate) {
    Parts votes;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* lanes = vector(predicate, piece);
        Value* is_true =
            builder_.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
        votes.push_back(builder_.CreateSelect(mask_[piece], is_true,
                                              llvm::Constant::getNullValue(is_true->getType())));
    }
    return count_of(votes);
}

// All threads of the block that have not exited stand here: nobody is left to wait for.
void Emitter::write_meeting_of_all(llvm::CallInst& call, const Service& service) {
    if (service.id != ServiceId::barrier_reduce) return;
    Value* votes = count_votes(call.getArgOperand(1));
    Value* all = builder_.CreateICmpEQ(votes, count_of(mask_));
    Value* any = builder_.CreateICmpNE(votes, builder_.getInt32(0));
    Value* operation = first_active(call.getArgOperand(0));
    auto is = [&](std::uint32_t number) {
        return builder_.CreateICmpEQ(operation, builder_.getInt32(number));
    };
    Value* truth = builder_.CreateSelect(is(cpu::kBarrierAnd), all, any);
    Value* result = builder_.CreateSelect(is(cpu::kBarrierCount), votes,
                                          builder_.CreateZExt(truth, builder_.getInt32Ty()));
    define(call, {result});
}

// The gang returns, to be called again when all have come: cut.hpp.
void Emitter::write_meeting_at_stop(llvm::CallInst& call, const Service& service) {
    if (std::optional<Parts> elsewhere = lanes_elsewhere(current_)) {
        store_field(thread(), offsetof(cpu::ThreadState, elsewhere), count_of(*elsewhere));
    }
    const bool votes = service.id == ServiceId::barrier_reduce;
    Value* how = builder_.getInt32(0);
    if (votes) {
        how = builder_.CreateAdd(first_active(call.getArgOperand(0)), builder_.getInt32(1));
        store_field(thread(), offsetof(cpu::ThreadState, arrived), count_of(mask_));
        store_field(thread(), offsetof(cpu::ThreadState, votes),
                    count_votes(call.getArgOperand(1)));
    }
    store_field(thread(), offsetof(cpu::ThreadState, votes_how), how);
    write_stop(builder_, thread());
    if (!votes) return;
    define(call,
           {load_at(builder_, builder_.getInt32Ty(), thread(), offsetof(cpu::ThreadState, votes))});
}

void Emitter::write_block_meeting(llvm::CallInst& call, const Service& service) {
    if (layout_.is_block) return write_meeting_of_all(call, service);
    if (layout_.is_cut) return write_meeting_at_stop(call, service);
    bool counts_threads = service.id != ServiceId::grid_sync;
    Value* waiting = builder_.getInt32(0);
    if (std::optional<Parts> elsewhere = lanes_elsewhere(current_)) waiting = count_of(*elsewhere);
    store_field(thread(), offsetof(cpu::ThreadState, elsewhere), waiting);
    if (counts_threads) {
        store_field(thread(), offsetof(cpu::ThreadState, arrived), count_of(mask_));
    }
    llvm::SmallVector<Value*, 2> arguments;
    if (service.id == ServiceId::barrier_reduce) {
        arguments = {first_active(call.getArgOperand(0)), count_votes(call.getArgOperand(1))};
    } else {
        for (const llvm::Use& argument : call.args()) {
            arguments.push_back(first_active(argument.get()));
        }
    }
    Value* result = call_service(service, thread(), arguments);
    if (!call.getType()->isVoidTy()) define(call, {result});
}

// Before a loop over lanes that calls lane_thread(): what all lanes have in common. Here and not in
// the prologue, because most such loops are rare.
void Emitter::prepare_lane_thread() {
    llvm::Type* byte = builder_.getInt8Ty();
    if (!lane_thread_) {
        lane_thread_ = new_slot(llvm::ArrayType::get(byte, sizeof(cpu::ThreadState)), "thread");
        lane_thread_->setAlignment(llvm::Align(alignof(cpu::ThreadState)));
    }
    builder_.CreateMemCpy(lane_thread_, lane_thread_->getAlign(), thread(),
                          lane_thread_->getAlign(), sizeof(cpu::ThreadState));
    for (std::size_t offset :
         {offsetof(cpu::ThreadState, lanes), offsetof(cpu::ThreadState, columns),
          offsetof(cpu::ThreadState, rows), offsetof(cpu::ThreadState, arrived),
          offsetof(cpu::ThreadState, active)}) {
        bool is_mask = offset == offsetof(cpu::ThreadState, active);
        Value* one = is_mask ? builder_.getInt16(1) : builder_.getInt32(1);
        store_field(lane_thread_, offset, one);
    }
}

// A ThreadState as the reference executor would have it for this lane.
Value* Emitter::lane_thread(Value* lane) {
    auto read = [&](std::size_t offset) {
        return load_at(builder_, builder_.getInt32Ty(), thread(), offset);
    };
    constexpr std::size_t word = sizeof(std::uint32_t);
    Value* number = builder_.CreateTrunc(lane, builder_.getInt32Ty());
    Value* linear = read(offsetof(cpu::ThreadState, linear_index));
    constexpr std::size_t index = offsetof(cpu::ThreadState, thread_index);
    Value* block =
        load_at(builder_, builder_.getPtrTy(), thread(), offsetof(cpu::ThreadState, block));
    auto block_dim = [&](unsigned axis) {
        return load_at(builder_, builder_.getInt32Ty(), block,
                       offsetof(cpu::BlockState, block_dim) + axis * word);
    };
    Value* row = builder_.getInt32(0);
    if (layout_.has_rows()) {
        Value* across = builder_.getInt32(layout_.width * layout_.columns());
        row = builder_.CreateUDiv(number, across);
        number = builder_.CreateURem(number, across);
        linear = builder_.CreateAdd(linear, builder_.CreateMul(row, block_dim(0)));
    }
    linear = builder_.CreateAdd(linear, number);
    store_field(lane_thread_, offsetof(cpu::ThreadState, linear_index), linear);
    if (!layout_.is_linear()) {
        store_field(lane_thread_, index, builder_.CreateAdd(read(index), number));
        store_field(lane_thread_, index + word, builder_.CreateAdd(read(index + word), row));
        return lane_thread_;
    }
    Value* rest = linear;
    for (unsigned axis = 0; axis < 3; ++axis) {
        Value* extent = block_dim(axis);
        store_field(lane_thread_, index + axis * word, builder_.CreateURem(rest, extent));
        rest = builder_.CreateUDiv(rest, extent);
    }
    return lane_thread_;
}

void Emitter::write_call_lane_by_lane(llvm::CallInst& call, const Service* service) {
    LaneLoop loop(*this, mask_);
    const Value* thread = scalar_.getArg(0);
    llvm::SmallVector<std::optional<unsigned>, 6> operands;
    for (const llvm::Use& argument : call.args()) {
        bool is_thread = argument.get() == thread;
        bool is_constant = llvm::isa<llvm::Constant>(argument.get());
        operands.push_back(is_thread || is_constant
                               ? std::nullopt
                               : std::optional(loop.add_operand(argument.get())));
    }
    llvm::SmallVector<unsigned, 2> results = loop.add_results(call.getType());
    std::optional<unsigned> pointer;
    if (is_indirect(call)) pointer = loop.add_operand(call.getCalledOperand());
    bool wants_thread = service ? service->takes_thread : llvm::is_contained(call.args(), thread);
    if (wants_thread) prepare_lane_thread();
    loop.begin();
    Value* state = wants_thread ? lane_thread(loop.lane()) : nullptr;
    llvm::SmallVector<Value*, 6> arguments;
    for (unsigned i = 0; i < operands.size(); ++i) {
        Value* argument = call.getArgOperand(i);
        if (operands[i]) {
            argument = loop.operand(*operands[i]);
        } else if (argument == thread) {
            argument = state;
        }
        arguments.push_back(argument);
    }
    llvm::Instruction* made = nullptr;
    if (service) {
        made = call_service(*service, state, arguments);
    } else {
        auto* copy = llvm::cast<llvm::CallInst>(call.clone());
        for (unsigned i = 0; i < arguments.size(); ++i) copy->setArgOperand(i, arguments[i]);
        if (pointer) copy->setCalledOperand(loop.operand(*pointer));
        made = builder_.Insert(copy);
    }
    loop.set_results(results, made);
    loop.end();
    define_results(call, loop, results);
}

void Emitter::define_results(const llvm::Instruction& instruction, LaneLoop& loop,
                             llvm::ArrayRef<unsigned> results) {
    if (results.empty()) return;
    if (!instruction.getType()->isStructTy()) {
        return define(instruction, loop.result(results[0]));
    }
    for (unsigned result : results) structs_[&instruction].push_back(loop.result(result));
}

void Emitter::write_extract(llvm::ExtractValueInst& extract) {
    auto known = structs_.find(extract.getAggregateOperand());
    if (known != structs_.end()) {
        return define(extract, known->second[extract.getIndices()[0]]);
    }
    // A scalar struct: the result of an intrinsic that ran once.
    Parts parts;
    Value* structure = parts_of(extract.getAggregateOperand())[0];
    Value* element = builder_.CreateExtractValue(structure, extract.getIndices());
    Shape shape = shapes_.of(&extract);
    for (unsigned part = 0; part < count_of_parts(shape); ++part) {
        parts.push_back(shape.has_scalars() ? element : splat(element));
    }
    define(extract, std::move(parts));
}

}  // namespace warpwise::cpu_compiler::gang
