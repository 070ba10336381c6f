// Addresses of this process that are taken before there is memory behind them.
//
// Addresses and sizes are multiples of kRangeGranule. Who calls keeps what is backed.
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise {

inline constexpr std::size_t kPageBytes = 4096;                     // of x86-64
inline constexpr std::size_t kRangeGranule = std::size_t{2} << 20;  // a huge page of x86-64

// 0 when there are none left, or no more are allowed (RLIMIT_AS).
std::uintptr_t reserve_addresses(std::size_t bytes) noexcept;
void release_addresses(std::uintptr_t address, std::size_t bytes) noexcept;
// Memory of zeros. False when the system does not promise so much.
bool back_addresses(std::uintptr_t address, std::size_t bytes) noexcept;
// The memory goes, the addresses stay reserved; touching them is a fault.
void unback_addresses(std::uintptr_t address, std::size_t bytes) noexcept;

}  // namespace warpwise
