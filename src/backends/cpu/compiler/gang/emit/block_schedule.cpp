// Finding tables and placing their accesses.
#include "src/backends/cpu/compiler/gang/emit/block_schedule.hpp"

#include <llvm/IR/Operator.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"
#include "src/backends/cpu/compiler/gang/emit/accesses.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

// A place as a pointer, an index that varies, widened according to `reading`, and
// bytes behind it.
struct Place {
    Value* base;
    Value* index;
    NoWrap reading;
    std::int64_t offset;
};

// Addresses count modulo 2^64; narrower indices are widened first.
NoWrap reading_of(const Value& index) {
    if (llvm::isa<llvm::SExtInst>(index)) return NoWrap::Signed;
    if (llvm::isa<llvm::ZExtInst>(index)) return NoWrap::Unsigned;
    return index.getType()->isIntegerTy(64) ? NoWrap::Any : NoWrap::Signed;
}

Place place_of(Value* pointer, const llvm::DataLayout& data) {
    llvm::APInt bytes(64, 0);
    Value* rest = pointer->stripAndAccumulateConstantOffsets(data, bytes, true);
    Place place{rest, nullptr, NoWrap::Any, bytes.getSExtValue()};
    auto* address = llvm::dyn_cast<llvm::GEPOperator>(rest);
    if (!address || address->getNumIndices() != 1) return place;
    Value* index = address->getOperand(1);
    place.base = address->getPointerOperand();
    place.reading = reading_of(*index);
    const bool is_widened = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index);
    const ExactSum sum = exact_sum(
        is_widened ? llvm::cast<llvm::CastInst>(index)->getOperand(0) : index, place.reading);
    place.index = sum.rest;
    auto size = data.getTypeAllocSize(address->getSourceElementType()).getFixedValue();
    place.offset += sum.number * static_cast<std::int64_t>(size);
    return place;
}

Value* pointer_of(llvm::Instruction& access) {
    return llvm::getLoadStorePointerOperand(&access);
}

bool is_simple(const llvm::Instruction& instruction) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return (load && load->isSimple()) || (store && store->isSimple());
}

}  // namespace

BlockSchedule::BlockSchedule(llvm::BasicBlock& block, const EmitState& state)
    : block_(block), state_(state) {
    for (Instruction& instruction : block) {
        if (!instruction.isTerminator() && !placed_.contains(&instruction)) add(instruction);
    }
}

void BlockSchedule::add(Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (add_load_table(*load)) return;
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (add_store_table(*store)) return;
    }
    place(instruction);
}

void BlockSchedule::place(Instruction& instruction, ColumnTable table) {
    placed_.insert(&instruction);
    steps_.push_back({&instruction, std::move(table)});
}

// Places what `value` is computed from, of this block, ahead of its position. False
// if that is more than arithmetic.
bool BlockSchedule::place_ahead(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != &block_) return true;
    if (llvm::isa<llvm::PHINode>(instruction) || placed_.contains(instruction)) return true;
    if (!llvm::isa<llvm::CastInst, llvm::GetElementPtrInst>(instruction) &&
        !(llvm::isa<llvm::BinaryOperator>(instruction) && !instruction->isIntDivRem())) {
        return false;
    }
    for (Value* operand : instruction->operands()) {
        if (!place_ahead(operand)) return false;
    }
    place(*instruction);
    return true;
}

bool BlockSchedule::add_load_table(llvm::LoadInst& load) {
    if (state_.shapes.of(&load).has_scalars() || !has_vector_form(state_, load)) return false;
    ColumnTable table = table_from(load);
    for (Instruction* column : table) {
        const bool is_one_a_piece =
            !state_.shapes.of(column).is_single() || state_.layout.pieces == 1;
        if (!is_one_a_piece || !place_ahead(pointer_of(*column))) return false;
    }
    if (table.empty()) return false;
    placed_.insert(table.begin(), table.end());
    place(load, std::move(table));
    return true;
}

bool BlockSchedule::add_store_table(llvm::StoreInst& store) {
    if (auto found = stores_at_.find(&store); found != stores_at_.end()) {
        place(store, std::move(found->second));
        return true;
    }
    const bool is_one_place = state_.shapes.of(store.getPointerOperand()).is_uniform();
    if (is_one_place || !has_vector_form(state_, store)) return false;
    ColumnTable table = table_from(store);
    if (table.empty()) return false;
    Instruction* last =
        *llvm::max_element(table, [](auto* one, auto* other) { return one->comesBefore(other); });
    for (Instruction* column : table) {
        if (column != last) placed_.insert(column);
    }
    stores_at_[last] = std::move(table);
    return true;
}

// The accesses to the other columns of the same table, in their order, if all
// columns are there and nothing between them touches memory. Loads may have
// their addresses computed in between.
ColumnTable BlockSchedule::table_from(Instruction& access) const {
    Value* pointer = pointer_of(access);
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const auto size = static_cast<std::int64_t>(state_.data.getTypeStoreSize(type).getFixedValue());
    const std::int64_t step = state_.shapes.of(pointer).lane.value_or(0);
    if (step <= size || step % size != 0 || !is_simple(access)) return {};
    const auto count = static_cast<std::uint64_t>(step / size);
    if (!llvm::isPowerOf2_64(count) || count > costs::kMostColumns || count > state_.layout.width)
        return {};
    const Place first = place_of(pointer, state_.data);
    ColumnTable columns(count, nullptr);
    std::int64_t least = first.offset;
    llvm::SmallVector<std::pair<std::int64_t, Instruction*>> found;
    for (Instruction* next = &access; next && found.size() < count; next = next->getNextNode()) {
        if (!next->mayReadOrWriteMemory()) continue;
        if (next->getOpcode() != access.getOpcode() || !is_simple(*next)) break;
        const Place place = place_of(pointer_of(*next), state_.data);
        const bool is_beside = llvm::getLoadStoreType(next) == type && place.base == first.base &&
                               place.index == first.index && place.reading == first.reading &&
                               state_.shapes.of(pointer_of(*next)).lane == step;
        if (!is_beside) {
            if (llvm::isa<llvm::LoadInst>(next)) continue;
            break;
        }
        found.emplace_back(place.offset, next);
        least = std::min(least, place.offset);
    }
    for (auto [offset, instruction] : found) {
        const std::int64_t column = (offset - least) / size;
        if ((offset - least) % size != 0 || column >= static_cast<std::int64_t>(count)) return {};
        columns[static_cast<std::size_t>(column)] = instruction;
    }
    if (llvm::is_contained(columns, nullptr)) return {};
    return columns;
}

}  // namespace warpwise::cpu_compiler::gang
