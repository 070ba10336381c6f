// Recognises computed places; see computed_place.hpp.
#include "src/backends/cpu/compiler/gang/emit/memory/computed_place.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDeepest = 16;  // operations from the index to what has a step

bool is_computation(const Instruction& instruction) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        switch (call->getIntrinsicID()) {
            case llvm::Intrinsic::smin:
            case llvm::Intrinsic::smax:
            case llvm::Intrinsic::umin:
            case llvm::Intrinsic::umax:
            case llvm::Intrinsic::abs:
                return true;
            default:
                return false;
        }
    }
    return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst, llvm::ICmpInst,
                     llvm::FreezeInst, llvm::GetElementPtrInst>(instruction);
}

// How deep an operation was found, at most; it need not be looked at again from less.
using Depths = llvm::DenseMap<const Value*, unsigned>;

bool is_computed(const Value* value, const Shapes& shapes, const Layout& layout, Depths& seen,
                 unsigned depth = 0) {
    if (shapes.of(value).has_scalars()) return true;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (llvm::isa<llvm::LoadInst>(value)) return !!lane_pattern(value, 0, shapes, layout);
    if (instruction == nullptr || depth == kDeepest || !is_computation(*instruction)) return false;
    auto [known, is_new] = seen.try_emplace(value, depth);
    if (!is_new && known->second >= depth) return true;
    known->second = depth;
    return llvm::all_of(instruction->operands(), [&](const Value* operand) {
        return is_computed(operand, shapes, layout, seen, depth + 1);
    });
}

// A multiple of something that varies, but for what all lanes add: never neighbours.
bool is_multiple(const Value* value, const Shapes& shapes) {
    using namespace llvm::PatternMatch;
    const Value *one = nullptr, *other = nullptr;
    const llvm::APInt* factor = nullptr;
    while (match(value, m_Add(m_Value(one), m_Value(other))) ||
           match(value, m_DisjointOr(m_Value(one), m_Value(other)))) {
        const bool has_one_step = shapes.of(one).is_uniform() || shapes.of(other).is_uniform();
        if (!has_one_step) return false;
        value = shapes.of(one).is_uniform() ? other : one;
    }
    if (match(value, m_Shl(m_Value(), m_APInt(factor)))) return !factor->isZero();
    return match(value, m_Mul(m_Value(), m_APInt(factor))) && factor->ugt(1);
}

// The numbers of the indices that are not the same in all lanes.
llvm::SmallVector<unsigned, 2> varying_indices(const llvm::GetElementPtrInst& address,
                                               const Shapes& shapes) {
    llvm::SmallVector<unsigned, 2> found;
    for (unsigned i = 1; i < address.getNumOperands(); ++i) {
        if (!shapes.of(address.getOperand(i)).is_uniform()) found.push_back(i);
    }
    return found;
}

std::uint64_t stride_of(const llvm::GetElementPtrInst& address, unsigned position) {
    auto at = llvm::gep_type_begin(address);
    std::advance(at, position - 1);
    return at.getSequentialElementStride(address.getDataLayout()).getFixedValue();
}

// `elements`: of the access, from one number of the index to the next.
std::optional<LanePattern> pattern_of(const Value* index, std::uint64_t elements, unsigned piece,
                                      const Shapes& shapes, const Layout& layout) {
    auto lanes = lane_pattern(index, piece, shapes, layout);
    if (!lanes) return std::nullopt;
    bool is_side_by_side = true;
    for (unsigned lane = 0; lane < layout.width; ++lane) {
        (*lanes)[lane] *= static_cast<std::int64_t>(elements);
        is_side_by_side &= (*lanes)[lane] == lane;
    }
    return is_side_by_side ? std::nullopt : lanes;
}

}  // namespace

std::optional<ComputedPlace> computed_place(Instruction& access, const Shapes& shapes,
                                            const Layout& layout) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    if (!(load && load->isSimple()) && !(store && store->isSimple())) return std::nullopt;
    const Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (shapes.of(pointer).has_scalars()) return std::nullopt;
    Depths seen;
    if (!is_computed(pointer, shapes, layout, seen)) return std::nullopt;
    const llvm::DataLayout& data = access.getDataLayout();
    llvm::APInt offset(64, 0);
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(
        pointer->stripAndAccumulateConstantOffsets(data, offset, true));
    if (address == nullptr) return std::nullopt;
    const auto varying = varying_indices(*address, shapes);
    const bool has_one_base = shapes.of(address->getPointerOperand()).is_uniform();
    if (varying.size() != 1 || !has_one_base) return ComputedPlace();
    Value* index = address->getOperand(varying[0]);
    const std::uint64_t size = data.getTypeAllocSize(llvm::getLoadStoreType(&access));
    auto* widening = llvm::dyn_cast<llvm::CastInst>(index);
    const bool is_widened = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index);
    Value* narrow = is_widened ? widening->getOperand(0) : index;
    ComputedPlace place;
    place.stride = stride_of(*address, varying[0]);
    if (size == 0 || place.stride % size != 0) return std::nullopt;
    for (unsigned piece = 0; piece < layout.pieces; ++piece) {
        place.patterns.push_back(pattern_of(narrow, place.stride / size, piece, shapes, layout));
    }
    place.is_guessed = !!lane_pattern(narrow, 0, shapes, layout);
    if (!place.patterns[0] && (place.stride != size || is_multiple(narrow, shapes)))
        return std::nullopt;
    // Its operands are at hand where it is.
    if (address->getParent() != access.getParent()) return place;
    const bool is_at_hand = is_widened && widening->getParent() == access.getParent() &&
                            narrow->getType()->getIntegerBitWidth() >= 32 &&
                            !shapes.of(narrow).has_scalars();
    Value* lanes = is_at_hand ? narrow : index;
    const bool has_all_bits = is_at_hand || index->getType()->isIntegerTy(64);
    if (shapes.of(lanes).has_scalars() || !has_all_bits) return place;
    place.address = address;
    place.offset = offset.getSExtValue();
    place.position = varying[0];
    place.index = lanes;
    if (is_at_hand) {
        place.widening = llvm::isa<llvm::SExtInst>(widening) ? NoWrap::Signed : NoWrap::Unsigned;
    }
    return place;
}

}  // namespace warpwise::cpu_compiler::gang
