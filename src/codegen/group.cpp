// Hashing of groups, and how reductions are divided among threads and blocks.
#include "src/codegen/group.hpp"

#include <algorithm>

#include "src/codegen/geometry.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::codegen {
namespace {

class Hasher {
  public:
    void add(std::uint64_t value) noexcept {
        state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ull;
        state_ ^= state_ >> 29;
    }
    void add(const Operand& operand) noexcept {
        add(static_cast<std::uint64_t>(operand.kind) << 32 |
            static_cast<std::uint64_t>(operand.is_counter ? (operand.is_whole ? 2 : 1) : 0) << 48 |
            static_cast<std::uint64_t>(operand.gathered ? 1 : 0) << 52 |
            static_cast<std::uint64_t>(operand.unaligned ? 1 : 0) << 53 |
            static_cast<std::uint64_t>(static_cast<std::uint8_t>(operand.step)) << 40 |
            static_cast<std::uint64_t>(operand.access) << 24 |
            static_cast<std::uint64_t>(static_cast<std::uint8_t>(operand.unit)) << 16 |
            operand.fixed);
    }
    void add(const ir::Body& body) noexcept {
        add(body.instructions.size());
        for (const ir::Instruction& one : body.instructions) {
            add(static_cast<std::uint64_t>(one.form) << 56 |
                static_cast<std::uint64_t>(one.kind) << 48 |
                static_cast<std::uint64_t>(one.op) << 32 |
                static_cast<std::uint64_t>(one.draw) << 16 | one.number);
            add(static_cast<std::uint64_t>(one.operands[0]) << 32 |
                static_cast<std::uint64_t>(one.operands[1]) << 16 | one.operands[2]);
        }
    }
    void add(const std::vector<Operand>& operands) noexcept {
        add(operands.size());
        for (const Operand& operand : operands) add(operand);
    }
    void add(const std::vector<Store>& stores) noexcept {
        add(stores.size());
        for (const Store& store : stores) {
            add(store.operand);
            add(store.value);
        }
    }
    std::uint64_t state() const noexcept { return state_; }

  private:
    std::uint64_t state_ = 0xCBF29CE484222325ull;
};

}  // namespace

Kind Reducer::result() const noexcept {
    switch (reduce) {
        case Reduce::ArgMin:
        case Reduce::ArgMax:
            return Kind::Int64;
        case Reduce::SquaredDeviation:
            return types::real_kind(accumulator);
        default:
            return accumulator;
    }
}

std::size_t Reducer::state_behind(std::size_t before) const noexcept {
    // As much as its alignment: that of complex numbers is their size.
    const std::size_t value = std::max(DType(accumulator).size(), sizeof(std::int64_t));
    const std::size_t start = (before + value - 1) / value * value;
    switch (reduce) {
        case Reduce::Minimum:
        case Reduce::Maximum:
            return start + 2 * value;  // and whether there is one
        case Reduce::ArgMin:
        case Reduce::ArgMax:
        case Reduce::SquaredDeviation:
            return start + 3 * value;  // a place and whether there is one; a count, mean and sum
        default:
            return start + value;
    }
}

std::uint64_t Group::hash() const noexcept {
    Hasher hasher;
    hasher.add(static_cast<std::uint64_t>(skeleton) << 40 |
               static_cast<std::uint64_t>(order) << 32 | static_cast<std::uint64_t>(lanes) << 16 |
               static_cast<std::uint64_t>(rank) << 8 | static_cast<std::uint64_t>(reduced) << 2 |
               (short_rows ? 128u : 0u) | (wide ? 2u : 0u) | (rows ? 1u : 0u) |
               static_cast<std::uint64_t>(static_cast<std::uint8_t>(across)) << 56);
    hasher.add(inputs);
    for (const Kind kind : scalars) hasher.add(static_cast<std::uint64_t>(kind));
    hasher.add(body);
    hasher.add(stores);
    for (const Reducer& reducer : reducers) {
        hasher.add(static_cast<std::uint64_t>(reducer.reduce) << 32 |
                   static_cast<std::uint64_t>(reducer.accumulator) << 16 | reducer.value);
    }
    hasher.add(kept_inputs);
    hasher.add(epilogue);
    hasher.add(kept_stores);
    return hasher.state();
}

bool Group::reports() const noexcept {
    return std::ranges::any_of(body.instructions, [](const ir::Instruction& one) {
        return one.form == ir::Instruction::Form::Bound;
    });
}

std::uint16_t lanes_of(ReduceOrder order, std::int64_t kept, std::int64_t reduced) noexcept {
    if (order == ReduceOrder::Outer && kept >= 32) return 1;
    if (reduced <= 32 && kept >= 32) return 1;
    return reduced <= 2048 && kept >= 64 ? 32 : 256;
}

Parts parts_of(std::uint16_t lanes, ReduceOrder order, std::int64_t kept,
               std::int64_t reduced) noexcept {
    constexpr std::int64_t kUnits = 1024;  // as many blocks fill a large GPU
    if (reduced == 0 || lanes == 32) return {1, std::max<std::int64_t>(reduced, 1)};
    if (lanes == 1) {
        if (order == ReduceOrder::Inner) return {1, reduced};
        const std::int64_t tiles = divided_up(std::max<std::int64_t>(kept, 1), 256);
        const std::int64_t parts = divided_up(kUnits, tiles);
        const std::int64_t length = std::max<std::int64_t>(divided_up(reduced, parts), 64);
        return {divided_up(reduced, length), length};
    }
    constexpr std::int64_t kLeast = 4096;
    constexpr std::int64_t kMost = 65536;
    const std::int64_t parts = divided_up(kUnits, std::max<std::int64_t>(kept, 1));
    const std::int64_t wanted = divided_up(divided_up(reduced, parts), kLeast) * kLeast;
    const std::int64_t length = std::clamp(wanted, kLeast, kMost);
    return {divided_up(reduced, length), length};
}

}  // namespace warpwise::codegen
