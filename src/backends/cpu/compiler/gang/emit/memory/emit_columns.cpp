// Tables of columns (block_schedule.hpp): whole vectors and a transposition, three steps of
// shuffles for eight columns, instead of one access for each lane. Halves while their number is
// even, then each column by itself: two shuffles a column for three of them.
#include <llvm/IR/Operator.h>

#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/shuffles/merged_lanes.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

Value* pointer_of(llvm::Instruction& access) {
    return llvm::getLoadStorePointerOperand(&access);
}

// Of all rows: no more than a vector's size, by which they follow each other.
llvm::Align alignment_of(llvm::Instruction& column, llvm::FixedVectorType* row) {
    const std::uint64_t bytes = column.getDataLayout().getTypeStoreSize(row).getFixedValue();
    return llvm::commonAlignment(llvm::getLoadStoreAlignment(&column), bytes);
}

unsigned width_of(const Value* vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
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

// Column `column` of an odd number of rows.
Value* pick_column(llvm::IRBuilder<>& builder, const Parts& rows, unsigned column) {
    const unsigned width = width_of(rows[0]);
    MergedLanes lanes(builder, width);
    for (unsigned row = 0; row < rows.size(); ++row) {
        lanes.add(rows[row], [&](unsigned lane) -> std::optional<unsigned> {
            const std::size_t element = lane * rows.size() + column;
            if (element / width != row) return std::nullopt;
            return element % width;
        });
    }
    return lanes.value();
}

Value* pick_row(llvm::IRBuilder<>& builder, const Parts& columns, unsigned row) {
    const unsigned width = width_of(columns[0]);
    MergedLanes lanes(builder, width);
    for (unsigned column = 0; column < columns.size(); ++column) {
        lanes.add(columns[column], [&](unsigned lane) -> std::optional<unsigned> {
            const std::size_t element = std::size_t{row} * width + lane;
            if (element % columns.size() != column) return std::nullopt;
            return static_cast<unsigned>(element / columns.size());
        });
    }
    return lanes.value();
}

bool are_three_of_bytes(const ColumnTable& columns, const llvm::FixedVectorType& column) {
    return columns.size() == 3 && column.getElementType()->isIntegerTy(8);
}

// One load and a shuffle a column, which LLVM's code generator knows for three of bytes: half of
// the instructions of a shuffle for each part of it, RGB to grey 0.73 of the time with AVX-512.
Parts load_three_columns(llvm::IRBuilder<>& builder, Value* start, llvm::FixedVectorType* type,
                         llvm::Align alignment) {
    const unsigned width = type->getNumElements();
    auto* all = llvm::FixedVectorType::get(type->getElementType(), 3 * width);
    Value* loaded = builder.CreateAlignedLoad(all, start, alignment);
    Parts columns;
    for (unsigned column = 0; column < 3; ++column) {
        llvm::SmallVector<int> lanes;
        for (unsigned lane = 0; lane < width; ++lane) {
            lanes.push_back(static_cast<int>(3 * lane + column));
        }
        columns.push_back(builder.CreateShuffleVector(loaded, lanes));
    }
    return columns;
}

void store_three_columns(llvm::IRBuilder<>& builder, const Parts& columns, Value* start,
                         llvm::Align alignment) {
    const unsigned width = width_of(columns[0]);
    llvm::SmallVector<int> both, last, lanes;
    for (unsigned lane = 0; lane < 2 * width; ++lane) {
        both.push_back(static_cast<int>(lane));
        last.push_back(lane < width ? static_cast<int>(lane) : llvm::PoisonMaskElem);
    }
    for (unsigned element = 0; element < 3 * width; ++element) {
        lanes.push_back(static_cast<int>(element % 3 * width + element / 3));
    }
    Value* first_two = builder.CreateShuffleVector(columns[0], columns[1], both);
    Value* all = builder.CreateShuffleVector(first_two,
                                             builder.CreateShuffleVector(columns[2], last), lanes);
    builder.CreateAlignedStore(all, start, alignment);
}

// `rows`: all elements in order; the columns `column`, `column + step`, ... of
// them.
void split_columns(llvm::IRBuilder<>& builder, const Parts& rows, unsigned column, unsigned step,
                   Parts& columns) {
    if (rows.size() % 2 != 0) {
        for (unsigned i = 0; i < rows.size(); ++i) {
            columns[column + i * step] = pick_column(builder, rows, i);
        }
        return;
    }
    for (unsigned odd = 0; odd < 2; ++odd) {
        Parts half;
        for (std::size_t i = 0; i < rows.size(); i += 2) {
            half.push_back(builder.CreateShuffleVector(rows[i], rows[i + 1],
                                                       alternate(odd, width_of(rows[0]))));
        }
        split_columns(builder, half, column + odd * step, 2 * step, columns);
    }
}

Parts join_columns(llvm::IRBuilder<>& builder, const Parts& columns, unsigned column,
                   unsigned step) {
    Parts rows;
    if (columns.size() / step % 2 != 0) {
        Parts own;
        for (unsigned i = column; i < columns.size(); i += step) own.push_back(columns[i]);
        for (unsigned row = 0; row < own.size(); ++row) {
            rows.push_back(pick_row(builder, own, row));
        }
        return rows;
    }
    Parts even = join_columns(builder, columns, column, 2 * step);
    Parts odd = join_columns(builder, columns, column + step, 2 * step);
    const unsigned width = width_of(even[0]);
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
    if (!shapes_.of(pointer_of(*table[0])).has_scalars()) return load_structures(table);
    for (const llvm::Instruction* column : table) {
        if (column) state_.note_access(*column, AccessForm::Vector);
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) return load_table(*load, table);
    store_table(llvm::cast<llvm::StoreInst>(access), table);
}

void MemoryEmitter::load_table(llvm::LoadInst& load, const ColumnTable& columns) {
    std::vector<Parts> parts(columns.size());
    for (unsigned piece : values_.pieces_to_write()) {
        Parts places(columns.size(), nullptr);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            auto* column = llvm::cast_or_null<llvm::LoadInst>(columns[i]);
            if (column && has_vector_form(state_, *column)) {
                places[i] = values_.vector(column->getPointerOperand(), piece);
            }
        }
        Value* start = values_.scalar(pointer_of(*columns[0]), piece);
        auto some = [&] {
            if (has_masked_rows(load)) {
                return load_rows(load, columns, start, mask_[piece]);
            }
            Parts result;
            for (std::size_t i = 0; i < columns.size(); ++i) {
                auto* column = llvm::cast_or_null<llvm::LoadInst>(columns[i]);
                if (column) result.push_back(load_some(*column, places[i], piece, mask_[piece]));
            }
            return result;
        };
        Parts loaded = masks_.all_or_some(
            mask_[piece], [&] { return load_rows(load, columns, start, nullptr); }, some);
        for (std::size_t i = 0, next = 0; i < columns.size(); ++i) {
            if (columns[i]) parts[i].push_back(loaded[next++]);
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i]) values_.define(*columns[i], std::move(parts[i]));
    }
}

Value* MemoryEmitter::load_some(llvm::LoadInst& load, Value* places, unsigned piece, Value* mask) {
    if (places == nullptr) return load_piece_lane_by_lane(load, piece);
    return builder_.CreateMaskedGather(vector_of(load.getType()), places, load.getAlign(), mask);
}

// Whether rows of which elements are missing are vector accesses.
bool MemoryEmitter::has_masked_rows(llvm::Instruction& access) const {
    llvm::FixedVectorType* type = vector_of(llvm::getLoadStoreType(&access));
    const llvm::Align alignment = llvm::getLoadStoreAlignment(&access);
    return llvm::isa<llvm::LoadInst>(access) ? state_.costs.isLegalMaskedLoad(type, alignment)
                                             : state_.costs.isLegalMaskedStore(type, alignment);
}

// Of the elements in a row, those of living lanes, in columns that are accessed.
Value* MemoryEmitter::mask_of_row(const ColumnTable& columns, std::size_t row, Value* lanes) {
    llvm::SmallVector<int> sources;
    for (std::size_t i = 0; i < layout_.width; ++i) {
        const std::size_t element = row * layout_.width + i;
        const bool is_accessed = columns[element % columns.size()] != nullptr;
        const std::size_t none = layout_.width;  // the first lane of the other operand
        sources.push_back(static_cast<int>(is_accessed ? element / columns.size() : none));
    }
    return builder_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()),
                                        sources);
}

// The columns that are accessed. The last row ends with the last of them: what is behind it may be
// no memory. With a mask, nothing is read of what dead lanes would.
Parts MemoryEmitter::load_rows(llvm::LoadInst& load, const ColumnTable& columns, Value* start,
                               Value* lanes) {
    llvm::FixedVectorType* type = vector_of(load.getType());
    const llvm::Align alignment = alignment_of(*columns[0], type);
    std::size_t missing = 0;
    while (columns[columns.size() - 1 - missing] == nullptr) ++missing;
    Parts all(columns.size(), nullptr), result;
    if (lanes == nullptr && missing == 0 && are_three_of_bytes(columns, *type)) {
        all = load_three_columns(builder_, start, type, alignment);
    } else {
        Parts rows;
        for (std::size_t row = 0; row < columns.size(); ++row) {
            Value* place = place_of_row(start, type, row);
            if (lanes != nullptr) {
                rows.push_back(builder_.CreateMaskedLoad(type, place, alignment,
                                                         mask_of_row(columns, row, lanes)));
            } else if (row + 1 < columns.size() || missing == 0) {
                rows.push_back(builder_.CreateAlignedLoad(type, place, alignment));
            } else {
                rows.push_back(builder_.CreateMaskedLoad(type, place, alignment,
                                                         first_lanes(layout_.width - missing)));
            }
        }
        split_columns(builder_, rows, 0, 1, all);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i]) continue;
        result.push_back(
            builder_.CreateBitCast(all[i], vector_of(llvm::getLoadStoreType(columns[i]))));
    }
    return result;
}

Value* MemoryEmitter::first_lanes(std::size_t count) {
    llvm::SmallVector<llvm::Constant*> lanes;
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        lanes.push_back(builder_.getInt1(lane < count));
    }
    return llvm::ConstantVector::get(lanes);
}

void MemoryEmitter::store_table(llvm::StoreInst& store, const ColumnTable& columns) {
    llvm::FixedVectorType* type = vector_of(store.getValueOperand()->getType());
    for (unsigned piece : values_.pieces_to_write()) {
        Parts values(columns.size(), llvm::PoisonValue::get(type)), places(columns.size(), nullptr);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            auto* column = llvm::cast_or_null<llvm::StoreInst>(columns[i]);
            if (!column) continue;
            values[i] = values_.vector(column->getValueOperand(), piece);
            if (has_vector_form(state_, *column)) {
                places[i] = values_.vector(column->getPointerOperand(), piece);
            }
        }
        Value* start = values_.scalar(pointer_of(*columns[0]), piece);
        masks_.all_or_some(
            mask_[piece],
            [&] {
                store_rows(store, columns, values, start, nullptr);
                return Parts();
            },
            [&] {
                if (has_masked_rows(store)) {
                    store_rows(store, columns, values, start, mask_[piece]);
                    return Parts();
                }
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    auto* column = llvm::cast_or_null<llvm::StoreInst>(columns[i]);
                    if (column) store_some(*column, values[i], places[i], piece);
                }
                return Parts();
            });
    }
}

void MemoryEmitter::store_some(llvm::StoreInst& store, Value* value, Value* places,
                               unsigned piece) {
    if (places == nullptr) return store_piece_lane_by_lane(store, piece);
    builder_.CreateMaskedScatter(value, places, store.getAlign(), mask_[piece]);
}

void MemoryEmitter::store_rows(llvm::StoreInst& store, const ColumnTable& columns,
                               const Parts& values, Value* start, Value* lanes) {
    llvm::FixedVectorType* type = vector_of(store.getValueOperand()->getType());
    const llvm::Align alignment = alignment_of(*columns[0], type);
    Parts same;
    for (Value* column : values) same.push_back(builder_.CreateBitCast(column, type));
    const bool is_whole = !llvm::is_contained(columns, nullptr);
    if (is_whole && lanes == nullptr && are_three_of_bytes(columns, *type)) {
        return store_three_columns(builder_, same, start, alignment);
    }
    const Parts rows = join_columns(builder_, same, 0, 1);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        Value* place = place_of_row(start, type, row);
        if (is_whole && lanes == nullptr) {
            builder_.CreateAlignedStore(rows[row], place, alignment);
            continue;
        }
        if (lanes != nullptr) {
            builder_.CreateMaskedStore(rows[row], place, alignment,
                                       mask_of_row(columns, row, lanes));
            continue;
        }
        Value* all = llvm::Constant::getAllOnesValue(mask_[0]->getType());
        store_some_of_row(store, rows[row], place, alignment, mask_of_row(columns, row, all));
    }
}

Value* MemoryEmitter::place_of_row(Value* start, llvm::Type* type, std::size_t row) {
    const std::uint64_t bytes = data_.getTypeStoreSize(type).getFixedValue();
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start, row * bytes);
}

}  // namespace warpwise::cpu_compiler::gang
