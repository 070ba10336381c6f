// PTX barriers, votes, shuffles and other convergent operations, as services of the run time.
#include <llvm/ADT/StringSwitch.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Value;

// The lanes of an instruction: its last operand with .sync, the active ones without.
Value* lanes_of(PtxStatement& at, const PtxInstruction& i) {
    if (!has_part(i, "sync")) return at.service(ServiceId::activemask, {});
    return at.read(i.operands.back(), at.builder().getInt32Ty());
}

// bar.red.popc.u32 d, a, c and bar.red.(and|or).pred p, a, c: of barrier 0, of the whole block.
bool reduce_at_barrier(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 3) return false;
    IRBuilder<>& b = at.builder();
    auto* id = llvm::dyn_cast_or_null<llvm::ConstantInt>(at.read(i.operands[1], b.getInt32Ty()));
    Value* predicate = at.read(i.operands[2], b.getInt1Ty());
    if (!id || !id->isZero() || !predicate) return false;
    const bool counts = has_part(i, "popc");
    const cpu::BarrierOp op = counts               ? cpu::kBarrierCount
                              : has_part(i, "and") ? cpu::kBarrierAnd
                                                   : cpu::kBarrierOr;
    Value* result = at.service(ServiceId::barrier_reduce,
                               {at.word(op), b.CreateZExt(predicate, b.getInt32Ty())});
    return at.write(i.operands[0], counts ? result : b.CreateICmpNE(result, at.word(0)));
}

bool barrier(PtxStatement& at, const PtxInstruction& i) {
    if (has_part(i, "red")) return reduce_at_barrier(at, i);
    llvm::SmallVector<Value*, 2> arguments;
    for (const std::string& operand : i.operands) {
        Value* value = at.read(operand, at.builder().getInt32Ty());
        if (!value) return false;
        arguments.push_back(value);
    }
    const bool is_warp = has_part(i, "warp");
    if (!is_warp && !has_part(i, "sync") && !has_part(i, "arrive")) return false;
    const ServiceId row = is_warp               ? ServiceId::syncwarp
                          : has_part(i, "sync") ? ServiceId::barrier
                                                : ServiceId::barrier_arrive;
    const unsigned count = is_warp ? 1 : 2;
    if (arguments.size() > count || has_part(i, "cluster")) return false;
    while (arguments.size() < count) arguments.push_back(at.word(0));
    at.service(row, arguments);
    return true;
}

bool vote(PtxStatement& at, const PtxInstruction& i) {
    IRBuilder<>& b = at.builder();
    if (i.operands.size() != (has_part(i, "sync") ? 3u : 2u)) return false;
    Value* lanes = lanes_of(at, i);
    Value* predicate = at.read(i.operands[1], b.getInt1Ty());
    if (!lanes || !predicate) return false;
    const auto ballot = [&](Value* predicate_bits) {
        return at.service(ServiceId::ballot, {lanes, b.CreateZExt(predicate_bits, b.getInt32Ty())});
    };
    if (has_part(i, "ballot")) return at.write(i.operands[0], ballot(predicate));
    if (has_part(i, "any")) {
        return at.write(i.operands[0], b.CreateICmpNE(ballot(predicate), at.word(0)));
    }
    Value* none_clear = b.CreateICmpEQ(ballot(b.CreateNot(predicate)), at.word(0));
    if (has_part(i, "all")) return at.write(i.operands[0], none_clear);
    return false;
}

// Whether the lane from which this one reads is in the same segment: PTX's own formula.
Value* is_in_segment(PtxStatement& at, cpu::ShuffleMode mode, Value* by, Value* packed) {
    IRBuilder<>& b = at.builder();
    Value* lane = at.read("%laneid", b.getInt32Ty());
    Value* segment = b.CreateAnd(b.CreateLShr(packed, 8), 31);
    Value* others = b.CreateNot(segment);
    Value* first = b.CreateAnd(lane, segment);
    Value* last = b.CreateOr(first, b.CreateAnd(b.CreateAnd(packed, 31), others));
    by = b.CreateAnd(by, 31);
    if (mode == cpu::kShuffleUp) return b.CreateICmpSGE(b.CreateSub(lane, by), last);
    Value* from = mode == cpu::kShuffleDown  ? b.CreateAdd(lane, by)
                  : mode == cpu::kShuffleXor ? b.CreateXor(lane, by)
                                             : b.CreateOr(first, b.CreateAnd(by, others));
    return b.CreateICmpSLE(from, last);
}

bool shuffle(PtxStatement& at, const PtxInstruction& i) {
    IRBuilder<>& b = at.builder();
    const bool is_sync = has_part(i, "sync");
    // "d|p": p is whether the source lies inside the segment.
    const bool has_predicate = i.operands.size() == (is_sync ? 6u : 5u);
    if (!has_predicate && i.operands.size() != (is_sync ? 5u : 4u)) return false;
    const unsigned first = has_predicate ? 2 : 1;
    cpu::ShuffleMode mode = cpu::kShuffleIndex;
    if (has_part(i, "up")) mode = cpu::kShuffleUp;
    if (has_part(i, "down")) mode = cpu::kShuffleDown;
    if (has_part(i, "bfly")) mode = cpu::kShuffleXor;
    Value* lanes = lanes_of(at, i);
    Value* value = at.read(i.operands[first], b.getInt32Ty());
    Value* by = at.read(i.operands[first + 1], b.getInt32Ty());
    Value* packed = at.read(i.operands[first + 2], b.getInt32Ty());
    if (!lanes || !value || !by || !packed) return false;
    if (has_predicate && !at.write(i.operands[1], is_in_segment(at, mode, by, packed)))
        return false;
    // Bits 8 to 12 are 32 - width for the powers of two.
    Value* width = b.CreateSub(at.word(32), b.CreateAnd(b.CreateLShr(packed, 8), 31));
    return at.write(i.operands[0],
                    at.service(ServiceId::shuffle32, {at.word(mode), lanes, value, by, width}));
}

bool match(PtxStatement& at, const PtxInstruction& i) {
    IRBuilder<>& b = at.builder();
    const bool is_all = has_part(i, "all");  // "d|p": p is whether all have the same
    const bool has_predicate = is_all && i.operands.size() == 4;
    if ((!is_all && !has_part(i, "any")) || i.operands.size() != (has_predicate ? 4u : 3u)) {
        return false;
    }
    Value* lanes = lanes_of(at, i);
    llvm::Type* type = at.type_of(i.opcode.back());
    Value* value = type ? at.read(i.operands[has_predicate ? 2 : 1], type) : nullptr;
    if (!lanes || !value) return false;
    Value* same = at.service(is_all ? ServiceId::match_all : ServiceId::match_any,
                             {lanes, b.CreateZExt(value, b.getInt64Ty())});
    if (has_predicate && !at.write(i.operands[1], b.CreateICmpNE(same, at.word(0)))) return false;
    return at.write(i.operands[0], same);
}

// elect.sync d|p, mask: the first lane of the mask.
bool elect(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 3 || !has_part(i, "sync")) return false;
    IRBuilder<>& b = at.builder();
    Value* lanes = lanes_of(at, i);
    if (!lanes) return false;
    Value* first =
        b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {lanes, b.getFalse()});
    Value* lane = at.read("%laneid", b.getInt32Ty());
    return at.write(i.operands[0], first) && at.write(i.operands[1], b.CreateICmpEQ(lane, first));
}

bool reduce(PtxStatement& at, const PtxInstruction& i) {
    const bool is_signed = StringRef(i.opcode.back()).starts_with("s");
    const auto operation = llvm::StringSwitch<int>(i.opcode.size() == 4 ? i.opcode[2] : "")
                               .Case("add", cpu::kReduceAdd)
                               .Case("min", is_signed ? cpu::kReduceMinS : cpu::kReduceMinU)
                               .Case("max", is_signed ? cpu::kReduceMaxS : cpu::kReduceMaxU)
                               .Case("and", cpu::kReduceAnd)
                               .Case("or", cpu::kReduceOr)
                               .Case("xor", cpu::kReduceXor)
                               .Default(-1);
    if (operation < 0 || i.operands.size() != 3) return false;
    Value* lanes = lanes_of(at, i);
    Value* value = at.read(i.operands[1], at.builder().getInt32Ty());
    if (!lanes || !value) return false;
    const auto number = static_cast<std::uint32_t>(operation);
    return at.write(i.operands[0], at.service(ServiceId::reduce, {at.word(number), lanes, value}));
}

bool active_mask(PtxStatement& at, const PtxInstruction& i) {
    return i.operands.size() == 1 && at.write(i.operands[0], at.service(ServiceId::activemask, {}));
}

bool pause(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 1) return false;
    Value* time = at.read(i.operands[0], at.builder().getInt32Ty());
    if (!time) return false;
    at.service(ServiceId::nanosleep, {time});
    return true;
}

bool trap(PtxStatement& at, const PtxInstruction& i) {
    if (!i.operands.empty()) return false;
    at.service(ServiceId::trap, {});
    return true;
}

}  // namespace

PtxRow find_warp_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Cases("bar", "barrier", barrier)
        .Case("vote", vote)
        .Case("shfl", shuffle)
        .Case("match", match)
        .Case("redux", reduce)
        .Case("activemask", active_mask)
        .Case("elect", elect)
        .Case("nanosleep", pause)
        .Cases("trap", "brkpt", trap)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
