// Accesses of a tile of threads by columns: what the lanes of a column access lies side by side,
// out[x * height + y], wherever the next column's begins. Where all lanes are alive and columns lie
// one step apart, a vector access for each column and a transposition take the place of a gather or
// scatter for each row: of 16 x 16 floats a third of the time on Zen 4.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/shuffles/transposition.hpp"

#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

bool MemoryEmitter::is_by_columns(llvm::Instruction& access) {
    if (values_.is_writing_one_piece() || !has_plain_lanes(state_, access)) return false;
    // A lane that is known to be missing is no rare one.
    for (const Value* mask : mask_) {
        if (llvm::isa<llvm::Constant>(mask) && !Masks::is_known_full(mask)) return false;
    }
    if (state_.lane_periods.down_tile(access) == nullptr) return false;
    const auto size =
        static_cast<std::int64_t>(data_.getTypeAllocSize(llvm::getLoadStoreType(&access)));
    const unsigned rows = layout_.rows();
    const bool has_form = llvm::has_single_bit(rows) && llvm::has_single_bit(layout_.width) &&
                          rows <= layout_.width &&
                          layout_.width * size >= 16;  // of 128 bits at least
    if (!has_form) return false;
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    if (shapes_.of(llvm::getLoadStorePointerOperand(&access)).has_scalars()) {
        const std::int64_t step = *shapes_.of(llvm::getLoadStorePointerOperand(&access)).lane;
        if (store != nullptr && std::abs(step) < rows * size) return false;
        return shuffled_step(access) == 0;
    }
    return true;
}

// Where the runs of the columns begin, and whether all lanes are alive, these lie in equal steps,
// of which stores reach into none of the next, and no index wraps between the first row and the
// last.
MemoryEmitter::ColumnPlaces MemoryEmitter::places_of_columns(llvm::Instruction& access) {
    Value* address = llvm::getLoadStorePointerOperand(&access);
    const Shape shape = shapes_.of(address);
    const LanePeriod& found = *state_.lane_periods.down_tile(access);
    const auto size =
        static_cast<std::int64_t>(data_.getTypeAllocSize(llvm::getLoadStoreType(&access)));
    const std::int64_t to_last = found.step * size * (layout_.rows() - 1);  // row
    ColumnPlaces places;
    places.is_upwards = found.step < 0;
    places.are_there = builder_.getTrue();
    for (Value* mask : mask_) {
        places.are_there = builder_.CreateAnd(places.are_there, masks_.is_full(mask));
    }
    Value* first = nullptr;
    if (shape.has_scalars()) {
        first = values_.scalar(address, 0);
        places.step = builder_.getInt64(static_cast<std::uint64_t>(*shape.lane));
    } else {
        Value* lanes = values_.vector(address, 0);
        first = builder_.CreateExtractElement(lanes, std::uint64_t{0});
        llvm::Type* word = builder_.getInt64Ty();
        Value* second = builder_.CreateExtractElement(lanes, std::uint64_t{1});
        places.step = builder_.CreateSub(builder_.CreatePtrToInt(second, word),
                                         builder_.CreatePtrToInt(first, word));
    }
    const bool is_known = shape.has_scalars() && layout_.columns() == 1;
    if (!is_known) {
        Value* are_even = are_in_even_steps(access, places.step, found.widenings.empty(), to_last);
        places.are_there = builder_.CreateAnd(places.are_there, are_even);
    }
    places.first = place_behind(first, std::min<std::int64_t>(to_last, 0));
    return places;
}

// `to_last`: bytes from the first row to the last, where no index wraps.
Value* MemoryEmitter::are_in_even_steps(llvm::Instruction& access, Value* step, bool is_certain,
                                        std::int64_t to_last) {
    Value* address = llvm::getLoadStorePointerOperand(&access);
    llvm::Type* word = builder_.getInt64Ty();
    const auto numbers_of = [&](unsigned piece) {
        return builder_.CreatePtrToInt(values_.vector(address, piece), vector_of(word));
    };
    llvm::SmallVector<int> lanes, before;  // the first step twice
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        lanes.push_back(static_cast<int>(std::max(lane, 1U)));
        before.push_back(lanes.back() - 1);
    }
    Value* all = builder_.getTrue();
    Value* last = nullptr;
    for (unsigned column = 0; column < layout_.columns(); ++column) {
        Value* places = numbers_of(column);
        Value* steps = builder_.CreateSub(builder_.CreateShuffleVector(places, lanes),
                                          builder_.CreateShuffleVector(places, before));
        Value* differ = builder_.CreateICmpNE(steps, values_.splat(step));
        if (!is_certain) {
            Value* expected = builder_.CreateAdd(
                places, values_.splat(builder_.getInt64(static_cast<std::uint64_t>(to_last))));
            Value* lowest = numbers_of(layout_.pieces - layout_.columns() + column);
            differ = builder_.CreateOr(differ, builder_.CreateICmpNE(lowest, expected));
        }
        all = builder_.CreateAnd(all, builder_.CreateNot(masks_.any_of(differ)));
        if (last != nullptr) {
            Value* first = builder_.CreateExtractElement(places, std::uint64_t{0});
            Value* between = builder_.CreateSub(first, last);
            all = builder_.CreateAnd(all, builder_.CreateICmpEQ(between, step));
        }
        last = builder_.CreateExtractElement(places, layout_.width - 1);
    }
    if (llvm::isa<llvm::LoadInst>(access)) return all;
    // Of either sign, and no less than a column.
    const std::uint64_t most = static_cast<std::uint64_t>(std::abs(to_last)) +
                               data_.getTypeAllocSize(llvm::getLoadStoreType(&access)) - 1;
    Value* moved = builder_.CreateAdd(step, builder_.getInt64(most));
    return builder_.CreateAnd(all, builder_.CreateICmpUGT(moved, builder_.getInt64(2 * most)));
}

bool MemoryEmitter::load_by_columns(llvm::LoadInst& load) {
    if (!is_by_columns(load)) return false;
    state_.note_access(load, AccessForm::Strided);
    const ColumnPlaces places = places_of_columns(load);
    const Values::Known before = values_.known();
    const auto by_columns = [&] {
        Parts parts = load_columns(load, places);
        values_.restore(before);
        return parts;
    };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(places.are_there);
    if (known != nullptr && known->isOne()) {
        values_.define(load, by_columns());
        return true;
    }
    values_.define(load, masks_.either(places.are_there, by_columns, [&] {
        Parts parts = load_parts(load);
        values_.restore(before);
        return parts;
    }));
    return true;
}

bool MemoryEmitter::store_by_columns(llvm::StoreInst& store) {
    if (!is_by_columns(store)) return false;
    state_.note_access(store, AccessForm::Strided);
    Parts values;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        values.push_back(values_.vector(store.getValueOperand(), piece));
    }
    const ColumnPlaces places = places_of_columns(store);
    const Values::Known before = values_.known();
    const auto by_columns = [&] {
        store_columns(store, values, places);
        values_.restore(before);
        return Parts();
    };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(places.are_there);
    if (known != nullptr && known->isOne()) {
        by_columns();
        return true;
    }
    masks_.either(places.are_there, by_columns, [&] {
        store_lanes(store);
        values_.restore(before);
        return Parts();
    });
    return true;
}

Parts MemoryEmitter::load_columns(llvm::LoadInst& load, const ColumnPlaces& places) {
    const auto size = static_cast<unsigned>(data_.getTypeAllocSize(load.getType()));
    const unsigned rows = layout_.rows(), columns = layout_.columns();
    const llvm::Align alignment = std::min(load.getAlign(), llvm::Align(size));
    auto* type = llvm::FixedVectorType::get(load.getType(), rows);
    Parts parts(layout_.pieces, nullptr);
    Value* place = places.first;
    for (unsigned column = 0; column < columns; ++column) {
        Parts runs;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            runs.push_back(builder_.CreateAlignedLoad(type, place, alignment));
            place = builder_.CreateGEP(builder_.getInt8Ty(), place, places.step);
        }
        Transposition tile(builder_, layout_.width, rows, 8 * size);
        const Parts made = tile.rows_of(runs);
        for (unsigned row = 0; row < rows; ++row) {
            const unsigned own = places.is_upwards ? rows - 1 - row : row;
            parts[own * columns + column] = made[row];
        }
    }
    return parts;
}

void MemoryEmitter::store_columns(llvm::StoreInst& store, const Parts& values,
                                  const ColumnPlaces& places) {
    const auto size =
        static_cast<unsigned>(data_.getTypeAllocSize(store.getValueOperand()->getType()));
    const unsigned rows = layout_.rows(), columns = layout_.columns();
    const llvm::Align alignment = std::min(store.getAlign(), llvm::Align(size));
    Value* place = places.first;
    for (unsigned column = 0; column < columns; ++column) {
        Parts own;
        for (unsigned row = 0; row < rows; ++row) {
            own.push_back(values[row * columns + column]);
        }
        if (places.is_upwards) std::reverse(own.begin(), own.end());
        Transposition tile(builder_, layout_.width, rows, 8 * size);
        for (Value* run : tile.columns_of(own)) {
            builder_.CreateAlignedStore(run, place, alignment);
            place = builder_.CreateGEP(builder_.getInt8Ty(), place, places.step);
        }
    }
}

}  // namespace warpwise::cpu_compiler::gang
