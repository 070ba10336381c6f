// Addresses in words. A buffer is named by the parameter that leads to it, where there is one.
#include "src/backends/cpu/memory/guarded_access.hpp"

#include <fmt/format.h>

#include <cstring>

#include "src/backends/cpu/memory/guarded_memory.hpp"

namespace warpwise::cpu {
namespace {

using Allocation = GuardedMemory::Allocation;

std::string bytes_text(std::uint64_t count) {
    return fmt::format("{} byte{}", count, count == 1 ? "" : "s");
}

// The pointer among the arguments that lies in the buffer.
std::string parameter_text(const Allocation& buffer, const KernelSignature& kernel,
                           const std::byte* arguments) {
    for (const Parameter& parameter : kernel.parameters) {
        if (parameter.passing != Parameter::Passing::Pointer || parameter.name.empty()) continue;
        std::uint64_t value = 0;
        std::memcpy(&value, arguments + parameter.offset, sizeof(value));
        if (value >= buffer.begin && value - buffer.begin < buffer.bytes) {
            return fmt::format(" (parameter '{}')", parameter.name);
        }
    }
    return {};
}

std::string buffer_text(const Allocation& buffer, const KernelSignature& kernel,
                        const std::byte* arguments) {
    return fmt::format("the buffer of {} at 0x{:x}{}", bytes_text(buffer.bytes), buffer.begin,
                       parameter_text(buffer, kernel, arguments));
}

// Where the address is, seen from the buffer.
std::string place_text(std::uint64_t address, const Allocation& buffer) {
    if (address < buffer.begin) {
        return fmt::format("{} before the begin of", bytes_text(buffer.begin - address));
    }
    const std::uint64_t offset = address - buffer.begin;
    if (offset < buffer.bytes) return fmt::format("byte {} of", offset);
    if (offset == buffer.bytes) return "right at the end of";
    return fmt::format("{} past the end of", bytes_text(offset - buffer.bytes));
}

}  // namespace

std::string describe_guarded(std::uint64_t address, const KernelSignature& kernel,
                             const std::byte* arguments) {
    const auto buffer = GuardedMemory::instance().find(address);
    if (!buffer) return {};
    return fmt::format("0x{:x}, {} {}{}", address, place_text(address, *buffer),
                       buffer_text(*buffer, kernel, arguments),
                       buffer->is_released ? ", which was freed" : "");
}

std::string take_guarded_overrun(const KernelSignature& kernel, const std::byte* arguments) {
    const auto overrun = GuardedMemory::instance().take_overrun();
    if (!overrun) return {};
    return fmt::format(
        "write past the end of {}, found when the kernel had ended: byte {} was written",
        buffer_text(overrun->allocation, kernel, arguments), overrun->first);
}

}  // namespace warpwise::cpu
