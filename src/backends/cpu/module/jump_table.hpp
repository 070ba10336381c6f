// The offset table of a loaded object and its jump stubs: where both lie in the mapping, and what
// is written there.
//
// A slot holds the address of one symbol; code reads it. A stub jumps through a slot, for calls of
// functions that may lie further away than a call instruction reaches. Stubs belong with the code,
// slots with the constants. Numbers begin at 1; 0 means none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/backends/cpu/host/relocations.hpp"

namespace warpwise::cpu {

class JumpTable {
  public:
    using Number = std::uint32_t;

    Number add_slot() noexcept { return ++slot_count_; }
    Number add_stub() noexcept { return ++stub_count_; }

    // Offsets in the mapping, once all are counted. Both return the offset behind them.
    std::uint64_t place_stubs(std::uint64_t offset) noexcept {
        stubs_ = round_up(offset, kStubBytes);
        return stubs_ + stub_count_ * kStubBytes;
    }
    std::uint64_t place_slots(std::uint64_t offset) noexcept {
        slots_ = round_up(offset, kSlotBytes);
        return slots_ + slot_count_ * kSlotBytes;
    }

    std::uint64_t slot_address(const std::byte* base, Number slot) const noexcept {
        return reinterpret_cast<std::uint64_t>(base) + slots_ + (slot - 1) * kSlotBytes;
    }
    std::uint64_t stub_address(const std::byte* base, Number stub) const noexcept {
        return reinterpret_cast<std::uint64_t>(base) + stubs_ + (stub - 1) * kStubBytes;
    }

    void write_slot(std::byte* base, Number slot, std::uint64_t address) const noexcept {
        std::memcpy(base + slots_ + (slot - 1) * kSlotBytes, &address, kSlotBytes);
    }
    void write_stub(std::byte* base, Number stub, Number slot) const noexcept {
        cpu::write_stub(base + stubs_ + (stub - 1) * kStubBytes,
                        base + slots_ + (slot - 1) * kSlotBytes);
    }

    static std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) noexcept {
        return (value + alignment - 1) & ~(alignment - 1);
    }

  private:
    std::uint64_t stubs_ = 0;
    std::uint64_t slots_ = 0;
    Number stub_count_ = 0;
    Number slot_count_ = 0;
};

}  // namespace warpwise::cpu
