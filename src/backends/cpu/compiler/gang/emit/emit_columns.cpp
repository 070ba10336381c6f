// Tables of columns (block_schedule.hpp): whole vectors and a transposition,
// three steps of shuffles for eight columns, instead of one access for each
// lane.
#include <llvm/IR/Operator.h>

#include "src/backends/cpu/compiler/gang/emit/memory_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

Value* pointer_of(llvm::Instruction& access) {
    return llvm::getLoadStorePointerOperand(&access);
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

// `rows`: all elements in order; the columns `column`, `column + step`, ... of
// them.
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

void MemoryEmitter::write_table(llvm::Instruction& access, const ColumnTable& table) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) return load_table(*load, table);
    store_table(llvm::cast<llvm::StoreInst>(access), table);
}

void MemoryEmitter::load_table(llvm::LoadInst& load, const ColumnTable& columns) {
    llvm::FixedVectorType* type = vector_of(load.getType());
    std::vector<Parts> parts(columns.size());
    for (const llvm::Instruction* column : columns) {
        state_.note_access(*column, AccessForm::Vector);
    }
    for (unsigned piece : values_.pieces_to_write()) {
        Parts places;
        for (llvm::Instruction* column : columns) {
            places.push_back(values_.vector(pointer_of(*column), piece));
        }
        Value* start = values_.scalar(pointer_of(*columns[0]), piece);
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
        Parts loaded = masks_.all_or_some(mask_[piece], all, some);
        for (std::size_t i = 0; i < columns.size(); ++i) parts[i].push_back(loaded[i]);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        values_.define(*columns[i], std::move(parts[i]));
    }
}

void MemoryEmitter::store_table(llvm::StoreInst& store, const ColumnTable& columns) {
    llvm::FixedVectorType* type = vector_of(store.getValueOperand()->getType());
    for (const llvm::Instruction* column : columns) {
        state_.note_access(*column, AccessForm::Vector);
    }
    for (unsigned piece : values_.pieces_to_write()) {
        Parts values, places;
        for (llvm::Instruction* column : columns) {
            values.push_back(values_.vector(column->getOperand(0), piece));
            places.push_back(values_.vector(pointer_of(*column), piece));
        }
        Value* start = values_.scalar(pointer_of(*columns[0]), piece);
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
        masks_.all_or_some(mask_[piece], all, some);
    }
}

Value* MemoryEmitter::place_of_row(Value* start, llvm::Type* type, std::size_t row) {
    const std::uint64_t bytes = data_.getTypeStoreSize(type).getFixedValue();
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, row * bytes);
}

}  // namespace warpwise::cpu_compiler::gang
