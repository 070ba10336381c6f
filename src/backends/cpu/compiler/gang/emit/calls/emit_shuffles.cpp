// Shuffles with one mask for each warp. With constants for everything but the
// value, each result vector picks from the two operand ones; a source lane
// known only at run time is one permutation of both, or a look into memory
// where the host has none.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/warp_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using cpu::kWarpSize;
using llvm::Value;

namespace {

// CUDA's rule for the lane a shuffle reads from; as in the run time's
// warp_collectives.cpp.
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

}  // namespace

bool WarpEmitter::write_shuffle(llvm::CallInst& call) {
    auto mode = constant_of(call.getArgOperand(0));
    auto operand = constant_of(call.getArgOperand(3));
    auto width = constant_of(call.getArgOperand(4));
    Value* mask = call.getArgOperand(1);
    bool is_known = mode && width && llvm::isPowerOf2_32(*width) && *width <= kWarpSize &&
                    is_one_for_warp(mask) && layout_.pieces_of_warp() == 2;
    if (!is_known) return false;
    check_mask(mask);
    Value* value = call.getArgOperand(2);
    Parts parts;
    for (unsigned first = 0; first < layout_.pieces; first += 2) {
        for (unsigned half = 0; half < 2; ++half) {
            Value* own = values_.vector(value, first + half);
            Value *moved = nullptr, *takes_part = nullptr;
            if (operand) {
                llvm::SmallVector<int, 16> sources;
                for (unsigned lane = 0; lane < layout_.width; ++lane) {
                    sources.push_back(static_cast<int>(
                        source_lane(*mode, *operand, *width, half * layout_.width + lane)));
                }
                moved = builder_.CreateShuffleVector(values_.vector(value, first),
                                                     values_.vector(value, first + 1), sources);
                takes_part = builder_.CreateShuffleVector(mask_[first], mask_[first + 1], sources);
            } else {
                Value* sources =
                    source_lanes(*mode, values_.vector(call.getArgOperand(3), first + half), *width,
                                 half * layout_.width);
                moved = permute(values_.vector(value, first), values_.vector(value, first + 1),
                                sources);
                Value* bits = values_.splat(masks_.active_bits(first / 2));
                Value* bit = builder_.CreateLShr(bits, sources);
                takes_part = builder_.CreateTrunc(bit, vector_of(builder_.getInt1Ty()));
            }
            // A source that takes no part: the own value.
            parts.push_back(builder_.CreateSelect(takes_part, moved, own));
        }
    }
    values_.define(call, std::move(parts));
    return true;
}

// As source_lane(), for the lanes of a warp from `first` on.
Value* WarpEmitter::source_lanes(std::uint32_t mode, Value* operand, std::uint32_t width,
                                 unsigned first) {
    llvm::Type* type = vector_of(builder_.getInt32Ty());
    auto all = [&](std::uint32_t number) { return llvm::ConstantInt::get(type, number); };
    Value* lane = builder_.CreateAdd(values_.steps(builder_.getInt32Ty(), 1), all(first));
    Value* start = builder_.CreateAnd(lane, all(~(width - 1)));
    Value* place = builder_.CreateSub(lane, start);
    switch (mode) {
        case cpu::kShuffleIndex:
            return builder_.CreateAdd(start, builder_.CreateAnd(operand, all(width - 1)));
        case cpu::kShuffleUp:
            return builder_.CreateSelect(builder_.CreateICmpULE(operand, place),
                                         builder_.CreateSub(lane, operand), lane);
        case cpu::kShuffleDown: {
            Value* rest = builder_.CreateSub(all(width), place);
            return builder_.CreateSelect(builder_.CreateICmpULT(operand, rest),
                                         builder_.CreateAdd(lane, operand), lane);
        }
        default: {
            Value* source =
                builder_.CreateXor(lane, builder_.CreateAnd(operand, all(kWarpSize - 1)));
            Value* end = builder_.CreateAdd(start, all(width));
            return builder_.CreateSelect(builder_.CreateICmpULT(source, end), source, lane);
        }
    }
}

// Element sources[l] of `low` and `high` put together, for each lane l. The
// sources of dead lanes may be anything.
Value* WarpEmitter::permute(Value* low, Value* high, Value* sources) {
    llvm::Type* element = llvm::cast<llvm::VectorType>(low->getType())->getElementType();
    unsigned bits = element->getIntegerBitWidth();
    llvm::Type* word = builder_.getInt32Ty();
    llvm::FixedVectorType* words = vector_of(word);
    if (!state_.target.can_permute_words(layout_.width)) {
        std::uint64_t bytes = bits / 8 * layout_.width;
        for (auto [half, lanes] : llvm::enumerate(std::array{low, high})) {
            Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(),
                                                               warp_operands(), bytes * half);
            builder_.CreateAlignedStore(lanes, place, llvm::Align(16));
        }
        Value* bounded = builder_.CreateAnd(builder_.CreateFreeze(sources),
                                            llvm::ConstantInt::get(words, kWarpSize - 1));
        Value* places = builder_.CreateGEP(element, warp_operands(), bounded);
        return builder_.CreateMaskedGather(low->getType(), places, llvm::Align(bits / 8));
    }
    auto of_words = [&](Value* a, Value* b) {
        return state_.target.permute_words(builder_, a, b, sources);
    };
    if (bits == 32) return of_words(low, high);
    auto part = [&](unsigned shift) {
        auto half = [&](Value* lanes) {
            return builder_.CreateTrunc(builder_.CreateLShr(lanes, shift), words);
        };
        return builder_.CreateZExt(of_words(half(low), half(high)), low->getType());
    };
    return builder_.CreateOr(part(0), builder_.CreateShl(part(32), 32));
}

}  // namespace warpwise::cpu_compiler::gang
