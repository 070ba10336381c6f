// The types and numbers of the CUDA driver's binary interface that this room uses. They are part of
// the driver's ABI and do not change; written out so that building needs no toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise::cuda {

// CUresult: those that are told apart.
enum class Status : int {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    NoDevice = 100,
    InvalidContext = 201,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    Assert = 710,
    HardwareStackError = 714,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    InvalidAddressSpace = 717,
    InvalidPc = 718,
    LaunchFailed = 719,
};

using DeviceHandle = int;
using ContextHandle = struct ContextTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using DevicePointer = std::uint64_t;

// CU_STREAM_LEGACY: the default stream that all blocking streams are ordered with.
inline const StreamHandle kLegacyStream = reinterpret_cast<StreamHandle>(1);

enum class DeviceAttribute : int {
    MaxThreadsPerBlock = 1,
    MaxBlockDimX = 2,  // Y, Z follow
    MaxGridDimX = 5,   // Y, Z follow
    WarpSize = 10,
    ClockRate = 13,  // kHz
    MultiprocessorCount = 16,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    MaxSharedMemoryPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
    MaxThreadsPerBlock = 0,
    SharedSizeBytes = 1,
    ConstSizeBytes = 2,
    NumRegs = 4,
    MaxDynamicSharedSizeBytes = 8,
};

enum class LoadOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

enum class PointerAttribute : int { MemoryType = 2 };

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;
inline constexpr std::uint64_t kLegacyStreams = 1;  // of cuGetProcAddress

// The `extra` of a launch: one packed buffer.
inline void* const kArgumentBuffer = reinterpret_cast<void*>(1);
inline void* const kArgumentBytes = reinterpret_cast<void*>(2);

// CUlaunchAttribute.
struct LaunchAttribute {
    enum class Id : int { Cooperative = 2 };
    Id id;
    char padding[4];
    union {
        int cooperative;
        char bytes[64];
    };
};
static_assert(sizeof(LaunchAttribute) == 72);

// CUlaunchConfig.
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned dynamic_shared_bytes;
    StreamHandle stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

}  // namespace warpwise::cuda
