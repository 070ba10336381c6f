// See transposition.hpp.
#include "src/backends/cpu/compiler/gang/emit/shuffles/transposition.hpp"

#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

unsigned length_of(const Value* vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

}  // namespace

// One behind the other: a power of two, of one length.
Value* Transposition::joined(llvm::ArrayRef<Value*> parts) {
    if (parts.size() == 1) return parts[0];
    Value* left = joined(parts.take_front(parts.size() / 2));
    Value* right = joined(parts.drop_front(parts.size() / 2));
    llvm::SmallVector<int> all;
    for (unsigned i = 0; i < 2 * length_of(left); ++i) all.push_back(static_cast<int>(i));
    return builder_.CreateShuffleVector(left, right, all);
}

Value* Transposition::part_of(Value* vector, unsigned first, unsigned count) {
    if (count == length_of(vector)) return vector;
    llvm::SmallVector<int> elements;
    for (unsigned i = 0; i < count; ++i) elements.push_back(static_cast<int>(first + i));
    return builder_.CreateShuffleVector(vector, elements);
}

// Each level puts elements of the first and the second half of the vectors side by side, within
// each unit. Together vectors and elements of a unit are numbered by some bits, and a level rotates
// these by one place.
Parts Transposition::zipped(const Parts& vectors, unsigned levels) {
    Parts now = vectors;
    const unsigned length = length_of(vectors[0]);
    for (unsigned level = 0; level < levels; ++level) {
        Parts next;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const unsigned half = i % 2 == 0 ? 0 : unit_ / 2;
            llvm::SmallVector<int> elements;
            for (unsigned unit = 0; unit < length; unit += unit_) {
                for (unsigned k = unit + half; k < unit + half + unit_ / 2; ++k) {
                    elements.push_back(static_cast<int>(k));
                    elements.push_back(static_cast<int>(k + length));
                }
            }
            next.push_back(
                builder_.CreateShuffleVector(now[i / 2], now[i / 2 + now.size() / 2], elements));
        }
        now = std::move(next);
    }
    return now;
}

// Units of the same lanes in every unit_-th row side by side, then squares of unit_ x unit_ in
// place.
Parts Transposition::columns_of(const Parts& rows) {
    Parts columns;
    const unsigned square = std::min(rows_, unit_);
    for (unsigned unit = 0; unit < units(); ++unit) {
        Parts vectors;
        for (unsigned row = 0; row < square; ++row) {
            Parts parts;
            for (unsigned other = row; other < rows_; other += unit_) {
                parts.push_back(part_of(rows[other], unit * unit_, unit_));
            }
            vectors.push_back(joined(parts));
        }
        const unsigned count = std::max(1U, unit_ / rows_);  // of columns in a vector
        for (Value* vector : zipped(vectors, llvm::bit_width(square) - 1)) {
            for (unsigned i = 0; i < count; ++i) {
                columns.push_back(part_of(vector, i * rows_, rows_));
            }
        }
    }
    return columns;
}

Parts Transposition::rows_of(const Parts& columns) {
    const unsigned square = std::min(rows_, unit_);
    const unsigned count = std::max(1U, unit_ / rows_);
    std::vector<Parts> of_units;
    for (unsigned unit = 0; unit < units(); ++unit) {
        Parts vectors;
        for (unsigned i = 0; i < unit_; i += count) {
            vectors.push_back(joined(llvm::ArrayRef(columns).slice(unit * unit_ + i, count)));
        }
        of_units.push_back(zipped(vectors, llvm::bit_width(unit_) - 1));
    }
    Parts rows;
    for (unsigned row = 0; row < rows_; ++row) {
        Parts parts;
        for (const Parts& vectors : of_units) {
            parts.push_back(part_of(vectors[row % square], row / unit_ * unit_, unit_));
        }
        rows.push_back(joined(parts));
    }
    return rows;
}

}  // namespace warpwise::cpu_compiler::gang
