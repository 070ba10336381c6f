// The processor's part of loading an object: its relocations, and the stubs through which code
// calls functions that lie further away than a call instruction reaches.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpwise::cpu {

inline constexpr std::uint64_t kSlotBytes = 8;   // of the offset table: one address
inline constexpr std::uint64_t kStubBytes = 16;  // room for the largest stub of any processor

extern const std::uint16_t kElfMachine;    // e_machine of objects for this processor
extern const char* const kElfMachineName;  // in words

// What a relocation writes: the address of its target plus the addend, counted from the place of
// the relocation where it is relative.
struct RelocationRule {
    enum class Target {
        Nothing,  // no effect
        Symbol,
        Slot,  // the slot of the offset table that holds the symbol's address
        Call,  // the symbol, or its stub
    };
    Target target;
    bool is_relative;
    bool is_signed;  // how the value is extended from `bytes`
    std::size_t bytes;
};

// None for a type that the loader does not know.
std::optional<RelocationRule> relocation_of(std::uint32_t elf_type) noexcept;

// Writes `value` to the bytes at `at`. False where it does not fit.
bool write_relocation(std::byte* at, const RelocationRule& rule, std::uint64_t value) noexcept;

// Writes a jump to the address in a slot to `at`, whose kStubBytes are in reach of the slot.
void write_stub(std::byte* at, const std::byte* slot) noexcept;

}  // namespace warpwise::cpu
