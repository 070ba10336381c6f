// The saved context of Linux on x86-64.
#include "src/backends/cpu/host/fault_context.hpp"

#include <ucontext.h>

namespace warpwise::cpu {
namespace {

const gregset_t& registers_of(const void* context) noexcept {
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
}

}  // namespace

std::uint64_t program_counter(const void* context) noexcept {
    return static_cast<std::uint64_t>(registers_of(context)[REG_RIP]);
}

std::uint64_t stack_pointer(const void* context) noexcept {
    return static_cast<std::uint64_t>(registers_of(context)[REG_RSP]);
}

GeneralRegisters general_registers(const void* context) noexcept {
    GeneralRegisters registers{};
    for (int number = REG_R8; number <= REG_RSP; ++number) {  // the sixteen, in Linux's order
        registers.values[registers.count++] =
            static_cast<std::uint64_t>(registers_of(context)[number]);
    }
    return registers;
}

MemoryAccess memory_access(const void* context) noexcept {
    constexpr greg_t kPageFault = 14;  // number of the exception
    constexpr greg_t kWriteBit = 2;    // of its error code
    const gregset_t& registers = registers_of(context);
    // Non-canonical addresses raise a general protection fault, which reports no address.
    const bool has_address = registers[REG_TRAPNO] == kPageFault;
    return {has_address, has_address && (registers[REG_ERR] & kWriteBit) != 0};
}

void continue_at(void* context, void (*function)(void*), void* argument,
                 std::uint64_t stack_top) noexcept {
    constexpr greg_t kDirectionFlag = 0x400;
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    // As after a call: the return address (none) lies 8 below a multiple of 16.
    registers[REG_RSP] = static_cast<greg_t>((stack_top & ~std::uint64_t{15}) - 8);
    registers[REG_RIP] = reinterpret_cast<greg_t>(function);
    registers[REG_RDI] = reinterpret_cast<greg_t>(argument);
    registers[REG_EFL] &= ~kDirectionFlag;
}

}  // namespace warpwise::cpu
