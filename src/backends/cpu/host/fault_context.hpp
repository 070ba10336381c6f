// The saved state of a thread that a signal has interrupted: what a fault handler reads from it,
// and how the thread is made to continue elsewhere. The processor's part is in host/<processor>/.
//
// Threading: async-signal-safe; each call concerns the context passed to it.
#pragma once

#include <array>
#include <cstdint>

namespace warpwise::cpu {

// The context is the third argument of a handler installed with SA_SIGINFO.
struct MemoryAccess {
    bool has_address = false;  // the processor reports which address it could not access
    bool is_write = false;
};

inline constexpr std::size_t kMaxRegisters = 32;
struct GeneralRegisters {
    std::array<std::uint64_t, kMaxRegisters> values;
    std::size_t count;
};

std::uint64_t program_counter(const void* context) noexcept;
std::uint64_t stack_pointer(const void* context) noexcept;
GeneralRegisters general_registers(const void* context) noexcept;

// Of a SIGSEGV or SIGBUS that the processor has raised.
MemoryAccess memory_access(const void* context) noexcept;

// When the handler returns, the thread calls `function(argument)`, which must not return, on the
// stack that ends at `stack_top`. The frames that were there are abandoned.
void continue_at(void* context, void (*function)(void*), void* argument,
                 std::uint64_t stack_top) noexcept;

}  // namespace warpwise::cpu
