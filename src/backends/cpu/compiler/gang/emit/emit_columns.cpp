// Threads that own runs of neighbouring elements: element k of all lanes is one column of a table
// whose rows are the lanes. Accesses to all columns of it are whole vectors and a transposition,
// three steps of shuffles for eight columns, instead of one access for each lane.
#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

#include <llvm/IR/Operator.h>

#include <algorithm>
#include <utility>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

constexpr std::uint64_t kMostColumns = 16;

// A place as a pointer, an index that varies, widened as `reading` says, and bytes behind it.
struct Place {
    const Value* base;
    const Value* index;
    NoWrap reading;
    std::int64_t offset;
};

// Addresses count modulo 2^64; narrower indices are widened first.
NoWrap reading_of(const Value& index) {
    if (llvm::isa<llvm::SExtInst>(index)) return NoWrap::Signed;
    if (llvm::isa<llvm::ZExtInst>(index)) return NoWrap::Unsigned;
    return index.getType()->isIntegerTy(64) ? NoWrap::Any : NoWrap::Signed;
}

Place place_of(const Value* pointer, const llvm::DataLayout& data) {
    llvm::APInt bytes(64, 0);
    const Value* rest = pointer->stripAndAccumulateConstantOffsets(data, bytes, true);
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

const Value* pointer_of(const llvm::Instruction& access) {
    return llvm::getLoadStorePointerOperand(&access);
}

bool is_simple(const llvm::Instruction& instruction) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return (load && load->isSimple()) || (store && store->isSimple());
}

llvm::SmallVector<int> alternate(unsigned first, unsigned count) {
    llvm::SmallVector<int> lanes;
    for (unsigned i = 0; i < count; ++i) lanes.push_back(static_cast<int>(first + 2 * i));
    return lanes;
}

// Elements of both in turn, the first or the second half of them.
llvm::SmallVector<int> zip(unsigned first, unsigned width) {
    llvm::SmallVector<int> lanes;
    for (unsigned i = 0; i < width / 2; ++i) {
        lanes.push_back(static_cast<int>(first + i));
        lanes.push_back(static_cast<int>(first + i + width));
    }
    return lanes;
}

// `rows`: all elements in order; the columns `column`, `column + step`, ... of them.
void split_columns(llvm::IRBuilder<>& builder, const Parts& rows, unsigned column, unsigned step,
                   Parts& columns) {
    if (rows.size() == 1) {
        columns[column] = rows[0];
        return;
    }
    auto width = llvm::cast<llvm::FixedVectorType>(rows[0]->getType())->getNumElements();
    for (unsigned odd = 0; odd < 2; ++odd) {
        Parts half;
        for (std::size_t i = 0; i < rows.size(); i += 2) {
            half.push_back(
                builder.CreateShuffleVector(rows[i], rows[i + 1], alternate(odd, width)));
        }
        split_columns(builder, half, column + odd * step, 2 * step, columns);
    }
}

Parts join_columns(llvm::IRBuilder<>& builder, const Parts& columns, unsigned column,
                   unsigned step) {
    if (step == columns.size()) return {columns[column]};
    Parts even = join_columns(builder, columns, column, 2 * step);
    Parts odd = join_columns(builder, columns, column + step, 2 * step);
    auto width = llvm::cast<llvm::FixedVectorType>(even[0]->getType())->getNumElements();
    Parts rows;
    for (std::size_t i = 0; i < even.size(); ++i) {
        for (unsigned half = 0; half < 2; ++half) {
            rows.push_back(
                builder.CreateShuffleVector(even[i], odd[i], zip(half * width / 2, width)));
        }
    }
    return rows;
}

}  // namespace

// The accesses to the other columns of the same table, in their order, if all columns are there and
// nothing between them touches memory. Loads may have their addresses computed in between.
llvm::SmallVector<llvm::Instruction*> Emitter::columns_beside(llvm::Instruction& access) const {
    const Value* pointer = pointer_of(access);
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const auto size = static_cast<std::int64_t>(data_.getTypeStoreSize(type).getFixedValue());
    const std::int64_t step = shapes_.of(pointer).lane.value_or(0);
    if (step <= size || step % size != 0 || !is_simple(access)) return {};
    const auto count = static_cast<std::uint64_t>(step / size);
    if (!llvm::isPowerOf2_64(count) || count > kMostColumns || count > layout_.width) return {};
    const Place first = place_of(pointer, data_);
    llvm::SmallVector<llvm::Instruction*> columns(count, nullptr);
    std::int64_t least = first.offset;
    llvm::SmallVector<std::pair<std::int64_t, llvm::Instruction*>> found;
    for (llvm::Instruction* next = &access; next && found.size() < count;
         next = next->getNextNode()) {
        if (!next->mayReadOrWriteMemory()) continue;
        if (next->getOpcode() != access.getOpcode() || !is_simple(*next)) break;
        const Place place = place_of(pointer_of(*next), data_);
        const bool is_beside = llvm::getLoadStoreType(next) == type && place.base == first.base &&
                               place.index == first.index && place.reading == first.reading &&
                               shapes_.of(pointer_of(*next)).lane == step;
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

// Two ways behind a test of `mask`, or just the first where no lane is missing. What they return is
// joined; `all` and `some` must return equally many.
Parts Emitter::all_or_some(Value* mask, llvm::function_ref<Parts()> all,
                           llvm::function_ref<Parts()> some) {
    auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    if (known && known->isAllOnesValue()) return all();
    llvm::Type* word = builder_.getIntNTy(layout_.width);
    Value* is_full = builder_.CreateICmpEQ(builder_.CreateBitCast(mask, word),
                                           llvm::ConstantInt::getAllOnesValue(word));
    llvm::BasicBlock* full = new_block("lanes.all");
    llvm::BasicBlock* part = new_block("lanes.some");
    llvm::BasicBlock* done = new_block("lanes.done");
    builder_.CreateCondBr(is_full, full, part);
    builder_.SetInsertPoint(full);
    Parts first = all();
    full = builder_.GetInsertBlock();
    builder_.CreateBr(done);
    builder_.SetInsertPoint(part);
    Parts second = some();
    part = builder_.GetInsertBlock();
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
    Parts result;
    for (std::size_t i = 0; i < first.size(); ++i) {
        llvm::PHINode* joined = builder_.CreatePHI(first[i]->getType(), 2);
        joined->addIncoming(first[i], full);
        joined->addIncoming(second[i], part);
        result.push_back(joined);
    }
    return result;
}

// Writes what `value` is computed from, of the block being written, before its turn. False if that
// is more than arithmetic.
bool Emitter::write_ahead(const Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(const_cast<Value*>(value));
    if (!instruction || instruction->getParent() != written_->getParent()) return true;
    if (llvm::isa<llvm::PHINode>(instruction) || local_.contains(instruction)) return true;
    if (!llvm::isa<llvm::CastInst, llvm::GetElementPtrInst>(instruction) &&
        !(llvm::isa<llvm::BinaryOperator>(instruction) && !instruction->isIntDivRem())) {
        return false;
    }
    for (const Value* operand : instruction->operands()) {
        if (!write_ahead(operand)) return false;
    }
    llvm::Instruction* own = const_cast<llvm::Instruction*>(std::exchange(written_, instruction));
    write_instruction(*instruction);
    written_ = own;
    done_with_others_.insert(instruction);
    return true;
}

// Loads of whole tables are written at the first of them.
bool Emitter::load_columns(llvm::LoadInst& load) {
    llvm::SmallVector<llvm::Instruction*> columns = columns_beside(load);
    for (llvm::Instruction* column : columns) {
        if (count_of_parts(shapes_.of(column)) != layout_.pieces) return false;
        if (!write_ahead(pointer_of(*column))) return false;
    }
    if (columns.empty()) return false;
    llvm::FixedVectorType* type = vector_of(load.getType());
    std::vector<Parts> parts(columns.size());
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Parts places;
        for (llvm::Instruction* column : columns) {
            places.push_back(vector(pointer_of(*column), piece));
        }
        Value* start = scalar(pointer_of(*columns[0]), piece);
        auto all = [&] {
            Parts rows, result(columns.size());
            for (std::size_t row = 0; row < columns.size(); ++row) {
                rows.push_back(builder_.CreateAlignedLoad(type, place_of_row(start, type, row),
                                                          load.getAlign()));
            }
            split_columns(builder_, rows, 0, 1, result);
            return result;
        };
        auto some = [&] {
            Parts result;
            for (Value* place : places) {
                result.push_back(
                    builder_.CreateMaskedGather(type, place, load.getAlign(), mask_[piece]));
            }
            return result;
        };
        Parts loaded = all_or_some(mask_[piece], all, some);
        for (std::size_t i = 0; i < columns.size(); ++i) parts[i].push_back(loaded[i]);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        define(*columns[i], std::move(parts[i]));
        if (columns[i] != &load) done_with_others_.insert(columns[i]);
    }
    return true;
}

// Stores are written at the last of them; true for those before.
bool Emitter::store_columns(llvm::StoreInst& store) {
    auto waiting = stores_at_.find(&store);
    if (waiting == stores_at_.end()) {
        llvm::SmallVector<llvm::Instruction*> columns = columns_beside(store);
        if (columns.empty()) return false;
        llvm::Instruction* last = *llvm::max_element(
            columns, [](auto* one, auto* other) { return one->comesBefore(other); });
        for (llvm::Instruction* column : columns) {
            if (column != last && column != &store) done_with_others_.insert(column);
        }
        stores_at_[last] = std::move(columns);
        return true;
    }
    const llvm::SmallVector<llvm::Instruction*>& columns = waiting->second;
    llvm::FixedVectorType* type = vector_of(store.getValueOperand()->getType());
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Parts values, places;
        for (llvm::Instruction* column : columns) {
            values.push_back(vector(column->getOperand(0), piece));
            places.push_back(vector(pointer_of(*column), piece));
        }
        Value* start = scalar(pointer_of(*columns[0]), piece);
        auto all = [&] {
            const Parts rows = join_columns(builder_, values, 0, 1);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                builder_.CreateAlignedStore(rows[row], place_of_row(start, type, row),
                                            store.getAlign());
            }
            return Parts();
        };
        auto some = [&] {
            for (std::size_t i = 0; i < values.size(); ++i) {
                builder_.CreateMaskedScatter(values[i], places[i], store.getAlign(), mask_[piece]);
            }
            return Parts();
        };
        all_or_some(mask_[piece], all, some);
    }
    return true;
}

Value* Emitter::place_of_row(Value* start, llvm::Type* type, std::size_t row) {
    const std::uint64_t bytes = data_.getTypeStoreSize(type).getFixedValue();
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, row * bytes);
}

}  // namespace warpwise::cpu_compiler::gang
