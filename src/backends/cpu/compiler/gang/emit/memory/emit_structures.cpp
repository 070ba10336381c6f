// Structures of which each lane has one somewhere, bodies[j[i]] or image[y][x] of pixels: one load
// a lane and shuffles, instead of a gather for each field. On Zen 4 three gathers of 16 floats take
// 17 ns, 16 loads of float4 and their transposition 5.
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

// One behind the other.
Value* joined(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> rows) {
    if (rows.size() == 1) return rows.front();
    Value* first = joined(builder, rows.take_front(rows.size() / 2));
    Value* second = joined(builder, rows.drop_front(rows.size() / 2));
    const unsigned width = llvm::cast<llvm::FixedVectorType>(first->getType())->getNumElements();
    llvm::SmallVector<int> lanes;
    for (unsigned lane = 0; lane < 2 * width; ++lane) lanes.push_back(static_cast<int>(lane));
    return builder.CreateShuffleVector(first, second, lanes);
}

}  // namespace

void MemoryEmitter::load_structures(const ColumnTable& columns) {
    auto* first = llvm::cast<llvm::LoadInst>(columns[0]);
    std::vector<Parts> parts(columns.size());
    for (unsigned piece : values_.pieces_to_write()) {
        Value* places = values_.vector(first->getPointerOperand(), piece);
        Value* mask = mask_[piece];
        const Parts loaded =
            Masks::is_known_full(mask)
                ? load_structures_at(places, columns)
                : masks_.either(
                      masks_.any_of(mask),
                      [&] { return load_structures_at(lanes_of_living(places, mask), columns); },
                      [&] {
                          Parts none;
                          for (llvm::Instruction* column : columns) {
                              if (column == nullptr) continue;
                              none.push_back(llvm::PoisonValue::get(vector_of(column->getType())));
                          }
                          return none;
                      });
        for (std::size_t i = 0, next = 0; i < columns.size(); ++i) {
            if (columns[i] != nullptr) parts[i].push_back(loaded[next++]);
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == nullptr) continue;
        state_.note_access(*columns[i], AccessForm::Gather);
        values_.define(*columns[i], std::move(parts[i]));
    }
}

// A dead lane reads what the first living one does.
Value* MemoryEmitter::lanes_of_living(Value* lanes, Value* mask) {
    Value* first = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, masks_.bits_of({mask}),
                                                  builder_.getTrue());
    Value* living = builder_.CreateExtractElement(lanes, first);
    return builder_.CreateSelect(mask, lanes, values_.splat(living));
}

// The fields that are read, in their order.
Parts MemoryEmitter::load_structures_at(Value* places, const ColumnTable& columns) {
    Value* all = load_whole_structures(places, columns);
    Parts result;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == nullptr) continue;
        llvm::SmallVector<int> lanes;
        for (std::size_t lane = 0; lane < layout_.width; ++lane) {
            lanes.push_back(static_cast<int>(lane * columns.size() + i));
        }
        Value* column = builder_.CreateShuffleVector(all, lanes);
        result.push_back(builder_.CreateBitCast(column, vector_of(columns[i]->getType())));
    }
    return result;
}

// Those of all lanes, one behind the other.
Value* MemoryEmitter::load_whole_structures(Value* places, const ColumnTable& columns) {
    llvm::Type* field = columns[0]->getType();
    const auto count = static_cast<unsigned>(columns.size());
    const llvm::Align alignment = llvm::getLoadStoreAlignment(columns[0]);
    const std::uint64_t bytes = count * data_.getTypeStoreSize(field).getFixedValue();
    llvm::Type* word = builder_.getIntNTy(static_cast<unsigned>(8 * bytes));
    if (state_.target.has_fast_gathers() && bytes <= 8 && can_gather(state_, word, alignment)) {
        Value* words = builder_.CreateMaskedGather(vector_of(word), places, alignment);
        return builder_.CreateBitCast(words,
                                      llvm::FixedVectorType::get(field, count * layout_.width));
    }
    Parts rows;
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        Value* place = builder_.CreateExtractElement(places, lane);
        rows.push_back(
            builder_.CreateAlignedLoad(llvm::FixedVectorType::get(field, count), place, alignment));
    }
    return joined(builder_, rows);
}

}  // namespace warpwise::cpu_compiler::gang
