// Warp operations of a gang that is a warp, or several of them side by side:
// votes are masks, shuffles (emit_shuffles.cpp) move lanes between vectors.
// What has no such form (a mask of its own for each lane, matches) goes through
// arrays to the run time, which computes what executor *reference* would.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/warp_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using cpu::kWarpSize;
using llvm::Value;

namespace {

std::uint32_t code(cpu::Collective kind) {
    return static_cast<std::uint32_t>(kind);
}

}  // namespace

// The same in all lanes of a warp.
bool WarpEmitter::is_one_for_warp(const Value* value) const {
    return shapes_.of(value).lane == 0;
}

Value* WarpEmitter::scalar_of_warp(Value* value, unsigned warp) {
    return values_.scalar(value, warp * layout_.pieces_of_warp());
}

// One result for each warp, in the form its shape asks for.
void WarpEmitter::define_by_warp(const llvm::CallInst& call, const Parts& results) {
    Shape shape = shapes_.of(&call);
    if (shape.is_uniform()) return values_.define(call, {results[0]});
    Parts parts;
    for (Value* result : results) {
        Value* part = shape.has_scalars() ? result : values_.splat(result);
        parts.append(layout_.pieces_of_warp(), part);
    }
    values_.define(call, std::move(parts));
}

void WarpEmitter::write(llvm::CallInst& call, const Service& service) {
    auto argument = [&](unsigned index) -> Value* { return call.getArgOperand(index); };
    Value* zero = builder_.getInt32(0);
    if (service.id == ServiceId::activemask) {
        Parts active;
        for (unsigned warp = 0; warp < layout_.warps(); ++warp)
            active.push_back(masks_.active_bits(warp));
        return define_by_warp(call, active);
    }
    if (service.id == ServiceId::syncwarp) {
        if (is_one_for_warp(argument(0))) return check_mask(argument(0));
        return write_collective(call, code(cpu::Collective::SyncWarp), zero, argument(0));
    }
    if (service.id == ServiceId::ballot) {
        if (is_one_for_warp(argument(0))) return write_ballot(call);
        return write_collective(call, code(cpu::Collective::Ballot), zero, argument(0),
                                argument(1));
    }
    if (service.id == ServiceId::shuffle32 || service.id == ServiceId::shuffle64) {
        if (write_shuffle(call)) return;
        bool is_word = service.id == ServiceId::shuffle32;
        return write_collective(
            call, code(is_word ? cpu::Collective::Shuffle32 : cpu::Collective::Shuffle64),
            masks_.first_active(argument(0)), argument(1), argument(2), argument(3), argument(4));
    }
    if (service.id == ServiceId::reduce) {
        if (write_reduction(call)) return;
        return write_collective(call, code(cpu::Collective::Reduce),
                                masks_.first_active(argument(0)), argument(1), argument(2));
    }
    bool is_any = service.id == ServiceId::match_any;
    write_collective(call, code(is_any ? cpu::Collective::MatchAny : cpu::Collective::MatchAll),
                     zero, argument(0), argument(1));
}

// One mask for all lanes of a warp: it must name each of them, and none that
// waits elsewhere. If not, the run time reports it and ends the block.
void WarpEmitter::check_mask(Value* mask) {
    Value* none = builder_.getInt32(0);
    Value* wrong = nullptr;
    for (unsigned warp = 0; warp < layout_.warps(); ++warp) {
        Value* named = scalar_of_warp(mask, warp);
        Value* elsewhere = masks_.elsewhere_bits(warp);
        auto* constant = llvm::dyn_cast<llvm::Constant>(named);
        bool names_all = constant && constant->isAllOnesValue();
        if (names_all && llvm::isa<llvm::Constant>(elsewhere)) continue;
        Value* active = masks_.active_bits(warp);
        Value* strangers = builder_.CreateAnd(active, builder_.CreateNot(named));
        Value* missing = builder_.CreateAnd(elsewhere, named);
        if (layout_.warps() > 1) {  // a warp that is not here requests no lane
            Value* is_here = builder_.CreateICmpNE(active, none);
            missing = builder_.CreateSelect(is_here, missing, none);
        }
        Value* both = builder_.CreateOr(strangers, missing);
        wrong = wrong ? builder_.CreateOr(wrong, both) : both;
    }
    if (!wrong) return;
    llvm::BasicBlock* refused = new_block("refused");
    llvm::BasicBlock* converged = new_block("converged");
    builder_.CreateCondBr(builder_.CreateICmpNE(wrong, none), refused, converged);
    Values::Known known = values_.known();  // what the exit computes is not available after it
    builder_.SetInsertPoint(refused);
    for (unsigned warp = 0; warp < layout_.warps(); ++warp) {
        fill_operands(offsetof(cpu::WarpOperands, mask), builder_.getInt32Ty(), mask, warp);
        call_service(service_of(ServiceId::gang_collective), thread(),
                     {builder_.getInt32(code(cpu::Collective::SyncWarp)), none,
                      masks_.active_bits(warp), masks_.elsewhere_bits(warp), warp_operands()});
    }
    builder_.CreateBr(converged);
    builder_.SetInsertPoint(converged);
    values_.restore(std::move(known));
}

void WarpEmitter::write_ballot(llvm::CallInst& call) {
    check_mask(call.getArgOperand(0));
    const Parts votes = masks_.votes(call.getArgOperand(1));
    Parts results;
    for (unsigned warp = 0; warp < layout_.warps(); ++warp) {
        results.push_back(masks_.bits_of_warp(votes, warp));
    }
    define_by_warp(call, results);
}

bool WarpEmitter::write_reduction(llvm::CallInst& call) {
    using namespace llvm::Intrinsic;
    auto op = constant_of(call.getArgOperand(0));
    Value* mask = call.getArgOperand(1);
    if (!op || !is_one_for_warp(mask)) return false;
    struct Reduction {
        ID across;
        std::uint32_t identity;
    };
    static constexpr Reduction kReductions[] = {{vector_reduce_add, 0},
                                                {vector_reduce_smin, 0x7fffffff},
                                                {vector_reduce_smax, 0x80000000},
                                                {vector_reduce_umin, ~0u},
                                                {vector_reduce_umax, 0},
                                                {vector_reduce_and, ~0u},
                                                {vector_reduce_or, 0},
                                                {vector_reduce_xor, 0}};
    if (*op >= std::size(kReductions)) return false;
    check_mask(mask);
    const Reduction& how = kReductions[*op];
    Parts results;
    for (unsigned warp = 0; warp < layout_.warps(); ++warp) {
        llvm::FixedVectorType* type =
            llvm::FixedVectorType::get(builder_.getInt32Ty(), layout_.pieces_of_warp());
        Value* all = llvm::PoisonValue::get(type);  // of the pieces' results
        for (unsigned i = 0; i < layout_.pieces_of_warp(); ++i) {
            unsigned piece = warp * layout_.pieces_of_warp() + i;
            Value* lanes = values_.vector(call.getArgOperand(2), piece);
            Value* rest = llvm::ConstantInt::get(lanes->getType(), how.identity);
            Value* word = builder_.CreateUnaryIntrinsic(
                how.across, builder_.CreateSelect(mask_[piece], lanes, rest));
            all = builder_.CreateInsertElement(all, word, i);
        }
        results.push_back(builder_.CreateUnaryIntrinsic(how.across, all));
    }
    define_by_warp(call, results);
    return true;
}

llvm::AllocaInst* WarpEmitter::warp_operands() {
    if (!warp_operands_) {
        warp_operands_ = state_.new_slot(
            llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(cpu::WarpOperands)), "operands");
        warp_operands_->setAlignment(llvm::Align(64));
    }
    return warp_operands_;
}

void WarpEmitter::fill_operands(std::size_t offset, llvm::Type* type, Value* operand,
                                unsigned warp) {
    for (unsigned i = 0; i < layout_.pieces_of_warp(); ++i) {
        Value* lanes = values_.vector(operand, warp * layout_.pieces_of_warp() + i);
        lanes = builder_.CreateZExtOrTrunc(lanes, vector_of(type));
        std::size_t bytes = type->getIntegerBitWidth() / 8 * layout_.width * i;
        Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), warp_operands(),
                                                           offset + bytes);
        builder_.CreateAlignedStore(lanes, place, llvm::Align(16));
    }
}

void WarpEmitter::write_collective(llvm::CallInst& call, std::uint32_t kind, Value* mode,
                                   Value* mask, Value* value, Value* operand, Value* width) {
    llvm::Type* word = builder_.getInt32Ty();
    Shape shape = shapes_.of(&call);
    bool is_one = !call.getType()->isVoidTy() && shape.has_scalars();
    Parts parts;
    for (unsigned warp = 0; warp < layout_.warps(); ++warp) {
        fill_operands(offsetof(cpu::WarpOperands, mask), word, mask, warp);
        if (value) {
            fill_operands(offsetof(cpu::WarpOperands, value), builder_.getInt64Ty(), value, warp);
        }
        if (operand) fill_operands(offsetof(cpu::WarpOperands, operand), word, operand, warp);
        if (width) fill_operands(offsetof(cpu::WarpOperands, width), word, width, warp);
        call_service(service_of(ServiceId::gang_collective), thread(),
                     {builder_.getInt32(kind), mode, masks_.active_bits(warp),
                      masks_.elsewhere_bits(warp), warp_operands()});
        if (call.getType()->isVoidTy()) continue;
        if (is_one) {
            Value* lane = builder_.CreateBinaryIntrinsic(
                llvm::Intrinsic::cttz, masks_.active_bits(warp), builder_.getFalse());
            lane = builder_.CreateAnd(lane, kWarpSize - 1);
            Value* place = builder_.CreateInBoundsGEP(builder_.getInt64Ty(), warp_operands(), lane);
            Value* result = builder_.CreateLoad(builder_.getInt64Ty(), place);
            parts.push_back(builder_.CreateTrunc(result, call.getType()));
            continue;
        }
        for (unsigned i = 0; i < layout_.pieces_of_warp(); ++i) {
            Value* place = builder_.CreateConstInBoundsGEP1_64(
                builder_.getInt8Ty(), warp_operands(),
                offsetof(cpu::WarpOperands, value) + sizeof(std::uint64_t) * layout_.width * i);
            Value* lanes = builder_.CreateAlignedLoad(vector_of(builder_.getInt64Ty()), place,
                                                      llvm::Align(16));
            parts.push_back(builder_.CreateZExtOrTrunc(lanes, vector_of(call.getType())));
        }
    }
    if (is_one) return define_by_warp(call, parts);
    if (!call.getType()->isVoidTy()) values_.define(call, std::move(parts));
}

}  // namespace warpwise::cpu_compiler::gang
