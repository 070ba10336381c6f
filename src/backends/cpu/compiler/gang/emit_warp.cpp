// Warp operations of a gang that is a warp: votes are masks, shuffles move lanes between vectors.
// What has no such form (a mask of its own for each lane, matches) goes through arrays to the run
// time, which computes what executor *reference* would.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/lane_loop.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

constexpr unsigned kWarpSize = 32;

std::optional<std::uint32_t> constant_of(const Value* value) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!constant) return std::nullopt;
    return static_cast<std::uint32_t>(constant->getZExtValue());
}

// CUDA's rule for the lane a shuffle reads from; as in the run time's warp_collectives.cpp.
unsigned source_lane(std::uint32_t mode, std::uint32_t operand, std::uint32_t width,
                     unsigned lane) {
    unsigned first = lane & ~(width - 1);
    unsigned place = lane - first;
    switch (mode) {
        case cpu::kShuffleIndex:
            return first + (operand & (width - 1));
        case cpu::kShuffleUp:
            return operand <= place ? lane - operand : lane;
        case cpu::kShuffleDown:
            return operand < width - place ? lane + operand : lane;
        default: {
            unsigned source = lane ^ (operand & (kWarpSize - 1));
            return source < first + width ? source : lane;
        }
    }
}

std::uint32_t code(cpu::Collective kind) {
    return static_cast<std::uint32_t>(kind);
}

}  // namespace

Value* Emitter::active_bits() {
    return builder_.CreateTrunc(bits_of(mask_), builder_.getInt32Ty());
}

Value* Emitter::elsewhere_bits() {
    std::optional<Parts> lanes = lanes_elsewhere(current_);
    if (!lanes) return builder_.getInt32(0);
    return builder_.CreateTrunc(bits_of(*lanes), builder_.getInt32Ty());
}

void Emitter::write_warp_operation(llvm::CallInst& call, const Service& service) {
    auto argument = [&](unsigned index) -> const Value* { return call.getArgOperand(index); };
    Value* zero = builder_.getInt32(0);
    if (service.name == "activemask") return define(call, {active_bits()});
    if (service.name == "syncwarp") {
        if (shapes_.of(argument(0)).is_uniform()) return check_mask(argument(0));
        return write_collective(call, code(cpu::Collective::SyncWarp), zero, argument(0));
    }
    if (service.name == "ballot") {
        if (shapes_.of(argument(0)).is_uniform()) return write_ballot(call);
        return write_collective(call, code(cpu::Collective::Ballot), zero, argument(0),
                                argument(1));
    }
    if (service.name == "shuffle32" || service.name == "shuffle64") {
        if (write_shuffle(call)) return;
        bool is_word = service.name == "shuffle32";
        return write_collective(
            call, code(is_word ? cpu::Collective::Shuffle32 : cpu::Collective::Shuffle64),
            first_active(argument(0)), argument(1), argument(2), argument(3), argument(4));
    }
    if (service.name == "reduce") {
        if (write_reduction(call)) return;
        return write_collective(call, code(cpu::Collective::Reduce), first_active(argument(0)),
                                argument(1), argument(2));
    }
    bool is_any = service.name == "match_any";
    write_collective(call, code(is_any ? cpu::Collective::MatchAny : cpu::Collective::MatchAll),
                     zero, argument(0), argument(1));
}

// One mask for all lanes: it must name each of them, and none that waits elsewhere. If not, the run
// time says so and gives the block up.
void Emitter::check_mask(const Value* mask) {
    Value* named = scalar(mask, 0);
    Value* elsewhere = elsewhere_bits();
    auto* constant = llvm::dyn_cast<llvm::Constant>(named);
    bool names_all = constant && constant->isAllOnesValue();
    if (names_all && llvm::isa<llvm::Constant>(elsewhere)) return;
    Value* strangers = builder_.CreateAnd(active_bits(), builder_.CreateNot(named));
    Value* missing = builder_.CreateAnd(elsewhere, named);
    Value* wrong =
        builder_.CreateICmpNE(builder_.CreateOr(strangers, missing), builder_.getInt32(0));
    llvm::BasicBlock* refused = new_block("refused");
    llvm::BasicBlock* met = new_block("met");
    builder_.CreateCondBr(wrong, refused, met);
    auto known = local_;  // what is made on the way out is not there after it
    auto vectors = vectors_;
    builder_.SetInsertPoint(refused);
    fill_operands(offsetof(cpu::WarpOperands, mask), builder_.getInt32Ty(), mask);
    call_service(service_of_row("gang_collective"), thread(),
                 {builder_.getInt32(code(cpu::Collective::SyncWarp)), builder_.getInt32(0),
                  active_bits(), elsewhere, warp_operands()});
    builder_.CreateBr(met);
    builder_.SetInsertPoint(met);
    local_ = std::move(known);
    vectors_ = std::move(vectors);
}

void Emitter::write_ballot(llvm::CallInst& call) {
    check_mask(call.getArgOperand(0));
    Parts votes;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* predicate = vector(call.getArgOperand(1), piece);
        Value* none = llvm::Constant::getNullValue(predicate->getType());
        Value* is_true = builder_.CreateICmpNE(predicate, none);
        votes.push_back(builder_.CreateSelect(mask_[piece], is_true,
                                              llvm::Constant::getNullValue(is_true->getType())));
    }
    Value* bits = builder_.CreateTrunc(bits_of(votes), builder_.getInt32Ty());
    Shape shape = shapes_.of(&call);
    if (shape.is_uniform()) return define(call, {bits});
    define(call, Parts(count_of_parts(shape), splat(bits)));
}

// With constants for everything but the value, each result vector picks from the two operand ones.
bool Emitter::write_shuffle(llvm::CallInst& call) {
    auto mode = constant_of(call.getArgOperand(0));
    auto operand = constant_of(call.getArgOperand(3));
    auto width = constant_of(call.getArgOperand(4));
    const Value* mask = call.getArgOperand(1);
    bool is_static = mode && operand && width && llvm::isPowerOf2_32(*width) &&
                     *width <= kWarpSize && shapes_.of(mask).is_uniform() && layout_.pieces == 2;
    if (!is_static) return false;
    check_mask(mask);
    const Value* value = call.getArgOperand(2);
    Value* named = builder_.CreateBitCast(
        scalar(mask, 0), llvm::FixedVectorType::get(builder_.getInt1Ty(), kWarpSize));
    Parts parts;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        llvm::SmallVector<int, 16> sources;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            sources.push_back(static_cast<int>(
                source_lane(*mode, *operand, *width, piece * layout_.width + lane)));
        }
        Value* moved = builder_.CreateShuffleVector(vector(value, 0), vector(value, 1), sources);
        // A source that takes no part: the own value.
        Value* takes_part = builder_.CreateShuffleVector(mask_[0], mask_[1], sources);
        if (!llvm::isa<llvm::Constant>(named)) {
            Value* is_named = builder_.CreateShuffleVector(named, named, sources);
            takes_part = builder_.CreateSelect(takes_part, is_named,
                                               llvm::Constant::getNullValue(is_named->getType()));
        } else if (!llvm::cast<llvm::Constant>(named)->isAllOnesValue()) {
            Value* is_named = builder_.CreateShuffleVector(named, named, sources);
            takes_part = builder_.CreateAnd(takes_part, is_named);
        }
        parts.push_back(builder_.CreateSelect(takes_part, moved, vector(value, piece)));
    }
    define(call, std::move(parts));
    return true;
}

bool Emitter::write_reduction(llvm::CallInst& call) {
    using namespace llvm::Intrinsic;
    auto op = constant_of(call.getArgOperand(0));
    const Value* mask = call.getArgOperand(1);
    if (!op || !shapes_.of(mask).is_uniform()) return false;
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
    llvm::SmallVector<Value*, 2> words;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* lanes = vector(call.getArgOperand(2), piece);
        Value* rest = llvm::ConstantInt::get(lanes->getType(), how.identity);
        words.push_back(builder_.CreateUnaryIntrinsic(
            how.across, builder_.CreateSelect(mask_[piece], lanes, rest)));
    }
    // Of the pieces' results, in a vector of as many.
    Value* all =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(builder_.getInt32Ty(), layout_.pieces));
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        all = builder_.CreateInsertElement(all, words[piece], piece);
    }
    Value* result = builder_.CreateUnaryIntrinsic(how.across, all);
    Shape shape = shapes_.of(&call);
    if (shape.is_uniform()) {
        define(call, {result});
    } else {
        define(call, Parts(count_of_parts(shape), splat(result)));
    }
    return true;
}

llvm::AllocaInst* Emitter::warp_operands() {
    if (!warp_operands_) {
        warp_operands_ = new_slot(
            llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(cpu::WarpOperands)), "operands");
        warp_operands_->setAlignment(llvm::Align(64));
    }
    return warp_operands_;
}

void Emitter::fill_operands(std::size_t offset, llvm::Type* type, const Value* operand) {
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* lanes = builder_.CreateZExtOrTrunc(vector(operand, piece), vector_of(type));
        std::size_t bytes = type->getIntegerBitWidth() / 8 * layout_.width * piece;
        Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), warp_operands(),
                                                           offset + bytes);
        builder_.CreateAlignedStore(lanes, place, llvm::Align(16));
    }
}

void Emitter::write_collective(llvm::CallInst& call, std::uint32_t kind, Value* mode,
                               const Value* mask, const Value* value, const Value* operand,
                               const Value* width) {
    llvm::Type* word = builder_.getInt32Ty();
    fill_operands(offsetof(cpu::WarpOperands, mask), word, mask);
    if (value) fill_operands(offsetof(cpu::WarpOperands, value), builder_.getInt64Ty(), value);
    if (operand) fill_operands(offsetof(cpu::WarpOperands, operand), word, operand);
    if (width) fill_operands(offsetof(cpu::WarpOperands, width), word, width);
    call_service(service_of_row("gang_collective"), thread(),
                 {builder_.getInt32(kind), mode, active_bits(), elsewhere_bits(), warp_operands()});
    if (call.getType()->isVoidTy()) return;
    Shape shape = shapes_.of(&call);
    if (shape.is_uniform()) {
        Value* lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active_bits(),
                                                     builder_.getFalse());
        lane = builder_.CreateAnd(lane, kWarpSize - 1);
        Value* place = builder_.CreateInBoundsGEP(builder_.getInt64Ty(), warp_operands(), lane);
        Value* result = builder_.CreateLoad(builder_.getInt64Ty(), place);
        return define(call, {builder_.CreateTrunc(result, call.getType())});
    }
    Parts parts;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* place = builder_.CreateConstInBoundsGEP1_64(
            builder_.getInt8Ty(), warp_operands(),
            offsetof(cpu::WarpOperands, value) + sizeof(std::uint64_t) * layout_.width * piece);
        Value* lanes =
            builder_.CreateAlignedLoad(vector_of(builder_.getInt64Ty()), place, llvm::Align(16));
        parts.push_back(builder_.CreateZExtOrTrunc(lanes, vector_of(call.getType())));
    }
    define(call, std::move(parts));
}

}  // namespace warpwise::cpu_compiler::gang
