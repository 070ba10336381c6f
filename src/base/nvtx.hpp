// NVTX, version 3: how a program names its ranges for NVIDIA's tools.
//
// NVTX is no library but a protocol, and the part of it that is used here is small: the tool puts
// the path of its library into NVTX_INJECTION64_PATH; the program opens that, calls its
// InitializeInjectionNvtx2 with a function that returns tables of slots, and the tool puts its
// functions into the slots it needs. NVIDIA's own headers do the same for each library they are
// compiled into. They are 10,000 lines with the same effect, and would have to be there wherever
// Warpwise is built; the numbers below are part of the protocol and cannot change.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpwise/export.hpp"

namespace warpwise::nvtx {

// Modules of the protocol: NvtxCallbackModule.
enum class Module : int { Core = 1, Cuda = 2, OpenCl = 3, CudaRuntime = 4, Core2 = 5, Sync = 6 };
// Slots of Module::Core that are called: NvtxCallbackIdCore.
inline constexpr unsigned kMark = 2;       // nvtxMarkA
inline constexpr unsigned kRangePush = 9;  // nvtxRangePushA
inline constexpr unsigned kRangePop = 11;  // nvtxRangePop
// Slots of each module, the first, which is none, among them.
inline constexpr unsigned kSlots[] = {0, 16, 9, 15, 7, 16, 7};
// Tables that a tool may request: NvtxExportTableID.
inline constexpr std::uint32_t kCallbacks = 1;
inline constexpr std::uint32_t kVersionInfo = 3;

using Slot = void (*)();
// The second one is of pointers to slots.
using GetModuleFunctionTable = int (*)(int module, Slot*** table, unsigned* size);
// NvtxExportTableCallbacks.
struct Callbacks {
    std::size_t bytes;
    GetModuleFunctionTable get_table;
};
// NvtxExportTableVersionInfo.
struct VersionInfo {
    std::size_t bytes;
    std::uint32_t version;
    std::uint32_t reserved;
    void (*set_version)(std::uint32_t);
};
using GetExportTable = const void* (*)(std::uint32_t id);
using Initialize = int (*)(GetExportTable);

// Whether a tool listens. The first call looks for one; a tool that cannot be opened is none, and a
// warning in the log reports it.
WARPWISE_API bool is_attached();

// For the tool; nothing without one, or where it does not want them. `name` ends with a zero.
WARPWISE_API void push(const char* name) noexcept;
WARPWISE_API void pop() noexcept;
WARPWISE_API void mark(const char* name) noexcept;

}  // namespace warpwise::nvtx
