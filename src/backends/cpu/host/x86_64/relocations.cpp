// ELF for x86-64: the relocations of the small, position independent code model.
#include "src/backends/cpu/host/relocations.hpp"

#include <elf.h>

#include <cstring>
#include <limits>

namespace warpwise::cpu {

const std::uint16_t kElfMachine = EM_X86_64;
const char* const kElfMachineName = "x86-64";

std::optional<RelocationRule> relocation_of(std::uint32_t elf_type) noexcept {
    using Target = RelocationRule::Target;
    switch (elf_type) {
        case R_X86_64_NONE:
            return RelocationRule{Target::Nothing, false, false, 0};
        case R_X86_64_64:
            return RelocationRule{Target::Symbol, false, false, 8};
        case R_X86_64_PC64:
            return RelocationRule{Target::Symbol, true, true, 8};
        case R_X86_64_32:
            return RelocationRule{Target::Symbol, false, false, 4};
        case R_X86_64_32S:
            return RelocationRule{Target::Symbol, false, true, 4};
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX:
            return RelocationRule{Target::Slot, true, true, 4};
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
            return RelocationRule{Target::Call, true, true, 4};
        default:
            return std::nullopt;
    }
}

bool write_relocation(std::byte* at, const RelocationRule& rule, std::uint64_t value) noexcept {
    if (rule.bytes == 4) {
        const auto extended = static_cast<std::int64_t>(value);
        const bool fits = rule.is_signed ? extended >= std::numeric_limits<std::int32_t>::min() &&
                                               extended <= std::numeric_limits<std::int32_t>::max()
                                         : value <= std::numeric_limits<std::uint32_t>::max();
        if (!fits) return false;
    }
    std::memcpy(at, &value, rule.bytes);
    return true;
}

// jmp *displacement(%rip), which counts from the end of its 6 bytes.
void write_stub(std::byte* at, const std::byte* slot) noexcept {
    constexpr std::size_t kLength = 6;
    const auto displacement = static_cast<std::int32_t>(slot - (at + kLength));
    at[0] = std::byte{0xff};
    at[1] = std::byte{0x25};
    std::memcpy(at + 2, &displacement, sizeof(displacement));
}

}  // namespace warpwise::cpu
