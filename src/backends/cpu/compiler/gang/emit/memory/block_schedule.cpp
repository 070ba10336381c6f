// Finding tables and placing their accesses.
#include "src/backends/cpu/compiler/gang/emit/memory/block_schedule.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/computed_place.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

// A place as a pointer and indices before the last, an index that varies, widened according to
// `reading`, and bytes behind it.
struct Place {
    llvm::SmallVector<Value*, 4> base;
    llvm::Type* type = nullptr;  // which the indices count, if there are any
    Value* index = nullptr;
    NoWrap reading = NoWrap::Any;
    std::int64_t offset = 0;

    bool is_beside(const Place& other) const {
        return base == other.base && type == other.type && index == other.index &&
               reading == other.reading;
    }
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
    Place place;
    place.base = {rest};
    place.offset = bytes.getSExtValue();
    auto* address = llvm::dyn_cast<llvm::GEPOperator>(rest);
    if (!address || address->getNumIndices() == 0) return place;
    auto last = llvm::gep_type_begin(address);
    std::advance(last, address->getNumIndices() - 1);
    if (!last.isSequential()) return place;
    Value* index = last.getOperand();
    place.base.assign(address->op_begin(), std::prev(address->op_end()));
    llvm::APInt before(64, 0);
    place.base[0] = place.base[0]->stripAndAccumulateConstantOffsets(data, before, true);
    place.offset += before.getSExtValue();
    place.type = address->getSourceElementType();
    place.reading = reading_of(*index);
    const bool is_widened = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index);
    const ExactSum sum = exact_sum(
        is_widened ? llvm::cast<llvm::CastInst>(index)->getOperand(0) : index, place.reading);
    place.index = sum.rest;
    const std::uint64_t size = last.getSequentialElementStride(data).getFixedValue();
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

// Elements of one table: of one type, or numbers of one size.
bool fits(llvm::Type& type, llvm::Type& first, const llvm::DataLayout& data) {
    if (&type == &first) return true;
    return !type.isPointerTy() && !first.isPointerTy() && !type.isVectorTy() &&
           !type.isAggregateType() &&
           data.getTypeSizeInBits(&type) == data.getTypeSizeInBits(&first);
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
    if (state_.shapes.of(&load).has_scalars()) return false;
    ColumnTable table =
        state_.shapes.of(pointer_of(load)).has_scalars() ? table_from(load) : structure_from(load);
    for (Instruction* column : table) {
        if (column == nullptr) continue;
        const bool is_one_a_piece =
            !state_.shapes.of(column).is_single() || state_.layout.pieces == 1;
        if (!is_one_a_piece || !place_ahead(pointer_of(*column))) return false;
    }
    if (table.empty()) return false;
    for (Instruction* column : table) {
        if (column != nullptr) placed_.insert(column);
    }
    place(load, std::move(table));
    return true;
}

bool BlockSchedule::add_store_table(llvm::StoreInst& store) {
    if (auto found = stores_at_.find(&store); found != stores_at_.end()) {
        place(store, std::move(found->second));
        return true;
    }
    const bool is_one_place = state_.shapes.of(store.getPointerOperand()).is_uniform();
    if (is_one_place) return false;
    ColumnTable table = table_from(store);
    if (table.empty()) return false;
    Instruction* last = &store;
    for (Instruction* column : table) {
        if (column != nullptr && last->comesBefore(column)) last = column;
    }
    for (Instruction* column : table) {
        if (column != last && column != nullptr) placed_.insert(column);
    }
    stores_at_[last] = std::move(table);
    return true;
}

// Accesses to other columns of the table that `access` belongs to, in the order of the columns, if
// nothing between them touches memory. Loads may have their addresses computed in between.
BlockSchedule::Columns BlockSchedule::columns_beside(Instruction& access,
                                                     std::optional<std::int64_t> step,
                                                     std::size_t count) const {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const Place first = place_of(pointer_of(access), state_.data);
    Columns found;
    for (Instruction* next = &access; next && found.size() < count; next = next->getNextNode()) {
        if (!next->mayReadOrWriteMemory()) continue;
        if (next->getOpcode() != access.getOpcode() || !is_simple(*next)) break;
        const Place place = place_of(pointer_of(*next), state_.data);
        const bool is_beside = fits(*llvm::getLoadStoreType(next), *type, state_.data) &&
                               place.is_beside(first) &&
                               state_.shapes.of(pointer_of(*next)).lane == step;
        if (is_beside) {
            found.emplace_back(place.offset, next);
        } else if (!llvm::isa<llvm::LoadInst>(next)) {
            break;
        }
    }
    llvm::sort(found, llvm::less_first());
    return found;
}

// Empty where there is no other column. Columns that nothing accesses are null; stores leave them
// out.
ColumnTable BlockSchedule::table_from(Instruction& access) const {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const auto size = static_cast<std::int64_t>(state_.data.getTypeStoreSize(type).getFixedValue());
    const std::int64_t step = state_.shapes.of(pointer_of(access)).lane.value_or(0);
    if (step <= size || step % size != 0 || !is_simple(access)) return {};
    if (!has_plain_lanes(state_, access)) return {};
    const auto count = static_cast<std::uint64_t>(step / size);
    if (count > costs::kMostColumns || count > state_.layout.width) return {};
    const Columns found = columns_beside(access, step, count);
    ColumnTable table(count, nullptr);
    for (auto [offset, instruction] : found) {
        const std::int64_t column = (offset - found[0].first) / size;
        const bool is_within =
            (offset - found[0].first) % size == 0 && column < static_cast<std::int64_t>(count);
        // Or two stores to one place, of which the last counts.
        if (!is_within || table[static_cast<std::size_t>(column)] != nullptr) return {};
        table[static_cast<std::size_t>(column)] = instruction;
    }
    const bool needs_masks = found.size() < count && llvm::isa<llvm::StoreInst>(access);
    if (found.size() < 2 || (needs_masks && !can_leave_gaps(state_, access))) return {};
    return table;
}

// What is aligned to a power of two may be read up to the next one: it lies in one page. Lanes that
// may turn out to be neighbours are better loaded so.
ColumnTable BlockSchedule::structure_from(llvm::LoadInst& load) const {
    if (!is_simple(load) || !has_plain_lanes(state_, load)) return {};
    const std::uint64_t size =
        state_.data.getTypeStoreSize(llvm::getLoadStoreType(&load)).getFixedValue();
    const Columns found = columns_beside(load, std::nullopt, costs::kLargestStructure / size);
    if (found.size() < 2) return {};
    auto& first = llvm::cast<llvm::LoadInst>(*found[0].second);
    const std::uint64_t bytes = std::min(first.getAlign().value(), costs::kLargestStructure);
    const bool is_object = llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(
        llvm::getUnderlyingObject(pointer_of(first), /*MaxLookup=*/0));
    // Two gathers take no longer there.
    const bool is_quick = state_.target.has_fast_gathers() && bytes > 8 && found.size() == 2;
    if (is_object || is_quick || computed_place(first, state_.shapes, state_.layout)) return {};
    ColumnTable table(bytes / size, nullptr);
    for (auto [offset, column] : found) {
        const auto behind = static_cast<std::uint64_t>(offset - found[0].first);
        if (behind % size != 0 || behind >= bytes || table[behind / size] != nullptr) return {};
        table[behind / size] = column;
    }
    return table;
}

}  // namespace warpwise::cpu_compiler::gang
